//! Names of files that nobody chose: automatic ones carry the time, downloads what the server
//! suggested.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// `<prefix>-<time>.<extension>`, for example `page-2026-11-30T02-15-09-570Z.yml`.
pub fn automatic(prefix: &str, extension: &str, time: SystemTime) -> String {
    format!("{prefix}-{}.{extension}", timestamp(time))
}

/// UTC time with milliseconds in ISO 8601 form, `-` in the place of `:` and `.` so that every file
/// system takes it: `2026-11-30T02-15-09-570Z`. Times before 1970 count as 1970.
pub fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}-{:02}-{:02}-{:03}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        since.subsec_millis()
    )
}

/// Year, month and day of the proleptic Gregorian calendar, `days` after 1 January 1970.
///
/// Years are counted from March, so that the leap day comes last and month lengths follow one
/// linear rule; 719,468 days lie between 1 March of year 0 and 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

/// The name a download is stored under, made from the name its server suggested.
///
/// In the stem and in the last extension, every run of control characters, spaces and ASCII
/// punctuation other than `-` becomes one `-`. No path separator survives. A name of which nothing
/// is left becomes `download`.
pub fn download(suggested: &str) -> String {
    let name = match suggested.rsplit_once('.') {
        Some((stem, extension)) => format!("{}.{}", sanitised(stem), sanitised(extension)),
        None => sanitised(suggested),
    };
    if name.is_empty() {
        "download".to_owned()
    } else {
        name
    }
}

/// The name of another file that was to have the name of `path`: `report.pdf`, `report-2.pdf`.
pub fn numbered(path: &Path, number: u32) -> PathBuf {
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_os_string();
    let mut name = part(path.file_stem());
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

fn sanitised(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut in_run = false;
    for c in part.chars() {
        let replaced = c.is_ascii() && !c.is_ascii_alphanumeric() && c != '-';
        if !replaced {
            out.push(c);
        } else if !in_run {
            out.push('-');
        }
        in_run = replaced;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(milliseconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(milliseconds)
    }

    #[test]
    fn automatic_names() {
        // `date -ud '2026-11-30T02:15:09Z' +%s` prints 1796004909.
        assert_eq!(
            automatic("page", "yml", at(1_796_004_909_570)),
            "page-2026-11-30T02-15-09-570Z.yml"
        );
        assert_eq!(timestamp(at(0)), "1970-01-01T00-00-00-000Z");
    }

    #[test]
    fn leap_days() {
        assert_eq!(timestamp(at(951_782_400_000)), "2000-02-29T00-00-00-000Z");
        assert_eq!(timestamp(at(951_868_800_000)), "2000-03-01T00-00-00-000Z");
        assert_eq!(timestamp(at(1_709_164_799_999)), "2024-02-28T23-59-59-999Z");
        assert_eq!(timestamp(at(1_709_164_800_000)), "2024-02-29T00-00-00-000Z");
        // 2100 has no leap day.
        assert_eq!(timestamp(at(4_107_542_400_000)), "2100-03-01T00-00-00-000Z");
    }

    #[test]
    fn further_files_of_a_name_are_numbered() {
        let numbered = |path: &str| numbered(Path::new(path), 2);
        assert_eq!(numbered("a/report.pdf"), Path::new("a/report-2.pdf"));
        assert_eq!(numbered("a/report"), Path::new("a/report-2"));
        assert_eq!(numbered("a/-.-x"), Path::new("a/--2.-x"));
    }

    #[test]
    fn download_names() {
        assert_eq!(download("srv name.txt"), "srv-name.txt");
        assert_eq!(download("a (1)_v2.0.tar.gz"), "a-1-v2-0-tar.gz");
        assert_eq!(download("../../etc/passwd"), "-.-etc-passwd");
        assert_eq!(download("a--b"), "a--b");
        assert_eq!(download("bericht_größe.pdf"), "bericht-größe.pdf");
        assert_eq!(download("x\u{7f}\u{1}y"), "x-y");
        assert_eq!(download(".."), "-.");
        assert_eq!(download(""), "download");
    }
}
