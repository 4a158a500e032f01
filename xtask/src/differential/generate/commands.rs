//! Statements that run others by builtins and programs that take commands: `eval`, shells, wrappers, written scripts, aliases.
//! Owns how a command is handed over; control of the flow is its sibling's.

use super::{Statement, Writer, decoded, plain, quoted};

/// Each statement with its name in the report.
pub(super) const STATEMENTS: &[(&str, Statement)] = &[
    ("eval", eval),
    ("eval of decoded text", eval_decoded),
    ("bash -c", shell_text),
    ("bash -c with arguments", shell_arguments),
    ("text piped to a shell", piped),
    ("decoder piped to a shell", decoded_shell),
    ("heredoc to a shell", shell_heredoc),
    ("written and run", written),
    ("written and sourced", sourced),
    ("written in parts", parts),
    ("env", environment),
    ("xargs", xargs),
    ("xargs with a shell", xargs_shell),
    ("nice, timeout, nohup", wrapped),
    ("command and builtin", builtin),
    ("exec", exec),
    ("alias", alias),
    ("tee", tee),
    ("find -exec", find),
    ("command in a variable", in_variable),
    ("command in an array", in_array),
    ("command in parameters", in_parameters),
    ("mapfile of commands", mapfile),
    ("descriptors", descriptors),
    ("exported to a child", exported),
    ("exported function", exported_function),
    ("command_not_found_handle", not_found),
    ("unknowable program", unknowable),
    ("output as arguments", output),
    ("quoted command in a trap", quoted_deeply),
    ("prompt expansion", prompt),
    ("shopt", shopt),
    ("printf into a script", printf_script),
];

/// What a shell is given: one or two simple commands, sometimes a piece of script.
fn code(writer: &mut Writer, depth: u32) -> String {
    match writer.below(4) {
        0 => writer.tame_command(),
        1 => format!("{}; {}", writer.tame_command(), writer.plain_command()),
        2 => format!("{} \"$HOME\" && {}", writer.program(), writer.tame_command()),
        _ => writer.statement(depth),
    }
}

fn eval(writer: &mut Writer, depth: u32) -> String {
    let code = code(writer, depth);
    match writer.below(4) {
        0 => format!("eval {}", quoted(&code)),
        1 => {
            let name = writer.name();
            format!("{name}={}; eval \"${name}\"", quoted(&code))
        }
        2 => format!("eval \"$(printf %s {})\"", quoted(&code)),
        _ => format!("eval {} '\"two words\"' \\$HOME", writer.tame_command()),
    }
}

fn eval_decoded(writer: &mut Writer, depth: u32) -> String {
    let code = code(writer, depth);
    match writer.below(3) {
        0 => format!("eval \"$(echo {} | base64 -d)\"", decoded::base64(&code)),
        1 => format!("eval \"$(xxd -r -p <<< {})\"", decoded::hex(&code)),
        _ => format!(
            "eval \"$(tr a-z n-za-m <<< {})\"",
            quoted(&decoded::rot13(&writer.tame_command()))
        ),
    }
}

fn shell_text(writer: &mut Writer, depth: u32) -> String {
    let code = code(writer, depth);
    let shell = writer.choose(
        &[
            "bash -c",
            "bash -ec",
            "bash --norc -c",
            "bash -c --",
            "bash +x -c",
            "bash -o pipefail -c",
        ],
        "bash -c",
    );
    if writer.one_in(4) {
        return format!("sh -c {}", quoted(&format!("sh -c {}", quoted(&writer.tame_command()))));
    }
    format!("{shell} {}", quoted(&code))
}

fn shell_arguments(writer: &mut Writer, _: u32) -> String {
    let program = writer.program();
    let argument = plain(writer.argument());
    match writer.below(5) {
        0 => format!("bash -c '{program} \"$0\" \"$1\" \"$#\"' zero {argument}"),
        1 => format!("sh -c '\"$@\"' _ {program} {argument} two"),
        2 => format!("bash -c 'eval \"$1\"' x {}", quoted(&format!("{program} {argument}"))),
        3 => format!("bash -c 'shift; {program} \"$@\"' x gone {argument}"),
        _ => format!("sh -c 'for i do {program} \"$i\"; done' sh a {argument}"),
    }
}

