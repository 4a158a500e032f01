//! Reading is linear: ten times the text takes at most twelve times the work, for texts built to be hostile. Work is
//! counted, not timed.

use crate::limits::SOURCE_BYTES;
use crate::shell::{parse, read};

/// What is repeated before, what stands in the middle, and what is repeated after.
const FAMILIES: &[(&str, &str, &str)] = &[
    ("\"", "x", ""),
    ("'", "x", ""),
    ("$'", "x", ""),
    ("`", "x", ""),
    ("\\`", "x", ""),
    ("\"`", "x", ""),
    ("<<", " x", ""),
    ("cat <<A ", "\n", ""),
    ("cat <<A ", "", ""),
    ("cat <<A\n", "", ""),
    ("cat <<'A'\nA\n", "", ""),
    ("cat <<-A\n\tx\n", "A", ""),
    ("$(cat <<A\n", "", ""),
    ("cat <<A\n$(", "", ""),
    ("$(", "rm", ""),
    ("$(", "rm", ")"),
    ("\"$(", "rm", ""),
    ("<(", "rm", ""),
    ("${ ", "rm", ""),
    ("( ", "rm", ""),
    ("( ", "rm", " )"),
    ("((", "1", ""),
    ("((", "1", "))"),
    ("((", "rm", ") )"),
    ("$((", "1", ""),
    ("$((", "1", "))"),
    ("$((", "rm", ") )"),
    ("((`", "", ""),
    ("((\"`", "", ""),
    ("((\"$(", "", ""),
    ("# '\n((", "", ""),
    ("(( # '\n", "", ""),
    ("$[", "1", ""),
    ("${a:-", "x", ""),
    ("${a:-", "x", "}"),
    ("\"${a:-'", "x", ""),
    ("${a/", "x", ""),
    ("${a[", "x", ""),
    ("${", "", ""),
    ("[[ (", "", ""),
    ("[[ a =~ (", "", ""),
    ("{ ", "rm", ""),
    ("{ ", "rm", "; }"),
    ("{a,", "", ""),
    ("{a,", "", "}"),
    ("{", "", ""),
    ("{a}", "", ""),
    ("{1..2}", "", ""),
    ("[", "", ""),
    ("[\"", "", ""),
    ("[$a", "", ""),
    ("a[", "", ""),
    ("a=(", "", ""),
    ("a=( ", "", ") "),
    ("@(", "", ""),
    ("@(a|", "", ")"),
    ("!(", "", ")"),
    ("if ", "", ""),
    ("while ", "", ""),
    ("for x in ", "", ""),
    ("select x in ", "", ""),
    ("case x in a) ", "", ""),
    ("case x in a) ;; ", "", ""),
    ("function f ", "a", ""),
    ("f() ", "a", ""),
    ("f(", "a", ""),
    ("coproc ", "a", ""),
    ("time ", "a", ""),
    ("time - ", "a", ""),
    ("! ", "a", ""),
    ("a|", "b", ""),
    ("a|&", "b", ""),
    ("a&&", "b", ""),
    ("a;", "", ""),
    ("a ", "", ""),
    ("&& ", "", ""),
    (";;", "", ""),
    (") ", "", ""),
    ("done ", "", ""),
    ("> ", "", ""),
    (">a ", "", ""),
    ("1", ">a", ""),
    ("{a", "}>b", ""),
    ("$a", "", ""),
    ("~", "", ""),
    ("\\\n", "ls", ""),
    ("a\\\n", "", ""),
    ("&\\\n", "", ""),
    ("\\", "", ""),
    ("#\n", "", ""),
    ("\n", "", ""),
    (" ", "", ""),
    ("\0", "", ""),
    ("é", "", ""),
    ("a", "", ""),
];

#[test]
fn work_grows_no_faster_than_the_text() {
    let mut wrong = Vec::new();
    for (before, middle, after) in FAMILIES {
        let work = |count: usize| {
            let text = before.repeat(count) + middle + &after.repeat(count);
            read(&text).1.work
        };
        for count in [200, 2_000] {
            let (small, large) = (work(count), work(10 * count));
            if large > 12 * small {
                wrong.push(format!(
                    "{before:?} {middle:?} {after:?} × {count}: {small} and {large}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "faster than linear:\n{}", wrong.join("\n"));
}

#[test]
fn long_text_takes_a_bounded_amount_of_work_for_each_byte() {
    for (before, middle, after) in FAMILIES {
        let count = (1 << 16) / (before.len() + after.len());
        let text = before.repeat(count) + middle + &after.repeat(count);
        let work = read(&text).1.work;
        assert!(work < 128 * text.len() as u64, "{before:?} {middle:?} {after:?}: {work}");
    }
}

#[test]
fn hostile_text_fits_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        for (before, middle, after) in FAMILIES {
            let text = before.repeat(500) + middle + &after.repeat(500);
            drop(parse(&text));
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn text_past_a_limit_is_one_unparsed_span_to_the_end() {
    use crate::shell::UnparsedReason::{TooDeep, TooLong, TooManyNodes};
    for (text, reason) in [
        ("( ".repeat(5_000), TooDeep),
        ("a;".repeat(SOURCE_BYTES / 4), TooManyNodes),
        ("#".to_owned() + &"x".repeat(SOURCE_BYTES), TooLong),
    ] {
        let unparsed = parse(&text).unparsed;
        assert_eq!(unparsed.len(), 1, "{reason:?}");
        assert_eq!((unparsed[0].reason, unparsed[0].span.end as usize), (reason, text.len()));
    }
}
