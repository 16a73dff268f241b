//! Target texts against small fixed documents: see `pure::check_locator`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| pure::check_locator::check(text));
