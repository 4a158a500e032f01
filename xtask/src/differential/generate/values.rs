//! A text as a word by way of arrays, functions, streams and builtins that give variables their values. Owns no operator of
//! an expansion; decoders are its sibling's.

use super::{Spelled, Spelling, Writer, halves, is_simple, quoted};

/// Each way with its name in the report.
pub(super) const SPELLINGS: &[(&str, Spelling)] = &[
    ("array element", array),
    ("array slice", array_slice),
    ("array of all", array_all),
    ("array of holes", sparse),
    ("associative array", associative),
    ("${a[*]} and IFS", starred),
    ("IFS splitting", split),
    ("$(echo)", echoed),
    ("$(printf)", printed),
    ("$(< file)", file),
    ("$(cat heredoc)", heredoc),
    ("nested substitution", nested),
    ("printf -v", printf_into),
    ("read", read),
    ("read with IFS", read_fields),
    ("read -a", read_array),
    ("mapfile", mapfile),
    ("set --", set),
    ("shift", shifted),
    ("${@:a:b}", positional_slice),
    ("eval assignment", eval),
    ("function output", function),
    ("local", local),
    ("loop that builds", built),
    ("case that sets", chosen),
    ("arithmetic", arithmetic),
    ("declare -l, -u, -i", declared),
    ("length", length),
    ("getopts", getopts),
    ("assignment in a branch", branch),
    ("unset", unset),
    ("process substitution", process),
    ("here-string", here_string),
    ("subshell keeps its own", subshell),
    ("prefix assignment", prefix),
    ("IFS of one command", own_separator),
];

fn array(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    let (list, index) = match writer.below(7) {
        0 => (format!("{name}=(zero {value} last)"), "1"),
        1 => (format!("{name}=(zero one {value})"), "-1"),
        2 => (format!("i=1; {name}=(zero {value})"), "i"),
        3 => (format!("i=1; {name}=(zero one {value})"), "$i+1"),
        4 => (format!("declare -a {name}=({value} x)"), "0"),
        5 => (format!("{name}[3]={value}; {name}[1]=x"), "3"),
        _ => (format!("{name}=(a b); {name}+=(c {value})"), "3"),
    };
    Spelled::after(list, format!("\"${{{name}[{index}]}}\""))
}

fn array_slice(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let word = writer.choose(&[":1", ":1:1", ":1:2", ": -3", ":1:n"], ":1");
    Spelled::after(
        format!("n=2; {name}=(zero {} three 'fo ur')", quoted(text)),
        format!("\"${{{name}[@]{word}}}\""),
    )
}

fn array_all(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let word = writer.choose(
        &[
            "\"${N[@]}\"",
            "${N[@]}",
            "\"${N[*]}\"",
            "\"x${N[@]}y\"",
            "\"${#N[@]}\" \"${N[0]}\"",
            "\"${!N[@]}\"",
            "\"${N[@]/#/p}\"",
            "\"${N[@]%?}\"",
            "$N",
            "\"${N[@]^^}\"",
        ],
        "\"${N[@]}\"",
    );
    let text = if text.contains(['*', '?', '[']) { "plain" } else { text };
    Spelled::after(
        format!("{name}=({} 'two  three' \"\" four)", quoted(text)),
        word.replace('N', &name),
    )
}

fn sparse(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let tail = writer.choose(
        &["", "unset 'N[0]'; ", "N[7]=seven; ", "N+=(more); ", "N=([2]=b [0]=a \"${N[@]}\"); "],
        "",
    );
    Spelled::after(
        format!("{name}=(a {} c); {}:", quoted(text), tail.replace('N', &name)),
        format!("\"${{{name}[@]}}\""),
    )
}

