"""Microsoft Agent Framework, the real package with a scripted client."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed")

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionMiddleware,
    Message,
    ResponseStream,
)

from portcullis_gate.agent_framework import PortcullisMiddleware
from scenarios import Play, Scenarios


class Scripted(FunctionInvocationLayer, BaseChatClient):
    def __init__(self, play: Play) -> None:
        super().__init__()
        self.turns, self.log = iter([*play.turns, None]), play.log

    def _contents(self, messages: Any) -> list[Content]:
        for message in messages:
            self.log.seen += [str(part.result) for part in message.contents if part.type == "function_result"]
        calls = next(self.turns)
        if calls is None:
            return [Content.from_text("bye")]
        return [
            Content.from_function_call(f"{id(calls)}-{at}", name, arguments=json.dumps(given)) for at, (name, given) in enumerate(calls)
        ]

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **kwargs: Any) -> Any:
        if stream:
            async def updates() -> Any:
                yield ChatResponseUpdate(role="assistant", contents=self._contents(messages))

            return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

        async def whole() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=self._contents(messages))])

        return whole()


class Rewriting(FunctionMiddleware):
    def __init__(self, command: str) -> None:
        self.command = command

    async def process(self, context: Any, call_next: Any) -> None:
        context.arguments = {"command": self.command}
        await call_next()


class TestAgentFramework(Scenarios):
    lacks = {"restart": "a question waits in its middleware"}

    @staticmethod
    def drive(play: Play) -> None:
        outer = [Rewriting(play.edited)] if play.edited else []
        gated = PortcullisMiddleware(play.gate.session(), approve=play.approve if play.answer is not None else None)

        async def run() -> None:
            agent = Agent(client=Scripted(play), tools=[play.bash, play.send_money], middleware=[*outer, gated])
            if play.stream:
                async for _ in agent.run("Go on.", stream=True):
                    pass
            else:
                await agent.run("Go on.")

        asyncio.run(run())
