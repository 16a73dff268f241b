//! Keeping the process small: it lives for days beside an editor, and a single snapshot of a huge
//! page must not be paid for ever after.

/// Tells the C library's allocator to give large blocks back to the system at once, and not to keep
/// an arena per thread. Only glibc has these settings; elsewhere nothing happens.
pub fn tune() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: i32 = 128 << 10;
        // SAFETY: mallopt only changes settings of the allocator; called before any other thread
        // exists. A setting that is refused is not made.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
        }
    }
}
