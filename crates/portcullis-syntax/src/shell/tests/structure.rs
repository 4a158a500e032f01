//! One row for each construct: the text and the outline of its tree; and exact spans.

use super::outline;
use crate::shell::{Command, CommandKind, Script, parse, visit};

const OUTLINES: &[(&str, &str)] = &[
    ("git status", "git status"),
    ("a && b || c & d; e", "a And b Or c &; d; e"),
    ("! a | b", "not a | b"),
    ("! ! a", "a"),
    ("time -p ! a", "time not a"),
    ("time\nrm a; !\nb", "time ; rm a; not ; b"),
    ("a |& b", "a [2DuplicateOutput 1] | b"),
    ("(a; b) >c", "subshell(a; b) [Write c]"),
    ("{ a; } 2>&1", "group(a) [2DuplicateOutput 1]"),
    ("if a; then b; elif c; then d; else e; fi", "if(a then b elif c then d else e)"),
    ("while a; do b; done", "while(a do b)"),
    ("until a; do b; done", "until(a do b)"),
    ("for x in a b; do c; done", "for(x in a b do c)"),
    ("for x; do c; done", "for(x arguments do c)"),
    ("for x in; do c; done", "for(x in  do c)"),
    ("select x in a; { c; }", "select(x in a do c)"),
    ("for ((i=0; i<$n; i++)); do c; done", "arithmetic-for(i=0; i<<$n>; i++ do c)"),
    ("case $x in a|b*) c;; (*) d;; esac", "case(<$x> in a|b<glob *>) c ;; <glob *>) d)"),
    ("f() { a; } >b", "function(f group(a) [Write b])"),
    ("function f { a; }", "function(f group(a))"),
    ("[[ -f $x && ( a == b* ) ]]", "test(-f <$x> && ( a == b<glob *> ))"),
    ("[[ a =~ ^(b c|d)$ ]]", "test(a =~ ^(b c|d)$)"),
    ("[[ a =~ \\.x ]]", "test(a =~ '.'x)"),
    ("((x = 1 << 2))", "arithmetic(x = 1 << 2)"),
    ("coproc N { a; }", "coproc(N group(a))"),
    ("coproc a b", "coproc(a b)"),
    ("done", "unparsed"),
    // Assignments.
    ("A=1 B= c", "A=1 B= c"),
    ("A+=x", "A+=x"),
    ("a[1 + 2]=b", "a[1 + 2]=b"),
    ("a=(1 [k]=v \"x y\")", "a=(1 [k]=v \"'x y'\")"),
    ("a+=(b)", "a+=(b)"),
    ("local a=(b c) d", "local a=(b c) d"),
    ("a=~/b:~c:d~", "a=<tilde >/b:<tilde c>:d~"),
    ("a=*{b,c}", "a=*{b,c}"),
    // Redirections.
    ("a <b >c >|d >>e <>f", "a [Read b] [Write c] [Clobber d] [Append e] [ReadWrite f]"),
    (
        "a &>b &>>c >&d >&2 2>&- <&3-",
        "a [WriteBoth b] [AppendBoth c] [WriteBoth d] [DuplicateOutput 2] [2DuplicateOutput -] [DuplicateInput 3-]",
    ),
    ("a {fd}>b 10<c", "a [{fd}Write b] [10Read c]"),
    ("a <<<\"b $c\"", "a [HereString \"'b '<$c>\"]"),
    ("a <<E\nb $c\\$d \\x\nE\n", "a [Heredoc E body 'b '<$c>'$d \\x\n']"),
    ("a <<'E'\nb $c\nE\n", "a [Heredoc 'E' body 'b $c\n']"),
    ("a <<-E\n\tb\n\t\t$c\n\tE\n", "a [HeredocStripped E body 'b\n'<$c>'\n']"),
    ("a <<-'E'\n\tb\n\tc\n\tE\n", "a [HeredocStripped 'E' body 'b\nc\n']"),
    ("a <<E\n'b' \"c\" {d,e} *\nE\n", "a [Heredoc E body ''b' \"c\" {d,e} *\n']"),
    ("a <<E\nb\\\nc\nE\n", "a [Heredoc E body 'bc\n']"),
    ("a <<A <<B\n1\nA\n2\nB\n", "a [Heredoc A body '1\n'] [Heredoc B body '2\n']"),
    // Quotes.
    ("a'b c'd", "a'b c'd"),
    ("a\\ b\\$", "a' 'b'$'"),
    ("''", "''"),
    ("\"\"", "\"\""),
    ("\"a\\\"b\\$c\\d\\\\\"", "\"'a\"b$c\\d\\'\""),
    ("\"a $b c\"", "\"'a '<$b>' c'\""),
    ("$'a\\n\\t\\x41\\101\\u00e9\\U0001F600\\cA\\e\\q\\'z'", "'a\n\tAAé😀\u{1}\u{1b}\\q'z'"),
    ("$'a\\0b'c", "'a'c"),
    ("$'\\x{41}b'", "'Ab'"),
    ("$\"a\"", "\"'a'\""),
    ("a\\\nb", "ab"),
    ("\"a\\\nb\"", "\"'ab'\""),
    ("\\é", "'é'"),
    // Parameters.
    ("$a $1 $12 $@ $_", "<$a> <$1> <$1>2 <$@> <$_>"),
    ("${a} ${10} ${#a} ${#} ${##} ${#@}", "<$a> <$10> <length a> <$#> <length #> <length @>"),
    ("${a[1]} ${a[@]} ${#a[*]} ${a[$b]}", "<$a[1]> <$a[@]> <length a[*]> <$a[<$b>]>"),
    ("${!a} ${!a*} ${!a[@]} ${!}", "<$!a> <names !a> <names !a[@]> <$!>"),
    (
        "${a-b} ${a:-b c} ${a:=b} ${a:?b} ${a+b}",
        "<$a default b> <$a default b c> <$a assign b> <$a error b> <$a alternate b>",
    ),
    (
        "${a:-\"b c\"} ${a:-'}'} ${a:-*}",
        "<$a default \"'b c'\"> <$a default '}'> <$a default <glob *>>",
    ),
    ("\"${a:-b \"c\"}\"", "\"<$a default 'b '\"'c'\">\""),
    (
        "${a#b} ${a##*/} ${a%b} ${a%%.*}",
        "<$a without prefix false b> <$a without prefix true <glob *>/> <$a without suffix false b> <$a without suffix true .<glob *>>",
    ),
    (
        "${a/b/c} ${a//b/c} ${a/#b/c} ${a/%b} ${a//\\//_}",
        "<$a First b by c> <$a All b by c> <$a Prefix b by c> <$a Suffix b by > <$a All '/' by _>",
    ),
    ("${a////_}", "<$a All / by _>"),
    (
        "${a:1} ${a:1:2} ${a: -1} ${a:(x?1:2):3}",
        "<$a from 1 length None> <$a from 1 length Some(\"2\")> <$a from  -1 length None> <$a from (x?1:2) length Some(\"3\")>",
    ),
    (
        "${a^} ${a^^} ${a,b} ${a,,}",
        "<$a upper true all false > <$a upper true all true > <$a upper false all false b> <$a upper false all true >",
    ),
    ("${a@Q}", "<$a @Q>"),
    ("a$ $% \"$\"", "a$ $% \"'$'\""),
    // Substitutions.
    ("$(a b) `c d`", "<run a b> <run c d>"),
    ("`a \\`b \\\\$c\\``", "<run a <run b <$c>>>"),
    ("`a \\\\\\$c`", "<run a '$'c>"),
    ("$((1 + $x)) $[2]", "<arithmetic 1 + <$x>> <arithmetic 2>"),
    ("$((a) | b)", "<run subshell(a) | b>"),
    ("<(a) >(b)", "<read-from a> <write-to b>"),
    ("${ a; } ${| b; }", "<run a> <run b>"),
    // Braces, globs, tildes.
    ("a{b,c}d {e,{f,g}}", "a<brace b,c>d <brace e,<brace f,g>>"),
    ("r{,}m {a,}", "r<brace ,>m <brace a,>"),
    (
        "{1..3} {a..e..2} {1..b} {-3..3}",
        "<range 1 3 None> <range a e Some(\"2\")> {1..b} <range -3 3 None>",
    ),
    ("{} {a} {a,b {,} a,b} {a,{b}", "{} {a} {a,b <brace ,> a,b} {a,{b}"),
    ("{\"a,b\",c} {a\\,b}", "<brace \"'a,b'\",c> {a','b}"),
    ("{{a,b},c}d} ${a}{b,c}", "<brace <brace a,b>,c>d} <$a><brace b,c>"),
    ("* a?b [a-z]x [!a]*", "<glob *> a<glob ?>b <glob [a-z]>x <glob [!a]><glob *>"),
    ("[a [ ] a] []a] [[:alpha:]]", "[a [ ] a] <glob []a]> <glob [[:alpha:]]>"),
    ("[$a] [\"b\"c]", "<glob [><$a>] <glob [\"b\"c]>"),
    ("\\* '*' \"*\"", "'*' '*' \"'*'\""),
    (
        "x @(a|b*) !(c)d +(e\"f\")",
        "x <extended @ a,b<glob *>> <extended ! c>d <extended + e\"'f'\">",
    ),
    ("x a/(b)/c a(b|c-d)", "x a/<extended @ b>/c a<extended @ b,c-d>"),
    (
        "~ ~/a ~b/c ~+ a~ \"~\" b=~/c --d=~",
        "<tilde > <tilde >/a <tilde b>/c <tilde +> a~ \"'~'\" b=<tilde >/c --d=~",
    ),
    ("a[b]c x[\"$y\"]z", "a<glob [b]>c x<glob [>\"<$y>\"]z"),
];