fn piped(writer: &mut Writer, depth: u32) -> String {
    let code = code(writer, depth);
    let shell =
        writer.choose(&["bash", "bash -s", "cat | bash", "bash -s a b", "bash /dev/stdin"], "bash");
    match writer.below(3) {
        0 => format!("printf '%s\\n' {} | {shell}", quoted(&code)),
        1 => format!("{shell} <<< {}", quoted(&code)),
        _ => format!("echo {} | sh", quoted(&writer.tame_command())),
    }
}

fn decoded_shell(writer: &mut Writer, depth: u32) -> String {
    let code = code(writer, depth);
    let tame = writer.tame_command();
    match writer.below(7) {
        0 => format!("echo {} | base64 -d | bash", decoded::base64(&code)),
        1 => format!("base64 -d <<< {} | bash", decoded::base64(&code)),
        2 => format!("echo {} | xxd -r -p | bash", decoded::hex(&code)),
        3 => format!("echo '{}' | rev | sh", tame.chars().rev().collect::<String>()),
        4 => format!("echo '{}' | tr 'a-zA-Z' 'n-za-mN-ZA-M' | sh", decoded::rot13(&tame)),
        5 => format!("echo 'x{tame}' | cut -c2- | sh"),
        _ => format!("bash -c \"$(echo {} | base64 -d)\"", decoded::base64(&decoded_twice(&tame))),
    }
}

fn decoded_twice(code: &str) -> String {
    format!("eval \"$(echo {} | base64 -d)\"", decoded::base64(code))
}

fn shell_heredoc(writer: &mut Writer, depth: u32) -> String {
    let code = code(writer, depth);
    let name = writer.name();
    match writer.below(4) {
        0 => format!("bash <<'SCRIPT'\n{code}\nSCRIPT"),
        1 => format!("cat <<'SCRIPT' | bash\n{code}\nSCRIPT"),
        2 => format!(
            "{name}={}\nbash <<SCRIPT\n${name} \"arg ${{{name}}}\"\n\\$HOME/none 2>/dev/null\nSCRIPT",
            writer.program()
        ),
        _ => format!("source /dev/stdin <<'SCRIPT'\n{code}\nSCRIPT"),
    }
}

fn written(writer: &mut Writer, depth: u32) -> String {
    let code = code(writer, depth);
    let name = writer.name();
    let run = writer.choose(
        &[
            "bash F",
            "sh ./F",
            "chmod +x F; ./F",
            "chmod 755 F && ./F arg",
            "bash -x F 2>/dev/null",
            "bash < F",
            "cat F | bash",
            "source ./F",
            "bash \"$PWD/F\"",
            "mv F g.sh; bash g.sh",
            "cp F h.sh; bash h.sh",
            "sh \"$(echo F)\"",
            "ln -s F l.sh; bash l.sh",
            "./F 2>/dev/null || bash F",
        ],
        "bash F",
    );
    let file = format!("{name}.sh");
    let run = run.replace('F', &file);
    let code = if run.starts_with("sh ") { writer.tame_command() } else { code };
    match writer.below(4) {
        0 => format!("echo {} > {file}; {run}", quoted(&writer.tame_command())),
        1 => format!("cat > {file} <<'S'\n#!/bin/bash\n{code}\nS\n{run}"),
        2 => format!("printf '#!/bin/bash\\n%s\\n' {} > {file}\n{run}", quoted(&code)),
        _ => format!("cat <<'S' > {file}\n{code}\nS\n{run}"),
    }
}

fn sourced(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let after = writer.statement(depth);
    match writer.below(4) {
        0 => format!(
            "echo '{name}() {{ {program} \"$1\" in; }}' > lib.sh; . ./lib.sh; {name} x\n{after}"
        ),
        1 => format!("echo '{name}=value' > conf; source conf; {program} \"${name}\"\n{after}"),
        2 => format!("echo '{program} \"$@\" $#' > args.sh; . ./args.sh one 'two three'\n{after}"),
        _ => format!(
            "printf '{program} first\\nreturn\\nbeta never\\n' > ret.sh; . ./ret.sh; {after}"
        ),
    }
}

fn parts(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let after = writer.statement(depth);
    match writer.below(3) {
        0 => format!("echo -n '{program} ' > {name}; echo more >> {name}; sh {name}\n{after}"),
        1 => format!("{{ echo '{program} a'; echo 'beta b'; }} > {name}; bash {name}\n{after}"),
        _ => format!(
            "for w in {program} x y; do printf '%s ' $w; done > {name}; bash {name}\n{after}"
        ),
    }
}

