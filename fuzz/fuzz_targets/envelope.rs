//! Messages from the browser: see `pure::check_envelope`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|message: &[u8]| pure::check_envelope::check(message));
