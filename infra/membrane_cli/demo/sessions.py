"""Screens 1 and 2: session 1 reports, session 2 asks in new words and finds the reports."""

from dataclasses import dataclass

from membrane_cli.cost.prices import CREATING, FACT, RETRIEVING
from membrane_cli.demo.stage import RECALLED, Stage, require

SOURCE = "deploy-agent"
FACTS = (
    ("billing-service", "stores its data in", "PostgreSQL 16 on db-3"),
    ("a login", "expires after", "20 minutes without a request"),
    ("Ada", "prefers", "short answers with one example"),
)
FAILED = ({"command": "deploy --all"}, "timed out: db-3 took no connections", "failure")
WORKED = ({"command": "deploy --one-by-one"}, "release 4.2 is live after 85 s", "success")
HALF_LIFE_H = 6
"""Of both tool calls; without a lifecycle of their own the half-life is an hour."""

QUESTIONS = (
    "Which database keeps our invoices?",
    "How long does somebody stay signed in?",
    "How should I write to Ada?",
)
"""About the facts, in their order, in none of their words but a name."""

HOW_DEPLOYED = "How did we roll out the release last time?"

LINE = RETRIEVING[min(RETRIEVING)]


@dataclass(frozen=True, slots=True)
class ReportedRecords:
    """Ids of the records of session 1."""

    facts: tuple[str, ...]
    failed: str
    worked: str


def show_first_session(stage: Stage) -> ReportedRecords:
    """Report three facts and two tool calls."""
    stage.screen(
        "1. Session 1 works, and reports facts and tool outputs",
        "Every report becomes a typed record with an id, in the scope of tenant A.",
    )
    client = stage.first.client
    lifecycle = {"decay": {"half_life_seconds": HALF_LIFE_H * 3_600}}
    facts = [client.remember(*fact, source=SOURCE) for fact in FACTS]
    failed, worked = (
        client.ingest_tool_output(
            "shell", args=args, result=result, status=status, source=SOURCE, lifecycle=lifecycle
        )
        for args, result, status in (FAILED, WORKED)
    )
    stage.bill[FACT] += len(facts)
    stage.bill[CREATING[1]] += 2
    rows = [
        (each.id[:8], each.type, " ".join(fact)) for each, fact in zip(facts, FACTS, strict=True)
    ]
    rows += [
        (each.id[:8], each.type, f"{args['command']}: {result} ({status})")
        for each, (args, result, status) in ((failed, FAILED), (worked, WORKED))
    ]
    stage.show(("id", "type", "content"), rows)
    return ReportedRecords(tuple(each.id for each in facts), failed.id, worked.id)


def show_second_session(stage: Stage, reported: ReportedRecords) -> None:
    """Ask for the facts and for the deployment that worked; every process knows the key alone."""
    stage.screen(
        "2. Session 2, another process, asks in other words",
        "The right memory comes first, with the score and the strongest parts.",
    )
    stage.settle()
    for question, expected in zip(QUESTIONS, reported.facts, strict=True):
        require_answer(stage, expected, question)
    stage.say("Of two deployments it asks for one that worked:\n")
    require_answer(stage, reported.worked, HOW_DEPLOYED, "--outcome", "success")


def require_answer(stage: Stage, expected: str, question: str, *options: str) -> None:
    """Ask a question whose first answer must be the expected record."""
    rows = stage.command(stage.first, RECALLED, "recall", question, *options, "--limit", "1")
    stage.bill[LINE] += 1
    require([row[-1] for row in rows] == [expected], f"{question!r} found {rows}")
    require(0 < float(rows[0][0]) <= 1, f"a score is {rows[0][0]}")
