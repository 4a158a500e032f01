//! What a call means. Owns the normalised, immutable action and its identity; it does not know what the action would do.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    call::ToolCall,
    tool::{self, Meaning},
};

mod arguments;
mod canonical;

pub use crate::tool::FileOperation;
pub use arguments::{BadCall, Problem, files_of_patch, patched_text, shell_quoted};

/// A normalised call. Build it with [`Action::from_call`]; it never changes afterwards, and its [`digest`](Action::digest)
/// is what decisions and approvals are bound to.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What it is.
    pub kind: ActionKind,
    /// The call that it was made from, without the agent's words about it in the arguments.
    pub call: ToolCall,
    digest: [u8; 32],
}

/// What an action is.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// A shell command.
    Shell {
        /// JSON pointer of the command in the arguments.
        pointer: String,
        /// The command.
        command: String,
    },
    /// Code in another language.
    Code {
        /// JSON pointer of the code in the arguments.
        pointer: String,
        /// `python`, `javascript`, …
        language: String,
        /// The code.
        code: String,
    },
    /// A statement for a database.
    Query {
        /// JSON pointer of the statement in the arguments.
        pointer: String,
        /// The statement.
        statement: String,
    },
    /// Something done to a file.
    File {
        /// What.
        operation: FileOperation,
        /// JSON pointer of the path in the arguments.
        pointer: String,
        /// The path.
        path: String,
        /// The JSON pointer of what is written and the text itself, where something is written.
        content: Option<(String, String)>,
        /// Further files, where the call names several (a patch, a list of paths).
        others: Vec<OtherFile>,
    },
    /// A request.
    Http {
        /// JSON pointer of the URL in the arguments.
        pointer: String,
        /// The URL.
        url: String,
        /// The method in upper case; `GET` where none is given.
        method: String,
        /// The JSON pointer of the body and the body itself.
        body: Option<(String, String)>,
    },
    /// Any other tool.
    Tool,
}

/// A further file that a call names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OtherFile {
    /// What is done to it.
    pub operation: FileOperation,
    /// JSON pointer of its path in the arguments, or of the patch that names it.
    pub pointer: String,
    /// Its path.
    pub path: String,
}

impl Action {
    /// Gives a call its meaning. A tool that we do not know is always an action of the kind [`ActionKind::Tool`].
    ///
    /// What an agent says about its call inside the arguments (`security_risk`, `summary`, `thought`) moves to the call's
    /// own fields; it is never read as a command. An unknown tool keeps its `summary` and `thought`, which may be its own
    /// parameters.
    ///
    /// A tool whose name we know and whose arguments are not those of that tool is somebody else's tool of this name, and an action of the
    /// kind [`ActionKind::Tool`] too: `delete_file {"file_id": "13"}` deletes no file of this machine.
    ///
    /// # Errors
    /// [`BadCall`] where a call names more files than are judged at once.
    ///
    /// ```
    /// use portcullis_model::{action::Action, call::ToolCall};
    ///
    /// let action = Action::from_call(ToolCall::shell("ls -la")).unwrap();
    /// assert!(action.id().starts_with("sha256:"));
    ///
    /// let nothing = Action::from_call(ToolCall { tool: "bash".into(), ..ToolCall::default() }).unwrap();
    /// assert!(nothing.is_misnamed());
    /// ```
    pub fn from_call(mut call: ToolCall) -> Result<Self, BadCall> {
        let taken = arguments::take_words(&mut call);
        let kind = match arguments::kind(&call) {
            Ok(kind) => kind,
            Err(error @ BadCall { problem: Problem::TooManyFiles, .. }) => return Err(error),
            Err(_) => {
                call.arguments.extend(taken);
                ActionKind::Tool
            }
        };
        Ok(Self::new(kind, call))
    }

    /// As [`from_call`](Self::from_call), of an agent's own tool: its name is no accident, so arguments that it cannot have are a mistake.
    ///
    /// # Errors
    /// [`BadCall`] where a tool that we know lacks the argument it works on, or gives it a type that it cannot have.
    ///
    /// ```
    /// use portcullis_model::{action::Action, call::ToolCall};
    ///
    /// let nothing = ToolCall { tool: "bash".into(), ..ToolCall::default() };
    /// let error = Action::of_own_tool(nothing).unwrap_err();
    /// assert_eq!(error.to_string(), "`/command` is missing: the tool `bash` needs it");
    /// ```
    pub fn of_own_tool(mut call: ToolCall) -> Result<Self, BadCall> {
        arguments::take_words(&mut call);
        let kind = arguments::kind(&call)?;
        Ok(Self::new(kind, call))
    }

    fn new(kind: ActionKind, call: ToolCall) -> Self {
        let digest = Sha256::digest(canonical::bytes(&kind, &call)).into();
        Self { kind, call, digest }
    }

    /// Whether its tool has the name of one that we know, and arguments that are not that tool's.
    #[must_use]
    pub fn is_misnamed(&self) -> bool {
        self.kind == ActionKind::Tool
            && match tool::meaning(&self.call.tool) {
                Meaning::Git | Meaning::Other => false,
                Meaning::Shell => self.call.arguments.get("restart") != Some(&Value::Bool(true)),
                Meaning::Code(_)
                | Meaning::Query
                | Meaning::File(_)
                | Meaning::FileCommand
                | Meaning::Patch
                | Meaning::Http(_) => true,
            }
    }

    /// What a call of a registered tool does: it runs this program with these words, whatever the tool is called. The call keeps its name
    /// and arguments; both they and the command are in the digest.
    #[must_use]
    pub fn of_program(call: ToolCall, words: &[String]) -> Self {
        let command = words.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ");
        let kind = ActionKind::Shell { pointer: "/command".to_owned(), command };
        let mut bytes = canonical::bytes(&kind, &call);
        for word in words {
            canonical::part(&mut bytes, b'P', word.as_bytes());
        }
        Self { kind, call, digest: Sha256::digest(bytes).into() }
    }

    /// The SHA-256 of the canonical bytes: the tool, the meaning, every argument and the working directory.
    #[must_use]
    pub const fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The digest as `sha256:` and 64 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> String {
        format!("sha256:{}", data_encoding::HEXLOWER.encode(&self.digest))
    }
}

#[cfg(test)]
mod tests;
