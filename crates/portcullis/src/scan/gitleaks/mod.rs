//! Configuration files of gitleaks, read as they are: rules, allowlists, and what they extend. Owns their format (8.28, and the older
//! spellings that are still about) and what each part means here; the detector runs the rules.
//!
//! `extend.useDefault` means the built-in rules of this program. Their names differ from those of gitleaks; the ones that people
//! name in `disabledRules` and `targetRules` are known (`OWN_NAMES`).

mod fields;
mod pattern;

use std::{io::Read as _, path::PathBuf};

use portcullis_core::{
    risk::Severity,
    secrets::{Allowance, CustomRule, Required, RuleSet, Rules, Target},
};
use toml::Table;

use fields::Fields;

/// How many files extend each other, as in gitleaks.
const DEEPEST: u8 = 2;

/// Why a configuration is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GitleaksError {
    /// It is no TOML.
    #[error("{0}")]
    Toml(String),
    /// A field is not known.
    #[error("unknown field `{name}`{}", of(place))]
    Unknown {
        /// The table.
        place: String,
        /// The field.
        name: String,
        /// The one that may be meant.
        nearest: Option<&'static str>,
    },
    /// A field is of another type.
    #[error("`{name}`{} must be {expected}", of(place))]
    Type {
        /// The table.
        place: String,
        /// The field.
        name: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A rule or an allowlist is not complete, or says what cannot be.
    #[error("{place}: {message}")]
    Wrong {
        /// The table.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// An extended file cannot be read.
    #[error("`extend.path`: {0}")]
    Extended(String),
}

fn of(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" in {place}") }
}

