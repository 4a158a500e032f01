"""rlm-code (`rlm_code.rlm.approval`): its risk assessor, gate, handlers and audit log, with the analysis of this gate.

The least touch: `RiskAssessor(custom_assessor=portcullis_gate.rlm.custom_assessor)`. Else import the same names from here
instead of from `rlm_code.rlm.approval`: they are subclasses, and take the same arguments.

What differs, on purpose: a request is decided once, by the first answer; its id cannot be guessed or met by chance; what was
asked about is what was decided, whatever becomes of the dictionary that was passed in; and a log that cannot be written says so.
"""

from __future__ import annotations

import copy
import json
import logging
import re
import secrets
from collections.abc import Callable
from typing import Any

from rlm_code.rlm.approval import audit as _audit
from rlm_code.rlm.approval import gate as _gate
from rlm_code.rlm.approval import handlers as _handlers
from rlm_code.rlm.approval import policy as _policy
from rlm_code.rlm.approval.audit import AuditEntry
from rlm_code.rlm.approval.gate import ApprovalRequest, ApprovalResponse, ApprovalStatus
from rlm_code.rlm.approval.handlers import (
    ApprovalHandler,
    AutoApproveHandler,
    AutoDenyHandler,
    CallbackApprovalHandler,
)
from rlm_code.rlm.approval.policy import (
    ApprovalPolicy,
    RiskAssessment,
    RiskRule,
    ToolRiskLevel,
)

from . import _native
from ._plain import encode
from .gate import redact

__all__ = [
    "ApprovalAuditLog",
    "ApprovalGate",
    "ApprovalHandler",
    "ApprovalPolicy",
    "ApprovalRequest",
    "ApprovalResponse",
    "ApprovalStatus",
    "AuditEntry",
    "AutoApproveHandler",
    "AutoDenyHandler",
    "CallbackApprovalHandler",
    "ConditionalApprovalHandler",
    "ConsoleApprovalHandler",
    "QueueApprovalHandler",
    "RiskAssessment",
    "RiskAssessor",
    "RiskRule",
    "ToolRiskLevel",
    "custom_assessor",
]

_ORDER = list(ToolRiskLevel)
_DEFAULTS = {rule.name: rule for rule in _policy.RiskAssessor.DEFAULT_RULES}


def custom_assessor(action: dict[str, Any]) -> RiskAssessment:
    """Assesses an action as the program's `assess` does: by the documented rules, on code that is read and not matched. What
    cannot be assessed is critical."""
    return _assessed(action, [])


def _assessed(action: dict[str, Any], without: list[str]) -> RiskAssessment:
    try:
        said = json.loads(_native.assess(encode({"action": action}), without))
    except Exception as error:
        return _unreadable(str(error))
    level = said["level"]
    return RiskAssessment(
        # What is not understood is no lower than what needs a person.
        level=ToolRiskLevel.HIGH if level == "unknown" else ToolRiskLevel(level),
        reasons=said["reasons"],
        affected_resources=said["affected_resources"],
        reversible=said["reversible"],
        estimated_impact=said["estimated_impact"],
        recommendations=said["recommendations"],
    )


def _unreadable(why: str) -> RiskAssessment:
    return RiskAssessment(
        level=ToolRiskLevel.CRITICAL,
        reasons=[f"it cannot be assessed: {why}"],
        reversible=False,
        estimated_impact="it is not known what it would do",
        recommendations=["Review the action carefully before approving"],
    )


class RiskAssessor(_policy.RiskAssessor):
    """Theirs, with code that is understood. Rules of one's own are asked beside the documented ones; a documented rule that is
    removed is not asked, and rules that are given replace them all."""

    def assess(self, action: dict[str, Any]) -> RiskAssessment:
        """The risk of an action. A rule or an assessor that fails counts as high."""
        if self.custom_assessor:
            try:
                return self.custom_assessor(action)
            except Exception as error:
                return _unreadable(f"the assessor failed: {error}")
        documented = {id(_DEFAULTS[rule.name]) for rule in self.rules if rule.name in _DEFAULTS}
        kept = {rule.name for rule in self.rules if id(rule) in documented}
        found = _assessed(action, [name for name in _DEFAULTS if name not in kept])
        own = [rule for rule in self.rules if id(rule) not in documented]
        fired = [(rule, why) for rule in own if (why := _fires(rule, action))]
        if not fired:
            return found
        level = max([found.level, *(_level(rule, why) for rule, why in fired)], key=_ORDER.index)
        news = [rule.reason if why is True else why for rule, why in fired]
        quiet = found.level is ToolRiskLevel.SAFE and level is not ToolRiskLevel.SAFE
        reversible = found.reversible and all(rule.reversible and why is True for rule, why in fired)
        recommendations = list(found.recommendations)
        if level in (ToolRiskLevel.HIGH, ToolRiskLevel.CRITICAL) and not recommendations:
            recommendations.append("Review the action carefully before approving")
            if not reversible:
                recommendations.append("This action cannot be easily undone")
        return RiskAssessment(
            level=level,
            reasons=news if quiet else found.reasons + news,
            affected_resources=found.affected_resources,
            reversible=reversible,
            estimated_impact=self._estimate_impact(level, []),
            recommendations=recommendations,
        )


def _fires(rule: RiskRule, action: dict[str, Any]) -> bool | str:
    """Whether a rule fires, or why it could not be asked."""
    try:
        if callable(rule.pattern):
            return bool(rule.pattern(action))
        return re.search(rule.pattern, str(action.get("code", "")), re.IGNORECASE) is not None
    except Exception as error:
        return f"the rule `{rule.name}` failed: {error}"


def _level(rule: RiskRule, why: bool | str) -> ToolRiskLevel:
    if why is True:
        return rule.risk_level
    return max(rule.risk_level, ToolRiskLevel.HIGH, key=_ORDER.index)


