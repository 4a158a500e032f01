//! Sessions in which files are fetched and brought: sftp, ftp, lftp, smbclient, tftp. Owns where the lines of one stand, and what each of them does
//! here and on the other side.

use portcullis_syntax::Span;

use super::{
    super::{add, named_after, part, piped},
    is_remote, is_system, names_many, of_this_machine, remote_path,
};
use crate::{
    bound::Bounded,
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation, laid_over},
    text::Text,
};

/// Sessions written by hand have a few lines.
const MAX_COMMANDS: usize = 64;

/// What the lines of a session did until now.
struct Session<'a> {
    /// The other side, as it was named.
    address: &'a Argument,
    server: Argument,
    span: Span,
    /// Where files of this machine are, once `lcd` says so.
    here: Option<String>,
    sends: Option<Text>,
    /// The files of this machine that are written with what comes.
    fetched: Vec<String>,
    /// What a shell on the other side would be told.
    there: Vec<String>,
}

/// `sftp`, `ftp`, `lftp`, `smbclient`, `tftp`: a session whose commands stand in an option, a file or the input.
pub(in crate::programs::network) fn session(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands: Vec<Argument> = invocation.options().operands().cloned().collect();
    let commands = commands_of(walk, invocation, &operands);
    let script =
        commands.iter().map(|command| command.text.display()).collect::<Vec<_>>().join("\n");
    // The next one runs if this one held, or if it did not.
    let script = script.replace("&&", ";").replace("||", ";");
    let span = commands.first().map_or(invocation.span, |command| command.span);
    let Some(address) = operands.first().cloned().or_else(|| opened(&script, span)) else {
        return Text::unknown(&invocation.program);
    };
    let mut session = Session {
        server: server(&address),
        address: &address,
        span,
        here: None,
        sends: None,
        fetched: Vec::new(),
        there: Vec::new(),
    };
    for line in script.split(['\n', ';']).at_most(MAX_COMMANDS, walk, span) {
        session.line(walk, line);
    }
    // sftp(1), `-s`: a subsystem by its name, or what the other side's shell runs.
    let served = invocation.options().value(&["-s"]).filter(|_| invocation.program == "sftp");
    if let Some(served) = served.filter(|served| served.text.display().contains(['/', ' '])) {
        let mut words = ["ssh", &session.host()]
            .map(|word| Argument { text: Text::known(word), span })
            .to_vec();
        words.push(served);
        walk.run(&words, None);
    }
    if session.there.iter().any(|command| !command.starts_with("cd ")) {
        // What a session changes on the other side is what a shell there would change.
        let words = ["ssh", &session.host(), &session.there.join(" && ")];
        walk.run(&words.map(|word| Argument { text: Text::known(word), span }), None);
    }
    let Session { server, mut sends, fetched, .. } = session;
    if commands.iter().any(|command| command.text.has_unknown()) && sends.is_none() {
        sends = gathered_unknown(&commands);
    }
    let received = walk.connect(&server, sends, false);
    for file in fetched.into_iter().filter(|file| !file.is_empty()) {
        let target = Argument { text: Text::known(file), span };
        walk.write(&target, WriteMode::Replace, received.clone());
    }
    if invocation.program == "sftp" && commands.is_empty() {
        fetch_named(walk, &operands, &address, &received);
    }
    received
}

