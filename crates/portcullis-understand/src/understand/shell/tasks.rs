//! Tasks of a file that start others of the same file: `npm run a` in a script of the same package, `make b` in a recipe of the same makefile. Owns
//! which of them are running, so that none starts itself without an end.

use portcullis_syntax::Span;

use super::{files::File, walk::Walk};

/// How many tasks start each other.
const RUNNING: usize = 16;

impl Walk<'_> {
    /// As [`Walk::in_file`], for one task of the file, which may start another one of it.
    pub(crate) fn in_task<T>(
        &mut self,
        file: &File,
        task: &str,
        language: &'static str,
        span: Span,
        read: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let key = format!("{}\0{task}", file.path);
        if self.tasks.contains(&key) {
            return None;
        }
        if self.tasks.len() >= RUNNING {
            self.left_unread(span);
            return None;
        }
        self.tasks.push(key);
        let frames = std::mem::take(&mut self.frames);
        let result = self.in_file(file, language, span, read);
        self.frames = frames;
        self.tasks.pop();
        result
    }
}
