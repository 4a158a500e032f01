//! Files that programs write beside what they are there for: by an option, or as an operand. Owns the two tables.

use super::{Options, cards, words::named_by};
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
};

/// Options that name a file or a directory which the program writes beside what it is there for, and whether it adds to it,
/// sorted. What is written by rows of their own is not repeated here.
static LOGS: &[(&str, &[&str], WriteMode)] = &[
    ("aria2c", &["-l", "--log", "--save-session"], WriteMode::Append),
    ("autossh", &["-E"], WriteMode::Append),
    ("bsdtar", &["--index-file", "--listed-incremental"], WriteMode::Replace),
    ("cargo", &["--target-dir"], WriteMode::Create),
    ("chromium", &["--print-to-pdf", "--screenshot"], WriteMode::Replace),
    ("cmake", &["-B"], WriteMode::Create),
    ("coverage", &["--data-file"], WriteMode::Replace),
    ("git", &["--output", "--output-directory"], WriteMode::Replace),
    ("nmap", &["-oA", "-oG", "-oN", "-oX"], WriteMode::Replace),
    ("npm", &["--pack-destination"], WriteMode::Create),
    ("openssl", &["-keyout"], WriteMode::Replace),
    ("pandoc", &["-o", "--output"], WriteMode::Replace),
    ("protoc", &["--cpp_out", "--go_out", "--java_out", "--python_out"], WriteMode::Create),
    (
        "pytest",
        &["--html", "--junit-xml", "--junitxml", "--report-log", "--resultlog"],
        WriteMode::Replace,
    ),
    (
        "rsync",
        &["--backup-dir", "--only-write-batch", "--partial-dir", "--temp-dir", "--write-batch"],
        WriteMode::Create,
    ),
    ("ssh", &["-E"], WriteMode::Append),
    ("textutil", &["-output", "-outputdir"], WriteMode::Replace),
    ("xorriso", &["-outdev"], WriteMode::Replace),
];

/// Which operand of a program, behind its verbs, is the file that it writes.
#[derive(Clone, Copy, Debug)]
enum Written {
    /// The last word, where there are so many operands or more.
    Last(usize),
    /// The one at this place.
    At(usize),
}

/// Programs that write a file which is an operand of theirs, with the verbs for which that is so, sorted.
static RESULTS: &[(&str, &[&str], Written)] = &[
    ("aws", &["lambda", "invoke"], Written::Last(3)),
    ("aws", &["s3api", "get-object"], Written::Last(3)),
    ("convert", &[], Written::Last(2)),
    ("ffmpeg", &[], Written::Last(1)),
    ("git", &["bundle", "create"], Written::At(2)),
    ("git", &["mailinfo"], Written::At(1)),
    ("git", &["mailinfo"], Written::At(2)),
    ("lz4", &[], Written::Last(2)),
    ("magick", &[], Written::Last(2)),
    ("objcopy", &[], Written::Last(2)),
    ("pdf2ps", &[], Written::Last(2)),
    ("pdftocairo", &[], Written::Last(2)),
    ("pdftohtml", &[], Written::Last(2)),
    ("pdftops", &[], Written::Last(2)),
    ("pdftotext", &[], Written::Last(2)),
    ("ps2pdf", &[], Written::Last(2)),
    ("qemu-img", &["convert"], Written::Last(3)),
    ("qemu-img", &["create"], Written::At(1)),
    ("qpdf", &[], Written::Last(2)),
    ("script", &[], Written::At(0)),
    ("sftp", &[], Written::At(1)),
    ("sox", &[], Written::At(1)),
    ("wkhtmltoimage", &[], Written::Last(2)),
    ("wkhtmltopdf", &[], Written::Last(2)),
];

pub(super) fn written_by_option(
    walk: &mut dyn Host,
    name: &str,
    arguments: &[Argument],
    invocation: &Invocation,
) {
    if RESULTS.binary_search_by(|(program, ..)| (*program).cmp(name)).is_ok() {
        result(walk, name, arguments, invocation);
    }
    if name == "git" && arguments.iter().any(|word| known_is(word, &["archive", "format-patch"])) {
        let names = ["-o", "--output"];
        for file in names.iter().flat_map(|option| named_by(arguments, option)) {
            walk.write(&file, WriteMode::Replace, invocation.written());
        }
    }
    let row = LOGS.binary_search_by(|(program, ..)| (*program).cmp(name)).ok();
    let row = row.and_then(|at| LOGS.get(at)).map(|(_, names, mode)| (*names, *mode));
    let Some((names, mode)) = row.or_else(|| cards::card(name)?.writes) else { return };
    let mut files: Vec<Argument> =
        names.iter().flat_map(|option| named_by(arguments, option)).collect();
    // `ssh -vE FILE`
    if files.is_empty() {
        let options = Options::new(arguments, invocation.values).of(cards::manual(name));
        files = options.values_of(names).collect();
    }
    for file in files {
        // `docker buildx build --output type=docker` names no file.
        if !file.text.known_prefix().starts_with("type=") {
            walk.write(&file, mode, invocation.origin());
        }
    }
}

fn known_is(word: &Argument, names: &[&str]) -> bool {
    word.text.as_known().is_some_and(|word| names.contains(&word))
}

/// The operand that a program writes.
fn result(walk: &mut dyn Host, name: &str, arguments: &[Argument], invocation: &Invocation) {
    let operands: Vec<&Argument> = Options::new(arguments, invocation.values).operands().collect();
    let verb = |at: usize| operands.get(at).and_then(|word| word.text.as_known());
    for (_, verbs, written) in RESULTS.iter().filter(|(program, ..)| *program == name) {
        if !verbs.iter().enumerate().all(|(at, word)| verb(at) == Some(word)) {
            continue;
        }
        let file = match written {
            Written::Last(least) if operands.len() >= *least => arguments.last(),
            Written::Last(_) => None,
            Written::At(at) => operands.get(*at).copied(),
        };
        if let Some(file) = file.filter(|file| !file.text.known_prefix().starts_with('-')) {
            walk.write(file, WriteMode::Replace, invocation.written());
        }
    }
}

/// Whether a program has a row here, for the test of the cards.
#[cfg(test)]
pub(super) fn lists(name: &str) -> bool {
    LOGS.iter().any(|(program, ..)| *program == name)
}
