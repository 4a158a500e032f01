"""How long a judged call takes from Python, with the record off, over the commands of xtask/src/bench/agents.txt: what coding agents run day by day.

    python3 python/scripts/bench.py [DIRECTORY]

Each is judged often, in turns, in that directory (a checkout of this project without one). Told are the times of the commands at their own
middle, and of the whole: half of the commands take less than p50.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from portcullis_gate import Gate

ROUNDS = 51


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    commands = (root / "xtask/src/bench/agents.txt").read_text().splitlines()
    gate = Gate(project=sys.argv[1] if len(sys.argv) > 1 else root, record=False)
    took: dict[str, list[float]] = {command: [] for command in commands}
    for _ in range(ROUNDS):
        for command, times in took.items():
            start = time.perf_counter_ns()
            gate.judge("bash", {"command": command})
            times.append((time.perf_counter_ns() - start) / 1000)
    middle = sorted(statistics.median(times) for times in took.values())
    best = sorted(min(times) for times in took.values())
    for name, sorted_times in (("in the middle", middle), ("at best", best)):
        at = {share: sorted_times[len(sorted_times) * share // 100] for share in (10, 50, 90)}
        print(f"{len(commands)} commands, {name}: " + ", ".join(f"p{share} {took:.1f} µs" for share, took in at.items()))
    for command in ("ls", "git status", "npm test"):
        print(f"{command}: {statistics.median(took[command]):.1f} µs in the middle, {min(took[command]):.1f} at best")


main()
