"""Every block of docs/python.md and of the package's README, run with the real packages and scripted models."""

from __future__ import annotations

import importlib
import pathlib
import re
from typing import Any

import pytest

import corpus
from portcullis_gate import Denied, Gate
from scenarios import PUSH, Play, bash

DOCS = corpus.ROOT / "docs" / "python.md"
README = corpus.ROOT / "python" / "README.md"


def block(heading: str, page: pathlib.Path = DOCS) -> str:
    """The first block of Python below a heading."""
    text = page.read_text(encoding="utf-8")
    section = re.split(rf"^#+ {re.escape(heading)}$", text, maxsplit=1, flags=re.M)[1]
    return re.split(r"^```$", section.split("```python\n", 1)[1], maxsplit=1, flags=re.M)[0]


def play(tmp_path: pathlib.Path) -> Play:
    return Play([[bash("ls")], [bash(PUSH)], [bash("rm -rf ~")]], Gate(project=tmp_path, record=False))


def openhands(module: Any, play: Play) -> dict[str, Any]:
    module.RAN[:] = []
    play.log.ran = module.RAN
    calls = [module.says(module.call(turn[0][1]["command"], f"c{at}")) for at, turn in enumerate(play.turns[:2])]
    bye = module.Message(role="assistant", content=[module.TextContent(text="bye")])
    return {"model": module.TestLLM.from_messages([*calls, bye])}


def langchain(module: Any, play: Play) -> dict[str, Any]:
    return {"model": module.Model(messages=iter(module.messages(play))), "bash": module.tool(play.bash)}


def openai(module: Any, play: Play) -> dict[str, Any]:
    return {"model": module.model(play), "bash": module.function_tool(play.bash)}


def claude(module: Any, play: Play) -> dict[str, Any]:
    program, collect = module.program(play)
    return {"program": program, "collect": collect}


def pydantic(module: Any, play: Play) -> dict[str, Any]:
    return {"model": module.model(play), "bash": play.bash}


def crewai(module: Any, play: Play) -> dict[str, Any]:
    model = module.Scripted(model="scripted", steps=iter([*play.turns, None]), log=play.log)
    return {"model": model, "bash": module.tool("bash")(play.bash)}


def adk(module: Any, play: Play) -> dict[str, Any]:
    return {"model": module.Scripted(model="scripted", steps=iter([None])), "bash": play.bash}


def framework(module: Any, play: Play) -> dict[str, Any]:
    return {"model": module.Scripted(play), "bash": play.bash}


def strands(module: Any, play: Play) -> dict[str, Any]:
    return {"model": module.Scripted(play), "bash": module.tool(play.bash)}


def smolagents(module: Any, play: Play) -> dict[str, Any]:
    steps = [f"<code>\nprint(bash(command={turn[0][1]['command']!r}))\n</code>" for turn in play.turns]
    model = module.Scripted([*steps, "<code>\nfinal_answer('bye')\n</code>"], play.log)
    return {"model": model, "bash": module.tools(play)[0]}


def nothing(module: Any, play: Play) -> dict[str, Any]:
    return {}


#: Each heading, the tests of its framework, what its block is given, and what of the three commands runs.
BLOCKS = [
    ("OpenHands", "test_openhands", openhands, ["ls"]),
    ("rlm-code", "test_rlm", nothing, []),
    ("LangChain and LangGraph", "test_langchain", langchain, ["ls", PUSH]),
    ("OpenAI Agents", "test_openai_agents", openai, ["ls", PUSH]),
    ("Claude Agent SDK", "test_claude_agent", claude, ["ls"]),
    ("Pydantic AI", "test_pydantic_ai", pydantic, ["ls", PUSH]),
    ("CrewAI", "test_crewai", crewai, ["ls", PUSH]),
    ("Google ADK", "test_google_adk", adk, []),
    ("Agent Framework", "test_agent_framework", framework, ["ls"]),
    ("Strands", "test_strands", strands, ["ls", PUSH]),
    ("smolagents", "test_smolagents", smolagents, ["ls"]),
    ("MCP servers in Python", "test_fastmcp", nothing, []),
]


@pytest.mark.parametrize("heading, module, given, ran", BLOCKS, ids=[heading for heading, *_ in BLOCKS])
def test_the_block_of_a_framework_runs(heading, module, given, ran, tmp_path, monkeypatch):
    try:
        module = importlib.import_module(module)
    except pytest.skip.Exception as missing:
        pytest.skip(str(missing))
    monkeypatch.chdir(tmp_path)
    scene = play(tmp_path)
    space = given(module, scene)
    exec(compile(block(heading), heading, "exec"), {"__name__": heading, **space})
    if "collect" in space:
        space["collect"]()
    assert scene.log.ran == ran


def test_the_blocks_without_a_framework_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block("Any function"), "guard", "exec"), {})
    said = capsys.readouterr().out
    assert "ran ls" in said and "portcullis: denied: " in said


def test_every_heading_is_tried():
    frameworks = DOCS.read_text(encoding="utf-8").split("## Frameworks")[1].split("\n## ")[0]
    assert re.findall(r"^### (.*)$", frameworks, re.M) == [heading for heading, *_ in BLOCKS]


def test_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    text = README.read_text(encoding="utf-8")
    first, second = re.findall(r"```python\n(.*?)^```$", text, re.M | re.S)
    defined, used = first.split('bash("ls")')
    exec(compile(defined, "README", "exec"), space)
    assert "rm -rf" in used
    space["bash"]("ls")
    with pytest.raises(Denied):
        space["bash"]("rm -rf ~")
    exec(compile(second, "README", "exec"), space)
    assert space["verdict"].decision == "ask"
