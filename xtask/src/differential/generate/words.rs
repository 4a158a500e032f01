//! A text as a word by quoting, and by the operators of parameter expansion. Owns what stands in one shell word; values that
//! come from elsewhere are written by its sibling.

use super::{Spelled, Spelling, Writer, double_quoted, halves, is_simple, quoted};

/// Each way with its name in the report.
pub(super) const SPELLINGS: &[(&str, Spelling)] = &[
    ("single quotes", |_, text| Spelled::word(quoted(text))),
    ("double quotes", |_, text| Spelled::word(double_quoted(text))),
    ("backslashes", backslashes),
    ("$'…' escapes", ansi),
    ("$\"…\"", |_, text| Spelled::word(format!("${}", double_quoted(text)))),
    ("mixed quotes", mixed),
    ("brace expansion", braces),
    ("variable", variable),
    ("unquoted variable", unquoted_variable),
    ("two variables", two_variables),
    ("+=", appended),
    ("${x:a:b}", slice),
    ("${x: -n}", slice_from_end),
    ("${x#p}", prefix_removed),
    ("${x%p}", suffix_removed),
    ("${x/p/r}", replaced),
    ("${x//p/r}", all_replaced),
    ("${x/#p/r}", prefix_replaced),
    ("${x^^}", upper),
    ("${x^}", capital),
    ("${x@…}", transformed),
    ("${x:-w}", default),
    ("${x:=w}", assigned),
    ("${x:+w}", alternate),
    ("${x?w}", error),
    ("${!x}", indirect),
    ("${!prefix@}", names),
    ("tilde and $HOME", home),
    ("line continuation", continued),
];

fn backslashes(_: &mut Writer, text: &str) -> Spelled {
    if text.is_empty() {
        return Spelled::word("''");
    }
    let mut word = String::new();
    for character in text.chars() {
        match character {
            '\n' => word.push_str("'\n'"),
            _ => word.extend(['\\', character]),
        }
    }
    Spelled::word(word)
}

fn ansi(writer: &mut Writer, text: &str) -> Spelled {
    let mut word = String::from("$'");
    for character in text.chars() {
        let code = u32::from(character);
        match writer.below(6) {
            0 if character.is_ascii() => word.push_str(&format!("\\x{code:02x}")),
            1 if character.is_ascii() => word.push_str(&format!("\\{code:03o}")),
            2 if character.is_ascii() => word.push_str(&format!("\\u{code:04x}")),
            3 if character.is_ascii() => word.push_str(&format!("\\U{code:08x}")),
            _ if matches!(character, '\'' | '\\') => word.extend(['\\', character]),
            _ if character == '\n' => word.push_str("\\n"),
            _ if character == '\t' => word.push_str("\\t"),
            _ => word.push(character),
        }
    }
    word.push('\'');
    Spelled::word(word)
}

fn mixed(writer: &mut Writer, text: &str) -> Spelled {
    let mut word = String::new();
    for character in text.chars() {
        let one = character.to_string();
        word.push_str(&match writer.below(4) {
            0 => quoted(&one),
            1 => double_quoted(&one),
            2 if is_simple(&one) => one,
            _ => ansi(writer, &one).word,
        });
    }
    if word.is_empty() {
        word.push_str("''\"\"");
    }
    Spelled::word(word)
}

fn braces(writer: &mut Writer, text: &str) -> Spelled {
    if !is_simple(text) {
        return mixed(writer, text);
    }
    // More words than one: whatever bash makes of it is right.
    let (left, right) = halves(writer, text);
    Spelled::word(match writer.below(5) {
        0 => format!("{{{text},}}"),
        1 => format!("{text} {left}{{1..3}}"),
        2 => format!("{text} {{a,{right}}}{{b,\"c d\"}}"),
        3 => format!("{text} x{{05..1..2}}{{z..x}}"),
        _ => format!("{text} {{{left},{{{right},n}}}}.e"),
    })
}

fn variable(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let keyword =
        writer.choose(&["", "", "export ", "declare ", "readonly ", "declare -x ", "typeset "], "");
    let word = if writer.one_in(2) { format!("\"${name}\"") } else { format!("\"${{{name}}}\"") };
    Spelled::after(format!("{keyword}{name}={}", quoted(text)), word)
}

/// Splitting and globbing make of it what they make of it.
fn unquoted_variable(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let (text, word) = match writer.below(3) {
        0 => (format!("{text} {}", writer.argument()), format!("${name}")),
        1 => (text.to_owned(), format!("a${name}\"$empty\"${{{name}}}b")),
        _ => (text.to_owned(), format!("${name}")),
    };
    let word = if is_simple(&text) || !text.contains(['*', '?', '[']) {
        word
    } else {
        format!("\"{word}\"")
    };
    Spelled::after(format!("empty= {name}={}", quoted(&text)), word)
}