fn associative(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    match writer.below(5) {
        0 => Spelled::after(
            format!("declare -A {name}=([k]={value} [other]=x)"),
            format!("\"${{{name}[k]}}\""),
        ),
        1 => Spelled::after(
            format!("declare -A {name}; {name}[some key]={value}; {name}['j']=2"),
            format!("\"${{{name}[some key]}}\""),
        ),
        2 => Spelled::after(
            format!("k=key; declare -A {name}; {name}[$k]={value}"),
            format!("\"${{{name}[$k]}}\""),
        ),
        3 => Spelled::after(
            format!("declare -A {name}=([1]=x); {name}+=([2]={value})"),
            format!("\"${{{name}[2]}}\" \"${{#{name}[@]}}\""),
        ),
        _ => Spelled::after(
            format!("declare -A {name}=(k1 {value})"),
            format!("\"${{{name}[k1]}}\" \"${{!{name}[@]}}\""),
        ),
    }
}

fn starred(writer: &mut Writer, text: &str) -> Spelled {
    let (left, right) = halves(writer, text);
    let name = writer.name();
    let before = format!("{name}=({} {})", quoted(&left), quoted(&right));
    Spelled::after(before, format!("\"$(IFS=; echo \"${{{name}[*]}}\")\""))
}

fn split(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let other = writer.choose(&["b::c", "b c", ":b", "b:", ""], "b");
    let text = if is_simple(text) { text } else { "fine" };
    Spelled::after(
        format!("OLD=$IFS; IFS=:; {name}={}", quoted(&format!("{text}:{other}"))),
        format!("${name}\nIFS=$OLD"),
    )
}

fn echoed(writer: &mut Writer, text: &str) -> Spelled {
    if !is_simple(text) {
        return printed(writer, text);
    }
    let word = writer.choose(
        &[
            "$(echo T)",
            "`echo T`",
            "\"$(echo -n T)\"",
            "$( echo T; )",
            "\"`echo \"T\"`\"",
            "$(echo -e '\\x20T')",
        ],
        "$(echo T)",
    );
    Spelled::word(word.replace('T', text))
}

fn printed(writer: &mut Writer, text: &str) -> Spelled {
    let value = quoted(text);
    Spelled::word(match writer.below(5) {
        0 => format!("\"$(printf %s {value})\""),
        1 => format!("\"$(printf '%s\\n' {value})\""),
        2 => {
            let (left, right) = halves(writer, text);
            format!("\"$(printf '%s%s' {} {})\"", quoted(&left), quoted(&right))
        }
        3 => format!("\"$(printf '%s' {value} | cat)\""),
        _ => {
            let octal: String = text.bytes().map(|byte| format!("\\{byte:03o}")).collect();
            format!("\"$(printf '{octal}')\"")
        }
    })
}

fn file(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let write = writer.choose(&["printf %s", "printf '%s\\n'"], "printf %s");
    let word = writer
        .choose(&["$(<F)", "$(cat F)", "$(cat < F)", "$(cat ./F)", "$(head -n 99 F)"], "$(<F)");
    Spelled::after(
        format!("{write} {} > {name}.txt", quoted(text)),
        format!("\"{}\"", word.replace('F', &format!("{name}.txt"))),
    )
}

fn heredoc(writer: &mut Writer, text: &str) -> Spelled {
    if text.contains('\n') {
        return printed(writer, text);
    }
    let value = text.replace(['\\', '$', '`'], "");
    Spelled::word(match writer.below(3) {
        0 => format!("\"$(cat <<'END'\n{text}\nEND\n)\""),
        1 => format!("\"$(cat <<-END\n\t{value}\n\tEND\n)\""),
        _ => format!("\"$(cat <<END\n{value}\nEND\n)\""),
    })
}

fn nested(writer: &mut Writer, text: &str) -> Spelled {
    let value = quoted(text);
    match writer.below(4) {
        0 => Spelled::word(format!("\"$(printf %s \"$(printf %s {value})\")\"")),
        1 if is_simple(text) => Spelled::word(format!("`echo \\`echo {text}\\``")),
        2 => {
            let name = writer.name();
            Spelled::after(
                format!("{name}=$({name}={value}; printf %s \"${name}\")"),
                format!("\"${name}\""),
            )
        }
        _ => Spelled::word(format!("\"$(if true; then printf %s {value}; fi)\"")),
    }
}

