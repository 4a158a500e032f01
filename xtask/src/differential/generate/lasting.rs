//! Statements about what outlives a command, or does not: descriptors, options, functions, traps, variables in shells of their
//! own. Owns scripts in which `P` and `Q` stand for programs, `V` for a variable of its own and `F` for a file.

use super::{Statement, Writer, quoted};

/// Each statement with its name in the report.
pub(super) const STATEMENTS: &[(&str, Statement)] = &[
    ("exec and descriptors", |writer, _| one_of(writer, DESCRIPTORS)),
    ("heredoc with expansions", |writer, _| one_of(writer, HEREDOCS)),
    ("operators @", |writer, _| one_of(writer, TRANSFORMS)),
    ("set -f, -u, pipefail", |writer, _| one_of(writer, OPTIONS)),
    ("extended patterns", |writer, _| one_of(writer, PATTERNS)),
    ("late traps", |writer, _| one_of(writer, TRAPS)),
    ("functions that change", |writer, _| one_of(writer, FUNCTIONS)),
    ("functions as programs", |writer, _| one_of(writer, SHADOWS)),
    ("getopts loop", |writer, _| one_of(writer, OPTIONS_READ)),
    ("read in all ways", |writer, _| one_of(writer, READS)),
    ("printf formats", |writer, _| one_of(writer, FORMATS)),
    ("IFS games", |writer, _| one_of(writer, SEPARATORS)),
    ("braces", |writer, _| one_of(writer, BRACES)),
    ("globs of own files", |writer, _| one_of(writer, GLOBS)),
    ("decoders", decoder),
    ("sourced state", |writer, _| one_of(writer, SOURCED)),
    ("lost state", |writer, _| one_of(writer, LOST)),
    ("readonly and references", |writer, _| one_of(writer, REFERENCES)),
    ("arrays that change", |writer, _| one_of(writer, ARRAYS)),
    ("arithmetic that assigns", |writer, _| one_of(writer, ARITHMETIC)),
    ("select and coproc", |writer, _| one_of(writer, CHOSEN)),
    ("directories that are missing", |writer, _| one_of(writer, DIRECTORIES)),
    ("environment of shells", |writer, _| one_of(writer, ENVIRONMENTS)),
    ("parameters sliced", |writer, _| one_of(writer, PARAMETERS)),
    ("conditions on variables", |writer, _| one_of(writer, CONDITIONS)),
];

/// One of these scripts, with names of its own.
fn one_of(writer: &mut Writer, scripts: &[&str]) -> String {
    let script = writer.choose(scripts, "P a");
    let (program, other, name) = (writer.program(), writer.program(), writer.name());
    let mut text = String::with_capacity(script.len() * 2);
    for (index, character) in script.char_indices() {
        let before = script.get(..index).and_then(|before| before.chars().next_back());
        let after = script.get(index + 1..).and_then(|after| after.chars().next());
        let joined = |next: Option<char>| {
            next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_')
        };
        let joined_before = joined(before) || before == Some('@');
        match character {
            'P' | 'Q' | 'V' | 'F' if !joined_before && !joined(after) => match character {
                'P' => text.push_str(program),
                'Q' => text.push_str(other),
                'V' => text.push_str(&name),
                _ => text.push_str(&format!("{name}.f")),
            },
            other => text.push(other),
        }
    }
    text
}

const DESCRIPTORS: &[&str] = &[
    "exec 3> F; echo 'P a' >&3; echo 'Q b' >&3; exec 3>&-; sh F",
    "exec 6>&1 > F; echo 'P one'; echo Q two; exec >&6 6>&-; sh F",
    "printf 'a\\nb c\\n' > F; exec 3< F; read -r V <&3; read -r w <&3; exec 3<&-; P \"$V\" \"$w\"",
    "exec 4< <(echo a; echo 'b c'); read -r -u 4 V; read -r -u 4 w; exec 4<&-; P \"$V\" \"$w\"",
    "printf 'l1\\nl2\\n' > F; while read -r -u 9 V; do P \"$V\"; done 9< F",
    "P x 3>&1 >/dev/null 2>&3 3>&-",
    "{ echo 'P a'; echo 'Q b'; } > F; sh F",
    "{ P out; echo 'Q kept' >&3; } 3> F >/dev/null; sh F",
    "exec 5>> F; echo 'P 1' >&5; exec 5>&-; echo 'Q 2' >> F; bash F",
    "exec 7<<< $'one\\ntwo'; mapfile -t -u 7 V; exec 7<&-; P \"${V[@]}\"",
    "(exec > F; echo 'P hidden'); . ./F",
    "f() { echo 'P f'; } > F; f; sh F",
    "for V in 'P 1' 'Q 2'; do echo \"$V\"; done > F; sh F",
    "echo 'P a' > F; echo 'Q b' > F; sh F",
    "echo 'P a' > F; : > F; echo 'Q b' >> F; sh F",
    "echo 'P x' | tee F >/dev/null; exec 8< F; sh <&8; exec 8<&-",
    "echo 'P a' 1>&2 2> F; sh F",
    "exec {V}> F; echo 'P var' >&\"$V\"; exec {V}>&-; sh F",
    "read -r V < <(echo P Q); $V last",
];

