//! `localStorage` and `sessionStorage` of a page's main document.

use serde_json::{Value, json};

use super::{Argument, Page, STEP, ScriptError};
use crate::connection::Deadline;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebStorage {
    /// Of an origin, kept.
    Local,
    /// Of an origin in one tab.
    Session,
}

impl WebStorage {
    /// As scripts call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "localStorage",
            Self::Session => "sessionStorage",
        }
    }
}

impl Page {
    /// All items, in the browser's order.
    ///
    /// # Errors
    /// The document has no storage (an opaque origin), or goes away.
    pub async fn storage_items(
        &self,
        area: WebStorage,
    ) -> Result<Vec<(String, String)>, ScriptError> {
        self.storage(area, "list", &[]).await
    }

    /// One item.
    ///
    /// # Errors
    /// As [`Self::storage_items`].
    pub async fn storage_get(
        &self,
        area: WebStorage,
        key: &str,
    ) -> Result<Option<String>, ScriptError> {
        self.storage(area, "get", &[key]).await
    }

    /// Sets an item.
    ///
    /// # Errors
    /// As [`Self::storage_items`], and when there is no room.
    pub async fn storage_set(
        &self,
        area: WebStorage,
        key: &str,
        value: &str,
    ) -> Result<(), ScriptError> {
        let _: Option<Value> = self.storage(area, "set", &[key, value]).await?;
        Ok(())
    }

    /// Removes an item.
    ///
    /// # Errors
    /// As [`Self::storage_items`].
    pub async fn storage_remove(&self, area: WebStorage, key: &str) -> Result<(), ScriptError> {
        let _: Option<Value> = self.storage(area, "remove", &[key]).await?;
        Ok(())
    }

    /// Removes all items.
    ///
    /// # Errors
    /// As [`Self::storage_items`].
    pub async fn storage_clear(&self, area: WebStorage) -> Result<(), ScriptError> {
        let _: Option<Value> = self.storage(area, "clear", &[]).await?;
        Ok(())
    }

    async fn storage<R: serde::de::DeserializeOwned>(
        &self,
        area: WebStorage,
        operation: &str,
        texts: &[&str],
    ) -> Result<R, ScriptError> {
        let (frame, _) = self.main_frame()?;
        let mut arguments = vec![
            Argument::Value(json!(area.name())),
            Argument::Value(json!(operation)),
        ];
        arguments.extend(texts.iter().map(|text| Argument::Value(json!(text))));
        self.agent(&frame, "storage", &arguments, Deadline::after(STEP))
            .await
    }
}
