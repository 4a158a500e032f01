"""The gate between AI agents and the world: every tool call judged, decided and recorded.

    from portcullis_gate import Gate

    gate = Gate(project=".")
    verdict = gate.judge("bash", {"command": "rm -rf ~"})
    verdict.decision, verdict.why

Nothing is opened, started or asked of the network before a `Gate` is made. Drop-ins and adapters are modules of their own,
which import the framework that they are for: `portcullis_gate.openhands`, `.rlm`, `.langchain` and others.
"""

from ._native import __version__
from .approvals import Terminal
from .errors import (
    CallError,
    ConfigError,
    Denied,
    GateError,
    InternalError,
    NotApproved,
    RecordError,
)
from .gate import Gate, Session, inspect, redact
from .guard import guard
from .verdict import Answer, File, Finding, Gap, Inspection, Outcome, Verdict

__all__ = [
    "Answer",
    "CallError",
    "ConfigError",
    "Denied",
    "File",
    "Finding",
    "Gap",
    "Gate",
    "GateError",
    "Inspection",
    "InternalError",
    "NotApproved",
    "Outcome",
    "RecordError",
    "Session",
    "Terminal",
    "Verdict",
    "__version__",
    "guard",
    "inspect",
    "redact",
]
