"""The gate, and one session in front of it."""

from __future__ import annotations

import os
from _thread import allocate_lock
from weakref import WeakSet

from . import _native
from ._native import CallError
from ._plain import encode, text_of, without_secrets
from .approvals import Terminal
from .verdict import Answer, Inspection, Outcome, Verdict, failed, read_answered, read_inspection, read_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from .approvals import Approver, AsyncApprover

__all__ = ["Gate", "Session", "inspect", "redact"]


def redact(text: str) -> str:
    """A text without the secrets in it."""
    return _native.redact(text)


def inspect(text: str) -> Inspection:
    """What a text holds that an agent or its readers must be careful with: secrets, and words that tell an agent what to do."""
    return read_inspection(_native.inspect(text))


def clean(value: Any) -> Any:
    """A value as it may be shown before it counts as a result."""
    text = text_of(value)
    redacted = redact(text)
    return without_secrets(value, redacted, redact) if redacted != text else value


class Gate:
    """Judges tool calls by the configuration of this machine, as the program `portcullis` does.

    `config`: the file of a configuration; the user's own where none is given.
    `project`: the directory that calls run in which name none. Without it, where such a call runs is not known, which makes
    a verdict stricter and never looser.
    `record`: whether decisions, answers and outcomes are recorded in the tamper-evident record of this machine, or the
    state directory of another one.
    `agent`: who makes the calls, in the record.
    `session`: the session of calls that name none; see `Gate.session`.
    `approve`: who is asked; see `portcullis_gate.approvals`. Without one, what asks does not run in `decide`.
    `gateway`: the URL of a gateway that has a say too and where people answer; `gateway_token` is a file with the token for
    agents, `wait` how many seconds a person is waited for.
    `mode`: the permission mode that is enforced for every call.
    `monitor`: whether what is noticed about a session (loops, limits) raises decisions, as in a hook.

    A gate can be shared by threads, and goes on working after a fork.
    """

    def __init__(
        self,
        config: str | os.PathLike[str] | None = None,
        project: str | os.PathLike[str] | None = None,
        record: bool | str | os.PathLike[str] = True,
        agent: str | None = None,
        *,
        session: str | None = None,
        approve: Approver | None = None,
        gateway: str | None = None,
        gateway_token: str | os.PathLike[str] | None = None,
        wait: int = 0,
        mode: str | None = None,
        monitor: bool = True,
        can_ask: bool = True,
    ) -> None:
        self.project = None if project is None else os.path.abspath(os.fspath(project))
        self.agent = agent
        self.session_id = session
        self.approve = approve
        self._lock = allocate_lock()
        self._watchers: tuple[Callable[[str, Verdict, Any], None], ...] = ()
        self._engine = _native.Engine(
            config=config,
            record=record,
            mode=mode,
            monitor=monitor,
            can_ask=can_ask,
            gateway=gateway,
            gateway_token=gateway_token,
            wait=wait,
            package=os.path.dirname(os.path.abspath(__file__)),
        )
        with _forking:
            _gates.add(self)

    @property
    def policy_id(self) -> str:
        """What identifies the policy that calls are judged under."""
        return self._engine.policy_id

    @property
    def broken(self) -> str | None:
        """Why nothing can be recorded, where something should be. What should be recorded and is not is denied."""
        return self._engine.broken

    def session(self, id: str | None = None) -> Session:
        """A session: its calls are judged by what its earlier ones left behind, what a person asked for, and what answers
        said. One without an id is a new one."""
        return Session(self, id or f"python-{os.urandom(8).hex()}")

    def judge(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        cwd: str | os.PathLike[str] | None = None,
        session: str | Session | None = None,
        **more: Any,
    ) -> Verdict:
        """Judges a call and records the decision. `more` is what else a call can say: `home`, `mode`, `summary`, `thought`,
        `security_risk`, `id`.

        Raises `CallError` where the call cannot be judged: it must not run then. `decide` never raises.
        """
        session = self._session(session)
        call: dict[str, Any] = {**more, "tool": tool, "arguments": arguments}
        directory = self.project if cwd is None else os.fspath(cwd)
        if directory is not None:
            call["cwd"] = directory
        if self.agent is not None:
            call["agent"] = self.agent
        if session is not None:
            call["session"] = session
        line = encode(call)
        with self._lock:
            decision, judged = self._engine.judge(line)
        verdict = read_verdict(decision, line, judged, tool, session)
        if self._watchers:
            self._tell("judged", verdict, None)
        return verdict

    def decide(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        cwd: str | os.PathLike[str] | None = None,
        session: str | Session | None = None,
        approve: Approver | None = None,
        **more: Any,
    ) -> Verdict:
        """Judges a call, and asks whoever approves where it asks: what comes of it is `allow` or `deny`, or `ask` where
        nobody is there to be asked. It raises nothing: what goes wrong is a `deny`."""
        try:
            verdict = self.judge(tool, arguments, cwd=cwd, session=session, **more)
            approve = approve or self.approve
            if verdict.asks and approve is not None:
                return self.ask(verdict, approve)
            return verdict
        except Exception as error:
            return self._failed(error, tool, session)

    def ask(self, verdict: Verdict, approve: Approver | None = None) -> Verdict:
        """Asks about a call that asks, and gives the verdict after the answer, which is bound to the hash that was shown.
        It raises nothing: an answer that fails is a no."""
        if not verdict.asks:
            return verdict
        approve = approve or self.approve
        try:
            if approve is None:
                raise CallError("nobody is there to be asked")
            if isinstance(approve, Terminal):
                answer = self._at_terminal(verdict, approve)
            else:
                answer = _answer(approve(verdict))
            return self.answer(verdict, answer)
        except Exception as error:
            return self._failed(error, verdict.tool, verdict.session, f"nobody agreed to it: {error}")

    async def aask(self, verdict: Verdict, approve: AsyncApprover | None = None) -> Verdict:
        """As `ask`, with an approver that may be a coroutine function. A plain one runs on a thread of its own."""
        if not verdict.asks:
            return verdict
        import asyncio
        import inspect

        approver = approve or self.approve
        if not inspect.iscoroutinefunction(approver) and not inspect.iscoroutinefunction(
            getattr(approver, "__call__", None)
        ):
            return await asyncio.to_thread(self.ask, verdict, approver)  # type: ignore[arg-type]
        try:
            answer = await approver(verdict)  # type: ignore[misc]
            return await asyncio.to_thread(self.answer, verdict, _answer(answer))
        except Exception as error:
            return self._failed(error, verdict.tool, verdict.session, f"nobody agreed to it: {error}")

    def answer(self, verdict: Verdict, answer: Answer | bool) -> Verdict:
        """Records somebody's answer to what asked, and gives the verdict after it. A yes counts for the hash that was shown,
        and not where a file that the call starts is another one by now."""
        said = _answer(answer)
        if verdict._judged is None:
            raise CallError("this verdict was made in another process, or of nothing")
        action = verdict.action if said.action is None else said.action
        with self._lock:
            text = self._engine.answered(
                verdict._judged, said.approves, said.by, action, said.reason
            )
        after = read_answered(text, verdict)
        self._tell("answered", after, said)
        return after

    async def ajudge(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Verdict:
        """As `judge`, on another thread."""
        import asyncio

        return await asyncio.to_thread(lambda: self.judge(tool, arguments, **more))

    async def adecide(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        approve: AsyncApprover | None = None,
        **more: Any,
    ) -> Verdict:
        """As `decide`, on another thread, with an approver that may be a coroutine function."""
        import asyncio

        def judged() -> Verdict:
            try:
                return self.judge(tool, arguments, **more)
            except Exception as error:
                return self._failed(error, tool, more.get("session"))

        verdict = await asyncio.to_thread(judged)
        if verdict.asks and (approve or self.approve) is not None:
            return await self.aask(verdict, approve)
        return verdict

    def outcome(self, verdict: Verdict, result: Any, *, failed: bool = False) -> Outcome:
        """Keeps in mind and in the record what a call came to, and gives it without its secrets. What a result tells an agent
        to do counts when the session's next call is judged."""
        text = text_of(result)
        if verdict._judged is None:
            seen = inspect(text)
        else:
            with self._lock:
                said = self._engine.outcome(verdict._judged, text, "failed" if failed else "succeeded")
            seen = read_inspection(said)
        shown = without_secrets(result, seen.redacted, redact) if seen.redacted != text else result
        outcome = Outcome(shown, seen)
        self._tell("outcome", verdict, outcome)
        return outcome

    async def aoutcome(self, verdict: Verdict, result: Any, *, failed: bool = False) -> Outcome:
        """As `outcome`, on another thread."""
        import asyncio

        return await asyncio.to_thread(lambda: self.outcome(verdict, result, failed=failed))

    def prompt(self, text: str, *, session: str | Session | None = None) -> dict[str, Any]:
        """Keeps in mind what a person sent, and nobody else did: what they ask for and the limits that they set count for the
        session's calls. Gives what was noticed."""
        return self._event("prompt", session, text=text)

    def tools(
        self, tools: Iterable[Mapping[str, Any]], *, session: str | Session | None = None
    ) -> dict[str, Any]:
        """Keeps in mind which tools there are: `name`, `description`, `inputSchema`, `annotations`."""
        return self._event("tools", session, tools=list(tools))

    def redact(self, text: str) -> str:
        """A text without the secrets in it."""
        return redact(text)

    def inspect(self, text: str) -> Inspection:
        """What a text holds that an agent or its readers must be careful with."""
        return inspect(text)

    def guard(self, function: Any = None, **options: Any) -> Any:
        """The function, behind this gate; see `portcullis_gate.guard`."""
        from .guard import guard

        return guard(function, gate=self, **options)

    def _event(self, event: str, session: str | Session | None, **fields: Any) -> dict[str, Any]:
        import json

        id = self._session(session)
        if id is None:
            raise CallError("no session is named: use `gate.session()`, or name one")
        said: dict[str, Any] = {"event": event, "session": id, **fields}
        if self.agent is not None:
            said["agent"] = self.agent
        line = encode(said)
        with self._lock:
            answer = self._engine.event(line)
        noticed: dict[str, Any] = json.loads(answer)["noticed"]
        return noticed

    def _session(self, session: str | Session | None) -> str | None:
        if session is None:
            return self.session_id
        return session.id if isinstance(session, Session) else session

    def _at_terminal(self, verdict: Verdict, terminal: Terminal) -> Answer:
        if verdict._judged is None:
            raise CallError("this verdict was made in another process, or of nothing")
        approves, by = self._engine.ask_at_terminal(verdict._judged, terminal.seconds)
        return Answer(approves, by=by, action=verdict.action)

    def _failed(
        self, error: Exception, tool: str, session: str | Session | None, words: str | None = None
    ) -> Verdict:
        verdict = failed(error, tool, self._session(session), words)
        self._tell("judged", verdict, None)
        return verdict

    def _tell(self, what: str, verdict: Verdict, detail: Any) -> None:
        for watcher in self._watchers:
            watcher(what, verdict, detail)


class Session:
    """One conversation with an agent, in front of a gate. It has the gate's methods, for its own calls."""

    def __init__(self, gate: Gate, id: str) -> None:
        self.gate = gate
        self.id = id

    def __repr__(self) -> str:
        return f"Session({self.id!r})"

    def judge(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Verdict:
        """See `Gate.judge`."""
        return self.gate.judge(tool, arguments, session=self.id, **more)

    def decide(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Verdict:
        """See `Gate.decide`."""
        return self.gate.decide(tool, arguments, session=self.id, **more)

    async def adecide(self, tool: str, arguments: Mapping[str, Any], **more: Any) -> Verdict:
        """See `Gate.adecide`."""
        return await self.gate.adecide(tool, arguments, session=self.id, **more)

    def ask(self, verdict: Verdict, approve: Approver | None = None) -> Verdict:
        """See `Gate.ask`."""
        return self.gate.ask(verdict, approve)

    def answer(self, verdict: Verdict, answer: Answer | bool) -> Verdict:
        """See `Gate.answer`."""
        return self.gate.answer(verdict, answer)

    def outcome(self, verdict: Verdict, result: Any, *, failed: bool = False) -> Outcome:
        """See `Gate.outcome`."""
        return self.gate.outcome(verdict, result, failed=failed)

    def prompt(self, text: str) -> dict[str, Any]:
        """See `Gate.prompt`."""
        return self.gate.prompt(text, session=self.id)

    def tools(self, tools: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """See `Gate.tools`."""
        return self.gate.tools(tools, session=self.id)

    def guard(self, function: Any = None, **options: Any) -> Any:
        """See `Gate.guard`."""
        return self.gate.guard(function, session=self.id, **options)


def _answer(said: Any) -> Answer:
    if isinstance(said, Answer):
        return said
    # Nothing but a plain yes is one: what is merely true may be a coroutine that nobody awaited.
    if said is True or said is False:
        return Answer(said)
    raise CallError(f"an approver gave {type(said).__name__} and no bool or Answer")


# A process that is forked while another thread judges must not be left with locks that nobody will open.
_gates: WeakSet[Gate] = WeakSet()
_held: list[Gate] = []
#: Held from before a fork until after it, and while a gate is added.
_forking = allocate_lock()


def _before_fork() -> None:
    _forking.acquire()
    _held[:] = _gates
    for gate in _held:
        gate._lock.acquire()


def _after_fork(child: bool) -> None:
    for gate in _held:
        if child:
            try:
                gate._engine.forked()
            except Exception as error:
                gate._engine = _Closed(error)  # type: ignore[assignment]
        gate._lock.release()
    _held.clear()
    _forking.release()


class _Closed:
    """What stands in the place of an engine that could not be opened again: everything fails, so nothing runs."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise CallError(f"the gate could not be opened again after a fork: {self._error}")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _after_fork(False),
        after_in_child=lambda: _after_fork(True),
    )
