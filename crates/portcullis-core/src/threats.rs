//! The threats to an agent that the LLM-agent security document names, and what stands against each here. Owns the table; the page, the
//! command and the check that every test exists are made from it.

use serde::Serialize;

use crate::risk::Severity;

/// A threat.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Threat {
    /// Its documented name.
    pub name: &'static str,
    /// How bad it is, as documented.
    pub severity: Severity,
    /// What happens.
    pub description: &'static str,
    /// For example.
    pub example: &'static str,
    /// What the document names against it, in its order.
    pub mitigations: &'static [Mitigation],
}

/// Something that the document names against a threat.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Mitigation {
    /// Its documented name.
    pub name: &'static str,
    /// What does it here.
    pub controls: &'static [Control],
    /// What it does not cover; with no control, why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<&'static str>,
}

/// Something that stands against a threat.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Control {
    /// What it does.
    pub does: &'static str,
    /// Where it is.
    pub at: &'static str,
    /// What proves it: `FILE::FUNCTION` below `crates/`, or `FILE::"ROW"` where a table of tests has a harness of its own.
    pub tests: &'static [&'static str],
}

const fn threat(
    name: &'static str,
    severity: Severity,
    description: &'static str,
    example: &'static str,
    mitigations: &'static [Mitigation],
) -> Threat {
    Threat { name, severity, description, example, mitigations }
}

const fn by(name: &'static str, controls: &'static [Control]) -> Mitigation {
    Mitigation { name, controls, open: None }
}

const fn partly(
    name: &'static str,
    controls: &'static [Control],
    open: &'static str,
) -> Mitigation {
    Mitigation { name, controls, open: Some(open) }
}

const fn control(does: &'static str, at: &'static str, tests: &'static [&'static str]) -> Control {
    Control { does, at, tests }
}

