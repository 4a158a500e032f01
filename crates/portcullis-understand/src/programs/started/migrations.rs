//! Statements that migrations send to a database: files of SQL, calls of a builder of queries, and operations of Django. Owns where each tool has them and
//! which part of one is for going back, which runs in no migration forward.

use portcullis_syntax::Span;

use super::{
    Starter, braces, project,
    spawned::{self, Call, Given},
};
use crate::{
    bound::Bounded as _,
    effect::Certainty,
    programs::{
        found::{File, Found},
        host::{Host, Unread},
        invocation::Invocation,
    },
    text::Text,
};

pub(super) static MIGRATIONS: Starter = Starter {
    programs: &[
        "dbmate",
        "diesel",
        "flyway",
        "goose",
        "knex",
        "migrate",
        "prisma",
        "sequelize",
        "sequelize-cli",
        "sqlx",
        "typeorm",
    ],
    start,
};

/// How many migrations are read, and how deep they lie.
const FILES: usize = 48;
const DEEP: usize = 3;

/// A tool: with which words it goes forward, where its migrations lie, and how their names end.
struct Tool {
    name: &'static str,
    verbs: &'static [&'static str],
    folders: &'static [&'static str],
    options: &'static [&'static str],
    endings: &'static [&'static str],
}

/// Their manuals: knexjs.org "Migrations", sequelize.org "Migrations", typeorm.io "Migrations", prisma.io "Migrate", flywaydb.org "Migrations", dbmate,
/// goose, golang-migrate, diesel.rs "Getting started", sqlx-cli.
const TOOLS: &[Tool] = &[
    Tool {
        name: "knex",
        verbs: &["migrate:latest", "migrate:up"],
        folders: &["migrations", "db/migrations", "src/migrations", "database/migrations"],
        options: &["--migrations-directory"],
        endings: &[".js", ".cjs", ".mjs", ".ts"],
    },
    Tool {
        name: "sequelize",
        verbs: &["db:migrate"],
        folders: &["migrations", "db/migrations", "src/migrations"],
        options: &["--migrations-path"],
        endings: &[".js", ".cjs", ".ts"],
    },
    Tool {
        name: "typeorm",
        verbs: &["migration:run", "migrations:run"],
        folders: &["migrations", "src/migrations", "src/migration", "migration"],
        options: &[],
        endings: &[".js", ".ts"],
    },
    Tool {
        name: "prisma",
        verbs: &["migrate"],
        folders: &["prisma/migrations"],
        options: &[],
        endings: &[".sql"],
    },
    Tool {
        name: "flyway",
        verbs: &["migrate"],
        folders: &["sql", "migrations", "db/migration", "src/main/resources/db/migration"],
        options: &["-locations"],
        endings: &[".sql"],
    },
    Tool {
        name: "dbmate",
        verbs: &["up", "migrate"],
        folders: &["db/migrations"],
        options: &["-d", "--migrations-dir"],
        endings: &[".sql"],
    },
    Tool {
        name: "goose",
        verbs: &["up", "up-by-one", "up-to"],
        folders: &["migrations", "db/migrations", "."],
        options: &["-dir"],
        endings: &[".sql"],
    },
    Tool {
        name: "migrate",
        verbs: &["up", "goto"],
        folders: &["migrations", "db/migrations"],
        options: &["-path", "-source"],
        endings: &[".up.sql"],
    },
    Tool {
        name: "diesel",
        verbs: &["migration", "setup", "database"],
        folders: &["migrations"],
        options: &["--migration-dir"],
        endings: &["up.sql"],
    },
    Tool {
        name: "sqlx",
        verbs: &["migrate"],
        folders: &["migrations"],
        options: &["--source"],
        endings: &[".sql"],
    },
];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let name = invocation.program.trim_end_matches("-cli");
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else { return };
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "--dry-run", "--create-only"])
        || !words.iter().any(|word| tool.verbs.contains(&word.as_str()))
        || words.iter().any(|word| {
            matches!(word.as_str(), "status" | "diff" | "info" | "down" | "redo" | "revert")
        })
    {
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let span = invocation.span;
    let mut folders: Vec<String> = project::options(&words, tool.options)
        .into_iter()
        .map(|it| it.trim_start_matches("filesystem:").trim_start_matches("file://").to_owned())
        .collect();
    // Where the settings say that they lie.
    if folders.is_empty() && name == "knex" {
        let names = ["knexfile.js", "knexfile.cjs", "knexfile.mjs", "knexfile.ts"];
        for file in project::all_in(walk, &root, &names) {
            let named = spawned::found(&file.text, &[("directory:", Given::Command)]);
            folders.extend(named.into_iter().flat_map(|it| it.words));
        }
    }
    folders.extend(tool.folders.iter().map(|it| (*it).to_owned()));
    folders.iter_mut().for_each(|it| *it = crate::paths::normal(&project::joined(&root, it)));
    folders.dedup();
    for folder in &folders {
        walk.look(folder);
    }
    let is_migration = |name: &str| {
        tool.endings.iter().any(|end| name.ends_with(end))
            && !name.ends_with(".d.ts")
            && !name.ends_with("down.sql")
    };
    let paths = walk.in_project(|walk| {
        let mut found = Vec::new();
        for folder in &folders {
            if matches!(walk.look(folder), Found::Directory(_)) {
                let deep = if folder == &root { 1 } else { DEEP };
                found.extend(project::below(walk, folder, deep, span, &is_migration));
            }
        }
        found.dedup();
        found.iter().at_most(FILES, &mut Unread(walk), span).cloned().collect::<Vec<_>>()
    });
    for path in &paths {
        walk.look(path);
    }
    for file in paths.iter().filter_map(|path| walk.look(path).file()).collect::<Vec<File>>() {
        match file.path.ends_with(".sql") {
            true => statements(walk, &file, span),
            false => built(walk, &file, span),
        }
    }
}

