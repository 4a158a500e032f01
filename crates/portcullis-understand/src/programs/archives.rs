//! Programs that pack, unpack and mirror. Owns which files they read and where they write.

use super::{
    Does, Program,
    laid_over::unpacked,
    listed_names,
    operands::{after, known, operands, synthetic},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason, WriteMode},
    place,
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Text},
};

const fn custom(
    name: &'static str,
    values: &'static [&'static str],
    act: fn(&mut dyn Host, &Invocation) -> Text,
) -> Program {
    Program { name, values, does: Does::Custom(act) }
}

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    custom("7z", &[], seven),
    custom("ar", &[], archive),
    custom("bsdtar", TAR, tar),
    custom("compress", &["-b"], in_place),
    custom("cpio", CPIO, cpio),
    custom("lrzip", &["-o", "-O", "-S", "-L", "-p", "-w"], in_place),
    custom("lzip", &["-o", "-b", "-m", "-s", "-S"], in_place),
    custom("lzma", &["-S"], in_place),
    custom("lzop", &["-o", "-p", "-S"], in_place),
    custom("pax", &["-f", "-x", "-s", "-b"], cpio),
    custom("pigz", &["-p", "-b", "-S"], in_place),
    custom("rar", &[], archive),
    custom("star", TAR, tar),
    custom("tar", TAR, tar),
    custom("uncompress", &[], in_place),
    custom("unrar", &[], unpack),
    custom("unzip", &["-d", "-x", "-P"], unzip),
    custom(
        "zip",
        &["-P", "-b", "-i", "-n", "-O", "-s", "-t", "-tt", "-TT", "-x", "--password"],
        zip,
    ),
];

const TAR: &[&str] = &[
    "--add-file",
    "--index-file",
    "-C",
    "-f",
    "-T",
    "-X",
    "-b",
    "-g",
    "-I",
    "-K",
    "-L",
    "-N",
    "-V",
    "-F",
    "-H",
    "--directory",
    "--file",
    "--files-from",
    "--exclude",
    "--exclude-from",
    "--transform",
    "--owner",
    "--group",
    "--mode",
    "--mtime",
    "--use-compress-program",
    "--to-command",
    "--checkpoint-action",
    "--strip-components",
    "--listed-incremental",
    "--newer",
    "--format",
    "--rsh-command",
    "--info-script",
    "--new-volume-script",
    "--rmt-command",
    "--tape-length",
    "--wildcards-match-slash",
];
const CPIO: &[&str] = &[
    "-F",
    "-I",
    "-O",
    "-D",
    "-H",
    "-C",
    "-R",
    "-M",
    "-E",
    "--file",
    "--directory",
    "--format",
    "--owner",
];

/// How many names from an input are followed one by one; more than a person would list.
const NAMES: usize = 64;

