//! The constructs of a language as they stand in its tables. Owns their format: `%%` and a name, of which the part behind `|` says what it is
//! for, then lines; in those of values the last one begins with `=>` and is the value.

/// A way to write a value, a statement or an act.
#[derive(Clone, Copy, Debug)]
pub(super) struct Construct {
    /// What it is called in reports.
    pub(super) name: &'static str,
    /// What it is for, where it is not for everything.
    pub(super) kind: Option<&'static str>,
    /// Its lines.
    pub(super) text: &'static str,
}

impl Construct {
    /// The lines that stand before the value, and the value.
    pub(super) fn value(&self) -> (&'static str, &'static str) {
        match self.text.rsplit_once("\n=> ") {
            Some((before, value)) => (before, value),
            None => ("", self.text.trim_start_matches("=> ")),
        }
    }
}

/// What a language's programs are made of.
pub(super) struct Tables {
    pub(super) values: Vec<Construct>,
    pub(super) blocks: Vec<Construct>,
    pub(super) acts: Vec<Construct>,
}

impl Tables {
    /// Those of Python.
    pub(super) fn python() -> Self {
        Self {
            values: constructs(&[
                include_str!("python_values.txt"),
                include_str!("python_values_further.txt"),
            ]),
            blocks: constructs(&[
                include_str!("python_blocks.txt"),
                include_str!("python_blocks_further.txt"),
            ]),
            acts: constructs(&[include_str!("python_acts.txt")]),
        }
    }

    /// Those of JavaScript.
    pub(super) fn javascript() -> Self {
        Self {
            values: constructs(&[
                include_str!("javascript_values.txt"),
                include_str!("javascript_values_further.txt"),
            ]),
            blocks: constructs(&[
                include_str!("javascript_blocks.txt"),
                include_str!("javascript_blocks_further.txt"),
            ]),
            acts: constructs(&[include_str!("javascript_acts.txt")]),
        }
    }
}

fn constructs(tables: &[&'static str]) -> Vec<Construct> {
    let rows = tables.iter().flat_map(|table| table.split("%% "));
    let rows = rows.filter_map(|row| row.split_once('\n'));
    rows.map(|(title, text)| {
        let (name, kind) = title.split_once(" | ").map_or((title, None), |(a, b)| (a, Some(b)));
        Construct { name: name.trim(), kind: kind.map(str::trim), text: text.trim_end() }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::{Construct, Tables};

    #[test]
    fn each_construct_has_a_name_of_its_own_and_a_hole() {
        for tables in [Tables::python(), Tables::javascript()] {
            for rows in [&tables.values, &tables.blocks, &tables.acts] {
                let mut names: Vec<&str> = rows.iter().map(|row| row.name).collect();
                let count = names.len();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), count, "two rows of one name");
                assert!(count > 40, "the table is read: {count}");
            }
            let is_value = |row: &&Construct| !row.text.contains("=> ");
            assert_eq!(tables.values.iter().find(is_value).map(|row| row.name), None);
            let has_act = |row: &&Construct| !row.text.contains("§A(") && !row.text.contains("§B");
            assert_eq!(tables.blocks.iter().find(has_act).map(|row| row.name), None);
            let has_target = |row: &&Construct| !row.text.contains("§X") || row.kind.is_none();
            assert_eq!(tables.acts.iter().find(has_target).map(|row| row.name), None);
        }
    }
}
