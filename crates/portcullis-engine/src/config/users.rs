//! The user's own file for calls of agents. Owns what of it counts beside what a person left: it loosens nothing by itself, and what it was stricter by once holds on.

use std::{path::Path, sync::Arc};

use portcullis_core::policy::Rule;

use super::{
    ConfigError, Layer, Source,
    combine::combine,
    kept::{Before, Kept, Left, Named},
    loaded::{Loaded, digest},
    noted,
    part::Part,
    read,
};
use crate::private::Unbelievable;

/// What is said where the file is not as it was left.
const CHANGED: &str =
    "has changed since a person last left it: what it loosens waits for `portcullis trust`";

const UNREAD: &str = "has changed since a person last left it, and cannot be read: what it said before holds until `portcullis trust`";

const WAS_STRICTER: &str = "was stricter since a person last left it, and that holds on: what it loosens waits for `portcullis trust`";

const GONE: &str = "cannot be held against what a person left: the gate was in use here, and no copy is kept of it (any more). What it loosens waits for \
                    `portcullis trust`";

/// The user's file, and before it what it was when a person last left it, where that was something else. The first time, what is there is taken for what a
/// person left.
pub(super) fn users(
    path: &Path,
    named: Named,
    kept: Option<&Kept>,
) -> Result<Vec<Arc<Loaded>>, ConfigError> {
    let now = read::text(path, Layer::User, None);
    if named == Named::ByOption && matches!(now, Ok(None)) {
        return Err(ConfigError::Missing { path: path.to_owned() });
    }
    let not_kept = |reason| ConfigError::NotKept { path: path.to_owned(), reason };
    let before = kept.map(|kept| kept.before(path, named)).transpose().map_err(not_kept)?;
    let (place, left, why) = match before {
        // Where nothing can be kept, there is nothing to hold it against.
        None => return whole(now?, path, false),
        Some(Before::First) => return begun(now?, path, named, kept),
        // As the record has it, it is as it was left.
        Some(Before::Removed(removed)) => {
            let text = now?;
            if removed.sha256 != Some(digest(text.as_deref().unwrap_or_default())) {
                return Err(not_kept(Unbelievable::Gone));
            }
            return begun(text, path, named, kept);
        }
        Some(Before::Gone) => (path.to_owned(), Left::default(), Some(GONE.to_owned())),
        Some(Before::Another(other, left)) => {
            let why = format!(
                "is not the file that a person left, which is `{}`: what it loosens waits for `portcullis trust`",
                other.display()
            );
            (other, left, Some(why))
        }
        Some(Before::Left(left)) => {
            let is_so =
                now.as_ref().is_ok_and(|now| now.as_deref().unwrap_or_default() == left.text);
            if is_so && left.stricter.is_empty() {
                return whole(now?, path, false);
            }
            (path.to_owned(), left, None)
        }
    };
    let read = |text: &str, trusted| {
        let read = Loaded::new(text, &place, Layer::User, trusted);
        read.map_err(|_| not_kept(Unbelievable::Changed))
    };
    let mut held = Vec::new();
    if !left.text.trim().is_empty() {
        held.push(read(&left.text, true)?);
    }
    for text in &left.stricter {
        held.push(read(text, false)?);
    }
    let text = now.ok().flatten();
    let loaded = text.as_deref().map(|text| Loaded::new(text, path, Layer::User, false));
    let (mut loaded, why) = match (loaded, text) {
        (Some(Ok(mut loaded)), Some(text)) => {
            let why = match (why, kept) {
                (None, Some(kept)) => {
                    match noticed(kept, (path, named), &left, &held, &mut loaded, &text) {
                        Some(why) => why.to_owned(),
                        None => return whole(Some(text), path, true),
                    }
                }
                (why, _) => why.unwrap_or_else(|| CHANGED.to_owned()),
            };
            (loaded, why)
        }
        (_, text) => {
            let sha256 = digest(&text.unwrap_or_default());
            let (layer, trusted, doubt) = (Layer::User, false, None);
            let source = Source { layer, path: path.to_owned(), sha256, trusted, doubt };
            (Loaded::of_part(source, Part::default()), why.unwrap_or_else(|| UNREAD.to_owned()))
        }
    };
    loaded.source.doubt = Some(why);
    held.push(loaded);
    Ok(held.into_iter().map(Arc::new).collect())
}

/// A file that counts whole from here on.
fn begun(
    text: Option<String>,
    path: &Path,
    named: Named,
    kept: Option<&Kept>,
) -> Result<Vec<Arc<Loaded>>, ConfigError> {
    let said = text.clone().unwrap_or_default();
    // It has to be understood first.
    whole(text.clone(), path, false)?;
    let is_kept = kept.is_some_and(|kept| kept.keep(path, named, &said).is_ok());
    whole(text, path, is_kept)
}

/// A file that counts whole; `is_new` where a copy is kept of it from here on.
fn whole(text: Option<String>, path: &Path, is_new: bool) -> Result<Vec<Arc<Loaded>>, ConfigError> {
    let load = |text: String| {
        let mut loaded = Loaded::new(&text, path, Layer::User, true)?;
        // An empty one has nothing that could be lost.
        if is_new && !text.trim().is_empty() {
            loaded.noted = Some(noted::entry(path, &loaded.source.sha256, true));
        }
        Ok::<_, ConfigError>(loaded)
    };
    let loaded = text.map(load).transpose()?;
    Ok(loaded.into_iter().map(Arc::new).collect())
}

