"""LangChain and LangGraph, the real packages with their fake model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware", reason="langchain is not installed")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from portcullis_gate import Gate
from portcullis_gate.langchain import PortcullisMiddleware, approve, reject
from scenarios import PUSH, Play, Scenarios, bash


class Model(GenericFakeChatModel):
    """Says what it is told to, whatever tools there are."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


class Rewriting(AgentMiddleware):
    """Rewrites `ls` on its way to the tool, outside of the gate."""

    def __init__(self, command: str) -> None:
        super().__init__()
        self.command = command

    def wrap_tool_call(self, request, handler):
        call = {**request.tool_call, "args": {"command": self.command}}
        return handler(request.override(tool_call=call))

    async def awrap_tool_call(self, request, handler):
        call = {**request.tool_call, "args": {"command": self.command}}
        return await handler(request.override(tool_call=call))


def messages(play: Play) -> list[AIMessage]:
    said = []
    for turn, calls in enumerate(play.turns):
        made = [
            {"name": name, "args": args, "id": f"call-{turn}-{at}", "type": "tool_call"}
            for at, (name, args) in enumerate(calls)
        ]
        said.append(AIMessage(content="", tool_calls=made))
    return [*said, AIMessage(content="bye")]


def drive(play: Play, run=None) -> None:
    saver, model = InMemorySaver(), iter(messages(play))

    def made() -> Any:
        outer = [Rewriting(play.edited)] if play.edited else []
        return create_agent(
            Model(messages=model),
            [tool(play.bash), tool(play.send_money)],
            middleware=[*outer, PortcullisMiddleware(play.gate)],
            checkpointer=saver,
        )

    config = {"configurable": {"thread_id": "1"}}
    agent = made()

    def step(given: Any) -> Any:
        if run is not None:
            return run(agent, given, config)
        if play.stream:
            for _ in agent.stream(given, config, stream_mode=["updates", "values"]):
                pass
        else:
            agent.invoke(given, config)
        return agent.get_state(config)

    state = step({"messages": [{"role": "user", "content": "Go on."}]})
    while state.interrupts and play.answer is not None:
        play.log.asked += [one.value["arguments"]["command"] for one in state.interrupts]
        if play.restart:
            play.restarted()
            agent = made()
        answers = {one.id: approve(one) if play.answer else reject(one, "no") for one in state.interrupts}
        state = step(Command(resume=answers))
    play.log.seen += [str(one.content) for one in state.values["messages"] if isinstance(one, ToolMessage)]


class TestLangChain(Scenarios):
    drive = staticmethod(drive)


def in_a_loop(agent: Any, given: Any, config: Any) -> Any:
    async def run():
        await agent.ainvoke(given, config)
        return await agent.aget_state(config)

    return asyncio.run(run())


class TestLangChainAsync(Scenarios):
    drive = staticmethod(lambda play: drive(play, in_a_loop))
    lacks = {"stream": "the stream is tried without coroutines"}


def test_a_yes_is_about_what_was_shown_and_a_bare_yes_is_none(tmp_path):
    gate = Gate(project=tmp_path, record=False)
    for resume in (True, "approve", {"portcullis": "approve"}, {"portcullis": "approve", "action": "sha256:" + "0" * 64}):
        play = Play([[bash(PUSH)]], gate)
        agent = create_agent(
            Model(messages=iter(messages(play))), [tool(play.bash)],
            middleware=[PortcullisMiddleware(gate)], checkpointer=InMemorySaver(),
        )
        config = {"configurable": {"thread_id": "1"}}
        agent.invoke({"messages": [{"role": "user", "content": "Go on."}]}, config)
        agent.invoke(Command(resume=resume), config)
        assert play.log.ran == [], resume
