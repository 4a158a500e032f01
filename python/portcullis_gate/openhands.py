"""OpenHands (`openhands-sdk`): an analyzer and a confirmation policy in the place of its own.

    from portcullis_gate.openhands import PortcullisAnalyzer, PortcullisConfirm

    conversation.set_security_analyzer(PortcullisAnalyzer(project="."))
    conversation.set_confirmation_policy(PortcullisConfirm())

Both hold plain settings alone, so that a conversation can be saved, restored and sent to an agent server that has this package.
An analyzer there gives a risk and cannot refuse: what a gate denies is `HIGH`, which waits for a person. Where it must never
run, install the program's hook beside it (`portcullis install openhands`).
"""

from __future__ import annotations

import json
import os
from typing import Any, Optional

from openhands.sdk.event import ActionEvent, Event, MessageEvent, ObservationEvent
from openhands.sdk.event.llm_convertible import AgentErrorEvent
from openhands.sdk.security.analyzer import SecurityAnalysis, SecurityAnalyzerBase
from openhands.sdk.security.confirmation_policy import ConfirmationPolicyBase
from openhands.sdk.security.risk import SecurityRisk
from pydantic import Field, PrivateAttr

from ._native import CallError
from .gate import Gate
from .verdict import Verdict

__all__ = ["PortcullisAnalyzer", "PortcullisConfirm"]

_RISKS = {
    "safe": SecurityRisk.LOW,
    "low": SecurityRisk.LOW,
    "medium": SecurityRisk.MEDIUM,
    "high": SecurityRisk.HIGH,
    "critical": SecurityRisk.HIGH,
    "unknown": SecurityRisk.UNKNOWN,
}

#: How many actions are kept of which no observation came.
_OPEN = 1_024


class _Desk:
    """What an analyzer has that is not saved: its gate, its session, and the actions of which no observation came yet."""

    def __init__(self) -> None:
        self.gate: Gate | None = None
        self.session = f"openhands-{os.urandom(8).hex()}"
        self.verdicts: dict[str, Verdict] = {}

    def keep(self, id: str, verdict: Verdict) -> None:
        while len(self.verdicts) >= _OPEN:
            self.verdicts.pop(next(iter(self.verdicts)))
        self.verdicts[id] = verdict


class PortcullisAnalyzer(SecurityAnalyzerBase):
    """Judges each action by what would run: the validated action, not what the model says about it.

    The risk is never below what the model itself declared, and `HIGH` where the gate asks or denies. What was found stands in
    the details of the analysis, which OpenHands shows in its events.
    """

    config: Optional[str] = Field(default=None, description="The file of a configuration; the usual one without it.")
    project: Optional[str] = Field(default=None, description="The directory that the tools run in, where it is on this machine.")
    record: bool = Field(default=True, description="Whether decisions are recorded.")
    mode: Optional[str] = Field(default=None, description="The permission mode that is enforced.")
    session: Optional[str] = Field(default=None, description="The id of the session; one is made without it.")

    _desk: _Desk = PrivateAttr(default_factory=lambda: _Desk())

    @property
    def gate(self) -> Gate:
        """The gate, opened when it is first needed."""
        desk = self._desk
        if desk.gate is None:
            desk.gate = Gate(self.config, self.project, self.record, "openhands", mode=self.mode)
        return desk.gate

    def security_risk(self, action: ActionEvent) -> SecurityRisk:
        """The risk of an action. What cannot be judged is `HIGH`."""
        try:
            return _risk(self._judged(action), action)
        except Exception:
            return SecurityRisk.HIGH

    def analyze_action(self, action: ActionEvent) -> SecurityAnalysis:
        """The risk of an action, with what was found. What cannot be judged is `HIGH`."""
        try:
            verdict = self._judged(action)
            return SecurityAnalysis(risk=_risk(verdict, action), details=_details(verdict))
        except Exception as error:
            details = {"error": str(error), "decision": "deny"}
            return SecurityAnalysis(risk=SecurityRisk.HIGH, details=details)

    def _judged(self, action: ActionEvent) -> Verdict:
        desk = self._desk
        verdict = (desk.gate or self.gate).judge(
            action.tool_name,
            _arguments(action),
            session=self.session or desk.session,
            id=action.tool_call_id,
            **_said(action),
        )
        desk.keep(action.tool_call_id, verdict)
        return verdict

    def on_event(self, event: Event) -> None:
        """A callback of a conversation (`Conversation(callbacks=[analyzer.on_event])`): what a person sent and what tools
        answered count for the actions that follow."""
        if isinstance(event, MessageEvent) and event.source == "user":
            self.gate.prompt(_text(event.llm_message), session=self.session or self._desk.session)
        elif isinstance(event, (ObservationEvent, AgentErrorEvent)):
            verdict = self._desk.verdicts.pop(event.tool_call_id, None)
            if verdict is not None:
                is_error = isinstance(event, AgentErrorEvent)
                self.gate.outcome(verdict, _text(event.to_llm_message()), failed=is_error)


class PortcullisConfirm(ConfirmationPolicyBase):
    """Waits for a person where `PortcullisAnalyzer` says `HIGH`, or cannot tell. The thinking is the analyzer's."""

    def should_confirm(self, risk: SecurityRisk = SecurityRisk.UNKNOWN) -> bool:
        """Whether a person must agree first."""
        return risk not in (SecurityRisk.LOW, SecurityRisk.MEDIUM)


def _arguments(action: ActionEvent) -> dict[str, Any]:
    """What would run: the validated action, else what the model sent, without what it says about it."""
    validated = action.action
    if validated is not None:
        sent = getattr(validated, "to_mcp_arguments", None)
        if callable(sent):
            return dict(sent())
        return dict(validated.model_dump(mode="json", exclude={"kind"}, exclude_none=True))
    arguments = json.loads(action.tool_call.arguments or "{}")
    if not isinstance(arguments, dict):
        raise CallError("the arguments are no object")
    return {key: value for key, value in arguments.items() if key not in ("security_risk", "summary")}


def _said(action: ActionEvent) -> dict[str, str]:
    """What the model says beside the call. It is read for planted instructions, and loosens nothing."""
    said = {}
    parts = [action.reasoning_content, *(part.text for part in action.thought)]
    thought = "\n".join(part for part in parts if part)
    if thought:
        said["thought"] = thought
    if action.summary:
        said["summary"] = action.summary
    return said


def _risk(verdict: Verdict, action: ActionEvent) -> SecurityRisk:
    if not verdict.allowed:
        return SecurityRisk.HIGH
    risk, declared = _RISKS[verdict.risk], action.security_risk
    if SecurityRisk.UNKNOWN in (risk, declared):
        return SecurityRisk.HIGH if declared == SecurityRisk.HIGH else risk
    return max(risk, declared)


def _details(verdict: Verdict) -> dict[str, Any]:
    said = verdict.to_dict()
    kept = ("decision", "risk", "layer", "reasons", "findings", "coverage", "gaps", "action", "reversible")
    return {**{key: said[key] for key in kept if key in said}, "why": verdict.why}


def _text(message: Any) -> str:
    return "\n".join(part.text for part in message.content if hasattr(part, "text"))
