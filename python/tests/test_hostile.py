"""Arguments that are not what they say: what runs is what was judged, or nothing."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import sys
import threading
import types

import pytest

from portcullis_gate import CallError, Denied, Gate, guard
from test_gate import TOKEN


@pytest.fixture
def gate(tmp_path):
    return Gate(project=tmp_path, record=False)


class Liar(str):
    """A text that says something else wherever it is shown."""

    def _lie(self, *_):
        return "rm -rf ~"

    __str__ = __repr__ = __format__ = __add__ = __radd__ = __getitem__ = encode = strip = split = _lie


class TwoFaced(dict):
    """Gives one thing to whoever reads all of it, and another to whoever reads a key."""

    def __getitem__(self, key):
        return "rm -rf ~"


class Flipping(dict):
    """Is another one each time that it is read."""

    times = 0

    def items(self):
        self.times += 1
        return {"command": "ls" if self.times == 1 else "rm -rf ~"}.items()


class Long(list):
    def __iter__(self):
        return iter(["ls"])


class Counting(int):
    def __str__(self):
        return "0"


class Mode(str, enum.Enum):
    FAST = "fast"


def test_a_text_of_somebodys_class_is_judged_and_run_as_what_it_holds(gate):
    ran = []
    run = guard(lambda command: ran.append(f"{command}"), gate=gate, tool="bash")
    run(Liar("ls"))
    assert ran == ["ls"]
    with pytest.raises(Denied):
        guard(lambda command: ran.append(command), gate=gate, tool="bash")(Liar("rm -rf /"))
    assert gate.judge("bash", {Liar("command"): Liar("rm -rf /")}).denied
    assert gate.judge("bash", {"command": Liar("ls")}).arguments == {"command": "ls"}
    assert ran == ["ls"]


@pytest.mark.parametrize("arguments", [TwoFaced(command="ls"), Flipping(command="ls"), {"command": Long(["rm"])}])
def test_what_reads_itself_in_its_own_way_is_refused(gate, arguments):
    with pytest.raises(CallError):
        gate.judge("bash", arguments)
    ran = []
    with pytest.raises(Denied):
        guard(ran.append, gate=gate, tool="thing")(arguments)
    assert ran == []


def test_a_mapping_that_is_made_when_it_is_read_is_refused(gate):
    class Lazy(collections.UserDict):
        pass

    for given in (Lazy(command="ls"), types.MappingProxyType({"command": "ls"}), collections.ChainMap({"command": "ls"})):
        with pytest.raises(CallError):
            gate.judge("bash", given)
        assert gate.decide("bash", given).denied


def test_pythons_own_collections_are_taken_for_what_they_hold(gate):
    Point = collections.namedtuple("Point", "x y")
    given = {
        "a": collections.OrderedDict(x=1),
        "b": collections.defaultdict(list, y=[2]),
        "c": Point(1, 2),
        "d": Mode.FAST,
        "e": Counting(7),
        "f": True,
        "g": {"z"},
        "h": 10**30,
        "i": None,
        3: "three",
    }
    assert gate.judge("thing", given).arguments == {
        "a": {"x": 1}, "b": {"y": [2]}, "c": [1, 2], "d": "fast", "e": 7, "f": True, "g": ["z"], "h": 10**30, "i": None,
        "3": "three",
    }
    taken = []
    gate.guard(lambda path, mode, point, made: taken.append((mode, point, made)), tool="read_file")(
        "README.md", Mode.FAST, Point(1, 2), collections.defaultdict(list, y=[2])
    )
    [(mode, point, made)] = taken
    assert mode is Mode.FAST and point.y == 2 and made["new"] == []


@pytest.mark.parametrize("value", ["\ud800", float("nan"), float("inf"), -float("inf"), object(), lambda: 0, 1j, decimal.Decimal(1)])
@pytest.mark.parametrize("nested", [lambda value: value, lambda value: [Counting(1), {"x": value}]])
def test_what_json_cannot_say_is_no_call(gate, value, nested):
    with pytest.raises(CallError):
        gate.judge("thing", {"x": nested(value)})


def test_numbers_that_are_too_long_rings_depths_and_trees_without_end_are_no_call(gate):
    ring: dict = {}
    ring["again"] = [ring]
    odd_ring: list = [Counting(1)]
    odd_ring.append(odd_ring)
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    wide: list = ["x"]
    odd: list = [Counting(1)]
    for _ in range(64):
        wide, odd = [wide, wide], [odd, odd]
    for value in (ring, odd_ring, deep, wide, odd, "x" * (17 << 20)):
        with pytest.raises(CallError):
            gate.judge("thing", {"x": value})
        assert gate.decide("thing", {"x": value}).denied
    if hasattr(sys, "get_int_max_str_digits"):
        with pytest.raises(CallError):
            gate.judge("thing", {"x": 10**5000})
    # Taken apart one by one: the machine's stack is not as deep.
    while deep:
        deep = deep[0]


def test_an_object_that_changes_while_somebody_is_asked_does_not_run(gate):
    @dataclasses.dataclass
    class Push:
        command: str

    ran = []
    push = Push("git push -f origin topic")

    def edits(verdict):
        push.command = "git push -f origin main"
        return True

    with pytest.raises(Denied) as denied:
        gate.guard(lambda push: ran.append(push.command), tool="bash", approve=edits)(push)
    assert "another one" in denied.value.verdict.why and ran == []
    run = gate.guard(lambda push: ran.append(push.command), tool="bash", approve=lambda verdict: True)
    run(push)
    assert ran == ["git push -f origin main"]


def test_a_path_that_is_another_one_each_time_does_not_run(gate):
    class Path:
        times = 0

        def __fspath__(self):
            self.times += 1
            return "README.md" if self.times == 1 else "/etc/shadow"

    ran = []
    with pytest.raises(Denied):
        gate.guard(lambda path: ran.append(path), tool="read_file")(Path())
    assert ran == []


def test_whoever_raises_while_they_are_read_does_not_run(gate):
    class Angry:
        def __getattr__(self, name):
            raise KeyboardInterrupt if name == "never" else RuntimeError("no")

        def __fspath__(self):
            raise OSError("no")

    class AngryModel:
        def model_dump(self, **_):
            raise RecursionError("no")

    for value in (Angry(), AngryModel()):
        assert gate.decide("thing", {"x": value}).denied
        with pytest.raises(Denied):
            gate.guard(lambda x: None, tool="thing")(value)


def test_an_argument_that_is_called_self_is_judged(gate):
    ran = []

    def bash(command, self="ls"):
        ran.append(command)

    def other(self):
        ran.append(self)

    with pytest.raises(Denied):
        gate.guard(other, tool="bash", arguments=None)("rm -rf ~")
    gate.guard(bash)("ls", "ls")

    class Shell:
        @gate.guard(tool="bash")
        def run(self, command):
            ran.append(command)

    Shell().run("pwd")
    with pytest.raises(Denied):
        Shell().run("rm -rf ~")
    assert ran == ["ls", "pwd"]


def test_what_comes_in_parts_is_judged_before_the_first_and_shown_without_secrets(gate):
    ran = []

    @gate.guard(tool="bash")
    def bash(command):
        ran.append(command)
        yield "a"
        yield f"token {TOKEN}"
        yield f"more {TOKEN}"

    parts = list(bash("ls"))
    assert parts[0] == "a" and len(parts) == 3 and TOKEN not in str(parts) and "[REDACTED:" in parts[1] and "[REDACTED:" in parts[2]
    with pytest.raises(Denied):
        bash("rm -rf ~")
    assert ran == ["ls"]


def test_a_stream_of_a_coroutine_is_judged_before_the_first_part(gate):
    import asyncio

    ran = []

    @gate.guard(tool="bash", denied="text")
    async def bash(command):
        ran.append(command)
        yield "a"
        yield f"token {TOKEN}"

    async def all_of(command):
        return [part async for part in bash(command)]

    parts = asyncio.run(all_of("ls"))
    assert parts[0] == "a" and len(parts) == 2 and TOKEN not in parts[1]
    assert "denied" in asyncio.run(all_of("rm -rf ~"))[0] and ran == ["ls"]


def test_a_dictionary_that_others_change_meanwhile_is_judged_as_it_was_at_one_moment(gate):
    shared = {"command": "ls"}
    stop = threading.Event()

    def flips():
        while not stop.is_set():
            shared["command"] = "rm -rf ~"
            shared["command"] = "ls"

    thread = threading.Thread(target=flips)
    thread.start()
    ran = []
    run = gate.guard(lambda given: ran.append(given["command"]), tool="bash", arguments=lambda given: given, denied="text")
    try:
        for _ in range(300):
            run(shared)
    finally:
        stop.set()
        thread.join()
    assert set(ran) <= {"ls"}
