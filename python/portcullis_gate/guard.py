"""A function behind a gate: the floor for everything that has no adapter of its own."""

from __future__ import annotations

import os

from ._native import CallError
from ._plain import copied, encode
from .errors import Denied, NotApproved
from .gate import clean
from .verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal

    from .approvals import AsyncApprover
    from .gate import Gate, Session

__all__ = ["guard"]


def guard(
    function: Callable[..., Any] | None = None,
    *,
    gate: Gate,
    tool: str | None = None,
    arguments: Callable[..., Mapping[str, Any]] | None = None,
    session: str | Session | None = None,
    cwd: str | os.PathLike[str] | None = None,
    approve: AsyncApprover | None = None,
    denied: Literal["raise", "text"] = "raise",
) -> Any:
    """The function, behind a gate: each call is judged by the arguments that it would run with, asked about where it asks,
    and runs only then; what it gives comes back without its secrets. Works on coroutine functions, and as a decorator.

    `tool`: the name that the call is judged by; the function's own where none is given.
    `arguments`: makes the arguments that are judged out of those of the call, where JSON cannot say them.
    `denied`: `raise` a `Denied`, or give the agent the `text` that says why.
    """
    import functools
    import inspect

    if function is None:
        return lambda function: guard(
            function,
            gate=gate,
            tool=tool,
            arguments=arguments,
            session=session,
            cwd=cwd,
            approve=approve,
            denied=denied,
        )
    name = tool or getattr(function, "__name__", None) or type(function).__name__
    way = _Way(function, gate, name, arguments, session, cwd, approve, denied)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def guarded_async(*args: Any, **kwargs: Any) -> Any:
            call = way.call(args, kwargs)
            verdict = await way.adecide(call)
            if not verdict.allowed:
                return way.refused(verdict)
            try:
                result = await function(*call.args, **call.kwargs)
            except Exception as error:
                way.failed(verdict, error)
                raise
            return (await gate.aoutcome(verdict, result)).shown

        return guarded_async

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def guarded_stream(*args: Any, **kwargs: Any) -> Any:
            call = way.call(args, kwargs)
            verdict = await way.adecide(call)
            if not verdict.allowed:
                yield way.refused(verdict)
                return
            held = way.parts(verdict)
            try:
                async for part in function(*call.args, **call.kwargs):
                    for shown in held.after(part):
                        yield shown
            except Exception as error:
                way.failed(verdict, error)
                raise
            for shown in held.last():
                yield shown

        return guarded_stream

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        call = way.call(args, kwargs)
        verdict = way.decide(call)
        if not verdict.allowed:
            return way.refused(verdict)
        try:
            result = function(*call.args, **call.kwargs)
        except Exception as error:
            way.failed(verdict, error)
            raise
        if inspect.isgenerator(result):
            return way.stream(verdict, result)
        return gate.outcome(verdict, result).shown

    return guarded


class _Call:
    """A call as it was judged and as it runs: copied, so that nobody changes the one after the other."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], said: Mapping[str, Any], line: str | None) -> None:
        self.args = args
        self.kwargs = kwargs
        self.said = said
        self.line = line


class _Way:
    """How the calls of one function are judged, refused and shown."""

    def __init__(
        self,
        function: Callable[..., Any],
        gate: Gate,
        name: str,
        arguments: Callable[..., Mapping[str, Any]] | None,
        session: str | Session | None,
        cwd: str | os.PathLike[str] | None,
        approve: AsyncApprover | None,
        denied: Literal["raise", "text"],
    ) -> None:
        import inspect

        self.gate = gate
        self.name = name
        self.session = session
        self._arguments = arguments
        self._signature = inspect.signature(function)
        self._cwd = cwd
        self._approve = approve
        self._denied = denied

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call | Exception:
        """The call, or why there is none that could be judged."""
        try:
            args, kwargs = copied(args), copied(kwargs)
            if self._arguments is not None:
                return _Call(args, kwargs, self._arguments(*args, **kwargs), None)
            said = self._bound(args, kwargs)
            return _Call(args, kwargs, said, encode(said))
        except Exception as error:
            return error

    def decide(self, call: _Call | Exception) -> Verdict:
        if isinstance(call, Exception):
            return self._broken(call)
        verdict = self.gate.decide(self.name, call.said, **self._more())
        return self._unchanged(call, verdict)

    async def adecide(self, call: _Call | Exception) -> Verdict:
        if isinstance(call, Exception):
            return self._broken(call)
        verdict = await self.gate.adecide(self.name, call.said, **self._more())
        return self._unchanged(call, verdict)

    def refused(self, verdict: Verdict) -> str:
        error = NotApproved(verdict) if verdict.asks else Denied(verdict)
        if self._denied == "raise":
            raise error
        return f"portcullis: {'nobody agreed to this' if verdict.asks else 'denied'}: {verdict.why}"

    def failed(self, verdict: Verdict, error: BaseException) -> None:
        self.gate.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)

    def parts(self, verdict: Verdict) -> _Parts:
        return _Parts(self.gate, verdict)

    def stream(self, verdict: Verdict, parts: Iterator[Any]) -> Iterator[Any]:
        held = self.parts(verdict)
        try:
            for part in parts:
                yield from held.after(part)
        except Exception as error:
            self.failed(verdict, error)
            raise
        yield from held.last()

    def _more(self) -> dict[str, Any]:
        # It runs in this process, so where it runs is known.
        cwd = self._cwd or self.gate.project or os.getcwd()
        return {"session": self.session, "cwd": cwd, "approve": self._approve}

    def _unchanged(self, call: _Call, verdict: Verdict) -> Verdict:
        """The verdict, unless an object among the arguments says something else by now: a person may have been asked meanwhile."""
        if not verdict.allowed or call.line is None:
            return verdict
        try:
            if encode(self._bound(call.args, call.kwargs)) == call.line:
                return verdict
            raise CallError("an argument is another one than when it was judged")
        except Exception as error:
            return self._broken(error)

    def _broken(self, error: Exception) -> Verdict:
        return self.gate._failed(error, self.name, self.session)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by the names of the function's parameters, with its defaults."""
        import inspect

        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        said: dict[str, Any] = {}
        for at, (key, value) in enumerate(bound.arguments.items()):
            if self._signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
                twice = said.keys() & value.keys()
                if twice:
                    raise CallError(f"the argument `{min(twice)}` is given twice")
                said.update(value)
            elif at == 0 and key in ("self", "cls") and not isinstance(value, (str, int, float, list, tuple, dict, bytes)):
                continue
            else:
                said[key] = list(value) if isinstance(value, tuple) else value
        return said


class _Parts:
    """What a function gives part by part: each without its secrets; the last one counts as the result."""

    def __init__(self, gate: Gate, verdict: Verdict) -> None:
        self._gate = gate
        self._verdict = verdict
        self._held: list[Any] = []

    def after(self, part: Any) -> list[Any]:
        """What may be shown of the part before this one."""
        shown = [clean(one) for one in self._held]
        self._held = [part]
        return shown

    def last(self) -> list[Any]:
        """The last part, as it may be shown."""
        result = self._held[0] if self._held else None
        shown = self._gate.outcome(self._verdict, result).shown
        return [shown] if self._held else []