class ApprovalGate(_gate.ApprovalGate):
    """Theirs, where a request is decided once, and about what was asked."""

    def __init__(
        self,
        policy: ApprovalPolicy = ApprovalPolicy.CONFIRM_HIGH_RISK,
        risk_assessor: _policy.RiskAssessor | None = None,
        approval_handler: Any = None,
        audit_log: Any = None,
    ) -> None:
        super().__init__(policy, risk_assessor or RiskAssessor(), _handling(approval_handler), audit_log)
        self._decided: set[str] = set()

    def check_action(self, action: dict[str, Any]) -> ApprovalRequest:
        """Assesses a copy of an action, which is what a yes is about: run `request.action`."""
        kept = copy.deepcopy(action)
        assessment = self.assessor.assess(copy.deepcopy(kept))
        request = ApprovalRequest(
            request_id=secrets.token_hex(16),
            action=kept,
            risk_assessment=assessment,
            requires_approval=self._requires_approval(assessment),
        )
        if request.requires_approval:
            # What handlers are given is theirs; what is decided about is kept apart.
            self._pending_requests[request.request_id] = copy.deepcopy(request)
        return request

    async def request_approval(self, request: ApprovalRequest) -> ApprovalResponse:
        """Asks about a request that `check_action` made, once."""
        kept = self._pending_requests.get(request.request_id)
        if not request.requires_approval:
            again = self.assessor.assess(copy.deepcopy(request.action))
            if self._requires_approval(again):
                return self._said(request, False, "the action is not the one that was checked")
            return await super().request_approval(request)
        if kept is None:
            return self._said(request, False, "Request not found or already processed")
        if kept.action != request.action:
            return self._once(kept, False, "the action is not the one that was checked")
        if self._approval_handler is None:
            self._pending_requests.pop(request.request_id, None)
            return await super().request_approval(request)
        try:
            response = await self._approval_handler(request)
        except Exception as error:
            return self._once(kept, False, f"Approval handler error: {error}")
        if response.request_id != kept.request_id or request.action != kept.action:
            return self._once(kept, False, "the answer is about another request")
        if self._pending_requests.pop(kept.request_id, None) is None:
            return self._said(kept, False, "Request not found or already processed")
        approved = response.approved is True
        if response.approved is not approved:
            response = self._response(kept, False, "the handler gave no plain answer")
        self._log_response(kept, response)
        return response

    def set_approval_handler(self, handler: Any) -> None:
        """Another handler: a coroutine function, or an `ApprovalHandler`."""
        super().set_approval_handler(_handling(handler))

    def _once(self, request: ApprovalRequest, approved: bool, reason: str) -> ApprovalResponse:
        if self._pending_requests.pop(request.request_id, None) is None:
            reason = "Request not found or already processed"
        return self._said(request, approved, reason)

    def _said(self, request: ApprovalRequest, approved: bool, reason: str) -> ApprovalResponse:
        response = self._response(request, approved, reason)
        self._log_response(request, response)
        return response

    @staticmethod
    def _response(request: ApprovalRequest, approved: bool, reason: str) -> ApprovalResponse:
        status = ApprovalStatus.APPROVED if approved else ApprovalStatus.DENIED
        return ApprovalResponse(request.request_id, status, approved, reason)


def _handling(handler: Any) -> Callable[[ApprovalRequest], Any] | None:
    """A handler as what is called: theirs are given as objects in their own documentation."""
    return handler.handle if isinstance(handler, ApprovalHandler) else handler


class ConsoleApprovalHandler(_handlers.ConsoleApprovalHandler):
    """Theirs, where no answer in time is a no."""

    def __init__(self, timeout_seconds: int = 300, default_on_timeout: bool = False) -> None:
        if default_on_timeout:
            raise ValueError("no answer is never a yes")
        super().__init__(timeout_seconds, default_on_timeout=False)


class ConditionalApprovalHandler(_handlers.ConditionalApprovalHandler):
    """Theirs, where nothing from high on is approved by itself."""

    def __init__(self, high_risk_handler: ApprovalHandler, auto_approve_below: str = "medium") -> None:
        if auto_approve_below not in ("safe", "low", "medium"):
            raise ValueError("`auto_approve_below` is safe, low or medium")
        super().__init__(high_risk_handler, auto_approve_below)


class QueueApprovalHandler(_handlers.QueueApprovalHandler):
    """Theirs, where each request is decided by the first answer, and what is decided waits no more."""

    async def handle(self, request: ApprovalRequest) -> ApprovalResponse:
        """Waits for an answer."""
        try:
            return await super().handle(request)
        finally:
            self._queue = [one for one in self._queue if one.request_id != request.request_id]
            self._responses.pop(request.request_id, None)

    def respond(self, request_id: str, approved: bool, reason: str = "") -> bool:
        """Answers a request; `False` where it does not wait, or was answered."""
        event = self._events.get(request_id)
        if event is None or event.is_set():
            return False
        return super().respond(request_id, approved, reason)


class ApprovalAuditLog(_audit.ApprovalAuditLog):
    """Theirs, without secrets, where a line that cannot be written is an error."""

    def log(self, request: ApprovalRequest, response: ApprovalResponse) -> AuditEntry:
        """Keeps a decision."""
        shown = copy.deepcopy(request)
        shown.action["code"] = redact(str(shown.action.get("code") or ""))
        return super().log(shown, response)

    def _write_entry(self, entry: AuditEntry) -> None:
        if self.log_file is None:
            return
        try:
            with open(self.log_file, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry.to_dict()) + "\n")
        except OSError as error:
            logging.getLogger(__name__).error("a decision could not be logged: %s", error)
            raise


