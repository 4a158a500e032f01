use std::{collections::BTreeMap, fs::File, io::Write as _, thread};

use super::{ancestry::Process, desk::screen_with, *};

fn pair() -> (File, Terminal) {
    let (keys, device) = desk::pair();
    (keys, Terminal::of(device).unwrap())
}

fn asked(
    question: &str,
    patience: Duration,
    reply: impl FnOnce(&str) -> Option<String> + Send,
) -> (bool, String) {
    let (mut keys, mut terminal) = pair();
    // Typed before anybody asked.
    keys.write_all(b"y\nyes\n").unwrap();
    thread::scope(|scope| {
        let person = scope.spawn(move || {
            let screen = screen_with(&mut keys, "refuse: ");
            if let Some(typed) = reply(&screen) {
                keys.write_all(typed.as_bytes()).unwrap();
            }
            // Held open until the question has ended.
            (screen, keys)
        });
        let answer = terminal.asked(question, "bamido", patience).unwrap();
        (answer, person.join().unwrap().0)
    })
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn only_the_word_that_is_shown_is_consent() {
    for (typed, consent) in [
        ("bamido\n", true),
        ("  bamido \n", true),
        ("y\n", false),
        ("yes\n", false),
        ("\n", false),
        ("bamid\n", false),
        ("bamidobamido\n", false),
        ("BAMIDO\n", false),
        ("no\nbamido\n", false),
        ("\u{4}", false),
    ] {
        let (answer, screen) = asked("go on?", LONG, |_| Some(typed.to_owned()));
        assert_eq!(answer, consent, "{typed:?}");
        assert!(screen.contains("type `bamido` to agree"), "{screen}");
    }
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let (mut keys, mut terminal) = pair();
    keys.write_all(b"bamido\n").unwrap();
    // The echo shows that it has arrived.
    screen_with(&mut keys, "bamido");
    assert!(!terminal.asked("go on?", "bamido", Duration::from_millis(50)).unwrap());
}

#[test]
fn silence_is_a_no() {
    let (answer, _) = asked("go on?", Duration::from_millis(50), |_| None);
    assert!(!answer);
}

#[test]
fn a_question_cannot_be_forged_by_what_it_shows() {
    let hostile = "rm -rf /\u{1b}[2K\rls\u{202e}\u{8}";
    let (_, screen) = asked(hostile, LONG, |_| Some("\n".to_owned()));
    assert!(screen.contains("rm -rf /\\u{1b}[2K\\rls\\u{202e}\\u{8}"), "{screen}");
}

#[test]
fn a_terminal_is_left_as_it_was_found() {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let (keys, mut terminal) = pair();
    let mut raw = tcgetattr(&keys).unwrap();
    raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    tcsetattr(&keys, OptionalActions::Now, &raw).unwrap();
    assert!(!terminal.asked("go on?", "bamido", Duration::from_millis(1)).unwrap());
    assert_eq!(tcgetattr(&keys).unwrap().local_modes, raw.local_modes);
}

#[test]
fn words_are_short_and_differ() {
    let words: Vec<String> = (0..20).map(|_| word().unwrap()).collect();
    assert!(
        words.iter().all(|word| word.len() == 6 && word.bytes().all(|b| b.is_ascii_lowercase()))
    );
    assert!(words.iter().any(|word| *word != words[0]), "{words:?}");
}

/// Processes that do not exist.
#[derive(Default)]
struct Machine {
    processes: Vec<Process>,
    variables: BTreeMap<u32, (String, String)>,
}

impl Processes for Machine {
    fn process(&self, id: u32) -> Option<Process> {
        self.processes.iter().find(|process| process.id == id).cloned()
    }

    fn variable(&self, id: u32, name: &str) -> Option<String> {
        let (known, value) = self.variables.get(&id)?;
        (known == name).then(|| value.clone())
    }

    fn ids(&self) -> Vec<u32> {
        self.processes.iter().map(|process| process.id).collect()
    }
}

impl Machine {
    /// A line of processes by their files, the first of all first, each the parent of the next; a file in a home directory
    /// is not the system's. The last but one leads the session.
    fn line(files: &[&str]) -> Self {
        let leader = u32::try_from(files.len()).unwrap().max(2) - 1;
        let mut machine = Self::default();
        for (id, file) in (1..).zip(files) {
            machine.add(id, id - 1, leader, file);
        }
        machine
    }

    fn add(&mut self, id: u32, parent: u32, session: u32, file: &str) {
        self.processes.push(Process {
            id,
            parent,
            session,
            terminal: 34816,
            started: 100 + u64::from(id),
            name: agents::base(file).to_owned(),
            file: Some(file.to_owned()),
            of_system: !file.starts_with("/home/"),
            words: vec![file.to_owned()],
        });
    }

    fn last(&self) -> u32 {
        self.processes.last().unwrap().id
    }

    fn seat(&self) -> String {
        match ancestry::seated(self, self.last(), &|_| false) {
            Ok(()) => "a person".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}

#[test]
fn a_person_is_who_started_it_from_where_people_sit() {
    for (line, seat) in [
        (&["/sbin/init", "/usr/sbin/sshd", "/bin/bash", "/bin/portcullis"][..], "a person"),
        (&["/sbin/init", "/bin/login", "/bin/zsh", "/usr/bin/sudo", "/bin/portcullis"], "a person"),
        (
            &[
                "/usr/lib/systemd/systemd",
                "/usr/libexec/gnome-terminal-server",
                "/bin/fish",
                "/bin/portcullis",
            ],
            "a person",
        ),
        (&["/bin/bash", "/bin/portcullis"], "a person"),
        (
            &["/sbin/init", "/home/dev/xterm", "/bin/sh", "/bin/portcullis"],
            "not started from a login",
        ),
        (
            &["/sbin/init", "/usr/bin/python3", "/bin/sh", "/bin/portcullis"],
            "not started from a login",
        ),
        (&["/usr/bin/python3", "/bin/portcullis"], "not started from a login"),
        (
            &["/bin/bash", "/usr/bin/python3", "/bin/sh", "/bin/portcullis"],
            "not started from a login",
        ),
        (
            &[
                "/sbin/init",
                "/usr/sbin/sshd",
                "/bin/bash",
                "/opt/claude",
                "/bin/bash",
                "/bin/portcullis",
            ],
            "this runs inside Claude Code: it was started by process 4, `claude`",
        ),
        (
            &[
                "/sbin/init",
                "/usr/bin/xterm",
                "/bin/bash",
                "/home/dev/bin/opencode",
                "/bin/portcullis",
            ],
            "this runs inside OpenCode",
        ),
        (
            &["/sbin/init", "/usr/share/code/code", "/bin/bash", "/bin/portcullis"],
            "inside the editor `code`",
        ),
        (
            &["/sbin/init", "/usr/bin/tmux", "/bin/bash", "/bin/portcullis"],
            "nobody whom we can see sits at `tmux`",
        ),
    ] {
        let found = Machine::line(line).seat();
        assert!(found.contains(seat), "{line:?}: {found}");
    }
}

#[test]
fn an_agent_is_known_by_what_it_started_with_and_by_what_a_hook_noted() {
    let line = ["/sbin/init", "/usr/bin/xterm", "/opt/thing", "/bin/bash", "/bin/portcullis"];
    let mut machine = Machine::line(&line);
    assert_eq!(machine.seat(), "a person");
    let noted = ancestry::seated(&machine, 5, &|process| process.started == 103);
    assert!(noted.unwrap_err().to_string().contains("process 3, `thing`"));
    machine.variables.insert(4, ("CURSOR_AGENT".into(), "1".into()));
    assert!(machine.seat().starts_with("this runs inside Cursor: "), "{}", machine.seat());
}

#[test]
fn a_process_that_calls_itself_an_agent_is_one_and_one_that_calls_itself_a_terminal_is_not() {
    let mut machine =
        Machine::line(&["/sbin/init", "/usr/bin/xterm", "/usr/bin/node", "/bin/portcullis"]);
    assert_eq!(machine.seat(), "a person");
    machine.processes[2].words = vec!["claude".into()];
    assert!(machine.seat().contains("Claude Code"));
    let mut machine =
        Machine::line(&["/sbin/init", "/usr/bin/python3", "/bin/sh", "/bin/portcullis"]);
    machine.processes[1].name = "sshd".into();
    assert!(machine.seat().contains("not started from"), "{}", machine.seat());
    // Its file cannot be seen, and it is not the system's.
    machine.processes[1].file = None;
    machine.processes[1].of_system = false;
    assert!(machine.seat().contains("not started from"), "{}", machine.seat());
    machine.processes[1].of_system = true;
    assert_eq!(machine.seat(), "a person");
}

#[test]
fn a_multiplexer_counts_as_much_as_who_sits_at_it() {
    let mut machine =
        Machine::line(&["/sbin/init", "/usr/bin/tmux", "/bin/bash", "/bin/portcullis"]);
    let own = 4;
    let seat = |machine: &Machine| ancestry::seated(machine, own, &|_| false).is_ok();
    // A client that an agent attached, in a terminal of its own making.
    machine.add(20, 1, 20, "/opt/claude");
    machine.add(21, 20, 21, "/usr/bin/tmux");
    assert!(!seat(&machine));
    // A client that a person attached.
    machine.add(30, 1, 30, "/usr/bin/xterm");
    machine.add(31, 30, 31, "/usr/bin/tmux");
    assert!(seat(&machine));
    // The same client after it went away from its terminal.
    machine.processes.last_mut().unwrap().terminal = 0;
    assert!(!seat(&machine));
}

#[test]
fn a_line_that_cannot_be_followed_is_nobodys() {
    let mut machine =
        Machine::line(&["/sbin/init", "/usr/bin/xterm", "/bin/sh", "/bin/portcullis"]);
    machine.processes.remove(1);
    assert!(machine.seat().contains("cannot be found out"), "{}", machine.seat());
    let mut circle = Machine::line(&["/usr/bin/xterm", "/bin/portcullis"]);
    circle.processes[0].parent = 2;
    assert!(circle.seat().contains("cannot be found out"), "{}", circle.seat());
}

#[test]
fn a_hook_is_called_by_the_nearest_that_is_no_shell_and_no_seat() {
    for (line, caller) in [
        (
            &[
                "/sbin/init",
                "/usr/bin/xterm",
                "/bin/bash",
                "/opt/thing",
                "/bin/sh",
                "/bin/portcullis",
            ][..],
            Some(4),
        ),
        (&["/sbin/init", "/opt/thing", "/bin/portcullis"], Some(2)),
        (&["/sbin/init", "/usr/bin/xterm", "/bin/bash", "/bin/portcullis"], None),
        (&["/sbin/init", "/usr/bin/tmux", "/bin/bash", "/bin/portcullis"], None),
        (&["/sbin/init", "/bin/portcullis"], None),
        (&["/bin/bash", "/bin/portcullis"], None),
    ] {
        let machine = Machine::line(line);
        let found = ancestry::caller(&machine, machine.last()).map(|process| process.id);
        assert_eq!(found, caller, "{line:?}");
    }
}

#[test]
fn notes_of_processes_that_are_no_more_are_forgotten() {
    let state = tempfile::tempdir().unwrap();
    let directory = state.path().join(SESSIONS);
    platform::create_private_directory(&directory).unwrap();
    let machine = Machine::line(&["/sbin/init", "/opt/thing"]);
    for name in ["2-102", "2-7", "99-1", "other"] {
        File::create(directory.join(name)).unwrap();
    }
    forget_the_dead(&directory, &machine);
    let mut left: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|note| note.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["2-102", "other"]);
    assert!(note(state.path(), &machine.processes[1]).ends_with("sessions/2-102"));
}
