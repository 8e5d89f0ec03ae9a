"""`membrane remember`, `show`, `list`, `history`, `correct` and `stats`."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from membrane.domain.language.json_text import compact_json
from membrane_cli.options import Parser, add_client, count, open_client, present_options
from membrane_cli.output import Row, print_all, print_json, print_one, print_rows
from membrane_cli.shown_ids import AN_ID_HELP, note, whole_id

if TYPE_CHECKING:
    from membrane_client import Memory
    from membrane_client.values.records import RemovedRecord


A_TEXT, A_FACT = 1, 3
"""Numbers of words."""


def remember_options(parser: Parser) -> None:
    parser.add_argument(
        "words", nargs="+", metavar="WORD", help="a text in quotes, or subject, predicate, object"
    )
    parser.add_argument(
        "--on-conflict",
        choices=("keep", "replace", "fork", "contest"),
        help="the answer to conflicting facts; if absent, as in ConflictPolicies",
    )
    parser.add_argument("--tag", action="append", help="may be given more than once")
    parser.add_argument("--sensitivity", help="if absent, DefaultSensitivity of the deployment")
    add_client(parser, json="the record as one JSON object")
    parser.run_by(
        _remember,
        "membrane remember 'The staging database is reset every Monday'",
        "membrane remember billing runs_on Lambda --on-conflict replace",
    )


def _remember(options: argparse.Namespace) -> None:
    if len(options.words) not in (A_TEXT, A_FACT):
        options.refuse("expected a text in quotes, or a subject, a predicate and an object")
    with open_client(options) as client:
        record = client.remember(
            *options.words,
            **present_options(
                on_conflict=options.on_conflict, tags=options.tag, sensitivity=options.sensitivity
            ),
        )
    rows = [(record.id, " ".join(options.words))]
    print_one(record.raw, ("id", "remembered"), rows, as_json=options.json)


LISTED = 20
REMOVED = ("deleted", "pruned")
"""The states of records without content."""
AN_ID = "7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67"


def show_options(parser: Parser) -> None:
    parser.add_argument("id", help=AN_ID_HELP)
    add_client(parser, json="the record as one JSON object")
    parser.run_by(_show, f"membrane show {AN_ID}", f"membrane show {AN_ID} --json")


def list_options(parser: Parser) -> None:
    parser.add_argument(
        "--type", action="append", help="only memories of the type; more than once for several"
    )
    parser.add_argument(
        "--state",
        choices=("active", "deleted", "pruned", "retracted"),
        help="memories of the state; active unless given",
    )
    parser.add_argument("--limit", type=count, default=LISTED, help="the most memories to show")
    add_client(parser, json="a JSON object a line")
    parser.run_by(
        _list,
        "membrane list",
        "membrane list --type semantic --scope project:acme --limit 100",
        "membrane list --state deleted",
    )


def history_options(parser: Parser) -> None:
    parser.add_argument("id", help=f"{AN_ID_HELP}; also of a correction")
    add_client(parser, json="a JSON object a line")
    parser.run_by(_history, f"membrane history {AN_ID}")


def stats_options(parser: Parser) -> None:
    add_client(parser, json="one JSON object")
    parser.run_by(_stats, "membrane stats", "membrane stats --scope project:acme --json")


def _show(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        record = client.retrieve_by_id(whole_id(options, options.id))
    note(record.id)
    fields = {name: value for name, value in record.raw.items() if name != "audit_log"}
    print_one(record.raw, ("field", "value"), _flat(fields), as_json=options.json)


def _list(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        listed = client.list_records(
            view="brief",
            limit=min(options.limit, LISTED),
            **present_options(scope=options.scope, type=options.type, state=options.state),
        )
        if options.state in REMOVED:
            removed = (each for page in listed.pages() for each in page.removed_records)
            headings, row_of = ("removed (UTC)", "restorable until", "type", "reason"), _removed_row
            print_all(
                islice(removed, options.limit), (*headings, "id"), row_of, as_json=options.json
            )
            return
        memories = (each for page in listed.pages() for each in page.memories)
        headings = ("salience", "when (UTC)", "type", "text")
        print_all(
            islice(memories, options.limit), (*headings, "id"), _brief_row, as_json=options.json
        )


def _brief_row(memory: "Memory") -> Row:
    shown = f"{memory.salience:.2f}", instant(memory.when), str(memory.type), memory.text
    return *shown, memory.id


def _removed_row(record: "RemovedRecord") -> Row:
    until = "no" if record.restorable_until is None else instant(record.restorable_until)
    return instant(record.deleted_at), until, str(record.type), record.reason, record.id


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


def _stats(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        snapshot = client.get_metrics(**present_options(scope=options.scope))
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
    parser.add_argument("id", help=AN_ID_HELP)
    parser.add_argument("object", help="the right object of the fact, as text")
    parser.add_argument("--why", required=True, help="the reason, for the history")
    add_client(parser, json="the new record as one JSON object")
    parser.run_by(_correct, f"membrane correct {AN_ID} 'MySQL 8' --why 'it was migrated in May'")


def _correct(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        own = whole_id(options, options.id)
        record = client.correct(own, options.object, why=options.why)
    rows = [(record.id, options.object)]
    print_one(record.raw, ("id", "now"), rows, as_json=options.json)
