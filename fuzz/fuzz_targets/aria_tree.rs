//! Captured pages to snapshots: see `pure::check_aria`.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|page: &[u8]| pure::check_aria::check(page));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    pure::mutate::mutate(data, size, max_size, seed, fuzzer_mutate)
});
