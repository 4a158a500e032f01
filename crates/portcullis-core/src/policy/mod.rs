//! What may go on. Owns the policy and its layers, and how they come to a decision; it does not know how a risk was found.
//!
//! The layers, in the order in which they are asked: explicit deny rules, floors, explicit ask rules, explicit allow rules
//! (the first of these that speaks decides; a rule that asks leaves a later denial standing), then the permission mode and the confirmation policy (the stricter of the two
//! decides; under `bypassPermissions` the mode alone).

use std::collections::BTreeMap;

use crate::{action::Action, assessment::ActionClass, risk::Severity, tool};

mod adjustment;
mod confirmation;
mod decide;
mod evidence;
mod floor;
mod mode;
pub mod rule;

pub use adjustment::{Adjustment, Change};
pub use confirmation::{ApprovalPolicy, Confirmation, NotAnApprovalPolicy, UnknownThreshold};
pub use decide::Subject;
pub use evidence::{Copy, Trial};
pub use floor::DEFAULT_FLOORS;
pub use mode::{BypassDisabled, DontAsk, Mode, NotAMode, Permissions, Standing};
pub use rule::{NoPattern, Rule, RuleError, TooWide, covered, narrow, proposed};

/// What a policy is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyOptions {
    /// The permission mode; `None` turns the layer off.
    pub mode: Option<Mode>,
    /// Keeps `bypassPermissions` out, for good.
    pub disable_bypass: bool,
    /// What the mode `dontAsk` means.
    pub dont_ask: DontAsk,
    /// The classes of tools by name, where they differ from the table or are not in it. For a tool that we understand
    /// a class can only be raised.
    pub classes: Vec<(String, ActionClass)>,
    /// Which risks need a person.
    pub confirmation: Confirmation,
    /// Rule ids, or beginnings of them that end with `.*`, that nobody can approve; beside [`DEFAULT_FLOORS`].
    pub floors: Vec<String>,
    /// What a person knows better about rules.
    pub adjustments: Vec<Adjustment>,
    /// Rules that allow.
    pub allow: Vec<Rule>,
    /// Rules that ask.
    pub ask: Vec<Rule>,
    /// Rules that deny.
    pub deny: Vec<Rule>,
    /// Up to which risk a person is not asked again about what they asked for by word and name; about everything where there is none.
    pub asked_for: Option<Severity>,
    /// Whether what a trial changed is taken over unasked, where nothing is left to be asked about it ([`Policy::settled_by_trial`]).
    pub commits_trials: bool,
    /// Up to which risk a person is not asked about what a copy brings back ([`Policy::settled_by_copy`]); about everything where there is none.
    pub undoable: Option<Severity>,
}

/// A policy, ready to decide.
///
/// ```
/// use portcullis_core::{
///     action::Action,
///     call::ToolCall,
///     decision::{Layer, Verdict},
///     facts::Facts,
///     gate::Gate,
///     policy::{Policy, PolicyOptions},
/// };
///
/// let policy = Policy::new(PolicyOptions {
///     deny: vec!["WebFetch(domain:*.example.com)".parse()?],
///     ..PolicyOptions::default()
/// });
/// let mut call = ToolCall { tool: "web_fetch".into(), ..ToolCall::default() };
/// call.arguments.insert("url".into(), "https://files.example.com/x".into());
///
/// let judgement = Gate::new(policy).judge(&Action::from_call(call)?, &Facts::default());
/// assert_eq!(judgement.decision.verdict, Verdict::Deny);
/// assert_eq!(judgement.decision.layer, Layer::DenyRule);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Policy {
    permissions: Permissions,
    dont_ask: DontAsk,
    classes: BTreeMap<String, ActionClass>,
    confirmation: Confirmation,
    floors: Vec<String>,
    adjustments: Vec<Adjustment>,
    allow: Vec<Rule>,
    ask: Vec<Rule>,
    deny: Vec<Rule>,
    asked_for: Option<Severity>,
    commits_trials: bool,
    undoable: Option<Severity>,
}

/// What a decision depends on beside the action and the policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Context {
    /// Whether somebody can answer. Where nobody can, what would ask is denied.
    pub can_ask: bool,
    /// A mode for this call alone, where the caller names one.
    pub mode: Option<Mode>,
    /// Whether the caller is an agent that asks its own person about its own tools: what a tool does that only the agent
    /// knows, an MCP server's for example, is then left to it. What can be read of such a call is judged all the same.
    pub agent_asks: bool,
}

impl Default for Context {
    fn default() -> Self {
        Self { can_ask: true, mode: None, agent_asks: false }
    }
}

impl Policy {
    /// A policy from its options. A mode of `bypassPermissions` with `disable_bypass` is `default`.
    #[must_use]
    pub fn new(options: PolicyOptions) -> Self {
        let PolicyOptions {
            mode,
            disable_bypass,
            dont_ask,
            classes,
            confirmation,
            floors,
            adjustments,
            allow,
            ask,
            deny,
            asked_for,
            commits_trials,
            undoable,
        } = options;
        Self {
            permissions: Permissions::new(mode, disable_bypass),
            dont_ask,
            classes: classes.into_iter().map(|(name, class)| (class_key(&name), class)).collect(),
            confirmation,
            floors,
            adjustments,
            allow,
            ask,
            deny,
            asked_for,
            commits_trials,
            undoable,
        }
    }

    /// The mode and its latch.
    #[must_use]
    pub const fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// Changes the mode.
    ///
    /// # Errors
    /// [`BypassDisabled`] for `bypassPermissions` where the policy disables it; the mode stays as it is.
    pub const fn enter(&mut self, mode: Mode) -> Result<(), BypassDisabled> {
        self.permissions.enter(mode)
    }

    /// Disables `bypassPermissions` for good.
    pub const fn disable_bypass(&mut self) {
        self.permissions.disable_bypass();
    }

    /// The options that make this policy again.
    #[must_use]
    pub fn options(&self) -> PolicyOptions {
        let Self {
            permissions,
            dont_ask,
            classes,
            confirmation,
            floors,
            adjustments,
            allow,
            ask,
            deny,
            asked_for,
            commits_trials,
            undoable,
        } = self;
        PolicyOptions {
            mode: permissions.mode(),
            disable_bypass: permissions.bypass_is_disabled(),
            dont_ask: *dont_ask,
            classes: classes.iter().map(|(name, class)| (name.clone(), *class)).collect(),
            confirmation: *confirmation,
            floors: floors.clone(),
            adjustments: adjustments.clone(),
            allow: allow.clone(),
            ask: ask.clone(),
            deny: deny.clone(),
            asked_for: *asked_for,
            commits_trials: *commits_trials,
            undoable: *undoable,
        }
    }

    /// The class of an action's tool: from the policy's own list, else from the table.
    #[must_use]
    pub fn tool_class(&self, action: &Action) -> ActionClass {
        let name = &action.call.tool;
        // Nearly no policy names classes of its own.
        let own = if self.classes.is_empty() { None } else { self.classes.get(&class_key(name)) };
        let by_name = || {
            if action.is_misnamed() { ActionClass::Unknown } else { tool::class(name) }
        };
        own.copied().unwrap_or_else(by_name)
    }
}

/// What two names of one tool have in common in [`PolicyOptions::classes`]. The names of MCP tools are told apart letter by
/// letter: their servers choose them.
#[must_use]
pub fn class_key(name: &str) -> String {
    if name.starts_with(tool::MCP_PREFIX) { name.to_owned() } else { tool::normalised(name) }
}

#[cfg(test)]
mod tests;
