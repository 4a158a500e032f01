use super::*;
use crate::facts::PathFact;

fn facts() -> Facts {
    Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        workspace: Some("/workspace/project".to_owned()),
        ..Facts::default()
    }
}

#[test]
fn every_path_has_its_place() {
    for (path, expected) in [
        ("/", Place::Root),
        ("/*", Place::Root),
        ("C:\\", Place::Root),
        ("/workspace/project/C:*", Place::Root),
        ("/workspace/project/C:Users", Place::SystemTop),
        ("/host", Place::Root),
        ("/etc", Place::SystemTop),
        ("/etc/*", Place::SystemTop),
        ("/home", Place::SystemTop),
        ("/home/*", Place::SystemTop),
        ("/usr/bin", Place::SystemTop),
        ("/var/lib", Place::SystemTop),
        ("/private/etc", Place::SystemTop),
        ("/etc/nginx/nginx.conf", Place::System),
        ("/usr/lib/python3/x.py", Place::System),
        ("/proc/self/root/etc/hosts", Place::System),
        ("C:\\Windows\\System32\\x.dll", Place::System),
        ("/usr/local/bin/tool", Place::Site),
        ("/opt/tool", Place::Site),
        ("/boot/vmlinuz", Place::Boot),
        ("/proc/sys/kernel/core_pattern", Place::Kernel),
        ("/sys/class/x", Place::Kernel),
        ("/dev/sda", Place::RawDevice),
        ("/dev/nvme0n1p2", Place::RawDevice),
        ("/dev/mapper/vg-root", Place::RawDevice),
        ("/dev/mem", Place::RawDevice),
        ("/dev/null", Place::Harmless),
        ("/dev/stdout", Place::Harmless),
        ("/dev/tty", Place::Harmless),
        ("/home/dev", Place::HomeTop),
        ("/home/dev/*", Place::HomeTop),
        ("/home/dev/.*", Place::HomeTop),
        ("/root", Place::HomeTop),
        ("/home/alice", Place::HomeTop),
        ("/Users/alice", Place::HomeTop),
        ("/home/dev/notes.txt", Place::Home),
        ("/home/alice/notes.txt", Place::OtherHome),
        ("/workspace/project/~someone/escape", Place::OtherHome),
        ("/home/dev/.cache/pip", Place::Cache),
        ("/var/lib/apt/lists/*", Place::Cache),
        ("/workspace/project", Place::WorkspaceTop),
        ("/workspace/project/*", Place::WorkspaceTop),
        ("/workspace/project/.git", Place::VersionControlTop),
        ("/workspace/project/.git/index.lock", Place::VersionControl),
        ("/workspace/project/.github/workflows/ci.yml", Place::ContinuousIntegration),
        ("/workspace/project/node_modules", Place::Artifact),
        ("/workspace/project/a/__pycache__/x.pyc", Place::Artifact),
        ("/workspace/project/src/main.rs", Place::Workspace),
        ("/workspace/other", Place::Elsewhere),
        ("/some/path", Place::Elsewhere),
        ("/tmp/x", Place::Temporary),
        ("/tmp", Place::TemporaryTop),
        ("/tmp/*", Place::TemporaryTop),
        ("/tmp/**", Place::Temporary),
        ("/tmp-malicious/x", Place::Elsewhere),
        ("/var/log/syslog", Place::Log),
        ("/workspace/project/.claude/settings.json", Place::Agent),
        ("/home/dev/.codex/config.toml", Place::Agent),
        ("/home/dev/.config/portcullis/policy.toml", Place::Gate),
        ("/home/dev/.cargo/bin/portcullis", Place::Gate),
    ] {
        assert_eq!(place(path, &facts()), expected, "{path}");
    }
}

#[test]
fn guarded_paths_and_what_is_around_them_are_the_gates_own() {
    let facts = Facts { guarded: vec!["/srv/gate/state".to_owned()], ..facts() };
    assert_eq!(place("/srv/gate/state/log", &facts), Place::Gate);
    assert_eq!(place("/srv/gate/other", &facts), Place::Site);
    assert!(contains_gate("/srv/gate", &facts));
    assert!(contains_gate("/srv/*", &facts));
    assert!(!contains_gate("/srv/other", &facts));
}

#[test]
fn a_workspace_that_is_the_system_or_a_home_makes_nothing_ordinary() {
    for workspace in ["/", "/etc", "/home", "/home/dev"] {
        let facts = Facts { workspace: Some(workspace.to_owned()), ..facts() };
        assert_ne!(place("/etc/hosts", &facts), Place::Workspace, "{workspace}");
        assert_eq!(place("/home/dev/x", &facts), Place::Home, "{workspace}");
    }
}