fn tar(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    // `tar xzf a.tgz`: letters without a dash, whose values are the next operands in turn.
    let old = invocation.arguments.first().map(known).filter(|word| {
        !word.is_empty()
            && !word.starts_with('-')
            && word.bytes().all(|letter| letter.is_ascii_alphabetic())
    });
    // What `TAR_OPTIONS` holds stands before all other options.
    let named = |(name, _): &&(String, Text)| name == "TAR_OPTIONS";
    let before = invocation.environment.iter().find(named).map(|(_, value)| value.clone());
    let before = before.or_else(|| walk.variable_set("TAR_OPTIONS"));
    let extended = before.map(|before| {
        let words = super::escapes::words_of(&before, invocation.span);
        // A shell that it names is one that tar starts.
        super::escapes::options_of(walk, "tar", &words);
        let words: Vec<Argument> =
            words.into_iter().chain(invocation.arguments.iter().cloned()).collect();
        Invocation { arguments: words.into(), ..invocation.clone() }
    });
    let invocation = extended.as_ref().unwrap_or(invocation);
    let options = invocation.options().abbreviating();
    said_by_list(walk, invocation);
    let mut files = operands(invocation);
    let mut archive = options.value(&["-f", "--file"]);
    let mut place = options.value(&["-C", "--directory", "--cd"]);
    let mut lists: Vec<Argument> = options.values_of(&["-T", "--files-from"]).collect();
    let letter = |name: char, option: &[&str]| {
        old.is_some_and(|word| word.contains(name)) || options.has(option)
    };
    if let Some(word) = old {
        let mut rest = files.into_iter().skip(1);
        for letter in word.chars() {
            match letter {
                'f' => archive = rest.next(),
                'C' => place = rest.next(),
                'T' => lists.extend(rest.next()),
                'b' | 'F' | 'H' | 'I' | 'K' | 'L' | 'N' | 'V' | 'X' | 'g' => {
                    rest.next();
                }
                _ => {}
            }
        }
        files = rest.collect();
    }
    // gnu.org/software/tar, "Environment Variables": the archive where no option names one.
    let archive = archive.or_else(|| {
        let named = invocation.environment.iter().find(|(name, _)| name == "TAPE");
        let value = named.map(|(_, value)| value.clone()).or_else(|| walk.variable_set("TAPE"));
        value.map(|text| Argument { text, span: invocation.span })
    });
    if letter('c', &["-c", "--create"])
        || letter('r', &["-r", "--append"])
        || letter('u', &["-u", "--update"])
    {
        let mut content = Text::unknown("tar");
        // What leads to settings and keys once it is unpacked here.
        for put in replacements(invocation) {
            if leads_astray(walk, &put) {
                walk.at_likely(|walk| walk.write(&put, WriteMode::Replace, Text::unknown("tar")));
            }
        }
        for list in &lists {
            let input = invocation.input.as_ref();
            let separator = if options.has(&["--null"]) { '\0' } else { '\n' };
            files.extend(listed(listed_names::in_file(walk, list, input, separator)));
        }
        for file in options.values_of(&["--add-file"]) {
            content.inherit(&walk.read(&relative_to(place.as_ref(), &file)));
        }
        for file in &files {
            content.inherit(&walk.read(&relative_to(place.as_ref(), file)));
            if options.has(&["--remove-files"]) {
                walk.delete(&relative_to(place.as_ref(), file), true);
            }
        }
        return match archive {
            // `HOST:FILE` lies on another machine.
            Some(archive) if is_elsewhere(&archive) && !options.has(&["--force-local"]) => {
                walk.connect(&archive, Some(content), false);
                Text::default()
            }
            Some(archive) if known(&archive) != "-" => {
                walk.write(&archive, WriteMode::Replace, content);
                Text::default()
            }
            _ => content,
        };
    }
    // tar(1), `--delete`: what is named is taken out of the archive itself.
    if options.has(&["--delete"])
        && let Some(archive) = &archive
        && known(archive) != "-"
    {
        walk.delete(archive, false);
        return Text::default();
    }
    let content = match archive {
        Some(archive) if known(&archive) != "-" => walk.read(&archive),
        _ => invocation.input.clone().unwrap_or_default(),
    };
    if letter('x', &["-x", "--extract", "--get"]) && !letter('O', &["-O", "--to-stdout"]) {
        // With absolute names the archive says where everything goes.
        let anywhere = letter('P', &["-P", "--absolute-names"]);
        let place = options.value(&["--one-top-level"]).or(place);
        let place = if anywhere { Some(synthetic("/", invocation.span)) } else { place };
        // tar(1): an incremental archive takes away what it does not hold.
        if letter('G', &["-G", "--incremental", "-g", "--listed-incremental"]) {
            let here = place.clone().unwrap_or_else(|| synthetic(".", invocation.span));
            walk.delete(&here, true);
        }
        // tar(1), `--transform 's,a,b,'`: names begin with what stands in their place.
        renamed(walk, place.as_ref(), invocation, &content);
        unpacked(walk, place, invocation, &content);
        return Text::default();
    }
    let mut printed = Text::unknown("tar");
    printed.inherit(&content);
    printed
}

/// The names of a list, where `-C DIRECTORY` among them says where those behind it lie.
fn listed(names: Vec<Argument>) -> Vec<Argument> {
    let mut place: Option<Argument> = None;
    let mut is_place = false;
    let mut files = Vec::new();
    for name in names {
        let known = known(&name).to_owned();
        let attached = known.strip_prefix("--directory=").or_else(|| {
            known.strip_prefix("-C").map(str::trim_start).filter(|rest| !rest.is_empty())
        });
        if std::mem::take(&mut is_place) {
            place = Some(name);
        } else if matches!(known.as_str(), "-C" | "--directory") {
            is_place = true;
        } else if let Some(directory) = attached {
            let text = name.text.beginning_with(directory);
            place = Some(Argument { text, span: name.span });
        } else if let Some(file) = known.strip_prefix("--add-file=") {
            let text = name.text.beginning_with(file);
            files.push(relative_to(place.as_ref(), &Argument { text, span: name.span }));
        } else if !known.starts_with('-') {
            files.push(relative_to(place.as_ref(), &name));
        }
    }
    files
}

