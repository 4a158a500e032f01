"""The pytest plugin, as an agent's own tests use it."""

from __future__ import annotations

import subprocess

import pytest

import corpus

# Where the package is installed, its entry point has brought the fixture already.
from portcullis_gate.testing import portcullis  # noqa: F401


def agent(gate):
    """Something that has its commands judged."""
    ran = []
    bash = gate.guard(ran.append, tool="bash", arguments=lambda command: {"command": command}, denied="text")
    for command in ("ls", "git push --force origin main", "rm -rf ~"):
        bash(command)
    return ran


def test_what_was_asked_allowed_and_denied_is_seen(portcullis):  # noqa: F811
    ran = agent(portcullis.gate(answers={"bash": True}))
    assert ran == ["ls", "git push --force origin main"]
    portcullis.assert_asked("bash", command="git push --force origin main")
    portcullis.assert_allowed("bash", command="ls")
    portcullis.assert_denied("bash", command="rm -rf ~")
    portcullis.assert_never_ran("bash", command="rm -rf ~")
    assert [call.final for call in portcullis.calls] == ["allow", "allow", "deny"]
    assert [call.finished for call in portcullis.calls] == [True, True, False]
    assert len(portcullis.asked) == 1
    for claim in (
        lambda: portcullis.assert_asked("bash", command="ls"),
        lambda: portcullis.assert_denied("bash", command="ls"),
        lambda: portcullis.assert_allowed("bash", command="rm -rf ~"),
        lambda: portcullis.assert_never_ran("bash", command="ls"),
    ):
        with pytest.raises(AssertionError):
            claim()


def test_without_anybody_what_asks_does_not_run(portcullis):  # noqa: F811
    assert agent(portcullis.gate()) == ["ls"]
    portcullis.assert_never_ran("bash", command="git push --force origin main")


def test_a_recording_is_judged_under_another_policy(portcullis, tmp_path):  # noqa: F811
    agent(portcullis.gate(answers=True))
    assert not portcullis.replay().changed
    strict = portcullis.replay(mode="plan")
    assert [change.verdict.decision for change in strict.changed] == ["deny"]
    assert "git push" in str(strict.changed[0])


def test_a_recording_is_read_by_the_program(portcullis, tmp_path):  # noqa: F811
    agent(portcullis.gate())
    portcullis.save(tmp_path / "calls.jsonl")
    program = corpus.program()
    if program is None:
        pytest.skip("the program is not built")
    with open(tmp_path / "calls.jsonl", encoding="utf-8") as calls:
        said = subprocess.run(
            [program, "check", "--jsonl", "--no-record"], stdin=calls, capture_output=True, text=True, check=True, timeout=60
        )
    assert [line.split('"decision":"')[1].split('"')[0] for line in said.stdout.splitlines()] == ["allow", "ask", "deny"]
