//! What an agent is told about security in its system prompt. Owns the built-in text and how a text of one's own is made; nothing that
//! stands there changes what is decided.

use minijinja::{Environment, UndefinedBehavior, context, syntax::SyntaxConfig};

use crate::policy::Mode;

/// The text where nobody gives another one.
pub const BUILT_IN: &str = include_str!("security_policy.j2");

/// The most bytes of a template.
pub const LONGEST: usize = 64 << 10;

/// How many steps a template may take, so that loops inside loops end.
const FUEL: u64 = 100_000;

/// The most bytes that a template may come to.
const LONGEST_TEXT: usize = 256 << 10;

/// Which text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Template {
    /// The built-in one.
    #[default]
    BuiltIn,
    /// None: the agent is told nothing.
    Removed,
    /// One of somebody's own.
    Own(String),
}

/// What a template can speak of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Situation {
    /// `mode`: the permission mode in force, or nothing.
    pub mode: Option<Mode>,
    /// `confirmation`: which risks are asked about, in words.
    pub confirmation: String,
    /// `inline_assessment`: whether the model is asked for a `security_risk` with each call.
    pub inline_assessment: bool,
    /// `guardian`: whether a reviewing model answers for a person.
    pub guardian: bool,
    /// `floors`: the rules that nobody can approve.
    pub floors: Vec<String>,
}

/// Why no text came of a template.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// It is longer than any prompt should be.
    #[error("the template is longer than {LONGEST} bytes")]
    TooLong,
    /// It is no template, or speaks of something that is not there.
    #[error("line {line}: {message}")]
    Wrong {
        /// The line, from 1; 0 where none can be named.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// It goes on and on.
    #[error("the template does not come to an end, or comes to more than {LONGEST_TEXT} bytes")]
    Endless,
}

impl Template {
    /// The effective text; `None` where it is removed.
    ///
    /// # Errors
    /// [`TemplateError`]. A name that is not defined is an error, never an empty text.
    pub fn render(&self, situation: &Situation) -> Result<Option<String>, TemplateError> {
        let text = match self {
            Self::BuiltIn => BUILT_IN,
            Self::Removed => return Ok(None),
            Self::Own(text) => text,
        };
        if text.len() > LONGEST {
            return Err(TemplateError::TooLong);
        }
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_syntax(syntax()?);
        environment.set_fuel(Some(FUEL));
        let Situation { mode, confirmation, inline_assessment, guardian, floors } = situation;
        let rendered = environment.render_str(
            text,
            context! {
                mode => mode.map(Mode::name),
                confirmation => confirmation.as_str(),
                inline_assessment => *inline_assessment,
                guardian => *guardian,
                floors => floors.clone(),
            },
        );
        match rendered {
            Ok(text) if text.len() > LONGEST_TEXT => Err(TemplateError::Endless),
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == minijinja::ErrorKind::OutOfFuel => {
                Err(TemplateError::Endless)
            }
            Err(error) => Err(wrong(&error)),
        }
    }
}

/// Lines that hold nothing but a block leave no line behind.
fn syntax() -> Result<SyntaxConfig, TemplateError> {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .map_err(|error| wrong(&error))
}

fn wrong(error: &minijinja::Error) -> TemplateError {
    let message = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    TemplateError::Wrong { line: error.line().unwrap_or(0), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation() -> Situation {
        Situation {
            mode: Some(Mode::AcceptEdits),
            confirmation: "asks at high risk and above".to_owned(),
            inline_assessment: true,
            guardian: false,
            floors: vec!["a.b".to_owned(), "c.*".to_owned()],
        }
    }

    fn rendered(text: &str) -> Result<Option<String>, TemplateError> {
        Template::Own(text.to_owned()).render(&situation())
    }

    #[test]
    fn the_built_in_text_speaks_of_what_holds() {
        let text = Template::BuiltIn.render(&situation()).unwrap().unwrap();
        for part in ["acceptEdits", "asks at high risk and above", "security_risk", "`c.*`"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let quiet = Situation {
            mode: None,
            inline_assessment: false,
            guardian: true,
            floors: Vec::new(),
            ..situation()
        };
        let text = Template::BuiltIn.render(&quiet).unwrap().unwrap();
        assert!(!text.contains("security_risk") && text.contains("another model"), "{text}");
        assert!(!text.contains("\n\n\n") && !text.contains("{%"), "{text}");
    }

    #[test]
    fn a_text_of_ones_own_replaces_it_and_an_empty_one_is_empty() {
        assert_eq!(rendered("mode {{ mode }}\n").unwrap().unwrap(), "mode acceptEdits\n");
        assert_eq!(rendered("").unwrap().unwrap(), "");
        assert_eq!(Template::Removed.render(&situation()), Ok(None));
        let floors = "{% for floor in floors %}{{ floor }};{% endfor %}";
        assert_eq!(rendered(floors).unwrap().unwrap(), "a.b;c.*;");
    }

    #[test]
    fn what_is_not_defined_or_never_ends_is_an_error() {
        for (text, line) in [
            ("a\n{{ mod }}", 2),
            ("{{ mode.x.y }}", 1),
            ("{% if nothing %}x{% endif %}", 1),
            ("\n\n{% for %}", 3),
            ("{{ mode", 1),
            ("{% include '/etc/passwd' %}", 1),
            ("{{ range(9) }}", 1),
        ] {
            match rendered(text) {
                Err(TemplateError::Wrong { line: found, message }) => {
                    assert_eq!(found, line, "{text}: {message}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        assert!(rendered("{% for a in floors %}").is_err());
        let deep = format!("{}x{}", "{% for a in floors %}".repeat(40), "{% endfor %}".repeat(40));
        assert!(rendered(&deep).is_err());
        assert_eq!(rendered(&"x".repeat(LONGEST + 1)), Err(TemplateError::TooLong));
    }
}
