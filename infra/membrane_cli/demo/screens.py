"""`membrane demo`: each screen shows a use of the memory, and checks what the stack answers."""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from membrane_cli.cost import month
from membrane_cli.demo.stage import RECALLED, DemoError, Stage, require, running_stage
from membrane_cli.memories.recall import brief_text
from membrane_cli.options import Parser
from membrane_client import NotFound


def add_options(parser: Parser) -> None:
    parser.run_by(_demo, "membrane demo")


def _demo(_: argparse.Namespace) -> None:
    with running_stage(Console()) as stage:
        *facts, failed, worked = show_first_session(stage)
        show_second_session(stage, facts, worked)
        corrected = show_correction(stage, facts[0])
        show_other_tenant(stage, corrected)
        show_connections(stage)
        show_study(stage)
        show_forgetting(stage, failed, worked, facts[1])
        show_bill(stage)


SOURCE = "deploy-agent"
FACTS = (
    ("billing-service", "stores its data in", "PostgreSQL 16 on db-3"),
    ("a login", "expires after", "20 minutes without a request"),
    ("Ada", "prefers", "short answers with one example"),
)
QUESTIONS = (
    "Which database keeps our invoices?",
    "How long does somebody stay signed in?",
    "How should I write to Ada?",
)
"""About the facts, in their order, in none of their words but a name."""
FAILED = ({"command": "deploy --all"}, "timed out: db-3 took no connections", "failure")
WORKED = ({"command": "deploy --one-by-one"}, "release 4.2 is live after 85 s", "success")
HALF_LIFE_H = 6
"""Of both tool calls; without a lifecycle of their own the half-life is an hour."""
HOW_DEPLOYED = "How did we roll out the release last time?"
LINE = month.RETRIEVING[min(month.RETRIEVING)]


def show_first_session(stage: Stage) -> Sequence[str]:
    """The ids of the facts, of the deployment that failed, and of the one that worked."""
    stage.screen(
        "1. Session 1 works, and reports facts and tool outputs",
        "Every report becomes a typed record with an id, in the scope of tenant A.",
    )
    client = stage.first.client
    reports = [(client.remember(*fact, source=SOURCE), " ".join(fact)) for fact in FACTS]
    lifecycle = {"decay": {"half_life_seconds": HALF_LIFE_H * 3_600}}
    about: Any = {"source": SOURCE, "lifecycle": lifecycle}
    for args, result, status in (FAILED, WORKED):
        record = client.ingest_tool_output(
            "shell", args=args, result=result, status=status, **about
        )
        reports.append((record, f"{args['command']}: {result} ({status})"))
    stage.bill[month.FACT] += len(FACTS)
    stage.bill[month.CREATING[1]] += 2
    rows = [(each.id[:8], each.type, text) for each, text in reports]
    stage.show(("id", "type", "content"), rows)
    return [each.id for each, _ in reports]


def show_second_session(stage: Stage, facts: Sequence[str], worked: str) -> None:
    stage.screen(
        "2. Session 2, another process, asks in other words",
        "The right memory comes first, with the score and the strongest parts.",
    )
    stage.settle()
    for question, expected in zip(QUESTIONS, facts, strict=True):
        require_answer(stage, expected, question)
    stage.say("Of two deployments it asks for one that worked:\n")
    require_answer(stage, worked, HOW_DEPLOYED, "--outcome", "success")


def require_answer(stage: Stage, expected: str, question: str, *options: str) -> None:
    rows = stage.command(stage.first, RECALLED, "recall", question, *options, "--limit", "1")
    stage.bill[LINE] += 1
    require([row[-1] for row in rows] == [expected], f"{question!r} found {rows}")
    require(0 < float(rows[0][0]) <= 1, f"a score is {rows[0][0]}")


