"""Plays the sessions of openmoat's own tests for its gateway through a gate, and says what arrived on either side.

sessions.py GATE PROGRAM FIXTURES FOLDER: GATE is `openmoat`, `portcullis` or `none`. The server behind the gate is this script again
(`sessions.py --server SOCKET`), which passes its streams to the player, so that every byte that reached it is known.

Prints one JSON object per session: what was smuggled, and whether what should have arrived did. Nothing touches the network.
"""
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

# Every place where a reader may end a line.
BREAKS = re.compile("[\n\r\u0085\u2028\u2029]")
# What the server lists beside its tool, where a gate wants to know.
BESIDE = {
    "prompts/list": {"prompts": [{"name": "review", "arguments": [{"name": "pr"}]}]},
    "resources/list": {"resources": [{"uri": "docs://index", "name": "index"}]},
    "resources/templates/list": {"resourceTemplates": []},
}

QUIET = 0.4
PATIENCE = 15.0


def serve(path):
    """Between the gate and the player."""
    link = socket.socket(socket.AF_UNIX)
    link.connect(path)

    def back():
        while data := link.recv(65536):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    threading.Thread(target=back, daemon=True).start()
    while data := os.read(0, 65536):
        link.sendall(data)
    link.shutdown(socket.SHUT_WR)


class Gate:
    def __init__(self, name, program, folder):
        self.name, self.program, self.folder = name, program, folder
        self.socket = os.path.join(folder, "server")
        self.own = re.compile(r"^(openmoat-relay-|portcullis/)")

    def words(self, server):
        wait = ["--wait", "0"] if self.name == "portcullis" else []
        behind = [sys.executable, os.path.abspath(__file__), "--server", self.socket]
        before = [self.program, "mcp", "proxy", "--server", server, *wait, "--"]
        return behind if self.name == "none" else before + behind

    def prepare(self):
        """The tool `search`, accepted by a person."""
        if self.name == "openmoat":
            person = {**os.environ, "MOAT_ASSUME_TTY": "1"}
            os.makedirs(os.path.expanduser("~/.claude"), exist_ok=True)
            subprocess.run([self.program, "init", "--yes"], input=b"y\n" * 9, env=person, capture_output=True)
            Session(self, "docs", []).run([{"host": listing_request(1)}])
            done = subprocess.run([self.program, "mcp", "accept", "docs"], input=b"y\n", env=person, capture_output=True)
            if done.returncode:
                sys.exit(f"openmoat accepts nothing: {done.stdout}{done.stderr}")
        shown = Session(self, "docs", []).run([{"host": listing_request(1)}])
        if "Accepted." not in shown.to_host:
            sys.exit(f"{self.name} does not list what was accepted: {shown.to_host}")

    def decide(self, line):
        """openmoat passes on what its hook decided: it is asked as a host asks."""
        if self.name != "openmoat":
            return
        try:
            message = json.loads(line)
        except ValueError:
            return
        for one in message if isinstance(message, list) else [message]:
            params = one.get("params") if isinstance(one, dict) else None
            if isinstance(params, dict) and one.get("method") == "tools/call" and params.get("name") == "search":
                arguments = params.get("arguments", {})
                call = {"session_id": "s", "cwd": os.getcwd(), "hook_event_name": "PreToolUse", "permission_mode": "default",
                        "tool_name": "mcp__docs__search", "tool_input": arguments, "tool_use_id": str(time.time())}
                if isinstance(arguments, dict):
                    guard = [self.program, "guard", "--host", "claude-code"]
                    subprocess.run(guard, input=json.dumps(call).encode(), capture_output=True)


def listing_request(number):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/list"})


def listing(number):
    tools = [{"name": "search", "description": "Accepted.", "inputSchema": {"type": "object"}}]
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": {"tools": tools}})


