"""The same calls, judged by the program and from Python: each answer is the same, word for word."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

import corpus
from portcullis_gate import CallError, Gate

#: How many calls are compared in a run of the tests; 0 compares all there are.
MOST = int(os.environ.get("GATE_TEST_CALLS", "600"))


def test_program_and_package_give_the_same_answers():
    program = corpus.program()
    if program is None or not corpus.CORPUS.is_dir():
        pytest.skip("there is no program, or no corpus, to compare with")
    calls = list(corpus.calls())
    if MOST:
        # Some of every file.
        calls = calls[:: max(1, len(calls) // MOST)]
    assert len(calls) > 300
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    said = subprocess.run(
        [program, "check", "--jsonl", "--no-record"], input=lines, capture_output=True, text=True, timeout=600
    )
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    assert len(answers) == len(calls), said.stderr
    gate = Gate(record=False)
    decisions, apart = set(), 0
    for call, answer in zip(calls, answers, strict=True):
        try:
            own = gate.judge(**call).to_dict()
        except CallError:
            own = {"error": True}
            answer = {"error": "error" in answer}
        if own != answer and guards(own) != guards(answer):
            # Each guards its own files, and the program lies elsewhere than this Python.
            apart += 1
            assert own["decision"] == answer["decision"], call
            continue
        assert own == answer, call
        decisions.add(own.get("decision"))
    assert {"allow", "ask", "deny"} <= decisions
    assert apart <= len(calls) // 100


def guards(answer):
    return {one["rule"] for one in answer["findings"] if one["rule"].startswith("protection.gate.")}