#[test]
fn a_link_counts_as_the_worse_of_itself_and_its_target() {
    let mut facts = facts();
    let fact = PathFact { leads_to: Some("/etc/shadow".to_owned()), ..PathFact::default() };
    facts.paths.insert("/workspace/project/link".to_owned(), fact);
    assert_eq!(place("/workspace/project/link", &facts), Place::System);
    assert!(credential("/workspace/project/link", &facts).is_some());
}

#[test]
fn credentials_are_known_by_their_paths() {
    for path in [
        "/etc/shadow",
        "/etc/sh*",
        "/etc/sh?dow",
        "/mnt/disk/etc/shadow",
        "/etc/sudoers.d/x",
        "/home/dev/.ssh/id_rsa",
        "/home/dev/.ssh",
        "/home/dev/.ssh/*",
        "/home/dev/.s*/id_*",
        "/home/dev/.local/share/kilo/auth.json",
        "/home/dev/.pi/agent/auth.json",
        "/home/dev/.grok/auth.json",
        "/home/dev/.mcp-auth/mcp-remote-0.1/x_tokens.json",
        "/home/dev/.config/sops/age/keys.txt",
        "/home/dev/.openclaw/credentials/x.json",
        "/home/dev/.copilot/mcp-secrets/x",
        "/root/.aws/credentials",
        "/home/*/.aws/credentials",
        "/workspace/project/.env",
        "/workspace/project/.env.production",
        "/workspace/project/.env*",
        "/workspace/project/certs/server.key",
        "/workspace/project/*.pem",
        "/workspace/project/terraform.tfstate",
        "/home/dev/.netrc",
        "/home/dev/.kube/config",
        "/proc/1/environ",
        "/proc/self/environ",
        "/Users/x/Library/Keychains/login.keychain-db",
        "C:\\Windows\\System32\\config\\SAM",
        "%USERPROFILE%\\.ssh\\id_rsa",
        "/home/dev/.bash_history",
    ] {
        assert!(credential(path, &facts()).is_some(), "{path}");
    }
    for path in [
        "/etc/passwd",
        "/etc/hosts",
        "/etc/*release*",
        "/home/dev/.ssh/id_rsa.pub",
        "/home/dev/.ssh/id_rsa.pub.bak",
        "/home/dev/.ssh/README.md",
        "/home/dev/.ssh/known_hosts",
        "/home/dev/.ssh/config",
        "/workspace/project/.env.example",
        "/workspace/project/*",
        "/workspace/project/*.json",
        "/workspace/project/src/key.rs",
        "/workspace/project/src/environment.ts",
        "/workspace/project/cert.pem",
        "/proc/cpuinfo",
        "/tmp/**",
    ] {
        assert_eq!(credential(path, &facts()), None, "{path}");
    }
}

#[test]
fn what_starts_by_itself_is_known_by_its_path() {
    for (path, kind) in [
        ("/home/dev/.bashrc", PersistenceKind::Shell),
        ("/root/.profile", PersistenceKind::Shell),
        ("/etc/profile.d/x.sh", PersistenceKind::Shell),
        ("/etc/cron.d/job", PersistenceKind::Schedule),
        ("/var/spool/cron/root", PersistenceKind::Schedule),
        ("/etc/systemd/system/x.service", PersistenceKind::Service),
        ("/Library/LaunchDaemons/x.plist", PersistenceKind::Service),
        ("/etc/udev/rules.d/99.rules", PersistenceKind::Service),
        ("/home/dev/.config/autostart/x.desktop", PersistenceKind::Session),
        ("/workspace/project/.git/hooks/pre-commit", PersistenceKind::Hook),
        ("/workspace/project/.git/config", PersistenceKind::Control),
        ("/workspace/project/.git/commondir", PersistenceKind::Control),
        ("/workspace/project/.git/rebase-merge/git-rebase-todo", PersistenceKind::Control),
        (
            "/workspace/project/.git/worktrees/w/rebase-merge/git-rebase-todo",
            PersistenceKind::Control,
        ),
        ("/workspace/project/.git/config.worktree", PersistenceKind::Control),
        ("/workspace/project/.git", PersistenceKind::Control),
        ("/workspace/project/vendor/lib/.git", PersistenceKind::Control),
        ("/workspace/project/vendor/lib/.git/config", PersistenceKind::Control),
        ("/workspace/project/.git/objects/info/alternates", PersistenceKind::Control),
        ("/workspace/project/.git/worktrees/a/commondir", PersistenceKind::Control),
        ("/workspace/project/.git/modules/a/config", PersistenceKind::Control),
        ("/workspace/project/.git/modules/a/modules/b/commondir", PersistenceKind::Control),
        ("/home/dev/.ssh/authorized_keys", PersistenceKind::Login),
        ("/etc/sudoers", PersistenceKind::Rights),
        ("/etc/pam.d/su", PersistenceKind::Rights),
        ("/etc/ld.so.preload", PersistenceKind::Loader),
        ("/etc/apt/apt.conf.d/42x", PersistenceKind::Package),
        ("/usr/lib/python3/sitecustomize.py", PersistenceKind::Interpreter),
        ("/home/dev/.vimrc", PersistenceKind::Editor),
        ("/etc/hosts", PersistenceKind::Names),
        ("/workspace/project/.envrc", PersistenceKind::Project),
    ] {
        let found = persistence(path, &facts()).map(|found| found.kind);
        assert_eq!(found, Some(kind), "{path}");
    }
    for path in
        ["/workspace/project/src/main.rs", "/tmp/x", "/workspace/project/.git/hooks/x.sample"]
    {
        assert_eq!(persistence(path, &facts()), None, "{path}");
    }
}

