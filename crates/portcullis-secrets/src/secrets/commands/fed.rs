//! What is shown to a program that reads a secret from its input. Owns which programs do and what is given to them.

use super::{
    Found,
    taken::{program, program_name},
    typed,
    words::{Line, Word},
};

/// The programs that read a secret from their input, with the words that make them; at least one of those, where there are any.
const READERS: &[(&str, &[&str])] = &[
    ("passwd", &[]),
    ("smbpasswd", &[]),
    ("vncpasswd", &[]),
    ("chpasswd", &[]),
    ("cryptsetup", &[]),
    ("kinit", &[]),
    ("sudo", &["-S", "--stdin"]),
    ("htpasswd", &["-i", "-ni", "-ic"]),
    ("gpg", &["--passphrase-fd"]),
    ("gpg2", &["--passphrase-fd"]),
    ("openssl", &["stdin"]),
    ("mount", &["cifs"]),
    ("mount.cifs", &[]),
    ("bw", &["unlock", "login"]),
    ("p4", &["login"]),
    ("npm", &["login", "adduser"]),
    ("gh", &["--with-token", "secret"]),
    ("glab", &["--stdin"]),
    ("wrangler", &["secret"]),
    ("vercel", &["env"]),
    ("fly", &["secrets"]),
    ("flyctl", &["secrets"]),
    ("gcloud", &["secrets"]),
    ("kubectl", &["secret"]),
    ("oc", &["secret"]),
    ("secret-tool", &["store"]),
    ("pass", &["insert"]),
    ("gopass", &["insert"]),
    ("keyring", &["set"]),
    ("security", &["add-generic-password"]),
];

/// Masks what is given to the programs of a line that read a secret.
pub(super) fn into_programs(found: &mut Found<'_>, line: &Line) {
    for (at, words) in line.commands.iter().enumerate() {
        if !is_reader(found, words) {
            continue;
        }
        let mut fed = words.windows(2).filter_map(|two| {
            let [sign, text] = two else { return None };
            (found.source.slice(sign.start, sign.end) == b"<<<").then_some(*text)
        });
        if let Some(text) = fed.next() {
            shown(found, &text);
        }
        for (number, before) in line.commands.iter().take(at).enumerate() {
            let alone = number + 1 == at;
            given(found, before, alone);
        }
        // What follows the password of `sudo` is for what it starts.
        let is_sudo = words.iter().any(|word| program_name(found, Some(word)) == "sudo");
        here_document(found, words, line.end, if is_sudo { 1 } else { 2 });
    }
}

fn is_reader(found: &Found<'_>, words: &[Word]) -> bool {
    let is_one = |name: &str| READERS.iter().any(|(program, _)| *program == name);
    let Some(at) = program(found, words, is_one) else { return false };
    let name = program_name(found, words.get(at));
    let has = |wanted: &&str| {
        let is_it = |word: &Word| {
            let text = found.source.slice(word.start, word.end);
            text == wanted.as_bytes() || text.starts_with(wanted.as_bytes()) && text.contains(&b'=')
        };
        words.iter().skip(at + 1).any(is_it)
    };
    READERS
        .iter()
        .any(|(program, words)| *program == name && (words.is_empty() || words.iter().any(has)))
}

/// Masks what `echo` and `printf` show; `last` says that nothing stands between them and the program.
fn given(found: &mut Found<'_>, words: &[Word], last: bool) {
    let name = program_name(found, words.first());
    if !matches!(name, "echo" | "printf") {
        return;
    }
    let source = found.source;
    let text = |word: &Word| source.slice(word.start, word.end);
    let mut operands =
        words.iter().skip(1).filter(|word| text(word).first() != Some(&b'-')).peekable();
    if name == "printf" && operands.peek().is_some_and(|word| text(word).contains(&b'%')) {
        operands.next();
    }
    let all: Vec<Word> = operands.copied().collect();
    // What is changed on its way there was a sentence as little as a password is.
    if last || all.len() == 1 {
        for word in all {
            shown(found, &word);
        }
    }
}

fn shown(found: &mut Found<'_>, word: &Word) {
    const SHORTEST: usize = 4;
    let text = typed(found.source.slice(word.start, word.end));
    let from = match memchr::memchr(b':', text) {
        Some(colon) if text.iter().take(colon).all(u8::is_ascii_alphanumeric) => colon + 1,
        _ => 0,
    };
    if text.len() - from >= SHORTEST {
        found.mask(word.start + from, word.start + text.len());
    }
}

/// Masks the first lines between `<<END` and `END`, up to one that reads as a command.
fn here_document(found: &mut Found<'_>, words: &[Word], from: usize, most: usize) {
    let source = found.source;
    let tag = words.iter().enumerate().find_map(|(at, word)| {
        let rest = source.slice(word.start, word.end).strip_prefix(b"<<")?;
        let rest = rest.strip_prefix(b"-").unwrap_or(rest);
        let tag = if rest.is_empty() {
            words.get(at + 1).map(|next| source.slice(next.start, next.end))?
        } else {
            rest
        };
        let tag = tag.strip_prefix(b"'").and_then(|tag| tag.strip_suffix(b"'")).unwrap_or(tag);
        (!tag.starts_with(b"<") && !tag.is_empty()).then_some(tag)
    });
    let Some(tag) = tag.filter(|_| from >= found.documents_until) else { return };
    let mut start = from;
    for _ in 0..most {
        let end = source.skip(start, |byte| !matches!(byte, b'\n' | b'\\'));
        let text = source.slice(start, end).trim_ascii();
        if text == tag || text.contains(&b' ') {
            break;
        }
        found.mask(start, end);
        start = end + 1 + usize::from(source.at(end) == b'\\');
    }
    found.documents_until = start;
}