const HEREDOCS: &[&str] = &[
    "V='a b'\nwhile read -r l; do P \"$l\"; done <<E\n$V ${V/a/c} $((1+2))\n$(echo in) \\$V\nE",
    "V='a b'\nbash <<E\nP \"$V\" \\${V:-none} '\\$V'\nE",
    "cat <<-E | sh\n\tP one\n\tQ two\n\tE",
    "V=$(cat <<'E'\n  P \"kept\"  $HOME\nE\n); eval \"$V\"",
    "V=x; P \"$(cat <<< \"$V y\")\"",
    "read -r V w <<< \"P  arg\"; $V \"$w\"",
    "sh <<A; sh <<B\nP a\nA\nQ b\nB",
    "bash -s one 'two three' <<'E'\nP \"$1\" \"$2\" $#\nE",
    "V=P; sh <<E\n$V \"\\$1\" `echo tick`\nE",
    "while IFS=: read -r V w; do P \"$w\" \"$V\"; done <<'E'\na:b\nc:d:e\nE",
    "cat <<'E' > F; sh F\nP from 'a file'\nE",
    "eval \"$(cat <<'E'\nP in; Q \"a b\"\nE\n)\"",
];

const TRANSFORMS: &[&str] = &[
    "V=\"it's\"; eval \"P ${V@Q}\"",
    "V='a b'; P \"${V@U}\" \"${V@u}\" \"${V@L}\"",
    "V='a\\tb'; P \"${V@E}\"",
    "V=(a 'b c' \"d'e\"); eval \"P ${V[*]@Q}\"",
    "V=(a 'b c'); eval \"set -- ${V[@]@Q}\"; P \"$@\"",
    "V=ABC; P \"${V,}\" \"${V,,}\" \"${V,,[B]}\" \"${V,,?}\"",
    "V=abc; P \"${V^}\" \"${V^^}\" \"${V^^[b-c]}\"",
    "V=(one two); P \"${V[@]^}\" \"${V[@]#o}\" \"${V[@]/o/0}\" \"${V[@]: -1}\"",
    "V=x; w=V; P \"${!w}\" \"${#V}\" \"${V:-$w}\"",
    "V='P a'; eval \"${V@E}\"",
    "V=aXbXc; P \"${V//X/,}\" \"${V/X*/}\" \"${V%%X*}\" \"${V##*X}\" \"${V%X*}\" \"${V#*X}\"",
    "P \"${V:-'q'}\" ${V:-'q r'} ${V:-\"s t\"u} ${V:-a b}",
    "V=; P \"${V:+x}\" \"${V+'y z'}\" ${V+'y z'} ${V:-\\'}",
    "V=abcdef; P \"${V:2}\" \"${V:1:2}\" \"${V: -2}\" \"${V:0:-1}\" \"${V:(-3):2}\"",
];

const OPTIONS: &[&str] = &[
    "(set -f; P * [ab])",
    "(set -u; P \"$nothing_at_all\"; Q after)",
    "(set -u; P \"${nothing_at_all:-ok}\" \"${nothing_at_all-fine}\")",
    "(set -o pipefail; false | true && P a || Q b)",
    "(set -o pipefail; true | true && P a || Q b)",
    "(set -e; false || P a; ! true; Q b; false; P never)",
    "(set -e; if false; then P a; fi; Q b)",
    "(set -e; f() { false; P in; }; f || Q out)",
    "(set -e; x=$(false); P after)",
    "(set -e; false && P a; Q b)",
    "(set -e; true && false; Q b)",
    "(set -e; (false); Q b)",
    "set -- -e a; P \"$@\"; set --; Q \"$#\"",
    "(set -x -- a 'b c'; P \"$2\") 2>/dev/null",
    "(shopt -s nullglob; V=(no*such); P \"${#V[@]}\" no*such end)",
    "(shopt -s failglob; P no*such; Q after) 2>/dev/null; Q out",
    "shopt -q extglob && P on || Q off",
    "(set -a; V=P; bash -c '$V child')",
    "(set +o posix; P a)",
    "(set -n; P never)",
    "(shopt -s nocasematch; case ABC in abc) P same;; *) Q other;; esac)",
    "set -o | grep -q pipefail && P listed",
];

