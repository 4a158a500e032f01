//! Each case was printed by the real program (GNU coreutils, GNU sed, bash, xxd) in a UTF-8 locale.

use portcullis_syntax::Span;

use super::*;

#[test]
fn what_is_printed_is_what_the_real_program_prints() {
    let mut wrong = Vec::new();
    for (program, arguments, input, printed) in CASES {
        let text = run(program, arguments, &Text::known(*input));
        if text.as_known() != Some(printed) {
            wrong.push(format!(
                "{program} {arguments:?} < {input:?}: {:?}, not {printed:?}",
                text.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

#[test]
fn what_cannot_be_computed_is_unknown_and_keeps_where_it_comes_from() {
    let mut secret = Text::unknown("file");
    secret.taint = Taint::SECRET;
    for (program, arguments) in [
        ("base64", &["-d"][..]),
        ("head", &["-n", "1"]),
        ("sort", &["-k", "2"]),
        ("tr", &["a-z", "A-Z"]),
        ("sed", &["s/a/b/"]),
        ("sed", &[":a;N;$!ba;s/\\n/ /g"]),
        ("cat", &[]),
        ("cut", &["-c1"]),
    ] {
        let text = run(program, arguments, &secret);
        assert!(text.has_unknown(), "{program} {arguments:?}: {}", text.display());
        assert!(text.taint.has(Taint::SECRET), "{program} {arguments:?}");
    }
}

#[test]
fn decoders_taint_what_they_print() {
    for (program, arguments, input, decoded) in [
        ("base64", &["-d"][..], "aGk=", true),
        ("base64", &[], "hi", false),
        ("xxd", &["-r", "-p"], "6869", true),
        ("rev", &[], "ih", true),
        ("tr", &["A-Za-z", "N-ZA-Mn-za-m"], "uv", true),
        ("tr", &["a-z", "A-Z"], "hi", false),
        ("tr", &["-d", "x"], "hxi", false),
        ("tr", &[" ", "\\n"], "h i", false),
        ("printf", &["\\x68i"], "", true),
        ("printf", &["%s\\n", "hi"], "", false),
        ("echo", &["-e", "\\x68i"], "", true),
        ("echo", &["-e", "a\\tb"], "", false),
        ("echo", &["-e", "\\x1b[0m"], "", false),
        ("zcat", &[], "hi", true),
    ] {
        let text = run(program, arguments, &Text::known(input));
        assert_eq!(text.taint.has(Taint::DECODED), decoded, "{program} {arguments:?} < {input:?}");
    }
}

#[test]
fn known_stretches_stay_known() {
    let mut text = Text::known("rm -rf ");
    text.append(&Text::unknown("target"));
    assert_eq!(run_with("echo", &[text.clone()], &Text::default()).display(), "rm -rf ${target}\n");
    let format = [Text::known("%s;\n"), text.clone()];
    assert_eq!(run_with("printf", &format, &Text::default()).display(), "rm -rf ${target};\n");
    assert_eq!(run("tr", &["_", " "], &text).display(), "rm -rf ${tr}");
    let mut lines = Text::known("rm -rf /\n");
    lines.append(&Text::unknown("rest"));
    assert_eq!(run("head", &["-1"], &lines).as_known(), Some("rm -rf /\n"));
}

#[test]
fn scripts_say_what_they_execute() {
    let line = Text::known("id\n");
    let unknown = Text::unknown("file");
    for (script, input, executed) in [
        ("s/.*/&/e", &line, "id"),
        ("s/.*/rm -rf x/e", &unknown, "rm -rf x"),
        ("1e rm -rf x", &unknown, "rm -rf x"),
        ("s/^/rm /e", &line, "rm id"),
        ("e", &line, "id"),
    ] {
        let edited = edit(&[&Text::known(script)], false, false, input);
        let codes: Vec<_> = edited.executes.iter().map(Text::as_known).collect();
        assert_eq!(codes, [Some(executed)], "{script}");
    }
    let written = edit(&[&Text::known("s/a/b/w out.txt")], false, false, &unknown);
    assert_eq!(written.writes, ["out.txt"]);
}

#[test]
fn hostile_inputs_end() {
    let long = Text::known("a".repeat(KNOWN_BYTES));
    let lines = Text::known("a\n".repeat(KNOWN_BYTES / 2));
    for (program, arguments) in [
        ("seq", &["1", "9223372036854775807"][..]),
        ("printf", &["%2147483647d", "1"]),
        ("printf", &["%.999999999d", "1"]),
        ("sed", &["s/a/&&&&&&&&&&/g"]),
        ("sed", &["-e", "s/a*$/b/;s/b/a/;s/a/b/;s/b/a/;s/a/b/;s/b/a/;s/a/b/;s/b/a/;s/a/b/"]),
        ("expand", &["-t", "99999999"]),
        ("tr", &["a", "[b*9999999]"]),
        ("fold", &["-w1"]),
        ("nl", &[]),
    ] {
        for input in [&long, &lines] {
            run(program, arguments, input);
        }
    }
}

fn run(program: &str, arguments: &[&str], input: &Text) -> Text {
    let arguments: Vec<Text> = arguments.iter().map(|text| Text::known(*text)).collect();
    run_with(program, &arguments, input)
}

fn run_with(program: &str, arguments: &[Text], input: &Text) -> Text {
    if program == "sed" {
        return sed(arguments, input);
    }
    let arguments: Vec<Argument> = arguments
        .iter()
        .map(|text| Argument { text: text.clone(), span: Span::default() })
        .collect();
    evaluate(program, &arguments, Some(input), &mut |_| Text::unknown("file")).unwrap_or_default()
}

fn sed(arguments: &[Text], input: &Text) -> Text {
    let (mut quiet, mut extended, mut explicit) = (false, false, false);
    let mut scripts = Vec::new();
    for argument in arguments {
        match argument.as_known() {
            Some("-e") => explicit = true,
            Some(option @ ("-n" | "-E" | "-r" | "-nE")) => {
                quiet |= option.contains('n');
                extended |= !option.ends_with('n');
            }
            _ => scripts.push(argument),
        }
    }
    assert!(explicit || scripts.len() == 1);
    edit(&scripts, quiet, extended, input).output
}

/// Program, arguments, input, output.
const CASES: &[(&str, &[&str], &str, &str)] = &[
    ("echo", &["a", "b"], "", "a b\n"),
    ("echo", &["-n", "a"], "", "a"),
    ("echo", &["-e", "\\x72\\x6d -rf \\x2f"], "", "rm -rf /\n"),
    ("echo", &["-e", "\\162m"], "", "\\162m\n"),
    ("echo", &["-e", "\\0162m \\060"], "", "rm 0\n"),
    ("echo", &["-ne", "a\\tb\\n"], "", "a\tb\n"),
    ("echo", &["-e", "a\\cb"], "", "a"),
    ("echo", &["-E", "a\\tb"], "", "a\\tb\n"),
    ("echo", &["-e", "\\u0041\\U00000042"], "", "AB\n"),
    ("echo", &["-e", "\\x4g \\xzz \\q"], "", "\u{4}g \\xzz \\q\n"),
    ("echo", &["--", "x"], "", "-- x\n"),
    ("echo", &["-x", "y"], "", "-x y\n"),
    ("echo", &[""], "", "\n"),
    ("echo", &["-"], "", "-\n"),
    ("echo", &["-nE", "\\n"], "", "\\n"),
    ("echo", &["-en", "\\\\x"], "", "\\x"),
    ("echo", &["-e", "a\\"], "", "a\\\n"),
    ("echo", &["-e", "\\e[31m"], "", "\u{1b}[31m\n"),
    ("echo", &["-e", "-E", "\\x41"], "", "\\x41\n"),
    ("echo", &[], "", "\n"),
    ("printf", &["hi"], "", "hi"),
    ("printf", &["%s\n", "a", "b"], "", "a\nb\n"),
    ("printf", &["%s %s\n", "a", "b", "c"], "", "a b\nc \n"),
    ("printf", &["%d\n", "10"], "", "10\n"),
    ("printf", &["%d\n", "0x1f"], "", "31\n"),
    ("printf", &["%d\n", "010"], "", "8\n"),
    ("printf", &["%d\n", "'A"], "", "65\n"),
    ("printf", &["%x\n", "255"], "", "ff\n"),
    ("printf", &["%X\n", "255"], "", "FF\n"),
    ("printf", &["%#x\n", "255"], "", "0xff\n"),
    ("printf", &["%o\n", "8"], "", "10\n"),
    ("printf", &["%c", "abc", "def"], "", "ad"),
    ("printf", &["%5s|", "ab"], "", "   ab|"),
    ("printf", &["%-5s|", "ab"], "", "ab   |"),
    ("printf", &["%05d", "42"], "", "00042"),
    ("printf", &["%.2s|", "abcdef"], "", "ab|"),
    ("printf", &["%*d", "5", "3"], "", "    3"),
    ("printf", &["%%\n"], "", "%\n"),
    ("printf", &["\\x72\\x6d"], "", "rm"),
    ("printf", &["\\162\\155\\n"], "", "rm\n"),
    ("printf", &["%b", "\\0162\\0155"], "", "rm"),
    ("printf", &["%b", "\\162\\155"], "", "rm"),
    ("printf", &["%b\n", "a\\tb\\x41"], "", "a\tbA\n"),
    ("printf", &["%s", "\\x41"], "", "\\x41"),
    ("printf", &["%b", "ab\\ccd", "zz"], "", "ab"),
    ("printf", &["x\n", "a", "b"], "", "x\n"),
    ("printf", &["%s"], "", ""),
    ("printf", &["%d"], "", "0"),
    ("printf", &["%s-%d\n", "a", "1", "b"], "", "a-1\nb-0\n"),
    ("printf", &["\\u00e9\\n"], "", "\u{e9}\n"),
    ("printf", &["%q\n", "abc"], "", "abc\n"),
    ("printf", &["%+d % d", "5", "6"], "", "+5  6"),
    ("printf", &["%i", "-7"], "", "-7"),
    ("printf", &["%u", "-1"], "", "18446744073709551615"),
    ("printf", &["--", "%s", "x"], "", "x"),
    ("printf", &["\\\\n"], "", "\\n"),
    ("printf", &["a\\\"b\\'c"], "", "a\"b'c"),
    ("printf", &["%s\\n", "x"], "", "x\n"),
    ("printf", &["%.3d", "5"], "", "005"),
    ("printf", &["%-6.3d|", "5"], "", "005   |"),
    ("printf", &["%s", "-n"], "", "-n"),
    ("printf", &["%b", "\\\\x41"], "", "\\x41"),
    ("printf", &["\\0101"], "", "\u{8}1"),
    ("printf", &["%8.3s|", "abcdef"], "", "     abc|"),
    ("printf", &["%s%%%s", "a", "b"], "", "a%b"),
    ("cat", &[], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nfive\n"),
    (
        "cat",
        &["-n"],
        "one\ntwo\nthree\nfour\nfive\n",
        "     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour\n     5\tfive\n",
    ),
    ("cat", &["-b"], "a\n\nb\n", "     1\ta\n\n     2\tb\n"),
    ("cat", &["-s"], "a\n\n\n\nb\n", "a\n\nb\n"),
    ("cat", &["-A"], "a\tb\n", "a^Ib$\n"),
    ("cat", &["-E"], "a\nb", "a$\nb"),
    ("cat", &["-"], "x", "x"),
    ("tac", &[], "one\ntwo\nthree\nfour\nfive\n", "five\nfour\nthree\ntwo\none\n"),
    ("tac", &[], "a\nb", "ba\n"),
    ("rev", &[], "fr- mr\nolleh\n", "rm -rf\nhello\n"),
    ("rev", &[], "abc", "cba"),
    ("rev", &[], "h\u{e9}llo\n", "oll\u{e9}h\n"),
    ("head", &["-n", "2"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\n"),
    ("head", &["-2"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\n"),
    ("head", &["-n2"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\n"),
    ("head", &["-n", "-2"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\n"),
    ("head", &["-c", "5"], "one\ntwo\nthree\nfour\nfive\n", "one\nt"),
    ("head", &["-c", "-4"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nf"),
    ("head", &["--lines=1"], "one\ntwo\nthree\nfour\nfive\n", "one\n"),
    ("head", &["-n", "0"], "one\ntwo\nthree\nfour\nfive\n", ""),
    ("head", &["-qn1"], "one\ntwo\nthree\nfour\nfive\n", "one\n"),
    ("head", &["-c3"], "one\ntwo\nthree\nfour\nfive\n", "one"),
    ("tail", &["-n", "2"], "one\ntwo\nthree\nfour\nfive\n", "four\nfive\n"),
    ("tail", &["-2"], "one\ntwo\nthree\nfour\nfive\n", "four\nfive\n"),
    ("tail", &["-n", "+3"], "one\ntwo\nthree\nfour\nfive\n", "three\nfour\nfive\n"),
    ("tail", &["-c", "5"], "one\ntwo\nthree\nfour\nfive\n", "five\n"),
    ("tail", &["-c", "+5"], "one\ntwo\nthree\nfour\nfive\n", "two\nthree\nfour\nfive\n"),
    ("tail", &["-n2"], "one\ntwo\nthree\nfour\nfive\n", "four\nfive\n"),
    ("tail", &["--lines=1"], "one\ntwo\nthree\nfour\nfive\n", "five\n"),
    ("tail", &["-n", "+1"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nfive\n"),
    ("tail", &["-1"], "one\ntwo\nthree\nfour\nfive\n", "five\n"),
    ("cut", &["-d:", "-f1"], "a:b:c:d\nx:y\nplain\n", "a\nx\nplain\n"),
    ("cut", &["-d", ":", "-f2-3"], "a:b:c:d\nx:y\nplain\n", "b:c\ny\nplain\n"),
    ("cut", &["-d:", "-f2-"], "a:b:c:d\nx:y\nplain\n", "b:c:d\ny\nplain\n"),
    ("cut", &["-d:", "-f", "-2"], "a:b:c:d\nx:y\nplain\n", "a:b\nx:y\nplain\n"),
    ("cut", &["-d:", "-f1,3", "-s"], "a:b:c:d\nx:y\nplain\n", "a:c\nx\n"),
    ("cut", &["-c1-3"], "a:b:c:d\nx:y\nplain\n", "a:b\nx:y\npla\n"),
    ("cut", &["-c", "2-"], "a:b:c:d\nx:y\nplain\n", ":b:c:d\n:y\nlain\n"),
    ("cut", &["-c1,3"], "a:b:c:d\nx:y\nplain\n", "ab\nxy\npa\n"),
    ("cut", &["-d:", "--complement", "-f1"], "a:b:c:d\nx:y\nplain\n", "b:c:d\ny\nplain\n"),
    (
        "cut",
        &["-d:", "-f1,2", "--output-delimiter=-"],
        "a:b:c:d\nx:y\nplain\n",
        "a-b\nx-y\nplain\n",
    ),
    ("cut", &["-b", "1"], "a:b:c:d\nx:y\nplain\n", "a\nx\np\n"),
    ("cut", &["-d:", "-f3,1"], "a:b:c:d\nx:y\nplain\n", "a:c\nx\nplain\n"),
    ("cut", &["-f1"], "a:b:c:d\nx:y\nplain\n", "a:b:c:d\nx:y\nplain\n"),
    ("tr", &["a-z", "A-Z"], "hello World\n", "HELLO WORLD\n"),
    ("tr", &["A-Za-z", "N-ZA-Mn-za-m"], "ez -es /\n", "rm -rf /\n"),
    ("tr", &["b-za", "a-z"], "sn -sg /\n", "rm -rf /\n"),
    ("tr", &["-d", "x"], "rxmx -rf\n", "rm -rf\n"),
    ("tr", &["-d", "\\n"], "a\nb\n", "ab"),
    ("tr", &["-s", " "], "a   b\n", "a b\n"),
    ("tr", &["-dc", "a-z"], "a1b2-c\n", "abc"),
    ("tr", &["-cd", "[:alnum:]"], "a1 b2-c\n", "a1b2c"),
    ("tr", &["[:lower:]", "[:upper:]"], "abc\n", "ABC\n"),
    ("tr", &["[:upper:]", "[:lower:]"], "ABC\n", "abc\n"),
    ("tr", &["abc", "x"], "aabbcc\n", "xxxxxx\n"),
    ("tr", &["-t", "abc", "x"], "aabbcc\n", "xxbbcc\n"),
    ("tr", &[" ", "\\n"], "a b c\n", "a\nb\nc\n"),
    ("tr", &["\\n", " "], "a\nb\n", "a b "),
    ("tr", &["-s", "a-z"], "aabbcc\n", "abc\n"),
    ("tr", &["-s", "[:space:]", " "], "a \t b\n", "a b "),
    ("tr", &["\\055", "_"], "a-b\n", "a_b\n"),
    ("tr", &["a-c", "[x*]"], "abcd\n", "xxxd\n"),
    ("tr", &["[a*2]b", "xyz"], "ab\n", "yz\n"),
    ("tr", &["-c", "a-z\\n", "."], "a1b2\n", "a.b.\n"),
    ("tr", &["-d", "[:digit:]"], "a1b2\n", "ab\n"),
    ("tr", &["-ds", "a", "b"], "aabbc\n", "bc\n"),
    ("tr", &["a\\-z", "123"], "a-z\n", "123\n"),
    ("tr", &["_", " "], "rm_-rf\n", "rm -rf\n"),
    ("tr", &["@", "m"], "r@ x\n", "rm x\n"),
    ("tr", &["a-zA-Z", "d-za-cD-ZA-C"], "oi\n", "rl\n"),
    ("tr", &["!-~", "P-~!-O"], "C> \\C7 ^\n", "rm -rf /\n"),
    ("base64", &["-d"], "cm0gLXJmIC8K", "rm -rf /\n"),
    ("base64", &["-d"], "cm0gLXJmIC8=\n", "rm -rf /"),
    ("base64", &["--decode"], "ZWNobyBoaQ==\n", "echo hi"),
    ("base64", &["-d"], "cm0g\nLXJm\nIC8K\n", "rm -rf /\n"),
    ("base64", &["-di"], "cm0g LXJm!IC8K\n", "rm -rf /\n"),
    ("base64", &["-d"], "Y2F0IC9ldGM", "cat /etc"),
    ("base64", &["-d"], "YQ==Yg==\n", "ab"),
    ("base64", &[], "hello", "aGVsbG8=\n"),
    (
        "base64",
        &["-w0"],
        "hello world hello world hello world hello world hello world hello world",
        "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=",
    ),
    (
        "base64",
        &[],
        "hello world hello world hello world hello world hello world hello world",
        "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29y\nbGQgaGVsbG8gd29ybGQ=\n",
    ),
    ("base64", &["-w", "10"], "hello world", "aGVsbG8gd2\n9ybGQ=\n"),
    ("base64", &["-d"], "aGk*zz", "hi"),
    ("base64", &["-d"], "", ""),
    ("base32", &["-d"], "OJWSALLSMYQC6===\n", "rm -rf /"),
    ("base32", &[], "rm -rf /", "OJWSALLSMYQC6===\n"),
    ("base32", &["--decode"], "NBUQ====", "hi"),
    ("basenc", &["--base16", "-d"], "726D20\n", "rm "),
    ("basenc", &["--base64url"], "??>>", "Pz8-Pg==\n"),
    ("basenc", &["--base64url", "-d"], "Pz8-Pg==", "??>>"),
    ("basenc", &["--base32hex"], "hi", "D1KG====\n"),
    ("basenc", &["--base16"], "hi", "6869\n"),
    ("xxd", &["-r", "-p"], "726d202d7266202f", "rm -rf /"),
    ("xxd", &["-r", "-p"], "72 6d 20\n2d 72 66\n", "rm -rf"),
    ("xxd", &["-p"], "hello\n", "68656c6c6f0a\n"),
    ("xxd", &["-r", "-ps"], "6869", "hi"),
    ("xxd", &["-p", "-c", "2"], "abcde", "6162\n6364\n65\n"),
    (
        "xxd",
        &["-p"],
        "0123456789012345678901234567890123456789",
        "303132333435363738393031323334353637383930313233343536373839\n30313233343536373839\n",
    ),
    ("xxd", &["-r"], "00000000: 6865 6c6c 6f0a                           hello.\n", "hello\n"),
    ("xxd", &["-rp"], "6869", ""),
    ("sort", &[], "b\na\nc\n", "a\nb\nc\n"),
    ("sort", &["-r"], "b\na\nc\n", "c\nb\na\n"),
    ("sort", &["-u"], "b\na\nb\n", "a\nb\n"),
    ("sort", &["-n"], "10\n9\n1\n", "1\n9\n10\n"),
    ("sort", &["-rn"], "10\n9\n1\n", "10\n9\n1\n"),
    ("sort", &["-nu"], "3\n1\n3\n", "1\n3\n"),
    ("sort", &[], "single Line", "single Line\n"),
    ("uniq", &[], "a\na\nb\na\n", "a\nb\na\n"),
    ("uniq", &["-c"], "a\na\nb\n", "      2 a\n      1 b\n"),
    ("uniq", &["-d"], "a\na\nb\n", "a\n"),
    ("uniq", &["-u"], "a\na\nb\n", "b\n"),
    ("uniq", &["-i"], "A\na\nb\n", "A\nb\n"),
    ("paste", &["-sd,"], "a\nb\nc\n", "a,b,c\n"),
    ("paste", &["-s"], "a\nb\n", "a\tb\n"),
    ("paste", &["-sd", ""], "r\nm\n", "rm\n"),
    ("paste", &["-sd", "\\0"], "r\nm\n", "rm\n"),
    ("paste", &["-sd", ":;"], "a\nb\nc\nd\n", "a:b;c:d\n"),
    ("paste", &[], "a\nb", "a\nb\n"),
    ("fold", &["-w3"], "abcdefgh\n", "abc\ndef\ngh\n"),
    ("fold", &["-w", "2"], "abcde", "ab\ncd\ne"),
    ("fold", &["-4"], "abcdefgh\n", "abcd\nefgh\n"),
    ("nl", &[], "a\n\nb\n", "     1\ta\n       \n     2\tb\n"),
    ("nl", &["-ba"], "a\n\nb\n", "     1\ta\n     2\t\n     3\tb\n"),
    ("wc", &["-l"], "one\ntwo\nthree\nfour\nfive\n", "5\n"),
    ("wc", &["-c"], "one\ntwo\nthree\nfour\nfive\n", "24\n"),
    ("wc", &["-w"], "a b  c\n", "3\n"),
    ("wc", &["-m"], "abc", "3\n"),
    ("seq", &["5"], "", "1\n2\n3\n4\n5\n"),
    ("seq", &["2", "4"], "", "2\n3\n4\n"),
    ("seq", &["1", "2", "7"], "", "1\n3\n5\n7\n"),
    ("seq", &["5", "-1", "2"], "", "5\n4\n3\n2\n"),
    ("seq", &["-s", ",", "3"], "", "1,2,3\n"),
    ("seq", &["-w", "8", "11"], "", "08\n09\n10\n11\n"),
    ("seq", &["-s,", "2"], "", "1,2\n"),
    ("seq", &["3", "1"], "", ""),
    ("basename", &["/usr/bin/rm"], "", "rm\n"),
    ("basename", &["a/b.txt", ".txt"], "", "b\n"),
    ("basename", &["/"], "", "/\n"),
    ("basename", &["a/"], "", "a\n"),
    ("basename", &["-s", ".c", "x/y.c"], "", "y\n"),
    ("basename", &["-a", "a/b", "c/d"], "", "b\nd\n"),
    ("basename", &["--", "x/y"], "", "y\n"),
    ("basename", &[".txt", ".txt"], "", ".txt\n"),
    ("dirname", &["/usr/bin/rm"], "", "/usr/bin\n"),
    ("dirname", &["a"], "", ".\n"),
    ("dirname", &["/"], "", "/\n"),
    ("dirname", &["a/b/"], "", "a\n"),
    ("dirname", &["/a"], "", "/\n"),
    ("dirname", &["a//b"], "", "a\n"),
    ("dirname", &["x/y", "z"], "", "x\n.\n"),
    ("expr", &["1", "+", "2"], "", "3\n"),
    ("expr", &["7", "*", "6"], "", "42\n"),
    ("expr", &["7", "/", "2"], "", "3\n"),
    ("expr", &["length", "hello"], "", "5\n"),
    ("expr", &["substr", "scrambled", "1", "2"], "", "sc\n"),
    ("expr", &["index", "hello", "l"], "", "3\n"),
    ("expr", &["7", "%", "4"], "", "3\n"),
    ("expand", &[], "a\tb\n", "a       b\n"),
    ("expand", &["-t4"], "a\tb\n", "a   b\n"),
    ("iconv", &["-f", "utf-8", "-t", "ascii"], "abc\n", "abc\n"),
    ("sed", &["s/a/b/"], "banana\n", "bbnana\n"),
    ("sed", &["s/a/b/g"], "banana\n", "bbnbnb\n"),
    ("sed", &["s/a/b/2"], "banana\n", "banbna\n"),
    ("sed", &["s/a/b/2g"], "banana\n", "banbnb\n"),
    ("sed", &["-n", "2p"], "one\ntwo\nthree\nfour\nfive\n", "two\n"),
    ("sed", &["-n", "2,3p"], "one\ntwo\nthree\nfour\nfive\n", "two\nthree\n"),
    ("sed", &["2d"], "one\ntwo\nthree\nfour\nfive\n", "one\nthree\nfour\nfive\n"),
    ("sed", &["$d"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\n"),
    ("sed", &["-n", "$p"], "one\ntwo\nthree\nfour\nfive\n", "five\n"),
    ("sed", &["2q"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\n"),
    ("sed", &["/two/d"], "one\ntwo\nthree\nfour\nfive\n", "one\nthree\nfour\nfive\n"),
    ("sed", &["/two/,/four/d"], "one\ntwo\nthree\nfour\nfive\n", "one\nfive\n"),
    ("sed", &["y/abc/xyz/"], "aabbcc\n", "xxyyzz\n"),
    ("sed", &["s/\\(.\\)\\(.\\)/\\2\\1/g"], "abcd\n", "badc\n"),
    ("sed", &["-E", "s/(.)(.)/\\2\\1/g"], "abcd\n", "badc\n"),
    ("sed", &["s|/|_|g"], "a/b/c\n", "a_b_c\n"),
    ("sed", &["s/[0-9]*//g"], "a1b22c\n", "abc\n"),
    ("sed", &["s/x//g"], "rxmx\n", "rm\n"),
    ("sed", &["-e", "s/a/b/", "-e", "s/b/c/"], "a\n", "c\n"),
    ("sed", &["s/a/b/;s/b/c/"], "a\n", "c\n"),
    ("sed", &["s/.*/[&]/"], "hi\n", "[hi]\n"),
    (
        "sed",
        &["s/^/> /"],
        "one\ntwo\nthree\nfour\nfive\n",
        "> one\n> two\n> three\n> four\n> five\n",
    ),
    ("sed", &["s/$/;/"], "a\nb", "a;\nb;"),
    ("sed", &["-n", "s/o/0/p"], "one\ntwo\nthree\nfour\nfive\n", "0ne\ntw0\nf0ur\n"),
    ("sed", &["1!d"], "one\ntwo\nthree\nfour\nfive\n", "one\n"),
    ("sed", &["1~2d"], "one\ntwo\nthree\nfour\nfive\n", "two\nfour\n"),
    ("sed", &["a\\x"], "l\n", "l\nx\n"),
    ("sed", &["i foo"], "l\n", "foo\nl\n"),
    ("sed", &["2c new"], "one\ntwo\nthree\nfour\nfive\n", "one\nnew\nthree\nfour\nfive\n"),
    ("sed", &["="], "a\n", "1\na\n"),
    ("sed", &["s/A/b/I"], "a\n", "b\n"),
    ("sed", &["s/\\./-/g"], "a.b\n", "a-b\n"),
    ("sed", &["s/[[:space:]]//g"], "r m\n", "rm\n"),
    ("sed", &["-E", "s/[a-z]+/X/"], "abc def\n", "X def\n"),
    ("sed", &["-r", "s/a{2}/X/"], "baab\n", "bXb\n"),
    ("sed", &["s/a\\+/X/"], "baab\n", "bXb\n"),
    (
        "sed",
        &["/one/{s/o/0/;s/e/3/}"],
        "one\ntwo\nthree\nfour\nfive\n",
        "0n3\ntwo\nthree\nfour\nfive\n",
    ),
    ("sed", &["-n", "/t/p"], "one\ntwo\nthree\nfour\nfive\n", "two\nthree\n"),
    ("sed", &["s/\\x41/b/"], "A\n", "b\n"),
    ("sed", &["s/a/\\x41/"], "a\n", "A\n"),
    ("sed", &["s/b*/X/g"], "abc\n", "XaXcX\n"),
    ("sed", &["2,4!d"], "one\ntwo\nthree\nfour\nfive\n", "two\nthree\nfour\n"),
    ("sed", &["3,1d"], "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nfour\nfive\n"),
    ("sed", &["#c\ns/a/b/"], "a\n", "b\n"),
    ("sed", &["s,a\\,b,c,"], "a,b\n", "c\n"),
    ("sed", &["s/a/\\n/"], "bab\n", "b\nb\n"),
    ("sed", &["s/a/\\//"], "a\n", "/\n"),
    ("sed", &["s/[/]/x/"], "a/b\n", "axb\n"),
    ("sed", &["-nE", "/^t/{p}"], "one\ntwo\nthree\nfour\nfive\n", "two\nthree\n"),
    ("sed", &["s/\\s\\+$//"], "a  \n", "a\n"),
];
