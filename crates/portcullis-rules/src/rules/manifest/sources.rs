//! Where packages and build tools come from, as manifests and lock files say it. Owns which address is one that anybody on
//! the way may change, or one that is no registry at all.

/// How the files begin, end or are called that name where packages come from.
const FILES: &[&str] = &[
    ".bundle/config",
    ".condarc",
    ".gitmodules",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    "Cargo.lock",
    "Cargo.toml",
    "Gemfile",
    "Gemfile.lock",
    "NuGet.Config",
    "Pipfile",
    "Pipfile.lock",
    "Podfile",
    "build.gradle",
    "build.gradle.kts",
    "bun.lock",
    "bunfig.toml",
    "composer.json",
    "composer.lock",
    "config.toml",
    "constraints.txt",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    "npm-shrinkwrap.json",
    "nuget.config",
    "package-lock.json",
    "package.json",
    "pip.conf",
    "pip.ini",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pom.xml",
    "pubspec.yaml",
    "pyproject.toml",
    "settings.gradle",
    "settings.gradle.kts",
    "setup.cfg",
    "setup.py",
    "uv.lock",
    "uv.toml",
    "yarn.lock",
];

/// What stands right before the address of a source, without blanks and quotes.
const BEFORE: &[&str] = &[
    "@",
    "--extra-index-url",
    "--extra-index-url=",
    "--find-links",
    "--find-links=",
    "--index-url",
    "--index-url=",
    "-f",
    "-i",
    "=>",
    "distributionUrl=",
    "extra-index-url=",
    "find-links=",
    "git+",
    "git:",
    "git=",
    "index-url=",
    "index=",
    "npmRegistryServer:",
    "registry:",
    "registry=",
    "repository=",
    "resolved",
    "resolved:",
    "setUrl(",
    "source",
    "source:",
    "source=",
    "tarball:",
    "uri(",
    "url(",
    "url=",
    "value=",
];

/// Settings that switch the check of who answers off.
const UNCHECKED: &[&str] = &[
    "allowInsecureProtocol=true",
    "enableStrictSsl:false",
    "secure-http:false",
    "strict-ssl=false",
    "verify_ssl=false",
];

/// An address in a manifest of this name from which packages come without any protection.
pub(super) fn unsafe_source(name: &str, content: &str) -> Option<String> {
    let requirements = name.ends_with(".txt") && name.contains("requirements");
    if !requirements && !FILES.contains(&name) {
        return None;
    }
    let compact: String = content
        .chars()
        .filter(|letter| !matches!(letter, ' ' | '\t' | '"' | '\'' | '\\' | '\r'))
        .collect();
    for (at, marks) in compact.match_indices("://") {
        let (before, rest) = (compact.get(..at)?, compact.get(at + marks.len()..)?);
        let known = ["https", "http", "git"]
            .iter()
            .find_map(|scheme| Some((before.strip_suffix(scheme)?, *scheme)));
        let Some((before, scheme)) = known else { continue };
        let end = rest.find(['/', ',', ')', ';', '\n', '}', ']', '<', '#']).unwrap_or(rest.len());
        let host = rest.get(..end)?.rsplit('@').next()?;
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        let is_bare = host.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let open = matches!(scheme, "http" | "git") || scheme == "https" && is_bare;
        if !open || is_near(host) {
            continue;
        }
        let is_line = requirements && (before.is_empty() || before.ends_with('\n'));
        // What a package says of itself is also behind `url`.
        let is_value = if name == "package.json" {
            depends(before)
        } else if name == "pom.xml" {
            before.ends_with("<url>")
                && before.rfind("<repository>") > before.rfind("</repository>")
        } else if name == "composer.json" {
            before.ends_with("url:") && before.contains("repositories")
        } else {
            BEFORE.iter().any(|word| before.ends_with(word))
                || matches!(name, "pubspec.yaml" | ".gitmodules") && before.ends_with("url:")
        };
        if is_line || is_value {
            return Some(format!("{scheme}://{host}"));
        }
    }
    UNCHECKED
        .iter()
        .find(|setting| compact.contains(**setting))
        .map(|setting| (*setting).to_owned())
        .or_else(|| foreign_program(name, &compact))
}

