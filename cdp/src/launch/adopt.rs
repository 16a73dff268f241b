//! Being the first process of a container.
//!
//! The first process inherits every orphan, and the ended ones stay defunct until it has waited for
//! them. A browser's helpers are such orphans when their main process ends before them.

/// Waits for ended orphans for ever, if this process is the first one of its system or container;
/// else never does anything. To be run beside the server.
pub async fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if std::process::id() == 1 {
        linux::wait_for_orphans(std::time::Duration::from_secs(5)).await;
    }
    std::future::pending().await
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use rustix::process::{WaitOptions, waitpid};

    use super::super::procinfo;

    /// Looks for defunct children every so often. Whoever started a child itself waits for it at
    /// once, so only a child that is still defunct at the second look is an orphan: waiting for one
    /// of the others would take the result away from those who want it.
    pub(super) async fn wait_for_orphans(every: Duration) {
        let mut seen = BTreeSet::new();
        loop {
            tokio::time::sleep(every).await;
            let defunct: BTreeSet<u32> = procinfo::defunct_children().into_iter().collect();
            for pid in defunct.intersection(&seen) {
                if let Some(pid) = procinfo::as_pid(*pid) {
                    // Somebody else may have done it meanwhile.
                    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
                }
            }
            seen = defunct;
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[tokio::test]
        async fn an_orphan_does_not_stay_defunct() {
            // Stands in for being the first process.
            rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1)).unwrap();
            let output = tokio::process::Command::new("sh")
                .args(["-c", "sleep 0.1 >/dev/null & echo $!"])
                .output()
                .await
                .unwrap();
            let orphan: u32 = String::from_utf8(output.stdout)
                .unwrap()
                .trim()
                .parse()
                .unwrap();
            let give_up = tokio::time::Instant::now() + Duration::from_secs(10);
            while !procinfo::defunct_children().contains(&orphan) {
                assert!(
                    tokio::time::Instant::now() < give_up,
                    "it never became ours"
                );
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let looks = wait_for_orphans(Duration::from_millis(20));
            let _ = tokio::time::timeout(Duration::from_millis(500), looks).await;
            assert!(!procinfo::defunct_children().contains(&orphan));
        }
    }
}
