"""Judges the calls of its input, a line each, and prints what `portcullis check --jsonl` would: for a process of its own (see test_same.py)."""

import json
import sys

from portcullis_gate import CallError, Gate

gate = Gate(record=False)
for line in sys.stdin:
    try:
        print(json.dumps(gate.judge(**json.loads(line)).to_dict()))
    except CallError:
        print('{"error": true}')
