//! dbt: statements that a project has its database run around a build (docs.getdbt.com, "on-run-start & on-run-end", "pre-hook & post-hook"). Owns where they
//! stand; what a statement does is judged as that of any client.

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

pub(super) static DBT: Starter = Starter { programs: &["dbt", "dbtf"], start };

/// How many statements of one project are followed.
const STATEMENTS: usize = 64;

/// Names that statements stand behind; settings of dbt's own have a `+` before them.
const HOOKS: &[&str] =
    &["on-run-start", "on-run-end", "pre-hook", "post-hook", "pre_hook", "post_hook"];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands =
        project::operands(&words, &["--project-dir", "--profiles-dir", "--target", "-t"]);
    let runs = ["build", "run", "seed", "snapshot", "test", "retry", "clone", "run-operation"];
    if project::has(&words, &["--help", "-h", "--version"])
        || !operands.first().is_some_and(|verb| runs.contains(verb))
    {
        return;
    }
    let place = project::option(&words, &["--project-dir"]).map(str::to_owned);
    project::in_directory(walk, place.as_deref(), |walk| {
        let Some(file) = project::nearest(walk, &["dbt_project.yml"]) else { return };
        walk.in_file(&file, "dbt", invocation.span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let Some(root) = tree.root() else { return };
            let mut found: Vec<(String, Span)> = Vec::new();
            root.visit(&mut |node| {
                for (name, hook) in node.entries() {
                    if !HOOKS.contains(&name.trim_start_matches('+')) {
                        continue;
                    }
                    for one in hook.each() {
                        let text = one.text().or_else(|| one.text_of("sql"));
                        found.extend(text.map(|text| (text.to_owned(), one.span)));
                    }
                }
            });
            for (statement, span) in found.iter().at_most(STATEMENTS, walk, invocation.span) {
                walk.at_most(Certainty::Likely, |walk| {
                    let statement = Text::known(statement.as_str());
                    walk.run(
                        &project::arguments(&["psql", "-c"], *span)
                            .into_iter()
                            .chain([crate::effect::Argument { text: statement, span: *span }])
                            .collect::<Vec<_>>(),
                        None,
                    )
                });
            }
        });
    });
}
