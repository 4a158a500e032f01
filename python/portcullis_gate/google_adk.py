"""Google ADK: a plugin that judges each tool call of all agents of a runner.

    from portcullis_gate.google_adk import PortcullisPlugin

    runner = Runner(…, plugins=[…, PortcullisPlugin()])

Put it last: plugins run in their order, and before the agents' own callbacks; a callback of an agent that changes arguments runs after it, and is to be
left away. What asks requests ADK's confirmation (`adk_request_confirmation`); the answer counts for the hash in its payload. With
`approve=` given, that is asked instead.
"""

from __future__ import annotations

from typing import Any, Optional

from google.adk.plugins.base_plugin import BasePlugin

from ._adapter import NOT_AGREED, Desk, Gated, words
from .approvals import AsyncApprover
from .verdict import Verdict

__all__ = ["PortcullisPlugin"]


class PortcullisPlugin(BasePlugin):  # type: ignore[misc]
    """Judges each tool call, asks for confirmation, and shows results without secrets."""

    def __init__(self, gate: Gated = None, *, approve: AsyncApprover | None = None) -> None:
        super().__init__("portcullis")
        self._desk = Desk(gate, "google-adk", approve)

    async def on_user_message_callback(self, *, invocation_context: Any, user_message: Any) -> Optional[Any]:
        """What a person asked for counts for the calls that follow."""
        parts = getattr(user_message, "parts", None) or []
        text = "\n".join(part.text for part in parts if getattr(part, "text", None))
        self._desk.prompt(text, session=self._desk.within(invocation_context.session.id))
        return None

    async def before_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any) -> Optional[dict[str, Any]]:
        """Judges a call before it runs."""
        try:
            return await self._judged(tool, tool_args, tool_context)
        except Exception as error:
            return {"error": words(self._desk.gate._failed(error, tool.name, self._desk.session))}

    async def after_tool_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any, result: Any
    ) -> Optional[dict[str, Any]]:
        """Shows a result without its secrets."""
        verdict: Verdict | None = self._desk.take(tool_context.function_call_id)
        if verdict is None:
            return None
        shown = await self._desk.aoutcome(verdict, result)
        if shown is result:
            return None
        return shown if isinstance(shown, dict) else {"result": shown}

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any, error: Exception
    ) -> Optional[dict[str, Any]]:
        """Keeps in mind what went wrong."""
        verdict: Verdict | None = self._desk.take(tool_context.function_call_id)
        if verdict is not None:
            self._desk.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)
        return None

    async def _judged(self, tool: Any, tool_args: dict[str, Any], context: Any) -> Optional[dict[str, Any]]:
        session, id = self._desk.within(context.session.id), context.function_call_id
        self._desk.tool(tool.name, tool.description, session=session)
        verdict = await self._desk.adecide(tool.name, tool_args, session=session, id=id)
        if verdict.asks:
            said = context.tool_confirmation
            if said is None:
                context.request_confirmation(
                    hint=verdict.why,
                    payload={"portcullis": verdict.action, "arguments": verdict.arguments, "risk": verdict.risk},
                )
                context.actions.skip_summarization = True
                return {"error": f"portcullis: a person has to agree first: {verdict.why}"}
            payload = said.payload if isinstance(said.payload, dict) else {}
            action = payload.get("portcullis")
            verdict = self._desk.answered(verdict, said.confirmed is True, action, "a person")
        if not verdict.allowed:
            return {"error": words(verdict) if verdict.findings else f"portcullis: {NOT_AGREED}: {verdict.why}"}
        self._desk.keep(id, verdict)
        return None
