"""Screen 7: an unused record fades and is pruned, the audit stays; a used record stays."""

import math

from membrane_cli.cost.prices import CREATING, LIFE
from membrane_cli.demo.sessions import (
    HALF_LIFE_H,
    HOW_DEPLOYED,
    QUESTIONS,
    ReportedRecords,
    require_answer,
)
from membrane_cli.demo.stage import DemoError, Stage, require
from membrane_client import NotFound

DAY_H = 24
GAIN = 0.2
"""The salience added by a reinforcement (`ReinforcementGain`)."""


def show_forgetting(stage: Stage, reported: ReportedRecords) -> None:
    """Let three days pass; after two days the successful deployment proves useful again."""
    stage.screen(
        "7. Three days pass",
        "The used records are there; the unused record is gone, and the audit says when and why.",
    )
    client = stage.first.client
    stage.pass_hours(2 * DAY_H)
    faded = _salience(stage, reported.worked, 0.5 ** (2 * DAY_H / HALF_LIFE_H))
    used = client.reinforce(reported.worked, rationale="release 4.3 went out the same way")
    for _ in range(DAY_H):
        stage.pass_hours(1)
    left = _salience(stage, reported.worked, used.salience * 0.5 ** (DAY_H / HALF_LIFE_H))
    stage.say(
        f"Both deployments had a half-life of {HALF_LIFE_H} h. After two days {faded:.4f} of their "
        f"salience was left. Then the one that worked was used: {used.salience:.4f}; a day later "
        f"{left:.4f}. The hourly sweep pruned the other one when it fell to 0.001.\n"
    )
    require(math.isclose(used.salience, faded + GAIN, rel_tol=0.01), f"it is {used.salience}")
    require_answer(stage, reported.worked, HOW_DEPLOYED)
    require_answer(stage, reported.facts[1], QUESTIONS[1])
    _show_audit(stage, reported.failed)
    stage.bill[CREATING[1]] -= 1
    stage.bill[LIFE] += 1


def _salience(stage: Stage, record_id: str, expected: float) -> float:
    """Of a record now; raises DemoError where the salience is not the expected number."""
    found = stage.first.client.retrieve_by_id(record_id).salience
    if not math.isclose(found, expected, rel_tol=0.01):  # seconds pass while the demo runs
        raise DemoError(f"the salience is {found}, not {expected}")
    return found


def _show_audit(stage: Stage, record_id: str) -> None:
    """The trail of a pruned record; raises DemoError where the record or a gap is found."""
    client = stage.first.client
    try:
        raise DemoError(f"{client.retrieve_by_id(record_id)} was not pruned")
    except NotFound as error:
        stage.say(f"The deployment that failed: {error}. Its audit, a hash chain, verified:")
    pages = list(client.read_audit(record_id, verify=True).pages())
    require(all(page.verified for page in pages), "the audit chain does not verify")
    rows = [
        (each.timestamp.strftime("%Y-%m-%d %H:%M"), each.action, each.principal, each.rationale)
        for page in pages
        for each in page.audit_log
    ]
    require(rows[-1][1] == "delete", f"the audit is {rows}")
    stage.show(("when (UTC)", "action", "by whom", "why"), rows)
