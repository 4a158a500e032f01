//! Which commands of a program of Python its own words choose: functions that `click` and `typer` call by their names, and what stands behind the reading
//! of its words where these only ask for help (click.palletsprojects.com, "Commands and Groups"; docs.python.org, "argparse").

use super::outline;

/// The text without what the words of the call do not reach; nothing where all of it may run.
pub(crate) fn chosen(text: &str, words: &[String]) -> Option<String> {
    let own: Vec<&str> =
        words.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    if ["import click", "from click", "import typer", "from typer", "rich_click"]
        .iter()
        .any(|it| text.contains(it))
    {
        return called(text, &own);
    }
    let asks = own.iter().any(|word| matches!(*word, "--help" | "-h"));
    let is_plain = text.matches("parse_args(").count() == 1
        && text.contains("ArgumentParser(")
        && ![
            "add_help",
            "parse_known",
            "def parse_args",
            "def error",
            "def exit",
            "SystemExit",
            "finally",
            "except:",
            "BaseException",
        ]
        .iter()
        .any(|it| text.contains(it));
    match asks && is_plain {
        true => helped(text),
        false => None,
    }
}

fn called(text: &str, words: &[&str]) -> Option<String> {
    let asks = words.contains(&"--help");
    let asks_first = words.first() == Some(&"--help");
    let operands: Vec<&str> = words.iter().filter(|word| !word.starts_with('-')).copied().collect();
    let plain = |name: &str| {
        let name = name.to_ascii_lowercase().replace('_', "-");
        ["-command", "-cmd", "-group", "-grp"]
            .iter()
            .find_map(|end| name.strip_suffix(end).map(str::to_owned))
            .unwrap_or(name)
    };
    let is_asked = |name: &str| {
        let whole = name.to_ascii_lowercase().replace('_', "-");
        operands.iter().any(|word| *word == plain(name) || *word == whole || *word == name)
    };
    let is_command = |function: &outline::Function<'_>| {
        function.decorators.iter().any(|it| it.ends_with(".command") || it == "command")
    };
    // A command by another name than its function's, or none that is known: any may be meant.
    let renames = text.contains(".command(\"")
        || text.contains(".command('")
        || text.contains("command(name")
        || text.contains("add_command")
        || text.contains("cls=");
    let is_alone = |function: &outline::Function<'_>| {
        function.decorators.iter().any(|it| it == "click.command" || it == "command")
    };
    let is_called = |function: &outline::Function<'_>| {
        let is_group = function
            .decorators
            .iter()
            .any(|it| it.ends_with(".group") || it == "group" || it.ends_with(".callback"));
        if is_command(function) {
            return !asks && (renames || is_alone(function) || is_asked(function.name));
        }
        if is_group {
            return !asks_first;
        }
        !function.decorators.is_empty()
    };
    let names = outline::names(text, &|function| is_command(function) && !is_alone(function))?;
    let is_known = asks || names.iter().any(|name| is_asked(name));
    if names.is_empty() && !asks || !is_known || renames && !asks {
        return None;
    }
    outline::left(text, &is_called, asks)
}

/// What stands behind the reading of the words in its block is not reached: it shows the help and ends the program.
fn helped(text: &str) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let mut inside: Option<usize> = None;
    let mut open = 0_usize;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if let Some(block) = inside
            && open == 0
            && !bare.trim().is_empty()
            && indent < block
        {
            inside = None;
        }
        let is_call = line.contains("parse_args(");
        match inside.is_some() && open == 0 && !is_call && !bare.trim().is_empty() {
            // At the left edge functions may follow, which others name.
            true if indent > 0 => {
                kept.extend(line.chars().map(|it| if it == '\n' { it } else { ' ' }));
            }
            _ => kept.push_str(line),
        }
        if is_call {
            if bare.starts_with('#') || bare.starts_with("return") || bare.starts_with("if ") {
                return None;
            }
            inside = Some(indent);
            let ends = line.matches(')').count();
            open = line.matches('(').count().saturating_sub(ends);
        } else if open > 0 {
            open = (open + line.matches('(').count()).saturating_sub(line.matches(')').count());
        }
    }
    (kept != text).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, line: &str) -> String {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let kept = chosen(text, &words).unwrap_or_else(|| text.to_owned());
        assert_eq!(kept.len(), text.len());
        ["zero", "one", "two", "three", "four"]
            .into_iter()
            .filter(|it| kept.contains(&format!("{it}()")))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn commands_run_that_the_words_name() {
        let text = "import click\n@click.group()\ndef cli():\n    zero()\n@cli.command()\n@click.option('--x')\ndef build_all(x):\n    one()\n    helper()\n@cli.command()\ndef wipe():\n    two()\ndef helper():\n    three()\nif __name__ == '__main__':\n    cli()\n";
        assert_eq!(kept(text, "build-all a"), "zero one three");
        assert_eq!(kept(text, "wipe"), "zero two");
        assert_eq!(kept(text, "--help"), "");
        assert_eq!(kept(text, "wipe --help"), "zero");
        assert_eq!(kept(text, "other"), "zero one two three");
        let named = text.replace("@cli.command()\ndef wipe", "@cli.command('build-all')\ndef wipe");
        assert_eq!(kept(&named, "build-all"), "zero one two three");
        let alone = "import click\n@click.command()\ndef main():\n    one()\nmain()\n";
        assert_eq!(kept(alone, "x"), "one");
        assert_eq!(kept(alone, "--help"), "");
    }

    #[test]
    fn what_asks_for_help_ends_where_the_words_are_read() {
        let text = "import argparse\ndef main():\n    zero()\n    parser = argparse.ArgumentParser()\n    args = parser.parse_args(\n        None)\n    one()\n    if args.x:\n        two()\ndef other():\n    three()\nmain()\n";
        assert_eq!(kept(text, "--help"), "zero three");
        assert_eq!(kept(text, "--x"), "zero one two three");
        assert_eq!(
            kept(&text.replace("ArgumentParser()", "ArgumentParser(add_help=False)"), "-h"),
            "zero one two three"
        );
    }
}
