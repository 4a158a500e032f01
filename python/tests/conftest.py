"""What the tests share: a gate whose configuration is the default one, and nothing of the machine's."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


@pytest.fixture(autouse=True)
def apart(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A home of its own for each test: no configuration and no record of the machine is read or written."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("XDG_", "PORTCULLIS_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    # What the frameworks import would ask the network for prices, and say where they are used.
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("OPENHANDS_SUPPRESS_BANNER", "1")
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    return home