fn two_variables(writer: &mut Writer, text: &str) -> Spelled {
    let (left, right) = halves(writer, text);
    let (first, second) = (writer.name(), writer.name());
    Spelled::after(
        format!("{first}={} {second}={}", quoted(&left), double_quoted(&right)),
        format!("\"${first}${{{second}}}\""),
    )
}

fn appended(writer: &mut Writer, text: &str) -> Spelled {
    let (left, right) = halves(writer, text);
    let name = writer.name();
    Spelled::after(
        format!("{name}={}; {name}+={}", quoted(&left), quoted(&right)),
        format!("\"${name}\""),
    )
}

fn slice(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let length = text.chars().count();
    let offset = writer.choose(&["2", "1+1", "0x2", "o", "$o", "o*1", "(1+1)"], "2");
    let before = format!("o=2; {name}={}", quoted(&format!("zz{text}yyy")));
    Spelled::after(
        before,
        match writer.below(3) {
            0 => format!("\"${{{name}:{offset}:-3}}\""),
            _ => format!("\"${{{name}:{offset}:{length}}}\""),
        },
    )
}

fn slice_from_end(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let length = text.chars().count();
    if length == 0 {
        return Spelled::word("\"\"");
    }
    Spelled::after(
        format!("{name}={}", quoted(&format!("q{text}"))),
        format!("\"${{{name}: -{length}}}\""),
    )
}

fn prefix_removed(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let (prefix, pattern) = writer.choose(
        &[
            ("pre/", "#pre/"),
            ("a/b/", "##a*b/"),
            ("xQ", "#?Q"),
            ("12=", "#[0-9]*="),
            ("k=", "#*="),
            ("*:", "#\\*:"),
            ("*:", "#'*:'"),
            ("ab_", "#[[:alpha:]][!x]_"),
        ],
        ("k=", "#*="),
    );
    Spelled::after(
        format!("{name}={}", quoted(&format!("{prefix}{text}"))),
        format!("\"${{{name}{pattern}}}\""),
    )
}

fn suffix_removed(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let (suffix, pattern) = writer.choose(
        &[
            (".tar.gz", "%.tar.gz"),
            (".Zb.Zc", "%%.Z*"),
            ("Q1", "%Q?"),
            ("@@", "%@\"@\""),
            ("=9", "%=[!a-z]"),
        ],
        ("Q1", "%Q?"),
    );
    Spelled::after(
        format!("{name}={}", quoted(&format!("{text}{suffix}"))),
        format!("\"${{{name}{pattern}}}\""),
    )
}

fn replaced(writer: &mut Writer, text: &str) -> Spelled {
    let (left, right) = halves(writer, text);
    let name = writer.name();
    let (placed, pattern) = writer.choose(
        &[("QQ", "QQ"), ("Q.Q", "Q?Q"), ("Q7", "Q[0-9]"), ("/Q/", "\\/Q\\/"), ("Q*", "'Q*'")],
        ("QQ", "QQ"),
    );
    let (with, before) = if writer.one_in(3) {
        let other = writer.name();
        let before = format!("{other}={}\n", quoted("_&_"));
        (format!("\"${other}\""), before)
    } else {
        (String::new(), String::new())
    };
    Spelled::after(
        format!("{before}{name}={}", quoted(&format!("{left}{placed}{right}"))),
        format!("\"${{{name}/{pattern}/{with}}}\""),
    )
}

fn all_replaced(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let filled: String = text.chars().flat_map(|character| [character, 'Q']).collect();
    let word = writer.choose(&["//Q", "//Q/", "//[Q]/"], "//Q/");
    Spelled::after(format!("{name}={}", quoted(&filled)), format!("\"${{{name}{word}}}\""))
}

fn prefix_replaced(writer: &mut Writer, text: &str) -> Spelled {
    let (left, right) = halves(writer, text);
    let name = writer.name();
    if writer.one_in(2) || !is_simple(&left) {
        let (left, right) = (text, "");
        let before = format!("{name}={}", quoted(&format!("{left}{right}QQ")));
        return Spelled::after(before, format!("\"${{{name}/%QQ/}}\""));
    }
    Spelled::after(
        format!("{name}={}", quoted(&format!("QQ{right}"))),
        format!("\"${{{name}/#QQ/{left}}}\""),
    )
}

