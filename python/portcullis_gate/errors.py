"""Everything that goes wrong, as one tree under `GateError`."""

from __future__ import annotations

from ._native import CallError, ConfigError, GateError, InternalError, RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .verdict import Verdict

__all__ = [
    "CallError",
    "ConfigError",
    "Denied",
    "GateError",
    "InternalError",
    "NotApproved",
    "RecordError",
]


class Denied(GateError):
    """A call does not run. `verdict` says why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.why)
        self.verdict = verdict

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.verdict,))


class NotApproved(Denied):
    """A call asks, and nobody agreed to it."""
