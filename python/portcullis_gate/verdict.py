"""What a gate says of a call. The fields are those of docs/reference/answer.schema.json."""

from __future__ import annotations

from ._records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias, TypeVar

    from ._native import Judged

    _T = TypeVar("_T")

__all__ = ["Answer", "Decision", "File", "Finding", "Gap", "Inspection", "Outcome", "Risk", "Verdict"]

Decision: TypeAlias = "Literal['allow', 'ask', 'deny']"
Risk: TypeAlias = "Literal['safe', 'low', 'medium', 'high', 'critical', 'unknown']"


class Finding(Record):
    """Something that a call would do and that a person should know of."""

    rule: str
    severity: str
    confidence: str
    category: str
    #: A JSON pointer into the arguments.
    pointer: str
    #: The first byte and the one after the last, in that string (UTF-8).
    span: tuple[int, int]
    message: str
    remedy: str
    reversible: bool
    resource: str | None = None
    #: The decoded or nested text that it lies in.
    layer_text: str | None = None
    #: The file that it lies in, where that is one that the call starts.
    file: str | None = None
    file_span: tuple[int, int] | None = None
    file_line: int | None = None


class Gap(Record):
    """A place that was not understood."""

    pointer: str
    span: tuple[int, int]
    reason: str
    layer_text: str | None = None


class File(Record):
    """A file that a call would start, load, or give to something that acts on it."""

    path: str
    read: str
    why: str
    sha256: str | None = None
    bytes: int | None = None


class Verdict(Record):
    """The answer to one call."""

    decision: Decision
    risk: Risk
    #: The layer of the policy that decided.
    layer: str
    #: Why, the most important first.
    reasons: tuple[str, ...]
    #: The most severe first.
    findings: tuple[Finding, ...]
    coverage: Literal["full", "partial"]
    gaps: tuple[Gap, ...]
    #: What it touches, each with its kind.
    resources: tuple[str, ...]
    reversible: bool
    impact: str
    recommendations: tuple[str, ...]
    #: What must hold while it runs.
    obligations: tuple[Any, ...]
    files: tuple[File, ...]
    #: The action's hash, which a yes is bound to; empty where nothing could be judged.
    action: str
    tool: str = ""
    session: str | None = None
    #: The name of the exception, where there is no judgement because of one. The decision is `deny` then.
    error: str | None = None
    _line: str = ""
    _answer: str = ""
    _judged: Judged | None = None

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # Whoever wants more than the decision reads the engine's answer.
            if name in Verdict._names:
                text = self._text()
                if text:
                    self.__dict__.update(_said(text))
                    return self.__dict__[name]
            raise AttributeError(f"a verdict has no `{name}`")

    def _text(self) -> str:
        """The engine's answer, which it writes when somebody asks for it first."""
        text = self.__dict__.get("_answer")
        if text is None:
            judged = self.__dict__.get("_judged")
            text = self.__dict__["_answer"] = "" if judged is None else judged.answer
        return text

    @property
    def allowed(self) -> bool:
        """It may run."""
        return self.decision == "allow"

    @property
    def asks(self) -> bool:
        """A person must agree first."""
        return self.decision == "ask"

    @property
    def denied(self) -> bool:
        """It must not run."""
        return self.decision == "deny"

    @property
    def remedies(self) -> tuple[str, ...]:
        """What to do instead, each once."""
        return tuple(dict.fromkeys(finding.remedy for finding in self.findings))

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that were judged: a copy, whatever became of what the caller holds."""
        import json

        if not self._line:
            return {}
        arguments: dict[str, Any] = json.loads(self._line)["arguments"]
        return arguments

    @property
    def why(self) -> str:
        """Why, in a line for the agent or its person: what decided, and what to do instead."""
        worst = self.findings[0] if self.findings else None
        reason = self.reasons[0] if self.reasons else "the policy says so"
        words = reason if worst is None or worst.message in reason else f"{worst.message} ({reason})"
        if worst is not None and self.decision != "allow":
            words = f"{words}. Instead: {worst.remedy}"
        return words

    def to_dict(self) -> dict[str, Any]:
        """The answer as the program writes it; empty where nothing could be judged."""
        import json

        text = self._text()
        if not text:
            return {}
        answer: dict[str, Any] = json.loads(text)
        return answer

    def __getstate__(self) -> dict[str, Any]:
        # What the engine keeps of a call stays in its process; without it, an outcome is not tied to its call.
        return {**self.__dict__, "_answer": self._text(), "_judged": None}


class Answer(Record):
    """Somebody's answer to what a gate asked."""

    approves: bool
    #: Who answers: their name goes into the record.
    by: str = "the program's approver"
    reason: str | None = None
    #: The hash of what they were shown; the verdict's where it is left out.
    action: str | None = None


