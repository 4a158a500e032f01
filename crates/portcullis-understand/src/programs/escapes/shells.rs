//! Which programs are shells.

/// Whether a program is a shell.
pub(crate) fn is_shell(program: &str) -> bool {
    matches!(
        program,
        "ash"
            | "bash"
            | "csh"
            | "dash"
            | "elvish"
            | "fish"
            | "ksh"
            | "mksh"
            | "oksh"
            | "posh"
            | "rbash"
            | "sash"
            | "sh"
            | "tcsh"
            | "yash"
            | "zsh"
    )
}
