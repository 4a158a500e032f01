//! GNU parallel, and the one of moreutils: many commands made of a template and lists of items. Owns where items come from, how
//! they are combined, and what stands for them in the template.

use portcullis_syntax::Span;

use super::{
    super::Options,
    batches::{COMMANDS, replaced, run_with, split_by},
    words::{command_after, own_options},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// The options that take the next argument.
pub(super) const VALUES: &[&str] = &[
    "-C",
    "-E",
    "-I",
    "-J",
    "-L",
    "-N",
    "-P",
    "-S",
    "-a",
    "-d",
    "-j",
    "-n",
    "-s",
    "--arg-file",
    "--arg-file-sep",
    "--arg-sep",
    "--basefile",
    "--basenamereplace",
    "--bf",
    "--block",
    "--block-size",
    "--bnr",
    "--colsep",
    "--combine-executable",
    "--combineexec",
    "--compress-program",
    "--delay",
    "--delimiter",
    "--dirnamereplace",
    "--dnr",
    "--env",
    "--er",
    "--extensionreplace",
    "--filter",
    "--group-by",
    "--halt",
    "--halt-on-error",
    "--header",
    "--id",
    "--joblog",
    "--jobs",
    "--limit",
    "--load",
    "--max-args",
    "--max-chars",
    "--max-lines",
    "--max-procs",
    "--max-replace-args",
    "--memfree",
    "--memsuspend",
    "--minversion",
    "--nice",
    "--parens",
    "--process-slot-var",
    "--profile",
    "--recend",
    "--recstart",
    "--result",
    "--results",
    "--retries",
    "--return",
    "--rpl",
    "--rsync-opts",
    "--semaphore-name",
    "--semaphore-timeout",
    "--semaphorename",
    "--semaphoretimeout",
    "--seqreplace",
    "--slf",
    "--sqlandworker",
    "--sqlmaster",
    "--sqlworker",
    "--ssh",
    "--sshdelay",
    "--sshlogin",
    "--sshloginfile",
    "--st",
    "--tagstring",
    "--tempdir",
    "--termseq",
    "--tf",
    "--timeout",
    "--tmpdir",
    "--tmpl",
    "--transferfile",
    "--trc",
    "--trim",
    "--use-compress-program",
    "--wd",
    "--workdir",
];

/// How many rows of items are made, of which each command takes one or more.
const ROWS: usize = 256;

/// The items of one command.
type Row = Vec<Text>;

pub(super) fn parallel(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = own_options(invocation, 0);
    // It prints the commands and runs none.
    if options.has(&["--dry-run", "--dryrun"]) {
        return invocation.origin();
    }
    let words = command_after(invocation, 0);
    let marks = Marks::of(&options);
    let ends = marks.first_in(words);
    let (template, given) = words.split_at(ends);
    let sources = options.values_of(&["-a", "--arg-file"]).collect::<Vec<_>>();
    if options.has(&["--semaphore", "--sem"]) || invocation.program == "sem" {
        return walk.shell(&joined(template), invocation.span, &[], invocation.input.clone());
    }
    if given.is_empty()
        && sources.is_empty()
        && invocation.input.is_none()
        && let Some(at) = template.iter().position(|word| word.text.as_known() == Some("--"))
    {
        let (command, jobs) = template.split_at(at);
        return jobs_behind(walk, command, jobs.get(1..).unwrap_or(&[]), options.has(&["-i"]));
    }
    // What the options say in Perl is run for each item.
    let perl = options.has(&["--rpl", "--filter"])
        || template.iter().any(|word| word.text.display().contains("{="));
    if perl {
        walk.gap(invocation.span, GapReason::UnknownCode);
    }
    let reading = Reading { options: &options, invocation };
    if options.has(&["--pipe", "--pipepart", "--spreadstdin"]) {
        let input = match sources.first() {
            Some(file) => {
                let names = walk.read(file);
                Some(walk.with_names(names))
            }
            None => invocation.input.clone(),
        };
        return walk.shell(&joined(template), invocation.span, &[], input);
    }
    let mut lists: Vec<List> = sources
        .into_iter()
        .map(|file| List { items: reading.items(walk, Some(&file)), is_linked: false })
        .collect();
    lists.extend(reading.lists(walk, given, &marks));
    if lists.is_empty() {
        lists.push(List { items: reading.items(walk, None), is_linked: false });
    }
    let rows = combined(walk, lists, invocation.span);
    let size = match options.value(&["-n", "-N", "--max-args", "--max-replace-args"]) {
        Some(count) => count.text.as_known().and_then(|count| count.parse().ok()).unwrap_or(1),
        None if options.has(&["-X", "-m", "--xargs"]) => ROWS,
        None => 1_usize,
    };
    let filling = Filling {
        mark: options.value(&["-I"]).map_or_else(|| "{}".to_owned(), |mark| mark.text.display()),
        quotes: options.has(&["-q", "--quote"]),
    };
    let keeps = !filling.quotes
        && matches!(template, [program, option, code, ..]
            if program.text.as_known().is_some_and(crate::programs::escapes::is_shell)
                && option.text.as_known() == Some("-c")
                && code.text.known_prefix().contains(' '));
    let mut commands: Vec<Row> =
        rows.chunks(size.max(1)).leading(COMMANDS + 1).map(|rows| rows.concat()).collect();
    if let Some(last) = commands.get_mut(COMMANDS) {
        *last = last.iter().map(|item| item.derive([Piece::Unknown("input".into())])).collect();
    }
    let mut printed = Text::default();
    // Commands read nothing, unless they are given the terminal.
    let input = (!options.has(&["--tty"])).then(Text::default);
    for row in commands {
        let code = filling.command(template, &row);
        let more = walk.shell(&code, invocation.span, &[], input.clone());
        printed.append(&more);
        // GNU's hands `bash -c 'a b'` to a shell without the quotes; others keep the words as they are.
        if keeps {
            let code = Filling { quotes: true, mark: filling.mark.clone() }.command(template, &row);
            walk.at_likely(|walk| walk.shell(&code, invocation.span, &[], input.clone()));
        }
    }
    printed
}

/// The words that open a list of items.
struct Marks {
    /// Before items.
    items: String,
    /// Before files with an item on each line.
    files: String,
}

/// What one of them opens.
#[derive(Clone, Copy)]
struct Opened {
    is_file: bool,
    /// Whether its items go with those of the list before, one by one.
    is_linked: bool,
}

impl Marks {
    fn of(options: &Options<'_>) -> Self {
        let separator = |name: &str, usual: &str| {
            options.value(&[name]).map_or_else(|| usual.to_owned(), |given| given.text.display())
        };
        Self { items: separator("--arg-sep", ":::"), files: separator("--arg-file-sep", "::::") }
    }

    fn opened(&self, word: &Argument) -> Option<Opened> {
        let word = word.text.as_known()?;
        let (plain, is_linked) = match word.strip_suffix('+') {
            Some(plain) => (plain, true),
            None => (word, false),
        };
        let is_file = plain == self.files;
        (is_file || plain == self.items).then_some(Opened { is_file, is_linked })
    }

    /// Where the first of them stands; the end, where none does.
    fn first_in(&self, words: &[Argument]) -> usize {
        words.iter().position(|word| self.opened(word).is_some()).unwrap_or(words.len())
    }
}

/// The items of one source.
struct List {
    items: Vec<Row>,
    is_linked: bool,
}

/// Each with each; linked lists one by one.
fn combined(walk: &mut dyn Host, lists: Vec<List>, span: Span) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let several = lists.len() > 1;
    for (index, List { mut items, is_linked }) in lists.into_iter().enumerate() {
        // Beside others an empty list is one item without anything in it.
        if several && items.is_empty() {
            items.push(Row::new());
        }
        rows = match (index, is_linked) {
            (0, _) => items,
            (_, true) => rows.into_iter().zip(items).map(together).collect(),
            (_, false) => {
                let each =
                    |row: Row| items.iter().map(move |more| together((row.clone(), more.clone())));
                let made: Vec<Row> = rows.into_iter().flat_map(each).leading(ROWS + 1).collect();
                if made.len() > ROWS {
                    walk.gap(span, GapReason::Limit);
                }
                made
            }
        };
    }
    rows
}