/// gnu.org/software/tar, "Reading Names from a File": a line of such a list that begins with a dash is an option.
fn said_by_list(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    if options.has(&["--verbatim-files-from", "--null"]) {
        return;
    }
    for list in options.values_of(&["-T", "--files-from"]) {
        let names = match list.text.as_known() {
            Some("-" | "/dev/stdin") => invocation.input.clone().unwrap_or_default(),
            _ => walk.read_named(&list),
        };
        for line in names.known_prefix().lines().filter(|line| line.starts_with('-')) {
            let words = super::escapes::words_of(&Text::known(line), list.span);
            super::escapes::options_of(walk, "tar", &words);
        }
    }
}

/// What the options of an archiver put in the place of names: `--transform 's,a,b,'`, and `-s` of bsdtar and pax.
fn replacements(invocation: &Invocation) -> Vec<Argument> {
    let takes_s = matches!(invocation.program.as_str(), "bsdtar" | "pax");
    let names: &[&str] = if takes_s { &["-s"] } else { &["--transform", "--xform"] };
    let options = super::Options::new(&invocation.arguments, names);
    let put = |named: Argument| {
        let put = replacement(&named.text.display())?.to_owned();
        Some(synthetic(&put, named.span))
    };
    options.values_of(names).filter_map(put).collect()
}

/// Names begin with what stands in their place.
fn renamed(walk: &mut dyn Host, place: Option<&Argument>, invocation: &Invocation, content: &Text) {
    for put in replacements(invocation) {
        let put = relative_to(place, &put);
        if !put.text.display().ends_with('/') {
            walk.write(
                &put,
                WriteMode::Create,
                content.derive([Piece::Unknown("a member".into())]),
            );
        }
        unpacked(walk, Some(put), invocation, content);
    }
}

/// Whether a name means what starts by itself, what an agent may do, or a key.
fn leads_astray(walk: &dyn Host, name: &Argument) -> bool {
    let target = walk.target(&name.text);
    let facts = walk.facts();
    place::persistence_of(&target, facts).is_some()
        || place::credential_of(&target, facts).is_some()
        || place::agent_file_of(&target, facts).is_some()
}

/// What `s,a,b,` puts in the place of what it finds.
fn replacement(expression: &str) -> Option<&str> {
    // gnu.org/software/tar, "Modifying File and Member Names": which names are meant may stand before it.
    let expression = match expression.strip_prefix("flags=") {
        Some(rest) => rest.split_once(';')?.1,
        None => expression,
    };
    // pax(1) has no letter before it.
    let expression = expression.trim_start();
    let rest = expression.strip_prefix('s').unwrap_or(expression);
    let mark = rest.chars().next()?;
    rest.split(mark).nth(2).filter(|put| !put.is_empty())
}

fn is_elsewhere(archive: &Argument) -> bool {
    archive.text.known_prefix().split_once(':').is_some_and(|(host, _)| {
        // One letter is a drive of Windows.
        host.len() > 1 && !host.contains('/')
    })
}

fn relative_to(directory: Option<&Argument>, file: &Argument) -> Argument {
    match directory {
        Some(directory) if !file.text.known_prefix().starts_with('/') => {
            let mut text = directory.text.clone();
            text.push_known("/");
            text.append(&file.text);
            Argument { text, span: file.span }
        }
        _ => file.clone(),
    }
}

/// The invocation with the options that a variable of the environment puts before its own: `ZIPOPT`, `UNZIP`.
fn with_options_of(walk: &mut dyn Host, invocation: &Invocation, names: &[&str]) -> Invocation {
    let before = names.iter().find_map(|name| {
        let given = invocation.environment.iter().find(|(known, _)| known == name);
        given.map(|(_, value)| value.clone()).or_else(|| walk.variable_set(name))
    });
    let words = before.map(|before| super::escapes::words_of(&before, invocation.span));
    let words = words.unwrap_or_default().into_iter().chain(invocation.arguments.iter().cloned());
    Invocation { arguments: words.collect::<Vec<_>>().into(), ..invocation.clone() }
}

