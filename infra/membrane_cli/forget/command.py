"""`membrane forget`: the options, and the choice between a record and a target."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from membrane_cli.forget.certificate_file import check_file
from membrane_cli.forget.target import (
    DONE,
    NOT_DONE,
    erase_target,
    finish_erasure,
    is_confirmed,
    say,
)
from membrane_cli.memories.client_options import add_client, open_client, seconds
from membrane_cli.memories.reading import AN_ID
from membrane_cli.memories.tree import brief_text
from membrane_cli.output import add_json, print_json, print_rows
from membrane_cli.parser import Parser
from membrane_cli.shown_ids import AN_ID_HELP, whole_id

if TYPE_CHECKING:
    from membrane_client import MemoryRecord

WAIT_S = 900.0

_OF_A_RECORD = ("why", "erase")
_OF_A_TARGET = ("subject", "dry_run", "reason", "certificate")
_EARLIER = ("erasure", "verify")
"""Options of a record alone, of a target alone, and of an earlier erasure."""


def forget_options(parser: Parser) -> None:
    parser.add_argument(
        "id",
        nargs="?",
        help=f"{AN_ID_HELP}; without, a target",
    )
    record = parser.add_argument_group("a record")
    record.add_argument("--why", help="the reason, for the audit, which stays; required")
    record.add_argument(
        "--erase", action="store_true", help="delete for good; needs a key with admin"
    )
    target = parser.add_argument_group(
        "a target: --user, --scope, --subject, or --subject with one of both",
        "The command lists the findings, asks, erases for good and saves the signed certificate. "
        "The key needs admin and the highest sensitivity.",
    )
    target.add_argument("--subject", metavar="NAME", help="a person or thing that facts are about")
    target.add_argument(
        "--reason", metavar="TEXT", help="for the certificate, as a request's number; no names"
    )
    target.add_argument("--dry-run", action="store_true", help="end after the list, with 0")
    target.add_argument(
        "--yes", action="store_true", help="ask no question; also with the beginning of an id"
    )
    target.add_argument(
        "--certificate", type=Path, metavar="FILE", help="a new file; if absent erasure-<id>.json"
    )
    target.add_argument(
        "--wait",
        type=seconds,
        default=WAIT_S,
        metavar="SECONDS",
        help="the longest wait for the end, without the time of requests",
    )
    later = parser.add_argument_group("an earlier erasure").add_mutually_exclusive_group()
    later.add_argument(
        "--erasure",
        metavar="ID",
        help="wait for the end, and save the certificate; name the --user of the erasure again",
    )
    later.add_argument(
        "--verify", type=Path, metavar="FILE", help="check the entries of a saved certificate"
    )
    add_client(parser)
    add_json(parser, "a JSON object a line: the list, then the end")
    parser.show(
        f"membrane forget {AN_ID} --why 'it is out of date'",
        f"membrane forget {AN_ID} --why 'a request of the person' --erase",
        "membrane forget --user alice --reason 'request 2026-117'",
        "membrane forget --subject 'Alice Example' --dry-run",
        "membrane forget --scope user:alice --yes --certificate alice.json",
        f"membrane forget --verify erasure-{AN_ID}.json",
    )
    parser.set_defaults(run=_forget, refuse=parser.error)


def _forget(options: argparse.Namespace) -> int:
    _require_one_thing(options)
    if options.verify is not None:
        check_file(options.verify, as_json=options.json)
        return 0
    with open_client(options) as client:
        if options.erasure is not None:
            return finish_erasure(client, options)
        if options.id is None:
            return erase_target(client, options)
        record_id = whole_id(options, options.id)
        is_sure = options.yes or record_id == options.id
        if not is_sure and not _is_meant(client.retrieve_by_id(record_id)):
            return NOT_DONE
        client.forget(record_id, why=options.why, erase=options.erase)
    done = "erased" if options.erase else "deleted"
    if options.json:
        print_json({"id": record_id, done: True})
    else:
        print_rows(("id", ""), [(record_id, done)])
    return DONE


def _is_meant(record: "MemoryRecord") -> bool:
    """Whether a person at the terminal says yes to the record that begins as given."""
    say(f"{record.id}, {record.type}: {brief_text(record)}")
    return is_confirmed("Forget the memory?", "give the whole id, or --yes")


def _require_one_thing(options: argparse.Namespace) -> None:
    """Refuse a command line that names two things to do, or none."""
    if options.id is not None:
        _refuse_any(options, (*_OF_A_TARGET, *_EARLIER), "not together with the id of a record")
        if options.why is None:
            options.refuse("a record needs --why")
        return
    _refuse_any(options, _OF_A_RECORD, "needs the id of a record")
    if _present_among(options, _EARLIER):
        new = [name for name in (*_OF_A_TARGET, "yes") if name != "certificate"]
        _refuse_any(options, new, "of a new erasure, not of an earlier one")
    elif options.user is None and options.scope is None and options.subject is None:
        options.refuse("expected the id of a record, or --user, --scope or --subject")


def _refuse_any(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Refuse the command line if an option of the names is present."""
    if present := _present_among(options, names):
        options.refuse(f"{', '.join(present)}: {reason}")


def _present_among(options: argparse.Namespace, names: Sequence[str]) -> list[str]:
    return [
        f"--{name.replace('_', '-')}"
        for name in names
        if getattr(options, name) not in (None, False)
    ]
