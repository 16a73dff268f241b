//! The environment that the browser gets: ours, without secrets, with a UTF-8 locale.

use std::ffi::OsString;
use std::path::Path;

use super::machine::Os;

/// Parts of a name that mark a secret wherever they stand.
const SECRET_PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
];
/// Words of a name that mark a secret when they stand alone between underscores.
const SECRET_WORDS: &[&str] = &["KEY", "KEYS", "PAT"];
/// Programs whose settings the browser has no use for, and which may hold logins.
const SECRET_PREFIXES: &[&str] = &["FIGMA_", "JEV_", "PLAYGUARD_", "PLAYWRIGHT_MCP_"];

/// Whether a variable's name looks as if its value were a secret.
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_PREFIXES
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || SECRET_PARTS.iter().any(|part| name.contains(part))
        || name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| SECRET_WORDS.contains(&word))
}

/// The browser's environment, made from ours without what looks secret, or from what was `given`
/// for it, as it is. `language` is what its texts should be in,
/// `temporary` a folder for its temporary files instead of ours.
pub fn child_environment(
    given: Option<&[(String, String)]>,
    ours: impl Iterator<Item = (OsString, OsString)>,
    language: Option<&str>,
    temporary: Option<&Path>,
    os: Os,
) -> Vec<(OsString, OsString)> {
    let mut vars: Vec<(OsString, OsString)> = match given {
        Some(given) => (given.iter())
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        None => ours
            .filter(|(name, _)| !name.to_str().is_some_and(looks_secret))
            .collect(),
    };
    if let Some(folder) = temporary {
        set(&mut vars, "TMPDIR", folder);
    }
    if os == Os::Linux {
        make_utf8(&mut vars);
        if let Some(language) = language {
            set(&mut vars, "LANGUAGE", language.replace('-', "_"));
        }
    }
    vars
}

/// Without a UTF-8 locale, Chromium turns file names outside ASCII into question marks. Keeps the
/// language when there is one.
fn make_utf8(vars: &mut Vec<(OsString, OsString)>) {
    let effective = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| get(vars, name).filter(|value| !value.is_empty()))
        .unwrap_or_default()
        .to_owned();
    if is_utf8(&effective) {
        return;
    }
    let language = effective.split(['.', '@']).next().unwrap_or_default();
    if !matches!(language, "" | "C" | "POSIX") && get(vars, "LANGUAGE").is_none() {
        let language = language.to_owned();
        set(vars, "LANGUAGE", language);
    }
    set(vars, "LC_ALL", "C.UTF-8");
    set(vars, "LANG", "C.UTF-8");
}

fn is_utf8(locale: &str) -> bool {
    let charset = locale.split_once('.').map_or("", |(_, rest)| rest);
    let charset = charset.split('@').next().unwrap_or_default();
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

fn get<'v>(vars: &'v [(OsString, OsString)], name: &str) -> Option<&'v str> {
    vars.iter()
        .find(|(key, _)| key == name)
        .and_then(|(_, value)| value.to_str())
}

fn set(vars: &mut Vec<(OsString, OsString)>, name: &str, value: impl Into<OsString>) {
    vars.retain(|(key, _)| key != name);
    vars.push((name.into(), value.into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_replaces_ours() {
        let given = [("A_TOKEN".to_owned(), "1".to_owned())];
        let ours = [(OsString::from("B"), OsString::from("2"))];
        let made = child_environment(Some(&given), ours.into_iter(), None, None, Os::MacOs);
        assert_eq!(made, [(OsString::from("A_TOKEN"), OsString::from("1"))]);
    }

    fn made(vars: &[(&str, &str)], language: Option<&str>) -> Vec<(String, String)> {
        let vars = vars
            .iter()
            .map(|(k, v)| (OsString::from(k), OsString::from(v)));
        let mut made: Vec<(String, String)> =
            child_environment(None, vars, language, None, Os::Linux)
                .into_iter()
                .map(|(k, v)| (k.into_string().unwrap(), v.into_string().unwrap()))
                .collect();
        made.sort();
        made
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn secrets_by_name() {
        for name in [
            "ANTHROPIC_API_KEY",
            "AWS_ACCESS_KEY_ID",
            "GITHUB_TOKEN",
            "github_token",
            "NPM_TOKEN",
            "DB_PASSWORD",
            "client_secret",
            "FIGMA_FILE",
            "JEV_URL",
            "PLAYWRIGHT_MCP_CDP_HEADERS",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GH_PAT",
        ] {
            assert!(looks_secret(name), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "DISPLAY",
            "XAUTHORITY",
            "KEYBOARD_LAYOUT",
            "DBUS_SESSION_BUS_ADDRESS",
            "GNOME_KEYRING_CONTROL",
            "HTTPS_PROXY",
            "PATCH",
        ] {
            assert!(!looks_secret(name), "{name}");
        }
    }

    #[test]
    fn a_utf8_locale_stays() {
        let vars = [("LANG", "de_DE.UTF-8"), ("PATH", "/bin")];
        assert_eq!(made(&vars, None), pairs(&vars));
        let vars = [("LANG", "C"), ("LC_ALL", "en_US.utf8")];
        assert_eq!(made(&vars, None), pairs(&vars));
    }

    #[test]
    fn any_other_becomes_utf8() {
        let utf8 = pairs(&[("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8")]);
        assert_eq!(made(&[], None), utf8);
        assert_eq!(made(&[("LC_ALL", "POSIX")], None), utf8);
        assert_eq!(
            made(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")], None),
            utf8
        );
        assert_eq!(
            made(&[("LANG", "de_DE.ISO-8859-1@euro")], None),
            pairs(&[
                ("LANG", "C.UTF-8"),
                ("LANGUAGE", "de_DE"),
                ("LC_ALL", "C.UTF-8")
            ])
        );
    }

    #[test]
    fn a_temporary_folder_of_its_own() {
        let vars = [("LANG", "C.UTF-8"), ("TMPDIR", "/ours")];
        let vars = vars.map(|(name, value)| (name.into(), value.into()));
        let folder = Some(Path::new("/its"));
        let made = child_environment(None, vars.into_iter(), None, folder, Os::Linux);
        let tmpdirs: Vec<_> = made.iter().filter(|(name, _)| name == "TMPDIR").collect();
        assert_eq!(tmpdirs, [&("TMPDIR".into(), "/its".into())]);
    }

    #[test]
    fn language_on_linux_is_a_variable() {
        let vars = [("LANG", "C.UTF-8")];
        assert_eq!(
            made(&vars, Some("pt-BR")),
            pairs(&[("LANG", "C.UTF-8"), ("LANGUAGE", "pt_BR")])
        );
    }
}
