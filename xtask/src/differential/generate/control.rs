//! Statements that decide what runs, how often and in which shell. Owns lists, loops, branches, functions, groups, jobs and
//! redirections; programs that run others are its sibling's.

use super::{Statement, Writer, plain, quoted};

/// Each statement with its name in the report.
pub(super) const STATEMENTS: &[(&str, Statement)] = &[
    ("&& and ||", and_or),
    ("known status", known_status),
    ("if", conditional),
    ("for over words", for_words),
    ("for over globs", for_globs),
    ("for over parameters", for_parameters),
    ("C-style for", for_arithmetic),
    ("while read", while_read),
    ("while counting", while_counting),
    ("until", until),
    ("break and continue", interrupted),
    ("case", case),
    ("[[ ]]", test),
    ("subshell", |writer, depth| format!("(\n{})", writer.block(depth))),
    ("group", |writer, depth| format!("{{\n{}}}", writer.block(depth))),
    ("function", function),
    ("function with arguments", function_arguments),
    ("function that returns", function_returns),
    ("recursion", recursion),
    ("pipeline", pipeline),
    ("negation and time", |writer, depth| {
        let keyword = writer.choose(&["!", "time", "time -p", "! time"], "!");
        format!("{keyword} {{\n{}}}", writer.block(depth))
    }),
    ("job", job),
    ("coproc", coprocess),
    ("trap", trap),
    ("redirection", redirection),
    ("heredoc", heredoc),
    ("substitution in words", substitution),
    ("process substitution", process),
    ("set -e", set_errexit),
    ("exit", exit),
    ("cd", directory),
    ("comment", |writer, depth| {
        format!("# alpha one; beta\n{} # gamma", writer.statement(depth).trim_end())
    }),
    ("glob arguments", globs),
];

fn and_or(writer: &mut Writer, depth: u32) -> String {
    let mut list = writer.tame_command();
    for _ in 0..=writer.below(2) {
        let operator = writer.choose(&["&&", "||"], "&&");
        let next = if writer.one_in(3) {
            format!("{{\n{}}}", writer.block(depth))
        } else {
            writer.plain_command()
        };
        list = format!("{list} {operator} {next}");
    }
    list
}

fn known_status(writer: &mut Writer, depth: u32) -> String {
    let condition = writer.choose(
        &[
            "true",
            "false",
            ":",
            "[ a = a ]",
            "[ -z x ]",
            "test 3 -gt 2",
            "[[ abc == a?c ]]",
            "[[ -n '' ]]",
            "((1 > 2))",
            "((3))",
            "! true",
            "! false",
            "[ ! a = b ]",
            "[[ a < b && ! -z c ]]",
            "[[ a =~ ^b ]]",
            "x=1",
            "cd .",
            "(exit 1)",
            "(exit 0)",
            "echo hi >/dev/null",
            "[ 1 -eq 1 -a 2 -eq 3 ]",
            "! [[ $unset_one ]]",
            "[ -e missing ]",
            "type no_such_program >/dev/null 2>&1",
            "command -v alpha >/dev/null",
            "let 0",
        ],
        "true",
    );
    let operator = writer.choose(&["&&", "||"], "&&");
    let command = writer.plain_command();
    match writer.below(3) {
        0 => format!("{condition} {operator} {{\n{}}}", writer.block(depth)),
        1 => {
            let other = writer.choose(&["&&", "||"], "||");
            format!("{condition} {operator} {command} {other} {}", writer.plain_command())
        }
        _ => format!("{condition} {operator} {command}"),
    }
}

fn condition(writer: &mut Writer) -> &'static str {
    writer.choose(
        &[
            "true",
            "false",
            "[ 1 -lt 2 ]",
            "[[ -f missing ]]",
            "[ -d . ]",
            "alpha ok",
            "beta a && gamma b",
            "((n > 3))",
            "[[ -z $never ]]",
            "[[ $1 == one ]]",
            "! alpha x",
            "[ \"$1\" = two ]",
            "test -n \"$HOME\"",
            "grep -q x /dev/null",
            "command -v missing",
        ],
        "true",
    )
}

