"""Python values as JSON, and results without their secrets. What JSON cannot say is refused, not guessed: a gate that judged
something else than what runs would be none."""

from __future__ import annotations

from . import _native
from ._native import CallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["copied", "encode", "text_of", "without_secrets"]

#: Deeper than any reader of JSON goes.
_DEEPEST = 128
#: How many values are looked at where not all of them are Python's own.
_MOST = 1_000_000

#: What a class must not do in its own way for its instances to be what they hold.
_READ = {
    dict: ("__getitem__", "__iter__", "__len__", "__contains__", "get", "items", "keys", "values"),
    list: ("__getitem__", "__iter__", "__len__"),
    tuple: ("__getitem__", "__iter__", "__len__"),
}


def encode(value: Any) -> str:
    """The JSON of a call or an event."""
    line = _native.encode(value)
    if line is None:
        try:
            line = _native.encode(_plain(value, 0, [0]))
        except CallError:
            raise
        except Exception as error:
            raise CallError(f"the arguments are no JSON: {error}") from error
    if line is None:
        raise CallError("the arguments are no JSON")
    return line


def copied(value: Any, depth: int = 0) -> Any:
    """The value, with its containers copied, so that nobody else can change what was judged before it runs. Texts and numbers become Python's own, since a
    class of somebody's could tell the gate one thing and the tool another."""
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bool:
        return value
    if depth > _DEEPEST:
        raise CallError("the arguments are no JSON: they go too deep, or round in a ring")
    if isinstance(value, (str, int, float, bytes)):
        return value if _is_constant(value) else _own(value)
    if isinstance(value, dict):
        _honest(value, dict)
        made = {} if kind is dict else value.copy()
        for key, item in dict.items(value):
            made[copied(key, depth + 1)] = copied(item, depth + 1)
        return made
    if isinstance(value, list):
        _honest(value, list)
        items = [copied(item, depth + 1) for item in value]
        if kind is list:
            return items
        made = value.copy()
        made[:] = items
        return made
    if isinstance(value, tuple):
        _honest(value, tuple)
        return tuple.__new__(kind, [copied(item, depth + 1) for item in value])
    if kind is set:
        return set(value)
    if kind is bytearray:
        return bytearray(value)
    return value


def text_of(result: Any) -> str:
    """A result as an agent would read it."""
    import json

    if isinstance(result, str):
        return str.__str__(result)
    if isinstance(result, (bytes, bytearray)):
        return bytes(result).decode("utf-8", "replace")
    if result is None:
        return ""
    try:
        return json.dumps(result, default=_said, ensure_ascii=False)
    except Exception:
        return str(result)


def without_secrets(result: Any, redacted: str, redact: Any) -> Any:
    """A result that holds secrets, without them: of its own kind where that can be, else its text."""
    import json

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


def _plain(value: Any, depth: int, seen: list[int]) -> Any:
    """The value in Python's own kinds of text, number, list and dictionary."""
    seen[0] += 1
    if depth > _DEEPEST or seen[0] > _MOST:
        raise CallError("the arguments are no JSON: they go too deep, round in a ring, or on and on")
    if value is None or isinstance(value, (str, int, float)):
        return _own(value)
    if isinstance(value, dict):
        _honest(value, dict)
        made: dict[str, Any] = {}
        for key, item in dict.items(value):
            name = _key(key)
            if name in made:
                raise CallError(f"the key `{name}` stands there twice")
            made[name] = _plain(item, depth + 1, seen)
        return made
    if isinstance(value, (list, tuple)):
        _honest(value, list if isinstance(value, list) else tuple)
        return [_plain(item, depth + 1, seen) for item in value]
    return _plain(_said(value), depth + 1, seen)


def _said(value: Any) -> Any:
    """What stands for a value that is no text, number, list or dictionary."""
    from enum import Enum
    from os import PathLike, fspath

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
    raise _unknown(value)


def _own(value: Any) -> Any:
    """A text or a number as Python's own, whatever its class says of it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, float):
        return float.__float__(value)
    return bytes.__getitem__(value, slice(None))


def _is_constant(value: Any) -> bool:
    """It is a member of an enumeration, which a program wrote and nobody changes."""
    from enum import Enum

    return isinstance(value, Enum)


def _honest(value: Any, base: Any) -> None:
    """Refuses what does not give what it holds: a class that reads itself in another way could tell the gate one thing and the tool another."""
    kind = type(value)
    if kind is base or any(kind.__module__ == "collections" and kind.__qualname__ == name for name in ("OrderedDict", "defaultdict")):
        return
    if any(getattr(kind, name) is not getattr(base, name) for name in _READ[base]):
        raise _unknown(value)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, (bool, int, float)):
        word = {None: "null", True: "true", False: "false"}
        return word[key] if key is None or isinstance(key, bool) else repr(_own(key))
    raise CallError(f"a key of the type `{type(key).__qualname__}` cannot be judged")


def _unknown(value: Any) -> CallError:
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    return CallError(f"a value of the type `{kind}` cannot be judged")


def _bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise CallError("bytes that are no UTF-8 cannot be judged") from error
