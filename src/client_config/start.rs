//! The command that a client is told to start.

use std::path::{Path, PathBuf};

use crate::config::options::{Flags, OPTIONS};
use crate::config::without_credentials;

/// How to call the program from anywhere: by the whole path, because clients with a window often
/// have a shorter `PATH` than a shell. A place in `PATH` that `leads_to` the program is better than
/// where it really is: a package manager keeps the former and moves the latter.
pub fn command(
    program: &Path,
    path: impl IntoIterator<Item = PathBuf>,
    leads_to: impl Fn(&Path) -> bool,
) -> PathBuf {
    let name = program.file_name().unwrap_or_default();
    path.into_iter()
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|place| leads_to(place))
        .unwrap_or_else(|| program.to_owned())
}

/// The option that would put a secret into the file of a client, if there is one, as
/// `--flag <value>`.
///
/// Such files are synchronised, shared in repositories and read by other programs. Secrets are
/// header values, what stands before `@` in an address, and the query of a browser's address, where
/// hosted browsers have their keys.
pub fn secret(flags: &Flags) -> Option<String> {
    let holds = |long: &str, value: &str| {
        long.contains("header")
            || ["token", "password", "api-key"]
                .iter()
                .any(|word| long.ends_with(word))
            || (long.contains("proxy") || value.contains("://"))
                && without_credentials(value) != value
            || long.ends_with("endpoint") && value.contains('?')
    };
    OPTIONS
        .iter()
        .find(|opt| {
            flags
                .values(opt.setting)
                .any(|value| holds(opt.long, value))
        })
        .map(crate::config::options::Opt::signature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Setting;

    #[cfg(unix)]
    #[test]
    fn a_place_in_path_wins_over_where_it_leads() {
        let real = Path::new("/opt/Cellar/playguard/0.1.0/bin/playguard");
        let path = || ["", "bin", "/usr/bin", "/opt/bin", "/later"].map(PathBuf::from);
        let link = Path::new("/opt/bin/playguard");
        assert_eq!(command(real, path(), |place| place == link), link);
        assert_eq!(command(real, path(), |_| false), real);
        // Not the first one of that name, but the first one that is this program.
        assert_eq!(
            command(real, path(), |place| !place.starts_with("/usr")),
            link
        );
    }

    #[test]
    fn secrets_are_found() {
        let found = |setting, value| secret(&Flags::default().with(setting, value));
        assert_eq!(
            found(Setting::CdpHeader, "Authorization: Bearer x").as_deref(),
            Some("--cdp-header <headers...>")
        );
        for value in ["http://ada:pw@proxy:3128", "ada:pw@proxy:3128"] {
            assert!(found(Setting::ProxyServer, value).is_some(), "{value}");
        }
        for value in [
            "wss://ada@browsers.example/",
            "wss://browsers.example/?token=x",
        ] {
            assert!(found(Setting::CdpEndpoint, value).is_some(), "{value}");
        }
        assert_eq!(found(Setting::CdpEndpoint, "http://127.0.0.1:9222"), None);
        assert_eq!(found(Setting::ProxyServer, "socks5://proxy:1080"), None);
        assert_eq!(found(Setting::UserAgent, "me@example.com"), None);
        assert_eq!(found(Setting::Isolated, "true"), None);
    }
}
