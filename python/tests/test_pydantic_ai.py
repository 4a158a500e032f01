"""Pydantic AI, the real package with its function model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")

from pydantic_ai import Agent
from pydantic_ai.capabilities.abstract import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolApproved

from portcullis_gate import Gate
from portcullis_gate.pydantic_ai import Portcullis, approve, reject
from scenarios import PUSH, Play, Scenarios, bash


class Rewriting(AbstractCapability[Any]):
    """Rewrites a command on its way to the tool."""

    def __init__(self, command: str) -> None:
        self.command = command

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        return {"command": self.command}


def model(play: Play) -> FunctionModel:
    turns = iter([*play.turns, None])

    def says(messages, info):
        calls = next(turns)
        if calls is None:
            return ModelResponse(parts=[TextPart("bye")])
        return ModelResponse(parts=[ToolCallPart(name, args, tool_call_id=f"{id(calls)}-{at}") for at, (name, args) in enumerate(calls)])

    async def streams(messages, info):
        said = says(messages, info)
        for at, part in enumerate(said.parts):
            if isinstance(part, TextPart):
                yield part.content
            else:
                yield {at: DeltaToolCall(name=part.tool_name, json_args=part.args_as_json_str(), tool_call_id=part.tool_call_id)}

    return FunctionModel(says, stream_function=streams)


def drive(play: Play) -> None:
    spoken = model(play)

    def made() -> Agent:
        outer = [Rewriting(play.edited)] if play.edited else []
        # Ours stands first: it must come last all the same.
        agent = Agent(spoken, capabilities=[Portcullis(play.gate), *outer], output_type=[str, DeferredToolRequests])
        agent.tool_plain(play.bash)
        agent.tool_plain(play.send_money)
        return agent

    async def step(agent: Agent, *given: Any, **more: Any) -> Any:
        if play.stream:
            async with agent.run_stream(*given, **more) as streamed:
                await streamed.get_output()
                return streamed.all_messages(), None
        ran = await agent.run(*given, **more)
        return ran.all_messages(), ran.output

    async def run() -> None:
        agent = made()
        messages, output = await step(agent, "Go on.")
        while isinstance(output, DeferredToolRequests) and play.answer is not None:
            play.log.asked += [output.metadata[one.tool_call_id]["arguments"]["command"] for one in output.approvals]
            if play.restart:
                play.restarted()
                agent = made()
            answers = approve(output) if play.answer else reject(output)
            messages, output = await step(agent, message_history=messages, deferred_tool_results=answers)
        for message in messages:
            play.log.seen += [str(part.content) for part in message.parts if isinstance(part, ToolReturnPart)]

    asyncio.run(run())


class TestPydanticAI(Scenarios):
    drive = staticmethod(drive)


@pytest.mark.parametrize(
    "answer",
    [ToolApproved(), True, ToolApproved(override_args={"command": "rm -rf ~"})],
)
def test_a_yes_is_about_what_was_shown(tmp_path, answer):
    gate = Gate(project=tmp_path, record=False)
    play = Play([[bash(PUSH)]], gate)

    async def run():
        agent = Agent(model(play), capabilities=[Portcullis(gate)], output_type=[str, DeferredToolRequests])
        agent.tool_plain(play.bash)
        asked = await agent.run("Go on.")
        call = asked.output.approvals[0]
        results = DeferredToolResults(approvals={call.tool_call_id: answer})
        if isinstance(answer, ToolApproved) and answer.override_args:
            results.metadata = dict(asked.output.metadata)
        await agent.run(message_history=asked.all_messages(), deferred_tool_results=results)

    asyncio.run(run())
    assert play.log.ran == []
