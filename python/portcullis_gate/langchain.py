"""LangChain and LangGraph: a middleware that judges each tool call.

    from portcullis_gate.langchain import PortcullisMiddleware, approve

    agent = create_agent(model, tools, middleware=[..., PortcullisMiddleware()], checkpointer=...)

Put it last in the list: the last one is nearest to the tool, and sees the arguments that run. What asks interrupts the graph; resume
it with `Command(resume=approve(interrupt))` or `reject(interrupt)`. A yes counts for the hash that the interrupt shows. With
`approve=` given to the middleware, that is asked instead, and no checkpointer is needed. For a graph without `create_agent`:
`ToolNode(tools, wrap_tool_call=m.wrap_tool_call, awrap_tool_call=m.awrap_tool_call)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, interrupt

from ._adapter import Desk, Gated, words
from ._plain import copied
from .approvals import AsyncApprover
from .verdict import Verdict

__all__ = ["PortcullisMiddleware", "approve", "reject"]


def approve(asked: Any, by: str = "a person") -> dict[str, Any]:
    """A yes to what an interrupt shows, to resume with."""
    return {"portcullis": "approve", "action": _shown(asked)["action"], "by": by}


def reject(asked: Any, reason: str | None = None, by: str = "a person") -> dict[str, Any]:
    """A no to what an interrupt shows, to resume with."""
    return {"portcullis": "reject", "action": _shown(asked)["action"], "by": by, "reason": reason}


class PortcullisMiddleware(AgentMiddleware):  # type: ignore[type-arg]
    """Judges each tool call, asks by interrupting, and shows results without secrets."""

    def __init__(self, gate: Gated = None, *, approve: AsyncApprover | None = None) -> None:
        super().__init__()
        self.tools = []
        self._desk = Desk(gate, "langchain", approve)

    def before_agent(self, state: Any, runtime: Any) -> None:
        """What a person asked for counts for the calls that follow."""
        messages = state.get("messages") or []
        if messages and isinstance(messages[-1], HumanMessage):
            self._desk.prompt(messages[-1].text, session=self._session())

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Judges a call before it runs."""
        call, session = self._told(request)
        verdict = self._desk.decide(call["name"], call["args"], session=session, id=call["id"])
        verdict = self._interrupting(verdict)
        if not verdict.allowed:
            return _refusal(call, verdict)
        try:
            result = handler(request.override(tool_call=call))
        except GraphBubbleUp:
            raise
        except Exception as error:
            self._desk.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)
            raise
        return self._shown(verdict, result)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Judges a call before it runs."""
        call, session = self._told(request)
        verdict = await self._desk.adecide(call["name"], call["args"], session=session, id=call["id"])
        verdict = self._interrupting(verdict)
        if not verdict.allowed:
            return _refusal(call, verdict)
        try:
            result = await handler(request.override(tool_call=call))
        except GraphBubbleUp:
            raise
        except Exception as error:
            self._desk.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)
            raise
        return self._shown(verdict, result)

    def _told(self, request: Any) -> tuple[dict[str, Any], str]:
        call = dict(request.tool_call)
        call["args"] = copied(call["args"])
        session = self._session()
        tool = request.tool
        if tool is not None:
            self._desk.tool(call["name"], getattr(tool, "description", None), getattr(tool, "args", None), session=session)
        return call, session

    def _session(self) -> str:
        try:
            thread = get_config().get("configurable", {}).get("thread_id")
        except RuntimeError:
            thread = None
        return self._desk.within(str(thread) if thread else None)

    def _interrupting(self, verdict: Verdict) -> Verdict:
        """The verdict after the graph's person answered. The node runs anew when it is resumed, so the call was judged again."""
        if not verdict.asks:
            return verdict
        said = interrupt(
            {
                "portcullis": "ask",
                "action": verdict.action,
                "tool": verdict.tool,
                "arguments": verdict.arguments,
                "risk": verdict.risk,
                "why": verdict.why,
            }
        )
        said = said if isinstance(said, Mapping) else {}
        approves = said.get("portcullis") == "approve"
        by = str(said.get("by") or "a person")
        return self._desk.answered(verdict, approves, said.get("action"), by, said.get("reason"))

    def _shown(self, verdict: Verdict, result: Any) -> Any:
        if isinstance(result, ToolMessage):
            failed = result.status == "error"
            content = self._desk.outcome(verdict, result.content, failed=failed)
            return result if content is result.content else result.model_copy(update={"content": content})
        if isinstance(result, Command) and isinstance(result.update, dict):
            messages = result.update.get("messages")
            if isinstance(messages, list):
                shown = [self._shown(verdict, one) if isinstance(one, ToolMessage) else one for one in messages]
                return Command(
                    graph=result.graph,
                    update={**result.update, "messages": shown},
                    resume=result.resume,
                    goto=result.goto,
                )
        return result


def _refusal(call: Mapping[str, Any], verdict: Verdict) -> ToolMessage:
    return ToolMessage(words(verdict), tool_call_id=call["id"], name=call["name"], status="error")


def _shown(asked: Any) -> Mapping[str, Any]:
    value = getattr(asked, "value", asked)
    if not isinstance(value, Mapping) or value.get("portcullis") != "ask":
        raise ValueError("that is no question of a gate")
    return value