fn conditional(writer: &mut Writer, depth: u32) -> String {
    let mut text = format!("if {}; then\n{}", condition(writer), writer.block(depth));
    if writer.one_in(3) {
        text.push_str(&format!("elif {}\nthen\n{}", condition(writer), writer.block(depth)));
    }
    if writer.one_in(2) {
        text.push_str(&format!("else\n{}", writer.block(depth)));
    }
    text.push_str("fi");
    text
}

fn for_words(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let list = match writer.below(7) {
        0 => "one two 'three four'".to_owned(),
        1 => "{1..3}".to_owned(),
        2 => "{a,b}{x,y}".to_owned(),
        3 => format!("$(echo {} {})", writer.program(), writer.program()),
        4 => format!("{} {}", writer.program(), writer.program()),
        5 => "a \"b c\" '' $unset_one d*".to_owned(),
        _ => {
            let list = writer.name();
            let inner = format!("p{name}");
            return format!(
                "{list}=(x 'y z' w)\nfor {name} in \"${{{list}[@]}}\"; do\n{inner}=${name}\n{} \"${inner}\" \"${name}\"\ndone",
                writer.program()
            );
        }
    };
    let use_of = match writer.below(4) {
        0 => format!("${name} now"),
        1 => format!("{} \"${name}\"", writer.program()),
        2 => format!("{} ${{{name}}}.x \"${{{name}%?}}\"", writer.program()),
        _ => writer.statement(depth),
    };
    let (open, close) = if writer.one_in(6) { ("{", "}") } else { ("do", "done") };
    format!("for {name} in {list}; {open}\n{use_of}\n{close}")
}

fn for_globs(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let pattern = writer.choose(&["*.g", "./*.g", "g[12].g", "?2.g", "no-such-*.h"], "*.g");
    let rest = writer.statement(depth);
    format!(
        "echo one > g1.g; printf two > g2.g\nfor {name} in {pattern}; do {} \"${name}\"; done\n{rest}",
        writer.program()
    )
}

fn for_parameters(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let body = writer.statement(depth);
    format!(
        "set -- one 'two three' four\nfor {name}\ndo\n{} \"${name}\"\n{body}\ndone",
        writer.program()
    )
}

fn for_arithmetic(writer: &mut Writer, depth: u32) -> String {
    let header = writer.choose(
        &[
            "i=0; i<2; i++",
            "i=3; i; i--",
            "i=0,j=4; i<j; i+=2",
            "i=0; i<0; i++",
            " i = 1 ; i <= 3 ; ++i ",
        ],
        "i=0; i<2; i++",
    );
    let body = if writer.one_in(2) { String::new() } else { writer.statement(depth) };
    format!("for (({header})); do\n{} item$i \"$((i*2))\"\n{body}\ndone", writer.program())
}

fn while_read(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(5) {
        0 => format!(
            "while read -r {name}; do\n{program} \"${name}\"\ndone <<'E'\none two\nthree\nE"
        ),
        1 => format!(
            "printf '%s\\n' a 'b c' d | while IFS= read -r {name}; do {program} \"${name}\"; done\n{body}"
        ),
        2 => format!(
            "while IFS=, read -r a b; do {program} \"$b\" \"$a\"; done <<< $'1,2\\n3,4'\n{body}"
        ),
        3 => format!(
            "printf 'x\\ny\\n' > {name}.t\nwhile read -r line; do\n{program} \"$line\"\ndone < {name}.t\n{body}"
        ),
        _ => format!(
            "while read -r p q; do \"$p\" $q; done < <(echo '{program} 1 2'; echo alpha)\n{body}"
        ),
    }
}

fn while_counting(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(3) {
        0 => format!(
            "{name}=3\nwhile [ ${name} -gt 0 ]; do\n{program} ${name}\n{name}=$(({name}-1))\ndone\n{body}"
        ),
        1 => format!("{name}=0\nwhile (( {name}++ < 2 )); do {program} n${name}; done\n{body}"),
        _ => format!(
            "{name}=aaa\nwhile [[ ${name} ]]; do {program} \"${name}\"; {name}=${{{name}#a}}; done\n{body}"
        ),
    }
}

fn until(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let body = writer.statement(depth);
    format!(
        "{name}=0\nuntil [ ${name} -ge 2 ]; do\n{} \"${name}\"\n: $(( {name} += 1 ))\ndone\n{body}",
        writer.program()
    )
}