/// Keeps what a file says now that is stricter, and says how it stands beside what was kept; nothing where it loosens nothing, and is what counts from here on. An
/// empty file is none that somebody left so: that is how files look while they are written.
fn noticed(
    kept: &Kept,
    (path, named): (&Path, Named),
    left: &Left,
    held: &[Loaded],
    now: &mut Loaded,
    text: &str,
) -> Option<&'static str> {
    let parts: Vec<&Part> = held.iter().map(|held| &held.part).collect();
    let blank = Part::default();
    let (first, stricter) = match held.split_first() {
        Some((first, _)) if first.source.trusted => (&first.part, parts.get(1..)),
        _ => (&blank, parts.get(..)),
    };
    let stricter = stricter.unwrap_or_default();
    let is_blank = text.trim().is_empty();
    if !is_blank
        && loosens_nothing(first, stricter, &now.part)
        && kept.keep(path, named, text).is_ok()
    {
        return None;
    }
    if !is_blank && tightens(&parts, &now.part) {
        // What the new text says too needs no text of its own.
        let beside = |part: &Part| tightens(&[first, &now.part], part);
        let texts = left.stricter.iter().zip(stricter).filter(|(_, part)| beside(part));
        let mut texts: Vec<String> = texts.map(|(text, _)| text.clone()).collect();
        texts.push(text.to_owned());
        // What cannot be kept holds for as long as it stands in the file.
        if kept.hold(path, named, &Left { text: left.text.clone(), stricter: texts }).is_ok() {
            now.noted = Some(noted::entry(path, &now.source.sha256, false));
        }
    }
    let is_back = stricter.iter().any(|part| tightens(&[&now.part], part));
    Some(if is_back { WAS_STRICTER } else { CHANGED })
}

/// The keys that are compared by what they hold, not by their words.
const COMPARED: &[&str] = &["rules.deny", "rules.ask", "rules.allow", "floors"];

/// Whether a file says anything stricter than others together do.
fn tightens(others: &[&Part], new: &Part) -> bool {
    let has = |of: fn(&Part) -> &Vec<Rule>, rule: &Rule| {
        others.iter().any(|part| of(part).contains(rule))
    };
    if new.deny.iter().any(|rule| !has(|part| &part.deny, rule))
        || new.ask.iter().any(|rule| !has(|part| &part.ask, rule))
        || new.floors.iter().any(|floor| !others.iter().any(|part| part.floors.contains(floor)))
    {
        return true;
    }
    let sources = sources(others.len() + 1);
    let files = sources.iter().zip(others.iter().copied().chain([new]));
    let account = combine(files, None).account;
    let (own, of_others): (Vec<_>, Vec<_>) =
        account.settings.iter().partition(|setting| setting.source == others.len());
    let is_said = |key: &str, value: &str| {
        of_others.iter().any(|other| (other.key, other.value.as_str()) == (key, value))
    };
    // A profile of the sandbox is one more, whoever takes it.
    own.iter().any(|one| {
        !COMPARED.contains(&one.key)
            && one.key != "sandbox.profiles"
            && !is_said(one.key, &one.value)
    })
}

/// Whether a file is nowhere looser than the one that was left and those that it was stricter by since: it has all rules that deny or ask and none more that
/// allow, and what else it says is the same, or is known to be stricter.
fn loosens_nothing(left: &Part, stricter: &[&Part], new: &Part) -> bool {
    let mut before = [left].into_iter().chain(stricter.iter().copied());
    let has_all = before.all(|part| {
        part.deny.iter().all(|rule| new.deny.contains(rule))
            && part.ask.iter().all(|rule| new.ask.contains(rule))
            && part.floors.iter().all(|floor| new.floors.contains(floor))
    });
    if !has_all
        || !new.allow.iter().all(|rule| left.allow.contains(rule))
        || rest(left) != rest(new)
    {
        return false;
    }
    let sources = sources(stricter.len() + 2);
    let others = || stricter.iter().copied();
    let forth = [left].into_iter().chain(others()).chain([new]);
    let forth = combine(sources.iter().zip(forth), None).account;
    let waits = |one: &super::LeftOut| one.source == stricter.len() + 1 && one.key != "rules.allow";
    let back = [new, left].into_iter().chain(others());
    let back = combine(sources.iter().zip(back), None).account;
    let is_lost = |one: &super::Setting| one.source > 0 && !COMPARED.contains(&one.key);
    !forth.left_out.iter().any(waits) && !back.settings.iter().any(is_lost)
}

/// All that a file says but for what has an order.
fn rest(part: &Part) -> String {
    let part = Part {
        mode: None,
        disable_bypass: None,
        dont_ask: None,
        confirmation: None,
        asked_for: None,
        allow: Vec::new(),
        ask: Vec::new(),
        deny: Vec::new(),
        floors: Vec::new(),
        examples: Vec::new(),
        ..part.clone()
    };
    format!("{part:?}")
}

/// Files of which only the first may loosen.
fn sources(count: usize) -> Vec<Source> {
    let source = |number| Source {
        layer: Layer::User,
        path: Path::new("").to_owned(),
        sha256: String::new(),
        trusted: number == 0,
        doubt: None,
    };
    (0..count).map(source).collect()
}
