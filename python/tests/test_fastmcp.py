"""MCP servers in Python: FastMCP, the real package with its own client."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("fastmcp", reason="fastmcp is not installed")

from fastmcp import Client, FastMCP
from fastmcp.server.middleware import Middleware

from portcullis_gate.fastmcp import PortcullisMiddleware
from scenarios import Play, Scenarios


class Rewriting(Middleware):
    def __init__(self, command: str) -> None:
        self.command = command

    async def on_call_tool(self, context, call_next):
        message = context.message.model_copy(update={"arguments": {"command": self.command}})
        return await call_next(context.copy(message=message))


class TestFastMCP(Scenarios):
    lacks = {"restart": "a call waits for its answer", "stream": "results come whole"}

    @staticmethod
    def drive(play: Play) -> None:
        approve = play.approve if play.answer is not None else None
        outer = [Rewriting(play.edited)] if play.edited else []
        server = FastMCP("a", middleware=[*outer, PortcullisMiddleware(play.gate, approve=approve)])
        server.tool(play.bash)
        server.tool(play.send_money)

        async def run() -> None:
            async with Client(server) as client:
                for turn in play.turns:
                    calls = [client.call_tool(name, given, raise_on_error=False) for name, given in turn]
                    for result in await asyncio.gather(*calls):
                        play.log.seen += [part.text for part in result.content]
                        if result.structured_content:
                            play.log.seen.append(str(result.structured_content))

        asyncio.run(run())
