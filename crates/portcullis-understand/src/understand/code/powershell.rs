//! One command of PowerShell. Owns the cmdlets that reach out, with their aliases; how a line is cut into commands is said by
//! `lines`, and what other programs do by their own rows.

use super::lines::known;
use crate::{
    effect::{Argument, EffectKind, WriteMode},
    text::{Piece, Taint, Text},
    understand::shell::Walk,
};

/// Cmdlets about which it is enough to say that they are run, in lower case and sorted, each with the rule that speaks.
static NOTED: &[(&str, &str)] = &[
    ("add-adgroupmember", "windows.account.change"),
    ("add-localgroupmember", "windows.account.change"),
    ("add-mppreference", "code.powershell.guard"),
    ("clear-disk", "code.powershell.disk"),
    ("clear-eventlog", "code.powershell.guard"),
    ("clear-recyclebin", "windows.cmdlet.remove"),
    ("disable-computerrestore", "code.powershell.guard"),
    ("disable-netadapter", "windows.cmdlet.remove"),
    ("disable-netfirewallrule", "code.powershell.guard"),
    ("enable-localuser", "windows.account.change"),
    ("enable-psremoting", "windows.remote.command"),
    ("enter-pssession", "windows.remote.command"),
    ("format-volume", "code.powershell.disk"),
    ("initialize-disk", "code.powershell.disk"),
    ("limit-eventlog", "code.powershell.guard"),
    ("new-aduser", "windows.account.change"),
    ("new-localuser", "windows.account.change"),
    ("new-netfirewallrule", "code.powershell.guard"),
    ("new-pssession", "windows.remote.command"),
    ("new-service", "windows.persistence.task"),
    ("register-scheduledjob", "windows.persistence.task"),
    ("register-scheduledtask", "windows.persistence.task"),
    ("register-wmievent", "windows.persistence.task"),
    ("remove-aduser", "windows.account.change"),
    ("remove-eventlog", "code.powershell.guard"),
    ("remove-localuser", "windows.account.change"),
    ("remove-netfirewallrule", "code.powershell.guard"),
    ("remove-partition", "code.powershell.disk"),
    ("remove-virtualdisk", "code.powershell.disk"),
    ("reset-computermachinepassword", "windows.account.change"),
    ("reset-physicaldisk", "code.powershell.disk"),
    ("set-adaccountpassword", "windows.account.change"),
    ("set-executionpolicy", "code.powershell.guard"),
    ("set-localuser", "windows.account.change"),
    ("set-mppreference", "code.powershell.guard"),
    ("set-netfirewallprofile", "code.powershell.guard"),
    ("set-netfirewallrule", "code.powershell.guard"),
    ("wevtutil", "code.powershell.guard"),
];

/// Nouns of cmdlets that only concern the session itself or the screen, in lower case and sorted.
static OWN: &[&str] = &[
    "content",
    "history",
    "host",
    "item",
    "itemproperty",
    "job",
    "module",
    "process",
    "psbreakpoint",
    "psdebug",
    "psdrive",
    "psreadlinekeyhandler",
    "pssession",
    "scheduledjob",
    "transcript",
    "typedata",
    "variable",
];

/// Verbs of cmdlets that take something away, sorted.
static TAKES_AWAY: &[&str] = &[
    "disable",
    "dismount",
    "remove",
    "reset",
    "revoke",
    "stop",
    "suspend",
    "uninstall",
    "unregister",
];

