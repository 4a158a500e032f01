"""Whom a gate asks. An approver is anything that is called with a `Verdict` and gives a bool or an `Answer`; where none is
given, what asks does not run."""

from __future__ import annotations

from .verdict import Answer, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

__all__ = ["Approver", "AsyncApprover", "Terminal", "nobody"]

Approver: TypeAlias = "Callable[[Verdict], bool | Answer]"
AsyncApprover: TypeAlias = "Callable[[Verdict], bool | Answer | Awaitable[bool | Answer]]"


class Terminal:
    """Asks the person at the terminal that controls this process: they read what would run, without anything that could fool
    them, and type a word that only the question shows. Where an agent started this process, nobody is asked, and it is a no."""

    def __init__(self, seconds: int = 60) -> None:
        self.seconds = seconds

    def __repr__(self) -> str:
        return f"Terminal(seconds={self.seconds})"

    def __call__(self, verdict: Verdict) -> Answer:
        raise TypeError("a terminal is asked by a gate")  # Gate.ask knows it.


def nobody(verdict: Verdict) -> Answer:
    """Says no to whatever asks."""
    return Answer(False, by="nobody", reason="nobody can be asked here")