fn printf_into(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    let before = match writer.below(5) {
        0 => format!("printf -v {name} %s {value}"),
        1 => format!("printf -v {name} '%b' {}", quoted(&text.replace('\\', "\\\\"))),
        2 => format!("printf -v {name} '%s' {value} ''"),
        3 => format!("printf -v {name} '%s%.0s' {value} gone"),
        _ => {
            return Spelled::after(
                format!("printf -v {name} '%03d-%x' 7 255"),
                format!("{value} ${name}"),
            );
        }
    };
    Spelled::after(before, format!("\"${name}\""))
}

fn read(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    if text.contains('\n') || text.trim() != text {
        return printed(writer, text);
    }
    let value = quoted(text);
    let before = match writer.below(4) {
        0 => format!("read -r {name} <<< {value}"),
        1 => format!("read -r {name} < <(printf '%s\\n' {value})"),
        2 => format!("IFS= read -r {name} <<< {value}"),
        _ => format!("read -r {name} <<'E'\n{text}\nE"),
    };
    Spelled::after(before, format!("\"${name}\""))
}

fn read_fields(writer: &mut Writer, text: &str) -> Spelled {
    if !is_simple(text) {
        return read(writer, text);
    }
    let (name, rest) = (writer.name(), writer.name());
    match writer.below(5) {
        0 => Spelled::after(
            format!("read -r _ {name} {rest} <<< 'a {text} c d'"),
            format!("\"${name}\" \"${rest}\""),
        ),
        1 => Spelled::after(
            format!("IFS=: read -r {name} {rest} <<< {text}::c:d"),
            format!("\"${name}\" \"${rest}\""),
        ),
        2 => Spelled::after(
            format!("IFS=', ' read -r {rest} {name} <<< 'x, {text}'"),
            format!("\"${name}\""),
        ),
        3 => Spelled::after(
            format!("read -r -d ';' {name} <<< '{text};more'"),
            format!("\"${name}\""),
        ),
        _ => Spelled::after(
            format!("read -r -n {} {name} <<< '{text}tail'", text.len()),
            format!("\"${name}\""),
        ),
    }
}

fn read_array(writer: &mut Writer, text: &str) -> Spelled {
    if !is_simple(text) {
        return read(writer, text);
    }
    let name = writer.name();
    let before = match writer.below(3) {
        0 => format!("read -ra {name} <<< 'x {text} y'"),
        1 => format!("IFS=, read -ra {name} <<< x,{text},,y"),
        _ => format!("IFS=/ read -r -a {name} <<< 'x/{text}'"),
    };
    Spelled::after(before, format!("\"${{{name}[1]}}\" \"${{#{name}[@]}}\""))
}

fn mapfile(writer: &mut Writer, text: &str) -> Spelled {
    if text.contains('\n') {
        return printed(writer, text);
    }
    let name = writer.name();
    let value = quoted(text);
    let before = match writer.below(4) {
        0 => format!("mapfile -t {name} < <(printf '%s\\n' x {value} y)"),
        1 => format!("readarray -t {name} <<'E'\nx\n{text}\ny\nE"),
        2 => format!("mapfile -t -s 1 {name} <<'E'\ngone\nx\n{text}\nE"),
        _ => format!("printf '%s\\n' x {value} > {name}.l; mapfile -t {name} < {name}.l"),
    };
    Spelled::after(before, format!("\"${{{name}[1]}}\""))
}

fn set(writer: &mut Writer, text: &str) -> Spelled {
    let value = quoted(text);
    let (before, word) = match writer.below(5) {
        0 => (format!("set -- {value} two"), "\"$1\""),
        1 => (format!("set -- zero {value}"), "\"$@\""),
        2 => (format!("set -- a b c d e f g h i {value}"), "\"${10}\" $#"),
        3 => (format!("set -- {value}"), "\"x$@y\""),
        _ => (format!("set -- {value}; set -- \"$@\" more"), "\"$*\""),
    };
    Spelled::after(before, word)
}

