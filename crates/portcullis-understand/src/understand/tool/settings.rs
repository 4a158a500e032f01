//! The tool by which Claude Code changes its own settings (`Config`). Owns which of them say nothing of what it may do.

use serde_json::Value;

use super::{Reader, Spot};
use crate::{
    call::ToolCall,
    effect::{Argument, WriteMode},
    text::Text,
};

/// The tool.
const TOOL: &str = "Config";

/// The file that it writes.
const FILE: &str = "~/.claude/settings.json";

/// Settings of how it looks, sounds and thinks, without case; any other may say what it may do.
const LOOKS: &[&str] = &[
    "alwaysthinkingenabled",
    "autocompactenabled",
    "autoconnectide",
    "autoinstallideextension",
    "automemoryenabled",
    "diffenabled",
    "difftool",
    "editormode",
    "filecheckpointingenabled",
    "language",
    "messageidlenotifthresholdms",
    "model",
    "notifchannel",
    "preferrednotifchannel",
    "prefersreducedmotion",
    "showturnduration",
    "spinnertipsenabled",
    "terminalprogressbarenabled",
    "theme",
    "todofeatureenabled",
    "verbose",
];

impl Reader<'_, '_> {
    /// A setting that is given a value is written to the agent's own file.
    pub(super) fn settings(&mut self, call: &ToolCall) {
        let members = &call.arguments;
        let Some(setting) = members.get("setting").and_then(Value::as_str) else { return };
        let value = members.get("value").filter(|value| !value.is_null());
        let is_looks = LOOKS.contains(&setting.to_ascii_lowercase().as_str());
        let (Some(value), false) = (value.filter(|_| call.tool == TOOL), is_looks) else { return };
        if Spot::Argument("/setting".to_owned()).open(self.walk, setting).is_some() {
            let file = Argument { text: Text::known(FILE), ..self.walk.whole(setting) };
            let content = serde_json::json!({ setting: value }).to_string();
            self.walk.write(&file, WriteMode::Edit, Text::known(content));
        }
    }
}
