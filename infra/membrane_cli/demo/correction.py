"""Screens 3 and 4: a fact is corrected, and a second tenant sees nothing of the first."""

from membrane_cli.cost.prices import FACT
from membrane_cli.demo.sessions import LINE, QUESTIONS, ReportedRecords, require_answer
from membrane_cli.demo.stage import RECALLED, Stage, require

NOW, WHY = "MySQL 9 on db-7", "it was migrated in May"


def show_correction(stage: Stage, reported: ReportedRecords) -> str:
    """Correct the first fact; returns the id of the new fact."""
    stage.screen(
        "3. A fact turns out to be wrong, and is corrected",
        "The answer has the new fact alone; the history keeps the old one, with who, when and why.",
    )
    old = reported.facts[0]
    ((new, _),) = stage.command(stage.first, ("id", "now"), "correct", old, NOW, "--why", WHY)
    stage.bill[FACT] += 1
    stage.settle()
    require_answer(stage, new, QUESTIONS[0])
    history = stage.command(stage.first, ("when (UTC)", "who", "why", "said"), "history", old)
    said = {row[-1]: row[3] for row in history}
    require(said.keys() == {old, new} and said[new] == NOW, f"the history is {history}")
    return new


def show_other_tenant(stage: Stage, fact: str) -> None:
    """Ask as tenant B about the facts of tenant A."""
    stage.screen(
        "4. Tenant B asks the same question",
        "A key sees only the scopes of the key: the search finds nothing, and the id is unknown.",
    )
    rows = stage.command(stage.second, RECALLED, "recall", QUESTIONS[0])
    stage.bill[LINE] += 1
    require(not rows, f"tenant B was shown {rows}")
    stage.command(stage.second, (), "show", fact, is_refused=True)
