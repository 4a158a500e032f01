"""Times the analyzers of OpenHands on commands: the rails and the patterns in one ensemble, each command once, and where the package
`portcullis_gate` is installed too, our gate in the same process on the same commands.

The first argument is a JSON list of commands, the second how many of them are judged before the clock runs, the third a directory that ours
supposes them to run in. The last line of what it prints is a JSON object: for each judge a list of microseconds.
"""

import json
import os
import sys
import time

# What it imports would ask the network for prices, several times.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")

from openhands.sdk.event import ActionEvent
from openhands.sdk.llm import MessageToolCall, TextContent
from openhands.sdk.security import (
    EnsembleSecurityAnalyzer,
    PatternSecurityAnalyzer,
    PolicyRailSecurityAnalyzer,
)


#: How many calls a session of ours has.
CALLS = 50


def event(number: int, command: str) -> ActionEvent:
    call = MessageToolCall(
        id=f"call-{number}",
        name="terminal",
        arguments=json.dumps({"command": command}),
        origin="completion",
    )
    return ActionEvent(
        thought=[TextContent(text="")],
        tool_name="terminal",
        tool_call_id=call.id,
        tool_call=call,
        llm_response_id="response",
    )


def timed(judge, one) -> float:
    start = time.perf_counter_ns()
    judge(one)
    return (time.perf_counter_ns() - start) / 1000


def ours(project: str, events: list) -> dict:
    """Our own judges in this Python, where its package is installed: the gate by itself, and as an analyzer of theirs."""
    try:
        from portcullis_gate import Gate
        from portcullis_gate.openhands import PortcullisAnalyzer
    except ImportError:
        return {}
    gate = Gate(project=project, record=False)
    analyzer = PortcullisAnalyzer(project=project, record=False)
    calls = {one.tool_call_id: (number, json.loads(one.tool_call.arguments)) for number, one in enumerate(events)}

    def alone(one: ActionEvent) -> float:
        number, arguments = calls[one.tool_call_id]
        session = f"session-{number // CALLS}"
        return timed(lambda arguments: gate.judge("terminal", arguments, session=session), arguments)

    return {"gate": alone, "analyzer": lambda one: timed(analyzer.security_risk, one)}


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        events = [event(number, command) for number, command in enumerate(json.load(file))]
    ensemble = EnsembleSecurityAnalyzer(analyzers=[PolicyRailSecurityAnalyzer(), PatternSecurityAnalyzer()])
    judges = {"theirs": lambda one: timed(ensemble.security_risk, one), **ours(sys.argv[3], events)}
    for one in events[: int(sys.argv[2])]:
        for took in judges.values():
            took(one)
    times = {name: [] for name in judges}
    # One after the other on each command, so that a machine that is held up holds up all of them.
    for one in events:
        for name, took in judges.items():
            times[name].append(took(one))
    print(json.dumps(times))


main()
