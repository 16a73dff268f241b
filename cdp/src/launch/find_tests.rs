use super::super::machine::fake::FakeMachine;
use super::*;

const LINUX: &[(&str, &str)] = &[("HOME", "/home/a"), ("PATH", "/usr/local/bin:/usr/bin")];
const WINDOWS: &[(&str, &str)] = &[
    ("LOCALAPPDATA", r"C:\Users\a\AppData\Local"),
    ("PROGRAMFILES", r"C:\Program Files"),
    ("PROGRAMFILES(X86)", r"C:\Program Files (x86)"),
    ("PATH", r"C:\Windows;C:\tools"),
];

fn look(
    os: Os,
    vars: &[(&str, &str)],
    files: &[&str],
    wanted: Wanted<'_>,
) -> Result<String, NotFound> {
    let found = find(&wanted, &FakeMachine::new(os, vars, files))?;
    Ok(found.path.to_str().unwrap().to_owned())
}

fn channel(channel: Channel) -> Wanted<'static> {
    Wanted {
        channel: Some(channel),
        headless: true,
        ..Wanted::default()
    }
}

fn any() -> Wanted<'static> {
    Wanted {
        headless: true,
        ..Wanted::default()
    }
}

#[test]
fn channel_names() {
    for channel in Channel::ALL {
        assert_eq!(Channel::parse(channel.name()), Some(channel));
    }
    assert_eq!(
        Channel::parse("chrome-for-testing"),
        Some(Channel::Chromium)
    );
    assert_eq!(Channel::parse("firefox"), None);
}

#[test]
fn unasked_chrome_wins_over_chromium() {
    let files = ["/usr/bin/chromium", "/opt/google/chrome/chrome"];
    let found = look(Os::Linux, LINUX, &files, any()).unwrap();
    assert_eq!(found, "/opt/google/chrome/chrome");
}

#[test]
fn unasked_any_chromium_is_fine() {
    for file in [
        "/usr/bin/google-chrome",
        "/usr/bin/chromium",
        "/usr/local/bin/chromium-browser",
        "/usr/bin/chrome",
        "/usr/lib/chromium/chromium",
        "/snap/bin/chromium",
        "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
        "/home/a/.local/share/flatpak/exports/bin/com.google.Chrome",
        "/opt/microsoft/msedge/msedge",
        "/usr/bin/chromium-headless-shell",
        "/usr/bin/chrome-headless-shell",
    ] {
        assert_eq!(look(Os::Linux, LINUX, &[file], any()).unwrap(), file);
    }
}

#[test]
fn a_bare_path_is_no_obstacle() {
    let vars = [("HOME", "/home/a")];
    let found = look(Os::Linux, &vars, &["/usr/bin/chromium"], any()).unwrap();
    assert_eq!(found, "/usr/bin/chromium");
}

#[test]
fn a_named_channel_is_never_replaced() {
    let files = ["/usr/bin/chromium", "/opt/google/chrome/chrome"];
    let error = look(Os::Linux, LINUX, &files, channel(Channel::MsEdge)).unwrap_err();
    assert_eq!(
        error.tried,
        [
            "/opt/microsoft/msedge/msedge",
            "PATH: microsoft-edge-stable, microsoft-edge"
        ]
    );
    let text = error.to_string();
    assert!(
        text.contains("'msedge'") && text.contains("Microsoft"),
        "{text}"
    );
    let error = look(Os::Linux, LINUX, &files[..1], channel(Channel::Chrome)).unwrap_err();
    assert_eq!(
        error.stock_message(),
        "Chromium distribution 'chrome' is not found at /opt/google/chrome/chrome\n\
         Run \"npx playwright install chrome\""
    );
}

#[test]
fn the_newest_download_by_number_not_by_letter() {
    let files = [
        "/home/a/.cache/playguard/browsers/99.0.1.2/chrome-linux64/chrome",
        "/home/a/.cache/playguard/browsers/143.0.7499.40/chrome-linux64/chrome",
        "/home/a/.cache/playguard/browsers/.partial-144.0.0.0/chrome-linux64/chrome",
    ];
    assert_eq!(look(Os::Linux, LINUX, &files, any()).unwrap(), files[1]);
    let files = [
        "/home/a/.cache/ms-playwright/chromium-999/chrome-linux/chrome",
        "/home/a/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome",
        "/home/a/.cache/ms-playwright/chromium_headless_shell-1300/chrome-linux/headless_shell",
    ];
    assert_eq!(look(Os::Linux, LINUX, &files, any()).unwrap(), files[1]);
    assert_eq!(
        look(Os::Linux, LINUX, &files[2..], any()).unwrap(),
        files[2]
    );
}

#[test]
fn playwrights_folder_may_be_moved() {
    let vars = [("PLAYWRIGHT_BROWSERS_PATH", "/pw"), ("HOME", "/home/a")];
    let files = ["/pw/chromium-1200/chrome-linux/chrome"];
    let found = look(Os::Linux, &vars, &files, channel(Channel::Chromium)).unwrap();
    assert_eq!(found, files[0]);
}

#[test]
fn a_half_removed_download_is_passed_over() {
    let files = [
        "/home/a/.cache/ms-playwright/chromium-1300/INSTALLATION_COMPLETE",
        "/home/a/.cache/ms-playwright/chromium-1200/chrome-linux/chrome",
    ];
    assert_eq!(look(Os::Linux, LINUX, &files, any()).unwrap(), files[1]);
}