fn upper(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    if text.chars().any(char::is_uppercase) {
        return Spelled::after(
            format!("{name}={}", quoted(&text.to_lowercase())),
            format!("\"${{{name}^^}}\""),
        );
    }
    let word = writer.choose(&[",,", ",,[A-Z]", ",,?"], ",,");
    Spelled::after(
        format!("{name}={}", quoted(&text.to_uppercase())),
        format!("\"${{{name}{word}}}\""),
    )
}

fn capital(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let word = writer.choose(&["^", ",", "^[a-c]", "~"], "^");
    let word = if word == "~" { "," } else { word };
    Spelled::after(format!("{name}={}", quoted(text)), format!("\"${{{name}{word}}}\""))
}

fn transformed(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    match writer.below(5) {
        0 => Spelled::after(
            format!("{name}={}", quoted(&text.to_uppercase())),
            format!("\"${{{name}@L}}\""),
        ),
        1 => Spelled::after(format!("{name}={}", quoted(text)), format!("\"${{{name}@U}}\"")),
        2 => Spelled::after(format!("{name}={}", quoted(text)), format!("\"${{{name}@u}}\"")),
        3 => {
            let escaped = ansi(writer, text).word;
            let inner =
                escaped.strip_prefix("$'").and_then(|word| word.strip_suffix('\'')).unwrap_or("");
            Spelled::after(format!("{name}={}", quoted(inner)), format!("\"${{{name}@E}}\""))
        }
        _ => Spelled::after(
            format!("{name}={}\neval \"{name}2=${{{name}@Q}}\"", quoted(text)),
            format!("\"${{{name}2}}\""),
        ),
    }
}

fn default(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let inner = quoted(text);
    match writer.below(5) {
        0 => Spelled::word(format!("${{{name}:-{inner}}}")),
        1 => Spelled::after(format!("{name}="), format!("${{{name}:-{inner}}}")),
        2 => Spelled::after(format!("{name}={inner}"), format!("\"${{{name}-other}}\"")),
        3 => Spelled::after(format!("{name}="), format!("{inner}\"${{{name}-other}}\"")),
        _ => {
            let other = writer.name();
            Spelled::after(
                format!("{other}={inner}"),
                format!("\"${{{name}:-${{{other}:-none}}}}\""),
            )
        }
    }
}

fn assigned(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let other = writer.name();
    Spelled::after(
        format!("{other}={}; : \"${{{name}:=${other}}}\"", quoted(text)),
        format!("\"${name}\""),
    )
}

fn alternate(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let inner = quoted(text);
    match writer.below(4) {
        0 => Spelled::after(format!("{name}=y"), format!("${{{name}:+{inner}}}")),
        1 => Spelled::after(format!("{name}="), format!("{inner}\"${{{name}:+no}}\"")),
        2 => Spelled::after(format!("{name}="), format!("${{{name}+{inner}}}")),
        _ => Spelled::word(format!("{inner}${{{name}+no}}")),
    }
}

fn error(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    Spelled::after(format!("{name}={}", quoted(text)), format!("\"${{{name}:?must be set}}\""))
}

fn indirect(writer: &mut Writer, text: &str) -> Spelled {
    let (name, pointer) = (writer.name(), writer.name());
    let value = quoted(text);
    match writer.below(3) {
        0 => Spelled::after(
            format!("declare -n {pointer}={name}; {name}={value}"),
            format!("\"${pointer}\""),
        ),
        1 => Spelled::after(
            format!("{name}=(other {value}); {pointer}='{name}[1]'"),
            format!("\"${{!{pointer}}}\""),
        ),
        _ => Spelled::after(
            format!("{name}={value}; {pointer}={name}"),
            format!("\"${{!{pointer}}}\""),
        ),
    }
}

fn names(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    Spelled::after(
        format!("{name}_a={} {name}_b=2", quoted(text)),
        format!("\"${{{name}_a}}\" \"${{!{name}_@}}\""),
    )
}

fn home(writer: &mut Writer, text: &str) -> Spelled {
    let word =
        writer.choose(&["~", "$HOME", "\"$PWD\"", "~/a", "\"${PWD}\"/b", "~+", "x=~", "'~'"], "~");
    Spelled::word(format!("{} {word}", quoted(text)))
}

fn continued(writer: &mut Writer, text: &str) -> Spelled {
    if !is_simple(text) {
        return Spelled::word(double_quoted(text));
    }
    let (left, right) = halves(writer, text);
    Spelled::word(match writer.below(2) {
        0 => format!("{left}\\\n{right}"),
        _ => format!("\"{left}\\\n{right}\""),
    })
}
