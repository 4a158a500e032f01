//! What the functions of each language's libraries do. Owns the rows; what a row means is said in `calls`.

mod javascript;
mod others;
mod python;
mod scripting;

use super::fold::Fold;

/// What calling a function does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Act {
    /// Runs its first argument as shell code; a list as words.
    Shell,
    /// Runs one argument as shell code, several as words.
    System,
    /// Runs a program with a list of arguments.
    Spawn,
    /// Runs all arguments as words.
    Program,
    /// `exec` with the program, then all words as a list.
    ExecList,
    /// `exec` with the program, then all words.
    ExecWords,
    /// As [`Act::ExecList`] behind a mode.
    SpawnList,
    /// As [`Act::ExecWords`] behind a mode.
    SpawnWords,
    /// Runs its first argument as code of this language.
    Code,
    /// Runs its first argument as code in another language.
    CodeIn(&'static str),
    /// Runs a file of code in this language.
    Script,
    /// Reads a file and gives what is in it.
    Read,
    /// Gives the names below a directory.
    List,
    /// Writes the second argument into the first.
    Write,
    /// The same, the other way round.
    WriteTo,
    /// Adds the second argument to the first.
    Append,
    /// Writes into the first what is not looked at.
    Fill,
    /// Writes into the second what is not looked at.
    FillSecond,
    /// Opens a file.
    Open,
    /// Opens a database in a file, of which more is asked through what it gives.
    Database,
    /// Deletes files.
    Delete,
    /// Deletes everything below.
    DeleteTree,
    /// Deletes everything below where an option says so.
    DeleteMaybe,
    /// Moves a file.
    Move,
    /// Copies a file.
    Copy,
    /// Changes a mode.
    Mode,
    /// Changes a mode given before the file.
    ModeBefore,
    /// Changes an owner.
    Owner,
    /// Makes a link to the first at the second.
    Link,
    /// Makes a directory or an empty file.
    Make,
    /// Makes another directory the one that relative paths start from.
    Enter,
    /// Asks an address, and sends it what options name.
    Get,
    /// Sends a request with this method to the first.
    Method(&'static str),
    /// Sends the second argument to the first.
    Post,
    /// Sends the third argument, behind its type, to the first.
    PostTyped,
    /// A method before the address.
    Request,
    /// Fetches the first into the second.
    Download,
    /// Connects to an address; more may be sent through what it gives.
    Connect,
    /// Waits for connections.
    Listen,
    /// Sends its argument through a connection that is open.
    Send,
    /// Gives what came over the network.
    Receive,
    /// Something that a rule alone describes.
    Note(&'static str),
    /// Turns bytes into objects, which may run code.
    Deserialize,
    /// Computes a text.
    Fold(Fold),
    /// Sends a statement to a database.
    Query,
    /// Gives the value of an environment variable.
    Environment,
    /// Gives the home directory.
    Home,
    /// Gives a property of the machine by its name: of the virtual machine of Java.
    Property,
    /// Writes out `~`.
    ExpandUser,
    /// Gives the standard input.
    Input,
    /// Prints its arguments.
    Print,
    /// Loads a module by name.
    Module,
    /// A member by name.
    Member,
    /// The script's own names.
    Names,
    /// The module itself.
    Itself,
    /// Sends a signal.
    Kill,
    /// Becomes another user.
    User,
    /// Points a descriptor somewhere else.
    Duplicate,
    /// Asks for memory that may be run.
    Memory,
    /// Loads a native library.
    Native,
    /// Gives a constant text.
    Constant(&'static str),
    /// Does nothing that matters.
    Nothing,
}

/// One function, with its module.
pub(super) type Row = (&'static str, Act);

/// What a function does, by its whole name.
pub(super) fn row(language: &str, path: &str) -> Option<Act> {
    let table = match language {
        "python" => python::ROWS,
        "javascript" => javascript::ROWS,
        "ruby" => scripting::RUBY,
        "perl" => scripting::PERL,
        "php" => scripting::PHP,
        "lua" => others::LUA,
        "awk" => others::AWK,
        "r" => others::R,
        "julia" => others::JULIA,
        "java" => others::JAVA,
        "lisp" => others::LISP,
        _ => return None,
    };
    find(table, path).or_else(|| {
        // C# and Java also write the whole name out.
        let is_qualified = |space: &&&str| language == "java" && path.starts_with(**space);
        let space = NAMESPACES.iter().find(is_qualified)?;
        find(table, path.get(space.len()..)?)
    })
}

/// What names of C# and Java may begin with, longer ones first.
const NAMESPACES: &[&str] = &[
    "System.Diagnostics.",
    "System.IO.",
    "System.Net.Http.",
    "System.Net.Sockets.",
    "System.Net.",
    "System.",
    "java.io.",
    "java.lang.",
    "java.net.",
    "java.nio.file.",
];

/// What a method does, whatever it is called on.
pub(super) fn method(language: &str, name: &str) -> Option<Act> {
    let table = match language {
        "python" => python::METHODS,
        "javascript" => javascript::METHODS,
        "ruby" => scripting::RUBY_METHODS,
        "perl" | "php" => scripting::METHODS,
        "lua" | "java" => others::METHODS,
        _ => return None,
    };
    find(table, name)
}

/// Clients for requests whose methods are the methods of HTTP.
const CLIENTS: &[&str] = &[
    "aiohttp.ClientSession()",
    "axios",
    "axios.create()",
    "bent",
    "got",
    "got.extend()",
    "http.client.HTTPConnection()",
    "http.client.HTTPSConnection()",
    "httpx",
    "httpx.AsyncClient()",
    "httpx.Client()",
    "ky",
    "ky.create()",
    "ky.extend()",
    "needle",
    "niquests",
    "request",
    "requests",
    "requests.Session()",
    "requests.session()",
    "superagent",
];

/// The request that a function of an HTTP client makes: one that is called after a method that changes something, or is given the method.
pub(super) fn request_of_client(language: &str, path: &str, name: &str) -> Option<Act> {
    if language == "javascript" && path.ends_with("()") && CLIENTS.contains(&path) {
        return Some(Act::Get);
    }
    let act = match name {
        "delete" | "del" => Act::Method("DELETE"),
        "put" => Act::Method("PUT"),
        "patch" => Act::Method("PATCH"),
        "post" => Act::Method("POST"),
        "build_request" | "request" | "stream" if language == "python" => Act::Request,
        // A client that was made is called as the library itself is.
        "get" | "head" if language == "javascript" && path.contains("()") => Act::Get,
        // All of it stands in one object.
        "request" => Act::Get,
        _ => return None,
    };
    let client = path.strip_suffix(name)?.strip_suffix('.')?;
    CLIENTS.contains(&client).then_some(act)
}

fn find(table: &'static [Row], name: &str) -> Option<Act> {
    let at = table.binary_search_by(|row| row.0.cmp(name)).ok()?;
    table.get(at).map(|row| row.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_sorted_so_that_it_can_be_searched() {
        for table in [
            python::ROWS,
            python::METHODS,
            javascript::ROWS,
            javascript::METHODS,
            scripting::RUBY,
            scripting::RUBY_METHODS,
            scripting::PERL,
            scripting::PHP,
            scripting::METHODS,
            others::LUA,
            others::AWK,
            others::R,
            others::JULIA,
            others::JAVA,
            others::LISP,
            others::METHODS,
        ] {
            for pair in table.windows(2) {
                if let [one, two] = pair {
                    assert!(one.0 < two.0, "`{}` stands before `{}`", one.0, two.0);
                }
            }
        }
    }
}