/// Reads one command with what the one before it in the pipeline gives.
pub(super) fn command(walk: &mut Walk<'_>, words: &[Argument], input: Option<Text>) -> Text {
    let Some(first) = words.first() else { return Text::default() };
    let name =
        first.text.as_known().unwrap_or("").trim_start_matches(['&', '.']).to_ascii_lowercase();
    if name.is_empty() && words.len() > 1 {
        return command(walk, words.get(1..).unwrap_or_default(), input);
    }
    // `… | ForEach-Object { Remove-Item $_ }`: each of what comes in.
    let each = input.as_ref().filter(|input| {
        input.taint.has(Taint::SECRET) || matches!(input.pieces.last(), Some(Piece::Glob(_)))
    });
    let replaced: Option<Vec<Argument>> = each.map(|each| {
        let in_place = |word: &Argument| match stands_for_each(&word.text) {
            true => Argument { text: each.clone(), span: word.span },
            false => word.clone(),
        };
        words.iter().map(in_place).collect()
    });
    let words = replaced.as_deref().unwrap_or(words);
    let rest = words.get(1..).unwrap_or_default();
    let call = Call { rest, first };
    if call.has("-whatif") {
        return Text::unknown("what would be done");
    }
    if let Ok(at) = NOTED.binary_search_by(|(cmdlet, _)| (*cmdlet).cmp(name.as_str()))
        && let Some((_, rule)) = NOTED.get(at)
    {
        walk.note(rule, first.span);
        return Text::default();
    }
    match name.as_str() {
        "remove-item" | "rm" | "del" | "ri" | "rd" | "rmdir" | "erase" => {
            remove(walk, &call, input);
            Text::default()
        }
        "get-childitem" | "gci" | "ls" | "dir" => listed(&call),
        "out-string" => input.unwrap_or_default(),
        "where-object" | "where" | "?" | "select-object" | "select" | "sort-object" | "sort"
        | "foreach-object" | "foreach" | "%" => input.unwrap_or_default(),
        "invoke-expression" | "iex" => {
            let nested = rest.iter().position(|word| {
                FETCHES.contains(&known(Some(word)).to_ascii_lowercase().as_str())
            });
            let code = match (nested, call.operand(), input) {
                (Some(at), ..) => command(walk, rest.get(at..).unwrap_or_default(), None),
                (None, Some(operand), _) => operand.text.clone(),
                (None, None, Some(input)) => input,
                _ => Text::unknown("an expression"),
            };
            walk.code("powershell", &code, first.span, &[])
        }
        "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" | "curl" | "wget"
        | "start-bitstransfer" => request(walk, &call),
        "new-object" => object(walk, &call),
        "set-content" | "out-file" | "add-content" | "tee-object" | "sc" | "ac"
        | "clear-content" | "clc" => {
            if let Some(file) = call.operand() {
                let content = call
                    .operands()
                    .nth(1)
                    .map(|word| word.text.clone())
                    .or(input)
                    .unwrap_or_default();
                let mode = if name.starts_with('a') || call.has("-append") {
                    WriteMode::Append
                } else {
                    WriteMode::Replace
                };
                walk.write(&slashed(file), mode, content);
            }
            Text::default()
        }
        "get-content" | "gc" | "cat" | "type" => {
            call.operand().map_or_else(Text::default, |file| walk.read(&slashed(file)))
        }
        "set-itemproperty" | "sp" | "new-itemproperty" => {
            registry(walk, &call);
            Text::default()
        }
        "start-process" | "saps" | "start" => {
            let run: Vec<Argument> = call.operands().cloned().collect();
            if call.has("-verb") {
                walk.privilege(Text::known("Administrator"), first.span);
            }
            walk.run(&run, None)
        }
        "stop-process" | "spps" | "kill" => {
            let everything = call.operand().is_none()
                && input.is_some_and(|input| {
                    matches!(input.pieces.as_slice(), [Piece::Unknown(what)] if &**what == EVERY_PROCESS)
                })
                || call.operand().is_some_and(|name| known(Some(name)) == "*");
            let target =
                call.operand().map_or_else(|| Text::unknown("a process"), |word| word.text.clone());
            walk.emit(EffectKind::Kill { target, everything }, first.span);
            Text::default()
        }
        "invoke-command" | "icm" if call.has("-computername") || call.has("-cn") => {
            walk.note("windows.remote.command", first.span);
            Text::unknown("another machine")
        }
        "write-output" | "write-host" | "echo" => {
            call.operand().map(|word| word.text.clone()).unwrap_or_default()
        }
        "get-process" | "gps" | "ps" => {
            call.operand().map_or_else(|| Text::unknown(EVERY_PROCESS), |name| name.text.clone())
        }
        _ if words.len() == 1 && first.text.as_known().is_some_and(|text| text.contains(' ')) => {
            first.text.clone()
        }
        // A value that is shown.
        _ if words.len() == 1
            && first.text.has_unknown()
            && first.text.known_prefix().is_empty() =>
        {
            first.text.clone()
        }
        _ if takes_away(&name) => {
            walk.note("windows.cmdlet.remove", first.span);
            Text::default()
        }
        _ if only_looks(&name) => {
            let mut shown = Text::unknown(&name);
            for word in rest {
                shown.inherit(&word.text);
            }
            if let Some(input) = input {
                shown.inherit(&input);
            }
            shown
        }
        _ => walk.run(words, input),
    }
}

