//! Code of one line that computes a value and prints it. Owns how that is told from code that does more.

use crate::effect::Argument;

/// Whether code is made of nothing but texts, numbers and words that show them.
pub(in super::super) fn only_shows(code: &str) -> bool {
    const SHOWS: &[&str] = &[
        "Enum",
        "IO",
        "Str",
        "System",
        "and",
        "disp",
        "display",
        "do",
        "echo",
        "end",
        "erlang",
        "false",
        "format",
        "fwrite",
        "halt",
        "init",
        "inspect",
        "io",
        "is_integer",
        "length",
        "let",
        "main",
        "map",
        "nil",
        "null",
        "or",
        "otp_release",
        "print",
        "printf",
        "println",
        "prn",
        "putStrLn",
        "puts",
        "say",
        "show",
        "size",
        "stop",
        "string",
        "sum",
        "system_info",
        "to_integer",
        "to_string",
        "true",
        "val",
        "var",
        "version",
        "write",
    ];
    let mut bare = String::new();
    let mut quote = None;
    for letter in code.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            // What is filled into a text is code.
            Some(_) if matches!(letter, '#' | '$') => return false,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter.is_alphanumeric() || letter == '_' => bare.push(letter),
            None if " \t\n()+-*/%=<>,.;:[]{}".contains(letter) => bare.push(' '),
            None => return false,
        }
    }
    // One word names a value.
    let is_name = code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name
        || bare.split_whitespace().all(|word| {
            // One letter, or none of them, is a name of the code's own.
            word.len() == 1
                || word.bytes().all(|byte| byte.is_ascii_digit())
                || SHOWS.contains(&word)
        })
}

/// Whether `node` is to print what its code comes to.
pub(super) fn prints_value(arguments: &[Argument]) -> bool {
    arguments.iter().any(|word| {
        let word = word.text.known_prefix();
        matches!(word, "-p" | "-pe" | "--print") || word.starts_with("--print=")
    })
}