const PATTERNS: &[&str] = &[
    "shopt -s extglob\nV=aaab12; P \"${V##+(a)}\" \"${V//+([0-9])/n}\" \"${V%%?(2)}\"",
    "shopt -s extglob\ncase abc in @(abc|d)) P yes;; *) Q no;; esac",
    "shopt -s extglob\n[[ foo.txt == !(*.md) ]] && P match",
    "case x1 in [[:alpha:]][0-9]) P class;; *) Q none;; esac",
    "V='*'; case abc in \"$V\") P quoted;; $V) Q bare;; esac",
    "V=a*c; [[ abc == $V ]] && P pattern; [[ abc == \"$V\" ]] || Q literal",
    "case 'a b' in a\\ b) P escaped;; esac",
    "case -v in -*) P option;; esac; case '' in '') Q empty;; esac",
    "[[ a.b =~ ^a\\.b$ ]] && P \"${BASH_REMATCH[0]}\"",
    "V='^(.)(.)'; [[ xyz =~ $V ]] && P \"${BASH_REMATCH[1]}\" \"${BASH_REMATCH[2]}\"",
    "case b in a|b) P one;;& b) Q two;;& c) P three;; *) Q rest;; esac",
    "case ] in [a]) P a;; []]) Q bracket;; esac",
    "V=abc; P \"${V/[!a]/-}\" \"${V/#?/_}\" \"${V/%c/C}\" \"${V//[ab]/}\"",
];

const TRAPS: &[&str] = &[
    "(trap '$V now' EXIT; V=P)",
    "V=Q; (trap '$V d' DEBUG; V=P; :)",
    "(trap '$V e' ERR; V=P; false; :)",
    "f() { trap '$V r' RETURN; V=P; :; }; f; trap - RETURN",
    "(trap 'P a' EXIT; trap 'Q b' EXIT)",
    "(trap 'P a' EXIT; trap - EXIT; Q b)",
    "(trap on_end EXIT\non_end() { P end; }\n:)",
    "(on_end() { P one; }; trap on_end EXIT; on_end() { Q two; })",
    "bash -c 'trap \"P $V\" EXIT; V=x; Q y'",
    "(V=P; trap \"$V early\" EXIT; V=Q)",
    "V=$(trap 'echo late' EXIT; echo early); P $V",
    "(trap 'P usr' USR1; kill -USR1 $BASHPID; Q after)",
    "eval \"trap '\\$V ev' EXIT\"; V=P; trap - EXIT; Q no",
    "(trap 'P int term' INT TERM EXIT; exit 3)",
    "(trap '' INT; P ignored)",
];

const FUNCTIONS: &[&str] = &[
    "f() { g() { P inner \"$1\"; }; g a; }; f; g b",
    "f() { P a; }\nf() { Q b; }\nf",
    "if alpha cond; then f() { P a; }; else f() { Q b; }; fi; f",
    "f() { P a; }; (f() { Q b; }; f); f",
    "f() { P first; f() { Q second; }; }; f; f",
    "f() { local n=$1; (( n > 0 )) || return; P \"$n\"; f $((n-1)); Q back \"$n\"; }; f 2",
    "f() { V=set; }; f; P \"$V\"",
    "f() { local V=in; g; }; g() { P \"$V\"; }; V=out; f; g",
    "f() { echo \"$1\"; }; P \"$(f 'a b')\" $(f 'c d')",
    "f() { return 3; }; f || P \"$?\"",
    "f() { P \"$FUNCNAME\" \"$#\"; }; f x y",
    "f() (V=sub; P \"$V\"); V=top; f; Q \"$V\"",
    "f() { \"$@\"; }; f P 'a b'; f f Q c",
    "f() { shift; P \"$@\"; }; f a b c; Q \"$#\"",
    "f() { set -- x y; P \"$@\"; }; set -- one; f; Q \"$@\"",
    "f() { cat; }; echo 'P piped' | f | sh",
    "f() { read -r V; P \"$V\"; }; f <<< 'in put'",
    "f() { while [ \"$1\" ]; do case $1 in -n) V=$2; shift 2;; *) P \"$1\"; shift;; esac; done; }; f -n val a; Q \"$V\"",
    "f() if true; then P \"$1\"; fi; f a",
    "f() for i in 1 2; do P \"$i\"; done; f",
];

const SHADOWS: &[&str] = &[
    "(alpha() { P fake; }); alpha real",
    "alpha() { P fake; }; unset -f alpha; alpha real",
    "alpha() { P fake \"$@\"; }; bash -c 'alpha child'",
    "alpha() { P fake \"$@\"; }; export -f alpha; bash -c 'alpha child'",
    "[ -e missing ] && alpha() { P fake; }; alpha maybe",
    "alpha() { P fake; }; command alpha real; env alpha real; \\alpha x",
    "echo x | alpha() { P fake; }; alpha real",
    "V=$(alpha() { P fake; }; alpha in); alpha out",
    "shopt -s expand_aliases; alias alpha='P fake'; alpha same line",
    "shopt -s expand_aliases\nalias alpha='P fake'\nalpha next; \\alpha real; 'alpha' real\nunalias alpha\nalpha gone",
    "shopt -s expand_aliases\nalias alpha='P fake'\nbash -c 'alpha child'; (alpha sub)",
    "shopt -s expand_aliases\nf() {\nalias beta='P fake'\nbeta inside\n}\nf\nbeta later",
    "alpha() { P fake; } & wait; alpha real",
    "while read -r V; do alpha() { P \"$V\"; }; done <<< x; alpha y",
    "echo() { P \"$@\"; }; echo a; builtin echo b >/dev/null; unset -f echo",
    "test() { P t; }; test x; [ x ] && Q y; unset -f test",
    "cd() { P moved \"$1\"; builtin cd \"$1\"; }; cd .; unset -f cd",
];

