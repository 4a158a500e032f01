"""A plugin of pytest that puts our analyzer and policy in the place of OpenHands' own, for the tests of their repository:

    python -m pytest -p openhands_own tests/sdk/security

with this folder in PYTHONPATH and their checkout as the current one. docs/python.md says what came of it, and what is about their patterns alone.
"""

from __future__ import annotations

import importlib
import os
import sys

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")
# What they judge here is nobody's record.
os.environ["PORTCULLIS_AUDIT"] = "off"

from portcullis_gate.openhands import PortcullisAnalyzer, PortcullisConfirm

THEIRS = {
    "openhands.sdk.security.defense_in_depth.pattern": {"PatternSecurityAnalyzer": PortcullisAnalyzer},
    "openhands.sdk.security.defense_in_depth.policy_rails": {"PolicyRailSecurityAnalyzer": PortcullisAnalyzer},
    "openhands.sdk.security.confirmation_policy": {"ConfirmRisky": PortcullisConfirm},
}

for _name, _classes in THEIRS.items():
    _module = importlib.import_module(_name)
    for _their, _ours in _classes.items():
        _class = getattr(_module, _their)
        # Wherever a module of theirs has it by its name.
        for _other in [one for name, one in sys.modules.items() if name.startswith("openhands.")]:
            if getattr(_other, _their, None) is _class:
                setattr(_other, _their, _ours)