fn environment(writer: &mut Writer, _: u32) -> String {
    let command = writer.tame_command();
    let program = writer.program();
    match writer.below(8) {
        0 => format!("env {command}"),
        1 => format!("env A=1 'B=two words' {command}"),
        2 => format!("env -u HOME {command}"),
        3 => format!("env -i PATH=\"$PATH\" {command}"),
        4 => format!("A=1 B=2 {command}"),
        5 => format!("env A={program} bash -c '$A \"from env\"'"),
        6 => format!("env -S '{command} \"in quotes\"'"),
        _ => format!("A={program} sh -c '\"$A\" \"${{B:-none}}\"'"),
    }
}

fn xargs(writer: &mut Writer, _: u32) -> String {
    let program = writer.program();
    match writer.below(9) {
        0 => format!("echo one two three | xargs {program}"),
        1 => format!("printf '%s\\n' a b c | xargs -n 1 {program} -x"),
        2 => format!("printf 'a b\\nc\\n' | xargs -I{{}} {program} --name={{}} end"),
        3 => format!("printf 'p q\\0r\\0' | xargs -0 {program}"),
        4 => format!("echo 'a \"b c\" d\\ e' | xargs {program}"),
        5 => format!("xargs -n2 {program} <<< 'a b c'"),
        6 => format!("echo x y | xargs -r -t {program} 2>/dev/null"),
        7 => format!("printf 'a,b' | xargs -d, {program}"),
        _ => format!("echo {program} arg | xargs env"),
    }
}

fn xargs_shell(writer: &mut Writer, _: u32) -> String {
    let program = writer.program();
    match writer.below(4) {
        0 => format!("echo a b | xargs sh -c '{program} \"$@\"' _"),
        1 => format!("printf 'a\\nb\\n' | xargs -I% sh -c '{program} %; beta %'"),
        2 => format!("echo '{program} now' | xargs -I CMD bash -c CMD"),
        _ => format!("printf '%s\\n' x y | xargs -n1 bash -c '{program} \"$0\"'"),
    }
}

fn wrapped(writer: &mut Writer, _: u32) -> String {
    let command = writer.tame_command();
    let wrapper = writer.choose(
        &[
            "nice",
            "nice -n 5",
            "timeout 5",
            "timeout -s KILL 5s",
            "nohup",
            "nice timeout 3",
            "env nice -n 1",
            "timeout --preserve-status 4 env X=1",
            "command nice",
        ],
        "nice",
    );
    let redirect = if wrapper.contains("nohup") { " > /dev/null 2>&1" } else { "" };
    format!("{wrapper} {command}{redirect}")
}

fn builtin(writer: &mut Writer, _: u32) -> String {
    let command = writer.tame_command();
    let name = writer.program();
    match writer.below(6) {
        0 => format!("command {command}"),
        1 => format!("command command {command}"),
        2 => format!("builtin eval {}", quoted(&command)),
        3 => format!("{name}() {{ command {name} wrapped \"$@\"; }}\n{name} x\nunset -f {name}"),
        4 => format!("command -v {name} && \"$(command -v {name})\" found"),
        _ => format!("type -t {name} > /dev/null; $(type -p {name}) by-path"),
    }
}

fn exec(writer: &mut Writer, depth: u32) -> String {
    let command = writer.tame_command();
    let body = writer.statement(depth);
    match writer.below(4) {
        0 => format!("(exec {command})\n{body}"),
        1 => format!("(exec -a other {command})\n{body}"),
        2 => format!("exec 3> fd3.txt; {command} >&3; exec 3>&-\n{body}"),
        _ => format!("exec 4<<< {}; bash <&4; exec 4<&-\n{body}", quoted(&command)),
    }
}

fn alias(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(5) {
        0 => format!(
            "shopt -s expand_aliases\nalias {name}='{program} aliased'\n{name} more\n{body}"
        ),
        1 => format!("alias {name}={program}\n{name} 2>/dev/null\n{body}"),
        2 => format!(
            "shopt -s expand_aliases\nalias {name}='{program} a; beta'\n{name} 'x y'\nunalias {name}\n{body}"
        ),
        3 => format!("shopt -s expand_aliases\nalias {name}='env '\n{name} {program} z\n{body}"),
        _ => format!(
            "shopt -s expand_aliases\nalias {name}='{program} q'\n\\{name} 2>/dev/null; eval '{name} ev'\n{body}"
        ),
    }
}

