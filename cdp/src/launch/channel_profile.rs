//! Where an everyday browser keeps its data, for attaching to one by its channel's name.

use super::find::Channel;
use super::machine::{self, Machine, Os};

/// The default user data folder of a channel on this system; `None` when the channel does not exist
/// there, or there is no home.
pub fn channel_profile(channel: Channel, machine: &dyn Machine) -> Option<String> {
    let os = machine.os();
    let home = machine::home(machine)?;
    let name = channel.name();
    let (edge, suffix) = match name.split_once('-') {
        Some((base, suffix)) => (base == "msedge", suffix),
        None => (name == "msedge", ""),
    };
    if matches!(channel, Channel::Chromium) {
        return Some(match os {
            Os::Linux => os.join(&home, &[".config/chromium"]),
            Os::MacOs => os.join(&home, &["Library/Application Support/Chromium"]),
            Os::Windows => os.join(&machine.var("LOCALAPPDATA")?, &["Chromium", "User Data"]),
        });
    }
    match os {
        Os::Linux => {
            let base = if edge {
                "microsoft-edge"
            } else {
                "google-chrome"
            };
            // Linux calls the canary channel "unstable", as it does the developers' one.
            let suffix = match suffix {
                "" => "",
                "beta" => "-beta",
                "dev" if edge => "-dev",
                "dev" => "-unstable",
                _ => "-canary",
            };
            Some(os.join(&home, &[&format!(".config/{base}{suffix}")]))
        }
        Os::MacOs => {
            let base = if edge {
                "Microsoft Edge"
            } else {
                "Google/Chrome"
            };
            Some(os.join(
                &home,
                &[&format!(
                    "Library/Application Support/{base}{}",
                    titled(suffix, " ")
                )],
            ))
        }
        Os::Windows => {
            let base = if edge {
                r"Microsoft\Edge"
            } else {
                r"Google\Chrome"
            };
            let suffix = if suffix == "canary" {
                " SxS".to_owned()
            } else {
                titled(suffix, " ")
            };
            Some(os.join(
                &machine.var("LOCALAPPDATA")?,
                &[&format!("{base}{suffix}"), "User Data"],
            ))
        }
    }
}

fn titled(suffix: &str, gap: &str) -> String {
    let mut letters = suffix.chars();
    match letters.next() {
        Some(first) => format!("{gap}{}{}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::fake::FakeMachine;
    use super::*;

    fn on(os: Os, vars: &[(&str, &str)], name: &str) -> Option<String> {
        channel_profile(Channel::parse(name)?, &FakeMachine::new(os, vars, &[]))
    }

    #[test]
    fn linux() {
        let vars = [("HOME", "/home/me")];
        assert_eq!(
            on(Os::Linux, &vars, "chrome").as_deref(),
            Some("/home/me/.config/google-chrome")
        );
        assert_eq!(
            on(Os::Linux, &vars, "chrome-beta").as_deref(),
            Some("/home/me/.config/google-chrome-beta")
        );
        assert_eq!(
            on(Os::Linux, &vars, "chrome-dev").as_deref(),
            Some("/home/me/.config/google-chrome-unstable")
        );
        assert_eq!(
            on(Os::Linux, &vars, "msedge-dev").as_deref(),
            Some("/home/me/.config/microsoft-edge-dev")
        );
        assert_eq!(on(Os::Linux, &[], "chrome"), None);
    }

    #[test]
    fn mac_and_windows() {
        let vars = [("HOME", "/Users/me")];
        assert_eq!(
            on(Os::MacOs, &vars, "chrome-canary").as_deref(),
            Some("/Users/me/Library/Application Support/Google/Chrome Canary")
        );
        let vars = [
            ("USERPROFILE", r"C:\Users\me"),
            ("LOCALAPPDATA", r"C:\Users\me\AppData\Local"),
        ];
        assert_eq!(
            on(Os::Windows, &vars, "chrome-canary").as_deref(),
            Some(r"C:\Users\me\AppData\Local\Google\Chrome SxS\User Data")
        );
        assert_eq!(
            on(Os::Windows, &vars, "msedge").as_deref(),
            Some(r"C:\Users\me\AppData\Local\Microsoft\Edge\User Data")
        );
    }
}
