"""Python values as JSON, and results without their secrets. What JSON cannot say is refused, not guessed: a gate that judged
something else than what runs would be none."""

from __future__ import annotations

import json
from enum import Enum
from os import PathLike, fspath
from typing import Any

from ._native import CallError

__all__ = ["copied", "encode", "text_of", "without_secrets"]


def encode(value: Any) -> str:
    """The JSON of a call or an event."""
    try:
        return json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":"))
    except CallError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise CallError(f"the arguments are no JSON: {error}") from error


def copied(value: Any) -> Any:
    """The value, with its containers copied: nobody else can change what was judged before it runs."""
    kind = type(value)
    if kind is dict:
        return {key: copied(item) for key, item in value.items()}
    if kind is list:
        return [copied(item) for item in value]
    if kind is tuple:
        return tuple(copied(item) for item in value)
    if kind is set:
        return set(value)
    if kind is bytearray:
        return bytearray(value)
    return value


def text_of(result: Any) -> str:
    """A result as an agent would read it."""
    if isinstance(result, str):
        return result
    if isinstance(result, (bytes, bytearray)):
        return bytes(result).decode("utf-8", "replace")
    if result is None:
        return ""
    try:
        return json.dumps(result, default=_plain, ensure_ascii=False)
    except Exception:
        return str(result)


def without_secrets(result: Any, redacted: str, redact: Any) -> Any:
    """A result that holds secrets, without them: of its own kind where that can be, else its text."""
    if isinstance(result, str):
        return redacted
    if isinstance(result, (bytes, bytearray)):
        return type(result)(redacted.encode())
    if isinstance(result, (dict, list)):
        try:
            return json.loads(redacted)
        except ValueError:
            return _each(result, redact)
    return redacted


def _each(value: Any, redact: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {_each(key, redact): _each(item, redact) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_each(item, redact) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return redact(text_of(value))


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, PathLike):
        path = fspath(value)
        return path if isinstance(path, str) else _bytes(path)
    if isinstance(value, (bytes, bytearray)):
        return _bytes(bytes(value))
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        return {name: getattr(value, name) for name in fields}
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    raise CallError(f"a value of the type `{kind}` cannot be judged")


def _bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise CallError("bytes that are no UTF-8 cannot be judged") from error
