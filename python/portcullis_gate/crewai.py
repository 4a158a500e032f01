"""CrewAI: hooks that judge each tool call of every crew in this process.

    from portcullis_gate.crewai import install

    remove = install(approve=Terminal())

CrewAI takes an exception of a hook for a mistake and goes on, so these hooks raise none but the one that aborts. Its hooks wait for their
answer: what asks is asked of `approve`, a plain function; without it, what asks does not run. They run in the order in which they were
registered: install these after all that change arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from crewai.hooks.tool_hooks import (
    ToolCallHookContext,
    register_after_tool_call_hook,
    register_before_tool_call_hook,
    unregister_after_tool_call_hook,
    unregister_before_tool_call_hook,
)

from ._adapter import Desk, Gated, words
from .approvals import Approver
from .verdict import Verdict

__all__ = ["install"]


def install(gate: Gated = None, *, approve: Approver | None = None) -> Callable[[], None]:
    """Puts the hooks in place; gives what takes them away again."""
    desk = Desk(gate, "crewai", approve)

    def before(context: ToolCallHookContext) -> bool | None:
        try:
            name = _name(context)
            desk.tool(name, getattr(context.tool, "description", None))
            verdict = desk.decide(name, context.tool_input)
            desk.keep(_key(context), verdict)
            if not verdict.allowed:
                return False
        except Exception:
            return False
        return None

    def after(context: ToolCallHookContext) -> str | None:
        verdict: Verdict | None = desk.take(_key(context))
        if verdict is None:
            # Another hook changed the arguments after they were judged. What ran is judged for what follows.
            verdict = desk.judge(_name(context), context.tool_input)
            return str(desk.outcome(verdict, context.tool_result or ""))
        if not verdict.allowed:
            return words(verdict)
        shown = desk.outcome(verdict, context.tool_result or "")
        return str(shown)

    register_before_tool_call_hook(before)
    register_after_tool_call_hook(after)

    def remove() -> None:
        unregister_before_tool_call_hook(before)
        unregister_after_tool_call_hook(after)

    return remove


def _name(context: ToolCallHookContext) -> str:
    return getattr(context.tool, "name", None) or context.tool_name


def _key(context: ToolCallHookContext) -> str:
    return f"{context.tool_name} {json.dumps(context.tool_input, default=str, sort_keys=True)}"