/// The seven threats, in the order of the document.
pub const THREATS: &[Threat] = &[
    threat(
        "prompt_injection_amplification",
        Severity::Critical,
        "an agent acts on instructions that were injected",
        "an injected prompt makes the agent mail sensitive data",
        &[
            by(
                "Strict input sanitization",
                &[
                    control(
                        "planted instructions are found in whatever a tool answers and in every argument, also encoded, hidden and in other languages",
                        "portcullis_core::injection",
                        &[
                            "portcullis-core/tests/judging/content.rs::planted_instructions_are_found_and_their_look_alikes_are_not",
                            "portcullis-injection/src/injection/tests.rs::the_place_of_an_encoded_text_is_the_code",
                            "portcullis-rules/src/analyze/tests.rs::letters_that_only_look_like_others_hide_nothing",
                        ],
                    ),
                    control(
                        "what the model says of its own action is taken out of the arguments and never lowers the risk",
                        "portcullis_core::analyze",
                        &[
                            "portcullis-rules/src/analyze/tests.rs::what_the_agent_says_about_its_call_neither_hides_nor_makes_a_deletion",
                            "portcullis-rules/src/analyze/tests.rs::a_claim_does_not_talk_away_what_the_rules_did_not_understand",
                        ],
                    ),
                ],
            ),
            by(
                "Action confirmation for sensitive operations",
                &[
                    control(
                        "a person is asked from a high risk on, where the risk is not known, and where it cannot be undone",
                        "portcullis_core::intervention, portcullis_core::policy",
                        &[
                            "portcullis-core/src/intervention/tests.rs::every_trigger_is_listed",
                            "portcullis-core/src/intervention/tests.rs::escapes_of_json_hide_nothing_from_patterns",
                            "portcullis-core/src/policy/tests.rs::commands_get_the_verdict_that_their_effects_earn_in_every_mode",
                        ],
                    ),
                    control(
                        "an answer counts once, in time, for the action that was shown, and from somebody else",
                        "portcullis::confirmation",
                        &[
                            "portcullis-core/src/intervention/tests.rs::an_answer_counts_once_in_time_and_from_somebody_else",
                            "portcullis-engine/src/confirmation.rs::an_answer_holds_for_the_action_that_was_shown_alone",
                            "portcullis-engine/src/confirmation.rs::whoever_hangs_is_not_waited_for",
                        ],
                    ),
                ],
            ),
            by(
                "Output filtering before tool use",
                &[control(
                    "what an earlier call fetched or was shown makes later calls that use it stricter",
                    "portcullis_core::session",
                    &[
                        "portcullis-core/tests/judging/session.rs::what_came_from_elsewhere_is_known_by_where_it_lies",
                        "portcullis/tests/hooks/main.rs::what_a_call_left_is_known_to_the_next_of_its_session_and_to_no_other",
                    ],
                )],
            ),
        ],
    ),
    threat(
        "confused_deputy",
        Severity::Critical,
        "an agent uses what it may do on behalf of an attacker",
        "a user makes the agent read another user's data",
        &[
            partly(
                "Per-request authorization checks",
                &[
                    control(
                        "every call of a registered tool needs the permissions of its caller, and a tool without any is for nobody",
                        "portcullis::tools",
                        &[
                            "portcullis/src/tools/tests.rs::no_permissions_is_nobody_and_not_everybody",
                            "portcullis/src/tools/tests.rs::an_unknown_tool_and_a_missing_permission_are_told_apart",
                            "portcullis/tests/cli/tools.rs::callers_have_permissions_of_their_own_that_an_option_only_narrows",
                        ],
                    ),
                    control(
                        "every call is judged by itself, and an approval is bound to the hash of the action",
                        "portcullis_core::gate, portcullis::grants",
                        &[
                            "portcullis-engine/src/grants/tests.rs::a_grant_for_once_answers_once_and_only_its_own_action",
                            "portcullis-core/src/guardian/approvals.rs::everything_that_it_is_bound_to_makes_another_key",
                            "portcullis-core/src/intervention/tests.rs::an_action_that_changes_while_its_answer_is_waited_for_is_refused_for_good",
                        ],
                    ),
                    control(
                        "nobody answers their own request, and no agent answers for a person",
                        "portcullis_core::intervention, portcullis::person",
                        &[
                            "portcullis-core/src/intervention/tests.rs::on_ones_own_machine_one_answers_for_oneself_and_the_agent_still_does_not",
                            "portcullis/tests/cli/answering.rs::whoever_called_a_hook_cannot_answer_under_any_name",
                        ],
                    ),
                ],
                "whose data a resource is, only the service that keeps it knows",
            ),
            by(
                "User context isolation",
                &[control(
                    "what is remembered and counted of a session is known to no other session",
                    "portcullis::memory, portcullis::watch",
                    &[
                        "portcullis-engine/src/memory.rs::a_session_is_known_to_the_next_process_and_no_other_session_is",
                        "portcullis-engine/src/watch.rs::a_loop_is_noticed_over_processes_and_recorded_and_another_session_knows_nothing",
                    ],
                )],
            ),
            by(
                "Action scope limitations",
                &[control(
                    "grants hold for a place, a time and a risk, and rules that allow cover whole commands",
                    "portcullis::grants, portcullis_core::policy",
                    &[
                        "portcullis-engine/src/grants/tests.rs::the_wider_a_scope_is_the_less_risk_it_reaches",
                        "portcullis-core/src/policy/rule/tests.rs::an_allow_rule_admits_nothing_that_is_smuggled_past_it",
                    ],
                )],
            ),
        ],
    ),
    threat(
        "goal_hijacking",
        Severity::High,
        "injected content changes what an agent is after",
        "a document that is worked on holds instructions that change the task",
        &[
            partly(
                "Goal immutability after initialization",
                &[],
                "the goal is the agent's own; the gate sees calls, and judges what they do whatever they are for",
            ),
            by(
                "Content isolation during processing",
                &[control(
                    "a reviewing model is shown evidence behind fences that nothing in it can end",
                    "portcullis_core::guardian",
                    &[
                        "portcullis-core/src/guardian/tests/briefing.rs::a_briefing_holds_one_line_for_each_piece_of_evidence_and_nothing_can_end_it",
                        "portcullis-core/src/guardian/tests.rs::no_evidence_leaves_its_line",
                    ],
                )],
            ),
            partly(
                "Behavioral consistency checks",
                &[control(
                    "a denied action in other words, and something unknown that is sent after a secret was read, ask",
                    "portcullis_core::monitor, portcullis::watch",
                    &[
                        "portcullis-core/src/monitor/tests.rs::what_was_denied_is_known_in_other_words_and_what_is_advised_instead_is_not_it",
                        "portcullis-core/src/monitor/tests.rs::a_secret_and_then_something_unknown_that_is_sent_is_noticed",
                        "portcullis-engine/src/watch.rs::what_was_denied_asks_in_other_words",
                    ],
                )],
                "drift from the task is not measured",
            ),
        ],
    ),
    threat(
        "tool_misuse",
        Severity::Critical,
        "an agent uses tools in harmful ways",
        "an agent runs arbitrary shell commands",
        &[
            by(
                "Tool capability restrictions",
                &[
                    control(
                        "a registered tool is held to its schema, its paths, its rate and its sandbox, and what it says of itself only raises its risk",
                        "portcullis::tools",
                        &[
                            "portcullis/src/tools/tests.rs::hints_raise_and_never_lower",
                            "portcullis/src/tools/tests.rs::a_tool_runs_as_often_as_it_may_and_no_more",
                            "portcullis/src/tools/tests.rs::what_is_dangerous_is_stopped_although_its_tool_is_registered",
                            "portcullis/tests/cli/tools.rs::a_tool_is_held_where_it_may_be_and_no_secret_comes_back",
                        ],
                    ),
                    control(
                        "permission modes let classes of actions go on, by what they prove to do",
                        "portcullis_core::policy",
                        &[
                            "portcullis-core/src/policy/mode.rs::what_is_dangerous_passes_no_mode_but_bypass",
                            "portcullis-core/src/policy/tests.rs::a_class_of_a_known_tool_can_only_be_raised",
                        ],
                    ),
                    control(
                        "commands are read as what they do, however they are written",
                        "portcullis_core::understand, portcullis_core::rules",
                        &[
                            "portcullis-core/tests/judging/cases.rs::attacks_are_caught_and_their_twins_go_free_except_where_the_list_says_otherwise",
                            "portcullis-core/tests/judging/nothing_runs_unseen.rs::a_program_is_found_however_it_is_hidden",
                        ],
                    ),
                ],
            ),
            by(
                "Parameter validation",
                &[
                    control(
                        "fields that a schema does not name are refused at every depth, and a path is where it really leads",
                        "portcullis::tools",
                        &[
                            "portcullis/src/tools/tests.rs::unknown_fields_are_refused_at_every_depth",
                            "portcullis/src/tools/tests.rs::a_path_is_where_it_really_leads_component_by_component",
                            "portcullis/src/tools/tests.rs::what_was_checked_is_what_is_used",
                            "portcullis/tests/cli/tools.rs::each_kind_of_bad_call_has_an_answer_of_its_own",
                        ],
                    ),
                    control(
                        "paths, addresses, statements and commands are read, not searched",
                        "portcullis_core::validate, portcullis_core::network",
                        &[
                            "portcullis-core/src/validate/tests/sql.rs::sql_what_the_document_let_through_is_refused",
                            "portcullis-core/src/validate/tests.rs::paths_are_refused_by_components_and_not_by_two_dots_anywhere",
                            "portcullis-core/src/validate/tests.rs::urls_lead_to_public_hosts_that_are_named_whatever_their_spelling",
                            "portcullis-network/src/network/tests.rs::every_spelling_of_an_address_is_the_address",
                        ],
                    ),
                ],
            ),
            partly(
                "Sandboxed execution",
                &[
                    control(
                        "a program runs inside limits that the kernel keeps, and is refused where a promise does not hold",
                        "portcullis_sandbox",
                        &[
                            "portcullis-sandbox/tests/escapes/attacks.rs::\"leave by a hard link\"",
                            "portcullis-sandbox/tests/escapes/attacks.rs::\"plant a hook\"",
                            "portcullis-sandbox/tests/escapes/attacks.rs::\"read a secret by a link\"",
                            "portcullis-sandbox/tests/escapes/attacks.rs::\"connect by every address of this machine\"",
                            "portcullis-sandbox/tests/escapes/attacks.rs::\"send to a socket in a file from one of a raw pair\"",
                            "portcullis-sandbox/tests/escapes/attacks.rs::\"bind a process outside to one processor\"",
                            "portcullis-sandbox/tests/escapes/attacks.rs::\"lead git elsewhere by a file that is missing\"",
                            "portcullis-sandbox/tests/escapes/promises.rs::\"what leads around the view is not handed in\"",
                            "portcullis-sandbox/tests/escapes/promises.rs::\"a probe tries what it says\"",
                            "portcullis-sandbox/tests/escapes/promises.rs::\"memory is limited together, or it is said why not\"",
                            "portcullis-sandbox/tests/escapes/promises.rs::\"a means that is missing refuses what takes it\"",
                            "portcullis-sandbox/tests/escapes/promises.rs::\"too many processes are stopped\"",
                            "portcullis-sandbox/tests/escapes/promises.rs::\"bombs of every kind are ended\"",
                            "portcullis-sandbox/tests/escapes/promises.rs::\"the way to the proxy has bounds, and ends with the run\"",
                        ],
                    ),
                    control(
                        "what a program may reach over the proxy is judged for each connection",
                        "portcullis_net::proxy",
                        &[
                            "portcullis/tests/cli/network.rs::programs_are_let_out_under_a_password_and_recorded_until_the_proxy_is_interrupted",
                        ],
                    ),
                ],
                "inside of a coding agent a hook judges and does not run: its programs are in no sandbox but the agent's",
            ),
        ],
    ),
    threat(
        "resource_exhaustion",
        Severity::High,
        "an agent loops without end or uses too much",
        "an agent retries a failed operation for ever",
        &[
            by(
                "Iteration limits",
                &[
                    control(
                        "every step counts, also one that is blocked, declined or fails, and a part never has more left than the whole",
                        "portcullis_core::monitor",
                        &[
                            "portcullis-core/src/monitor/tests.rs::the_fiftieth_step_begins_and_the_next_does_not_whatever_became_of_them",
                            "portcullis-core/src/monitor/tests.rs::the_thirtieth_step_of_a_minute_begins_and_the_next_waits_until_the_first_is_a_minute_old",
                            "portcullis-core/src/monitor/tests.rs::a_sub_execution_never_has_more_left_than_the_one_around_it",
                            "portcullis-engine/src/watch.rs::limits_hold_for_a_session_where_they_are_configured",
                        ],
                    ),
                    control(
                        "loops of any period, and those with noise in them, are noticed by what was done and what came back",
                        "portcullis_core::monitor",
                        &[
                            "portcullis-core/src/monitor/tests/loops.rs::loops_of_any_period_are_found_and_ordinary_repetition_is_none",
                            "portcullis-core/src/monitor/tests/loops.rs::junk_in_the_arguments_and_noise_between_them_hides_no_loop",
                        ],
                    ),
                ],
            ),
            by(
                "Timeout enforcement",
                &[
                    control(
                        "an execution ends after its time, and a question without an answer is a no",
                        "portcullis_core::monitor, portcullis::confirmation",
                        &[
                            "portcullis-core/src/monitor/tests.rs::three_hundred_seconds_are_in_time_and_a_millisecond_more_is_not",
                            "portcullis-engine/src/confirmation.rs::whoever_hangs_is_not_waited_for",
                        ],
                    ),
                    control(
                        "blocked calls of tools count, and a program that takes too long is killed with all that it started",
                        "portcullis::tools, portcullis_sandbox",
                        &[
                            "portcullis/src/tools/tests.rs::blocked_calls_count_so_that_an_agent_that_is_always_blocked_ends",
                            "portcullis/tests/cli/tools.rs::each_kind_of_bad_call_has_an_answer_of_its_own",
                        ],
                    ),
                    control(
                        "a hook answers a denial when its own time is up",
                        "portcullis::hook",
                        &[
                            "portcullis/tests/hooks/main.rs::each_agent_is_denied_in_its_own_form_when_time_is_up",
                        ],
                    ),
                ],
            ),
            by(
                "Cost tracking and limits",
                &[control(
                    "tokens, cost, bytes, processes and calls are set aside before they are used",
                    "portcullis_core::monitor, portcullis_core::guardian, portcullis::spending",
                    &[
                        "portcullis-core/src/monitor/tests.rs::what_is_set_aside_is_used_until_it_is_accounted_for",
                        "portcullis-core/src/guardian/budget.rs::what_is_not_accounted_for_stays_spent",
                        "portcullis-engine/src/spending.rs::what_cannot_be_counted_does_not_go_out",
                    ],
                )],
            ),
        ],
    ),
    threat(
        "information_leakage",
        Severity::High,
        "an agent shows what is private in outputs or reasoning",
        "an agent repeats keys in error messages",
        &[
            partly(
                "Output sanitization",
                &[
                    control(
                        "what a registered tool answers is cut, and comes without its secrets",
                        "portcullis::tools",
                        &[
                            "portcullis/src/tools/tests.rs::secrets_and_planted_words_are_noticed_before_the_agent_sees_the_answer",
                            "portcullis/src/tools/tests.rs::a_function_that_breaks_or_takes_too_long_is_an_answer_and_no_end",
                        ],
                    ),
                    control(
                        "results are looked through for secrets, and the agent is told not to repeat them",
                        "portcullis_core::inspect",
                        &[
                            "portcullis-core/tests/judging/secrets_in_settings.rs::secrets_are_found_in_every_setting_and_hidden_there",
                            "portcullis/tests/hooks/main.rs::each_agent_is_answered_as_its_cases_say",
                        ],
                    ),
                ],
                "inside of a coding agent a hook can only warn: the agent has read the result",
            ),
            by(
                "Secrets masking",
                &[
                    control(
                        "one redactor masks what is recorded, shown and sent to a reviewer",
                        "portcullis_core::redact",
                        &[
                            "portcullis-secrets/src/redact/tests.rs::a_password_never_survives",
                            "portcullis-engine/src/audit/entry.rs::every_text_is_redacted_and_bounded_before_it_is_stored",
                            "portcullis/tests/cli/forging.rs::secrets_are_not_shown",
                        ],
                    ),
                    control(
                        "a person who is asked sees values masked at any depth, and never what is dangerous",
                        "portcullis_core::intervention",
                        &[
                            "portcullis-core/src/intervention/tests.rs::names_of_secrets_are_masked_by_their_words_and_words_that_look_like_them_are_not",
                            "portcullis-core/src/intervention/tests.rs::secrets_are_masked_in_values_at_any_depth",
                            "portcullis-core/src/intervention/tests.rs::a_dangerous_command_is_not_hidden_by_the_name_of_its_parameter",
                        ],
                    ),
                ],
            ),
            by(
                "Reasoning trace filtering",
                &[control(
                    "what an agent thinks is read for planted instructions, is not recorded, and does not reach a reviewer as its own words",
                    "portcullis_core::guardian",
                    &[
                        "portcullis-core/src/guardian/tests/briefing.rs::the_agents_own_words_about_its_action_are_left_out",
                        "portcullis-core/src/guardian/tests/briefing.rs::secrets_are_masked_wherever_they_stand",
                    ],
                )],
            ),
        ],
    ),
    threat(
        "capability_escalation",
        Severity::Critical,
        "an agent comes to be able to do more than it should",
        "an agent installs tools or changes its own prompts",
        &[
            by(
                "Immutable capability set",
                &[
                    control(
                        "the set of tools is closed once it is made: no name twice, none that looks like another, another word is another digest",
                        "portcullis::tools",
                        &[
                            "portcullis/src/tools/tests.rs::registering_a_name_twice_is_an_error_and_does_not_replace_the_tool",
                            "portcullis/src/tools/tests.rs::names_that_cannot_be_told_apart_or_that_agents_know_are_refused",
                            "portcullis/src/tools/tests.rs::another_word_in_a_tool_is_another_registry",
                            "portcullis/tests/cli/tools.rs::a_file_that_others_may_write_or_that_is_wrong_is_not_used",
                        ],
                    ),
                    control(
                        "a project's own file only makes things stricter, and what is locked stays locked",
                        "portcullis::config",
                        &[
                            "portcullis-engine/src/config/tests/layers.rs::no_project_that_nobody_trusts_loosens_a_decision",
                            "portcullis-engine/src/config/tests/layers.rs::what_is_locked_is_only_made_stricter_below",
                            "portcullis-core/src/policy/mode.rs::a_closed_latch_keeps_bypass_out_for_good",
                        ],
                    ),
                ],
            ),
            by(
                "Self-modification prevention",
                &[control(
                    "what would change the gate, an agent's own settings, hooks, skills or servers is denied or asks",
                    "portcullis_core::rules, portcullis_core::place",
                    &[
                        "portcullis-core/tests/judging/self_protection.rs::no_attack_on_the_gate_passes",
                        "portcullis-model/src/place/tests.rs::agents_files_are_told_apart_by_what_they_do",
                    ],
                )],
            ),
            by(
                "Capability audit logging",
                &[
                    control(
                        "every decision is recorded before anything runs, in a chain that names what was changed",
                        "portcullis::audit",
                        &[
                            "portcullis-engine/src/audit/tests.rs::every_kind_of_tampering_is_named",
                            "portcullis/tests/cli/record.rs::what_cannot_be_recorded_is_denied",
                            "portcullis/src/cli/trust.rs::trust_is_recorded_before_it_holds_and_does_not_hold_unrecorded",
                        ],
                    ),
                    control(
                        "attempts without permission are counted",
                        "portcullis_core::monitor",
                        &[
                            "portcullis-core/src/monitor/tests.rs::two_unpermitted_steps_are_none_and_three_are_an_anomaly",
                        ],
                    ),
                ],
            ),
        ],
    ),
];

