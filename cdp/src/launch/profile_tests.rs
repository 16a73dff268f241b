use super::super::machine::Os;
use super::super::machine::fake::FakeMachine;
use super::*;

/// A folder of the test's own, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("playguard-test-{name}-{:x}", random()));
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_workspace_folder() {
    let machine = FakeMachine::new(Os::Linux, &[("HOME", "/home/a")], &[]);
    let dir =
        |stock, confinement| workspace_dir("chrome", "abc", stock, confinement, &machine).unwrap();
    // SHA-256 of "abc" starts with ba7816bf (FIPS 180-2, B.1).
    assert_eq!(
        dir(false, None),
        "/home/a/.cache/playguard/profiles/chrome-ba7816b"
    );
    assert_eq!(
        dir(true, None),
        "/home/a/.cache/ms-playwright-mcp/mcp-chrome-ba7816b"
    );
    assert_eq!(
        dir(false, Some(Confinement::Snap)),
        "/home/a/snap/chromium/common/playguard/profiles/chrome-ba7816b"
    );
    let moved = FakeMachine::new(
        Os::Linux,
        &[("HOME", "/home/a"), ("PWMCP_PROFILES_DIR_FOR_TEST", "/t")],
        &[],
    );
    let stock = workspace_dir("msedge", "abc", true, None, &moved).unwrap();
    assert_eq!(stock, "/t/mcp-msedge-ba7816b");
    let windows = FakeMachine::new(Os::Windows, &[("LOCALAPPDATA", r"C:\L")], &[]);
    assert_eq!(
        workspace_dir("chrome", "abc", false, None, &windows).unwrap(),
        r"C:\L\playguard\profiles\chrome-ba7816b"
    );
    assert_eq!(
        workspace_dir("c", "", false, None, &FakeMachine::new(Os::Linux, &[], &[])),
        None
    );
}

#[test]
fn temporary_profiles_are_private_and_go_away() {
    let base = Scratch::new("temporary");
    let one = Profile::temporary(&base.0).unwrap();
    let two = Profile::temporary(&base.0).unwrap();
    assert_ne!(one.dir(), two.dir());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(one.dir()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
    let dir = one.dir().to_path_buf();
    std::fs::create_dir_all(dir.join("Default/Cache")).unwrap();
    one.remove().unwrap();
    assert!(!dir.exists());
    two.remove().unwrap();
}

#[cfg(unix)]
#[test]
fn the_sweep_takes_only_what_nobody_has() {
    let base = Scratch::new("sweep");
    let living = Profile::temporary(&base.0).unwrap();
    let stale = base.0.join(format!("{TEMPORARY_PREFIX}0001"));
    std::fs::create_dir(&stale).unwrap();
    std::fs::write(stale.join("playguard.lock"), "host").unwrap();
    let ownerless = base.0.join(format!("{TEMPORARY_PREFIX}0004"));
    std::fs::create_dir(&ownerless).unwrap();
    let files = base.0.join(format!("{SCRATCH_PREFIX}0005"));
    std::fs::create_dir(&files).unwrap();
    let newborn = base.0.join(format!("{TEMPORARY_PREFIX}0002"));
    std::fs::create_dir(&newborn).unwrap();
    let foreign = base.0.join("something-else");
    std::fs::create_dir(&foreign).unwrap();
    let elsewhere = base.0.join("target");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, base.0.join(format!("{TEMPORARY_PREFIX}0003"))).unwrap();

    let old = std::time::SystemTime::now() - 2 * STALE_AGE;
    for dir in [living.dir(), &stale, &ownerless, &files] {
        std::fs::File::open(dir).unwrap().set_modified(old).unwrap();
    }

    assert_eq!(sweep(&base.0), 3);
    assert!(!stale.exists() && !ownerless.exists() && !files.exists());
    for kept in [living.dir(), &newborn, &foreign, &elsewhere] {
        assert!(kept.exists(), "{}", kept.display());
    }
    assert_eq!(sweep(&base.0.join("absent")), 0);
}