/// A file of statements, up to what takes them back: `-- migrate:down`, `-- +goose Down`.
fn statements(walk: &mut dyn Host, file: &File, span: Span) {
    let lower = file.text.to_ascii_lowercase();
    let end = ["-- migrate:down", "-- +goose down", "--rollback", "-- +migrate down"]
        .iter()
        .filter_map(|mark| lower.find(mark))
        .min();
    let text = file.text.get(..end.unwrap_or(file.text.len())).unwrap_or_default();
    walk.in_file(file, "sql", span, |walk| {
        walk.at_most(Certainty::Likely, |walk| {
            walk.query(&Text::known(text), Span::new(0, text.len()));
        });
    });
}

/// A migration in JavaScript without what takes it back, and the statements that it sends as texts.
fn built(walk: &mut dyn Host, file: &File, span: Span) {
    let mut text = braces::without_named("javascript", &file.text, "down");
    // What the migration itself made holds nothing yet.
    let made = spawned::found(&text, &[("createTable", Given::Command)]);
    let made: Vec<String> = made.into_iter().flat_map(|it| it.words).collect();
    let tables: &[Call] = &[("dropTable", Given::Command), ("dropTableIfExists", Given::Command)];
    for start in spawned::found(&text, tables) {
        let range = start.span().range();
        let is_own = !start.words.is_empty() && start.words.iter().all(|name| made.contains(name));
        if is_own && text.get(range.clone()).is_some_and(|it| it.is_ascii() && !it.contains('\n')) {
            text.replace_range(range.clone(), &" ".repeat(range.len()));
        }
    }
    let file = File { text: text.into(), ..file.clone() };
    let roots = walk.import_roots();
    walk.load_text_from(&roots, "javascript", &file, span);
    let calls: &[Call] =
        &[(".raw", Given::Command), (".query", Given::Command), (".sql", Given::Command)];
    sent(walk, &file, calls, span);
}

/// `migrations.RunSQL("…")`: what runs as the migration is applied; what takes it back stands behind it (docs.djangoproject.com, "Migration Operations").
pub(super) fn operations(walk: &mut dyn Host, file: &File, span: Span) {
    sent(walk, file, &[("RunSQL", Given::Command)], span);
}

/// Says the statements that calls in a file are given.
fn sent(walk: &mut dyn Host, file: &File, calls: &[Call], span: Span) {
    let found = spawned::found(&file.text, calls);
    walk.in_file(file, "sql", span, |walk| {
        for start in found.iter().at_most(FILES, &mut Unread(walk), span) {
            for statement in &start.words {
                let statement = Text::known(statement.as_str());
                walk.at_most(Certainty::Likely, |walk| walk.query(&statement, start.span()));
            }
        }
    });
}