/// The commands of a session, wherever they stand.
fn commands_of(
    walk: &mut dyn Host,
    invocation: &Invocation,
    operands: &[Argument],
) -> Vec<Argument> {
    let options = invocation.options();
    let mut commands: Vec<Argument> = Vec::new();
    match invocation.program.as_str() {
        "sftp" => {
            for file in options.values_of(&["-b"]) {
                let text = match file.text.as_known() {
                    Some("-") => piped(invocation).unwrap_or_default(),
                    _ => walk.read_named(&file),
                };
                commands.push(Argument { text, span: file.span });
            }
        }
        // learn.microsoft.com, "ftp": `ftp -s:FILE`.
        "ftp" => {
            for word in invocation.arguments.iter() {
                let shown = word.text.display();
                let Some(file) = shown.get(..3).filter(|it| it.eq_ignore_ascii_case("-s:")) else {
                    continue;
                };
                let file = part(word, shown.get(file.len()..).unwrap_or_default().to_owned());
                let text = walk.read_named(&file);
                commands.push(Argument { text, span: word.span });
            }
            commands.extend(options.values_of(&["-c", "-e"]));
        }
        _ => commands.extend(options.values_of(&["-c", "-e"])),
    }
    if let Some(input) = piped(invocation) {
        commands.push(Argument { text: input, span: invocation.span });
    }
    // `tftp -c put file host` gives the command as operands.
    if invocation.program == "tftp"
        && let Some(verb) = options.value(&["-c"])
    {
        let rest: Vec<String> = operands.iter().skip(1).map(|word| word.text.display()).collect();
        commands.push(part(&verb, format!("{} {}", verb.text.display(), rest.join(" "))));
    }
    commands
}

/// The host that a line of a session opens.
fn opened(script: &str, span: Span) -> Option<Argument> {
    let mut lines = script.split(['\n', ';']).map(str::trim);
    let line =
        lines.find(|line| ["open ", "connect "].iter().any(|verb| line.starts_with(verb)))?;
    let host = line.split_once(' ')?.1.trim();
    Some(Argument { text: Text::known(host.rsplit(' ').next().unwrap_or(host)), span })
}

/// `sftp HOST:FILE [TO]`: a session without a word brings one file, or those that a pattern names.
fn fetch_named(walk: &mut dyn Host, operands: &[Argument], address: &Argument, received: &Text) {
    let Some(path) = remote_path(address).filter(|path| !path.is_empty() && !path.ends_with('/'))
    else {
        return;
    };
    let to = operands.get(1);
    if let Some(to) = to.filter(|_| names_many(address)) {
        laid_over::fills(walk, to);
    }
    let named = || named_after(&part(address, format!("/{path}")), None);
    let file = to.cloned().unwrap_or_else(named);
    walk.write(&file, WriteMode::Replace, received.clone());
}