impl GitleaksError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{nearest}`?"))
            }
            _ => None,
        }
    }
}

/// Reads a file that is named in another.
pub type Open<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// Reads a configuration. `open` gives the text of a file that it extends.
///
/// # Errors
/// [`GitleaksError`].
pub fn load(text: &str, open: &mut Open<'_>) -> Result<RuleSet, GitleaksError> {
    let written = Written::read(text, open, 0)?;
    written.rules().map(RuleSet::from)
}

/// Reads the configuration in a file, and what it extends from beside it or the working directory.
///
/// # Errors
/// [`GitleaksError`].
pub fn load_file(path: &std::path::Path) -> Result<RuleSet, GitleaksError> {
    const LONGEST: u64 = 16 << 20;
    let read = |path: PathBuf| -> Result<String, String> {
        let file = std::fs::File::open(&path).map_err(|error| error.to_string())?;
        let mut text = String::new();
        // A pipe or a device says no length.
        file.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
        if text.len() as u64 > LONGEST {
            return Err(format!("longer than {} MiB", LONGEST >> 20));
        }
        Ok(text)
    };
    let text = read(path.to_owned()).map_err(GitleaksError::Toml)?;
    let beside = path.parent().map(std::path::Path::to_owned).unwrap_or_default();
    load(&text, &mut |name| {
        let own = beside.join(name);
        read(if own.exists() { own } else { PathBuf::from(name) })
            .map_err(|error| format!("`{name}` could not be read: {error}"))
    })
}

/// A configuration as it is written, with what it extends.
#[derive(Default)]
struct Written {
    rules: Vec<WrittenRule>,
    allowances: Vec<(Vec<String>, Allowance)>,
    built_in: bool,
    disabled: Vec<String>,
}

/// A rule as it is written.
#[derive(Default)]
struct WrittenRule {
    place: String,
    id: String,
    description: Option<String>,
    regex: Option<String>,
    path: Option<String>,
    secret_group: Option<usize>,
    entropy: Option<f32>,
    keywords: Vec<String>,
    allowances: Vec<Allowance>,
    required: Vec<Required>,
    silent: bool,
}

impl Written {
    fn read(text: &str, open: &mut Open<'_>, depth: u8) -> Result<Self, GitleaksError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let table: Table =
            toml::from_str(text).map_err(|error: toml::de::Error| located(text, &error))?;
        let mut fields = Fields::new("", table);
        let mut written = Self::default();
        for ignored in ["title", "description", "minVersion"] {
            fields.text(ignored)?;
        }
        let extend = fields.table("extend")?;
        for rule in fields.tables("rules")? {
            written.rules.push(rule_of(rule)?);
        }
        for name in ["allowlist", "allowlists"] {
            for mut allowlist in fields.tables(name)? {
                let targets = allowlist.texts("targetRules")?;
                written.allowances.push((named_here(targets), allowance(allowlist)?));
            }
        }
        fields.end()?;
        if let Some(mut extend) = extend {
            written.built_in = extend.truth("useDefault")?;
            written.disabled = extend.texts("disabledRules")?;
            let path = extend.text("path")?.filter(|path| !path.is_empty());
            extend.end()?;
            if let Some(path) = path {
                if depth + 1 >= DEEPEST {
                    return Err(GitleaksError::Extended(format!(
                        "`{path}` would be extended by a file that is extended itself"
                    )));
                }
                let text = open(&path).map_err(GitleaksError::Extended)?;
                let base = Self::read(&text, open, depth + 1)?;
                written.put_on(base);
            }
        }
        Ok(written)
    }

    /// Puts this on what it extends: a rule of the same name changes what it says, and keeps the rest.
    fn put_on(&mut self, base: Self) {
        let mut rules: Vec<WrittenRule> =
            base.rules.into_iter().filter(|rule| !self.disabled.contains(&rule.id)).collect();
        for own in std::mem::take(&mut self.rules) {
            match rules.iter_mut().find(|rule| rule.id == own.id) {
                Some(rule) => rule.change(own),
                None => rules.push(own),
            }
        }
        self.rules = rules;
        self.allowances.splice(0..0, base.allowances);
        self.built_in |= base.built_in;
        self.disabled.extend(base.disabled);
    }

    fn rules(self) -> Result<Rules, GitleaksError> {
        let mut rules = Rules {
            allowances: self.allowances,
            built_in: self.built_in,
            disabled: named_here(self.disabled.clone()),
            ..Rules::default()
        };
        for rule in self.rules {
            // With the built-in rules, a rule without anything to look for adds to the built-in one of its name.
            if self.built_in && rule.regex.is_none() && rule.path.is_none() {
                let names = named_here(vec![rule.id.clone()]);
                for allowance in rule.allowances {
                    rules.allowances.push((names.clone(), allowance));
                }
                continue;
            }
            if rules.rules.iter().any(|known| known.id == rule.id) {
                return Err(wrong(&rule.place, format!("there is another rule `{}`", rule.id)));
            }
            if self.built_in {
                // It takes the place of the built-in one.
                rules.disabled.extend(
                    named_here(vec![rule.id.clone()]).into_iter().filter(|name| *name != rule.id),
                );
            }
            rules.rules.push(rule.made()?);
        }
        let known: Vec<&str> = rules.rules.iter().map(|rule| rule.id.as_str()).collect();
        for rule in &rules.rules {
            for required in &rule.required {
                if !known.contains(&required.rule.as_str()) {
                    return Err(wrong(
                        &format!("rule `{}`", rule.id),
                        format!("it requires `{}`, which is no rule", required.rule),
                    ));
                }
            }
        }
        Ok(rules)
    }
}

impl WrittenRule {
    fn change(&mut self, own: Self) {
        let Self {
            place: _,
            id: _,
            description,
            regex,
            path,
            secret_group,
            entropy,
            keywords,
            allowances,
            required,
            silent,
        } = own;
        self.description = description.or(self.description.take());
        self.regex = regex.or(self.regex.take());
        self.path = path.or(self.path.take());
        self.secret_group = secret_group.or(self.secret_group);
        self.entropy = entropy.or(self.entropy);
        self.keywords.extend(keywords);
        self.allowances.extend(allowances);
        self.required.extend(required);
        self.silent |= silent;
    }

    fn made(self) -> Result<CustomRule, GitleaksError> {
        let Self {
            place,
            id,
            description,
            regex,
            path,
            secret_group,
            entropy,
            keywords,
            allowances,
            required,
            silent,
        } = self;
        if regex.is_none() && path.is_none() {
            return Err(wrong(&place, "it has neither `regex` nor `path`"));
        }
        let compiled = |name: &str, text: Option<String>| {
            text.map(|text| {
                pattern::compile(&text).map_err(|error| {
                    wrong(&place, format!("`{name}` is no regular expression: {error}"))
                })
            })
            .transpose()
        };
        let pattern = compiled("regex", regex)?;
        let path = compiled("path", path)?;
        let groups = pattern.as_ref().map_or(0, |pattern| pattern.captures_len() - 1);
        let secret_group = secret_group.unwrap_or(0);
        if secret_group > groups {
            return Err(wrong(
                &place,
                format!("`secretGroup` is {secret_group}, and `regex` has {groups} groups"),
            ));
        }
        Ok(CustomRule {
            name: id.clone(),
            description: description.filter(|text| !text.is_empty()).unwrap_or_else(|| format!("what the rule `{id}` finds")),
            suggestion: "revoke it where it was issued, and read a new one from the environment or a secret store".to_owned(),
            id,
            severity: Severity::High,
            keywords,
            pattern,
            path,
            secret_group,
            entropy,
            allowances,
            required,
            silent,
        })
    }
}

fn wrong(place: &str, message: impl Into<String>) -> GitleaksError {
    GitleaksError::Wrong { place: place.to_owned(), message: message.into() }
}

/// An error of the parser with its line.
fn located(text: &str, error: &toml::de::Error) -> GitleaksError {
    let at = error.span().map_or(0, |span| span.start);
    let before = text.get(..at).unwrap_or_default();
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    GitleaksError::Toml(format!("line {line}: {}", error.message()))
}

fn rule_of(mut fields: Fields) -> Result<WrittenRule, GitleaksError> {
    let id = fields.text("id")?.filter(|id| !id.is_empty());
    let Some(id) = id else { return Err(wrong(fields.place(), "it has no `id`")) };
    fields.call(format!("rule `{id}`"));
    fields.texts("tags")?;
    let lowered = |words: Vec<String>| words.into_iter().map(|word| word.to_lowercase());
    let some = |text: Option<String>| text.filter(|text| !text.is_empty());
    let mut rule = WrittenRule {
        place: fields.place().to_owned(),
        id,
        description: fields.text("description")?,
        regex: some(fields.text("regex")?),
        path: some(fields.text("path")?),
        secret_group: fields.count("secretGroup")?,
        entropy: fields.number("entropy")?,
        keywords: lowered(fields.texts("keywords")?).filter(|word| !word.is_empty()).collect(),
        silent: fields.truth("skipReport")?,
        ..WrittenRule::default()
    };
    for name in ["allowlist", "allowlists"] {
        for mut allowlist in fields.tables(name)? {
            allowlist.call(format!("{name} of {}", rule.place));
            rule.allowances.push(allowance(allowlist)?);
        }
    }
    for mut required in fields.tables("required")? {
        let Some(id) = required.text("id")? else {
            return Err(wrong(&rule.place, "`required` has no `id`"));
        };
        rule.required.push(Required {
            rule: id,
            lines: required.count("withinLines")?,
            columns: required.count("withinColumns")?,
        });
        required.end()?;
    }
    fields.end()?;
    Ok(rule)
}

fn allowance(mut fields: Fields) -> Result<Allowance, GitleaksError> {
    let place = fields.place().to_owned();
    fields.text("description")?;
    let all = match fields.text("condition")?.unwrap_or_default().to_ascii_uppercase().as_str() {
        "" | "OR" | "||" => false,
        "AND" | "&&" => true,
        other => {
            return Err(wrong(
                &place,
                format!("`condition` is `{other}`, and must be `OR` or `AND`"),
            ));
        }
    };
    let target = match fields.text("regexTarget")?.unwrap_or_default().to_ascii_lowercase().as_str()
    {
        "" | "secret" => Target::Secret,
        "match" => Target::Match,
        "line" => Target::Line,
        other => {
            return Err(wrong(
                &place,
                format!("`regexTarget` is `{other}`, and must be `secret`, `match` or `line`"),
            ));
        }
    };
    let compiled = |name: &str, texts: Vec<String>| {
        let one = |text: String| {
            pattern::compile(&text).map_err(|error| {
                wrong(&place, format!("`{text}` in `{name}` is no regular expression: {error}"))
            })
        };
        texts.into_iter().map(one).collect::<Result<Vec<_>, _>>()
    };
    let allowance = Allowance {
        target,
        patterns: compiled("regexes", fields.texts("regexes")?)?,
        paths: compiled("paths", fields.texts("paths")?)?,
        stop_words: fields
            .texts("stopwords")?
            .into_iter()
            .map(|word| word.to_lowercase())
            .filter(|word| !word.is_empty())
            .collect(),
        commits: fields.texts("commits")?,
        all,
    };
    fields.end()?;
    let Allowance { patterns, paths, stop_words, commits, .. } = &allowance;
    if patterns.is_empty() && paths.is_empty() && stop_words.is_empty() && commits.is_empty() {
        return Err(wrong(
            &place,
            "it allows nothing: `commits`, `paths`, `regexes` and `stopwords` are all missing",
        ));
    }
    Ok(allowance)
}

/// Rules of gitleaks whose like has another name here.
const OWN_NAMES: &[(&str, &[&str])] = &[
    ("generic-api-key", &["generic_api_key", "generic_secret", "password_in_code"]),
    ("aws-access-token", &["aws_key"]),
    ("gcp-api-key", &["google_api_key"]),
    ("jwt", &["jwt_secret"]),
    ("jwt-base64", &["jwt_secret"]),
    ("private-key", &["private_key"]),
    ("curl-auth-header", &["bearer_token"]),
    ("curl-auth-user", &["password_in_code"]),
    ("github-app-token", &["github_token"]),
    ("github-fine-grained-pat", &["github_token"]),
    ("github-oauth", &["github_token"]),
    ("github-pat", &["github_token"]),
    ("github-refresh-token", &["github_token"]),
    ("gitlab-pat", &["gitlab_token"]),
    ("kubernetes-secret-yaml", &["kubernetes_secret"]),
    ("slack-app-token", &["slack_token"]),
    ("slack-bot-token", &["slack_token"]),
    ("slack-user-token", &["slack_token"]),
    ("slack-webhook-url", &["slack_token"]),
    ("stripe-access-token", &["stripe_key"]),
];

/// The names as they are, and those that their like has here.
fn named_here(names: Vec<String>) -> Vec<String> {
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let own = OWN_NAMES.iter().find(|(theirs, _)| *theirs == name);
        all.extend(own.into_iter().flat_map(|(_, own)| own.iter().map(|name| (*name).to_owned())));
        all.push(name);
    }
    all
}

#[cfg(test)]
mod tests;