/// `$_`, `$_.FullName`: what the pipeline is at.
fn stands_for_each(text: &Text) -> bool {
    let Some((Piece::Unknown(name), rest)) = text.pieces.split_first() else { return false };
    let is_path = |member: &str| {
        [".fullname", ".path", ".pspath", ".value"].iter().any(|it| it.eq_ignore_ascii_case(member))
    };
    matches!(&**name, "_" | "PSItem")
        && match rest {
            [] => true,
            [Piece::Known(member)] => is_path(member),
            _ => false,
        }
}

/// What a list of all processes gives.
const EVERY_PROCESS: &str = "every process";

/// Cmdlets that give what comes from elsewhere.
const FETCHES: &[&str] = &[
    "iwr",
    "invoke-webrequest",
    "irm",
    "invoke-restmethod",
    "new-object",
    "curl",
    "wget",
    "gc",
    "get-content",
];

/// Cmdlets that give what is sent, where they stand for it in parentheses.
const GIVES: &[&str] = &["cat", "dir", "gc", "gci", "get-childitem", "get-content", "ls", "type"];

/// What a cmdlet is given.
struct Call<'a> {
    first: &'a Argument,
    rest: &'a [Argument],
}

impl<'a> Call<'a> {
    /// Whether an option is given, by how it begins.
    fn has(&self, start: &str) -> bool {
        self.rest.iter().any(|word| {
            let word = known(Some(word));
            word.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
        })
    }

    /// The word behind one of these options.
    fn value(&self, names: &[&str]) -> Option<&'a Argument> {
        let at = self
            .rest
            .iter()
            .position(|word| names.contains(&known(Some(word)).to_ascii_lowercase().as_str()))?;
        self.rest.get(at + 1)
    }

    fn operands(&self) -> impl Iterator<Item = &'a Argument> + use<'a> {
        self.rest.iter().filter(|word| !known(Some(*word)).starts_with('-'))
    }

    fn operand(&self) -> Option<&'a Argument> {
        self.operands().next()
    }
}

/// A path as the rest of the world writes it, where it is no path of Windows from its drive on.
fn slashed(file: &Argument) -> Argument {
    let first = file.text.known_prefix();
    if !first.starts_with(['~', '/', '.']) {
        return file.clone();
    }
    let mut text = file.text.derive(Vec::new());
    for piece in &file.text.pieces {
        match piece {
            Piece::Known(known) => text.push_known(&known.replace('\\', "/")),
            other => text.push(other.clone()),
        }
    }
    Argument { text, span: file.span }
}

fn is_registry(path: &str) -> bool {
    let root = path.split([':', '\\']).next().unwrap_or("");
    ["hklm", "hkcu", "hkcr", "hku", "registry"].iter().any(|name| root.eq_ignore_ascii_case(name))
}

fn remove(walk: &mut Walk<'_>, call: &Call<'_>, input: Option<Text>) {
    let recursive = call.has("-r") || call.has("/s");
    let mut any = false;
    for file in call.operands() {
        any = true;
        if is_registry(known(Some(file))) {
            walk.note("windows.registry.delete", file.span);
        } else {
            walk.delete(&slashed(file), recursive);
        }
    }
    if !any && let Some(text) = input {
        let recursive = recursive
            || text
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Glob(glob) if glob.starts_with("**")));
        walk.delete(&Argument { text, span: call.first.span }, recursive);
    }
}

/// The files that are listed, as a pattern of their paths.
fn listed(call: &Call<'_>) -> Text {
    let named = ["-filter", "-include", "-exclude", "-path", "-literalpath", "-depth", "-name"];
    let pattern = call.value(&["-filter", "-include"]);
    let place = call.value(&["-path", "-literalpath"]).or_else(|| {
        let mut before = "";
        call.rest.iter().find(|word| {
            let is_value = named.contains(&before.to_ascii_lowercase().as_str());
            before = known(Some(*word));
            !is_value && !before.starts_with('-')
        })
    });
    let is_environment = |place: &Argument| {
        let place = known(Some(place)).to_ascii_lowercase();
        place == "env:" || place.starts_with("env:\\") || place.starts_with("env:/")
    };
    if place.is_some_and(is_environment) {
        return Text { taint: Taint::SECRET, ..Text::unknown("the environment") };
    }
    let mut text = place.map_or_else(|| Text::known("."), |place| slashed(place).text);
    if !text.known_prefix().ends_with(['/', '\\']) {
        text.push_known("/");
    }
    let name = pattern.map_or("*", |pattern| known(Some(pattern)));
    let recursive = call.has("-r");
    let glob = if recursive && name == "*" { "**".to_owned() } else { name.to_owned() };
    text.push(Piece::Glob(glob));
    text
}

