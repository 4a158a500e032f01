"""A pytest plugin: record an agent's run, assert what was judged and asked, and replay it under another policy.

    def test_the_agent_asks_before_it_pushes(portcullis):
        gate = portcullis.gate(answers={"bash": True})
        run_my_agent(gate)
        portcullis.assert_asked("bash", command="git push origin main")
        portcullis.assert_never_ran("bash", command="rm -rf ~")
        assert not portcullis.replay(config="strict.toml").changed

The fixture's gates read no configuration of the machine but the one that they are given, and keep their record in a temporary directory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import pytest

from .gate import Gate
from .verdict import Answer, Decision, Verdict

__all__ = ["Call", "Change", "Recording", "Replay", "portcullis"]

Answers = Union[None, bool, Mapping[str, bool]]


@dataclass(frozen=True)
class Call:
    """A call that was judged: the gate's own verdict, and what came of it in the end."""

    tool: str
    arguments: dict[str, Any]
    verdict: Verdict
    final: Decision
    finished: bool

    @property
    def asked(self) -> bool:
        """A person had to agree."""
        return self.verdict.asks


@dataclass(frozen=True)
class Change:
    """A call that another policy decides otherwise."""

    call: Call
    verdict: Verdict

    def __str__(self) -> str:
        return f"`{self.call.tool}` {self.call.arguments}: {self.call.verdict.decision} → {self.verdict.decision}: {self.verdict.why}"


@dataclass(frozen=True)
class Replay:
    """A recording under another policy."""

    verdicts: tuple[Verdict, ...]
    changed: tuple[Change, ...]


class Recording:
    """What the gates of one test judged, in order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._calls: list[list[Any]] = []

    def gate(self, *, answers: Answers = None, **options: Any) -> Gate:
        """A gate that is recorded. `answers` is what a person says: to everything, by the name of the tool, or nobody is there."""
        config = options.pop("config", None)
        if config is None:
            config = self._folder / "portcullis.toml"
            config.touch()
        options.setdefault("record", self._folder / "state")
        gate = Gate(config=config, approve=_answering(answers), **options) if answers is not None else Gate(config=config, **options)
        gate._watchers += (self._noted,)
        return gate

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls, in the order in which they were judged."""
        return tuple(
            Call(verdict.tool, verdict.arguments, verdict, final, finished) for verdict, final, finished in self._calls
        )

    @property
    def asked(self) -> tuple[Call, ...]:
        """The calls about which a person had to agree."""
        return tuple(call for call in self.calls if call.asked)

    def found(self, tool: str, **arguments: Any) -> tuple[Call, ...]:
        """The calls of a tool that have these arguments, among others."""
        return tuple(
            call
            for call in self.calls
            if call.tool == tool and all(call.arguments.get(name) == value for name, value in arguments.items())
        )

    def assert_asked(self, tool: str, **arguments: Any) -> None:
        """Such a call was made, and asked."""
        assert any(call.asked for call in self.found(tool, **arguments)), self._words("asked about", tool, arguments)

    def assert_allowed(self, tool: str, **arguments: Any) -> None:
        """Such a call was made, and might run."""
        assert any(call.final == "allow" for call in self.found(tool, **arguments)), self._words("allowed", tool, arguments)

    def assert_denied(self, tool: str, **arguments: Any) -> None:
        """Such a call was made, and might not run."""
        assert any(call.final != "allow" for call in self.found(tool, **arguments)), self._words("denied", tool, arguments)

    def assert_never_ran(self, tool: str, **arguments: Any) -> None:
        """No such call might run."""
        ran = [call for call in self.found(tool, **arguments) if call.final == "allow"]
        assert not ran, f"it might run: {ran[0].arguments}"

    def replay(self, config: Any = None, *, mode: str | None = None, project: Any = None) -> Replay:
        """Judges the recorded calls anew, each session in its order, under another policy."""
        own = config is None
        if own:
            config = self._folder / "portcullis.toml"
            config.touch()
        gate = Gate(config=config, project=project, record=False, mode=mode)
        verdicts, changed = [], []
        for call in self.calls:
            said: dict[str, Any] = json.loads(call.verdict._line) if call.verdict._line else {"arguments": call.arguments}
            around = {name: value for name, value in said.items() if name not in ("tool", "arguments", "agent")}
            verdict = gate.decide(call.tool, said["arguments"], **around)
            verdicts.append(verdict)
            if verdict.decision != call.verdict.decision:
                changed.append(Change(call, verdict))
        return Replay(tuple(verdicts), tuple(changed))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the calls as lines that `portcullis check --jsonl` reads."""
        lines = [verdict._line for verdict, _, _ in self._calls if verdict._line]
        Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def _noted(self, what: str, verdict: Verdict, detail: Any) -> None:
        if what == "judged":
            self._calls.append([verdict, verdict.decision, False])
            return
        for entry in reversed(self._calls):
            if entry[0].action == verdict.action and entry[0].session == verdict.session:
                if what == "answered":
                    entry[1] = verdict.decision
                else:
                    entry[2] = True
                return

    def _words(self, what: str, tool: str, arguments: Mapping[str, Any]) -> str:
        made = "\n".join(f"  {call.final}: `{call.tool}` {call.arguments}" for call in self.calls) or "  none"
        return f"no call of `{tool}` with {dict(arguments)} was {what}; calls:\n{made}"


def _answering(answers: Answers) -> Any:
    def approve(verdict: Verdict) -> Answer:
        said = answers.get(verdict.tool, False) if isinstance(answers, Mapping) else bool(answers)
        return Answer(said, by="the test")

    return approve


@pytest.fixture
def portcullis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    """What the gates of this test judged."""
    yield Recording(tmp_path_factory.mktemp("portcullis"))