/// zip(1), "ENVIRONMENT".
fn zip(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let invocation = &with_options_of(walk, invocation, &["ZIPOPT", "ZIP"]);
    let files = operands(invocation);
    let Some((archive, files)) = files.split_first() else { return Text::default() };
    let mut content = Text::unknown("zip");
    let moves =
        invocation.options().has(&["-m", "--move"]) || has_letter(&invocation.arguments, 'm');
    // zip(1): the command that tests the archive may be attached to its option of two letters.
    for argument in &invocation.arguments {
        if let Some(code) = after(argument, "-TT").filter(|code| !code.text.is_empty()) {
            walk.shell(&code.text, code.span, &[], None);
        }
    }
    // zip(1), `-@`: the names come from the input.
    let takes_names =
        invocation.options().has(&["--names-stdin"]) || has_letter(&invocation.arguments, '@');
    let listed = match &invocation.input {
        Some(input) if takes_names => listed_names::in_text(walk, input, archive, '\n'),
        _ => Vec::new(),
    };
    for file in files.iter().chain(&listed) {
        content.inherit(&walk.read(file));
        if moves {
            walk.delete(file, true);
        }
    }
    if known(archive) == "-" {
        return content;
    }
    walk.write(archive, WriteMode::Replace, content);
    Text::default()
}

/// Whether one of zip's words of letters has one, before a letter that takes the rest of the word.
fn has_letter(arguments: &[Argument], letter: char) -> bool {
    arguments.iter().filter_map(|word| known(word).strip_prefix('-')).any(|letters| {
        let own = letters.split(['b', 'i', 'n', 'O', 'P', 's', 't', 'T', 'x']).next();
        !letters.starts_with('-') && own.is_some_and(|own| own.contains(letter))
    })
}

/// unzip(1), "ENVIRONMENT OPTIONS".
fn unzip(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let invocation = &with_options_of(walk, invocation, &["UNZIP", "UNZIPOPT"]);
    let options = invocation.options();
    let mut content = Text::unknown("unzip");
    if let Some(archive) = operands(invocation).first() {
        content.inherit(&walk.read(archive));
    }
    if options.has(&["-p", "-c", "-l", "-t", "-v", "-Z", "-z"]) {
        return content;
    }
    // unzip(1), "-:": members may go up out of where they are put.
    let climbs = invocation.arguments.iter().any(|word| {
        let written = known(word);
        written.starts_with('-') && !written.starts_with("--") && written.ends_with(':')
    });
    let place = if climbs { Some(synthetic("/", invocation.span)) } else { options.value(&["-d"]) };
    unpacked(walk, place, invocation, &content);
    Text::default()
}

fn seven(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let files = operands(invocation);
    let command = files.first().map_or("", known).to_owned();
    let directory = invocation.arguments.iter().find_map(|argument| after(argument, "-o"));
    let prints = invocation.arguments.iter().any(|argument| known(argument) == "-so");
    let mut content = Text::unknown("7z");
    match command.as_str() {
        "a" | "u" => {
            let skip = if prints { 1 } else { 2 };
            let deletes = invocation.arguments.iter().any(|argument| known(argument) == "-sdel");
            for file in &with_lists(walk, files.get(skip..).unwrap_or_default()) {
                content.inherit(&walk.read(file));
                if deletes {
                    walk.delete(file, true);
                }
            }
            match files.get(1) {
                Some(archive) if !prints => {
                    walk.write(archive, WriteMode::Replace, content);
                    Text::default()
                }
                _ => content,
            }
        }
        _ => {
            for file in files.iter().skip(1).leading(1) {
                content.inherit(&walk.read(file));
            }
            if matches!(command.as_str(), "x" | "e") && !prints {
                unpacked(walk, directory, invocation, &content);
                return Text::default();
            }
            if let Some(input) = &invocation.input {
                content.inherit(input);
            }
            content
        }
    }
}