fn tee(writer: &mut Writer, _: u32) -> String {
    let command = writer.tame_command();
    let name = writer.name();
    match writer.below(3) {
        0 => format!("echo {} | tee {name} > /dev/null; sh {name}", quoted(&command)),
        1 => format!("echo {} | tee {name} | bash", quoted(&command)),
        _ => format!("echo {} | tee -a {name} {name}2 >/dev/null; bash {name}2", quoted(&command)),
    }
}

fn find(writer: &mut Writer, _: u32) -> String {
    let program = writer.program();
    match writer.below(4) {
        0 => {
            format!("mkdir -p fd; echo x > fd/one.f; find fd -name '*.f' -exec {program} {{}} \\;")
        }
        1 => format!("mkdir -p fd; echo x > fd/one.f; find fd -type f -exec {program} -a {{}} +"),
        2 => format!("mkdir -p fd; echo x > fd/one.f; find fd -name '*.f' | xargs {program}"),
        _ => format!(
            "mkdir -p fd; echo x > fd/one.f; find fd -name '*.f' -exec sh -c '{program} \"$1\"' _ {{}} \\;"
        ),
    }
}

fn in_variable(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let command = writer.tame_command();
    let body = writer.statement(depth);
    match writer.below(4) {
        0 => format!("{name}='{command}'; ${name} more\n{body}"),
        1 => format!("{name}='{command} \"q r\"'\n${name}\n{body}"),
        2 => format!("{name}=; ${name} {command}\n{body}"),
        _ => format!("{name}='{command}'\n\"${{{name}}}\" 2>/dev/null || ${name}\n{body}"),
    }
}

fn in_array(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(5) {
        0 => format!("{name}=({program} 'a b' c); \"${{{name}[@]}}\"\n{body}"),
        1 => format!(
            "{name}=({program}); {name}+=(-v); {name}+=(\"x y\"); \"${{{name}[@]}}\" end\n{body}"
        ),
        2 => format!("{name}=(env A=1); \"${{{name}[@]}}\" {program} z\n{body}"),
        3 => format!(
            "{name}=(); {name}[0]={program}; {name}[1]=one; \"${{{name}[0]}}\" \"${{{name}[@]:1}}\"\n{body}"
        ),
        _ => format!(
            "declare -A {name}=([run]={program} [with]='p q'); \"${{{name}[run]}}\" \"${{{name}[with]}}\"\n{body}"
        ),
    }
}

fn in_parameters(writer: &mut Writer, depth: u32) -> String {
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(4) {
        0 => format!("set -- {program} 'a b'; \"$@\"\n{body}"),
        1 => format!("set -- x {program} y; shift; \"$@\"\n{body}"),
        2 => format!("set -- a b; {program} \"$2\" \"$1\" \"$#\" \"$*\"\n{body}"),
        _ => format!("(set -- inner; {program} \"$1\"); {program} \"${{1-none}}\"\n{body}"),
    }
}

fn mapfile(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let command = writer.tame_command();
    let body = writer.statement(depth);
    match writer.below(2) {
        0 => format!(
            "mapfile -t {name} <<'E'\n{command}\nbeta last\nE\nfor c in \"${{{name}[@]}}\"; do $c; done\n{body}"
        ),
        _ => format!("mapfile -t {name} < <(echo '{command}')\n${{{name}[0]}}\n{body}"),
    }
}

fn descriptors(writer: &mut Writer, depth: u32) -> String {
    let command = writer.tame_command();
    let body = writer.statement(depth);
    match writer.below(5) {
        0 => format!("exec 5<<< {}; . /dev/fd/5; exec 5<&-\n{body}", quoted(&command)),
        1 => format!("bash /dev/fd/6 6<<< {}\n{body}", quoted(&command)),
        2 => format!("while read -r w <&7; do alpha \"$w\"; done 7<<< $'l1\\nl2'\n{body}"),
        3 => format!(
            "exec {{fd}}<<< {}; read -r got <&$fd; $got; exec {{fd}}<&-\n{body}",
            quoted(&command)
        ),
        _ => format!("{{ echo {} >&8; }} 8> out8.sh; bash out8.sh\n{body}", quoted(&command)),
    }
}

