//! The tools that a session has, as those who bring them describe them. Owns what of a description is kept and how much; what a tool
//! does, its contract says. A description is somebody's claim: it words a question and never answers one.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How many tools are kept of a session, and how many bytes of all of them.
const TOOLS: usize = 256;
const BYTES: usize = 96 << 10;

/// How many characters are kept of a description, and of every other text.
const DESCRIPTION: usize = 320;
const WORDS: usize = 120;

/// How many arguments are kept of a tool, and how deep they are read.
const ARGUMENTS: usize = 32;
const DEPTH: usize = 3;

/// Every tool that a session was told of.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Tools {
    list: Vec<ToolDefinition>,
    /// Whether there are more than are kept.
    is_cut: bool,
}

/// A tool as its server describes it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct ToolDefinition {
    /// Its name, as calls name it.
    pub name: String,
    /// The server that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The beginning of what it says about itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentDefinition>,
    /// What its server claims of it.
    pub claims: Claims,
}

/// One argument of a tool.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct ArgumentDefinition {
    /// Where it stands in the arguments: a JSON pointer, with `*` for the items of a list.
    pub pointer: String,
    /// The JSON type; `string` where none is said.
    pub kind: String,
    /// The format that the schema names: `uri`, `email`, `date-time`…
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The beginning of what is said about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether every call has it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_required: bool,
}

/// The annotations of the Model Context Protocol: what a server claims of its tool, each where it says so.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Claims {
    /// `readOnlyHint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Tools {
    /// None.
    pub const NONE: Self = Self { list: Vec::new(), is_cut: false };

    /// Whether the session was told of none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.is_cut
    }

    /// Every tool that is kept.
    #[must_use]
    pub fn as_slice(&self) -> &[ToolDefinition] {
        &self.list
    }

    /// Whether the session has more tools than are kept.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The tool that a call names, as its server calls it or as `mcp__server__tool`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&ToolDefinition> {
        self.list.iter().find(|tool| tool.name == name).or_else(|| {
            let (server, own) = name.strip_prefix("mcp__")?.split_once("__")?;
            let of_server = |tool: &&ToolDefinition| {
                tool.name == own && tool.server.as_deref().is_none_or(|known| known == server)
            };
            self.list.iter().find(of_server)
        })
    }

    /// Adds tools; one of the same name and server takes the place of the one before.
    pub fn learn(&mut self, tools: Vec<ToolDefinition>) {
        for tool in tools {
            self.list.retain(|known| known.name != tool.name || known.server != tool.server);
            self.list.push(tool);
        }
        let mut bytes = 0;
        let kept = self.list.iter().rev().take_while(|tool| {
            bytes += tool.size();
            bytes <= BYTES
        });
        let kept = kept.count().min(TOOLS);
        if kept < self.list.len() {
            self.is_cut = true;
            self.list.drain(..self.list.len() - kept);
        }
    }
}

impl ToolDefinition {
    /// Reads one tool of a `tools/list`, or one in the form of a model's interface (`function`, `parameters`, `input_schema`).
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let outer = value.as_object()?;
        let fields = outer.get("function").and_then(Value::as_object).unwrap_or(outer);
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let name = text("name").filter(|name| !name.trim().is_empty())?;
        let schema = ["inputSchema", "input_schema", "parameters"].iter();
        let schema = schema.filter_map(|name| fields.get(*name)).find_map(Value::as_object);
        let mut arguments = Vec::new();
        if let Some(schema) = schema {
            members(schema, "", DEPTH, &mut arguments);
        }
        let server = outer.get("server").or_else(|| fields.get("server")).and_then(Value::as_str);
        let claims = fields.get("annotations").and_then(Value::as_object);
        let claim =
            |name: &str| claims.and_then(|claims| claims.get(name)).and_then(Value::as_bool);
        Some(Self {
            name: beginning(name, WORDS),
            server: server.map(|server| beginning(server, WORDS)),
            description: beginning(text("description").unwrap_or_default(), DESCRIPTION),
            arguments,
            claims: Claims {
                read_only: claim("readOnlyHint"),
                destructive: claim("destructiveHint"),
                idempotent: claim("idempotentHint"),
                open_world: claim("openWorldHint"),
            },
        })
    }

    fn size(&self) -> usize {
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|it| it.pointer.len() + it.description.len() + 48);
        self.name.len() + self.description.len() + arguments.sum::<usize>() + 96
    }
}

/// The members of a schema's object, and of the objects in it.
fn members(
    schema: &Map<String, Value>,
    at: &str,
    depth: usize,
    found: &mut Vec<ArgumentDefinition>,
) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in properties {
        if found.len() >= ARGUMENTS {
            return;
        }
        let Some(property) = property.as_object() else { continue };
        let text = |name: &str| property.get(name).and_then(Value::as_str);
        let pointer = crate::pointer::to(at, name);
        found.push(ArgumentDefinition {
            kind: beginning(text("type").unwrap_or("string"), WORDS),
            format: text("format").map(|format| beginning(format, WORDS)),
            description: beginning(text("description").unwrap_or_default(), WORDS),
            is_required: required.is_some_and(|all| all.iter().any(|it| it == name)),
            pointer: pointer.clone(),
        });
        let Some(depth) = depth.checked_sub(1) else { continue };
        members(property, &pointer, depth, found);
        if let Some(items) = property.get("items").and_then(Value::as_object) {
            members(items, &format!("{pointer}/*"), depth, found);
        }
    }
}

fn beginning(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_read_in_every_form_and_found_by_every_name() {
        let schema = json!({"type": "object", "required": ["to"], "properties": {
            "to": {"type": "string", "format": "email"},
            "items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}},
        }});
        for value in [
            json!({"name": "send", "server": "mail", "inputSchema": schema}),
            json!({"name": "send", "server": "mail", "input_schema": schema}),
            json!({"type": "function", "server": "mail", "function": {"name": "send", "parameters": schema}}),
        ] {
            let mut tools = Tools::default();
            tools.learn(vec![ToolDefinition::read(&value).unwrap()]);
            for name in ["send", "mcp__mail__send"] {
                let tool = tools.find(name).unwrap();
                let pointers: Vec<_> = tool.arguments.iter().map(|it| &*it.pointer).collect();
                assert_eq!(pointers.len(), 3, "{pointers:?}");
                assert!(pointers.contains(&"/items/*/id"), "{pointers:?}");
                assert!(tool.arguments.iter().any(|it| it.is_required && it.pointer == "/to"));
            }
            assert!(tools.find("mcp__other__send").is_none());
        }
        assert!(ToolDefinition::read(&json!({"name": " "})).is_none());
    }

    #[test]
    fn memory_of_tools_is_bounded_and_says_so() {
        let tool = |number: usize| ToolDefinition {
            name: format!("tool_{number}"),
            description: "x".repeat(DESCRIPTION),
            ..ToolDefinition::default()
        };
        let mut tools = Tools::default();
        tools.learn((0..10).map(tool).collect());
        tools.learn((0..10).map(tool).collect());
        assert_eq!((tools.as_slice().len(), tools.is_cut()), (10, false));
        tools.learn((0..5_000).map(tool).collect());
        assert!(tools.is_cut() && tools.as_slice().len() <= TOOLS);
        assert!(serde_json::to_vec(&tools).unwrap().len() <= 2 * BYTES);
    }
}
