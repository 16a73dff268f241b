//! Showing how an installation gets on.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Who is told how an installation gets on.
pub trait Progress: Sync {
    /// What happens now, in words.
    fn stage(&self, text: &str);
    /// How many bytes there are to come, if that is known.
    fn length(&self, bytes: Option<u64>);
    /// So many more bytes have come.
    fn advance(&self, bytes: u64);
    /// All is done.
    fn done(&self);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str) {}
    fn length(&self, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
    fn done(&self) {}
}

/// A bar on stderr. Where stderr is not a terminal, nothing is drawn.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that starts to draw at once.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }
}

impl Default for Bar {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress for Bar {
    fn stage(&self, text: &str) {
        self.0.set_style(ProgressStyle::default_spinner());
        self.0.set_message(text.to_owned());
    }

    fn length(&self, bytes: Option<u64>) {
        let Some(bytes) = bytes else { return };
        let template = "{msg} [{bar:30}] {bytes}/{total_bytes} ({bytes_per_sec}, {eta} left)";
        // The default bar is as good should a template not be understood.
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        self.0.set_style(style);
        self.0.set_length(bytes);
        self.0.set_position(0);
    }

    fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    fn done(&self) {
        self.0.finish_and_clear();
    }
}
