"""Pydantic AI: a capability that judges each tool call.

    from portcullis_gate.pydantic_ai import Portcullis, approve, reject

    agent = Agent(model, capabilities=[Portcullis()], output_type=[str, DeferredToolRequests])

What asks ends the run with `DeferredToolRequests`; go on with `deferred_tool_results=approve(requests)` or `reject(requests)`. A yes
counts for the hash in the request's metadata: arguments that are overridden are judged anew. With `approve=` given to the
capability, that is asked instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic_ai.capabilities.abstract import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired, SkipToolExecution
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied

from ._adapter import Desk, Gated, words
from ._plain import copied
from .approvals import AsyncApprover
from .verdict import Verdict

__all__ = ["Portcullis", "approve", "reject"]

_KEY = "portcullis"


def approve(
    requests: DeferredToolRequests, ids: Iterable[str] | None = None, by: str = "a person"
) -> DeferredToolResults:
    """A yes to what was asked, to all of it or to the calls of these ids; the others are refused."""
    agreed = {call.tool_call_id for call in requests.approvals} if ids is None else set(ids)
    results = DeferredToolResults()
    for call in requests.approvals:
        id = call.tool_call_id
        said = dict(requests.metadata.get(id) or {})
        results.metadata[id] = {**said, "by": by}
        results.approvals[id] = ToolApproved() if id in agreed else ToolDenied("portcullis: nobody agreed to it")
    return results


def reject(requests: DeferredToolRequests) -> DeferredToolResults:
    """A no to all that was asked."""
    return approve(requests, ids=())


class Portcullis(AbstractCapability[Any]):
    """Judges each tool call, defers what asks, and shows results without secrets."""

    def __init__(self, gate: Gated = None, *, approve: AsyncApprover | None = None) -> None:
        self._desk = Desk(gate, "pydantic-ai", approve)

    def get_ordering(self) -> CapabilityOrdering:
        """Nearest to the tool: what others change is judged as they leave it."""
        return CapabilityOrdering(position="innermost")

    async def before_run(self, ctx: Any) -> None:
        """What a person asked for counts for the calls that follow."""
        prompt = getattr(ctx, "prompt", None)
        if isinstance(prompt, (list, tuple)):
            prompt = "\n".join(part for part in prompt if isinstance(part, str))
        if isinstance(prompt, str):
            self._desk.prompt(prompt, session=self._session(ctx))

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        """Judges a call before it runs."""
        id, session, kept = call.tool_call_id, self._session(ctx), copied(args)
        self._desk.tool(tool_def.name, tool_def.description, tool_def.parameters_json_schema, session=session)
        verdict = await self._desk.adecide(call.tool_name, kept, session=session, id=id)
        if verdict.asks:
            if not ctx.tool_call_approved:
                raise ApprovalRequired(
                    metadata={
                        _KEY: verdict.action,
                        "tool": verdict.tool,
                        "arguments": verdict.arguments,
                        "risk": verdict.risk,
                        "why": verdict.why,
                    }
                )
            said = ctx.tool_call_metadata
            said = said if isinstance(said, dict) else {}
            verdict = self._desk.answered(verdict, True, said.get(_KEY), str(said.get("by") or "a person"))
        if not verdict.allowed:
            raise SkipToolExecution(words(verdict))
        self._desk.keep(id, verdict)
        return kept

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        """Shows a result without its secrets."""
        verdict: Verdict | None = self._desk.take(call.tool_call_id)
        return result if verdict is None else await self._desk.aoutcome(verdict, result)

    async def on_tool_execute_error(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, error: Exception) -> Any:
        """Keeps in mind what went wrong."""
        verdict: Verdict | None = self._desk.take(call.tool_call_id)
        if verdict is not None:
            self._desk.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)
        raise error

    def _session(self, ctx: Any) -> str:
        return self._desk.within(getattr(ctx, "conversation_id", None))
