"""Times the analyzers of OpenHands on commands: the rails and the patterns in one ensemble, each command once.

The first argument is a JSON list of commands, the second how many of them are judged before the clock runs. The last line of
what it prints is a JSON list of microseconds.
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


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        events = [event(number, command) for number, command in enumerate(json.load(file))]
    analyzer = EnsembleSecurityAnalyzer(
        analyzers=[PolicyRailSecurityAnalyzer(), PatternSecurityAnalyzer()]
    )
    for one in events[: int(sys.argv[2])]:
        analyzer.security_risk(one)
    times = []
    for one in events:
        start = time.perf_counter_ns()
        analyzer.security_risk(one)
        times.append((time.perf_counter_ns() - start) / 1000)
    print(json.dumps(times))


main()