#[test]
fn agents_files_are_told_apart_by_what_they_do() {
    for (path, kind) in [
        ("/workspace/project/.claude/settings.local.json", AgentFileKind::Settings),
        ("/home/dev/.claude/hooks/x.sh", AgentFileKind::Settings),
        ("/home/dev/.codex/rules", AgentFileKind::Instructions),
        ("/home/dev/.codex/hooks.json", AgentFileKind::Settings),
        ("/workspace/project/.mcp.json", AgentFileKind::Settings),
        ("/home/dev/.cursor/mcp.json", AgentFileKind::Settings),
        ("/workspace/project/AGENTS.md", AgentFileKind::Instructions),
        ("/home/dev/.claude/skills/x/SKILL.md", AgentFileKind::Instructions),
        ("/home/dev/.claude/plans/a.md", AgentFileKind::State),
        ("/home/dev/.claude/bin/flow.sh", AgentFileKind::State),
        ("/home/dev/.claude/settings.json.bak", AgentFileKind::State),
        ("/home/dev/.claude/settings.json.bak-2", AgentFileKind::State),
        ("/home/dev/.claude/.env", AgentFileKind::State),
        ("/home/dev/.claude/statusline.sh", AgentFileKind::Settings),
        ("/home/dev/.claude/statusline", AgentFileKind::Settings),
        ("/home/dev/.claude/plugins/x/y.json", AgentFileKind::Settings),
        ("/home/dev/.claude/scripts/x.sh", AgentFileKind::Settings),
        ("/home/dev/.claude/bin/.mcp.json", AgentFileKind::Settings),
        ("/workspace/project/.github/copilot/settings.json", AgentFileKind::Settings),
        ("/workspace/project/.github/copilot/settings.local.json", AgentFileKind::Settings),
        ("/workspace/project/.github/extensions/x/extension.mjs", AgentFileKind::Settings),
        ("/workspace/project/.github/lsp.json", AgentFileKind::Settings),
        ("/workspace/project/.kilo/plugin/x.js", AgentFileKind::Settings),
        ("/workspace/project/kilo.json", AgentFileKind::Settings),
        ("/workspace/project/kilo.jsonc", AgentFileKind::Settings),
        ("/workspace/project/.kilo/rules/style.md", AgentFileKind::Instructions),
        ("/home/dev/.config/kilo/plugin/x.js", AgentFileKind::Settings),
        ("/home/dev/.config/kilo/agent/x.md", AgentFileKind::Instructions),
        ("/workspace/project/.kiro/agents/x.json", AgentFileKind::Settings),
        ("/workspace/project/.kiro/agents/x.md", AgentFileKind::Instructions),
        ("/workspace/project/.codex/rules/x.rules", AgentFileKind::Settings),
        ("/workspace/project/.reasonix/settings.json", AgentFileKind::Settings),
        ("/workspace/project/reasonix.toml", AgentFileKind::Settings),
        ("/workspace/project/.muse/settings.json", AgentFileKind::Settings),
        ("/workspace/project/.hermes/plugins/x.py", AgentFileKind::Settings),
        ("/home/dev/.pi/agent/extensions/x.ts", AgentFileKind::Settings),
        ("/workspace/project/.vscode/settings.json", AgentFileKind::Shared),
        ("/workspace/project/x.code-workspace", AgentFileKind::Shared),
    ] {
        assert_eq!(agent_file(path, &facts()).map(|file| file.kind), Some(kind), "{path}");
    }
    assert_eq!(agent_file("/workspace/project/README.md", &facts()), None);
}