/// `ar r lib.a x.o`, `rar a x.rar dir`: a command, an archive, files.
fn archive(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut files = operands(invocation);
    // ar(1): a dash may stand before the letters.
    let dashed = invocation.arguments.first().filter(|word| {
        invocation.program.ends_with("ar")
            && invocation.program != "rar"
            && known(word).starts_with('-')
            && !known(word).starts_with("--")
    });
    if let Some(word) = dashed {
        files.insert(0, synthetic(known(word).trim_start_matches('-'), word.span));
    }
    let command = files.first().map_or("", known).to_owned();
    let mut content = Text::unknown(&invocation.program);
    // rar(1): `m` moves, `-df` and `-dw` delete what was packed.
    let is_moved = |word: &Argument| matches!(known(word), "-df" | "-dr" | "-dw");
    let moves = invocation.program == "rar"
        && (command.starts_with('m') || invocation.arguments.iter().any(is_moved));
    for file in &with_lists(walk, files.get(2..).unwrap_or_default()) {
        content.inherit(&walk.read(file));
        if moves {
            walk.delete(file, true);
        }
    }
    let Some(archive) = files.get(1) else { return content };
    if command.starts_with(['x', 'e', 't', 'p', 'l']) {
        content.inherit(&walk.read(archive));
        if command.starts_with(['x', 'e']) {
            unpacked(walk, None, invocation, &content);
            return Text::default();
        }
        return content;
    }
    walk.write(archive, WriteMode::Replace, content);
    Text::default()
}

/// Operands, of which `@FILE` is a list of names.
fn with_lists(walk: &mut dyn Host, files: &[Argument]) -> Vec<Argument> {
    let mut all = Vec::new();
    for file in files {
        match after(file, "@") {
            Some(list) => all.extend(listed_names::in_file(walk, &list, None, '\n')),
            None => all.push(file.clone()),
        }
    }
    all
}

fn unpack(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    archive(walk, invocation)
}

fn cpio(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut content = Text::unknown(&invocation.program);
    let names: Vec<String> = invocation
        .input
        .as_ref()
        .map(|input| {
            input
                .known_prefix()
                .lines()
                .at_most(NAMES, walk, invocation.span)
                .map(str::to_owned)
                .collect()
        })
        .unwrap_or_default();
    let packs = options.has(&["-o", "--create", "-p", "--pass-through", "-w"]);
    if packs {
        for name in &names {
            content.inherit(&walk.read(&synthetic(name, invocation.span)));
        }
        for file in operands(invocation) {
            if invocation.program == "pax" {
                content.inherit(&walk.read(&file));
            }
        }
    }
    if let Some(file) = options.value(&["-O"]).filter(|_| packs) {
        walk.write(&file, WriteMode::Replace, content);
        return Text::default();
    }
    if options.has(&["-p", "--pass-through"]) {
        unpacked(walk, operands(invocation).into_iter().next(), invocation, &content);
        return Text::default();
    }
    if options.has(&["-i", "--extract", "-r"]) && !options.has(&["-t", "--list", "--to-stdout"]) {
        // GNU cpio keeps to where it is unless it is told not to.
        let anywhere = options.has(&["--absolute-filenames"]);
        let place = if anywhere {
            Some(synthetic("/", invocation.span))
        } else {
            options.value(&["-D", "--directory"])
        };
        renamed(walk, place.as_ref(), invocation, &content);
        for list in options.values_of(&["--rename-batch-file"]) {
            let names = walk.read_named(&list);
            if names.as_known().is_none() {
                walk.gap(list.span, GapReason::UnknownCode);
            }
            for name in names.known_prefix().lines().at_most(NAMES, walk, list.span) {
                let name = relative_to(place.as_ref(), &synthetic(name, list.span));
                walk.write(&name, WriteMode::Replace, content.clone());
            }
        }
        unpacked(walk, place, invocation, &content);
    }
    content
}

/// Packs or unpacks each file where it lies; with `-c` what comes out is printed.
fn in_place(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let prints = options.has(&["-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list"]);
    let mut content = Text::unknown(&invocation.program);
    if let Some(input) = &invocation.input {
        content.inherit(input);
    }
    for file in operands(invocation) {
        let read = walk.read(&file);
        content.inherit(&read);
        if !prints {
            walk.write(&file, WriteMode::Edit, read);
        }
    }
    content
}
