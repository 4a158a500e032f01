"""Google ADK, the real package with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("google.adk.plugins", reason="google-adk is not installed")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App, ResumabilityConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from portcullis_gate import Gate
from portcullis_gate.google_adk import PortcullisPlugin
from scenarios import PUSH, Play, Scenarios, bash

CONFIRM = "adk_request_confirmation"


class Scripted(BaseLlm):
    steps: Any = None

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        calls = next(self.steps)
        if calls is None:
            parts = [types.Part(text="bye")]
        else:
            parts = [types.Part(function_call=types.FunctionCall(name=name, args=given)) for name, given in calls]
        if stream:
            # First what is there so far, as their models do.
            so_far = types.Content(role="model", parts=[types.Part(text="…")])
            yield LlmResponse(content=so_far, partial=True)
        yield LlmResponse(content=types.Content(role="model", parts=parts), partial=False)


class Rewriting(BasePlugin):
    def __init__(self, command: str) -> None:
        super().__init__("rewriting")
        self.command = command

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        tool_args["command"] = self.command


def drive(play: Play, respond=None) -> None:
    sessions, spoken = InMemorySessionService(), Scripted(model="scripted", steps=iter([*play.turns, None, None, None]))

    def made() -> Runner:
        agent = LlmAgent(name="a", model=spoken, tools=[play.bash, play.send_money])
        outer = [Rewriting(play.edited)] if play.edited else []
        app = App(
            name="app", root_agent=agent, plugins=[*outer, PortcullisPlugin(play.gate)],
            resumability_config=ResumabilityConfig(is_resumable=True),
        )
        return Runner(app=app, session_service=sessions)

    async def step(runner: Runner, session: Any, message: Any, **more: Any) -> list[Any]:
        asked = []
        mode = StreamingMode.SSE if play.stream else StreamingMode.NONE
        more["run_config"] = RunConfig(streaming_mode=mode)
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message, **more):
            for call in event.get_function_calls():
                if call.name == CONFIRM:
                    asked.append((call, event.invocation_id))
            for said in event.get_function_responses():
                play.log.seen.append(str(said.response))
        return asked

    async def run() -> None:
        session = await sessions.create_session(app_name="app", user_id="u")
        runner = made()
        asked = await step(runner, session, types.Content(role="user", parts=[types.Part(text="Go on.")]))
        while asked and (play.answer is not None or respond):
            parts = []
            for call, _ in asked:
                shown = call.args["toolConfirmation"]
                play.log.asked.append(str(shown["payload"]["arguments"]))
                response = respond(shown) if respond else {"confirmed": bool(play.answer), "payload": shown["payload"]}
                parts.append(types.Part(function_response=types.FunctionResponse(id=call.id, name=CONFIRM, response=response)))
            if play.restart:
                play.restarted()
                runner = made()
            asked = await step(runner, session, types.Content(role="user", parts=parts), invocation_id=asked[0][1])

    asyncio.run(run())


class TestGoogleADK(Scenarios):
    drive = staticmethod(drive)


def test_a_bare_yes_is_none(tmp_path):
    for response in ({"confirmed": True}, {"confirmed": True, "payload": {"portcullis": "sha256:" + "0" * 64}}):
        play = Play([[bash(PUSH)]], Gate(project=tmp_path, record=False))
        drive(play, lambda _: response)
        assert play.log.ran == [] and play.log.asked, response
