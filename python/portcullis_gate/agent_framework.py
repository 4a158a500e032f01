"""Microsoft Agent Framework: a middleware that judges each function call.

    from portcullis_gate.agent_framework import PortcullisMiddleware

    agent = Agent(…, middleware=[…, PortcullisMiddleware()])

Put it last, nearest to the function: what repairs arguments must stand before it. What asks is asked of `approve`; without it, what asks does
not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_framework import Content, FunctionMiddleware

from ._adapter import Desk, Gated, words
from ._plain import copied
from .approvals import AsyncApprover

__all__ = ["PortcullisMiddleware"]


class PortcullisMiddleware(FunctionMiddleware):
    """Judges each function call, and shows results without secrets."""

    def __init__(self, gate: Gated = None, *, approve: AsyncApprover | None = None) -> None:
        self._desk = Desk(gate, "agent-framework", approve)

    async def process(self, context: Any, call_next: Any) -> None:
        """Judges a call before it runs."""
        function, arguments = context.function, context.arguments
        session = self._desk.within(getattr(context.session, "session_id", None))
        self._desk.tool(function.name, getattr(function, "description", None), session=session)
        kept = copied(dict(arguments)) if isinstance(arguments, Mapping) else arguments
        verdict = await self._desk.adecide(function.name, kept, session=session)
        if not verdict.allowed:
            context.result = words(verdict)
            return
        if isinstance(arguments, Mapping):
            context.arguments = kept
        try:
            await call_next()
        except Exception as error:
            self._desk.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)
            raise
        context.result = await self._shown(verdict, context.result)

    async def _shown(self, verdict: Any, result: Any) -> Any:
        if isinstance(result, list) and all(isinstance(part, Content) for part in result):
            shown = []
            for part in result:
                text = getattr(part, "text", None)
                if isinstance(text, str):
                    after = str(await self._desk.aoutcome(verdict, text))
                    part = part if after == text else Content.from_text(after)
                shown.append(part)
            return shown
        return await self._desk.aoutcome(verdict, result)