/// `parallel command -- item…`, and `parallel -- command…`, of moreutils.
fn jobs_behind(
    walk: &mut dyn Host,
    command: &[Argument],
    jobs: &[Argument],
    replaces: bool,
) -> Text {
    let mut printed = Text::default();
    for job in jobs.iter().leading(COMMANDS) {
        let more = if command.is_empty() {
            walk.shell(&job.text, job.span, &[], Some(Text::default()))
        } else {
            let mark = replaces.then_some("{}");
            run_with(walk, command, mark, std::slice::from_ref(job))
        };
        printed.append(&more);
    }
    if let Some(more) = jobs.get(COMMANDS) {
        walk.gap(more.span, GapReason::Limit);
    }
    printed
}

fn together((mut row, more): (Row, Row)) -> Row {
    row.extend(more);
    row
}

fn joined(words: &[Argument]) -> Text {
    let mut joined = Text::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            joined.push_known(" ");
        }
        joined.append(&word.text);
    }
    joined
}

/// How items are read.
struct Reading<'a> {
    options: &'a Options<'a>,
    invocation: &'a Invocation,
}

impl Reading<'_> {
    /// The items of a file, or of the input; more than one in a row where columns are told apart.
    fn items(&self, walk: &mut dyn Host, file: Option<&Argument>) -> Vec<Row> {
        let text = match file.filter(|file| file.text.as_known() != Some("-")) {
            Some(file) => walk.read(file),
            None => self.invocation.input.clone().unwrap_or_else(|| Text::unknown("input")),
        };
        let text = walk.with_names(text);
        let Some(known) = text.as_known() else { return vec![vec![text]] };
        let delimiter = match self.options.value(&["-d", "--delimiter"]) {
            Some(delimiter) => match delimiter.text.as_known() {
                Some("\\0") => '\0',
                Some("\\t") => '\t',
                Some(other) if !other.starts_with('\\') => other.chars().next().unwrap_or('\n'),
                _ => '\n',
            },
            None if self.options.has(&["-0", "--null"]) => '\0',
            None => '\n',
        };
        let items = split_by(known, delimiter);
        if items.len() > ROWS {
            walk.gap(self.invocation.span, GapReason::Limit);
        }
        let items = items.into_iter().leading(ROWS);
        let item = |item: &str| text.derive([Piece::Known(item.to_owned())]);
        items.map(|line| self.columns(&item(&line))).collect()
    }

    /// What stands behind the template: lists, each behind a word that opens it.
    fn lists(&self, walk: &mut dyn Host, given: &[Argument], marks: &Marks) -> Vec<List> {
        let mut given = given;
        let mut lists = Vec::new();
        while let Some((first, rest)) = given.split_first() {
            let Some(Opened { is_file, is_linked }) = marks.opened(first) else { break };
            let (these, behind) = rest.split_at(marks.first_in(rest));
            if is_file {
                let of_file = |file| List { items: self.items(walk, Some(file)), is_linked };
                lists.extend(these.iter().map(of_file));
            } else {
                if let Some(word) = these.get(ROWS) {
                    walk.gap(word.span, GapReason::Limit);
                }
                let items =
                    these.iter().leading(ROWS).map(|word| self.columns(&word.text)).collect();
                lists.push(List { items, is_linked });
            }
            given = behind;
        }
        lists
    }

    /// The columns of one item, where columns are told apart.
    fn columns(&self, item: &Text) -> Row {
        let Some(separator) = self.options.value(&["-C", "--colsep"]) else {
            return vec![item.clone()];
        };
        let between = separator.text.as_known().and_then(plain_separator);
        match (item.as_known(), between) {
            (Some(known), Some(between)) => known
                .split(between)
                .map(|part| item.derive([Piece::Known(part.to_owned())]))
                .collect(),
            _ => vec![item.derive([Piece::Unknown("a column".into())])],
        }
    }
}