fn interrupted(writer: &mut Writer, depth: u32) -> String {
    let word = writer.choose(&["break", "continue", "break 1"], "break");
    let body = writer.statement(depth);
    format!(
        "for item in 1 2 3; do\nif [ $item = 2 ]; then {word}; fi\n{} $item\ndone\n{body}",
        writer.program()
    )
}

fn case(writer: &mut Writer, depth: u32) -> String {
    let subject =
        writer.choose(&["one", "\"$1\"", "$HOME", "a.txt", "$unset_one", "'x y'", "-v"], "one");
    let first = writer
        .choose(&["o*", "one|two", "*.txt", "''", "[!a-z]*", "\"x y\"", "-?", "$'one'"], "o*");
    let end = writer.choose(&[";;", ";;", ";&", ";;&"], ";;");
    format!(
        "case {subject} in\n{first})\n{}{end}\n{}|*) {};;\nesac",
        writer.block(depth),
        writer.choose(&["two", "x*", "\"*\""], "two"),
        writer.tame_command()
    )
}

fn test(writer: &mut Writer, depth: u32) -> String {
    let program = writer.program();
    match writer.below(4) {
        0 => format!("[[ -n $({program} inside) || a == b ]]\n{}", writer.statement(depth)),
        1 => format!(
            "[[ abc123 =~ ^([a-z]+)([0-9]+)$ ]] && {program} \"${{BASH_REMATCH[1]}}\" \"${{BASH_REMATCH[2]}}\""
        ),
        2 => format!(
            "if [[ \"x y\" == *' '* && ( 2 -gt 1 || -e / ) ]]; then\n{}fi",
            writer.block(depth)
        ),
        _ => format!("test \"$({program} t)\" = '' ; [ -n \"`alpha b`\" ]"),
    }
}

fn function(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let head =
        writer.choose(&["F()", "function F", "F ()", "function F ()"], "F()").replace('F', &name);
    let body = match writer.below(3) {
        0 => format!("(\n{})", writer.block(depth)),
        _ => format!("{{\n{}}}", writer.block(depth)),
    };
    let calls = writer
        .choose(&["F", "F; F", "F && F", "", "$(F)>/dev/null", "F >/dev/null 2>&1"], "F")
        .replace('F', &name);
    let calls = calls.replace("$(", ": $(").replace(")>", ") >");
    format!("{head} {body}\n{calls}")
}

fn function_arguments(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let body = writer.choose(
        &[
            "P \"$@\"",
            "P \"$1\" \"${2:-none}\" $#",
            "shift; P \"$*\"",
            "local a=\"$1\" b=$2; P \"$b\" \"$a\"",
            "\"$@\"",
            "for each in \"$@\"; do P \"$each\"; done",
            "set -- extra \"$@\"; P \"$@\"",
            "local first=$1; shift; P \"$first\" \"$@\"",
            "case $1 in -*) P option \"$1\";; *) P word \"$1\";; esac",
            "P \"${FUNCNAME[0]}\" \"$0\"",
            "while [ $# -gt 0 ]; do P \"$1\"; shift; done",
            "P \"${@: -1}\" \"${!#}\"",
            "eval \"P $1\"",
        ],
        "P \"$@\"",
    );
    let argument = plain(writer.argument());
    let after =
        if writer.one_in(2) { writer.statement(depth) } else { format!("{program} \"$1\" \"$#\"") };
    format!(
        "{name}() {{ {}; }}\n{name} {} {argument} last\n{after}",
        body.replace('P', program),
        writer.program()
    )
}

fn function_returns(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let status = writer.choose(
        &["return 0", "return 1", "return", "true", "false", "[ \"$1\" = yes ]"],
        "return 0",
    );
    let operator = writer.choose(&["&&", "||"], "&&");
    format!(
        "{name}() {{ {}; {status}; }}\n{name} yes {operator} {}\n{}",
        writer.tame_command(),
        writer.plain_command(),
        writer.statement(depth)
    )
}

