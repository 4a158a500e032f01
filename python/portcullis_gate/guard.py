"""A function behind a gate: the floor for everything that has no adapter of its own."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ._native import CallError
from ._plain import copied
from .approvals import AsyncApprover
from .errors import Denied, NotApproved
from .gate import Gate, Session
from .verdict import Verdict

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
    signature = inspect.signature(function)

    def judged_by(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
        if arguments is not None:
            return arguments(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        said: dict[str, Any] = {}
        for key, value in bound.arguments.items():
            if signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
                twice = said.keys() & value.keys()
                if twice:
                    raise CallError(f"the argument `{min(twice)}` is given twice")
                said.update(value)
            elif key not in ("self", "cls"):
                said[key] = list(value) if isinstance(value, tuple) else value
        return said

    def directory() -> str | os.PathLike[str]:
        # It runs in this process, so where it runs is known.
        return cwd or gate.project or os.getcwd()

    def refused(verdict: Verdict) -> str:
        error = NotApproved(verdict) if verdict.asks else Denied(verdict)
        if denied == "raise":
            raise error
        return f"portcullis: {'nobody agreed to this' if verdict.asks else 'denied'}: {verdict.why}"

    def failed(verdict: Verdict, error: BaseException) -> None:
        gate.outcome(verdict, f"{type(error).__name__}: {error}", failed=True)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def guarded_async(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = copied(args), copied(kwargs)
            try:
                said = judged_by(args, kwargs)
            except Exception as error:
                return refused(gate._failed(error, name, session))
            verdict = await gate.adecide(
                name, said, session=session, cwd=directory(), approve=approve
            )
            if not verdict.allowed:
                return refused(verdict)
            try:
                result = await function(*args, **kwargs)
            except Exception as error:
                failed(verdict, error)
                raise
            return (await gate.aoutcome(verdict, result)).shown

        return guarded_async

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = copied(args), copied(kwargs)
        try:
            said = judged_by(args, kwargs)
        except Exception as error:
            return refused(gate._failed(error, name, session))
        verdict = gate.decide(name, said, session=session, cwd=directory(), approve=approve)  # type: ignore[arg-type]
        if not verdict.allowed:
            return refused(verdict)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            failed(verdict, error)
            raise
        return gate.outcome(verdict, result).shown

    return guarded