#[test]
fn a_project_in_an_agents_directory_is_one_like_any_other() {
    for below in ["worktrees/x", "projects/x", "skills/x", "agents", "plans", "rules", "tmp/a/b"] {
        for (path, kind) in [
            (".claude/settings.json", AgentFileKind::Settings),
            (".claude/settings.local.json", AgentFileKind::Settings),
            (".mcp.json", AgentFileKind::Settings),
            (".cursor/hooks.json", AgentFileKind::Settings),
            (".github/copilot/settings.json", AgentFileKind::Settings),
            ("opencode.json", AgentFileKind::Settings),
            (".claude/agents/x.md", AgentFileKind::Instructions),
        ] {
            for outer in ["/workspace/project/.claude", "/home/dev/.claude"] {
                let path = format!("{outer}/{below}/{path}");
                assert_eq!(agent_file(&path, &facts()).map(|file| file.kind), Some(kind), "{path}");
            }
        }
    }
    for (path, kind) in [
        ("/workspace/project/.claude/worktrees/x/src/main.rs", AgentFileKind::State),
        ("/workspace/project/.claude/worktrees/x/package.json", AgentFileKind::State),
        ("/workspace/project/.claude/worktrees/x/.github/workflows/ci.yml", AgentFileKind::State),
        ("/home/dev/.claude/projects/x/memory/MEMORY.md", AgentFileKind::State),
        ("/workspace/project/.claude/skills/x/data.json", AgentFileKind::Instructions),
        ("/workspace/project/.claude/plans/a.md", AgentFileKind::State),
    ] {
        assert_eq!(agent_file(path, &facts()).map(|file| file.kind), Some(kind), "{path}");
    }
}

#[test]
fn half_known_targets_are_placed_by_what_is_known() {
    let unknown = |origin: &str, rest: &str| {
        let mut text = Text::unknown(origin);
        text.push_known(rest);
        Target::new(text, None)
    };
    for (target, expected) in [
        (unknown("X", ""), Place::Unknown),
        (unknown("X", "/*"), Place::Unknown),
        (unknown("dir", "/node_modules"), Place::Artifact),
        (unknown("TMPDIR", "/x"), Place::Temporary),
        (unknown("TMPDIR", "/../x"), Place::Unknown),
        (unknown("HOME", ""), Place::HomeTop),
    ] {
        assert_eq!(place_of(&target, &facts()), expected, "{}", target.text.display());
    }
    assert!(credential_of(&unknown("X", "/.ssh/id_rsa"), &facts()).is_some());
    assert!(credential_of(&unknown("X", "/etc/shadow"), &facts()).is_some());
}

#[test]
fn an_empty_path_is_nowhere() {
    assert!(Located::new("", &facts()).is_none());
}
#[test]
fn what_is_taken_of_any_directory_is_the_gates_only_where_the_gate_keeps_its_kind() {
    let facts = Facts {
        guarded: vec!["/etc/portcullis".to_owned(), "/srv/gate/own.conf".to_owned()],
        ..facts()
    };
    for (path, is_gate) in [
        ("/etc/**/*.bak", false),
        ("/etc/*/*.conf", false),
        ("/etc/**/*.toml", true),
        ("/etc/**/*.t*", true),
        ("/etc/**/policy*", true),
        ("/etc/portcullis/*.bak", true),
        ("/etc/p*/*.bak", true),
        ("/srv/*/*.conf", true),
        ("/home/dev/.config/**/*.conf", false),
        ("/home/dev/.config/**/*", true),
    ] {
        let target = Target::new(Text::known(path), Some(path.to_owned()));
        assert_eq!(place_of(&target, &facts) == Place::Gate, is_gate, "{path}");
    }
}

#[test]
fn what_settings_of_version_control_name_starts_by_itself_wherever_it_lies() {
    let obeyed = crate::facts::Obeyed {
        run: ["/workspace/project/.husky".to_owned()].into(),
        settings: ["/workspace/project/.gitinc".to_owned()].into(),
    };
    let told = Facts { obeyed: Some(obeyed), ..facts() };
    for (path, kind) in [
        ("/workspace/project/.husky/pre-commit", Some(PersistenceKind::Hook)),
        ("/workspace/project/.husky", Some(PersistenceKind::Hook)),
        ("/workspace/project/./x/../.husky/_/pre-push", Some(PersistenceKind::Hook)),
        ("/workspace/project/.gitinc", Some(PersistenceKind::Control)),
        ("/workspace/project/.gitinc2", None),
        ("/workspace/project/.huskyrc", None),
        ("/workspace/project/.gitinc/x.sample", None),
        ("/workspace/project/.husky-not/pre-commit", None),
        ("/workspace/project/src/main.rs", None),
    ] {
        assert_eq!(persistence(path, &told).map(|found| found.kind), kind, "{path}");
        let unknown = persistence(path, &facts()).map(|found| found.kind);
        assert!(matches!(unknown, None | Some(PersistenceKind::Project)), "{path}");
    }
}
