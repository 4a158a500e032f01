//! Surroundings in which something else holds: a file, a task, a project, a container, an environment. Owns what each of them puts aside
//! and how it is put back, innermost first.

use portcullis_syntax::Span;

use super::{sources::Frame, state::Mark, walk::Walk};
use crate::{
    effect::LayerId,
    programs::{found::File, host::Scope},
};

/// How many tasks start each other.
const RUNNING: usize = 16;

/// What surroundings put aside.
#[derive(Debug)]
pub(super) enum Around {
    /// A file: the layer around it.
    File(LayerId),
    /// A task of a file: the files that were being read.
    Task(Vec<Frame>),
    /// Files of a project.
    Project,
    /// A container.
    Container(Outside),
    /// An environment: what was known before.
    Environment(Mark),
}

/// What is outside of a container.
#[derive(Debug)]
pub(super) struct Outside {
    directory: Option<String>,
    mark: Mark,
    /// How many links there are.
    links: usize,
    /// Whether that is a container too.
    contained: bool,
}

impl Walk<'_> {
    /// Enters surroundings; `false` where that is not possible.
    pub(super) fn enter_scope(&mut self, scope: Scope<'_>) -> bool {
        let around = match scope {
            Scope::File { file, language, span } => {
                let part = self.words_of_program();
                return self.enter_part(file, part, language, span, false);
            }
            Scope::Task { file, task, language, span } => {
                return self.enter_task(file, task, language, span);
            }
            Scope::Project => {
                self.sources.begin(Frame::of_project(self.is_read_again()));
                Around::Project
            }
            Scope::Container => Around::Container(self.go_into_container()),
            Scope::Environment => Around::Environment(self.state.mark()),
        };
        self.sources.around.push(around);
        true
    }

    /// Leaves what was entered last.
    pub(super) fn leave_scope(&mut self) {
        match self.sources.around.pop() {
            Some(Around::File(layer)) => {
                self.recorder.layer = layer;
                if self.sources.end().is_some_and(|frame| frame.has_reserve) {
                    self.budget.end_reserve();
                }
                self.leave_level();
                // Nothing stands between a task and its file.
                if matches!(self.sources.around.last(), Some(Around::Task(_))) {
                    self.leave_scope();
                }
            }
            Some(Around::Task(frames)) => {
                self.sources.replace(frames);
                self.sources.tasks.pop();
            }
            Some(Around::Project) => {
                self.sources.end();
            }
            Some(Around::Container(outside)) => self.come_out_of_container(outside),
            Some(Around::Environment(mark)) => {
                self.state.roll_back(mark);
            }
            None => {}
        }
    }

    /// Looks for files of a project: what is left out in that is no word of the call, it is told and is no question.
    pub(super) fn in_project<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.enter_scope(Scope::Project);
        let result = read(self);
        self.leave_scope();
        result
    }

    /// Enters a task of a file that is not running yet, and in it the file anew: npm's `run a` in a script of the same package.
    fn enter_task(&mut self, file: &File, task: &str, language: &'static str, span: Span) -> bool {
        let key = format!("{}\0{task}", file.path);
        if self.sources.tasks.contains(&key) {
            return false;
        }
        if self.sources.tasks.len() >= RUNNING {
            self.left_unread(span);
            return false;
        }
        self.sources.tasks.push(key);
        let frames = self.sources.replace(Vec::new());
        self.sources.around.push(Around::Task(frames));
        let part = self.words_of_program();
        if self.enter_part(file, part, language, span, true) {
            return true;
        }
        self.leave_scope();
        false
    }

    fn go_into_container(&mut self) -> Outside {
        let outside = Outside {
            directory: self.directory().map(str::to_owned),
            mark: self.state.mark(),
            links: self.state.links(),
            contained: std::mem::replace(&mut self.recorder.contained, true),
        };
        self.state.forget_environment();
        self.go_to(Some("/".to_owned()));
        outside
    }

    fn come_out_of_container(&mut self, outside: Outside) {
        self.recorder.contained = outside.contained;
        self.state.roll_back(outside.mark);
        self.state.forget_links(outside.links);
        self.go_to(outside.directory);
    }
}
