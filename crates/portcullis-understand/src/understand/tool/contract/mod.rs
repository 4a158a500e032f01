//! Which contract a call has: the table that comes with the gate, what the organisation says, else what can be derived of names,
//! description and schema. Owns the order of these sources and what the arguments of a call do to each; it reads no text that is run.
//!
//! What a server says of its own tool can only make a call stricter where the name of the tool can be read.

mod shipped;

use super::name;
use crate::{
    call::ToolCall,
    contract::{Act, ArgumentMeaning, Class, Contract, Meaning, Reach, Source},
    facts::Facts,
    session::ToolDefinition,
    tool,
    understand::meaning::{
        self,
        arguments::{self, Arguments, Hints},
        derive, key,
    },
};

pub use shipped::{Server, servers};

/// What a call does by its contract.
pub(super) struct Found {
    pub(super) act: Act,
    /// Whether more stands in the arguments than was read.
    pub(super) is_cut: bool,
}

/// The contract of a tool, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The contract.
    pub contract: Contract,
    /// Where it comes from.
    pub source: Source,
}

/// What a call does by the contract of its tool; `None` where nothing says what it does.
pub(super) fn of_call(call: &ToolCall, facts: &Facts) -> Option<Found> {
    let definition = facts.session.tools().find(&call.tool);
    let names = Names::new(&call.tool, definition.and_then(|it| it.server.as_deref()));
    let fixed = names.fixed(facts, definition);
    let mut given = arguments::read(&call.arguments, fixed.as_ref().map(|it| &it.contract));
    let known = match fixed {
        Some(known) => known,
        None => {
            let contract = names
                .derived(definition, &given.hints, facts.tool.is_trusted)
                .or_else(|| names.operated(&given))?;
            if !contract.arguments.is_empty() {
                given = arguments::read(&call.arguments, Some(&contract));
            }
            Known { contract, source: Source::Derived }
        }
    };
    let Known { contract, source } = known;
    let contract = names.with_arguments(contract, source, &given);
    let Arguments { values, hints: _, is_cut, within: _ } = given;
    Some(Found { act: Act { contract, source, values }, is_cut })
}

/// The contract of a tool whose calls give nothing out of the ordinary, as far as it is known before a call.
///
/// ```
/// use portcullis_core::{contract::{Class, Source}, session::ToolDefinition, understand};
///
/// let tool = ToolDefinition { name: "delete_customer".into(), ..ToolDefinition::default() };
/// let known = understand::contract_of(&tool, None, false).unwrap();
/// assert_eq!((known.contract.class, known.source), (Class::Delete, Source::Derived));
/// ```
#[must_use]
pub fn of_tool(
    tool: &ToolDefinition,
    organisation: Option<&Contract>,
    is_trusted: bool,
) -> Option<Known> {
    let names = Names::new(&tool.name, tool.server.as_deref());
    let facts = Facts {
        tool: crate::facts::ToolFacts { contract: organisation.cloned(), is_trusted },
        ..Facts::default()
    };
    names.fixed(&facts, Some(tool)).or_else(|| {
        let contract = names.derived(Some(tool), &Hints::default(), is_trusted)?;
        Some(Known { contract, source: Source::Derived })
    })
}

/// The words of a tool's name and of its server's.
struct Names {
    own: Vec<String>,
    server: Vec<String>,
}

impl Names {
    fn new(tool: &str, server: Option<&str>) -> Self {
        let name = name::Name::new(tool);
        let own = name.own_words().to_vec();
        let served = name.server_words().to_vec();
        let server = match server {
            Some(server) if served.is_empty() => meaning::words(meaning::beginning(server)),
            _ => served,
        };
        Self { own, server }
    }

    /// What depends on what the tool says of itself only where that is worse than what is known of its name.
    fn fixed(&self, facts: &Facts, definition: Option<&ToolDefinition>) -> Option<Known> {
        let shipped = shipped::find(&self.server, &self.own)
            .map(|contract| Known { contract, source: Source::Shipped })
            .map(|known| match definition.filter(|_| !facts.tool.is_trusted) {
                Some(definition) => admitted(known, definition),
                None => known,
            });
        let own = facts
            .tool
            .contract
            .clone()
            .map(|contract| Known { contract, source: Source::Organisation });
        match (shipped, own) {
            // What the organisation says can only be stricter than what is known of a server.
            (Some(shipped), Some(own)) => {
                Some(if own.contract.class > shipped.contract.class { own } else { shipped })
            }
            (shipped, own) => shipped.or(own),
        }
    }

    /// What names, description, schema and the arguments of a call say together.
    fn derived(
        &self,
        definition: Option<&ToolDefinition>,
        hints: &Hints,
        is_trusted: bool,
    ) -> Option<Contract> {
        let mut hints = *hints;
        let mut meanings = Vec::new();
        for argument in definition.into_iter().flat_map(|it| &it.arguments) {
            let name = argument.pointer.rsplit('/').find(|part| *part != "*").unwrap_or_default();
            let meaning = arguments::of_schema(name, &argument.kind, argument.format.as_deref());
            hints.expect(meaning);
            if meaning != arguments::of_name(name) {
                meanings.push(ArgumentMeaning { pointer: argument.pointer.clone(), meaning });
            }
        }
        let by_name = derive::of_name(&self.own, &self.server, &hints);
        let described = definition.and_then(|it| derive::of_description(&it.description, &hints));
        let by_arguments = by_arguments(&hints);
        let claims = definition.map(|it| it.claims).unwrap_or_default();
        let claimed = (is_trusted && claims.read_only == Some(true)).then(Contract::default);
        let mut contract = match (by_name, described) {
            (Some(named), Some(described)) => derive::stricter(named, described),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => by_arguments.or_else(|| claimed.clone())?,
        };
        if contract.class == Class::Read && claims.read_only == Some(false) {
            contract.class = Class::Change;
        }
        if contract.class == Class::Change {
            contract.reversible &= claims.destructive != Some(true);
            // The operator vouches for the server.
            if let Some(claimed) = claimed {
                contract = claimed;
            }
        }
        if claims.open_world == Some(true) && contract.class == Class::Read {
            contract.reach = contract.reach.max(Reach::Outward);
        }
        contract.arguments = meanings;
        Some(contract)
    }

