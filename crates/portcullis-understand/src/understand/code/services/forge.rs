//! Clients of services that keep repositories. Owns how their methods are told as calls of `gh` and `glab`.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    DESTROYING,
    command::{DEPTH, kebab, known, written},
};
use crate::{
    programs::host::Host,
    text::{Taint, Text},
};

impl Interpreter<'_, '_, '_> {
    /// A repository's own service.
    pub(super) fn forge(
        &mut self,
        receiver: &str,
        method: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let name = kebab(method);
        if method == "request" {
            let said = given.first()?.value.text();
            // `DELETE /repos/${name}`: which one may not be known.
            let (verb, route) = said.known_prefix().split_once(' ')?;
            let route = route.trim().trim_start_matches('/');
            let mut words = known(&["gh", "api", "-X", verb]);
            words.push(said.beginning_with(route));
            // Each that the service itself listed.
            if matches!(verb, "PATCH" | "PUT")
                && (said.taint.has(Taint::NETWORK) || route.is_empty())
                && self.is_repeated(span)
            {
                self.walk.note("service.records.changed", span);
            }
            if let Some(body) = given.get(1) {
                words.push(Text::known("-f"));
                words.push(written(&body.value, DEPTH));
            }
            self.tell(words, span);
            return None;
        }
        let option = |name: &str| {
            let given = given.iter().find_map(|given| given.value.entry(name));
            given.and_then(|value| value.as_known().map(str::to_owned))
        };
        match name.as_str() {
            "create-workflow-dispatch" | "create-dispatch" => {
                let workflow = option("workflow_id").unwrap_or_else(|| "a workflow".to_owned());
                self.tell(known(&["gh", "workflow", "run", workflow.as_str()]), span);
                return None;
            }
            "create-or-update-file-contents" => {
                let path = option("path").unwrap_or_default();
                let route = format!("repos/owner/repository/contents/{path}");
                self.tell(known(&["gh", "api", "-X", "PUT", route.as_str()]), span);
                return None;
            }
            _ => {}
        }
        // What pipelines are told in secret: `project.variables.list()`.
        if matches!(name.as_str(), "list" | "get") && receiver.ends_with(".variables") {
            return Some(self.stored_secret(&["glab", "variable", "export"], span));
        }
        if !name.split('-').next().is_some_and(|verb| DESTROYING.contains(&verb)) {
            return None;
        }
        let repository = receiver.ends_with("get_repo()")
            || receiver.ends_with(".repos")
            || receiver.ends_with("projects")
            || receiver.ends_with("projects.get()");
        if name == "delete" && repository {
            self.tell(known(&["gh", "repo", "delete", "owner/repository"]), span);
        } else if !name.split('-').any(|noun| {
            matches!(noun, "comment" | "reaction" | "label" | "labels" | "assignees" | "reviewers")
        }) {
            let route = format!("/{}", name.replace('-', "/"));
            self.tell(known(&["gh", "api", "-X", "DELETE", route.as_str()]), span);
        }
        None
    }
}
