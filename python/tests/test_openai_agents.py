"""OpenAI Agents SDK, the real package with its scripted model."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

import pytest

pytest.importorskip("agents.testing", reason="openai-agents is not installed")

from agents import Agent, Runner, RunState, WebSearchTool, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

from portcullis_gate import Gate
from portcullis_gate.openai_agents import protect
from scenarios import PUSH, Play, Scenarios, bash


def model(play: Play) -> ScriptedModel:
    steps = []
    for turn, calls in enumerate(play.turns):
        steps.append([function_call(name, args, call_id=f"call-{turn}-{at}") for at, (name, args) in enumerate(calls)])
    return ScriptedModel([*steps, [assistant_message("bye")]])


def tools(play: Play) -> list[Any]:
    return [function_tool(play.bash), function_tool(play.send_money)]


def drive(play: Play) -> None:
    spoken = model(play)

    def made() -> Agent:
        return protect(Agent(name="a", model=spoken, tools=tools(play)), play.gate)

    async def step(agent: Agent, given: Any) -> Any:
        if not play.stream:
            return await Runner.run(agent, given)
        result = Runner.run_streamed(agent, given)
        async for _ in result.stream_events():
            pass
        return result

    async def run() -> None:
        agent = made()
        result = await step(agent, "Go on.")
        while result.interruptions and play.answer is not None:
            state = result.to_state()
            play.log.asked += [json.loads(item.arguments)["command"] for item in result.interruptions]
            if play.restart:
                text = state.to_string()
                play.restarted()
                agent = made()
                state = await RunState.from_string(agent, text)
            for item in state.get_interruptions():
                state.approve(item) if play.answer else state.reject(item)
            result = await step(agent, state)
        play.log.seen += [str(item.output) for item in result.new_items if item.type == "tool_call_output_item"]

    asyncio.run(run())


class TestOpenAIAgents(Scenarios):
    drive = staticmethod(drive)
    lacks = {"edited": "nothing of the framework's changes arguments on their way; the next test does it by hand"}


def test_what_runs_is_what_is_judged_last(tmp_path):
    gate = Gate(project=tmp_path, record=False)
    play = Play([[bash("ls")]], gate)
    agent = protect(Agent(name="a", model=model(play), tools=tools(play)), gate)
    tool = agent.tools[0]

    async def rewritten(context: Any, text: str) -> Any:
        return await tool.on_invoke_tool(context, json.dumps({"command": "rm -rf ~"}))

    agent.tools[0] = dataclasses.replace(tool, on_invoke_tool=rewritten)
    asyncio.run(Runner.run(agent, "Go on."))
    assert play.log.ran == []


def test_a_yes_that_is_remembered_by_name_is_none(tmp_path):
    gate = Gate(project=tmp_path, record=False)
    play = Play([[bash(PUSH)], [bash("git push --force origin release")]], gate)

    async def run():
        agent = protect(Agent(name="a", model=model(play), tools=tools(play)), gate)
        state = (await Runner.run(agent, "Go on.")).to_state()
        for item in state.get_interruptions():
            state.approve(item, always_approve=True)
        await Runner.run(agent, state)

    asyncio.run(run())
    assert play.log.ran == [PUSH]


def test_tools_that_run_elsewhere_are_refused(tmp_path):
    with pytest.raises(TypeError):
        protect(Agent(name="a", tools=[WebSearchTool()]), Gate(project=tmp_path, record=False))
