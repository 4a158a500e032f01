"""OpenAI Agents SDK: an agent whose tools are judged.

    from portcullis_gate.openai_agents import protect

    agent = protect(Agent(name="…", tools=[…]))

What asks interrupts the run, as `needs_approval` does: `state.approve(item)` or `state.reject(item)`, and run on with the state. Right before a
tool runs, what runs is judged once more, so that a yes which the framework remembers for another call (`always_approve`) counts for nothing. With
`approve=` given, that is asked instead. Tools that are no functions (hosted tools, shells, MCP servers of the agent) run elsewhere
than here, and are refused by `protect`; handoffs are agents of their own, to be protected each.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from agents import Agent, FunctionTool

from ._adapter import Desk, Gated, words
from .approvals import AsyncApprover
from .verdict import Verdict

__all__ = ["protect", "protect_tool"]


def protect(agent: Agent[Any], gate: Gated = None, *, approve: AsyncApprover | None = None) -> Agent[Any]:
    """A copy of an agent whose function tools are judged. Raises `TypeError` where it has others."""
    desk = Desk(gate, "openai-agents", approve)
    if agent.mcp_servers:
        raise TypeError("the tools of MCP servers are judged by `portcullis mcp wrap`, not here")
    return agent.clone(tools=[_protected(tool, desk) for tool in agent.tools])


def protect_tool(tool: FunctionTool, gate: Gated = None, *, approve: AsyncApprover | None = None) -> FunctionTool:
    """A copy of a tool that is judged. Use one gate or session for all tools of an agent."""
    return _protected(tool, Desk(gate, "openai-agents", approve))


def _protected(tool: Any, desk: Desk) -> FunctionTool:
    if not isinstance(tool, FunctionTool):
        raise TypeError(f"`{type(tool).__name__}` runs elsewhere than here, and cannot be judged")
    inner, wanted = tool.on_invoke_tool, tool.needs_approval
    desk.tool(tool.name, tool.description, tool.params_json_schema)

    async def needs_approval(context: Any, arguments: dict[str, Any], id: str) -> bool:
        if wanted is True or callable(wanted) and await wanted(context, arguments, id):
            own = True
        else:
            own = False
        if desk.approve:
            return own
        verdict = await desk.ajudge(tool.name, arguments, id=id)
        desk.keep(id, verdict.action)
        return own or verdict.asks

    async def invoke(context: Any, text: str) -> Any:
        id = getattr(context, "tool_call_id", None)
        try:
            arguments = json.loads(text or "{}")
        except ValueError as error:
            return words(desk.gate._failed(error, tool.name, desk.session))
        verdict = await desk.adecide(tool.name, arguments, id=id)
        if verdict.asks:
            verdict = _approved(desk, context, tool.name, id, verdict)
        if not verdict.allowed:
            return words(verdict)
        try:
            # What was judged, and no other reading of the same text.
            result = await inner(context, json.dumps(arguments))
        except Exception as error:
            desk.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)
            raise
        return await desk.aoutcome(verdict, result)

    return dataclasses.replace(tool, on_invoke_tool=invoke, needs_approval=needs_approval)


def _approved(desk: Desk, context: Any, tool: str, id: str | None, verdict: Verdict) -> Verdict:
    """The verdict after the run's person answered, if they were asked about this call."""
    shown = desk.take(id)
    if id is None or shown not in (None, verdict.action):
        return verdict
    try:
        approved = context.is_tool_approved(tool, id) is True
        # Their memory of a yes by the name of a tool says `True`; a yes to this call has its id.
        records = context._approval_records_for_key(tool, call_id=id)
        named = any(isinstance(record.approved, list) and id in record.approved for record in records)
    except Exception:
        approved = named = False
    if not approved or shown is None and not named:
        return verdict
    # After a restart, the state of the run holds the arguments that they saw, and these are what was judged.
    return desk.answered(verdict, True, verdict.action, "the run's approver")