class Inspection(Record):
    """What a text holds that an agent or its readers must be careful with."""

    #: The text without its secrets.
    redacted: str
    #: The secrets: `type`, `rule`, `span`, `line`, `match` (masked), `fingerprint` and more.
    secrets: tuple[dict[str, Any], ...]
    #: It tells an agent what to do.
    injection: bool
    injection_findings: tuple[dict[str, Any], ...]
    #: It does, or comes near to it.
    caution: bool
    caution_findings: tuple[dict[str, Any], ...]


class Outcome(Record):
    """What a call came to, as it may be shown."""

    #: The result without its secrets: itself where there are none, else of its own kind where that can be, else its text.
    shown: Any
    inspection: Inspection


def read_verdict(decision: Decision, line: str, judged: Judged, tool: str, session: str | None) -> Verdict:
    """The verdict on a call. The engine's answer is read when somebody wants more of it than the decision."""
    fields = {
        "decision": decision,
        "tool": tool,
        "session": session,
        "error": None,
        "_line": line,
        "_judged": judged,
    }
    return _made(Verdict, fields)


def read_answered(answer: str, asked: Verdict) -> Verdict:
    """The verdict on a call after somebody answered."""
    fields = {**asked.__dict__, **_said(answer), "_answer": answer}
    return _made(Verdict, fields)


def _said(answer: str) -> dict[str, Any]:
    """The fields of a verdict that stand in the engine's answer."""
    import json

    said = json.loads(answer)
    return {
        "decision": said["decision"],
        "risk": said["risk"],
        "layer": said["layer"],
        "reasons": tuple(said["reasons"]),
        "findings": tuple(_finding(one) for one in said["findings"]),
        "coverage": said["coverage"],
        "gaps": tuple(
            Gap(one["in"], tuple(one["span"]), one["reason"], one.get("layer_text"))
            for one in said.get("gaps", ())
        ),
        "resources": tuple(said["resources"]),
        "reversible": said["reversible"],
        "impact": said["impact"],
        "recommendations": tuple(said["recommendations"]),
        "obligations": tuple(said.get("obligations", ())),
        "files": tuple(
            File(one["path"], one["read"], one["why"], one.get("sha256"), one.get("bytes"))
            for one in said.get("files", ())
        ),
        "action": said["action"],
    }


def failed(error: BaseException, tool: str, session: str | None, words: str | None = None) -> Verdict:
    """The verdict on what could not be judged: it does not run."""
    reason = words or f"it was not judged, so it does not run: {error}"
    return Verdict(
        decision="deny",
        risk="unknown",
        layer="floor",
        reasons=(reason,),
        findings=(),
        coverage="partial",
        gaps=(),
        resources=(),
        reversible=False,
        impact="it is not known what it would do",
        recommendations=(),
        obligations=(),
        files=(),
        action="",
        tool=tool,
        session=session,
        error=type(error).__name__,
    )


def read_inspection(answer: str) -> Inspection:
    """What the engine says of a text."""
    import json

    said = json.loads(answer)
    return Inspection(
        redacted=said["redacted"],
        secrets=tuple(said["secrets"]),
        injection=said["injection"],
        injection_findings=tuple(said["injection_findings"]),
        caution=said["caution"],
        caution_findings=tuple(said["caution_findings"]),
    )


def _made(kind: type[_T], fields: dict[str, Any]) -> _T:
    """As calling it with every field, without looking at each."""
    made = object.__new__(kind)
    made.__dict__.update(fields)
    return made


def _finding(said: dict[str, Any]) -> Finding:
    file_span = said.get("file_span")
    return _made(
        Finding,
        {
            "rule": said["rule"],
            "severity": said["severity"],
            "confidence": said["confidence"],
            "category": said["category"],
            "pointer": said["in"],
            "span": tuple(said["span"]),
            "message": said["message"],
            "remedy": said["remedy"],
            "reversible": said["reversible"],
            "resource": said.get("resource"),
            "layer_text": said.get("layer_text"),
            "file": said.get("file"),
            "file_span": tuple(file_span) if file_span else None,
            "file_line": said.get("file_line"),
        },
    )