#[cfg(unix)]
mod locks {
    use super::*;
    use std::os::unix::fs::symlink;

    fn this_host() -> String {
        let dir = Scratch::new("host");
        let profile = Profile::temporary(&dir.0).unwrap();
        std::fs::read_to_string(profile.dir().join("playguard.lock")).unwrap()
    }

    fn dead_pid() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    async fn open(dir: &Path) -> Result<Profile, ProfileError> {
        Profile::persistent(dir, Patience::default()).await
    }

    #[tokio::test]
    async fn one_server_at_a_time() {
        let scratch = Scratch::new("one");
        let dir = scratch.0.join("a/b");
        let profile = open(&dir).await.unwrap();
        assert!(profile.notices().is_empty());
        let error = open(&dir).await.unwrap_err();
        assert!(matches!(error, ProfileError::Busy { .. }));
        assert_eq!(
            error.to_string(),
            format!(
                "Browser is already in use for {}, use --isolated to run multiple instances of the same browser",
                dir.display()
            )
        );
        profile.remove().unwrap();
        assert!(dir.exists());
        open(&dir).await.unwrap();
    }

    #[tokio::test]
    async fn a_lock_of_a_dead_browser_is_removed_with_a_notice() {
        let dir = Scratch::new("dead");
        let lock = dir.0.join("SingletonLock");
        symlink(format!("{}-{}", this_host(), dead_pid()), &lock).unwrap();
        let profile = open(&dir.0).await.unwrap();
        assert_eq!(profile.notices().len(), 1);
        assert!(lock.symlink_metadata().is_err());
    }

    #[tokio::test]
    async fn a_pid_that_belongs_to_another_program_now_is_no_browser() {
        let dir = Scratch::new("reused");
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let lock = dir.0.join("SingletonLock");
        symlink(format!("{}-{}", this_host(), child.id()), lock).unwrap();
        let opened = open(&dir.0).await;
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(opened.unwrap().notices().len(), 1);
    }

    #[tokio::test]
    async fn a_living_browser_keeps_its_profile() {
        let dir = Scratch::new("living");
        let mut child = std::process::Command::new("sh")
            .args(["-c", "sleep 60; :", "chromium"])
            .arg(format!("--user-data-dir={}", dir.0.display()))
            .spawn()
            .unwrap();
        let lock = dir.0.join("SingletonLock");
        symlink(format!("{}-{}", this_host(), child.id()), &lock).unwrap();
        let opened = open(&dir.0).await;
        child.kill().unwrap();
        child.wait().unwrap();
        match opened.unwrap_err() {
            ProfileError::Busy { holder, .. } => assert_eq!(holder.pid, Some(child.id())),
            error => panic!("{error}"),
        }
        assert!(lock.symlink_metadata().is_ok());
    }

    #[tokio::test]
    async fn a_lock_from_another_host_is_respected_unless_our_server_there_is_gone() {
        let dir = Scratch::new("host");
        let lock = dir.0.join("SingletonLock");
        symlink("old-container-17", &lock).unwrap();
        assert!(matches!(open(&dir.0).await, Err(ProfileError::Busy { .. })));
        std::fs::write(dir.0.join("playguard.lock"), "old-container").unwrap();
        assert_eq!(open(&dir.0).await.unwrap().notices().len(), 1);
    }

    #[tokio::test]
    async fn patience_bridges_a_restart() {
        let dir = Scratch::new("patience");
        let profile = open(&dir.0).await.unwrap();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(250)).await;
            drop(profile);
        });
        let mut patience = Patience {
            limit: Duration::from_secs(5),
            for_servers: false,
        };
        // A server that lives may do so for hours.
        assert!(Profile::persistent(&dir.0, patience).await.is_err());
        patience.for_servers = true;
        Profile::persistent(&dir.0, patience).await.unwrap();
    }
}
