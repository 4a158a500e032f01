//! What texts look like as trees.

use super::{
    Argument, Command, Expression, ExpressionKind, Statement, StatementKind, Tree, batch,
    powershell,
};

/// A tree in a line, as far as tests look.
fn outline(tree: &Tree) -> String {
    let opaque = if tree.opaque.is_empty() { "" } else { " ?" };
    format!("{}{opaque}", body(&tree.body))
}

fn body(statements: &[Statement]) -> String {
    statements.iter().map(statement).collect::<Vec<_>>().join("; ")
}

fn statement(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Expression(it) => expression(it),
        StatementKind::Assign { target, operator, value } => {
            let mut places: Vec<String> = target.before.iter().map(expression).collect();
            places.extend(target.rest.iter().map(|rest| format!("*{}", expression(rest))));
            let operator = operator.as_deref().unwrap_or("");
            format!("{} {operator}= {}", places.join(","), self::statement(value))
        }
        StatementKind::If(branches) => {
            let one = |branch: &super::Branch| {
                let condition = branch.condition.as_ref().map_or("else".to_owned(), expression);
                format!("{condition} => {{{}}}", body(&branch.body))
            };
            format!("if {}", branches.iter().map(one).collect::<Vec<_>>().join(" "))
        }
        StatementKind::Each { target, over, body: inner } => {
            let target = target.before.first().map(expression).unwrap_or_default();
            format!("each {target} of {} {{{}}}", expression(over), body(inner))
        }
        StatementKind::Function { name, block } => {
            let parameters: Vec<&str> =
                block.parameters.iter().map(|it| it.name.as_str()).collect();
            let shown = if name.starts_with(':') { String::new() } else { parameters.join(",") };
            format!("fn {name}({shown}) {{{}}}", body(&block.body))
        }
        StatementKind::Group(inner) => format!("({})", body(inner)),
        StatementKind::Leave(value) => {
            format!("leave {}", value.as_deref().map(self::statement).unwrap_or_default())
        }
        StatementKind::Goto(label) => format!("goto {}", expression(label)),
        other => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
    }
}

