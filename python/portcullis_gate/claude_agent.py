"""Claude Agent SDK: hooks that judge each tool call.

    from portcullis_gate.claude_agent import Portcullis

    gate = Portcullis()
    options = ClaudeAgentOptions(hooks=gate.hooks, can_use_tool=gate.can_use_tool(ask_my_person))

The hooks block where they fail (`on_failure="block"`); a Claude Code that is too old for that refuses to connect. What asks goes to
`can_use_tool`, or to Claude Code's own question. With `approve=` given, that is asked inside the hook instead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from claude_agent_sdk import HookMatcher, PermissionResultAllow, PermissionResultDeny

from ._adapter import Desk, Gated, words
from .approvals import AsyncApprover
from .verdict import Verdict

__all__ = ["Portcullis"]

#: How long a hook may take, which is how long an approver may.
_PATIENCE = 3_600.0


class Portcullis:
    """Hooks, and what `can_use_tool` must do beside them."""

    def __init__(self, gate: Gated = None, *, approve: AsyncApprover | None = None) -> None:
        self._desk = Desk(gate, "claude-agent-sdk", approve)

    @property
    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """For `ClaudeAgentOptions(hooks=…)`."""

        def one(callback: Any) -> list[HookMatcher]:
            return [HookMatcher(matcher=None, hooks=[callback], timeout=_PATIENCE, on_failure="block")]

        return {
            "UserPromptSubmit": one(self._prompt),
            "PreToolUse": one(self._before),
            "PostToolUse": one(self._after),
            "PostToolUseFailure": one(self._failed),
        }

    def can_use_tool(self, ask: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """A permission callback around one's own: arguments that it changes are judged before they run."""

        async def callback(tool: str, given: dict[str, Any], context: Any) -> Any:
            id = getattr(context, "tool_use_id", None)
            said = await ask(tool, given, context)
            if not isinstance(said, PermissionResultAllow):
                return said
            runs = given if said.updated_input is None else said.updated_input
            asked: Verdict | None = self._desk.kept(id)
            session = asked.session if asked is not None else None
            verdict = await self._desk.ajudge(tool, runs, session=session, id=id)
            if verdict.asks:
                verdict = self._desk.answered(verdict, True, verdict.action, "who answers for the program")
            if not verdict.allowed:
                return PermissionResultDeny(message=words(verdict))
            self._desk.keep(id, verdict)
            return PermissionResultAllow(updated_input=runs, updated_permissions=None)

        return callback

    async def _prompt(self, given: Any, id: str | None, context: Any) -> dict[str, Any]:
        self._desk.prompt(str(given.get("prompt") or ""), session=self._session(given))
        return {}

    async def _before(self, given: Any, id: str | None, context: Any) -> dict[str, Any]:
        try:
            id = given.get("tool_use_id") or id
            verdict = await self._desk.adecide(
                given["tool_name"], given["tool_input"], session=self._session(given), id=id
            )
        except Exception as error:
            verdict = self._desk.gate._failed(error, "", None)
        self._desk.keep(id, verdict)
        decision = {"allow": "allow", "ask": "ask", "deny": "deny"}[verdict.decision]
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": words(verdict) if not verdict.allowed else verdict.why,
            }
        }

    async def _after(self, given: Any, id: str | None, context: Any) -> dict[str, Any]:
        verdict: Verdict | None = self._desk.take(given.get("tool_use_id") or id)
        result = given.get("tool_response")
        if verdict is None:
            verdict = await self._desk.ajudge(given["tool_name"], given["tool_input"], session=self._session(given))
        shown = await self._desk.aoutcome(verdict, result)
        if shown is result:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": shown}}

    async def _failed(self, given: Any, id: str | None, context: Any) -> dict[str, Any]:
        verdict: Verdict | None = self._desk.take(given.get("tool_use_id") or id)
        if verdict is not None:
            await self._desk.aoutcome(verdict, str(given.get("error") or ""), failed=True)
        return {}

    def _session(self, given: Any) -> str:
        id = given.get("session_id")
        return self._desk.within(str(id) if id else None)