def show_correction(stage: Stage, old: str) -> str:
    """Correct a fact; returns the id of the new fact."""
    now, why = "MySQL 9 on db-7", "it was migrated in May"
    stage.screen(
        "3. A fact turns out to be wrong, and is corrected",
        "The answer has the new fact alone; the history keeps the old one, with who, when and why.",
    )
    ((new, _),) = stage.command(stage.first, ("id", "now"), "correct", old, now, "--why", why)
    stage.bill[month.FACT] += 1
    stage.settle()
    require_answer(stage, new, QUESTIONS[0])
    history = stage.command(stage.first, ("when (UTC)", "who", "why", "said"), "history", old)
    said = {row[-1]: row[3] for row in history}
    require(said.keys() == {old, new} and said[new] == now, f"the history is {history}")
    return new


def show_other_tenant(stage: Stage, fact: str) -> None:
    stage.screen(
        "4. Tenant B asks the same question",
        "A key sees only the scopes of the key: the search finds nothing, and the id is unknown.",
    )
    rows = stage.command(stage.second, RECALLED, "recall", QUESTIONS[0])
    stage.bill[LINE] += 1
    require(not rows, f"tenant B was shown {rows}")
    stage.command(stage.second, (), "show", fact, is_refused=True)


OWNERSHIP = {"subject": "checkout-service", "predicate": "is owned by", "object": "Ada Byron"}
ALERT = {"text": "At 03:12 the pager went off: checkout-service lost its database"}
WHOSE_PAGER = "Whose pager went off last night?"


def show_connections(stage: Stage) -> None:
    stage.screen(
        "5. An alert names a service, another report names its owner",
        "A capture links evidence to what it names; a graph follows the links.",
    )
    client = stage.first.client
    stated = client.capture(OWNERSHIP, source_kind="observation", source=SOURCE)
    alert = client.capture(ALERT, source_kind="alert", source=SOURCE)
    stage.bill[month.CAPTURE] += 2
    found = [*stated.created_records, alert.primary_record]
    rows = [(each.id[:8], each.type, brief_text(each)) for each in found]
    stage.show(("id", "type", "content"), rows)
    stage.settle()
    about_one_alert = ("--type", "episodic", "--limit", "1")
    graph = ("--graph", "--max-hops", "2", *about_one_alert)
    headings = ("score", "when (UTC)", "text")
    nodes = stage.command(stage.first, headings, "recall", WHOSE_PAGER, *graph)
    stage.bill[month.GRAPH] += 1
    tree = [row[2].strip() for row in nodes]
    require(ALERT["text"] in tree[0], f"the graph begins with {tree[0]}")
    answer = " ".join(OWNERSHIP.values())
    require(any(line.endswith(answer) for line in tree), f"the graph is {tree}")


MANUAL = """# The kettle

Fill the kettle with water before use.

## Safety

Never open the lid while the water boils.

## Care

Descale the kettle every month.
"""
HOW_OFTEN = "How often is limescale to be removed?"


def show_study(stage: Stage) -> None:
    stage.screen(
        "6. A manual becomes topics",
        "Sections become topics, paragraphs become fields; the next edition changes one field.",
    )
    client = stage.first.client
    headings = ("topics", "fields", "revisions", "unchanged", "withdrawn", "seconds", "state")
    with TemporaryDirectory() as folder:
        file = Path(folder, "kettle.md")
        for edition in (MANUAL, MANUAL.replace("every month", "every two weeks")):
            file.write_text(edition, "utf-8")
            words = ("study", str(file), "--no-model", "--source", "kettle.md")
            stage.command(stage.first, headings, *words)
    stage.settle()
    answer = client.query_topics(HOW_OFTEN, top_k=1)
    found = answer.candidates[0]
    require(found.title == "Care", f"the question finds the topic {found.title}")
    field = client.read_field(found.topic_id, "p0001", with_history=True)
    rows = [(each.value, each.why_changed or "", each.provenance) for each in field.history]
    stage.say(f"{HOW_OFTEN} The topic {found.title}:")
    stage.show(("value", "why", "provenance"), rows)
    require(len(rows) == 2, f"the field has the history {rows}")  # noqa: PLR2004 - two editions