impl Session<'_> {
    fn host(&self) -> String {
        let host = self.server.text.display();
        host.split_once("://").map_or(host.as_str(), |(_, host)| host).to_owned()
    }

    /// A name of this machine, as seen from where the session is.
    fn near(&self, name: &str) -> String {
        match &self.here {
            Some(here) if !name.is_empty() && !name.starts_with(['/', '~']) => {
                format!("{here}/{name}")
            }
            _ => name.to_owned(),
        }
    }

    fn line(&mut self, walk: &mut dyn Host, line: &str) {
        let words: Vec<&str> =
            line.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
        let files: Vec<&str> =
            words.iter().skip(1).copied().filter(|word| !word.starts_with('-')).collect();
        match words.first().copied() {
            Some("lcd") => {
                let to = files.first().map_or_else(|| "~".to_owned(), |to| self.near(to));
                self.here = Some(to);
            }
            Some("mirror") if mirrored(&words).is_some() => self.mirror(walk, &words, &files),
            Some("mirror") if !words.iter().any(|word| is_flag(word, 'R', "--reverse")) => {
                self.fetched.push(self.near(files.get(1).copied().unwrap_or(".")));
            }
            Some("put" | "mput" | "send" | "append" | "reput" | "mirror") => {
                self.put(walk, &words, &files);
            }
            Some("get" | "mget" | "recv" | "reget" | "pget") => {
                let target = files.get(1).or(files.first()).copied().unwrap_or("");
                let base = target.rsplit('/').next().unwrap_or(target);
                let target = if files.len() > 1 { target } else { base };
                self.fetched.push(self.near(target));
            }
            _ => self.there.extend(as_shell(line)),
        }
    }

    /// A mirror that takes something away, as rsync would.
    fn mirror(&self, walk: &mut dyn Host, words: &[&str], files: &[&str]) {
        let reversed = words.iter().any(|word| is_flag(word, 'R', "--reverse"));
        let (from, to) = (files.first().copied(), files.get(1).or(files.first()).copied());
        let (from, to) = (from.unwrap_or("."), to.unwrap_or("."));
        let host = self.host();
        let (from, to) = match reversed {
            true => (from.to_owned(), format!("{host}:{to}")),
            false => (format!("{host}:{from}"), to.to_owned()),
        };
        let words = ["rsync", "-a", mirrored(words).unwrap_or_default(), &from, &to];
        let span = self.span;
        walk.run(&words.map(|word| Argument { text: Text::known(word), span }), None);
    }

    fn put(&mut self, walk: &mut dyn Host, words: &[&str], files: &[&str]) {
        let named = |text: &str| Argument { text: Text::known(text), span: self.span };
        if let [_, to, ..] = files {
            let to = format!("{}:{to}", self.address.text.display().trim_end_matches(':'));
            let there = of_this_machine(&named(&to));
            if !is_remote(&there) {
                walk.write(&there, WriteMode::Replace, Text::unknown("sftp"));
            }
        }
        let brings_many = words.first() == Some(&"mput");
        let local = if brings_many { files } else { files.get(..1).unwrap_or_default() };
        for file in local {
            let content = walk.read(&named(&self.near(file)));
            add(&mut self.sends, &content);
        }
        if !brings_many && words.last().is_some_and(|to| is_system(to)) {
            walk.note("network.copy.remote-system", self.span);
        }
    }
}

/// The option of rsync that takes away what a `mirror` of lftp takes away, lftp(1): at the target, or at the source.
fn mirrored(words: &[&str]) -> Option<&'static str> {
    let has = |letter, long| words.iter().any(|word| is_flag(word, letter, long));
    if words.contains(&"--dry-run") {
        return None;
    }
    if has('e', "--delete") || words.contains(&"--delete-first") {
        return Some("--delete");
    }
    words
        .iter()
        .any(|word| word.starts_with("--Remove-source") || word.starts_with("--Move"))
        .then_some("--remove-source-files")
}

/// Whether a word is a flag by its long name or has its letter among others: `-Re`.
fn is_flag(word: &str, letter: char, long: &str) -> bool {
    let short = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    word == long || short.is_some_and(|letters| letters.contains(letter))
}

/// A line of a session that changes something on the other side, as a shell there is told it.
fn as_shell(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['-', '@']);
    let (verb, rest) = line.split_once(char::is_whitespace)?;
    Some(match verb.to_ascii_lowercase().as_str() {
        "cd" => format!("cd {rest}"),
        "rm" | "delete" | "mdelete" | "mrm" | "del" => format!("rm {rest}"),
        "deltree" => format!("rm -r {rest}"),
        "glob" if rest.trim_start().starts_with("rm ") => rest.to_owned(),
        "rmdir" | "chmod" | "chown" | "chgrp" => format!("{verb} {rest}"),
        "rename" | "ren" | "mv" => format!("mv {rest}"),
        _ => return None,
    })
}

fn gathered_unknown(commands: &[Argument]) -> Option<Text> {
    let mut whole = Text::unknown("a session's commands");
    for command in commands {
        whole.inherit(&command.text);
    }
    Some(whole)
}

/// `\\server\share` as an address.
fn server(address: &Argument) -> Argument {
    let shown = address.text.known_prefix();
    match shown.strip_prefix("\\\\").or_else(|| shown.strip_prefix("//")) {
        Some(rest) if address.text.as_known().is_some() => {
            part(address, format!("smb://{}", rest.replace('\\', "/")))
        }
        _ => address.clone(),
    }
}