const OPTIONS_READ: &[&str] = &[
    "f() { local OPTIND=1 o; while getopts 'ab:c' o; do case $o in a) P a;; b) Q \"$OPTARG\";; *) P other;; esac; done; shift $((OPTIND-1)); P rest \"$@\"; }; f -a -b val -c one two",
    "f() { local OPTIND=1 o; while getopts ':ab:' o; do case $o in a) P a;; b) Q \"$OPTARG\";; \\?) P bad \"$OPTARG\";; :) Q missing \"$OPTARG\";; esac; done; }; f -ab val -z",
    "OPTIND=1; while getopts 'x:' o -x 'v w'; do P \"$o\" \"$OPTARG\"; done",
    "f() { OPTIND=1; while getopts 'v' o; do V=on; done; shift $((OPTIND-1)); P \"${V:-off}\" \"$1\"; }; f -v file",
    "set -- -a -- -b; OPTIND=1; while getopts 'ab' o; do P \"$o\"; done; shift $((OPTIND-1)); Q \"$@\"",
];

const READS: &[&str] = &[
    "IFS= read -r V <<< '  lead '; P \"$V\"",
    "read V <<< '  lead '; P \"$V\"",
    "read -r -d: V <<< 'a:b'; P \"$V\"",
    "read -r -N 3 V <<< 'abcdef'; P \"$V\"",
    "read -r -n 2 V <<< 'abcdef'; P \"$V\"",
    "read x y z <<< 'one two'; P \"$x\" \"$y\" \"$z\"",
    "read -r x y <<< 'one two three '; P \"$x\" \"$y\"",
    "echo 'P x' > F; read -r V < F; $V",
    "echo a | { read -r V; P \"$V\"; }",
    "read <<< ' rep ly'; P \"$REPLY\"",
    "read V <<< 'a\\ b'; P \"$V\"; read -r V <<< 'a\\ b'; Q \"$V\"",
    "printf 'k=v=w\\n' | while IFS== read -r k v; do P \"$k\" \"$v\"; done",
    "read -ra V <<< 'a  b c'; P \"${#V[@]}\" \"${V[1]}\" \"${V[-1]}\"",
    "printf 'a\\0b c\\0' | while IFS= read -r -d '' V; do P \"$V\"; done",
    "printf 'no newline' | { read -r V || P \"$V\"; }",
    "printf 'x\\nlast' | while read -r V || [ -n \"$V\" ]; do P \"$V\"; done",
    "{ read -r V; read -r w; P \"$V\" \"$w\"; } <<< $'one\\ntwo'",
    "{ read -r V; cat | sh; } <<< $'skipped\\nP rest'",
    "{ read -r V; bash; } <<< $'skipped\\nP rest'",
    "mapfile -t -n 2 V <<< $'a\\nb\\nc'; P \"${V[@]}\"",
    "mapfile V <<< $'a\\nb'; P \"${V[0]}\" \"${#V[@]}\"",
    "mapfile -t -O 2 V <<< $'a\\nb'; P \"${V[2]}\" \"${!V[@]}\"",
    "readarray -t -d, V <<< 'a,b'; P \"${V[0]}\"",
    "read -r -p prompt -t 5 V <<< typed; P \"$V\"",
    "read -r V < /dev/null; P \"[$V]\" \"${V:-empty}\"",
    "IFS=, read -r x y z <<< 'a,,c'; P \"$x\" \"$y\" \"$z\"",
    "IFS=', ' read -r x y <<< 'a , b,c'; P \"$x\" \"$y\"",
];

const FORMATS: &[&str] = &[
    "printf -v V '%s-%02d' a 7; P \"$V\"",
    "printf -v 'V[1]' %s v; P \"${V[1]}\"",
    "P \"$(printf '%s,' a b c)\" \"$(printf '%5s|%-3s|' x y)\"",
    "P \"$(printf '%x %o %c' 255 8 hello)\" \"$(printf '%%')\"",
    "P \"$(printf '%b' 'a\\tb\\0101')\" \"$(printf '%s' 'a\\tb')\"",
    "eval \"P $(printf '%q ' 'a b' \"c'd\" '$e')\"",
    "printf 'P %s\\n' 1 '\"2 3\"' | sh",
    "P \"$(printf 'a\\nb\\n\\n')\" \"$(printf '\\x41\\102')\"",
    "P \"$(printf '%.2s' abcdef)\" \"$(printf '%*s' 4 x)\" \"$(printf '%s %s|' a b c)\"",
    "P \"$(printf '%d' \"'A\")\" \"$(printf '%d' 0x10)\" \"$(printf '%i' -3)\"",
    "P \"$(echo -e 'a\\x41\\n' 'b\\c' d)\" \"$(echo -n x; echo y)\"",
    "$(printf '\\160\\162\\151\\156\\164\\146') 'P oct\\n' | sh",
];

