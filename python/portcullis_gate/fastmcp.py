"""MCP servers in Python (FastMCP): a middleware that judges each call of a server's own tools, before they run.

    from portcullis_gate.fastmcp import PortcullisMiddleware

    server = FastMCP("…", middleware=[…, PortcullisMiddleware()])

Put it last, nearest to the tools. A server is one session, whoever its clients are: what one was shown counts for all. Who sits at
the client is not known here, so what asks is asked of `approve`, or does not run. For servers of others, put the program's proxy in front of them: `portcullis mcp wrap`.
"""

from __future__ import annotations

from typing import Any

from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware

from ._adapter import Desk, Gated, words
from ._plain import copied
from .approvals import AsyncApprover

__all__ = ["PortcullisMiddleware"]


class PortcullisMiddleware(Middleware):
    """Judges each tool call, and answers without secrets."""

    def __init__(self, gate: Gated = None, *, approve: AsyncApprover | None = None) -> None:
        self._desk = Desk(gate, "fastmcp", approve)

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Judges a call before it runs."""
        message = context.message
        arguments = copied(message.arguments or {})
        verdict = await self._desk.adecide(message.name, arguments)
        if not verdict.allowed:
            raise ToolError(words(verdict))
        judged = message.model_copy(update={"arguments": arguments})
        try:
            result = await call_next(context.copy(message=judged))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            shown = await self._desk.aoutcome(verdict, text, failed=True)
            if shown != text:
                raise ToolError(str(shown)) from None
            raise
        for part in result.content:
            if isinstance(getattr(part, "text", None), str):
                part.text = str(await self._desk.aoutcome(verdict, part.text))
        if result.structured_content:
            shown = await self._desk.aoutcome(verdict, result.structured_content)
            result.structured_content = shown if isinstance(shown, dict) else {"result": shown}
        return result

