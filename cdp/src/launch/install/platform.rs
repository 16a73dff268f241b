//! For which machines there is a Chrome for Testing, and what to do on others.

use chromiumoxide_fetcher::Platform;

/// There is no Chrome for Testing for this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("There is no Chrome for Testing for {machine}. {remedy}")]
pub struct Unsupported {
    /// The machine, in words.
    pub machine: String,
    /// What to do, in words.
    pub remedy: String,
}

/// The platform to install for. `os` and `arch` are named as in [`std::env::consts`]; `os_release`
/// is the text of `/etc/os-release` on Linux (os-release(5)), empty elsewhere.
///
/// # Errors
/// [`Unsupported`], with the distribution's package to install instead.
pub fn supported(os: &str, arch: &str, os_release: &str) -> Result<Platform, Unsupported> {
    let distribution = Distribution::of(os_release);
    match (os, arch) {
        ("linux", "x86_64") if distribution.runs_foreign_programs() => Ok(Platform::Linux),
        ("macos", "x86_64") => Ok(Platform::Mac),
        ("macos", "aarch64") => Ok(Platform::MacArm),
        ("windows", "x86") => Ok(Platform::Win32),
        // Windows 11 on ARM runs programs for x64.
        ("windows", "x86_64" | "aarch64") => Ok(Platform::Win64),
        ("linux", _) => Err(Unsupported {
            machine: match (arch, distribution.runs_foreign_programs()) {
                ("x86_64", _) => {
                    format!("{} (its programs use other libraries)", distribution.name())
                }
                _ => format!("Linux on {arch}"),
            },
            remedy: format!(
                "Install the distribution's own browser: `{}`. It is then found by itself.",
                distribution.command()
            ),
        }),
        _ => Err(Unsupported {
            machine: format!("{os} on {arch}"),
            remedy: "Install a Chromium for it and name it with --executable-path.".to_owned(),
        }),
    }
}

/// Families of distributions by how they install a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distribution {
    Alpine,
    Arch,
    Debian,
    Fedora,
    Nix,
    Suse,
    Ubuntu,
    Other,
}

impl Distribution {
    /// By `ID`, then by the relatives in `ID_LIKE`, nearest first.
    fn of(os_release: &str) -> Self {
        let value = |key: &str| {
            os_release
                .lines()
                .find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='))
                .map(|value| value.trim_matches(['"', '\'']).to_ascii_lowercase())
                .unwrap_or_default()
        };
        let names = format!("{} {}", value("ID"), value("ID_LIKE"));
        names
            .split_ascii_whitespace()
            .find_map(|name| {
                Some(match name {
                    "alpine" | "postmarketos" => Self::Alpine,
                    "arch" | "manjaro" => Self::Arch,
                    "debian" | "raspbian" => Self::Debian,
                    "fedora" | "rhel" | "centos" => Self::Fedora,
                    "nixos" => Self::Nix,
                    "suse" | "opensuse" => Self::Suse,
                    "ubuntu" => Self::Ubuntu,
                    _ => return None,
                })
            })
            .unwrap_or(Self::Other)
    }

    /// Whether a program built elsewhere finds the libraries that it was built for.
    const fn runs_foreign_programs(self) -> bool {
        !matches!(self, Self::Alpine | Self::Nix)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Alpine => "Alpine Linux",
            Self::Arch => "Arch Linux",
            Self::Debian => "Debian",
            Self::Fedora => "Fedora",
            Self::Nix => "NixOS",
            Self::Suse => "SUSE",
            Self::Ubuntu => "Ubuntu",
            Self::Other => "Linux",
        }
    }

    const fn command(self) -> &'static str {
        match self {
            Self::Alpine => "apk add chromium",
            Self::Arch => "pacman -S chromium",
            Self::Debian => "apt-get install chromium",
            Self::Fedora => "dnf install chromium",
            Self::Nix => "nix-env -iA nixos.chromium",
            Self::Suse => "zypper install chromium",
            Self::Ubuntu => "snap install chromium",
            Self::Other => "chromium, from the package manager",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_with_a_build() {
        for (os, arch, folder) in [
            ("linux", "x86_64", "linux-x64"),
            ("macos", "aarch64", "macos-aarch64"),
            ("macos", "x86_64", "macos-x64"),
            ("windows", "x86_64", "windows-x64"),
            ("windows", "aarch64", "windows-x64"),
        ] {
            assert_eq!(supported(os, arch, "").unwrap().to_string(), folder);
        }
    }

    #[test]
    fn others_are_told_their_package() {
        let text = |arch, release| supported("linux", arch, release).unwrap_err().to_string();
        let debian = text("aarch64", "NAME=x\nID=debian\n");
        assert!(debian.contains("Linux on aarch64"), "{debian}");
        assert!(debian.contains("`apt-get install chromium`"), "{debian}");
        assert!(text("aarch64", "ID=\"ubuntu\"\nID_LIKE=debian").contains("snap install"));
        assert!(text("aarch64", "ID=pop\nID_LIKE=\"ubuntu debian\"").contains("snap install"));
        assert!(text("aarch64", "ID=rocky\nID_LIKE=\"rhel centos fedora\"").contains("dnf"));
        assert!(text("x86_64", "ID=alpine").contains("apk add chromium"));
        assert!(text("riscv64", "").contains("package manager"));
        assert!(supported("freebsd", "x86_64", "").is_err());
    }
}