class Session:
    def __init__(self, gate, server, said):
        self.gate, self.server = gate, server
        self.said = list(said)
        self.to_server = self.to_host = ""
        self.touched = time.time()

    def run(self, steps):
        if os.path.exists(self.gate.socket):
            os.remove(self.gate.socket)
        door = socket.socket(socket.AF_UNIX)
        door.bind(self.gate.socket)
        door.listen(1)
        door.settimeout(PATIENCE)
        proxy = subprocess.Popen(self.gate.words(self.server), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.link = door.accept()[0]
        except TimeoutError:
            self.link = None  # The gate starts no server.
        for target in ([self.behind] if self.link else []) + [lambda: self.before(proxy)]:
            threading.Thread(target=target, daemon=True).start()
        for step in steps:
            if "host" in step:
                self.gate.decide(step["host"])
                self.send(proxy.stdin, step["host"])
            elif step["server"] in self.said:  # Else it was the answer to a listing.
                self.said.remove(step["server"])
                if self.link:
                    self.link.sendall(step["server"].encode("utf-8", "surrogatepass") + b"\n")
            self.settle()
        try:
            proxy.stdin.close()
        except BrokenPipeError:
            pass
        try:
            proxy.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            proxy.kill()
        door.close()
        return self

    def send(self, stream, line):
        try:
            stream.write(line.encode("utf-8", "surrogatepass") + b"\n")
            stream.flush()
        except BrokenPipeError:
            pass

    def settle(self):
        self.touched = begun = time.time()
        while time.time() - self.touched < QUIET and time.time() - begun < PATIENCE:
            time.sleep(0.05)

    def before(self, proxy):
        while data := proxy.stdout.read1(65536):
            self.to_host += data.decode("utf-8", "replace")
            self.touched = time.time()

    def behind(self):
        rest = b""
        while data := self.link.recv(65536):
            self.to_server += data.decode("utf-8", "replace")
            self.touched = time.time()
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self.answer(line)

    def answer(self, line):
        """What the session has the server say to a listing, else what was accepted."""
        try:
            message = json.loads(line)
        except ValueError:
            return
        if not isinstance(message, dict) or "id" not in message:
            return
        if message.get("method") in BESIDE:
            answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": BESIDE[message["method"]]})
            self.link.sendall(answer.encode() + b"\n")
        if message.get("method") not in ("tools/list", "initialize"):
            return
        sign = "tools" if message["method"] == "tools/list" else "protocolVersion"
        said = next((one for one in self.said if f'"{sign}"' in one and "result" in one), None)
        number = json.dumps(message["id"])
        if said is None and sign == "tools":
            answer = listing(message["id"])
        elif said is None:
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "docs", "version": "1"}}
            answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        else:
            self.said.remove(said)
            first = re.search(r'"id":("[^"]*"|[0-9]+)', said)
            answer = said.replace(first.group(0), f'"id":{number}')
        self.link.sendall(answer.encode("utf-8", "surrogatepass") + b"\n")


def members(message):
    if isinstance(message, list):
        return [inner for one in message for inner in members(one)]
    return [message]


def once(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def pieces(text, wrong, side):
    out = []
    for piece in BREAKS.split(text):
        if piece.strip():
            try:
                out.append(json.loads(piece, object_pairs_hook=once))
            except ValueError as error:
                wrong.append(f"the {side} gets a piece that is no message: {error}: {piece[:80]}")
    return out


def judged(gate, fixture):
    said = [step["server"] for step in fixture["steps"] if "server" in step]
    server = "new" if fixture.get("pins") == "none" else "docs"
    session = Session(gate, server, said).run(fixture["steps"])
    smuggled, other = [], []
    to_server = pieces(session.to_server, smuggled, "server")
    to_host = pieces(session.to_host, smuggled, "host")
    for one in members(to_server):
        if isinstance(one, dict) and one.get("method") == "tools/call":
            name = one.get("params", {}).get("name")
            # A tool that changes is called only before it did.
            never = fixture.get("server_never_calls", [])
            if name != "search" or name in never:
                smuggled.append(f"the server is called: {name}")
    for one in members(to_host):
        result = one.get("result") if isinstance(one, dict) else None
        for tool in result.get("tools", []) if isinstance(result, dict) else []:
            if tool.get("name") in fixture.get("host_never_lists", []):
                smuggled.append(f"the host is shown {tool.get('name')}")
    for side, text in (("server", session.to_server), ("host", session.to_host)):
        for word in fixture.get(f"{side}_must_not_contain", []):
            if word in text:
                smuggled.append(f"the {side} gets {word!r}")
    def own(one):
        """A gate may list by itself, in place of its client."""
        lists = isinstance(one, dict) and one.get("method") in ("tools/list", *BESIDE)
        return lists or isinstance(one, dict) and isinstance(one.get("id"), str) and gate.own.match(one["id"])
    for side, got in (("server", to_server), ("host", to_host)):
        expected = fixture.get(f"{side}_receives")
        got = [one for one in got if not own(one)]
        expected = expected and [one for one in expected if not own(one)]
        if expected is not None and got != expected:
            other.append(f"the {side} gets {json.dumps(got)[:2000]}, not {json.dumps(expected)[:2000]}")
    return {"id": fixture["id"], "smuggled": smuggled, "other": other}


def main():
    if sys.argv[1] == "--server":
        return serve(sys.argv[2])
    name, program, fixtures, folder = sys.argv[1:]
    gate = Gate(name, program, folder)
    gate.prepare()
    with open(fixtures, encoding="utf-8") as file:
        everything = json.load(file)
    for kind in ("attacks", "benign"):
        for fixture in everything[kind]:
            print(json.dumps({"kind": kind, **judged(gate, fixture)}), flush=True)


main()
