//! The kinds of things that servers list. Owns their words on the wire.

/// What a server lists.
#[derive(
    Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Tools.
    Tool,
    /// Prompts.
    Prompt,
    /// Resources by their address.
    Resource,
    /// Patterns of addresses of resources.
    Template,
}

impl Kind {
    /// Each of them.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Prompt, Self::Resource, Self::Template];

    /// The word for one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Template => "template",
        }
    }

    /// The method that lists them.
    #[must_use]
    pub const fn list(self) -> &'static str {
        match self {
            Self::Tool => "tools/list",
            Self::Prompt => "prompts/list",
            Self::Resource => "resources/list",
            Self::Template => "resources/templates/list",
        }
    }

    /// The member of a listing in which they stand.
    #[must_use]
    pub const fn members(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Prompt => "prompts",
            Self::Resource => "resources",
            Self::Template => "resourceTemplates",
        }
    }

    /// The capability of a server that has them.
    #[must_use]
    pub const fn capability(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Prompt => "prompts",
            Self::Resource | Self::Template => "resources",
        }
    }

    /// The member by which one is known.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tool | Self::Prompt => "name",
            Self::Resource => "uri",
            Self::Template => "uriTemplate",
        }
    }
}
