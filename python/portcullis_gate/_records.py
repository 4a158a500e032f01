"""Frozen dataclasses without the module `dataclasses`, which takes longer to import than everything else of the package. Its functions (`fields`,
`asdict`, `replace`) work on them: what they look for is made when they look."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda kind: kind


__all__ = ["Record"]


class _Told:
    """An attribute that `dataclasses` gives a class, made by it when it is asked for first."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, record: Any, kind: type[Record]) -> Any:
        import dataclasses

        fields: list[Any] = []
        for name, said in kind._types.items():
            default = kind._defaults.get(name, dataclasses.MISSING)
            fields.append((name, said, dataclasses.field(default=default)))
        made = dataclasses.make_dataclass(kind.__name__, fields, frozen=True, repr=False, eq=False)
        told = getattr(made, self.name)
        setattr(kind, self.name, told)
        return told


@dataclass_transform(frozen_default=True)
class Record:
    """A class whose annotations are the fields of its instances, which nobody changes. A name that begins with `_` is nobody else's: it is
    neither shown nor compared."""

    if TYPE_CHECKING:
        _types: dict[str, Any]
        _names: tuple[str, ...]
        _defaults: dict[str, Any]
    else:
        __dataclass_fields__ = _Told("__dataclass_fields__")
        __dataclass_params__ = _Told("__dataclass_params__")

        def __init_subclass__(cls):
            cls._types = {**getattr(cls, "_types", {}), **cls.__annotations__}
            cls._names = cls.__match_args__ = tuple(cls._types)
            own = {name: cls.__dict__[name] for name in cls._names if name in cls.__dict__}
            cls._defaults = {**getattr(cls, "_defaults", {}), **own}

        def __init__(self, *given, **named):
            if len(given) > len(self._names):
                raise TypeError(f"{type(self).__name__} has {len(self._names)} fields, and {len(given)} were given")
            fields = {**self._defaults, **dict(zip(self._names, given))}
            for name, value in named.items():
                if name not in self._names or self._names.index(name) < len(given):
                    raise TypeError(f"{type(self).__name__} has no field `{name}`, or it is given twice")
                fields[name] = value
            missing = [name for name in self._names if name not in fields]
            if missing:
                raise TypeError(f"{type(self).__name__} needs {', '.join(missing)}")
            self.__dict__.update(fields)

        def __setattr__(self, name, value):
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name):
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _shown(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self._names if not name.startswith("_")]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._shown())
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Record) and self._shown() == other._shown()

    def __hash__(self) -> int:
        return hash(repr(self))