const SEPARATORS: &[&str] = &[
    "IFS=,; set -- $(echo a,b,c); unset IFS; P \"$@\"",
    "V=a-b-c; IFS=-; P $V; unset IFS",
    "set -- 1 2; IFS=+; P \"$*\" $*; unset IFS",
    "IFS=; V='a b'; P $V; unset IFS",
    "V=(1 2 3); (IFS=,; P \"${V[*]}\")",
    "IFS=$'\\n'; V=$(printf 'a b\\nc'); P $V; unset IFS",
    "V='a:b'; old=$IFS; IFS=:; set -- $V; IFS=$old; P \"$1\" \"$2\"",
    "IFS=/ ; V=P/x/y; set -- $V; unset IFS; \"$1\" \"$3\"",
    "V='  a  b '; P $V; P \"$V\"; P ${V# }",
    "IFS=' ,'; V='a , b,,c '; P $V; unset IFS",
    "f() { local IFS=:; echo \"$*\"; }; P \"$(f a b)\"; P \"$*\"",
    "V=aXbXc; IFS=X P \"$V\" $V",
    "IFS=x; V=axb; P ${V}c \"$V\" pre$V; unset IFS",
];

const BRACES: &[&str] = &[
    "P {a..e..2} {10..8} {01..03}",
    "P x{,y}z {a,b}{1,2} \"{a,b}\" {a} {a,b",
    "V=q; P $V{a,b} {$V,b} {a..$V}",
    "P \\{a,b} {'a b',c} {a,{b,c}d}e",
    "P {,} {,x} a{,} {1..1} {c..a}",
    "{P,one} two; {,P} three",
    "P {a,b}\\ c ${V:-{x,y}} {-1..1} {1..2}{a..b}",
    "P a{b}c {a..} {..b} {1..a} {1,2}..3 {}",
    "V={a,b}; P $V; P pre{\"$V\",'$V'}",
    "P {a,b,}c /{x,y}/ --{foo,bar}=1",
    "eval P {1..3}; eval \"P {a,b}\"",
];

const GLOBS: &[&str] = &[
    "mkdir -p gd; : > gd/one.q; : > gd/two.q; for V in gd/*.q; do P \"$V\"; done",
    "mkdir -p ge; : > ge/P; cd ge; V=(*); P \"${V[0]}\"; cd ..",
    "mkdir -p gh; echo 'P run' > gh/a.sh; for V in gh/*.sh; do sh \"$V\"; done",
    "mkdir -p gi; echo 'P run' > gi/a.sh; . gi/?.sh; bash gi/*",
    "P nomatch* 'quoted*' \"also*\" esc\\*",
    "V='*.none'; P $V \"$V\"; P ${V}x",
    "mkdir -p gj; : > gj/x; set -- gj/*; P \"$1\"",
    "V=F; echo 'P var' > \"$V\"; bash ./${V%.f}.*",
    "for V in {a,b}.none; do P \"$V\"; done",
];

const SOURCED: &[&str] = &[
    "printf 'V=P\\nf() { $V \"$1\"; }\\n' > lib; . ./lib; f z",
    "echo 'return; P never' > F; . ./F; Q after",
    "echo 'exit; P never' > F; (. ./F; P not); Q after",
    "echo 'P \"$@\"; shift; Q \"$@\"' > F; set -- out er; . ./F in ner; P \"$@\"",
    "echo 'cd /; V=moved' > F; . ./F; P \"$V\"; cd - >/dev/null",
    "echo 'P \"$0\" \"$1\"' > F; bash F arg",
    "printf '%s\\n' '#!/bin/sh' 'P \"$*\"' > F; chmod +x F; ./F a b",
    "echo 'P child \"$V\"' > F; V=x; bash F; V=y bash F; export V; bash F",
    "echo 'V=inner' > F; V=outer; bash F; P \"$V\"; . ./F; P \"$V\"",
    "echo 'echo P gen' > F; sh F | sh",
    "echo 'set -- new args' > F; . ./F; P \"$@\"",
    "echo 'P \"${BASH_SOURCE[0]}\" x' > F; . ./F",
    "bash <(echo 'P proc \"$1\"') arg; . <(echo 'Q src')",
    "echo 'echo \"P two\" > g2.sh; bash g2.sh' > F; bash F",
];

const LOST: &[&str] = &[
    "V=P; echo Q | read -r V; $V a",
    "V=P; (V=Q); $V a",
    "V=P; V=$(V=Q; echo \"$V\"); $V a",
    "echo Q | while read -r l; do V=$l; done; ${V:-P} a",
    "while read -r l; do V=$l; done < <(echo Q); ${V:-P} a",
    "V=P; { V=Q; } | cat; $V a",
    "V=P; { V=Q; } & wait; $V a",
    "V=P; bash -c 'V=Q'; $V a",
    "V=P; V=Q env; $V a",
    "V=P; V=Q :; $V a",
    "V=P; V=Q eval '$V b'; $V a",
    "V=P; f() { V=Q; }; f | cat; $V a; f; $V b",
    "V=P; cat <(V=Q) > /dev/null; $V a",
    "V=P; (exit 0) && (V=Q) || V=Q; $V a",
    "V=P; if (V=Q; true); then $V a; fi",
    "cd /; P \"$PWD\"; cd - > /dev/null; (cd /; P \"$PWD\"); Q \"${PWD##*/}\"",
    "set -- a b; (shift; P \"$1\"); P \"$1\"; shift | cat; P \"$1\"",
    "V=P; for i in 1; do V=Q; done | cat; $V a",
    "(umask 077; set -f; V='*'; P $V); P x",
    "V=1; : $((V++)) | cat; P $V; : $((V++)); P $V",
    "V=P; unset V | cat; $V a; unset V; ${V:-Q} b",
];