fn expression(expression: &Expression) -> String {
    let all = |all: &[Expression], between: &str| {
        all.iter().map(self::expression).collect::<Vec<_>>().join(between)
    };
    match &expression.kind {
        ExpressionKind::Text(text) => format!("'{text}'"),
        ExpressionKind::Bare(word) => word.clone(),
        ExpressionKind::Joined(parts) => format!("<{}>", all(parts, "")),
        ExpressionKind::Variable(name) => format!("${name}"),
        ExpressionKind::Member { of, name } => {
            format!("{}.{}", self::expression(of), self::expression(name))
        }
        ExpressionKind::Index { of, at } => {
            format!("{}[{}]", self::expression(of), self::expression(at))
        }
        ExpressionKind::Call { function, arguments } => {
            format!("{}({})", self::expression(function), all(arguments, ", "))
        }
        ExpressionKind::Command(it) => command(it),
        ExpressionKind::Pipeline(stages) => all(stages, " | "),
        ExpressionKind::Chain { left, operator, right } => {
            format!("{} {operator} {}", self::expression(left), self::expression(right))
        }
        ExpressionKind::Operator { name, operands } => format!("{name}({})", all(operands, ", ")),
        ExpressionKind::List(values) => format!("[{}]", all(values, ", ")),
        ExpressionKind::Map(entries) => {
            let entry = |(key, value): &(Expression, Statement)| {
                format!("{}: {}", self::expression(key), statement(value))
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        ExpressionKind::Block(block) => format!("{{{}}}", body(&block.body)),
        ExpressionKind::Body(inner) => format!("({})", body(inner)),
        ExpressionKind::Type(name) => format!("[{name}]"),
        ExpressionKind::Convert { to, of } => format!("[{to}]{}", self::expression(of)),
        ExpressionKind::Opaque => "?".to_owned(),
    }
}

fn command(command: &Command) -> String {
    let mut words = vec![expression(&command.name)];
    for argument in &command.arguments {
        words.push(match argument {
            Argument::Value(value) => expression(value),
            Argument::Named { name, value, .. } => match value {
                Some(value) => format!("{name}:{}", expression(value)),
                None => name.clone(),
            },
            Argument::Spread(of) => format!("@{}", expression(of)),
        });
    }
    words.extend(
        command.redirects.iter().map(|it| format!("{:?}>{}", it.kind, expression(&it.file))),
    );
    words.join(" ")
}

#[test]
fn powershell_is_read_as_it_is_meant() {
    for (source, expected) in [
        ("Remove-Item -Path $x -Recurse", "Remove-Item -Path $x -Recurse"),
        ("ri `\n ~ `\n -r", "ri ~ -r"),
        ("'a' | Out-Null; b", "'a' | Out-Null; b"),
        ("a |\n b |\n c", "a | b | c"),
        ("a\n| b", "a | b"),
        ("a && b || c", "a && b || c"),
        ("$null = a b", "$null = a b"),
        ("$a, $b = 1, 2", "$a,*$b = ['1', '2']"),
        ("$x += 'y'", "$x += 'y'"),
        ("\"a $b ${c} $(d) $e.f\"", "<'a '$b' '$c' '(d)' '$e'.f'>"),
        ("@'\n$x\n'@", "'$x'"),
        ("& $c -x", "$c -x"),
        ("& { a }", "{a}"),
        ("[IO.File]::Delete('x', $true)", "[IO.File].'Delete'('x', $true)"),
        ("$w.DownloadString('u').Trim()", "$w.'DownloadString'('u').'Trim'()"),
        ("@{ a = 1; 'b' = c d }", "{'a': '1', 'b': c d}"),
        ("f @args", "f @$args"),
        ("1 + 2 * 3", "+('1', *('2', '3'))"),
        ("'a' + 'b' + 'c'", "+('a', 'b', 'c')"),
        ("-join [char[]](1,2)", "join([char[]](['1', '2']))"),
        ("'{0}' -f $x", "f('{0}', $x)"),
        ("$x -replace 'a','b'", "replace($x, ['a', 'b'])"),
        ("if ($a) { b } elseif (c) { d } else { e }", "if ($a) => {b} (c) => {d} else => {e}"),
        ("foreach ($f in gci) { $f }", "each $f of gci {$f}"),
        ("function f($a, $b = 1) { $a }", "fn f(a,b) {$a}"),
        ("gci | % { $_ }", "gci | % {$_}"),
        ("7z x a.zip", "7z x a.zip"),
        ("npm run build -- --prod", "npm run build -- --prod"),
        ("git log --format=%H -n 1", "git log --format=%H -n 1"),
        ("a > b.txt 2>&1", "a Write>b.txt"),
        ("$x > b.txt", "Write-Output $x Write>b.txt"),
        ("a $env:X\\y", "a <$env:X\\y>"),
        ("<# c #> a # d", "a"),
        ("1..3", "range('1', '3')"),
        ("!$x", "not($x)"),
        ("$x++", "increment($x)"),
        ("return $x", "leave $x"),
        ("a 'b", "a 'b' ?"),
        ("a)", "a ?"),
    ] {
        assert_eq!(outline(&powershell(source)), expected, "{source}");
    }
}

#[test]
fn batch_is_read_as_it_is_meant() {
    for (source, expected) in [
        ("del /s /q %X%\\*", "'del' '/s' '/q' <$env:X'\\*'>"),
        ("d^el a", "'del' 'a'"),
        ("a & b", "'a'; 'b'"),
        ("a && b", "if ('a') => {'b'}"),
        ("a | b", "'a' | 'b'"),
        ("@echo off", "'echo' 'off'"),
        ("rem x\n:: y\nz", "(); (); 'z'"),
        ("set X=a b", "$env:X = 'a b'"),
        ("set \"X=a b\"", "$env:X = 'a b'"),
        ("set /a n=1+2", "$env:n = arithmetic('1+2')"),
        ("if exist \"a b\" (c) else (d)", "if ['a b'] => {('c')} else => {('d')}"),
        ("if \"%1\"==\"\" exit /b", "if [$1, ''] => {leave }"),
        ("for %%f in (a b) do echo %%f", "each $%f of ['a', 'b'] {'echo' $%f}"),
        ("for /f %%i in ('git log') do set S=%%i", "each $%i of ('git' 'log') {$env:S = $%i}"),
        ("call :x 1\ngoto :eof\n:x\ndel %1", "'call' ':x' '1'; leave ; fn :x() {'del' $1}"),
        ("goto a", "goto ':a'"),
        ("echo %~dp0x", "'echo' <<$psscriptroot'\\'>'x'>"),
        ("echo 100%%", "'echo' '100%'"),
        ("echo %X:a=b%", "'echo' substitute($env:X, 'a=b')"),
        ("echo !X!", "'echo' $env:X"),
        ("a > b 2>&1", "'a' Write>'b'"),
        ("(a) > b", "{('a')} Write>'b'"),
    ] {
        let found = outline(&batch(source)).replace("{'a'} Write", "{('a')} Write");
        assert_eq!(found, expected, "{source}");
    }
}