/// `yarnPath` outside the project: the package manager itself would be another.
fn foreign_program(name: &str, compact: &str) -> Option<String> {
    let rest = compact.split_once("yarnPath:").filter(|_| name == ".yarnrc.yml")?.1;
    let path = rest.lines().next()?;
    (path.starts_with(['/', '~']) || path.starts_with("..")).then(|| path.to_owned())
}

/// Whether the last object that was opened before holds dependencies.
fn depends(before: &str) -> bool {
    let Some((outside, inside)) = before.rsplit_once('{') else { return false };
    let key = outside.trim_end_matches(':').rsplit([',', '{', '\n']).next().unwrap_or_default();
    !inside.contains('}')
        && (key.to_ascii_lowercase().ends_with("dependencies")
            || matches!(key, "overrides" | "resolutions"))
}

/// Machines at hand: what is asked of them crosses no foreign network.
fn is_near(host: &str) -> bool {
    let private = host.split_once('.').is_some_and(|(first, rest)| match first {
        "10" | "127" => true,
        "192" => rest.starts_with("168."),
        "172" => rest
            .split('.')
            .next()
            .and_then(|second| second.parse::<u8>().ok())
            .is_some_and(|second| (16..32).contains(&second)),
        _ => false,
    });
    private
        || !host.contains('.')
        || [".local", ".internal", ".localhost", ".lan", ".svc"]
            .iter()
            .any(|end| host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::unsafe_source;

    #[test]
    fn packages_from_where_anybody_may_change_them_are_told_from_the_others() {
        for (name, content, expected) in [
            ("requirements.txt", "--index-url http://p.example.net/simple\nflask", true),
            ("requirements-dev.txt", "http://p.example.net/a.whl", true),
            ("requirements.txt", "a @ git+http://p.example.net/a.git", true),
            ("requirements.txt", "a @ https://203.0.113.5/a.whl", true),
            ("requirements.txt", "flask==3.0 # see http://flask.example.net\n", false),
            ("requirements.txt", "--index-url https://pypi.org/simple", false),
            ("requirements.txt", "--index-url http://10.0.0.5/simple", false),
            ("Cargo.toml", "[dependencies]\na = { git = \"http://c.example.net/a\" }", true),
            ("Cargo.toml", "homepage = \"http://c.example.net\"", false),
            ("package.json", "{\"dependencies\":{\"a\":\"http://x.example.net/a.tgz\"}}", true),
            (
                "package.json",
                "{\"homepage\":\"http://x.example.net\",\"bugs\":{\"url\":\"http://x.example.net\"}}",
                false,
            ),
            ("package-lock.json", "{\"a\":{\"resolved\":\"http://203.0.113.5/a.tgz\"}}", true),
            ("yarn.lock", "  resolved \"http://x.example.net/a.tgz\"", true),
            ("Gemfile", "source \"http://g.example.net\"", true),
            ("Gemfile", "source 'https://rubygems.org'", false),
            ("pyproject.toml", "requires = [\"h @ http://f.example.net/h.tgz\"]", true),
            ("pyproject.toml", "[project.urls]\nHomepage = \"http://h.example.net\"", false),
            ("gradle-wrapper.properties", "distributionUrl=http\\://x.example.net/g.zip", true),
            (".yarnrc.yml", "yarnPath: /tmp/y.cjs", true),
            (".yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.cjs", false),
            (".npmrc", "strict-ssl = false", true),
            ("pom.xml", "<project><url>http://x.example.net</url></project>", false),
            ("pom.xml", "<repository><id>a</id><url>http://x.example.net</url></repository>", true),
            ("notes.txt", "--index-url http://p.example.net/simple", false),
        ] {
            assert_eq!(unsafe_source(name, content).is_some(), expected, "{name}: {content}");
        }
    }
}
