use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

/// The moment by which a piece of work must be done. Carried by every command, so that no wait is
/// without an end and nested steps share one limit.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    end: Instant,
    budget: Duration,
}

/// The deadline passed before the work was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Timeout {}ms exceeded.", .0.as_millis())]
pub struct Elapsed(pub Duration);

impl Deadline {
    /// A deadline `budget` from now.
    pub fn after(budget: Duration) -> Self {
        Self {
            end: Instant::now() + budget,
            budget,
        }
    }

    /// A deadline `ms` milliseconds from now.
    pub fn ms(ms: u64) -> Self {
        Self::after(Duration::from_millis(ms))
    }

    /// The earlier of this deadline and one `budget` from now.
    pub fn at_most(self, budget: Duration) -> Self {
        let other = Self::after(budget);
        if other.end < self.end { other } else { self }
    }

    /// The whole time that was given, for messages.
    pub fn budget(self) -> Duration {
        self.budget
    }

    /// Time left; zero once passed.
    pub fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Whether the moment has passed.
    pub fn passed(self) -> bool {
        Instant::now() >= self.end
    }

    /// Runs `work` until it is done or the moment has come.
    pub async fn run<T>(self, work: impl Future<Output = T>) -> Result<T, Elapsed> {
        tokio::time::timeout_at(self.end, work)
            .await
            .map_err(|_| Elapsed(self.budget))
    }
}
