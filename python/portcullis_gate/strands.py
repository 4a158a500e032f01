"""Strands: an intervention that judges each tool call.

    from portcullis_gate.strands import Portcullis

    agent = Agent(…, interventions=[…, Portcullis()])

Put it last: interventions run in their order. What asks is an interrupt whose prompt ends with the hash; go on with `{"interruptResponse":
{"interruptId": …, "response": approve(interrupt)}}`. With `approve=` given, that is asked instead.
"""

from __future__ import annotations

import re
from typing import Any

from strands.interventions import Confirm, Deny, InterventionHandler, Proceed, Transform

from ._adapter import Desk, Gated, words
from ._plain import copied
from .approvals import AsyncApprover
from .verdict import Verdict

__all__ = ["Portcullis", "approve"]


def approve(interrupt: Any) -> dict[str, Any]:
    """A yes to what an interrupt shows, to respond with. Anything else is a no."""
    found = re.search(r"sha256:[0-9a-f]{64}$", str(getattr(interrupt, "reason", interrupt)))
    if found is None:
        raise ValueError("that is no question of a gate")
    return {"portcullis": found.group()}


class Portcullis(InterventionHandler):
    """Judges each tool call, interrupts where it asks, and shows results without secrets."""

    name = "portcullis"
    on_error = "deny"

    def __init__(self, gate: Gated = None, *, approve: AsyncApprover | None = None) -> None:
        self._desk = Desk(gate, "strands", approve)

    async def before_tool_call(self, event: Any, **more: Any) -> Any:
        """Judges a call before it runs."""
        use = event.tool_use
        id, arguments = use["toolUseId"], copied(use["input"])
        spec = getattr(event.selected_tool, "tool_spec", None) or {}
        self._desk.tool(use["name"], spec.get("description"))
        verdict = await self._desk.adecide(use["name"], arguments, id=id)
        if verdict.denied:
            return Deny(reason=words(verdict))
        use["input"] = arguments
        if verdict.allowed:
            self._desk.keep(id, verdict)
            return Proceed()

        def agrees(response: Any) -> bool:
            action = response.get("portcullis") if isinstance(response, dict) else None
            after = self._desk.answered(verdict, action is not None, action, "a person")
            self._desk.keep(id, after)
            return after.allowed

        command = "\n".join(f"{name}: {value}" for name, value in verdict.arguments.items())
        return Confirm(prompt=f"{verdict.why}\n{verdict.tool}\n{command}\n{verdict.action}", evaluate=agrees)

    async def after_tool_call(self, event: Any, **more: Any) -> Any:
        """Shows a result without its secrets."""
        verdict: Verdict | None = self._desk.take(event.tool_use["toolUseId"])
        result = event.result
        if verdict is None or not verdict.allowed:
            return Proceed()
        if not isinstance(result, dict):
            await self._desk.aoutcome(verdict, str(result), failed=True)
            return Proceed()
        failed = result.get("status") == "error"
        shown = await self._desk.aoutcome(verdict, result.get("content", []), failed=failed)
        if shown is result.get("content"):
            return Proceed()
        content = shown if isinstance(shown, list) else [{"text": str(shown)}]

        def apply(event: Any) -> None:
            event.result = {**event.result, "content": content}

        return Transform(apply=apply)
