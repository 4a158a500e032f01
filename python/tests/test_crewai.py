"""CrewAI, the real package with a scripted model."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("crewai.hooks.tool_hooks", reason="crewai is not installed")

from crewai import Agent, BaseLLM, Crew, Task, hooks
from crewai.events.types.llm_events import LLMCallType
from crewai.llms.base_llm import llm_call_context
from crewai.hooks.tool_hooks import register_before_tool_call_hook, unregister_before_tool_call_hook
from crewai.tools import tool

from portcullis_gate.crewai import install
from scenarios import Play, Scenarios


class Scripted(BaseLLM):
    steps: Any = None
    log: Any = None
    native: bool = False

    def call(self, messages: Any, tools: Any = None, callbacks: Any = None, available_functions: Any = None,
             from_task: Any = None, from_agent: Any = None, response_model: Any = None) -> Any:
        # As their models do: an agent's end waits five seconds for a call that was announced.
        with llm_call_context():
            self._emit_call_started_event(messages, from_task=from_task, from_agent=from_agent)
            answer = self.answer(messages)
            self._emit_call_completed_event(
                answer, LLMCallType.LLM_CALL, from_task=from_task, from_agent=from_agent, messages=messages
            )
        return answer

    def answer(self, messages: Any) -> Any:
        given = messages if isinstance(messages, list) else [{"content": messages}]
        self.log.seen += [str(one.get("content")) for one in given[1:]]
        calls = next(self.steps)
        if calls is None:
            return "bye" if self.native else "Thought: I know\nFinal Answer: bye"
        if self.native:
            return [
                {"id": f"{id(calls)}-{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for at, (name, given) in enumerate(calls)
            ]
        name, arguments = calls[0]
        return f"Thought: go on\nAction: {name}\nAction Input: {json.dumps(arguments)}\n"

    def supports_function_calling(self) -> bool:
        return self.native


class TestCrewAI(Scenarios):
    lacks = {
        "parallel": "the scripted model calls one tool at a time",
        "restart": "a question waits in its hook",
    }

    native = False
    # Before 1.15 it says so to a model that writes its calls as text, and nothing more.
    blunt = None if hasattr(hooks, "HookAborted") else "blocked by hook"

    @classmethod
    def drive(cls, play: Play) -> None:
        def rewriting(context: Any) -> None:
            context.tool_input["command"] = play.edited

        if play.edited:
            register_before_tool_call_hook(rewriting)
        remove = install(play.gate.session(), approve=play.approve if play.answer is not None else None)
        try:
            llm = Scripted(model="scripted", steps=iter([*play.turns, None]), log=play.log, native=cls.native)
            tools = [tool("bash")(play.bash), tool("send_money")(play.send_money)]
            agent = Agent(role="r", goal="g", backstory="b", llm=llm, tools=tools, cache=False, max_iter=6)
            task = Task(description="Go on.", expected_output="bye", agent=agent)
            said = Crew(agents=[agent], tasks=[task], cache=False, stream=play.stream).kickoff()
            if play.stream:
                for _ in said:
                    pass
        finally:
            remove()
            unregister_before_tool_call_hook(rewriting)


class TestCrewAINativeCalls(TestCrewAI):
    lacks = {"restart": "a question waits in its hook"}
    native = True
    blunt = None
