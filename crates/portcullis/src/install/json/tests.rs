use super::*;

fn entry() -> Fragment {
    Fragment::object([
        ("a", Fragment::text("x\"y")),
        ("b", Fragment::List(vec![Fragment::Number(5)])),
    ])
}

#[test]
fn what_is_put_in_looks_like_what_stands_around_it() {
    for (before, after) in [
        (
            "",
            "{\n  \"h\": {\n    \"E\": [\n      {\n        \"a\": \"x\\\"y\",\n        \"b\": [\n          5\n        ]\n      }\n    ]\n  }\n}\n",
        ),
        (
            "{}",
            "{\n  \"h\": {\n    \"E\": [\n      {\n        \"a\": \"x\\\"y\",\n        \"b\": [\n          5\n        ]\n      }\n    ]\n  }\n}",
        ),
        ("{\"k\": 1}", "{\"k\": 1, \"h\": {\"E\": [{\"a\": \"x\\\"y\", \"b\": [5]}]}}"),
        ("{\"h\":{\"E\":[1]}}\n", "{\"h\":{\"E\":[1, {\"a\": \"x\\\"y\", \"b\": [5]}]}}\n"),
        (
            "{\r\n\t\"h\": {\r\n\t\t\"E\": [\r\n\t\t\t1 // one\r\n\t\t]\r\n\t}\r\n}",
            "{\r\n\t\"h\": {\r\n\t\t\"E\": [\r\n\t\t\t1, // one\r\n\t\t\t{\r\n\t\t\t\t\"a\": \"x\\\"y\",\r\n\t\t\t\t\"b\": [\r\n\t\t\t\t\t5\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}",
        ),
        ("{\"h\":{\"E\":[1,]}}", "{\"h\":{\"E\":[1, {\"a\": \"x\\\"y\", \"b\": [5]},]}}"),
        (
            "{\"h\":{\"E\":[/* none */]}}",
            "{\"h\":{\"E\":[/* none */\n      {\n        \"a\": \"x\\\"y\",\n        \"b\": [\n          5\n        ]\n      }\n    ]}}",
        ),
    ] {
        let found = append(before, &["h", "E"], &entry()).unwrap();
        if before.contains("none") {
            // Only that it can be read and the comment stays.
            assert!(found.contains("/* none */") && read(&found).is_ok(), "{found}");
        } else {
            assert_eq!(found, after, "{before:?}");
        }
    }
}

#[test]
fn what_is_removed_again_leaves_every_other_byte() {
    let key = |key: &str| Step::Key(key.to_owned());
    for before in [
        "{\"h\": {\"E\": [1]}}",
        "{\n  \"h\": {\n    \"E\": [\n      1\n    ]\n  }\n}\n",
        "{\n  \"h\": {\n    \"E\": [\n      1, // one\n      2 /* two */\n    ]\n  } // end\n}\n// over",
        "\u{feff}{\r\n\t\"h\": {\r\n\t\t\"E\": [\r\n\t\t\t{},\r\n\t\t]\r\n\t},\r\n}",
        "{\"h\":{\"E\":[]}}",
        "{\"h\":{\"E\":[1,2,\n\n3]}}",
    ] {
        let root = read(before).unwrap().unwrap();
        let count = root.get("h").unwrap().get("E").unwrap().items().unwrap().len();
        let with = append(before, &["h", "E"], &entry()).unwrap();
        assert!(read(&with).is_ok(), "{with}");
        let after = remove(&with, &[key("h"), key("E"), Step::Item(count)]).unwrap();
        assert_eq!(after, before, "{with}");
        let with = set(before, &["h", "new"], &entry()).unwrap();
        let after = remove(&with, &[key("h"), key("new")]).unwrap();
        assert_eq!(after, before, "{with}");
    }
}

#[test]
fn removing_in_the_middle_and_at_the_start_keeps_comments() {
    let item = |at| [Step::Item(at)];
    for (before, at, after) in [
        ("[1, 2, 3]", 0, "[ 2, 3]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 2, "[1, 2]"),
        ("[\n  1,\n  2\n]", 0, "[\n  2\n]"),
        ("[\n  1, // one\n  2\n]", 0, "[ // one\n  2\n]"),
        ("[ // none\n  1]", 0, "[ // none\n  ]"),
        ("[0, // zero\n 1]", 1, "[0 // zero\n ]"),
        ("[\n  1\n]", 0, "[]"),
    ] {
        let found = remove(before, &item(at)).unwrap();
        assert!(read(&found).is_ok(), "{found}");
        assert_eq!(found, after, "{before:?} {at}");
    }
}

#[test]
fn keys_without_quotes_and_single_quotes_are_read_and_stay_as_they_are() {
    let text = "{\n  // five\n  h: { $a_1: 'it\\'s \"x\" \\n', 'b': [1,], },\n}\n";
    let root = read(text).unwrap().unwrap();
    let h = root.get("h").unwrap();
    assert_eq!(h.get("$a_1").unwrap().value(), serde_json::json!("it's \"x\" \n"));
    assert_eq!(h.get("b").unwrap().value(), serde_json::json!([1]));
    let with = set(text, &["h", "new"], &entry()).unwrap();
    assert_ne!(with, text);
    let key = |key: &str| Step::Key(key.to_owned());
    assert_eq!(remove(&with, &[key("h"), key("new")]).unwrap(), text);
}

#[test]
fn a_mistake_is_told_with_its_place() {
    for (text, place) in [
        ("{\"a\": }", "expected a value at line 1, column 7"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "expected `,` or `}` at line 3, column 3"),
        ("{-: 1}", "expected a key or `}` at line 1, column 2"),
        ("{1a: 1}", "expected a key or `}` at line 1, column 4"),
        ("{'a: 1}", "a string has no end at line 1, column 2"),
        ("{a: 'x\\q'}", "this string is not one of JSON at line 1, column 5"),
        ("{} {}", "something stands after the end at line 1, column 4"),
        ("[\"a\n\"]", "a string has no end at line 1, column 2"),
        ("/* a", "a comment has no end at line 1, column 1"),
        ("{\"a\": 01}", "expected a value at line 1, column 7"),
        ("[1,,2]", "expected a value at line 1, column 4"),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), place, "{text:?}");
    }
    let deep = "[".repeat(4 << 20);
    assert!(read(&deep).unwrap_err().to_string().starts_with("values lie too deep"));
}

#[test]
fn nothing_is_put_where_something_else_stands() {
    for text in [
        "[]",
        "{\"h\": 1}",
        "{\"h\": []}",
        "{\"h\": {\"E\": {}}}",
        "{\"h\": {\"E\": \"x\"}}",
        "{\"h\": {}, \"h\": {}}",
        "5",
    ] {
        assert!(append(text, &["h", "E"], &entry()).is_err(), "{text}");
    }
}