/// The sign between columns, where it is no pattern.
fn plain_separator(pattern: &str) -> Option<char> {
    match pattern {
        "\\t" => Some('\t'),
        _ => {
            let mut signs = pattern.chars();
            let sign = signs.next().filter(|sign| !"\\.*+?[](){}^$|".contains(*sign))?;
            signs.next().is_none().then_some(sign)
        }
    }
}

/// How items are put into the template.
struct Filling {
    /// What stands for all items.
    mark: String,
    /// Whether the words of the template stay words.
    quotes: bool,
}

impl Filling {
    fn command(&self, template: &[Argument], row: &Row) -> Text {
        let mut code = Text::default();
        let mut mentions = false;
        for (index, word) in template.iter().enumerate() {
            if index > 0 {
                code.push_known(" ");
            }
            let filled = self.filled(&word.text, row, &mut mentions);
            code.append(&if self.quotes { as_word(&filled) } else { filled });
        }
        if !mentions {
            for item in row {
                if !code.pieces.is_empty() {
                    code.push_known(" ");
                }
                // Without a template the items are the commands.
                code.append(&if template.is_empty() { item.clone() } else { as_word(item) });
            }
        }
        code
    }

    /// A word of the template with the items in it.
    fn filled(&self, word: &Text, row: &Row, mentions: &mut bool) -> Text {
        let mut shown = Text::default();
        for (index, item) in row.iter().enumerate() {
            if index > 0 {
                shown.push_known(" ");
            }
            shown.append(&self.item(item));
        }
        let mut filled = word.clone();
        if !self.mark.is_empty() && word.display().contains(&self.mark) {
            *mentions = true;
            filled = replaced(&filled, &self.mark, &shown);
        }
        let whole = word.display();
        for part in whole.split('{').skip(1) {
            let Some((inner, _)) = part.split_once('}') else { continue };
            let Some((number, change)) = place(inner) else { continue };
            let item = match number {
                Some(number) => row.get(number.wrapping_sub(1)),
                None => row.first(),
            };
            let Some(item) = item else { continue };
            *mentions = true;
            let item = self.item(&changed(item, change));
            filled = replaced(&filled, &format!("{{{inner}}}"), &item);
        }
        filled
    }