/// A request. One that sends or asks for more than a page is the same as curl's.
fn request(walk: &mut Walk<'_>, call: &Call<'_>) -> Text {
    let Some(address) =
        call.rest.iter().find(|word| known(Some(*word)).contains("://")).or(call.operand())
    else {
        return Text::default();
    };
    let output = call.value(&["-outfile", "-o", "-destination"]);
    let method = call.value(&["-method"]);
    let file = call.value(&["-infile"]);
    let body = call.value(&["-body", "-form"]);
    let mut response = if method.is_some() || file.is_some() || body.is_some() {
        let word = |text: &str| Argument { text: Text::known(text), span: call.first.span };
        let mut words = vec![word("curl"), address.clone()];
        if let Some(method) = method {
            let verb = known(Some(method)).to_ascii_uppercase();
            words.extend([word("-X"), word(&verb)]);
        }
        if let Some(file) = file {
            words.extend([word("-T"), slashed(file)]);
        }
        if let Some(body) = body {
            // `-Body (Get-ChildItem env:)`
            let nested = call.rest.iter().position(|word| std::ptr::eq(word, body));
            let nested =
                nested.filter(|_| GIVES.contains(&known(Some(body)).to_ascii_lowercase().as_str()));
            let text = match nested.and_then(|at| call.rest.get(at..)) {
                Some(inner) => command(walk, inner, None),
                None => body.text.clone(),
            };
            words.extend([word("--data-raw"), Argument { text, span: body.span }]);
        }
        walk.run(&words, None)
    } else {
        walk.connect(address, None, false)
    };
    response.taint = response.taint.with(Taint::NETWORK);
    let behind =
        call.operands().nth(1).filter(|_| output.is_none() && call.first_is("start-bitstransfer"));
    if let Some(file) = output.or(behind) {
        walk.write(&slashed(file), WriteMode::Replace, response.clone());
    }
    response
}

impl Call<'_> {
    fn first_is(&self, name: &str) -> bool {
        known(Some(self.first)).eq_ignore_ascii_case(name)
    }
}

fn object(walk: &mut Walk<'_>, call: &Call<'_>) -> Text {
    let shown: String =
        call.rest.iter().map(|word| word.text.display()).collect::<Vec<_>>().join(" ");
    let lower = shown.to_ascii_lowercase();
    let address = call.rest.iter().find(|word| known(Some(*word)).contains("://"));
    if lower.contains("sockets.tcpclient") {
        walk.note("code.shell.reverse", call.first.span);
    }
    match address {
        Some(address) if lower.contains("download") || lower.contains("webclient") => {
            let mut response = walk.connect(address, None, false);
            response.taint = response.taint.with(Taint::NETWORK);
            response
        }
        _ => Text::unknown("an object"),
    }
}

/// A value of the registry.
fn registry(walk: &mut Walk<'_>, call: &Call<'_>) {
    let Some(path) = call.operand().filter(|path| is_registry(known(Some(*path)))) else { return };
    let lower = known(Some(path)).to_ascii_lowercase();
    let starts = ["\\run", "winlogon", "\\services", "image file execution", "appinit"];
    if starts.iter().any(|part| lower.contains(part)) {
        walk.note("windows.persistence.task", path.span);
    } else if lower.starts_with("hklm") {
        walk.note("windows.registry.machine", path.span);
    }
}

/// Whether a cmdlet's verb says that it takes something away that is not the session's own.
fn takes_away(name: &str) -> bool {
    let Some((verb, noun)) = name.split_once('-') else { return false };
    TAKES_AWAY.binary_search(&verb).is_ok()
        && noun.len() > 1
        && noun.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && OWN.binary_search(&noun).is_err()
}

/// Whether a cmdlet's verb says that it only looks, or shapes what others give.
fn only_looks(name: &str) -> bool {
    name.split_once('-').is_some_and(|(verb, noun)| {
        LOOKS.binary_search(&verb).is_ok() && noun.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Verbs of cmdlets that change nothing, sorted.
static LOOKS: &[&str] = &[
    "compare",
    "convertfrom",
    "convertto",
    "find",
    "format",
    "get",
    "group",
    "join",
    "measure",
    "read",
    "resolve",
    "search",
    "select",
    "show",
    "sort",
    "split",
    "test",
    "wait",
    "where",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(LOOKS.is_sorted());
        assert!(NOTED.is_sorted_by_key(|row| row.0));
        assert!(OWN.is_sorted() && TAKES_AWAY.is_sorted());
    }
}
