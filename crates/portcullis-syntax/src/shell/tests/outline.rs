//! A tree on few lines, for tests to compare.

use crate::shell::{
    AssignedValue, Command, CommandKind, Descriptor, Parameter, ParameterOperator, Part, PartKind,
    Pipeline, Statement, Word,
};

pub(super) fn statements(list: &[Statement]) -> String {
    let one = |statement: &Statement| {
        let mut text = pipeline(&statement.first);
        for (connector, next) in &statement.rest {
            text += &format!(" {connector:?} {}", pipeline(next));
        }
        if statement.background { text + " &" } else { text }
    };
    list.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn pipeline(pipeline: &Pipeline) -> String {
    let stages = pipeline.stages.iter().map(command).collect::<Vec<_>>().join(" | ");
    let prefix = match (pipeline.negated, pipeline.timed) {
        (false, false) => "",
        (true, false) => "not ",
        (false, true) => "time ",
        (true, true) => "time not ",
    };
    format!("{prefix}{stages}")
}

fn words(list: &[Word]) -> String {
    list.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn command(command: &Command) -> String {
    let mut pieces = vec![kind(&command.kind)];
    for redirect in &command.redirects {
        let descriptor = match &redirect.descriptor {
            None => String::new(),
            Some(Descriptor::Number(number)) => number.to_string(),
            Some(Descriptor::Variable(name)) => format!("{{{name}}}"),
        };
        let heredoc =
            redirect.heredoc.as_ref().map_or(String::new(), |body| format!(" body {}", word(body)));
        pieces.push(format!(
            "[{descriptor}{:?} {}{heredoc}]",
            redirect.operator,
            word(&redirect.target)
        ));
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces.join(" ")
}

fn kind(kind: &CommandKind) -> String {
    match kind {
        CommandKind::Simple { assignments, words: list } => {
            let mut pieces: Vec<String> = assignments
                .iter()
                .map(|assignment| {
                    let subscript = assignment
                        .subscript
                        .as_ref()
                        .map_or(String::new(), |it| format!("[{}]", word(it)));
                    let operator = if assignment.append { "+=" } else { "=" };
                    let value = match &assignment.value {
                        AssignedValue::Word(value) => word(value),
                        AssignedValue::Array(elements) => {
                            let element = |(key, value): &(Option<Word>, Word)| match key {
                                Some(key) => format!("[{}]={}", word(key), word(value)),
                                None => word(value),
                            };
                            format!(
                                "({})",
                                elements.iter().map(element).collect::<Vec<_>>().join(" ")
                            )
                        }
                    };
                    format!("{}{subscript}{operator}{value}", assignment.name)
                })
                .collect();
            pieces.extend(list.iter().map(word));
            pieces.join(" ")
        }
        CommandKind::Subshell(body) => format!("subshell({})", statements(body)),
        CommandKind::Group(body) => format!("group({})", statements(body)),
        CommandKind::If { branches, otherwise } => {
            let branch = |(condition, body): &(Vec<Statement>, Vec<Statement>)| {
                format!("{} then {}", statements(condition), statements(body))
            };
            let branches = branches.iter().map(branch).collect::<Vec<_>>().join(" elif ");
            format!("if({branches} else {})", statements(otherwise))
        }
        CommandKind::While { until, condition, body } => {
            let word = if *until { "until" } else { "while" };
            format!("{word}({} do {})", statements(condition), statements(body))
        }
        CommandKind::For { variable, words: list, body, select } => {
            let name = if *select { "select" } else { "for" };
            let list =
                list.as_ref().map_or("arguments".to_owned(), |list| format!("in {}", words(list)));
            format!("{name}({} {list} do {})", word(variable), statements(body))
        }
        CommandKind::ArithmeticFor { header, body } => {
            format!("arithmetic-for({} do {})", word(header), statements(body))
        }
        CommandKind::Case { subject, arms } => {
            let arms: Vec<String> = arms
                .iter()
                .map(|arm| {
                    let patterns = arm.patterns.iter().map(word).collect::<Vec<_>>().join("|");
                    format!("{patterns}) {}", statements(&arm.body))
                })
                .collect();
            format!("case({} in {})", word(subject), arms.join(" ;; "))
        }
        CommandKind::Function { name, body } => {
            format!("function({} {})", word(name), command(body))
        }
        CommandKind::Conditional(list) => format!("test({})", words(list)),
        CommandKind::Arithmetic(inside) => format!("arithmetic({})", word(inside)),
        CommandKind::Coprocess { name, body } => {
            let name = name.as_ref().map_or(String::new(), |name| word(name) + " ");
            format!("coproc({name}{})", command(body))
        }
        CommandKind::Unparsed => "unparsed".to_owned(),
    }
}

pub(super) fn word(word: &Word) -> String {
    parts(&word.parts)
}

/// Literal text bare, quoted text in `'…'`, everything else in angle brackets.
fn parts(list: &[Part]) -> String {
    let alternatives =
        |list: &[Vec<Part>]| list.iter().map(|one| parts(one)).collect::<Vec<_>>().join(",");
    list.iter()
        .map(|part| match &part.kind {
            PartKind::Literal(text) => text.to_string(),
            PartKind::Quoted(text) => format!("'{text}'"),
            PartKind::DoubleQuoted(inside) => format!("\"{}\"", parts(inside)),
            PartKind::Parameter(inside) => format!("<{}>", parameter(inside)),
            PartKind::CommandSubstitution { body } => format!("<run {}>", statements(body)),
            PartKind::ProcessSubstitution { output, body } => {
                format!("<{} {}>", if *output { "write-to" } else { "read-from" }, statements(body))
            }
            PartKind::Arithmetic(inside) => format!("<arithmetic {}>", parts(inside)),
            PartKind::Brace(list) => format!("<brace {}>", alternatives(list)),
            PartKind::BraceRange { from, to, step } => format!("<range {from} {to} {step:?}>"),
            PartKind::Glob(text) => format!("<glob {text}>"),
            PartKind::ExtendedGlob { operator, alternatives: list } => {
                format!("<extended {operator} {}>", alternatives(list))
            }
            PartKind::Tilde(name) => format!("<tilde {name}>"),
            PartKind::Unparsed => "<unparsed>".to_owned(),
        })
        .collect()
}

fn parameter(parameter: &Parameter) -> String {
    let name = format!(
        "{}{}{}",
        if parameter.indirect { "!" } else { "" },
        parameter.name,
        parameter
            .subscript
            .as_ref()
            .map_or(String::new(), |subscript| format!("[{}]", word(subscript)))
    );
    match &parameter.operator {
        ParameterOperator::None => format!("${name}"),
        ParameterOperator::Length => format!("length {name}"),
        ParameterOperator::Default(operand) => format!("${name} default {}", word(operand)),
        ParameterOperator::Assign(operand) => format!("${name} assign {}", word(operand)),
        ParameterOperator::Error(operand) => format!("${name} error {}", word(operand)),
        ParameterOperator::Alternate(operand) => format!("${name} alternate {}", word(operand)),
        ParameterOperator::RemovePrefix { pattern, longest } => {
            format!("${name} without prefix {longest} {}", word(pattern))
        }
        ParameterOperator::RemoveSuffix { pattern, longest } => {
            format!("${name} without suffix {longest} {}", word(pattern))
        }
        ParameterOperator::Replace { pattern, replacement, scope } => {
            format!("${name} {scope:?} {} by {}", word(pattern), word(replacement))
        }
        ParameterOperator::Slice { offset, length } => {
            format!("${name} from {} length {:?}", word(offset), length.as_ref().map(word))
        }
        ParameterOperator::Case { upper, all, pattern } => {
            format!("${name} upper {upper} all {all} {}", word(pattern))
        }
        ParameterOperator::Transform(letter) => format!("${name} @{letter}"),
        ParameterOperator::Names => format!("names {name}"),
    }
}
