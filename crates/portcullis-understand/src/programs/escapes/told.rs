//! Commands that programs are told by their operands instead of an option of their own: settings that are set for good, settings within
//! an option's value, directives of servers, the editor of a table of jobs, a filter for each part of a file. Owns how each is written. Sources: the AWS command
//! line's reference of `credential_process`, the runtime configuration area of Subversion, crontab(1), split(1), pylint's options.

use super::{act::act, by_manual, table::How, words::named_by};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Taint},
};

/// How many values of an option are looked at.
const VALUES: usize = 16;

/// Reads what such an invocation is told to run.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    match invocation.program.as_str() {
        "aws" => {
            let words: Vec<&Argument> = options.operands().collect();
            if let [one, two, key, value, ..] = words.as_slice()
                && one.text.as_known() == Some("configure")
                && two.text.as_known() == Some("set")
                && key.text.known_prefix().ends_with("credential_process")
            {
                act(walk, How::Shell, value);
            }
        }
        "svn" => {
            for value in named_by(&invocation.arguments, "--config-option").into_iter().at_most(
                VALUES,
                walk,
                invocation.span,
            ) {
                let known = value.text.known_prefix();
                let runs = [":tunnels:", ":helpers:"].iter().any(|part| known.contains(part));
                if let Some((_, command)) = known.split_once('=').filter(|_| runs) {
                    let text = value.text.beginning_with(command);
                    act(walk, How::Shell, &Argument { text, span: value.span });
                }
            }
        }
        "apache2" | "apachectl" | "httpd" | "nginx" => {
            // `nginx -g 'load_module x.so;'`, `apachectl -C 'LoadModule name x.so'`: a directive beside those of the file.
            let given = ["-g", "-C", "-c"].into_iter();
            for value in given.flat_map(|option| named_by(&invocation.arguments, option)) {
                let known = value.text.known_prefix();
                let lower = known.to_ascii_lowercase();
                let file = known.split([' ', ';', '"', '\'']).rev().find(|word| !word.is_empty());
                if let Some(file) =
                    file.filter(|_| lower.contains("load_module") || lower.contains("loadmodule"))
                {
                    let text = value.text.derive([Piece::Known(file.to_owned())]);
                    by_manual::loaded(walk, &Argument { text, span: value.span });
                }
            }
        }
        // What a log on another machine gets.
        "logger" if options.has(&["-n", "--server"]) => {
            let server =
                ["-n", "--server"].iter().flat_map(|it| named_by(&invocation.arguments, it)).last();
            let file =
                ["-f", "--file"].iter().flat_map(|it| named_by(&invocation.arguments, it)).last();
            if let (Some(server), Some(file)) = (server, file) {
                let sends = walk.read(&file);
                walk.connect(&server, Some(sends), false);
            }
        }
        "crontab" if options.has(&["-e"]) => edited(walk, invocation),
        "pylint" => {
            for code in named_by(&invocation.arguments, "--init-hook") {
                act(walk, How::Code("python"), &code);
            }
        }
        "split" => {
            // What a filter gets are the parts of the file.
            let Some(file) = options.operands().next().cloned() else { return };
            let content = walk.read(&file);
            if content.taint == Taint::NONE {
                return;
            }
            for code in options.values_of(&["--filter"]) {
                walk.shell(&code.text, code.span, &[], Some(content.clone()));
            }
        }
        _ => {}
    }
}

/// `VISUAL=… crontab -e`: what is called the editor is given the table of jobs to change.
fn edited(walk: &mut dyn Host, invocation: &Invocation) {
    let set = |wanted: &str| {
        let given = invocation.environment.iter().find(|(name, _)| name == wanted);
        given.map(|(_, value)| value.clone()).or_else(|| walk.variable_set(wanted))
    };
    let Some(mut code) = set("VISUAL").or_else(|| set("EDITOR")) else { return };
    code.push_known(" /var/spool/cron/crontabs/user");
    walk.shell(&code, invocation.span, &[], None);
}
