"""The same calls, judged by the program and from Python: each answer is the same, word for word."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import corpus
import portcullis_gate

#: How many calls are compared in a run of the tests; 0 compares all there are.
MOST = int(os.environ.get("GATE_TEST_CALLS", "600"))
LONGEST = 900


def test_program_and_package_give_the_same_answers(tmp_path):
    program = corpus.program()
    if program is None or not corpus.CORPUS.is_dir():
        pytest.skip("there is no program, or no corpus, to compare with")
    calls = list(corpus.calls())
    if MOST:
        # Some of every file.
        calls = calls[:: max(1, len(calls) // MOST)]
    assert len(calls) > 300
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    own, python = together(tmp_path / "own", program)
    said = [
        answers([own / "portcullis", "check", "--jsonl", "--no-record"], lines, dict(os.environ)),
        answers([own / "python", "-B", pathlib.Path(__file__).parent / "judging.py"], lines, python),
    ]
    for call, program_says, package_says in zip(calls, *said, strict=True):
        if "error" in program_says:
            program_says = {"error": True}
        assert program_says == package_says, call
    assert {"allow", "ask", "deny"} <= {answer.get("decision") for answer in said[0]}


def together(own: pathlib.Path, program: pathlib.Path) -> tuple[pathlib.Path, dict[str, str]]:
    """A folder with the program, the package and an interpreter, and what that needs. Each guards its own files, so that they judge alike where
    these lie together."""
    own.mkdir()
    link(program, own / "portcullis")
    link(pathlib.Path(sys.executable).resolve(), own / "python")
    shutil.copytree(pathlib.Path(portcullis_gate.__file__).parent, own / "portcullis_gate")
    environment = {**os.environ, "PYTHONHOME": f"{sys.base_prefix}:{sys.base_exec_prefix}", "PYTHONPATH": str(own)}
    starts = subprocess.run([own / "python", "-B", "-c", "import portcullis_gate"], env=environment, capture_output=True)
    if starts.returncode:
        pytest.skip("this interpreter runs nowhere but where it is installed")
    return own, environment


def link(file: pathlib.Path, place: pathlib.Path) -> None:
    try:
        os.link(file, place)
    except OSError:
        shutil.copy2(file, place)


def answers(command, lines: str, environment: dict[str, str]):
    said = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=LONGEST, env=environment)
    assert said.returncode in (0, 1, 2, 3), said.stderr
    return [json.loads(line) for line in said.stdout.splitlines()]
