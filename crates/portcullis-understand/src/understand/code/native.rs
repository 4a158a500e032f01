//! Functions of the C library that code calls by themselves. Owns which of them do what the language's own does.

/// The function of the language's own that does what one of the C library does: `ctypes.CDLL("libc.so.6").chmod(…)`.
pub(super) fn function(language: &str, path: &str) -> Option<String> {
    const NAMES: &[&str] = &[
        "chdir", "chmod", "chown", "kill", "lchown", "link", "mkdir", "remove", "rename", "rmdir",
        "setgid", "setuid", "symlink", "truncate", "unlink",
    ];
    let (library, name) = path.rsplit_once('.')?;
    let is_native = match language {
        "python" => {
            library == "native()"
                || ["ctypes.cdll", "ctypes.pythonapi"].iter().any(|own| library.starts_with(own))
        }
        "javascript" => matches!(library, "native()" | "ffi-napi.Library()" | "ffi.Library()"),
        _ => false,
    };
    let is_known = NAMES.binary_search(&name).is_ok();
    (is_native && is_known).then(|| match (language, name) {
        ("javascript", "chdir" | "kill" | "setgid" | "setuid") => format!("process.{name}"),
        ("javascript", "remove") => "fs.unlinkSync".to_owned(),
        ("javascript", name) => format!("fs.{name}Sync"),
        (_, name) => format!("os.{name}"),
    })
}