    fn item(&self, item: &Text) -> Text {
        if self.quotes { item.clone() } else { as_word(item) }
    }
}

/// What stands between the braces: which item, and what is made of it.
fn place(inner: &str) -> Option<(Option<usize>, &str)> {
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let (number, change) = inner.split_at(digits);
    let is_change = matches!(change, "" | "." | "/" | "//" | "/." | "#" | "%");
    (is_change && !inner.is_empty()).then(|| (number.parse().ok(), change))
}

/// `{.}`, `{/}`, `{//}`, `{/.}` and `{#}` of an item.
fn changed(item: &Text, change: &str) -> Text {
    let Some(known) = item.as_known() else { return item.clone() };
    let extensionless = |name: &str| match name.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem.to_owned(),
        _ => name.to_owned(),
    };
    let (folder, base) = known.rsplit_once('/').unwrap_or((".", known));
    let made = match change {
        "." => extensionless(known),
        "/" => base.to_owned(),
        "//" => if folder.is_empty() { "/" } else { folder }.to_owned(),
        "/." => extensionless(base),
        "#" | "%" => return item.derive([Piece::Unknown("a number".into())]),
        _ => return item.clone(),
    };
    item.derive([Piece::Known(made)])
}

/// A text as one word of code.
fn as_word(text: &Text) -> Text {
    let is_plain = |character: char| {
        character.is_alphanumeric()
            || matches!(character, '/' | '.' | '_' | '-' | '+' | ':' | ',' | '@' | '%')
    };
    let mut word = text.derive([]);
    for piece in &text.pieces {
        match piece {
            Piece::Known(known) if known.chars().all(is_plain) && !known.is_empty() => {
                word.push_known(known);
            }
            Piece::Known(known) => word.push_known(&format!("'{}'", known.replace('\'', "'\\''"))),
            other => word.push(other.clone()),
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(template: &[&str], row: &[&str], quotes: bool) -> String {
        let words =
            |words: &[&str]| -> Vec<Text> { words.iter().map(|word| Text::known(*word)).collect() };
        let template: Vec<Argument> = words(template)
            .into_iter()
            .map(|text| Argument { text, span: Span::default() })
            .collect();
        let filling = Filling { mark: "{}".to_owned(), quotes };
        filling.command(&template, &words(row)).display()
    }

    #[test]
    fn items_are_put_where_parallel_puts_them() {
        for (template, row, expected) in [
            (&["echo"][..], &["a b"][..], "echo 'a b'"),
            (&["echo", "{}", "x"], &["a"], "echo a x"),
            (&["echo"], &["a", "b"], "echo a b"),
            (&["echo {1}-{2}"], &["a", "b"], "echo a-b"),
            (&["echo", "{1.}{2/}"], &["a.x", "c/d"], "echo ad"),
            (&["echo", "{/.}", "{//}", "{.}"], &["x/a.b"], "echo a x x/a"),
            (&["bash", "-c", "echo {} x"], &["a b"], "bash -c echo 'a b' x"),
            (&[], &["rm -rf x"], "rm -rf x"),
            (&["echo", "{3}"], &["a"], "echo {3} a"),
        ] {
            assert_eq!(commands(template, row, false), expected);
        }
        assert_eq!(commands(&["bash", "-c", "echo {} x"], &["a b"], true), "bash -c 'echo a b x'");
    }
}
