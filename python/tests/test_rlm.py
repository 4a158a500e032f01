"""rlm-code, the real package: its documentation's examples as written, and what must not come back."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("rlm_code", reason="rlm-code is not installed")

from rlm_code.rlm import approval as theirs
from rlm_code.rlm.approval.policy import RiskRule

from portcullis_gate import rlm
from portcullis_gate.rlm import (
    ApprovalAuditLog,
    ApprovalGate,
    ApprovalPolicy,
    ApprovalStatus,
    AutoApproveHandler,
    CallbackApprovalHandler,
    ConditionalApprovalHandler,
    ConsoleApprovalHandler,
    QueueApprovalHandler,
    RiskAssessment,
    RiskAssessor,
    ToolRiskLevel,
    custom_assessor,
)

DANGEROUS = {"action": "code", "code": "import shutil; shutil.rmtree('/home/user/data')"}
SAFE = {"action": "code", "code": "print('hello')"}


def run(coroutine):
    return asyncio.run(coroutine)


def test_every_name_of_theirs_is_here():
    for name in theirs.__all__:
        ours = getattr(rlm, name)
        original = getattr(theirs, name)
        assert ours is original or issubclass(ours, original), name


@pytest.mark.parametrize("assessor", [RiskAssessor(), theirs.RiskAssessor(custom_assessor=custom_assessor)])
def test_the_examples_of_their_documentation(assessor):
    result = assessor.assess(SAFE)
    assert result.level == ToolRiskLevel.SAFE
    result = assessor.assess(
        {"action": "code", "code": "with open('/tmp/output.txt', 'w') as f: f.write('data')"}
    )
    assert result.level == ToolRiskLevel.MEDIUM
    assert "File modification may overwrite existing content" in result.reasons
    assert result.reversible is True
    result = assessor.assess(
        {"action": "code", "code": "import subprocess; subprocess.run(['rm', '-rf', '/home/user/data'])"}
    )
    assert result.level == ToolRiskLevel.CRITICAL
    assert result.reversible is False
    assert "file:/home/user/data" in result.affected_resources
    result = assessor.assess(
        {"action": "code", "code": "\nimport subprocess\nimport os\nsubprocess.run(['make', 'clean'])\nos.remove('/tmp/build.log')\n"}
    )
    assert result.level == ToolRiskLevel.HIGH and result.reversible is False
    assert {"File deletion may cause data loss", "Executing system commands"} <= set(result.reasons)


def test_what_only_looks_dangerous_is_not():
    assert RiskAssessor().assess({"action": "code", "code": "print('rm -rf /')"}).level == ToolRiskLevel.SAFE
    assert theirs.RiskAssessor().assess({"action": "code", "code": "print('rm -rf /')"}).level == ToolRiskLevel.CRITICAL


def test_rules_are_added_removed_and_replaced_as_documented():
    assessor = RiskAssessor()
    assessor.add_rule(
        RiskRule("api_key_exposure", r"(API_KEY|SECRET_KEY)\s*=", ToolRiskLevel.HIGH, "a key", True)
    )
    assert assessor.assess({"code": "API_KEY = 'x'"}).level == ToolRiskLevel.HIGH
    assessor.add_rule(RiskRule("closure", lambda action: 1 / 0, ToolRiskLevel.LOW, "never"))
    broken = assessor.assess(SAFE)
    assert broken.level == ToolRiskLevel.HIGH and "`closure` failed" in broken.reasons[0]
    assert assessor.remove_rule("closure") and not assessor.remove_rule("nonexistent")
    write = {"code": "with open('/tmp/output.txt', 'w') as f: f.write('data')"}
    assert assessor.remove_rule("file_write")
    assert "File modification may overwrite existing content" not in assessor.assess(write).reasons
    replaced = RiskAssessor(rules=[RiskRule("any_network", "(requests|socket)", ToolRiskLevel.HIGH, "net", False)])
    assert replaced.assess({"code": "import socket"}).reasons == ["net"]
    # Their own default is untouched by what an assessor removes.
    assert RiskAssessor().assess(write).level == ToolRiskLevel.MEDIUM


def test_an_assessor_that_fails_or_code_that_is_none_is_critical():
    def breaks(action):
        raise RuntimeError("gone")

    assert RiskAssessor(custom_assessor=breaks).assess(SAFE).level == ToolRiskLevel.CRITICAL
    assert custom_assessor({"code": 5}).level == ToolRiskLevel.CRITICAL
    assert custom_assessor({"code": "x", "more": object()}).level == ToolRiskLevel.CRITICAL
    given = RiskAssessment(ToolRiskLevel.LOW)
    assert RiskAssessor(custom_assessor=lambda action: given).assess(SAFE) is given


def test_a_gate_asks_its_handler_and_takes_the_answer():
    async def agrees(request):
        return "data" in request.action["code"]

    gate = ApprovalGate(approval_handler=CallbackApprovalHandler(agrees))
    request = gate.check_action(DANGEROUS)
    assert request.requires_approval and run(gate.request_approval(request)).approved
    quiet = gate.check_action(SAFE)
    assert not quiet.requires_approval
    assert run(gate.request_approval(quiet)).status == ApprovalStatus.AUTO_APPROVED
    assert not run(ApprovalGate().request_approval(ApprovalGate().check_action(DANGEROUS))).approved


def test_a_request_is_decided_once():
    gate = ApprovalGate()
    request = gate.check_action(DANGEROUS)
    assert not gate.deny(request.request_id).approved
    assert not gate.approve(request.request_id).approved

    async def agrees(request):
        return True

    gate = ApprovalGate(approval_handler=CallbackApprovalHandler(agrees))
    request = gate.check_action(DANGEROUS)
    gate.deny(request.request_id)
    assert not run(gate.request_approval(request)).approved
    request = gate.check_action(DANGEROUS)
    assert run(gate.request_approval(request)).approved
    assert not run(gate.request_approval(request)).approved


def test_what_was_asked_about_is_what_was_decided():
    async def agrees(request):
        return True

    gate = ApprovalGate(approval_handler=CallbackApprovalHandler(agrees))
    action = dict(DANGEROUS)
    request = gate.check_action(action)
    action["code"] = "import os; os.system('rm -rf /')"
    assert request.action == DANGEROUS
    request.action["code"] = "import os; os.system('rm -rf /')"
    assert not run(gate.request_approval(request)).approved
    quiet = gate.check_action(SAFE)
    quiet.action["code"] = DANGEROUS["code"]
    assert not run(gate.request_approval(quiet)).approved


def test_ids_are_long_and_a_handler_that_breaks_is_a_no():
    async def breaks(request):
        raise RuntimeError("gone")

    gate = ApprovalGate(approval_handler=breaks)
    request = gate.check_action(DANGEROUS)
    assert len(request.request_id) == 32
    assert not run(gate.request_approval(request)).approved
    assert not run(gate.request_approval(request)).approved


def test_no_answer_is_never_a_yes_and_high_is_never_approved_by_itself():
    with pytest.raises(ValueError):
        ConsoleApprovalHandler(default_on_timeout=True)
    with pytest.raises(ValueError):
        ConditionalApprovalHandler(AutoApproveHandler(), auto_approve_below="critical")


def test_a_queue_is_answered_once():
    queue = QueueApprovalHandler(default_timeout=5)
    gate = ApprovalGate(approval_handler=queue)

    async def both():
        request = gate.check_action(DANGEROUS)
        asked = asyncio.create_task(gate.request_approval(request))
        await asyncio.sleep(0)
        while not queue.get_pending():
            await asyncio.sleep(0)
        first = queue.respond(request.request_id, False)
        second = queue.respond(request.request_id, True)
        return first, second, await asked

    first, second, response = run(both())
    assert first and not second and not response.approved and not queue.get_pending()


def test_the_log_has_no_secret_and_says_when_it_fails(tmp_path):
    from test_gate import TOKEN

    log = ApprovalAuditLog(log_file=tmp_path / "log" / "audit.jsonl")
    gate = ApprovalGate(policy=ApprovalPolicy.CONFIRM_ALL, audit_log=log)
    request = gate.check_action({"action": "code", "code": f"print('{TOKEN}')"})
    gate.approve(request.request_id, approver="ops")
    assert TOKEN not in (tmp_path / "log" / "audit.jsonl").read_text()
    assert log.get_summary()["approved"] == 1
    (tmp_path / "log" / "audit.jsonl").unlink()
    (tmp_path / "log" / "audit.jsonl").mkdir()
    request = gate.check_action(DANGEROUS)
    with pytest.raises(OSError):
        gate.approve(request.request_id)
