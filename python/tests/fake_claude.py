"""Stands in for the Claude Code program: speaks its protocol over standard input and output, follows a script, and runs nothing. What it would
have run is a line in a file. Read from the environment: `FAKE_CLAUDE`, a file with the script."""

from __future__ import annotations

import json
import os
import sys

if "--version" in sys.argv or "-v" in sys.argv:
    print("9.9.9 (Claude Code)")
    sys.exit()

with open(os.environ["FAKE_CLAUDE"], encoding="utf-8") as file:
    SCRIPT = json.load(file)
HOOKS: dict[str, list[str]] = {}
COUNT = 0


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)


def ask(request):
    global COUNT
    COUNT += 1
    send({"type": "control_request", "request_id": f"r{COUNT}", "request": request})
    while True:
        message = receive()
        if message.get("type") == "control_response":
            return message["response"]
        control(message)


def control(message):
    if message.get("type") != "control_request":
        return
    request = message["request"]
    for event, matchers in (request.get("hooks") or {}).items():
        HOOKS[event] = [id for one in matchers for id in one["hookCallbackIds"] if one.get("onFailure") == "block"]
    answer = {"commands": [], "hook_on_failure_supported": True}
    send({"type": "control_response", "response": {"subtype": "success", "request_id": message["request_id"], "response": answer}})


def hook(event, **given):
    given = {"session_id": "s", "transcript_path": "", "cwd": os.getcwd(), "hook_event_name": event, **given}
    outputs = []
    for id in HOOKS.get(event, []):
        said = ask({"subtype": "hook_callback", "callback_id": id, "input": given, "tool_use_id": given.get("tool_use_id")})
        if said["subtype"] != "success":
            return [{"permissionDecision": "deny", "permissionDecisionReason": said.get("error")}]
        outputs.append(said["response"].get("hookSpecificOutput") or {})
    return outputs


def assistant(content):
    send({"type": "assistant", "session_id": "s", "parent_tool_use_id": None, "message": {"id": "m", "role": "assistant", "model": "fake", "content": content}})


def run(at, name, arguments):
    use = {"tool_name": name, "tool_input": arguments, "tool_use_id": f"toolu_{at}"}
    said = (hook("PreToolUse", **use) or [{}])[0]
    decision, why = said.get("permissionDecision"), said.get("permissionDecisionReason")
    if decision == "ask":
        answer = ask({"subtype": "can_use_tool", "tool_name": name, "input": arguments, "tool_use_id": use["tool_use_id"]})
        said = answer.get("response") or {}
        decision = "allow" if said.get("behavior") == "allow" else "deny"
        why = said.get("message") or why
        use["tool_input"] = said.get("updatedInput") or arguments
    if decision != "allow":
        return why or "denied"
    with open(SCRIPT["ran"], "a", encoding="utf-8") as file:
        file.write(json.dumps([name, use["tool_input"]]) + "\n")
    result = {"stdout": SCRIPT["result"], "stderr": "", "interrupted": False}
    for said in hook("PostToolUse", tool_response=result, **use):
        result = said.get("updatedToolOutput", result)
    return result["stdout"]


while True:
    message = receive()
    if message.get("type") != "user":
        control(message)
        continue
    hook("UserPromptSubmit", prompt=str(message["message"]["content"]))
    at = 0
    for turn in SCRIPT["turns"]:
        for name, arguments in turn:
            at += 1
            assistant([{"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": arguments}])
            text = run(at, name, arguments)
            content = [{"type": "tool_result", "tool_use_id": f"toolu_{at}", "content": text}]
            send({"type": "user", "session_id": "s", "parent_tool_use_id": None, "message": {"role": "user", "content": content}})
    assistant([{"type": "text", "text": "bye"}])
    send({"type": "result", "subtype": "success", "duration_ms": 1, "duration_api_ms": 1, "is_error": False, "num_turns": at, "session_id": "s", "result": "bye"})
