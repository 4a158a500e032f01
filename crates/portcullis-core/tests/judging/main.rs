//! What the gate says of calls: one file for each thing that is shown, built as one program.

mod analyzers;
mod assessment;
mod at_app;
mod cases;
mod content;
mod contracts;
mod deep_text;
mod dressed_code;
mod dressed_windows;
mod handed_on;
mod made_sure;
mod no_bound_is_silent;
mod nothing_runs_unseen;
mod one_thing_one_answer;
mod only_a_person_speaks_as_the_person;
mod places_lie_in_their_texts;
mod scripts_run_as_in_bash;
mod secrets_in_settings;
mod self_protection;
mod session;
mod started_files;
mod understood_once;
mod unknown_tools;
mod what_sets_a_limit;
mod whom_a_message_reaches;
mod windows_ways;