fn shifted(writer: &mut Writer, text: &str) -> Spelled {
    let value = quoted(text);
    let (before, word) = match writer.below(4) {
        0 => (format!("set -- gone {value}; shift"), "\"$1\""),
        1 => (format!("set -- gone gone {value} x; shift 2"), "\"$1\""),
        2 => (format!("set -- {value}; shift 2"), "\"$1\" $#"),
        _ => (format!("set -- a {value}; shift $(( $# - 1 ))"), "\"$1\""),
    };
    Spelled::after(before, word)
}

fn positional_slice(writer: &mut Writer, text: &str) -> Spelled {
    let word = writer.choose(
        &[
            "\"${@:2:1}\"",
            "\"${@: -1}\"",
            "\"${@:2}\"",
            "\"${!#}\"",
            "\"${@:$#}\"",
            "\"${*:2}\"",
            "\"${@:0:0}\" x",
            "\"${@:1:2}\"",
        ],
        "\"${@:2}\"",
    );
    Spelled::after(format!("set -- zero {}", quoted(text)), word)
}

fn eval(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let inner = quoted(text);
    let before = match writer.below(3) {
        0 => format!("eval {}", quoted(&format!("{name}={inner}"))),
        1 => format!("n={name}; eval \"$n\"={}", quoted(&inner)),
        _ => format!("n={name}; v={inner}; eval \"$n=\\$v\""),
    };
    Spelled::after(before, format!("\"${name}\""))
}

fn function(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    match writer.below(3) {
        0 => Spelled::after(format!("{name}() {{ printf %s {value}; }}"), format!("\"$({name})\"")),
        1 => Spelled::after(
            format!("function {name} {{ printf '%s' \"$2\"; }}"),
            format!("\"$({name} a {value})\""),
        ),
        _ => Spelled::after(
            format!("{name}() {{ {name}_out={value}; return 3; }}; {name}"),
            format!("\"${name}_out\""),
        ),
    }
}

fn local(writer: &mut Writer, text: &str) -> Spelled {
    let (name, function) = (writer.name(), writer.name());
    let value = quoted(text);
    match writer.below(3) {
        0 => Spelled::after(
            format!("{name}={value}; {function}() {{ local {name}=inner; }}; {function}"),
            format!("\"${name}\""),
        ),
        1 => Spelled::after(
            format!("{name}={value}; {function}() {{ local {name}=$1; printf %s \"${name}\"; }}"),
            format!("\"$({function} in)${name}\""),
        ),
        _ => Spelled::after(
            format!("{function}() {{ local -n out=$1; out={value}; }}; {function} {name}"),
            format!("\"${name}\""),
        ),
    }
}

fn built(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let letters: Vec<String> =
        text.chars().take(12).map(|character| quoted(&character.to_string())).collect();
    let list = letters.join(" ");
    let before = match writer.below(3) {
        0 => format!("{name}=; for c in {list}; do {name}+=$c; done"),
        1 => format!("{name}=; for c in {list}; do {name}=\"${name}$c\"; done"),
        _ => format!("{name}=; for ((i=0; i<3; i++)); do {name}+=$i; done"),
    };
    Spelled::after(before, format!("\"${name}\""))
}

fn chosen(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    let before = match writer.below(3) {
        0 => format!("case abc in x) {name}=no;; a*) {name}={value};; *) {name}=other;; esac"),
        1 => format!("k=2; case $k in 1|2) {name}={value};; esac"),
        _ => format!("case x in x) {name}={value};;& *) {name}+=more;; esac"),
    };
    Spelled::after(before, format!("\"${name}\""))
}

fn arithmetic(writer: &mut Writer, text: &str) -> Spelled {
    let word = writer.choose(
        &[
            "$((1+2*3))",
            "$(( (7-2) % 3 ))",
            "$((n))",
            "$((n+=4))$n",
            "$((n++))$n",
            "$((n>2?n:0))",
            "$((16#ff))",
            "$((1<<4|3))",
            "$((-7/2))",
            "$((2**10))",
            "$((!n))",
            "$((n==5,n+1))",
            "$[n+1]",
            "$((a[1]))",
            "$((++n))",
            "$((n, 3))",
        ],
        "$((1+2))",
    );
    let extra = writer.choose(
        &["", "; let n=n*2", "; ((n++))", "; ((n=n-1))", "; let 'n += 3'", "; (( n > 3 )) && n=9"],
        "",
    );
    Spelled::after(format!("n=5; a=(3 8){extra}"), format!("{} {word}", quoted(text)))
}

