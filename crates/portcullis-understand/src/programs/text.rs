//! Rows of the programs that print and turn text. What they print is evaluated in `filters`; here stands which files
//! they read and write on the way.

use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    programs::invocation::{Invocation, gives_names},
    text::{Piece, Taint, Text},
};

use super::{Does, Filter, Program, filters};

const fn stream(name: &'static str) -> Program {
    Program { name, values: &[], does: Does::Custom(filtered) }
}

const fn prints(name: &'static str, print: fn(&Filter<'_>) -> Option<Text>) -> Program {
    Program { name, values: &[], does: Does::Filters(print) }
}

const fn packer(name: &'static str) -> Program {
    Program { name, values: &["-S", "--suffix", "-T", "--threads"], does: Does::Custom(packed) }
}

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    stream("base32"),
    stream("base64"),
    prints("basename", |filter| printed("basename", filter)),
    stream("basenc"),
    packer("bunzip2"),
    stream("bzcat"),
    packer("bzip2"),
    stream("cat"),
    stream("column"),
    stream("cut"),
    prints("dirname", |filter| printed("dirname", filter)),
    Program { name: "dos2unix", values: &[], does: Does::Custom(edited_in_place) },
    prints("echo", |filter| printed("echo", filter)),
    stream("expand"),
    prints("expr", |filter| printed("expr", filter)),
    stream("fmt"),
    stream("fold"),
    packer("gunzip"),
    stream("gzcat"),
    packer("gzip"),
    stream("head"),
    stream("hexdump"),
    Program { name: "iconv", values: &["-o", "--output"], does: Does::Custom(filtered) },
    prints("jot", |filter| printed("jot", filter)),
    stream("jq"),
    packer("lz4"),
    stream("lz4cat"),
    stream("nl"),
    stream("od"),
    stream("paste"),
    prints("printf", |filter| printed("printf", filter)),
    stream("rev"),
    Program { name: "sed", values: SED, does: Does::Custom(sed) },
    prints("seq", |filter| printed("seq", filter)),
    stream("shuf"),
    Program { name: "sort", values: &["-o", "--output"], does: Does::Custom(filtered) },
    Program { name: "sponge", values: &[], does: Does::Custom(tee) },
    stream("strings"),
    stream("tac"),
    stream("tail"),
    Program { name: "tee", values: &["--output-error"], does: Does::Custom(tee) },
    stream("tr"),
    stream("unexpand"),
    Program { name: "uniq", values: UNIQ, does: Does::Custom(second_operand_written) },
    Program { name: "unix2dos", values: &[], does: Does::Custom(edited_in_place) },
    packer("unxz"),
    Program { name: "uudecode", values: &["-o"], does: Does::Custom(filtered) },
    stream("wc"),
    prints("which", |filter| printed("which", filter)),
    Program { name: "xxd", values: XXD, does: Does::Custom(second_operand_written) },
    packer("xz"),
    stream("xzcat"),
    Program { name: "yes", values: &[], does: Does::Filters(|_| None) },
    stream("yq"),
    stream("zcat"),
    packer("zstd"),
    stream("zstdcat"),
];

const SED: &[&str] = &["-e", "--expression", "-f", "--file", "-l", "--line-length"];
const UNIQ: &[&str] = &["-f", "-s", "-w", "--skip-fields", "--skip-chars", "--check-chars"];
const XXD: &[&str] = &["-c", "-cols", "-g", "-l", "-len", "-n", "-o", "-s", "-seek"];

fn printed(program: &str, filter: &Filter<'_>) -> Option<Text> {
    filters::evaluate(program, filter.arguments, filter.input, &mut |_| Text::default())
}

/// Reads what its operands name or its standard input; `-o` names a file that gets the output.
fn filtered(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let output = evaluated(walk, invocation);
    if let Some(file) =
        invocation.options().value(&["-o", "--output"]).filter(|_| !invocation.values.is_empty())
    {
        walk.write(&file, WriteMode::Replace, output);
        return Text::default();
    }
    output
}

fn evaluated(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(same) = same_lines(invocation).filter(gives_names) {
        return same;
    }
    filters::evaluate(
        &invocation.program,
        &invocation.arguments,
        invocation.input.as_ref(),
        &mut |file| walk.read(file),
    )
    .or_else(|| same_lines(invocation))
    .unwrap_or_else(|| Text::unknown(&invocation.program))
}