fn recursion(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let after = writer.statement(depth);
    match writer.below(2) {
        0 => format!(
            "{name}() {{ {program} \"$1\"; if [ \"$1\" -gt 0 ]; then {name} $(( $1 - 1 )); fi; }}\n{name} 2\n{after}"
        ),
        _ => format!(
            "{name}() {{ [ $# -eq 0 ] && return; {program} \"$1\"; shift; {name} \"$@\"; }}\n{name} a b\n{after}"
        ),
    }
}

fn pipeline(writer: &mut Writer, depth: u32) -> String {
    let first = writer.tame_command();
    let second = writer.plain_command();
    match writer.below(5) {
        0 => format!("{first} | {second}"),
        1 => format!("{first} |& {second} | {}", writer.tame_command()),
        2 => format!("{first} | {{\n{}}}", writer.block(depth)),
        3 => format!("! {first} | (\n{})", writer.block(depth)),
        _ => format!("{first} 2>/dev/null | {second} > out.txt"),
    }
}

fn job(writer: &mut Writer, depth: u32) -> String {
    let first = writer.tame_command();
    match writer.below(4) {
        0 => format!("{first} & wait"),
        1 => format!("{{\n{}}} &\n{first} &\nwait", writer.block(depth)),
        2 => format!("(\n{}) & wait $!", writer.block(depth)),
        _ => format!("{first} & {} & wait -n; wait", writer.tame_command()),
    }
}

fn coprocess(writer: &mut Writer, depth: u32) -> String {
    match writer.below(2) {
        0 => format!("coproc {}\nwait", writer.tame_command()),
        _ => format!("coproc WORKER {{\n{}}}\nwait", writer.block(depth)),
    }
}

fn trap(writer: &mut Writer, depth: u32) -> String {
    let command = writer.tame_command();
    let body = writer.statement(depth);
    match writer.below(5) {
        0 => format!("(\ntrap {} EXIT\n{body}\n)", quoted(&command)),
        1 => format!("(trap '{command}' 0; :)\n{body}"),
        2 => format!("trap '{command}' USR1; trap - USR1\n{body}"),
        3 => format!("on_exit() {{ {command}; }}\n(trap on_exit EXIT\n{body}\n)"),
        _ => format!("(trap '{command}' ERR; false; :)\n{body}"),
    }
}

fn redirection(writer: &mut Writer, depth: u32) -> String {
    let command = writer.tame_command();
    let target = writer.choose(
        &[
            "> out.txt",
            ">> out.txt",
            "2>&1 >/dev/null",
            "&> all.txt",
            "> out.txt 2>&1",
            "< /dev/null",
            "3> three.txt",
            ">| out.txt",
            "2> err.txt",
            "<<< input",
            "1>&2 2>/dev/null",
            "{fd}> fd.txt",
            ">&2",
        ],
        "> out.txt",
    );
    match writer.below(3) {
        0 => format!("{target} {command}"),
        1 => format!("{{\n{}}} {target}", writer.block(depth)),
        _ => format!("{command} {target}"),
    }
}

fn heredoc(writer: &mut Writer, depth: u32) -> String {
    let program = writer.program();
    let inner = writer.tame_command();
    let after = writer.statement(depth);
    match writer.below(5) {
        0 => format!("{program} <<E\nvalue $({inner}) `alpha tick` $HOME\nE\n{after}"),
        1 => format!("{program} <<'E'\n$({inner})\nE\n{after}"),
        2 => format!("{program} <<-\"E\" | {inner}\n\ttext\n\tE\n{after}"),
        3 => format!(
            "{program} <<A; {inner} <<B\na $(beta in a)\nA\nb ${{unset_one:-$(gamma in b)}}\nB\n{after}"
        ),
        _ => format!("{program} <<E && {inner}\n\\$(not run) ${{x#y}}\nE\n{after}"),
    }
}