fn exported(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(4) {
        0 => format!("export {name}={program}; bash -c '${name} exported'\n{body}"),
        1 => format!("{name}={program}; bash -c '\"${{{name}:-beta}}\" not-exported'\n{body}"),
        2 => format!("{name}={program}; export {name}; sh -c '${name} x'\n{body}"),
        _ => format!(
            "declare -x {name}='{program} y'; bash -c \"${name} z\"; bash <<< '${name} w'\n{body}"
        ),
    }
}

fn exported_function(writer: &mut Writer, depth: u32) -> String {
    let name = writer.name();
    let program = writer.program();
    let body = writer.statement(depth);
    match writer.below(2) {
        0 => format!(
            "{name}() {{ {program} f \"$1\"; }}; export -f {name}; bash -c '{name} x'\n{body}"
        ),
        _ => format!("{name}() {{ {program} g; }}; bash -c '{name}' 2>/dev/null\n{body}"),
    }
}

fn not_found(writer: &mut Writer, depth: u32) -> String {
    let program = writer.program();
    let body = writer.statement(depth);
    format!(
        "command_not_found_handle() {{ {program} missing \"$@\"; }}\nno_such_thing a\nunset -f command_not_found_handle\n{body}"
    )
}

/// What a shim prints is nothing that anybody could know.
fn unknowable(writer: &mut Writer, depth: u32) -> String {
    if !writer.one_in(8) {
        return format!("answer=$({})\nalpha \"$answer\" $answer", writer.tame_command());
    }
    writer.unknowable = true;
    let body = writer.statement(depth);
    let code = writer.choose(
        &[
            "echo 'alpha glob' > z.f; cat *.f | sh",
            "$(shim1 name) x",
            "eval \"$(beta code)\"",
            "shim1 | bash",
            "x=`gamma`; $x y",
            "bash -c \"$(delta)\"",
        ],
        "$(shim1 name) x",
    );
    format!("{code}\n{body}")
}

fn output(writer: &mut Writer, _: u32) -> String {
    let program = writer.program();
    let inner = writer.tame_command();
    match writer.below(4) {
        0 => format!("{program} $({inner})"),
        1 => format!("for each in $({inner}); do {program} \"$each\"; done"),
        2 => format!("{inner} | while read -r line; do {program} \"$line\"; done"),
        _ => format!("{inner} | xargs {program}"),
    }
}

fn quoted_deeply(writer: &mut Writer, depth: u32) -> String {
    let command = writer.tame_command();
    let body = writer.statement(depth);
    let inner = quoted(&format!("bash -c {}", quoted(&command)));
    format!("bash -c {inner}\n{body}")
}

fn prompt(writer: &mut Writer, _: u32) -> String {
    let command = writer.tame_command();
    let name = writer.name();
    format!("{name}='$({command})'; echo \"${{{name}@P}}\" > /dev/null")
}

fn shopt(writer: &mut Writer, depth: u32) -> String {
    let option = writer.choose(
        &[
            "nullglob",
            "extglob",
            "globstar",
            "nocasematch",
            "lastpipe",
            "dotglob",
            "nocaseglob",
            "failglob",
        ],
        "nullglob",
    );
    let body = writer.statement(depth);
    let program = writer.program();
    match option {
        "nullglob" => format!("(shopt -s nullglob; {program} a no-such-* b)\n{body}"),
        "extglob" => format!(
            "shopt -s extglob\nx=aaab; {program} \"${{x##+(a)}}\" \"${{x/@(ab|b)/c}}\"; [[ abc == a!(x) ]] && {program} y\n{body}"
        ),
        "nocasematch" => {
            format!("(shopt -s nocasematch; [[ ABC == abc ]] && {program} same)\n{body}")
        }
        "lastpipe" => format!("(shopt -s lastpipe; echo {program} | read -r p; $p last)\n{body}"),
        _ => format!("(shopt -s {option}; {program} opt)\n{body}"),
    }
}

fn printf_script(writer: &mut Writer, _: u32) -> String {
    let program = writer.program();
    match writer.below(4) {
        0 => format!("printf '%s %s\\n' {program} a beta b | bash"),
        1 => format!("printf '{program} %d\\n' 1 2 3 | sh"),
        2 => format!("printf '%b' '{program}\\x20x\\n' | sh"),
        _ => format!("printf '%q ' {program} 'a b' \"c'd\" | bash"),
    }
}