/// The lines of an input that is half known, of a program that only puts them into another order or under other ends.
fn same_lines(invocation: &Invocation) -> Option<Text> {
    let input = invocation.input.as_ref().filter(|input| !input.is_empty())?;
    let words: Vec<&str> =
        invocation.arguments.iter().filter_map(|word| word.text.as_known()).collect();
    let keeps = match invocation.program.as_str() {
        "sort" | "uniq" | "shuf" | "tac" => words.iter().all(|word| word.starts_with('-')),
        // Some of the names that a pattern gives.
        "head" | "tail" => {
            gives_names(input)
                && words.iter().all(|word| {
                    word.starts_with('-')
                        || word.trim_start_matches('+').bytes().all(|byte| byte.is_ascii_digit())
                })
        }
        "tr" => matches!(words.as_slice(), ["\\n", " " | "\\0" | "\\000"] | ["\\0" | " ", "\\n"]),
        _ => false,
    };
    keeps.then(|| input.clone())
}

/// `uniq IN OUT`, `xxd IN OUT`.
fn second_operand_written(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    // What `uniq` compares is a part of the line: what comes out is known no more than that it comes from there.
    let output = if invocation.program == "uniq" && invocation.options().has(UNIQ) {
        let first = invocation.options().operands().next().cloned();
        let mut output = Text::unknown("uniq");
        match (first, &invocation.input) {
            (Some(file), _) => output.inherit(&walk.read(&file)),
            (None, Some(input)) => output.inherit(input),
            (None, None) => {}
        }
        output
    } else {
        evaluated(walk, invocation)
    };
    let second = invocation.options().operands().nth(1).cloned();
    match second {
        Some(file) => {
            walk.write(&file, WriteMode::Replace, output);
            Text::default()
        }
        None => output,
    }
}

fn tee(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mode =
        if options.has(&["-a", "--append"]) { WriteMode::Append } else { WriteMode::Replace };
    let files: Vec<Argument> = options.operands().cloned().collect();
    let input = invocation.input.clone().unwrap_or_else(|| Text::unknown("standard input"));
    for file in &files {
        walk.write(file, mode, input.clone());
    }
    input
}

/// `sed`: with `-i` its files are changed, what its script executes is run, and the rest is a filter.
fn sed(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let mut scripts: Vec<Argument> = options.values_of(&["-e", "--expression"]).collect();
    let script_files: Vec<Argument> = options.values_of(&["-f", "--file"]).collect();
    let mut files: Vec<Argument> = options.operands().cloned().collect();
    if scripts.is_empty() && script_files.is_empty() && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    let in_place = options.has(&["-i", "--in-place"]);
    let quiet = options.has(&["-n", "--quiet", "--silent"]);
    let extended = options.has(&["-E", "-r", "--regexp-extended"]);
    let mut texts: Vec<Text> =
        scripts.iter().map(|script| walk.text_of_input(&script.text)).collect();
    for file in &script_files {
        // `sed -f - FILE`: the script arrives on the input.
        if matches!(file.text.as_known(), Some("-" | "/dev/stdin" | "/dev/fd/0")) {
            let input = invocation.input.clone().unwrap_or_default();
            texts.push(walk.text_of_input(&input));
            continue;
        }
        let read = walk.read(file);
        let mut script = walk.read_named(file);
        script.inherit(&read);
        texts.push(script);
    }
    let texts: Vec<&Text> = texts.iter().collect();
    let span = scripts.first().map_or(invocation.span, |script| script.span);

    let mut whole = Text::default();
    let mut inputs: Vec<(Option<&Argument>, Text)> = Vec::new();
    for file in &files {
        let read = walk.read(file);
        // What may be started by now is read as it will be then.
        let is_started = in_place && walk.facts().session.may_start();
        inputs.push((Some(file), if is_started { walk.text_of_input(&read) } else { read }));
    }
    if files.is_empty() {
        let input = invocation.input.clone();
        inputs.push((None, input.unwrap_or_else(|| Text::unknown("standard input"))));
    } else if !in_place {
        // Without `-i` all files are one stream.
        let mut stream = Text::default();
        for (_, text) in &inputs {
            stream.append(text);
        }
        inputs = vec![(None, stream)];
    }
    for (file, input) in inputs {
        let edited = filters::edit(&texts, quiet, extended, &input);
        for name in &edited.reads {
            walk.read(&Argument { text: Text::known(name.clone()), span });
        }
        let mut output = edited.output;
        for code in &edited.executes {
            output.append(&walk.shell(code, span, &[], None));
        }
        for name in edited
            .writes
            .iter()
            .filter(|name| !matches!(name.as_str(), "/dev/stderr" | "/dev/stdout"))
        {
            let target = Argument { text: Text::known(name.clone()), span };
            let mut content = Text::unknown("sed");
            content.inherit(&output);
            walk.write(&target, WriteMode::Replace, content);
        }
        match file {
            Some(file) => {
                let content = with_insertions(&input, edited.puts_in.as_deref()).unwrap_or(output);
                walk.write(file, WriteMode::Edit, content);
            }
            None => {
                // One file that is printed with changes is that file, changed.
                let changed = edited.puts_in.as_deref().filter(|_| files.len() == 1 && !quiet);
                let changed = changed.and_then(|puts_in| with_insertions(&input, Some(puts_in)));
                whole.append(&changed.unwrap_or(output));
            }
        }
    }
    whole
}

