"""The project's own cases, and the program to compare with."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
LANGUAGES = {"python", "javascript", "sql", "powershell"}


def program() -> pathlib.Path | None:
    """The program: the one that is named, else the one that was built in this checkout."""
    named = os.environ.get("GATE_TEST_PROGRAM")
    places = [pathlib.Path(named)] if named else [ROOT / "target" / kind / "portcullis" for kind in ("debug", "release")]
    return next((place for place in places if place.is_file()), None)


def calls() -> Iterator[dict[str, Any]]:
    """Both sides of each case as a call."""
    for file in sorted(CORPUS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            for side in ("attack", "innocent"):
                call = _call(case["kind"], case[side])
                if call is not None:
                    yield {**call, "cwd": "/workspace/project", "home": "/home/dev"}


def _call(kind: str, text: Any) -> dict[str, Any] | None:
    if kind == "shell":
        return {"tool": "bash", "arguments": {"command": text}}
    if kind in LANGUAGES:
        return {"tool": kind, "arguments": {"code": text}}
    if kind == "url":
        return {"tool": "fetch", "arguments": {"url": text}}
    if kind == "file":
        return {"tool": "write_file", "arguments": dict(text)}
    if kind == "tool":
        return {"tool": text["tool"], "arguments": text["arguments"]}
    return None
