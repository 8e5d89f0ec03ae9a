"""`membrane remember`, `show`, `list`, `history`, `correct`, `stats`, `skills`, `consolidate`."""

import argparse
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from membrane.domain.language.json_text import compact_json
from membrane_cli.options import Parser, count, number_from, open_client
from membrane_cli.output import Row, print_all, print_json, print_one, print_rows, say
from membrane_cli.shown_ids import AN_ID_HELP, note, whole_id

if TYPE_CHECKING:
    from membrane_client import Memory, MemoryRecord
    from membrane_client.values.entities import ConsolidationResult, MadeSkill, MadeTrace
    from membrane_client.values.records import RemovedRecord


LISTED = 20
AN_ID = "7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67"


def remember_options(parser: Parser) -> None:
    meaning = "a text in quotes, or subject, predicate, object"
    parser.option("words", meaning, nargs="+", metavar="WORD")
    meaning = "the answer to conflicting facts; if absent, as in ConflictPolicies"
    parser.option("--on-conflict", meaning, choices=("keep", "replace", "fork", "contest"))
    parser.option("--tag", "may be given more than once", action="append")
    parser.option("--sensitivity", "if absent, DefaultSensitivity of the deployment")
    parser.add_client(json="the record as one JSON object")
    parser.run_by(
        _remember,
        "membrane remember 'The staging database is reset every Monday'",
        "membrane remember billing runs_on Lambda --on-conflict replace",
    )


def _remember(options: argparse.Namespace) -> None:
    if len(options.words) not in (1, 3):
        options.refuse("expected a text in quotes, or a subject, a predicate and an object")
    given = {"tags": options.tag, "sensitivity": options.sensitivity}
    with open_client(options) as client:
        record = client.remember(*options.words, on_conflict=options.on_conflict, **given)
    rows = [(record.id, " ".join(options.words))]
    print_one(record.raw, ("id", "remembered"), rows, as_json=options.json)


def show_options(parser: Parser) -> None:
    parser.option("id", AN_ID_HELP)
    parser.add_client(json="the record as one JSON object")
    parser.run_by(_show, f"membrane show {AN_ID}", f"membrane show {AN_ID} --json")


