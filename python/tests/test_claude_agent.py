"""Claude Agent SDK, the real package in front of a program that speaks as Claude Code does."""

from __future__ import annotations

import asyncio
import json
import pathlib
import sys
import tempfile

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed")

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolResultBlock,
    UserMessage,
)

from portcullis_gate import Gate
from portcullis_gate.claude_agent import Portcullis
from scenarios import PUSH, Play, Scenarios, bash

FAKE = pathlib.Path(__file__).with_name("fake_claude.py")


def program(play: Play):
    """The program that follows the script, and what reads afterwards what it ran."""
    folder = pathlib.Path(tempfile.mkdtemp())
    program = folder / "claude"
    script = folder / "script"
    program.write_text(f"#!/bin/sh\nFAKE_CLAUDE='{script}' exec '{sys.executable}' '{FAKE}' \"$@\"\n")
    program.chmod(0o755)
    names = {"bash": "Bash", "send_money": "mcp__bank__send_money"}
    turns = [[(names[name], arguments) for name, arguments in turn] for turn in play.turns]
    script.write_text(json.dumps({"turns": turns, "result": play.result, "ran": str(folder / "ran")}))

    def collect() -> None:
        if (folder / "ran").exists():
            ran = [json.loads(line)[1] for line in (folder / "ran").read_text().splitlines()]
            play.log.ran += [given.get("command", str(given)) for given in ran]

    return program, collect


def drive(play: Play, changed=None) -> None:
    fake, collect = program(play)

    async def ask(tool, given, context):
        play.log.asked.append(given["command"] if "command" in given else str(given))
        if not play.answer:
            return PermissionResultDeny(message="no")
        return PermissionResultAllow(updated_input=changed)

    async def run() -> None:
        gate = Portcullis(play.gate)
        options = ClaudeAgentOptions(
            cli_path=fake,
            cwd=str(fake.parent),
            hooks=gate.hooks,
            can_use_tool=gate.can_use_tool(ask),
        )
        async with ClaudeSDKClient(options) as client:
            await client.query("Go on.")
            async for message in client.receive_response():
                if isinstance(message, UserMessage) and isinstance(message.content, list):
                    play.log.seen += [str(one.content) for one in message.content if isinstance(one, ToolResultBlock)]

    asyncio.run(run())
    collect()


class TestClaudeAgent(Scenarios):
    drive = staticmethod(drive)
    lacks = {
        "edited": "Claude Code changes arguments between hook and tool by `can_use_tool` alone; the next test does",
        "restart": "a question lives as long as the process of Claude Code",
        "stream": "all of it is a stream",
    }


def test_what_a_person_changes_is_judged(tmp_path):
    gate = Gate(project=tmp_path, record=False)
    play = Play([[bash(PUSH)]], gate, answer=True)
    drive(play, {"command": "rm -rf ~"})
    assert play.log.ran == []
    play = Play([[bash(PUSH)]], gate, answer=True)
    drive(play, {"command": "git push --force origin topic"})
    assert play.log.ran == ["git push --force origin topic"]


def test_every_hook_blocks_where_it_fails(tmp_path):
    hooks = Portcullis(Gate(project=tmp_path, record=False)).hooks
    assert {one.on_failure for matchers in hooks.values() for one in matchers} == {"block"}
