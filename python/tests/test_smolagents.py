"""smolagents, the real package with a scripted model: a code agent, and one that calls tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("smolagents", reason="smolagents is not installed")

from smolagents import CodeAgent, Model, Tool, ToolCallingAgent
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from portcullis_gate import Gate
from portcullis_gate.smolagents import protect
from scenarios import FETCH, PUSH, Play, Scenarios, bash
from test_gate import PLANTED, TOKEN


class Scripted(Model):
    def __init__(self, steps: list[Any], log: Any) -> None:
        super().__init__(model_id="scripted")
        self.steps, self.log = iter(steps), log

    def generate(self, messages: Any, **options: Any) -> ChatMessage:
        self.log.seen += [str(part) for message in messages[2:] for part in [message.content]]
        step = next(self.steps)
        if isinstance(step, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=step)
        calls = [
            ChatMessageToolCall(id=f"c{at}-{name}", type="function", function=ChatMessageToolCallFunction(name=name, arguments=given))
            for at, (name, given) in enumerate(step)
        ]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=calls)


def tools(play: Play) -> list[Tool]:
    class Bash(Tool):
        name = "bash"
        description = "Runs a command"
        inputs = {"command": {"type": "string", "description": "the command"}}
        output_type = "string"

        def forward(self, command: str) -> str:
            return play.bash(command)

    class SendMoney(Tool):
        name = "send_money"
        description = "Sends money to an account"
        inputs = {"to": {"type": "string", "description": "who"}, "amount": {"type": "integer", "description": "how much"}}
        output_type = "string"

        def forward(self, to: str, amount: int) -> str:
            return play.send_money(to, amount)

    return [Bash(), SendMoney()]


LACKS = {
    "edited": "nothing of the framework's changes arguments on their way",
    "restart": "smolagents keeps no run",
}


def approver(play: Play) -> Any:
    return play.approve if play.answer is not None else None


def ran(agent: Any, play: Play) -> None:
    if play.stream:
        for _ in agent.run("Go on.", stream=True):
            pass
    else:
        agent.run("Go on.")


class TestToolCallingAgent(Scenarios):
    lacks = LACKS

    @staticmethod
    def drive(play: Play) -> None:
        steps = [*play.turns, [("final_answer", {"answer": "bye"})]]
        agent = ToolCallingAgent(tools=tools(play), model=Scripted(steps, play.log), max_steps=6, verbosity_level=0)
        ran(protect(agent, play.gate.session(), approve=approver(play)), play)


class TestCodeAgent(Scenarios):
    lacks = {**LACKS, "parallel": "one piece of code is judged whole"}

    @staticmethod
    def drive(play: Play) -> None:
        steps = []
        for turn in play.turns:
            lines = [f"print({name}(**{json.dumps(given)}))" for name, given in turn]
            steps.append("Thought: go on\n<code>\n" + "\n".join(lines) + "\n</code>")
        steps.append("<code>\nfinal_answer('bye')\n</code>")
        agent = CodeAgent(tools=tools(play), model=Scripted(steps, play.log), max_steps=6, verbosity_level=0)
        ran(protect(agent, play.gate.session(), approve=approver(play)), play)

    def test_03_a_yes_runs_exactly_what_was_shown(self, gate):
        log = self.play(gate, bash(PUSH), answer=True)
        # About the code, and about the tool that it calls.
        assert log.ran == [PUSH] and len(log.asked) == 2 and all(PUSH in asked for asked in log.asked)

    def test_11_what_a_result_demands_counts_for_the_next_call(self, gate):
        judged = []
        gate._watchers += (lambda what, verdict, _: judged.append(verdict) if what == "judged" else None,)
        # Who agrees to the code is asked about the tool that it calls, and that is judged by what the session heard.
        self.play(gate, bash("cat build.log"), bash(FETCH), result=PLANTED, answer=True)
        after = next(verdict for verdict in judged if verdict.arguments.get("command") == FETCH)
        fresh = gate.judge("bash", {"command": FETCH})
        assert {one.rule for one in after.findings} - {one.rule for one in fresh.findings}


def test_code_is_judged_before_any_of_it_runs(tmp_path):
    play = Play([], Gate(project=tmp_path, record=False))
    code = "<code>\nbash(command='ls')\nimport shutil\nshutil.rmtree('/home/user')\n</code>"
    steps = [code, "<code>\nfinal_answer('bye')\n</code>"]
    agent = CodeAgent(
        tools=tools(play), model=Scripted(steps, play.log), max_steps=3, verbosity_level=0, additional_authorized_imports=["shutil"]
    )
    protect(agent, play.gate).run("Go on.")
    assert play.log.ran == []


def test_what_code_printed_before_it_failed_has_no_secret(tmp_path):
    play = Play([], Gate(project=tmp_path, record=False), result=f"token {TOKEN}")
    steps = [
        "<code>\nprint('t' + 'oken ' + 'ghp_' + '16C7e42F292c6912E7710c838347Ae178B4a')\nundefined()\n</code>",
        "<code>\nimport shutil\nshutil.rmtree('/home/user')\n</code>",
        "<code>\nraise Exception('ghp_' + '16C7e42F292c6912E7710c838347Ae178B4a')\n</code>",
        "<code>\nfinal_answer('bye')\n</code>",
    ]
    agent = CodeAgent(tools=tools(play), model=Scripted(steps, play.log), max_steps=6, verbosity_level=0)
    protect(agent, play.gate).run("Go on.")
    assert not any(TOKEN in text for text in play.log.seen)
    assert any("[REDACTED:" in text for text in play.log.seen)
