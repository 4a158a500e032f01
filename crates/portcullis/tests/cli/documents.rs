//! The documents, as somebody follows them: no link leads nowhere, and no rule is named that there is not.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use portcullis_core::rules;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(ROOT).join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    let root = fs::read_dir(ROOT).unwrap().map(|entry| entry.unwrap().path());
    found.extend(root);
    found.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    assert!(found.len() > 100, "{found:?}");
    found
}

/// The lines that are prose, with their numbers: not what stands between fences.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The words of a heading, as a link to it says them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(text).filter_map(|(_, line)| {
        let rest = line.trim_start_matches('#');
        (rest.len() < line.len()).then(|| rest.strip_prefix(' ')).flatten()
    });
    let named = headings.map(|heading| {
        let letters = heading.trim().chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            letter => letter.is_alphanumeric().then_some(letter),
        });
        let name = letters.collect::<String>().to_lowercase();
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { format!("{name}-{}", *count - 1) }
    });
    named.collect()
}

/// What stands in a line between `](` and `)`, outside of code.
fn links(line: &str) -> Vec<&str> {
    let outside = line.split('`').step_by(2);
    let inside = outside.flat_map(|piece| piece.split("](").skip(1));
    inside.filter_map(|piece| piece.split_once(')').map(|(link, _)| link)).collect()
}

#[test]
fn every_link_leads_somewhere_and_every_anchor_is_a_heading() {
    let mut dead = Vec::new();
    let mut tried = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for (number, line) in prose(&text) {
            for link in links(line).into_iter().filter(|link| !link.contains(':')) {
                tried += 1;
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let leads_to = match path {
                    "" => document.clone(),
                    path => document.parent().unwrap_or(Path::new("/")).join(path),
                };
                let is_there = match anchor {
                    "" => leads_to.exists(),
                    anchor => fs::read_to_string(&leads_to)
                        .is_ok_and(|text| anchors(&text).contains(anchor)),
                };
                if !is_there {
                    dead.push(format!("{}:{number}: {link}", document.display()));
                }
            }
        }
    }
    assert!(tried > 300, "{tried}");
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn every_rule_that_is_named_is_one() {
    let ids: BTreeSet<&str> = rules::all().map(|rule| rule.id).collect();
    let kinds: BTreeSet<&str> = ids.iter().filter_map(|id| id.split('.').next()).collect();
    // As they were called long ago, `git-push-force`.
    let old: BTreeSet<String> = ids.iter().map(|id| id.replace('.', "-")).collect();
    let mut wrong = Vec::new();
    let is_guide = |path: &PathBuf| {
        let name = path.to_string_lossy();
        !name.contains("/reference/") && !name.ends_with("CHANGELOG.md")
    };
    for document in documents().into_iter().filter(is_guide) {
        let text = fs::read_to_string(&document).unwrap();
        for (number, line) in prose(&text) {
            for word in line.split('`').skip(1).step_by(2) {
                let parts: Vec<&str> = word.split('.').collect();
                let is_word = |part: &&str| {
                    let is_letter = |byte: u8| {
                        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
                    };
                    !part.is_empty() && part.bytes().all(is_letter)
                };
                let looks_like_one = parts.len() > 2
                    && parts.iter().all(is_word)
                    && parts.first().is_some_and(|first| kinds.contains(first));
                let words: BTreeSet<&str> = word.split('-').collect();
                let is_old = word.split('-').count() > 2
                    && old.iter().any(|id| id.split('-').collect::<BTreeSet<&str>>() == words);
                if looks_like_one && !ids.contains(word) || is_old {
                    wrong.push(format!("{}:{number}: {word}", document.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
