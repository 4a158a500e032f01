"""Strands, the real package with a scripted model."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("strands.interventions", reason="strands-agents is not installed")

from strands import Agent, tool
from strands.interventions import InterventionHandler, Transform
from strands.models.model import Model
from strands.session.file_session_manager import FileSessionManager

from portcullis_gate import Gate
from portcullis_gate.strands import Portcullis, approve
from scenarios import PUSH, Play, Scenarios, bash


class Scripted(Model):
    def __init__(self, play: Play) -> None:
        self.turns = iter([*play.turns, None])

    def update_config(self, **config: Any) -> None:
        pass

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(self, *args: Any, **kwargs: Any) -> Any:
        calls = next(self.turns)
        yield {"messageStart": {"role": "assistant"}}
        if calls is None:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "bye"}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}
            return
        for at, (name, given) in enumerate(calls):
            yield {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": f"{id(calls)}-{at}"}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(given)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use"}}


class Rewriting(InterventionHandler):
    name = "rewriting"

    def __init__(self, command: str) -> None:
        self.command = command

    def before_tool_call(self, event: Any, **more: Any) -> Any:
        return Transform(apply=lambda event: event.tool_use["input"].update(command=self.command))


def drive(play: Play, respond=None) -> None:
    outer = [Rewriting(play.edited)] if play.edited else []
    model = Scripted(play)

    def made() -> Agent:
        kept = FileSessionManager(session_id="one", storage_dir=str(play.state)) if play.restart else None
        return Agent(
            model=model,
            tools=[tool(play.bash), tool(play.send_money)],
            interventions=[*outer, Portcullis(play.gate.session("strands"))],
            callback_handler=None,
            session_manager=kept,
            agent_id="one",
        )

    def run(agent: Agent, prompt: Any) -> Any:
        async def last() -> Any:
            async for event in agent.stream_async(prompt):
                if "result" in event:
                    return event["result"]

        return asyncio.run(last()) if play.stream else agent(prompt)

    agent = made()
    result = run(agent, "Go on.")
    if play.restart:
        play.restarted()
        agent = made()
    while result.stop_reason == "interrupt" and (play.answer is not None or respond):
        play.log.asked += [str(one.reason) for one in result.interrupts]
        answers = [
            {"interruptResponse": {"interruptId": one.id, "response": respond(one) if respond else approve(one) if play.answer else "no"}}
            for one in result.interrupts
        ]
        result = run(agent, answers)
    for message in agent.messages:
        for part in message["content"]:
            if "toolResult" in part:
                play.log.seen += [str(piece.get("text")) for piece in part["toolResult"]["content"]]


class TestStrands(Scenarios):
    drive = staticmethod(drive)


def test_a_bare_yes_is_none(tmp_path):
    for said in (True, "yes", {"portcullis": "sha256:" + "0" * 64}):
        play = Play([[bash(PUSH)]], Gate(project=tmp_path, record=False))
        drive(play, lambda _: said)
        assert play.log.ran == [], said