#[test]
fn each_construct_has_its_tree() {
    let mut wrong = Vec::new();
    for (text, expected) in OUTLINES {
        let found = outline::statements(&parse(text).body);
        if found != *expected {
            wrong.push(format!("{text}\n  expected {expected}\n     found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_bare_negation_has_no_stage() {
    for text in ["!", "time", "! \n", "time -p; ", "(!)", "! & a"] {
        let script = parse(text);
        assert_eq!(script.unparsed, [], "{text:?}");
        let bare = visit::commands(&script)
            .iter()
            .all(|command| !matches!(&command.kind, CommandKind::Simple { words, .. } if words.is_empty()));
        assert!(bare, "{text:?}");
    }
}

fn simple(script: &Script) -> Vec<&Command> {
    visit::commands(script)
        .into_iter()
        .filter(|command| matches!(command.kind, CommandKind::Simple { .. }))
        .collect()
}

#[test]
fn arithmetic_that_ends_where_nobody_meant_it_is_never_understood_whole() {
    for text in [
        "echo $(( 1 + $( ( case x in a|b) a;; *) ;; esac )) ))",
        "echo $(( $( ( case x in a) ;; b) rm;; esac )) ))",
        "(( $( ( case x in a) ;; b) rm;; esac )) ))",
    ] {
        assert_ne!(parse(text).unparsed, [], "{text:?}");
    }
}

#[test]
fn spans_cover_exactly_what_was_written() {
    let text = "  FOO=1 >x rm -rf \"$HOME/a b\" 2>&1 | cat <<E && [[ -f y ]] # c\nbody $(z)\nE\n";
    let script = parse(text);
    let commands: Vec<&str> = simple(&script).iter().map(|command| command.span.of(text)).collect();
    assert_eq!(commands, ["FOO=1 >x rm -rf \"$HOME/a b\" 2>&1", "cat <<E", "z"]);
    let words: Vec<&str> = visit::words(&script).iter().map(|word| word.span.of(text)).collect();
    assert_eq!(
        words,
        ["1", "rm", "-rf", "\"$HOME/a b\"", "x", "1", "cat", "E", "body $(z)\n", "z", "-f", "y"]
    );
    assert_eq!(
        script.body[0].span.of(text),
        "FOO=1 >x rm -rf \"$HOME/a b\" 2>&1 | cat <<E && [[ -f y ]]"
    );
    assert_eq!(script.comments[0].of(text), "# c");
}

#[test]
fn compound_spans_reach_from_the_first_word_to_the_last_redirection() {
    for text in [
        "if a; then b; fi",
        "while a; do b; done < c",
        "for x in a; do b; done 2>&1",
        "( a ) > b",
        "{ a; }",
        "case a in b) c;; esac",
        "f() { a; } > b",
        "function f { a; }",
        "[[ a ]]",
        "(( a ))",
        "coproc a { b; }",
        "select x; do a; done",
    ] {
        let source = format!("  {text} ; z");
        let script = parse(&source);
        assert_eq!(script.body[0].span.of(&source), text);
        assert_eq!(script.unparsed, []);
    }
}

#[test]
fn spans_of_unescaped_backticks_stand_in_the_source() {
    let text = "é `a \\`rm \\\\x\\` b`";
    let script = parse(text);
    let spans: Vec<&str> = simple(&script).iter().map(|command| command.span.of(text)).collect();
    assert_eq!(spans, [text, "a \\`rm \\\\x\\` b", "rm \\\\x"]);
}
