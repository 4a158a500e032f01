//! What bash really started for small scripts, found by comparing generated ones: each is the smallest that was once predicted
//! otherwise. `[…]` behind a script are the program and its arguments; what must not be claimed stands apart.

use portcullis_core::{
    action::Action,
    call::ToolCall,
    effect::{Certainty, EffectKind},
    facts::Facts,
    understand::understand,
};

/// The runs of `alpha`, `beta` and `gamma` with arguments that are all known, and how certain each is.
fn runs(script: &str) -> Vec<(String, Certainty)> {
    let facts = Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..Facts::default()
    };
    let Ok(action) = Action::from_call(ToolCall::shell(script)) else { return Vec::new() };
    let effects = understand(&action, &facts);
    let found = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Run(run) if ["alpha", "beta", "gamma"].contains(&run.program.as_str()) => {
            let words: Option<Vec<&str>> =
                run.arguments.iter().map(|argument| argument.text.as_known()).collect();
            Some((format!("{}|{}", run.program, words?.join("|")), effect.certainty))
        }
        _ => None,
    });
    found.collect()
}

#[test]
fn what_bash_starts_is_predicted() {
    for (script, expected) in [
        ("x=3; while [ $x -gt 0 ]; do alpha $x; x=$((x-1)); done", "alpha|1"),
        ("x=0; until [ $x -ge 2 ]; do alpha $x; : $(( x += 1 )); done", "alpha|1"),
        ("x=0; while (( x++ < 2 )); do alpha $x; done", "alpha|2"),
        ("x=aa; while [[ $x ]]; do alpha $x; x=${x#a}; done", "alpha|a"),
        ("for ((i=0; i<3; i++)); do alpha $i $((i*2)); done", "alpha|2|4"),
        ("f() { [ $# -eq 0 ] && return; alpha \"$1\"; shift; f \"$@\"; }; f a b", "alpha|b"),
        ("f() { alpha $1; if [ $1 -gt 0 ]; then f $(($1-1)); fi; }; f 2", "alpha|0"),
        ("f() { while [ $# -gt 0 ]; do alpha $1; shift; done; }; f a b c", "alpha|c"),
        ("IFS=:; x=a:b::c; alpha $x", "alpha|a|b||c"),
        ("set -- one; shift 2; alpha \"$1\" $#", "alpha|one|1"),
        ("x=; alpha \"${x-other}\"", "alpha|"),
        ("x=a; unset x; alpha \"${x-other}\"", "alpha|other"),
        ("x=; alpha \"${x+set}\"", "alpha|set"),
        ("alpha a ${never+set}", "alpha|a"),
        ("a=(x 'y z' w); alpha ${#a[@]}", "alpha|3"),
        ("a=(x y); p='a[1]'; alpha ${!p}", "alpha|y"),
        ("read -r -d ';' x <<< 'one;more'; alpha $x", "alpha|one"),
        ("read -r -n 3 x <<< onetail; alpha $x", "alpha|one"),
        ("IFS=: read -r x y <<< a::c; alpha $x $y", "alpha|a|:c"),
        ("IFS=, read -ra a <<< x,y,,z; alpha ${#a[@]}", "alpha|4"),
        ("mapfile -t -s 1 a <<< $'x\\ny'; alpha ${a[0]}", "alpha|y"),
        ("x=out; f() { local x=in; }; f; alpha $x", "alpha|out"),
        ("x=out; f() { local -n r=x; r=in; }; f; alpha $x", "alpha|in"),
        ("declare -u x; x=up; alpha $x", "alpha|UP"),
        ("declare -i x; x='6*7'; alpha $x", "alpha|42"),
        ("x=beta; bash -c '\"${x:-alpha}\" a'", "alpha|a"),
        ("export x=alpha; bash -c '$x a'", "alpha|a"),
        ("alpha() { command alpha in \"$@\"; }; alpha x", "alpha|in|x"),
        ("(shopt -s lastpipe; echo alpha | read -r p; $p last)", "alpha|last"),
        ("case x in x) v=alpha;;& y) v=no;; *) v+=b;; esac; gamma $v", "gamma|alphab"),
        (
            "set -- -a one -b rest; while getopts 'a:b' o; do case $o in a) x=$OPTARG;; esac; done; \
             shift $((OPTIND-1)); alpha $x $1",
            "alpha|one|rest",
        ),
    ] {
        let found = runs(script);
        assert!(
            found.iter().any(|(run, certainty)| run == expected && *certainty >= Certainty::Likely),
            "{script}: {found:?}"
        );
    }
}

#[test]
fn what_bash_does_not_start_is_not_claimed() {
    for script in [
        "(exit; alpha x)",
        "(false && alpha x)",
        "true || alpha x",
        "(exec beta; alpha x)",
        "f() { return; alpha x; }; f",
        "if [[ abc == b* ]]; then alpha x; fi",
        "if [ 1 -eq 1 ]; then :; else alpha x; fi",
        "for i in 1 2; do break; alpha x; done",
        "(set -e; false; alpha x)",
        "case a in b) alpha x;; esac",
        "while false; do alpha x; done",
        "beta && alpha x",
        "beta || exit 1; alpha x",
        "alias z='alpha x'; z",
    ] {
        let claimed: Vec<_> =
            runs(script).into_iter().filter(|run| run.1 == Certainty::Certain).collect();
        assert!(!claimed.iter().any(|(run, _)| run == "alpha|x"), "{script}: {claimed:?}");
        let seen = runs(script).iter().any(|(run, _)| run == "alpha|x");
        assert!(seen, "{script}: not seen at all");
    }
}
