//! Variables that programs run, load or obey, by name. Owns the table; what follows from a value, `variables` and `named` say.

use super::named;

/// What a variable means to the programs that find it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Variable {
    /// Programs obey it: it changes what is loaded or trusted.
    Obeyed,
    /// Its value is run as a command.
    Command,
    /// It names a file that is run.
    File,
}

/// Variables with a meaning, sorted.
static VARIABLES: &[(&str, Variable)] = &[
    ("ALL_PROXY", Variable::Obeyed),
    ("AWS_PAGER", Variable::Command),
    ("BASH_ENV", Variable::File),
    ("BASH_FUNC_", Variable::Obeyed),
    ("BAT_PAGER", Variable::Command),
    ("BROWSER", Variable::Command),
    ("CARGO_BUILD_RUSTC_WRAPPER", Variable::Command),
    ("CARGO_HTTP_PROXY", Variable::Obeyed),
    ("DELTA_PAGER", Variable::Command),
    ("DOCKER_HOST", Variable::Obeyed),
    ("DYLD_INSERT_LIBRARIES", Variable::Obeyed),
    ("DYLD_LIBRARY_PATH", Variable::Obeyed),
    ("EDITOR", Variable::Command),
    ("ENV", Variable::File),
    ("FCEDIT", Variable::Command),
    ("FTP_PROXY", Variable::Obeyed),
    ("GH_BROWSER", Variable::Command),
    ("GH_EDITOR", Variable::Command),
    ("GH_HOST", Variable::Obeyed),
    ("GH_PAGER", Variable::Command),
    ("GIT_ASKPASS", Variable::Command),
    ("GIT_CONFIG_COUNT", Variable::Obeyed),
    ("GIT_DIFFTOOL_EXTCMD", Variable::Command),
    ("GIT_EDITOR", Variable::Command),
    ("GIT_EXEC_PATH", Variable::Obeyed),
    ("GIT_EXTERNAL_DIFF", Variable::Command),
    ("GIT_PAGER", Variable::Command),
    ("GIT_PROXY_COMMAND", Variable::Command),
    ("GIT_SEQUENCE_EDITOR", Variable::Command),
    ("GIT_SSH", Variable::Command),
    ("GIT_SSH_COMMAND", Variable::Command),
    ("GIT_SSL_NO_VERIFY", Variable::Obeyed),
    ("GOAUTH", Variable::Command),
    ("HELM_KUBEAPISERVER", Variable::Obeyed),
    ("HGEDITOR", Variable::Command),
    ("HISTFILE", Variable::Obeyed),
    ("HISTFILESIZE", Variable::Obeyed),
    ("HISTIGNORE", Variable::Obeyed),
    ("HISTSIZE", Variable::Obeyed),
    ("HTTPS_PROXY", Variable::Obeyed),
    ("HTTP_PROXY", Variable::Obeyed),
    ("HUSKY", Variable::Obeyed),
    ("HUSKY_SKIP_HOOKS", Variable::Obeyed),
    ("JAVA_TOOL_OPTIONS", Variable::Obeyed),
    ("JDK_JAVA_OPTIONS", Variable::Obeyed),
    ("KUBECTL_EXTERNAL_DIFF", Variable::Command),
    ("KUBE_EDITOR", Variable::Command),
    ("LD_AUDIT", Variable::Obeyed),
    ("LD_LIBRARY_PATH", Variable::Obeyed),
    ("LD_PRELOAD", Variable::Obeyed),
    ("LEFTHOOK", Variable::Obeyed),
    ("LESSCLOSE", Variable::Command),
    ("LESSEDIT", Variable::Command),
    ("LESSOPEN", Variable::Command),
    ("MANOPT", Variable::Obeyed),
    ("MANPAGER", Variable::Command),
    ("NODE_OPTIONS", Variable::Obeyed),
    ("NODE_TLS_REJECT_UNAUTHORIZED", Variable::Obeyed),
    ("NPM_CONFIG_HTTPS_PROXY", Variable::Obeyed),
    ("NPM_CONFIG_PROXY", Variable::Obeyed),
    ("PAGER", Variable::Command),
    ("PATH", Variable::Obeyed),
    ("PERL5DB", Variable::Obeyed),
    ("PERL5LIB", Variable::Obeyed),
    ("PERL5OPT", Variable::Obeyed),
    ("PIP_PROXY", Variable::Obeyed),
    ("PROMPT_COMMAND", Variable::Command),
    ("PS4", Variable::Obeyed),
    ("PSQL_EDITOR", Variable::Command),
    ("PSQL_PAGER", Variable::Command),
    ("PYTHONHTTPSVERIFY", Variable::Obeyed),
    ("PYTHONPATH", Variable::Obeyed),
    ("PYTHONSTARTUP", Variable::Obeyed),
    ("PYTHONWARNINGS", Variable::Obeyed),
    ("RESTIC_PASSWORD_COMMAND", Variable::Command),
    ("RSYNC_CONNECT_PROG", Variable::Command),
    ("RSYNC_RSH", Variable::Command),
    ("RUBYLIB", Variable::Obeyed),
    ("RUBYOPT", Variable::Obeyed),
    ("RUSTC", Variable::Command),
    ("RUSTC_WORKSPACE_WRAPPER", Variable::Command),
    ("RUSTC_WRAPPER", Variable::Command),
    ("SAVEHIST", Variable::Obeyed),
    ("SENDMAIL", Variable::Command),
    ("SHELLOPTS", Variable::Obeyed),
    ("SSH_ASKPASS", Variable::Command),
    ("SSH_AUTH_SOCK", Variable::Obeyed),
    ("SSH_PKCS11_HELPER", Variable::Command),
    ("SSH_SK_HELPER", Variable::Command),
    ("SUDO_ASKPASS", Variable::Command),
    ("SUDO_EDITOR", Variable::Command),
    ("SVN_EDITOR", Variable::Command),
    ("SVN_SSH", Variable::Command),
    ("SYSTEMD_EDITOR", Variable::Command),
    ("SYSTEMD_PAGER", Variable::Command),
    ("TAR_OPTIONS", Variable::Obeyed),
    ("VISUAL", Variable::Command),
    ("all_proxy", Variable::Obeyed),
    ("ftp_proxy", Variable::Obeyed),
    ("http_proxy", Variable::Obeyed),
    ("https_proxy", Variable::Obeyed),
    ("npm_config_https_proxy", Variable::Obeyed),
    ("npm_config_proxy", Variable::Obeyed),
];

/// Whether programs run, load or obey what a variable of this name holds.
#[must_use]
pub fn obeys(name: &str) -> bool {
    variable(name).is_some()
}

/// What a variable means; `None` where programs take it as data.
pub(crate) fn variable(name: &str) -> Option<Variable> {
    if name.starts_with("PORTCULLIS_") {
        return Some(Variable::Obeyed);
    }
    if name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER") {
        return Some(Variable::Command);
    }
    let Ok(at) = VARIABLES.binary_search_by(|(known, _)| (*known).cmp(name)) else {
        return named::is_index(name).then_some(Variable::Obeyed);
    };
    VARIABLES.get(at).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(VARIABLES.is_sorted_by_key(|row| row.0));
    }
}