#[test]
fn a_headless_shell_only_without_a_window() {
    let files = ["/usr/bin/chromium-headless-shell"];
    assert!(look(Os::Linux, LINUX, &files, Wanted::default()).is_err());
    let found = find(&any(), &FakeMachine::new(Os::Linux, LINUX, &files)).unwrap();
    assert_eq!(found.kind, BrowserKind::HeadlessShell);
    let both = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
    assert_eq!(look(Os::Linux, LINUX, &both, any()).unwrap(), both[1]);
    let shell = Wanted {
        prefer_shell: true,
        ..any()
    };
    assert_eq!(look(Os::Linux, LINUX, &both, shell).unwrap(), both[0]);
}

#[test]
fn confined_programs_are_known() {
    let vars = [("HOME", "/home/a"), ("PATH", "/snap/bin:/usr/bin")];
    let snap = FakeMachine::new(Os::Linux, &vars, &["/snap/bin/chromium"]);
    let found = find(&any(), &snap).unwrap();
    assert_eq!(found.confinement, Some(Confinement::Snap));
    let stub = FakeMachine::new(
        Os::Linux,
        &vars,
        &["/snap/bin/chromium", "/usr/bin/chromium-browser"],
    );
    let found = find(&any(), &stub).unwrap();
    assert_eq!(found.path, Path::new("/usr/bin/chromium-browser"));
    assert_eq!(found.confinement, Some(Confinement::Snap));
    // A real package beside the snap wins.
    let both = FakeMachine::new(
        Os::Linux,
        &vars,
        &["/snap/bin/chromium", "/usr/bin/chromium"],
    );
    assert_eq!(find(&any(), &both).unwrap().confinement, None);
}

#[test]
fn macos_places() {
    let vars = [("HOME", "/Users/a"), ("PATH", "/usr/bin")];
    let chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    assert_eq!(look(Os::MacOs, &vars, &[chrome], any()).unwrap(), chrome);
    let mine = "/Users/a/Applications/Microsoft Edge Beta.app/Contents/MacOS/Microsoft Edge Beta";
    let found = look(Os::MacOs, &vars, &[mine], channel(Channel::MsEdgeBeta)).unwrap();
    assert_eq!(found, mine);
    let own = "/Users/a/Library/Caches/playguard/browsers/143.0.1.2/chrome-mac-arm64/\
               Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing";
    assert_eq!(look(Os::MacOs, &vars, &[own], any()).unwrap(), own);
}

#[test]
fn windows_places() {
    let chrome = r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe";
    assert_eq!(
        look(Os::Windows, WINDOWS, &[chrome], any()).unwrap(),
        chrome
    );
    let canary = r"C:\Users\a\AppData\Local\Google\Chrome SxS\Application\chrome.exe";
    let found = look(
        Os::Windows,
        WINDOWS,
        &[canary],
        channel(Channel::ChromeCanary),
    )
    .unwrap();
    assert_eq!(found, canary);
    let own = r"C:\Users\a\AppData\Local\playguard\browsers\143.0.1.2\chrome-win64\chrome.exe";
    assert_eq!(look(Os::Windows, WINDOWS, &[own], any()).unwrap(), own);
    let on_path = r"C:\tools\chrome.exe";
    assert_eq!(
        look(Os::Windows, WINDOWS, &[on_path], any()).unwrap(),
        on_path
    );
    let edge = r"C:\Program Files\Microsoft\Edge\Application\msedge.exe";
    assert_eq!(look(Os::Windows, WINDOWS, &[edge], any()).unwrap(), edge);
}

#[test]
fn a_path_is_taken_literally() {
    let missing = Wanted {
        executable: Some(Path::new("/nope/chrome")),
        ..any()
    };
    let error = look(Os::Linux, LINUX, &["/usr/bin/chromium"], missing).unwrap_err();
    assert_eq!(
        error.stock_message(),
        "Failed to launch chromium because executable doesn't exist at /nope/chrome"
    );
    assert!(error.to_string().starts_with(&error.stock_message()));
}

#[test]
fn what_is_there_but_no_program_is_named() {
    let mut machine = FakeMachine::new(Os::Linux, LINUX, &["/opt/x/chrome"]);
    machine.documents.insert("/etc/passwd".to_owned());
    for (path, what) in [
        (
            "/opt/x",
            "because /opt/x is a folder. Name the program in it",
        ),
        ("/etc/passwd", "because /etc/passwd is not executable. "),
        ("/opt/y", "because executable doesn't exist at /opt/y. "),
    ] {
        let wanted = Wanted {
            executable: Some(Path::new(path)),
            ..any()
        };
        let error = find(&wanted, &machine).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        // Upstream knows only one reason.
        assert!(error.stock_message().contains("doesn't exist"));
    }
}

#[test]
fn the_error_lists_every_place_once() {
    let error = look(Os::Linux, LINUX, &[], any()).unwrap_err();
    for place in [
        "/opt/google/chrome/chrome",
        "PATH: chromium, chromium-browser, chrome",
        "/home/a/.cache/playguard/browsers/<version>",
        "/home/a/.cache/ms-playwright/chromium-<version>",
        "/snap/bin/chromium",
    ] {
        let times = error.tried.iter().filter(|tried| *tried == place).count();
        assert_eq!(times, 1, "{place}");
    }
    let unique: std::collections::BTreeSet<&String> = error.tried.iter().collect();
    assert_eq!(unique.len(), error.tried.len());
    let text = error.to_string();
    assert!(error.tried.iter().all(|place| text.contains(place)));
    assert!(text.contains("install-browser") && text.contains("--executable-path"));
}