const REFERENCES: &[&str] = &[
    "readonly V=P; (V=Q) 2>/dev/null; $V a",
    "(readonly V=P\nV=Q\n$V a) 2>/dev/null",
    "readonly V=P\nV=Q 2>/dev/null\n$V a",
    "declare -n V=w; w=P; $V a; V=Q; $w b",
    "w=(a b); declare -n V=w; P \"${V[1]}\"; V+=(c); Q \"${w[2]}\"",
    "f() { local -n out=$1; out=P; }; f V; $V a",
    "w=P; V=w; ${!V} a; declare \"$V=Q\"; $w b",
    "V=w; printf -v \"$V\" %s P; $w a; read -r \"$V\" <<< Q; $w b",
    "export \"V=P\"; $V a; declare V+=x; Q \"$V\"",
    "declare -r V=P; unset V 2>/dev/null; $V a",
    "declare -x V=P w=Q; $V \"$w\"; env | grep -q '^V=' && Q exported",
    "declare -l V=ABC; declare -u w=abc; P \"$V\" \"$w\"; V=XyZ; Q \"$V\"",
    "declare -i V=2+3; V+=4; P $V; V=w; Q $V",
    "let 'V=3' 'V*=2'; P $V; let V++ && Q $V",
    "V=a; unset -v V; P \"${V-unset}\"; V=; Q \"${V-unset}\" \"${V:-empty}\"",
];

const ARRAYS: &[&str] = &[
    "V=(a b c); unset 'V[1]'; P \"${V[@]}\" \"${#V[@]}\" \"${!V[@]}\" \"${V[-1]}\"",
    "V=(a b); V[5]=f; P \"${V[@]}\" \"${!V[@]}\"; V+=(g); Q \"${V[6]}\"",
    "V=([3]=d [1]=b e); P \"${V[@]}\" \"${!V[@]}\"",
    "V=(a b c d); P \"${V[@]:1:2}\" \"${V[@]: -2}\" \"${V[@]::1}\"",
    "declare -A V=([x]=1 ['y z']=2); P \"${V[x]}\" \"${V['y z']}\" \"${#V[@]}\" \"${V[none]:-no}\"",
    "declare -A V; V[P]=a; for k in \"${!V[@]}\"; do $k \"${V[$k]}\"; done",
    "declare -A V=([k]=P); V[k]+=' x'; unset 'V[k]'; Q \"${V[k]:-gone}\"",
    "V=(one); V+=two; P \"${V[@]}\" \"$V\"",
    "V=scalar; V[2]=x; P \"${V[@]}\"; w=(\"${V[@]}\" end); Q \"${#w[@]}\" \"${w[1]}\"",
    "V=(); for i in 1 2 3; do V+=(\"n$i\"); done; P \"${V[@]}\"",
    "V=(a b c); V=(\"${V[@]:1}\"); P \"${V[@]}\"; V=(\"${V[@]/b/B}\"); Q \"${V[0]}\"",
    "V=(P 'a b'); w=(\"${V[@]}\"); \"${w[@]}\"; ${V[*]}",
    "V=(a b c); i=1; P \"${V[i]}\" \"${V[i+1]}\" \"${V[$i-1]}\" \"${V[${#V[@]}-1]}\"",
    "V=(x); V[0]+=y; V[i=2]=z; P \"${V[@]}\" $i",
    "local_f() { local -a V=(in 'ner x'); P \"${V[@]}\"; }; V=(out); local_f; Q \"${V[@]}\"",
    "declare -a V='(a b)'; P \"${V[1]:-none}\"",
    "V=(a b); P \"x${V[@]}y\" \"${V[*]}\" pre\"${V[@]}\"",
    "V=(); P \"${V[@]}\" \"${V[*]}\" ${V[@]} end",
    "V=(a b); for i in \"${!V[@]}\"; do P \"$i\" \"${V[i]}\"; done",
];

