//! OpenClaw. Our plugin runs before each of its tools.

use crate::agents::{
    agent::{Agent, Servers, Tool},
    plugin,
    table::{Content, Entries, Install, Literal, Place, Plugin, Switch, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "openclaw",
    title: "OpenClaw",
    marks: &[&plugin::marks("openclaw")],
    hints: &[],
    lent: false,
    fields: plugin::FIELDS,
    events: plugin::EVENTS,
    other_events: &[],
    tools: &[
        Tool::own("exec").running_in(&["workdir"]),
        Tool::alias("bash", "exec").running_in(&["workdir"]),
        Tool::own("read"),
        Tool::own("write"),
        Tool::own("edit"),
        Tool::own("apply_patch").renaming(&[("input", "patch")]),
        Tool::own("web_fetch"),
        Tool::own("web_search"),
        Tool::alias("browser", "web_fetch").given("targetUrl").renaming(&[("targetUrl", "url")]),
        Tool::own("browser"),
    ],
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(own("openclaw.json"), ENABLED, Literal::Flag(false)),
        Switch::is(own("openclaw.json"), &["plugins", "enabled"], Literal::Flag(false)),
        Switch::names(own("openclaw.json"), &["plugins", "deny"]),
        Switch::lacks(own("openclaw.json"), &["plugins", "allow"]),
    ],
    afterwards: "restart its gateway; `openclaw plugins list` must show portcullis as loaded",
    ..Install::new(
        &[Trace::Program("openclaw"), Trace::Path(own(""))],
        &[
            Target::user(own("extensions/portcullis/index.js"), PLUGIN),
            Target::user(
                own("extensions/portcullis/package.json"),
                Content::Beside(include_str!("openclaw.package.json")),
            ),
            Target::user(
                own("extensions/portcullis/openclaw.plugin.json"),
                Content::Beside(include_str!("openclaw.plugin.json")),
            ),
            Target::user(
                own("openclaw.json"),
                Content::Entries(Entries::settings(&[(ENABLED, Literal::Flag(true))])),
            ),
        ],
    )
};

/// A plugin that nobody enabled is loaded by nothing.
const ENABLED: &[&str] = &["plugins", "entries", "portcullis", "enabled"];

const fn own(file: &'static str) -> Place {
    Place::variable("OPENCLAW_STATE_DIR", ".openclaw", file)
}

const PLUGIN: Content = Content::Plugin(Plugin {
    source: include_str!("openclaw.js"),
    harness: include_str!("openclaw.play.js"),
});