/// The tests that prove the controls, each with the threat that it is about.
pub fn proofs() -> impl Iterator<Item = (&'static Threat, &'static Control)> {
    THREATS.iter().flat_map(|threat| {
        threat.mitigations.iter().flat_map(move |one| one.controls.iter().map(move |c| (threat, c)))
    })
}

/// The table as a page.
#[must_use]
pub fn document() -> String {
    let mut page = String::new();
    for threat in THREATS {
        page.push_str(&format!(
            "### `{}` ({})\n\n{}: {}.\n\n| named against it | what does it here | proved by |\n|---|---|---|\n",
            threat.name,
            threat.severity,
            capital(threat.description),
            threat.example
        ));
        for mitigation in threat.mitigations {
            let mut name = mitigation.name;
            for control in mitigation.controls {
                let tests = control.tests.iter().map(|test| format!("`{test}`"));
                let tests = tests.collect::<Vec<_>>().join(", ");
                let row = format!("| {name} | {} (`{}`) | {tests} |\n", control.does, control.at);
                page.push_str(&row);
                name = "";
            }
            if let Some(open) = mitigation.open {
                page.push_str(&format!("| {name} | **open**: {open} | |\n"));
            }
        }
        page.push('\n');
    }
    page
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threats_are_those_of_the_document_with_its_severities_and_three_mitigations_each() {
        let documented = [
            ("prompt_injection_amplification", Severity::Critical),
            ("confused_deputy", Severity::Critical),
            ("goal_hijacking", Severity::High),
            ("tool_misuse", Severity::Critical),
            ("resource_exhaustion", Severity::High),
            ("information_leakage", Severity::High),
            ("capability_escalation", Severity::Critical),
        ];
        let own: Vec<_> = THREATS.iter().map(|threat| (threat.name, threat.severity)).collect();
        assert_eq!(own, documented);
        for threat in THREATS {
            assert_eq!(threat.mitigations.len(), 3, "{}", threat.name);
        }
    }

    #[test]
    fn every_mitigation_has_a_control_with_a_test_or_says_why_it_has_none() {
        for mitigation in THREATS.iter().flat_map(|threat| threat.mitigations) {
            let name = mitigation.name;
            assert!(!mitigation.controls.is_empty() || mitigation.open.is_some(), "{name}");
            for control in mitigation.controls {
                assert!(!control.tests.is_empty(), "{name}: {}", control.does);
                assert!(control.tests.iter().all(|test| test.contains(".rs::")), "{name}");
            }
        }
    }

    #[test]
    fn the_page_holds_every_threat_and_every_test() {
        let page = document();
        for (threat, control) in proofs() {
            assert!(page.contains(threat.name) && page.contains(control.does));
            assert!(control.tests.iter().all(|test| page.contains(test)));
        }
    }
}