fn substitution(writer: &mut Writer, depth: u32) -> String {
    let program = writer.program();
    let inner = writer.tame_command();
    let word = writer.choose(
        &[
            "$(C)",
            "\"$(C)\"",
            "\"a`C`b\"",
            "${unset_one:-$(C)}",
            "\"${HOME:+$(C)}\"",
            "$(( $(echo 3; C >/dev/null) + 1 ))",
            "x=$(C)",
            "\"$(P \"$(C)\")\"",
            "$(C; C)",
            "\"$(C | P)\"",
            "${#x}$(C)",
            "{$(C),b}",
            "$'a'$(C)",
            "\"${unset_one:=`C`}\"",
            "${x/a/$(C)}",
            "\"$( (C) )\"",
            "$(C &)",
            "\"$(C # comment\n)\"",
            "$(case x in x) C;; esac)",
            "\"${arr[$(C >&2; echo 0)]}\"",
        ],
        "$(C)",
    );
    let word = word.replace('C', &inner).replace('P', program);
    match writer.below(4) {
        0 => format!("{program} {word}"),
        1 => format!("y={word}"),
        2 => format!("echo {word} > /dev/null\n{}", writer.statement(depth)),
        _ => format!("{program} before {word} after"),
    }
}

fn process(writer: &mut Writer, depth: u32) -> String {
    let inner = writer.tame_command();
    let after = writer.statement(depth);
    match writer.below(5) {
        0 => format!("cat <({inner}) > /dev/null\n{after}"),
        1 => format!("cat <({inner}) <(beta two) | alpha\n{after}"),
        2 => format!("echo data > >({inner}); wait\n{after}"),
        3 => format!("source <(echo {})\n{after}", quoted(&inner)),
        _ => format!("echo {} | tee >(cat > /dev/null) | cat > copy.txt\n{after}", quoted(&inner)),
    }
}

fn set_errexit(writer: &mut Writer, depth: u32) -> String {
    let command = writer.tame_command();
    let options =
        writer.choose(&["-e", "-eu", "-euo pipefail", "-o errexit", "-x", "+e", "-f", "-u"], "-e");
    match writer.below(4) {
        0 => format!("(\nset {options}\n{command}\nfalse\n{}\n)", writer.tame_command()),
        1 => format!("(set {options}; {command}; false || true; {})", writer.tame_command()),
        _ => format!("(\nset {options}\n{})", writer.block(depth)),
    }
}

fn exit(writer: &mut Writer, depth: u32) -> String {
    let first = writer.tame_command();
    let second = writer.tame_command();
    match writer.below(6) {
        0 => format!("({first}; exit; {second})"),
        1 => format!("(\n{first}\nexit 0\n{})", writer.block(depth)),
        2 => format!("({first} || exit 1; {second})"),
        3 => format!("(exec {first}; {second})"),
        4 => format!("leave() {{ {first}; return; {second}; }}; leave"),
        _ => format!("x=$({first}; exit 2; {second}) || {second} after"),
    }
}

fn directory(writer: &mut Writer, depth: u32) -> String {
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(5) {
        0 => format!("mkdir -p d1/d2 && cd d1 && {program} \"${{PWD##*/}}\"; cd ..\n{body}"),
        1 => format!("mkdir -p d3\n(cd d3 && echo '{program} inside' > s.sh && sh s.sh)\n{body}"),
        2 => format!(
            "mkdir -p d4; echo {program} > d4/t; cd d4; $(cat t) \"$(basename \"$PWD\")\"; cd - >/dev/null\n{body}"
        ),
        3 => format!(
            "mkdir -p d5/e; pushd d5/e >/dev/null; {program} \"${{PWD#$HOME/}}\"; popd >/dev/null\n{body}"
        ),
        _ => {
            format!("mkdir -p d6; cd d6; echo '{program} up' > ../up.sh; cd ..; . ./up.sh\n{body}")
        }
    }
}

fn globs(writer: &mut Writer, depth: u32) -> String {
    let program = writer.program();
    let pattern = writer.choose(
        &[
            "f*.z",
            "f?.z",
            "f[12].z",
            "*.z *.none",
            "'f*.z'",
            "./f*.z",
            "f*",
            "{f1,f2}.z",
            "f+([0-9]).z",
        ],
        "f*.z",
    );
    let pattern = pattern.replace("+([0-9])", "[0-9]");
    let body = writer.statement(depth);
    match writer.below(3) {
        0 => format!("touch f1.z f2.z\n{program} {pattern}\n{body}"),
        1 => format!(
            "echo x > f1.z; echo y > f2.z; files=({pattern}); {program} \"${{files[@]}}\" ${{#files[@]}}\n{body}"
        ),
        _ => format!("echo 'alpha in file' > f1.z; p='{pattern}'; {program} $p; sh f1.*\n{body}"),
    }
}