DAY_H = 24


def show_forgetting(stage: Stage, failed: str, worked: str, fact: str) -> None:
    """Let three days pass; after two days the successful deployment proves useful again."""
    stage.screen(
        "7. Three days pass",
        "The used records are there; the unused record is gone, and the audit says when and why.",
    )
    client = stage.first.client
    stage.pass_hours(2 * DAY_H)
    faded = _salience(stage, worked, 0.5 ** (2 * DAY_H / HALF_LIFE_H))
    used = client.reinforce(worked, rationale="release 4.3 went out the same way")
    for _ in range(DAY_H):
        stage.pass_hours(1)
    gain = 0.2  # ReinforcementGain
    left = _salience(stage, worked, used.salience * 0.5 ** (DAY_H / HALF_LIFE_H))
    stage.say(
        f"Both deployments had a half-life of {HALF_LIFE_H} h. After two days {faded:.4f} of their "
        f"salience was left. Then the one that worked was used: {used.salience:.4f}; a day later "
        f"{left:.4f}. The hourly sweep pruned the other one when it fell to 0.001.\n"
    )
    require(math.isclose(used.salience, faded + gain, rel_tol=0.01), f"it is {used.salience}")
    require_answer(stage, worked, HOW_DEPLOYED)
    require_answer(stage, fact, QUESTIONS[1])
    _show_audit(stage, failed)
    stage.bill[month.CREATING[1]] -= 1
    stage.bill[month.LIFE] += 1


def _salience(stage: Stage, record_id: str, expected: float) -> float:
    found = stage.first.client.retrieve_by_id(record_id).salience
    is_near = math.isclose(found, expected, rel_tol=0.01)  # seconds pass while the demo runs
    require(is_near, f"the salience is {found}, not {expected}")
    return found


def _show_audit(stage: Stage, record_id: str) -> None:
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


A_DAY, DAYS = 1_000, 30


def show_bill(stage: Stage) -> None:
    stage.screen(
        "8. What this costs on AWS",
        "The figures of `membrane cost`: with indexing and pruning, without free tiers.",
    )
    prices, bill = month.read_prices(), stage.bill
    dollars = {name: sum(prices.lines[name].values()) for name in bill}
    rows = [
        (name, str(times), f"{dollars[name]:.2f}", f"{times * dollars[name] / month.MILLION:.6f}")
        for name, times in bill.items()
    ]
    total = sum(times * dollars[name] for name, times in bill.items()) / month.MILLION
    rows.append(("all", str(bill.total()), "", f"{total:.6f}"))
    stage.show(("operation", "times", "$ a million", "$"), rows)
    asked = bill[LINE] + bill[month.GRAPH]
    events = (bill.total() - asked) * A_DAY * DAYS
    use = month.Use(events, asked * A_DAY * DAYS, 0, min(month.RETRIEVING))
    a_month = sum(month.month_of(use, prices).values())
    idle = sum(month.month_of(month.Use(0, 0, 0, min(month.RETRIEVING)), prices).values())
    stage.say(
        f"Reading by id, history and reinforcing cost less, and are left out; so is the study, "
        f"whose price depends on the text. {A_DAY:,} such sessions a day: ${a_month:,.2f} a month. "
        f"A month of doing nothing: ${idle:,.2f}.\n"
    )
    _show_next(stage)


def _show_next(stage: Stage) -> None:
    called = Path(sys.argv[0])
    membrane = sys.argv[0] if called.name == "membrane" and ".venv" in called.parts else "membrane"
    stage.say("Next, the first one in a terminal of its own:\n")
    for words in (
        "dev --api-key local-key",
        "remember 'Ada prefers short answers' --api-key local-key",
        "recall 'How should I write to Ada?' --api-key local-key",
    ):
        stage.say(f"  {membrane} {words}")