/// A file of which nothing is known, after a script that is known changed it: what was there, then what was put in, which is
/// read as code wherever the file is run.
pub(super) fn with_insertions(input: &Text, puts_in: Option<&str>) -> Option<Text> {
    let puts_in = puts_in.filter(|_| matches!(input.pieces.first(), Some(Piece::Unknown(_))))?;
    let mut content = input.clone();
    if !puts_in.is_empty() {
        content.push_known("\n");
        content.push_known(puts_in);
    }
    Some(content)
}

/// Without a file it is a filter; with files it changes them.
fn edited_in_place(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let files: Vec<Argument> = invocation.options().operands().cloned().collect();
    if files.is_empty() {
        let mut output = Text::unknown(&invocation.program);
        if let Some(input) = &invocation.input {
            output.inherit(input);
            if let Some(known) = input.as_known() {
                let plain = known.replace("\r\n", "\n");
                let bytes = if invocation.program == "unix2dos" {
                    plain.replace('\n', "\r\n")
                } else {
                    plain
                };
                output = input.derive(Text::known(bytes).pieces);
            }
        }
        return output;
    }
    for file in &files {
        let content = walk.read(file);
        // Line ends say nothing of what the lines do.
        walk.write(file, WriteMode::Edit, content);
    }
    Text::default()
}

/// Compressors: with `-c`, or without a file, a filter; otherwise the file is replaced by its other form.
fn packed(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let unpacks = invocation.program.starts_with("un")
        || invocation.program.ends_with("unzip2")
        || invocation.program == "gunzip"
        || options.has(&["-d", "--decompress", "--uncompress"]);
    let to_output = options.has(&["-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list"]);
    let keeps =
        options.has(&["-k", "--keep"]) || matches!(invocation.program.as_str(), "zstd" | "lz4");
    let files: Vec<Argument> = options.operands().cloned().collect();
    let mut output = Text::unknown(&invocation.program);
    if unpacks {
        output.taint = output.taint.with(Taint::DECODED);
    }
    let is_gzip = matches!(invocation.program.as_str(), "gzip" | "gunzip");
    let turned = |from: &Text| {
        let known = match unpacks {
            _ if !is_gzip => None,
            true => filters::unpack(from),
            false => filters::pack(from),
        };
        let mut turned = known.unwrap_or_else(|| Text::unknown(&invocation.program));
        turned.inherit(&output);
        turned.inherit(from);
        turned
    };
    if files.is_empty() {
        return invocation.input.as_ref().map_or_else(|| output.clone(), turned);
    }
    let contents: Vec<Text> = files.iter().map(|file| turned(&walk.read(file))).collect();
    if let [content] = contents.as_slice()
        && to_output
    {
        return content.clone();
    }
    for (file, content) in files.iter().zip(contents) {
        if to_output {
            output.inherit(&content);
            continue;
        }
        let other = other_form(file, &invocation.program, unpacks);
        walk.write(&other, WriteMode::Create, content);
        if !keeps && other.text != file.text {
            walk.delete(file, false);
        }
    }
    if to_output { output } else { Text::default() }
}

/// The name of a file after it was packed or unpacked.
fn other_form(file: &Argument, program: &str, unpacks: bool) -> Argument {
    let extension = match program {
        "gzip" | "gunzip" => ".gz",
        "bzip2" | "bunzip2" => ".bz2",
        "xz" | "unxz" => ".xz",
        "lz4" => ".lz4",
        _ => ".zst",
    };
    let mut text = file.text.clone();
    if !unpacks {
        text.push_known(extension);
    } else if let Some(stem) = file.text.as_known().and_then(|name| name.strip_suffix(extension)) {
        text = file.text.derive(Text::known(stem).pieces);
    }
    Argument { text, span: file.span }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_that_is_evaluated_has_an_evaluator() {
        for row in TABLE {
            let own = [
                "bunzip2", "bzip2", "dos2unix", "gunzip", "gzip", "lz4", "sed", "sponge", "tee",
                "unix2dos", "unxz", "xz", "yes", "zstd",
            ];
            assert_ne!(filters::is_evaluated(row.name), own.contains(&row.name), "{}", row.name);
        }
    }

    #[test]
    fn rows_are_sorted() {
        assert!(TABLE.is_sorted_by(|left, right| left.name < right.name));
    }
}
