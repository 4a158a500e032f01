"""What every adapter does in the same way: judge what will run, bind a yes to its hash, show results without secrets. An adapter
adds how its framework asks, refuses and shows. Nothing here raises where that could let a call run."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Optional, Union

from ._plain import copied
from .approvals import AsyncApprover
from .gate import Gate, Session
from .verdict import Answer, Outcome, Verdict

__all__ = ["Desk", "Gated", "NOT_AGREED", "words"]

#: What adapters take as their gate.
Gated = Optional[Union[Gate, Session]]

#: How many calls are kept whose answer or result is still to come.
_OPEN = 1_024

NOT_AGREED = "nobody agreed to it"


def words(verdict: Verdict) -> str:
    """What the agent is told of a call that does not run."""
    return f"portcullis: {NOT_AGREED if verdict.asks else 'denied'}: {verdict.why}"


class Desk:
    """Where an adapter's calls are judged."""

    def __init__(self, gate: Gated, agent: str, approve: AsyncApprover | None = None) -> None:
        if isinstance(gate, Session):
            self.gate, session = gate.gate, gate.id
        else:
            # What an adapter judges runs in this process, so where it runs is known.
            self.gate = gate or Gate(project=os.getcwd(), agent=agent)
            session = self.gate.session_id or f"{agent}-{os.urandom(8).hex()}"
        self.agent = agent
        self.session = session
        self.approve: Any = approve or self.gate.approve
        self._open: OrderedDict[str, Any] = OrderedDict()
        self._told: set[tuple[str, str]] = set()

    @property
    def directory(self) -> str:
        """Where the tools run."""
        return self.gate.project or os.getcwd()

    def within(self, thread: str | None) -> str:
        """The session of a conversation that the framework names, the same after a restart."""
        return f"{self.agent}-{thread}" if thread else self.session

    def judge(self, tool: str, arguments: Any, *, session: str | None = None, id: str | None = None) -> Verdict:
        """The verdict on a call; it asks nobody, and what goes wrong is a `deny`."""
        try:
            more = {} if id is None else {"id": id}
            if not isinstance(arguments, Mapping):
                arguments = {"input": arguments}
            return self.gate.judge(tool, arguments, cwd=self.directory, session=session or self.session, **more)
        except Exception as error:
            return self.gate._failed(error, tool, session or self.session)

    async def ajudge(self, tool: str, arguments: Any, *, session: str | None = None, id: str | None = None) -> Verdict:
        """As `judge`, on another thread."""
        import asyncio

        return await asyncio.to_thread(lambda: self.judge(tool, arguments, session=session, id=id))

    def decide(self, tool: str, arguments: Any, **more: Any) -> Verdict:
        """As `judge`, where whoever approves is asked, if anybody does."""
        verdict = self.judge(tool, arguments, **more)
        return self.gate.ask(verdict, self.approve) if verdict.asks and self.approve else verdict

    async def adecide(self, tool: str, arguments: Any, **more: Any) -> Verdict:
        """As `decide`, on another thread, with an approver that may be a coroutine function."""
        verdict = await self.ajudge(tool, arguments, **more)
        return await self.gate.aask(verdict, self.approve) if verdict.asks and self.approve else verdict

    def answered(self, verdict: Verdict, approves: bool, action: str | None, by: str, reason: str | None = None) -> Verdict:
        """The verdict after the framework's own person answered. `action` is the hash that they were shown; a yes without one,
        or about another action, is none."""
        try:
            if approves and not action:
                raise ValueError("the yes does not say what it is about")
            return self.gate.answer(verdict, Answer(approves, by, reason, action or verdict.action))
        except Exception as error:
            return self.gate._failed(error, verdict.tool, verdict.session, f"{NOT_AGREED}: {error}")

    def outcome(self, verdict: Verdict, result: Any, *, failed: bool = False) -> Any:
        """A result as it may be shown. One that cannot be looked through is not shown."""
        try:
            outcome: Outcome = self.gate.outcome(verdict, result, failed=failed)
            return outcome.shown
        except Exception as error:
            return f"portcullis: the result is held back: {error}"

    async def aoutcome(self, verdict: Verdict, result: Any, *, failed: bool = False) -> Any:
        """As `outcome`, on another thread."""
        import asyncio

        return await asyncio.to_thread(lambda: self.outcome(verdict, result, failed=failed))

    def prompt(self, text: str, *, session: str | None = None) -> None:
        """Keeps in mind what a person sent."""
        if text:
            self.gate.prompt(text, session=session or self.session)

    def tool(self, name: str, description: str | None, schema: Any = None, *, session: str | None = None) -> None:
        """Keeps in mind what a tool says of itself, once for each session."""
        key = (session or self.session, name)
        if key in self._told:
            return
        self._told.add(key)
        told = {"name": name, "description": description or ""}
        if isinstance(schema, Mapping):
            told["inputSchema"] = copied(dict(schema))
        try:
            self.gate.tools([told], session=session or self.session)
        except Exception:
            # A tool of which nothing is known is judged more strictly.
            return

    def keep(self, key: str | None, value: Any) -> None:
        """Keeps something of a call until its answer or result comes."""
        if key is None:
            return
        self._open[key] = value
        while len(self._open) > _OPEN:
            self._open.popitem(last=False)

    def kept(self, key: str | None) -> Any:
        """What was kept of a call, and is still."""
        return None if key is None else self._open.get(key)

    def take(self, key: str | None) -> Any:
        """What was kept of a call, and is not any more."""
        return None if key is None else self._open.pop(key, None)
