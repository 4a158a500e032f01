"""smolagents: an executor that judges the code which a `CodeAgent` writes, and tools that are judged.

    from portcullis_gate.smolagents import protect

    agent = protect(CodeAgent(tools=[…], model=…), approve=Terminal())

A code agent runs Python, so its code is what is judged, whole, before any of it runs. A `ToolCallingAgent` has its tools judged. smolagents has no
question of its own: what asks is asked of `approve`, a plain function.
"""

from __future__ import annotations

from typing import Any

from smolagents import CodeAgent, MultiStepAgent
from smolagents.local_python_executor import CodeOutput, InterpreterError, PythonExecutor

from ._adapter import Desk, Gated, words
from .approvals import Approver
from .errors import Denied, NotApproved
from .gate import redact

__all__ = ["GatedExecutor", "protect"]


def protect(agent: MultiStepAgent, gate: Gated = None, *, approve: Approver | None = None) -> MultiStepAgent:
    """The agent, with its tools, its code and the agents that it manages behind a gate."""
    desk = Desk(gate, "smolagents", approve)
    _protected(agent, desk, set())
    return agent


def _protected(agent: Any, desk: Desk, known: set[int]) -> None:
    if id(agent) in known:
        return
    known.add(id(agent))
    if isinstance(agent, CodeAgent):
        agent.python_executor = GatedExecutor(agent.python_executor, desk)
    else:
        for tool in agent.tools.values():
            if tool.name != "final_answer":
                _judge_tool(tool, desk)
    for managed in (agent.managed_agents or {}).values():
        _protected(managed, desk, known)


class GatedExecutor(PythonExecutor):
    """An executor that runs what a gate allows, in another executor."""

    def __init__(self, inner: PythonExecutor, desk: Desk) -> None:
        self._inner, self._desk = inner, desk

    def send_tools(self, tools: dict[str, Any]) -> None:
        """Passes tools on, each judged by its own arguments too."""
        for tool in tools.values():
            if getattr(tool, "name", None) != "final_answer" and hasattr(tool, "forward"):
                _judge_tool(tool, self._desk)
        self._inner.send_tools(tools)

    def send_variables(self, variables: dict[str, Any]) -> None:
        """Passes variables on."""
        self._inner.send_variables(variables)

    def __call__(self, code_action: str) -> CodeOutput:
        """Runs code, if it is allowed."""
        verdict = self._desk.decide("python", {"code": code_action})
        if not verdict.allowed:
            raise NotApproved(verdict) if verdict.asks else Denied(verdict)
        try:
            output = self._inner(code_action)
        except Exception as error:
            shown = str(self._desk.outcome(verdict, str(error), failed=True))
            if shown != str(error):
                raise InterpreterError(shown) from None
            raise
        output.logs = str(self._desk.outcome(verdict, output.logs))
        if isinstance(output.output, (str, bytes, dict, list)):
            output.output = self._desk.outcome(verdict, output.output)
        return output

    @property
    def state(self) -> dict[str, Any]:
        """What the code left, with what it printed as it may be shown: an agent shows that where code fails."""
        state = dict(getattr(self._inner, "state", {}))
        if "_print_outputs" in state:
            state["_print_outputs"] = redact(str(state["_print_outputs"]))
        return state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _judge_tool(tool: Any, desk: Desk) -> None:
    """Puts a tool behind the desk, in place and once: agents keep references to their tools."""
    inner = tool.forward
    if getattr(inner, "_portcullis", None) is desk:
        return
    desk.tool(tool.name, tool.description)
    names = list(tool.inputs)

    def forward(*args: Any, **kwargs: Any) -> Any:
        arguments = {**dict(zip(names, args)), **kwargs}
        if len(args) > len(names):
            arguments["more"] = list(args[len(names) :])
        verdict = desk.decide(tool.name, arguments)
        if not verdict.allowed:
            return words(verdict)
        try:
            result = inner(*args, **kwargs)
        except Exception as error:
            shown = str(desk.outcome(verdict, str(error), failed=True))
            if shown != str(error):
                raise RuntimeError(shown) from None
            raise
        return desk.outcome(verdict, result)

    forward._portcullis = desk  # type: ignore[attr-defined]
    tool.forward = forward
