//! A request spread over pages as the screen has room for. Owns how far a person has read.

use crate::cli::approvals::page::{Page, Rows};

/// A page on the screen.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Sheet {
    pub(super) page: Option<Page>,
    pub(in super::super) rows: Rows,
    pub(super) width: usize,
    pub(in super::super) height: usize,
    pub(in super::super) top: usize,
    /// How many rows from the first on were on the screen.
    pub(super) seen: usize,
    pub(super) has_seen_all: bool,
}

impl Sheet {
    /// Puts another page in place; of one and the same request what was seen stays seen.
    pub(super) fn turn(&mut self, page: Page, is_same: bool) {
        if is_same && self.page.as_ref() == Some(&page) {
            return;
        }
        let is_known = is_same
            && self.has_seen_all
            && self.page.as_ref().is_some_and(|old| old.says_the_same(&page));
        let top = if is_same { self.top } else { 0 };
        *self = Self { page: Some(page), has_seen_all: is_known, top, ..Self::default() };
    }

    pub(super) fn fit(&mut self, width: usize, height: usize) {
        let Some(page) = &self.page else { return };
        if self.width != width {
            self.rows = page.rows(width);
            self.width = width;
            self.seen = 0;
        }
        self.height = height;
        self.top = self.top.min(self.rows.rows.len().saturating_sub(height));
        // What is scrolled to without what stands before it was not read.
        if self.top <= self.seen {
            self.seen = self.seen.max(self.top + height);
        }
        self.has_seen_all |= self.seen >= self.rows.needed;
    }

    /// How many rows of what would run were not on the screen yet.
    pub(super) fn unseen(&self) -> usize {
        if self.has_seen_all { 0 } else { self.rows.needed.saturating_sub(self.seen).max(1) }
    }

    pub(super) fn scroll(&mut self, by: isize) {
        let last = self.rows.rows.len().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// A screen on or back, with one row of the last.
    pub(super) fn turn_over(&mut self, by: isize) {
        let rows = isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1);
        self.scroll(by.saturating_mul(rows));
    }
}
