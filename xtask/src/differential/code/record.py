"""Runs a program and records what it starts and what it does with files: programs are not started, files are touched below the current
directory alone. Reads from its input, one line a program: its path, that of the record, and the directory; answers each with a line."""

import asyncio, atexit, base64, builtins, codecs, collections, contextlib, copy, dataclasses, enum, functools, io, itertools, json, operator, os
import pathlib, re, shlex, shutil, signal, string, subprocess, sys, tempfile, textwrap, threading, types, typing, urllib.parse

_program = _root = _record = None
_inside = False


def _say(**fields):
    global _inside
    before, _inside = _inside, True
    os.write(_record, (json.dumps(fields) + "\n").encode())
    _inside = before


def _words(arguments):
    if isinstance(arguments, (str, bytes, os.PathLike)):
        arguments = [arguments]
    return [os.fsdecode(word) for word in arguments]


def _started(arguments, shell=False):
    words = _words(arguments)
    if shell:
        _say(kind="shell", text=words[0])
    else:
        _say(kind="run", words=words)


class Popen(subprocess.Popen):
    def __init__(self, args, bufsize=-1, executable=None, stdin=None, stdout=None, stderr=None, preexec_fn=None,
                 close_fds=True, shell=False, cwd=None, env=None, universal_newlines=None, text=None, encoding=None, **others):
        _started(args, shell)
        plain = bool(universal_newlines or text or encoding)
        pipe = lambda wanted: (io.StringIO() if plain else io.BytesIO()) if wanted == subprocess.PIPE else None
        self.args, self.returncode, self.pid, self._child_created = args, 0, 1, False
        self.stdin, self.stdout, self.stderr = pipe(stdin), pipe(stdout), pipe(stderr)
        self._plain = plain

    def communicate(self, input=None, timeout=None):
        empty = "" if self._plain else b""
        return (empty if self.stdout else None, empty if self.stderr else None)

    def wait(self, timeout=None):
        return 0

    def poll(self):
        return 0

    def kill(self):
        pass

    terminate = kill

    def __exit__(self, *_):
        pass


class _Process:
    returncode, pid, stdin, stdout, stderr = 0, 1, None, None, None

    async def communicate(self, input=None):
        return b"", b""

    async def wait(self):
        return 0


async def _create_shell(text, *_, **__):
    _started(text, True)
    return _Process()


async def _create_exec(*words, **_):
    _started(words)
    return _Process()


def _system(text):
    _started(text, True)
    return 0


def _exec(program, words, *_):
    _started(words)
    raise SystemExit


def _spawn(mode, program, words, *_):
    _started(words)
    return 0


subprocess.Popen = Popen
os.system = _system
os.execv = os.execvp = os.execve = os.execvpe = _exec
os.spawnv = os.spawnvp = os.spawnve = os.spawnvpe = _spawn
asyncio.create_subprocess_shell, asyncio.create_subprocess_exec = _create_shell, _create_exec


def _path(path, base=None):
    if isinstance(path, int) or path is None:
        return None
    path = os.path.normpath(os.path.join(_root, os.fsdecode(path)))
    return path if path.startswith(_root + "/") else None


def _changed(kind, path, directory=-1):
    if directory not in (-1, None):
        return
    full = _path(path)
    if full is None:
        raise PermissionError("outside of the scratch directory: %r" % (path,))
    _say(kind=kind, path=full)


def _watch(event, arguments):
    if _inside:
        return
    if event == "open":
        path, mode, flags = arguments
        full = _path(path)
        if flags is not None and flags & (os.O_WRONLY | os.O_RDWR):
            if not isinstance(path, int):
                _changed("write", path)
        # What tells of an error looks for the program by the name that it was compiled under.
        elif mode is not None and full is not None and full != _program and path != "<program>":
            _say(kind="read", path=full)
    elif event in ("os.remove", "os.rmdir"):
        _changed("delete", *arguments[:2])
    elif event == "shutil.rmtree":
        _changed("delete", arguments[0])
    elif event == "os.mkdir":
        _changed("make", arguments[0], arguments[2])
    elif event == "os.rename":
        _changed("take", arguments[0])
        _changed("write", arguments[1])
    elif event in ("os.link", "os.symlink"):
        _changed("write", arguments[1])
    elif event == "os.truncate":
        _changed("write", arguments[0])
    elif event in ("os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.spawn", "socket.connect"):
        raise PermissionError(event)


def _run(program, log, root):
    global _program, _root, _record
    os.chdir(root)
    os.environ.clear()
    os.environ.update(HOME=root, PATH="/usr/bin:/bin")
    _program, _root = program, root
    _record = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open(program, encoding="utf-8") as file:
        text = file.read()
    names = types.ModuleType("__main__")
    names.__dict__.update(__builtins__=builtins, __file__="program.py")
    sys.modules["__main__"] = names
    sys.argv = ["program.py"]
    error = None
    sys.addaudithook(_watch)
    try:
        exec(compile(text, "<program>", "exec"), names.__dict__)
        threading._shutdown()
    except SystemExit:
        pass
    except BaseException as raised:
        error = "%s: %s" % (type(raised).__name__, raised)
    _say(kind="end", error=error)


# What a module loads when it is used for the first time is nobody's act.
import ast, abc, concurrent.futures.thread, fileinput
"".encode("idna"), tempfile.gettempdir(), asyncio.run(asyncio.sleep(0)), "".encode("utf-16"), codecs.encode("", "rot13")
codecs.encode(b"", "base64"), codecs.encode(b"", "hex")
for _line in sys.stdin:
    _child = os.fork()
    if _child == 0:
        signal.alarm(5)
        # What a program prints is nobody's business.
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 2)
        os.dup2(1, 0)
        _run(*_line.rstrip("\n").split("\t"))
        os._exit(0)
    os.waitpid(_child, 0)
    os.write(1, b"done\n")