const ARITHMETIC: &[&str] = &[
    "n=1; P $((n++)) $n $((++n)) $((n--)) $n",
    "((V=5, V*=2)); P $V; ((V>5)) && Q big",
    "V=3; P $((V ** 2)) $((V % 2 ? 7 : 8)) $((V << 2 | 1)) $((~V)) $((!V))",
    "P $((0x1f)) $((010)) $((2#101)) $((36#z)) $(( (1+2)*3 )) $((7/2)) $((-7%3))",
    "V=w; w=4; P $((V)) $((V+1)); ((V==4)) && Q indirect",
    "a=(3 1 2); P $((a[0]+a[2])) $((a[1]++)) \"${a[1]}\"",
    "for ((i=0, j=3; i<j; i++, j--)); do P $i $j; done",
    "V=0; while ((V < 3)); do ((V++ == 1)) && continue; P $V; done",
    "V=0; until ((V >= 2)); do let V+=1; P $V; done",
    "if ((V = 0)); then P set; else Q zero \"$V\"; fi",
    "((1 && 0)) || P false; ((0 || 3)) && Q true; V=$((1?2:3)); P $V",
    "V='1 + 1'; P $V $((V)) $(( $V * 2 ))",
    "x=5; P $((x>3&&x<9)) $((x==5,x+1)) $(( x ^ 1 )) $((x&=4)) $x",
];

const CHOSEN: &[&str] = &[
    "select V in P Q; do $V sel; break; done <<< 1 2>/dev/null",
    "select V in a b; do P \"$V\" \"$REPLY\"; break; done <<< 2 2>/dev/null",
    "coproc C { read -r l; P \"$l\"; }; echo hi >&\"${C[1]}\"; wait",
    "coproc P started; wait",
    "coproc W (cat); echo 'Q x' >&\"${W[1]}\"; read -r l <&\"${W[0]}\"; $l",
    "time P timed 2>/dev/null; time -p Q x 2>/dev/null; ! P negated",
    "P a & Q b & wait; { P c; } & wait $!",
    "V=P; $V bg & wait; (sleep 0; Q slept) & wait",
];

const DIRECTORIES: &[&str] = &[
    "cd /no-such-place 2>/dev/null; P \"${PWD##*/}x\"",
    "cd missing 2>/dev/null || P a; Q b",
    "cd missing 2>/dev/null && P a; Q b",
    "mkdir -p dd && cd dd && P \"${PWD##*/}\"; cd ..; Q back",
    "mkdir -p de/df; pushd de >/dev/null; pushd df >/dev/null; P \"${PWD##*/}\"; popd >/dev/null; Q \"${PWD##*/}\"; popd > /dev/null",
    "mkdir -p dg; (cd dg; echo 'P x' > F); sh dg/F",
    "mkdir -p dh; cd dh; echo 'P x' > F; cd ..; sh dh/F; cd dh; sh ./F; cd ..",
    "mkdir -p di; if cd di; then echo 'P x' > F; cd ..; fi; sh di/F",
    "mkdir -p dj; cd dj || exit; P \"${OLDPWD##*/}x\" \"${PWD##*/}\"; cd ..",
    "cd -P . && cd -L . && cd -- . && P here; cd ./; Q there",
    "mkdir -p dk; CDPATH=. cd dk >/dev/null; P \"${PWD##*/}\"; cd ..",
];

const ENVIRONMENTS: &[&str] = &[
    "echo 'P env' > F; BASH_ENV=./F bash -c :",
    "V=P; export V; export -n V; bash -c '${V:-Q} a'",
    "V=P bash -c '$V a'; ${V:-Q} b",
    "env V=P bash -c '$V a; unset V; ${V:-Q} b'",
    "export V=P; env -u V bash -c '${V:-Q} a'; env -i PATH=\"$PATH\" bash -c '${V:-Q} b'",
    "export V=P; (unset V; bash -c '${V:-Q} a'); bash -c '$V b'",
    "export V=a; bash -c 'V=b; P \"$V\"'; Q \"$V\"",
    "VALUE=P; bash -c '${VALUE:-Q} a'; (export VALUE; bash -c '$VALUE b'); bash -c '${VALUE:-Q} c'",
    "set -- a b; bash -c 'P \"$#\" \"$1\"' x y; Q \"$#\"",
    "bash -c 'f() { P f; }; f'; type f >/dev/null 2>&1 || Q none",
    "V='P a'; bash -c \"$V\"; sh -c '$0 $1' Q b; bash -c 'eval \"$0\"' \"$V\"",
    "bash -c 'P $0 \"$@\"' a b 'c d'; bash -c 'P \"$#\"'",
    "echo 'P \"$V\"' | V=in bash; echo 'P \"${V:-no}\"' | bash",
    "export V=Q; xargs -I{} bash -c '$V {}' <<< item; find . -maxdepth 0 -exec sh -c '$V found' \\;",
    "nohup bash -c 'P a' > /dev/null 2>&1; timeout 5 env V=P sh -c '$V b'",
];