    /// What a tool does by the operation that its call names: `calendar {"action": "delete"}`.
    fn operated(&self, given: &Arguments) -> Option<Contract> {
        let operations = given.values.iter().filter(|it| it.meaning == Meaning::Operation);
        let said =
            operations.filter_map(|it| derive::of_operation(&it.text, &self.own, &given.hints));
        said.reduce(derive::stricter)
    }

    /// What the arguments of a call make of a contract: the strictest of what they say.
    fn with_arguments(&self, contract: Contract, source: Source, given: &Arguments) -> Contract {
        let hints = &given.hints;
        let mut contract = contract;
        for value in &given.values {
            let Some(said) = (value.meaning == Meaning::Operation)
                .then(|| derive::of_operation(&value.text, &self.own, hints))
                .flatten()
            else {
                continue;
            };
            if source == Source::Derived {
                contract = keep_arguments(contract, |contract| derive::stricter(contract, said));
            } else if contract.class == Class::Execute
                && contract.meaning(&value.pointer) == Some(Meaning::Operation)
            {
                // What such a tool does is what this argument says.
                contract.class = said.class;
                contract.reversible = said.reversible;
            }
        }
        if hints.rehearses && contract.class != Class::Pay {
            contract.class = Class::Read;
            contract.reversible = true;
            return contract;
        }
        // `export_contacts {"destination": "https://…"}`: what is read goes there.
        if contract.class <= Class::Change && hints.leaves && source == Source::Derived {
            contract.class = Class::Send;
            contract.reach = Reach::Outward;
            contract.reversible = false;
            return contract;
        }
        if contract.class == Class::Change {
            contract.class = self.class_of_change(given);
            if contract.class != Class::Change {
                contract.reversible = false;
                contract.reach = contract.reach.max(Reach::People);
            }
        }
        contract
    }

    fn class_of_change(&self, given: &Arguments) -> Class {
        const MEETINGS: &[&str] =
            &["appointment", "calendar", "event", "events", "meeting", "meetings"];
        let hints = &given.hints;
        let has = |names: &[&str]| {
            given.values.iter().any(|value| {
                let name = value.pointer.split('/').nth(1).unwrap_or_default();
                names.contains(&key::plain(name).as_str())
            })
        };
        let gathers = self.own.iter().any(|word| MEETINGS.contains(&word.as_str()));
        let opens = |words: &[String]| {
            words.iter().any(|word| matches!(word.as_str(), "disarm" | "off" | "open" | "unlock"))
        };
        if hints.amount && hints.account {
            Class::Pay
        } else if hints.guards && (hints.lowers || hints.opens || opens(&self.own)) {
            Class::Lower
        } else if hints.public {
            Class::Publish
        } else if has(&["sharewith", "sharedwith", "collaborators"])
            || hints.recipient
                && given.values.iter().any(|value| value.meaning == Meaning::Permission)
        {
            Class::Share
        } else if gathers && has(&["attendees", "guests", "invitees", "participants"]) {
            Class::Send
        } else {
            Class::Change
        }
    }
}

/// A shipped contract beside what the tool says of itself. A server is known by the name that it has in somebody's settings, and whoever has that name may be
/// another one: a tool that says of itself that it deletes, pays, shares or the like is no reader, whatever it is called.
fn admitted(known: Known, definition: &ToolDefinition) -> Known {
    let described = derive::of_description(&definition.description, &Hints::default());
    match described {
        Some(described)
            if described.class >= Class::Delete && described.class > known.contract.class =>
        {
            let contract = keep_arguments(known.contract, |shipped| Contract {
                class: described.class,
                reach: shipped.reach.max(described.reach),
                reversible: shipped.reversible && described.reversible,
                ..shipped
            });
            Known { contract, source: Source::Derived }
        }
        _ => known,
    }
}

/// What arguments say of a tool whose name says nothing.
fn by_arguments(hints: &Hints) -> Option<Contract> {
    let class = if hints.amount && (hints.account || hints.recipient) {
        Class::Pay
    } else if hints.recipient && hints.text {
        Class::Send
    } else {
        return None;
    };
    Some(Contract { class, reach: Reach::People, foreign: true, ..Contract::default() })
}

fn keep_arguments(mut contract: Contract, with: impl FnOnce(Contract) -> Contract) -> Contract {
    let arguments = std::mem::take(&mut contract.arguments);
    Contract { arguments, ..with(contract) }
}

/// Whether a call names a tool that we know by its name alone, and that is no shell, file, query or request.
pub(super) fn is_own(call: &ToolCall) -> bool {
    tool::meaning(&call.tool) == tool::Meaning::Other
        && tool::class(&call.tool) != crate::assessment::ActionClass::Unknown
}