def _show(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        record = client.retrieve_by_id(whole_id(options, options.id))
    note(record.id)
    fields = {name: value for name, value in record.raw.items() if name != "audit_log"}
    print_one(record.raw, ("field", "value"), _flat(fields), as_json=options.json)


def list_options(parser: Parser) -> None:
    parser.add_types()
    states = ("active", "deleted", "pruned", "retracted")
    parser.option("--state", "memories of the state; active unless given", choices=states)
    parser.option("--limit", "the most memories to show", type=count, default=LISTED)
    parser.add_client(json="a JSON object a line")
    parser.run_by(
        _list,
        "membrane list",
        "membrane list --type semantic --scope project:acme --limit 100",
        "membrane list --state deleted",
    )


def _list(options: argparse.Namespace) -> None:
    asked = {"type": options.type, "state": options.state, "limit": min(options.limit, LISTED)}
    with open_client(options) as client:
        pages = client.list_records(view="brief", **asked).pages()
        if options.state in ("deleted", "pruned"):  # the states of records without content
            removed = (each for page in pages for each in page.removed_records)
            shown = islice(removed, options.limit)
            headings = ("removed (UTC)", "restorable until", "type", "reason", "id")
            print_all(shown, headings, _removed_row, as_json=options.json)
        else:
            memories = (each for page in pages for each in page.memories)
            listed = islice(memories, options.limit)
            headings = ("salience", "when (UTC)", "type", "text", "id")
            print_all(listed, headings, _brief_row, as_json=options.json)


def _brief_row(memory: "Memory") -> Row:
    shown = f"{memory.salience:.2f}", instant(memory.when), str(memory.type), memory.text
    return *shown, memory.id


def _removed_row(record: "RemovedRecord") -> Row:
    until = "no" if record.restorable_until is None else instant(record.restorable_until)
    return instant(record.deleted_at), until, str(record.type), record.reason, record.id


def history_options(parser: Parser) -> None:
    parser.option("id", f"{AN_ID_HELP}; also of a correction")
    parser.add_client(json="a JSON object a line")
    parser.run_by(_history, f"membrane history {AN_ID}")


def _history(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        entries = client.history(whole_id(options, options.id))
    if options.json:
        for each in entries:
            record = None if each.record is None else each.record.raw
            print_json({"record_id": each.record_id, "version": each.version.raw, "record": record})
        return
    rows = (
        (instant(each.when), each.who or "", each.why or "", _text(each.content), each.record_id)
        for each in entries
    )
    print_rows(("when (UTC)", "who", "why", "text", "id"), rows)


def stats_options(parser: Parser) -> None:
    parser.add_client(json="one JSON object")
    parser.run_by(_stats, "membrane stats", "membrane stats --scope project:acme --json")


def _stats(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        snapshot = client.get_metrics()
    print_one(snapshot.raw, ("figure", "value"), _flat(snapshot.raw), as_json=options.json)


def _flat(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every scalar with a path, as `payload.subject` and `tags.0` are."""
    match value:
        case dict():
            named = value.items()
        case list():
            named = enumerate(value)  # type: ignore[assignment]  # a list's positions serve as names
        case _:
            yield place, _text(value)
            return
    for name, each in named:
        yield from _flat(each, f"{place}.{name}" if place else str(name))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else compact_json(value)


def instant(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def correct_options(parser: Parser) -> None:
    parser.option("id", AN_ID_HELP)
    parser.option("object", "the right object of the fact, as text")
    parser.option("--why", "the reason, for the history", required=True)
    parser.add_client(json="the new record as one JSON object")
    parser.run_by(_correct, f"membrane correct {AN_ID} 'MySQL 8' --why 'it was migrated in May'")


def _correct(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        own = whole_id(options, options.id)
        record = client.correct(own, options.object, why=options.why)
    rows = [(record.id, options.object)]
    print_one(record.raw, ("id", "now"), rows, as_json=options.json)


def skills_options(parser: Parser) -> None:
    parser.option("--limit", "the most skills to show", type=count, default=LISTED)
    parser.add_client(json="the record of a skill a line")
    parser.run_by(_skills, "membrane skills", "membrane skills --scope project:acme --limit 100")


def _skills(options: argparse.Namespace) -> None:
    headings = ("rate", "used", "last used (UTC)", "skill", "when", "steps", "id")
    with open_client(options) as client:
        listed = client.list_records(type="competence", limit=min(options.limit, LISTED))
        print_all(islice(listed, options.limit), headings, _skill_row, as_json=options.json)


def _skill_row(record: "MemoryRecord") -> Row:
    from membrane_client.values.payloads import CompetencePayload  # noqa: PLC0415 - help needs none

    skill = record.payload
    if not isinstance(skill, CompetencePayload):
        return ("", "", "", "(redacted)", "", "", record.id)
    rate = used = last = ""
    if performance := skill.performance:
        times = performance.success_count + performance.failure_count
        rate = f"{performance.success_rate:.2f}"
        used = f"{times} time" if times == 1 else f"{times} times"
        if performance.last_used_at is not None:
            last = instant(performance.last_used_at)
    signals = "; ".join(each.signal for each in skill.triggers)
    steps = " > ".join(each.tool or each.step for each in skill.recipe)
    return rate, used, last, skill.skill_name, signals, steps, record.id


def consolidate_options(parser: Parser) -> None:
    parser.flag("--dry-run", "show what would be made, and make nothing")
    meaning = (
        "a thread without a step for so long has ended, 0 = every thread; "
        "if absent, the deployment's ThreadQuietMinutes"
    )
    minutes = number_from(0, expected="expected a whole number of minutes, 0 or more")
    parser.option("--quiet-minutes", meaning, type=minutes, metavar="MINUTES")
    parser.add_client(json="one JSON object")
    parser.run_by(
        _consolidate,
        "membrane consolidate --dry-run",
        "membrane consolidate --scope project:acme --quiet-minutes 0",
    )


def _consolidate(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        quiet_minutes = options.quiet_minutes
        done = client.consolidate(dry_run=options.dry_run, quiet_minutes=quiet_minutes)
    headings = ("what", "name", "evidence", "why", "id")
    print_one(done.raw, headings, _rows(done), as_json=options.json)
    if done.is_left:
        say("time was up: run the command again for the rest")


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