const PARAMETERS: &[&str] = &[
    "set -- a b c d; P \"${@:2}\" \"${@:2:1}\" \"${@: -1}\" \"${*:1:2}\"",
    "set -- a b c; set -- \"${@:1:$#-1}\"; P \"$@\"; shift 5; Q \"$#\"",
    "set -- 'a b' c; P $1 \"$1\" $* \"$*\" $@ \"$@\" x\"$@\"y",
    "set -- one two; for V; do P \"$V\"; done; Q ${10:-none} ${#1}",
    "set -- x.txt y.txt; P \"${@%.txt}\" \"${1%.*}\" \"${@/#/p-}\"",
    "set -- P a; \"$@\"; \"$1\" \"${@:2}\" b; ${1} c",
    "f() { P \"${1:?}\" \"${2:-d}\" \"${@:3}\"; }; f a '' c e",
    "set --; P \"$@\" \"$*\" $@ end; Q \"${1-unset}\" \"$#\"",
    "set -- a b; while (($#)); do P \"$1\"; shift; done",
    "set -- b a; [ \"$1\" \\< \"$2\" ] || P \"${!#}\" \"${@:$#}\"",
    "i=2; set -- a b c; P \"${!i}\" \"${@:i:1}\"",
];

const CONDITIONS: &[&str] = &[
    "V=; [[ -v V ]] && P set; [[ -v w_unset ]] || Q unset",
    "V=5; [ \"$V\" -gt 3 ] && [ \"$V\" -lt 9 ] && P between || Q outside",
    "V=abc; if [[ $V == a* && ! $V == *z ]]; then P starts; else Q not; fi",
    "[ -n \"$V\" ] || P empty; [ -z \"$V\" ] && Q zero; [ \"$V\" ] || P none",
    "[[ -e missing || -d . ]] && P there; [ -f missing -o 1 = 1 ] && Q or",
    "echo x > F; [ -s F ] && P filled; [ -x F ] || Q plain",
    "true && false || P a; true || Q never; false && Q never; P b",
    "if ! alpha; then P failed; elif beta; then Q ok; fi",
    "! false && P a; ! ! true && Q b; if ! [ a ]; then P no; fi",
    "[[ a < b ]] && P less; [ 10 -eq 010 ] && Q dec; [[ 10 -eq 010 ]] || P octal",
    "V=x; [[ $V ]] && [[ -n $V && $V != y ]] && P both; [[ ( a == b ) || c == c ]] && Q group",
    "test 1 -eq 1 -a 2 -ne 3 && P and; [ ! -e missing ] && Q not; [ '(' a = a ')' ] && P paren",
    "V=1; [ $V = 1 ] && V=2; [ $V = 1 ] && P no; [ $V = 2 ] && Q yes",
    "P ok && V=a || V=b; Q \"$V\"",
    "alpha; V=$?; [ $V -eq 0 ] && P zero; Q \"$V\"",
    "while :; do P once; break; Q never; done; for i in 1 2; do [ $i = 2 ] || continue; P $i; done",
    "for i in 1 2; do for j in a b; do [ $j = b ] && continue 2; P $i $j; done; done; for i in 1 2; do for j in a; do break 2; done; done; Q $i",
];

/// A command through a decoder into a shell.
fn decoder(writer: &mut Writer, _: u32) -> String {
    let command = writer.tame_command();
    let text = quoted(&command);
    let way = writer.choose(
        &[
            "echo T | gzip | gzip -d | sh",
            "echo T | gzip -c | gzip -dc | bash",
            "echo T | gzip > F; gzip -dc F | sh",
            "base64 <<< T | base64 -d | sh",
            "echo T | xxd -p | xxd -r -p | sh",
            "echo T | rev | rev | bash",
            "printf '%s\\n' T | tac | sh",
            "echo T | tr a-z b-za | tr b-za a-z | sh",
            "echo T | sed 's/^/: ; /' | sh",
            "echo T | sed -n p | sed '$a beta appended' | sh",
            "echo T | cat - | tee /dev/null | sh",
            "echo T | head -c 999 | tail -n 1 | sh",
            "echo xxT | cut -c3- | sh",
            "eval \"$(echo T | base64 | base64 --decode)\"",
            "bash -c \"$(printf %s T | rev | rev)\"",
            "sh <(echo T | base64 | base64 -d)",
            "printf '%s' T | xargs -I{} sh -c '{}'",
            "echo T | grep . | sh",
            "echo T > F; sort F | uniq | sh",
            "echo T | base64 > F; base64 -d F | sh; base64 -d < F | bash",
            "V=$(echo T | xxd -p | tr -d '\\n'); echo $V | xxd -r -p | sh",
            "echo T | sed 's/ /\\n/g' | tr '\\n' ' ' | sh",
            "echo T | fold -w 3 | tr -d '\\n' | sh",
            "paste -sd' ' <<< T | sh",
        ],
        "echo T | sh",
    );
    let name = writer.name();
    // Letters of the script stand for nothing here but these.
    let way = way.replace("xxT", &quoted(&format!("xx{command}")));
    let parts: Vec<&str> = way.split(' ').collect();
    let parts: Vec<String> = parts
        .into_iter()
        .map(|part| match part {
            "T" => text.clone(),
            "F" | "F;" => part.replace('F', &format!("{name}.f")),
            other => other.replace("V=", &format!("{name}=")).replace("$V", &format!("${name}")),
        })
        .collect();
    parts.join(" ")
}