fn declared(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    match writer.below(4) {
        0 => Spelled::after(
            format!("declare -l {name}={}", quoted(&text.to_uppercase())),
            format!("\"${name}\""),
        ),
        1 => Spelled::after(
            format!("declare -u {name}; {name}={}", quoted(text)),
            format!("\"${name}\""),
        ),
        2 => Spelled::after(
            format!("declare -i {name}=3+4; {name}+=2"),
            format!("{} ${name}", quoted(text)),
        ),
        _ => Spelled::after(
            format!("declare -i {name}; {name}='6*7'"),
            format!("{} ${name}", quoted(text)),
        ),
    }
}

fn length(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    Spelled::after(format!("{name}={}", quoted(text)), format!("\"${{#{name}}}\" \"${name}\""))
}

fn getopts(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    Spelled::after(
        format!(
            "OPTIND=1; set -- -a {value} -b rest; while getopts 'a:b' o; do case $o in a) {name}=$OPTARG;; b) {name}b=1;; esac; done; shift $((OPTIND-1))"
        ),
        format!("\"${name}\" \"$1\""),
    )
}

fn branch(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    let before = match writer.below(7) {
        0 => format!("if true; then {name}={value}; else {name}=other; fi"),
        1 => format!("if [ 1 -eq 2 ]; then {name}=other; else {name}={value}; fi"),
        2 => format!("{name}=other; [[ abc == a* ]] && {name}={value}"),
        3 => format!("{name}={value}; false && {name}=other"),
        4 => format!("{name}={value}; test -n '' && {name}=other"),
        5 => format!("if alpha cond; then {name}={value}; else {name}=other; fi"),
        _ => format!("{name}={value}; true || {name}=other"),
    };
    Spelled::after(before, format!("\"${name}\""))
}

fn unset(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    Spelled::after(
        format!("{name}=old; unset {name}"),
        format!("\"${{{name}-x}}\" {}", quoted(text)),
    )
}

fn process(writer: &mut Writer, text: &str) -> Spelled {
    let value = quoted(text);
    Spelled::word(match writer.below(2) {
        0 => format!("\"$(cat <(printf '%s' {value}))\""),
        _ => format!("\"$(cat < <(printf '%s' {value}))\""),
    })
}

fn here_string(writer: &mut Writer, text: &str) -> Spelled {
    let value = quoted(text);
    let name = writer.name();
    match writer.below(3) {
        0 => Spelled::word(format!("\"$(cat <<< {value})\"")),
        1 => Spelled::after(format!("{name}={value}"), format!("\"$(cat <<< \"${name}\")\"")),
        _ => Spelled::after(format!("{name}={value}"), format!("\"$(cat <<< ${name})\"")),
    }
}

fn subshell(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    let value = quoted(text);
    let before = match writer.below(4) {
        0 => format!("{name}={value}; ( {name}=inner )"),
        1 => format!("{name}={value}; echo x | {name}=inner"),
        2 => format!("{name}={value}; {{ {name}=inner; }} &\nwait"),
        _ => format!("{name}={value}; : \"$({name}=inner)\""),
    };
    Spelled::after(before, format!("\"${name}\""))
}

fn prefix(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    Spelled::after(
        format!("{name}={}; {name}=other true; {name}=other :", quoted(text)),
        format!("\"${name}\""),
    )
}

fn own_separator(writer: &mut Writer, text: &str) -> Spelled {
    let name = writer.name();
    Spelled::after(
        format!("{name}='a b:c'; IFS=: read -r p q <<< \"${name}\""),
        format!("{} ${name} \"$p\"", quoted(text)),
    )
}
