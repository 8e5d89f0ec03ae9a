"""`membrane skills` and `membrane consolidate`."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from membrane_cli.memories.records import LISTED, instant
from membrane_cli.options import Parser, add_client, count, open_client, present_options
from membrane_cli.output import Row, print_all, print_one

if TYPE_CHECKING:
    from membrane_client import MemoryRecord
    from membrane_client.values.entities import ConsolidationResult, MadeSkill, MadeTrace

SKILL = "competence"


def skills_options(parser: Parser) -> None:
    parser.add_argument("--limit", type=count, default=LISTED, help="the most skills to show")
    add_client(parser, json="the record of a skill a line")
    parser.run_by(_skills, "membrane skills", "membrane skills --scope project:acme --limit 100")


def consolidate_options(parser: Parser) -> None:
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be made, and make nothing"
    )
    parser.add_argument(
        "--quiet-minutes",
        type=minutes,
        metavar="MINUTES",
        help="a thread without a step for so long has ended, 0 = every thread; "
        "if absent, the deployment's ThreadQuietMinutes",
    )
    add_client(parser, json="one JSON object")
    parser.run_by(
        _consolidate,
        "membrane consolidate --dry-run",
        "membrane consolidate --scope project:acme --quiet-minutes 0",
    )


def minutes(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError("expected a whole number of minutes, 0 or more")
    return int(text)


def _skills(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        listed = client.list_records(
            type=SKILL, limit=min(options.limit, LISTED), **present_options(scope=options.scope)
        )
        skills = islice(listed, options.limit)
        headings = ("rate", "used", "last used (UTC)", "skill", "when", "steps", "id")
        print_all(skills, headings, _skill_row, as_json=options.json)


def _skill_row(record: "MemoryRecord") -> Row:
    from membrane_client.values.payloads import CompetencePayload  # noqa: PLC0415 - help needs none

    skill = record.payload
    if not isinstance(skill, CompetencePayload):
        return ("", "", "", "(redacted)", "", "", record.id)
    performance = skill.performance
    return (
        "" if performance is None else f"{performance.success_rate:.2f}",
        "" if performance is None else _times(performance.success_count, performance.failure_count),
        ""
        if performance is None or performance.last_used_at is None
        else instant(performance.last_used_at),
        skill.skill_name,
        "; ".join(each.signal for each in skill.triggers),
        " > ".join(each.tool or each.step for each in skill.recipe),
        record.id,
    )


def _times(successes: int, failures: int) -> str:
    used = successes + failures
    return f"{used} time" if used == 1 else f"{used} times"


def _consolidate(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        done = client.consolidate(
            dry_run=options.dry_run,
            **present_options(scope=options.scope, quiet_minutes=options.quiet_minutes),
        )
    headings = ("what", "name", "evidence", "why", "id")
    print_one(done.raw, headings, _rows(done), as_json=options.json)
    if done.is_left:
        print("time was up: run the command again for the rest", file=sys.stderr)


def _rows(done: "ConsolidationResult") -> Iterator[Row]:
    yield from _traces("trace", done.traces)
    yield from _skills_made("skill", done.skills)
    for each in done.plans:
        yield "plan", each.name, f"{len(each.traces)} traces", each.why, each.id
    yield from _skills_made("grown skill", done.grown)
    new = {each.id for each in done.traces}
    yield from _traces("no match", (each for each in done.unmatched if each.id not in new))


def _traces(what: str, traces: "Iterable[MadeTrace]") -> Iterator[Row]:
    for each in traces:
        ending = each.outcome or "no outcome"
        yield what, each.thread_id, f"{each.steps} steps, {ending}", each.why, each.id


def _skills_made(what: str, skills: "Iterable[MadeSkill]") -> Iterator[Row]:
    for each in skills:
        counts = f"{each.successes} successes, {each.failures} failures"
        yield what, each.name, counts, each.why, each.id
