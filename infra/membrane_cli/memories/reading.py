"""`membrane show`, `list`, `history` and `stats`."""

import argparse
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from membrane.domain.language.json_text import compact_json
from membrane_cli.memories.brief import instant, print_memories
from membrane_cli.memories.client_options import add_client, open_client, present_options
from membrane_cli.output import add_json, print_json, print_rows
from membrane_cli.parser import Parser, count
from membrane_cli.shown_ids import AN_ID_HELP, note, whole_id

if TYPE_CHECKING:
    from membrane_client.values.records import RemovedRecord

LISTED = 20
REMOVED = ("deleted", "pruned")
"""The states of records without content."""

AN_ID = "7f3c9b52-6a04-8e1d-9c35-0d2f4b8a1e67"
"""For examples."""


def show_options(parser: Parser) -> None:
    parser.add_argument("id", help=AN_ID_HELP)
    add_client(parser)
    add_json(parser, "the record as one JSON object")
    parser.show(f"membrane show {AN_ID}", f"membrane show {AN_ID} --json")
    parser.set_defaults(run=_show)


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
    add_client(parser)
    add_json(parser, "a JSON object a line")
    parser.show(
        "membrane list",
        "membrane list --type semantic --scope project:acme --limit 100",
        "membrane list --state deleted",
    )
    parser.set_defaults(run=_list)


def history_options(parser: Parser) -> None:
    parser.add_argument("id", help=f"{AN_ID_HELP}; also of a correction")
    add_client(parser)
    add_json(parser, "a JSON object a line")
    parser.show(f"membrane history {AN_ID}")
    parser.set_defaults(run=_history)


def stats_options(parser: Parser) -> None:
    add_client(parser)
    add_json(parser, "one JSON object")
    parser.show("membrane stats", "membrane stats --scope project:acme --json")
    parser.set_defaults(run=_stats)


def _show(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        record = client.retrieve_by_id(whole_id(options, options.id))
    note(record.id)
    if options.json:
        print_json(record.raw)
    else:
        fields = {name: value for name, value in record.raw.items() if name != "audit_log"}
        print_rows(("field", "value"), _flat(fields))


def _list(options: argparse.Namespace) -> None:
    columns = {
        "salience": lambda each: f"{each.salience:.2f}",
        "when (UTC)": lambda each: instant(each.when),
        "type": lambda each: str(each.type),
        "text": lambda each: each.text,
    }
    with open_client(options) as client:
        listed = client.list_records(
            view="brief",
            limit=min(options.limit, LISTED),
            **present_options(scope=options.scope, type=options.type, state=options.state),
        )
        if options.state in REMOVED:
            removed = (each for page in listed.pages() for each in page.removed_records)
            _print_removed(islice(removed, options.limit), as_json=options.json)
            return
        memories = (each for page in listed.pages() for each in page.memories)
        print_memories(islice(memories, options.limit), columns, as_json=options.json)


def _print_removed(removed: "Iterable[RemovedRecord]", *, as_json: bool) -> None:
    if as_json:
        for each in removed:
            print_json(each.raw)
        return
    rows = (
        (
            instant(each.deleted_at),
            "no" if each.restorable_until is None else instant(each.restorable_until),
            str(each.type),
            each.reason,
            each.id,
        )
        for each in removed
    )
    print_rows(("removed (UTC)", "restorable until", "type", "reason", "id"), rows)


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
    if options.json:
        print_json(snapshot.raw)
    else:
        print_rows(("figure", "value"), _flat(snapshot.raw))


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
