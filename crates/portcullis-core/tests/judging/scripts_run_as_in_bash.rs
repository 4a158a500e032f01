//! What bash really started for small scripts, found by comparing generated ones: each is the smallest that was once predicted
//! otherwise. `[…]` behind a script are the program and its arguments; what must not be claimed stands apart.

use portcullis_core::{
    action::Action,
    call::ToolCall,
    effect::{Certainty, EffectKind},
    facts::Facts,
    gate::Gate,
    policy::Policy,
    risk::Risk,
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
        ("X=beta; bash -c '\"${X:-alpha}\" a'", "alpha|a"),
        ("declare -A a=([x]=alpha [y]='p q'); \"${a[x]}\" \"${a[y]}\"", "alpha|p q"),
        ("declare -i n=3+4; n+=2; alpha $n", "alpha|9"),
        ("a=([3]=d [1]=b e); alpha \"${a[@]}\" \"${!a[@]}\"", "alpha|b|e|d|1|2|3"),
        ("a=(x y z); unset 'a[1]'; alpha \"${a[@]}\" ${a[2]}", "alpha|x|z|z"),
        ("a=(x y); alpha \"${a[@]/#/p}\"", "alpha|px|py"),
        ("xargs -n2 alpha <<< 'a b c'", "alpha|c"),
        ("alpha() { :; }; bash -c 'alpha real'", "alpha|real"),
        ("(alpha() { :; }); alpha real", "alpha|real"),
        ("alpha() { :; }; unset -f alpha; alpha real", "alpha|real"),
        ("[ -e missing ] && alpha() { :; }; alpha real", "alpha|real"),
        ("f() { :; }; [ -e missing ] && f() { alpha other; }; f", "alpha|other"),
        ("shopt -s expand_aliases; alias alpha=true; alpha real", "alpha|real"),
        ("shopt -s expand_aliases\nalias alpha=true\n\\alpha real", "alpha|real"),
        ("(trap '$x late' EXIT; x=alpha)", "alpha|late"),
        ("trap '$x now' DEBUG; x=alpha; :", "alpha|now"),
        ("trap f ERR; f() { alpha defined; }; false", "alpha|defined"),
        ("exec 6>&1 > f; echo alpha one; exec >&6; sh f", "alpha|one"),
        ("{ echo alpha a >&8; echo beta b >&8; } 8> f; sh f", "alpha|a"),
        ("exec {n}> f; echo alpha a >&\"$n\"; exec {n}>&-; sh f", "alpha|a"),
        ("exec 3<<< $'a\\nb'; read -r x <&3; read -r y <&3; alpha $x $y", "alpha|a|b"),
        ("exec 3<<< $'a\\nb'; read -u 3 x; read -ru3 y; alpha $x $y", "alpha|a|b"),
        ("xa=one; alpha $x{a,a}", "alpha|one|one"),
        ("alpha ${x:-'two words'} \"${x:-'q'}\"", "alpha|two words|'q'"),
        ("x=\"it's\"; eval \"alpha ${x@Q}\"", "alpha|it's"),
        ("x=ABC; alpha ${x,,[B]}", "alpha|AbC"),
        ("x=ab_v; alpha ${x#[[:alpha:]]?_}", "alpha|v"),
        ("f() { local a=$1; alpha \"$a\"; }; f 'two words'", "alpha|two words"),
        (
            "for i in 1 2; do for j in a b; do [ $j = b ] && continue 2; alpha $i $j; done; done",
            "alpha|2|a",
        ),
        ("export x=beta; env -u x bash -c '${x:-alpha} gone'", "alpha|gone"),
        ("x=beta; env x=alpha true; $x after", "beta|after"),
        ("readonly x=alpha\nx=beta\n$x kept", "alpha|kept"),
        ("declare -r x=alpha; unset x; $x kept", "alpha|kept"),
        ("read x <<< 'a\\ b'; alpha \"$x\"", "alpha|a b"),
        ("read -r -d: x <<< 'a:b'; alpha $x", "alpha|a"),
        ("IFS=', ' read -r x y <<< 'a , b,c'; alpha $x $y", "alpha|a|b,c"),
        ("mapfile -t -O 2 a <<< x; alpha ${!a[@]}", "alpha|2"),
        ("shopt -s nocasematch; case ABC in abc) alpha same;; esac", "alpha|same"),
        ("pushd /tmp; popd; mkdir s; cd s; cd -; alpha \"${PWD##*/}\"", "alpha|project"),
        ("cd /nowhere; alpha \"${PWD##*/}\"", "alpha|project"),
        ("mkdir -p d; if cd d; then echo alpha x > f; cd ..; fi; sh d/f", "alpha|x"),
        ("getopts ':a' o -z; alpha \"$o\" $OPTARG", "alpha|?|z"),
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

#[test]
fn where_changing_the_directory_fails_everything_in_the_old_one_goes() {
    let deletes = |script: &str| {
        let facts = Facts {
            cwd: Some("/workspace/project".to_owned()),
            home: Some("/home/dev".to_owned()),
            workspace: Some("/workspace/project".to_owned()),
            ..Facts::default()
        };
        let Ok(action) = Action::from_call(ToolCall::shell(script)) else { return Vec::new() };
        let paths =
            understand(&action, &facts).list.into_iter().filter_map(|effect| match effect.kind {
                EffectKind::Delete { target, .. } => target.path,
                _ => None,
            });
        paths.collect::<Vec<String>>()
    };
    for (script, expected) in [
        ("cd /nowhere; rm -rf ./*", true),
        ("cd build; rm -rf *", true),
        ("cd build\nfind . -delete", true),
        ("pushd build; rm -rf .", true),
        ("cd \"$BUILD\"; rm -rf ./*", true),
        ("[ -d build ] && cd build; rm -rf *", true),
        ("cd build || echo none; rm -rf *", true),
        ("cd build && make; rm -rf *", true),
        ("cd build || rm -rf *", true),
        ("cd build && rm -rf *", false),
        ("cd build && make && rm -rf ./*", false),
        ("cd build || exit 1; rm -rf *", false),
        ("cd build || { echo none; exit 1; }\nrm -rf *", false),
        ("if cd build; then rm -rf *; fi", false),
        ("if ! cd build; then exit 1; fi; rm -rf *", false),
        ("set -e; cd build; rm -rf *", false),
        ("mkdir -p build; cd build; rm -rf *", false),
        ("(cd build; make); rm -rf dist", false),
        ("cd build; rm -rf dist ./out/*", false),
        ("cd /tmp; rm -rf ./*", false),
        ("d=$(mktemp -d); cd \"$d\"; rm -rf ./*", false),
    ] {
        let deleted = deletes(script);
        let here = deleted.iter().any(|path| {
            matches!(path.trim_end_matches('/'), "/workspace/project" | "/workspace/project/*")
        });
        assert_eq!(here, expected, "{script} deletes {deleted:?}");
    }
}

#[test]
fn a_directory_that_may_be_missing_costs_ordinary_work_nothing() {
    let gate = Gate::new(Policy::default());
    for (script, stops) in [
        ("cd /nowhere; rm -rf ./*", true),
        ("cd build; make", false),
        ("cd sub; rm -rf dist", false),
        ("cd frontend; npm ci; npm run build; rm -rf node_modules/.cache", false),
        ("cd build && rm -rf ./*", false),
        ("mkdir -p build; cd build; rm -rf ./*; cmake ..", false),
        ("cd crates/core; cargo test; cd -; git status", false),
        ("cd \"$(dirname \"$0\")\"; ./configure; make; rm -f *.o", false),
    ] {
        let facts = Facts { workspace: Some("/workspace/project".to_owned()), ..Facts::default() };
        let call = ToolCall {
            cwd: Some("/workspace/project".to_owned()),
            home: Some("/home/dev".to_owned()),
            ..ToolCall::shell(script)
        };
        let Ok(action) = Action::from_call(call) else { continue };
        let risk = gate.judge(&action, &facts).assessment.risk;
        let stopped = matches!(risk, Risk::High | Risk::Critical | Risk::Unknown);
        assert_eq!(stopped, stops, "{script} is {risk:?}");
    }
}
