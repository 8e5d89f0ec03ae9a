"""`membrane forget`: a record, or a person or a scope with the list, the question and the proof."""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane_cli.memories.recall import brief_text
from membrane_cli.memories.records import AN_ID
from membrane_cli.options import Parser, open_client
from membrane_cli.output import print_json, print_one, print_rows, say
from membrane_cli.shown_ids import AN_ID_HELP, note, whole_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from membrane_client import Erasure, Membrane
    from membrane_client.values.jobs import ErasureState, FindingCount, SpellingCount


_OF_A_TARGET = ("subject", "spelling", "ids", "dry_run", "reason", "certificate")


def add_options(parser: Parser) -> None:
    parser.option("id", f"{AN_ID_HELP}; without, a target", nargs="?")
    record = parser.add_argument_group("a record")
    parser.option("--why", "the reason, for the audit, which stays; required", place=record)
    parser.flag("--erase", "delete for good; needs a key with admin", place=record)
    target = parser.add_argument_group(
        "a target: --user, --scope, --subject, --subject with one of both, or --ids",
        "The command lists the findings, asks, erases for good and saves the signed certificate. "
        "The key needs admin and the highest sensitivity.",
    )
    parser.option(
        "--subject", "a person or thing that facts are about", metavar="NAME", place=target
    )
    meaning = "a further spelling of NAME, from the list; more than once for several"
    parser.option("--spelling", meaning, action="append", metavar="NAME", place=target)
    meaning = "records, topics, and documents by the ids of a list"
    parser.option("--ids", meaning, nargs="+", metavar="ID", place=target)
    meaning = "for the certificate, as a request's number; no names"
    parser.option("--reason", meaning, metavar="TEXT", place=target)
    parser.flag("--dry-run", "end after the list, with 0", place=target)
    parser.flag("--yes", "ask no question; also with the beginning of an id", place=target)
    meaning = "a new file; if absent erasure-<id>.json"
    parser.option("--certificate", meaning, type=Path, metavar="FILE", place=target)
    meaning = "the longest wait for the end, without the time of requests"
    parser.add_seconds("--wait", 900.0, meaning, place=target)
    later = parser.add_argument_group("an earlier erasure").add_mutually_exclusive_group()
    meaning = "wait for the end, and save the certificate; name the --user of the erasure again"
    parser.option("--erasure", meaning, metavar="ID", place=later)
    meaning = "check the entries of a saved certificate"
    parser.option("--verify", meaning, type=Path, metavar="FILE", place=later)
    parser.add_client(json="a JSON object a line: the list, then the end")
    parser.run_by(
        _forget,
        f"membrane forget {AN_ID} --why 'it is out of date'",
        f"membrane forget {AN_ID} --why 'a request of the person' --erase",
        "membrane forget --user alice --reason 'request 2026-117'",
        "membrane forget --subject 'Alice Example' --dry-run",
        "membrane forget --scope user:alice --yes --certificate alice.json",
        "membrane forget --ids doc.2c1f… --reason 'request 2026-117'",
        f"membrane forget --verify erasure-{AN_ID}.json",
    )


def _forget(options: argparse.Namespace) -> int:
    _require_one_thing(options)
    if options.verify is not None:
        check_file(options.verify, as_json=options.json)
        return DONE
    with open_client(options) as client:
        if options.id is not None:
            return _forget_record(client, options)
        if options.erasure is not None:
            return _finish_erasure(client, options, whole_id(options, options.erasure))
        return _erase_target(client, options)


def _require_one_thing(options: argparse.Namespace) -> None:
    if options.id is not None:
        others = (*_OF_A_TARGET, "erasure", "verify")
        _refuse_any(options, others, "not together with the id of a record")
        if options.why is None:
            options.refuse("a record needs --why")
        return
    _refuse_any(options, ("why", "erase"), "needs the id of a record")
    if options.erasure is not None or options.verify is not None:
        new = [name for name in (*_OF_A_TARGET, "yes") if name != "certificate"]
        _refuse_any(options, new, "of a new erasure, not of an earlier one")
    elif options.ids is not None:
        _refuse_any(options, ("subject", "spelling", "scope"), "not together with --ids")
    elif options.user is None and options.scope is None and options.subject is None:
        options.refuse("expected the id of a record, or --user, --scope, --subject or --ids")
    elif options.spelling is not None and options.subject is None:
        options.refuse("--spelling: needs --subject")


def _refuse_any(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    present = [name for name in names if getattr(options, name) not in (None, False)]
    if present:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in present)
        options.refuse(f"{named}: {reason}")


DONE, NOT_DONE = 0, 1
KEEP = "keep"
SHOWN = 20
"""Ids of findings to decide on; `--json` prints all."""


def _forget_record(client: "Membrane", options: argparse.Namespace) -> int:
    record_id = whole_id(options, options.id)
    if not options.yes and record_id != options.id:
        record = client.retrieve_by_id(record_id)
        say(f"{record.id}, {record.type}: {brief_text(record)}")
        if not is_confirmed("Forget the memory?", "give the whole id, or --yes"):
            return NOT_DONE
    client.forget(record_id, why=options.why, erase=options.erase)
    done = "erased" if options.erase else "deleted"
    removed = {"id": record_id, done: True}
    print_one(removed, ("id", ""), [(record_id, done)], as_json=options.json)
    return DONE


def _erase_target(client: "Membrane", options: argparse.Namespace) -> int:
    """List the findings, ask, erase, and save the certificate; 1 where nothing is erased."""
    _require_new(_file_of(options, "new"))
    target = {} if options.user is None else {"user": options.user}
    target |= {"scope": options.scope, "subject": options.subject, "reason": options.reason}
    target |= {"spellings": options.spelling, "ids": options.ids}

    def run(*, is_dry_run: bool) -> "Erasure":
        with _waiting(options) as about:
            return client.forget(dry_run=is_dry_run, **about, **target)

    listed = run(is_dry_run=True)
    _show_listing(listed, as_json=options.json)
    if not options.json and any(not each.erases for each in listed.spellings):
        say(f"to erase every spelling: {_command_for_all(listed, options)}")
    if options.dry_run:
        return DONE
    number = sum(each.count for each in listed.found if each.action != KEEP)
    question = f"Erase {number} findings for good?"
    if not options.yes and not is_confirmed(question, "confirm the list with --yes"):
        return NOT_DONE
    return _prove(client, options, run(is_dry_run=False))


def _finish_erasure(client: "Membrane", options: argparse.Namespace, erasure_id: str) -> int:
    _require_new(_file_of(options, erasure_id))
    with _waiting(options) as about:
        ended = client.erasure(erasure_id, **about)
    if ended.dry_run:
        _show_listing(ended, as_json=options.json)
        return DONE
    return _prove(client, options, ended)


def _file_of(options: argparse.Namespace, erasure_id: str) -> Path:
    return options.certificate or Path(f"erasure-{erasure_id}.json")


@contextmanager
def _waiting(options: argparse.Namespace) -> "Iterator[Any]":
    """The arguments of a call that waits; raises Unavailable where the time is over."""
    from membrane_client import StillRunning  # noqa: PLC0415 - help needs no client

    last = ""

    def show(state: "ErasureState") -> None:
        nonlocal last
        note(state.id)
        counts = state.removed if state.state == "removing" else state.found
        number = sum(each.count for each in counts)
        line = f"erasure {state.id}: {state.state}, {number} so far"
        if line != last:
            say(line)
        last = line

    try:
        yield {"wait_seconds": options.wait, "on_progress": show}
    except StillRunning as error:
        raise Unavailable(
            f"erasure {error.erasure_id} goes on in the service: not ended within --wait; "
            f"`membrane forget --erasure {error.erasure_id}` waits again"
        ) from error


def is_confirmed(question: str, advice: str) -> bool:
    """Whether a person at the terminal says yes; without a terminal, prints the advice."""
    if not sys.stdin.isatty():
        print(f"membrane forget: nothing is erased: {advice}", file=sys.stderr)
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    print("membrane forget: nothing is erased", file=sys.stderr)
    return False


def _show_listing(listed: "Erasure", *, as_json: bool) -> None:
    if as_json:
        print_json(listed.raw)
        return
    _print_counts(listed.found)
    if any(not each.erases for each in listed.spellings):
        say("other spellings of the subject stay unless --spelling names each:")
        print_rows(("spelling", "found", "erases"), map(_spelling_row, listed.spellings))
    undecided = [each for each in listed.findings if each.action == KEEP]
    if undecided:
        say(f"{len(undecided)} stay until a person decides; `membrane forget --ids ID` takes each:")
        rows = ((each.kind, each.ground, each.id) for each in undecided[:SHOWN])
        print_rows(("to decide", "ground", "id"), rows)
    if len(undecided) > SHOWN:
        say(f"{len(undecided) - SHOWN} more: --json prints all")
    _say_unreadable(listed)


def _spelling_row(each: "SpellingCount") -> tuple[str, str, str]:
    return each.text or "(others)", str(each.found), "yes" if each.erases else "no"


def _command_for_all(listed: "Erasure", options: argparse.Namespace) -> str:
    """The command that erases every spelling that the listing names."""
    found = [each.text for each in listed.spellings if each.text not in ("", options.subject)]
    words = [f"--spelling={each}" for each in sorted({*found, *(options.spelling or ())})]
    for name in ("reason", "subject", "scope", "user"):
        if getattr(options, name) is not None:
            words.insert(0, f"--{name}={getattr(options, name)}")
    return shlex.join(["membrane", "forget", *words])


def _prove(client: "Membrane", options: argparse.Namespace, ended: "Erasure") -> int:
    """Save the certificate and show the counts; 1 where damaged items may hold content still."""
    proof = client.certificate(ended.id)
    path = _file_of(options, ended.id)
    with path.open("x", encoding="utf-8") as file:
        json.dump(proof.raw, file, ensure_ascii=False, indent=1)
        file.write("\n")
    if options.json:
        print_json({**ended.raw, "certificate_file": str(path)})
    else:
        _print_counts(proof.certificate.removed)
        rows = (
            (each.what, each.why, "for good" if each.days is None else str(each.days))
            for each in proof.certificate.stays
        )
        print_rows(("what stays", "why", "days"), rows)
        print_rows(("certificate", ""), [(str(path), f"{proof.certificate.entries} entries")])
    _say_unreadable(ended)
    return NOT_DONE if proof.certificate.unreadable else DONE


def _print_counts(counts: "Iterable[FindingCount]") -> None:
    rows = ((each.kind, each.ground, each.action, str(each.count)) for each in counts)
    print_rows(("kind", "ground", "action", "count"), rows)


def _say_unreadable(state: "ErasureState") -> None:
    if state.unreadable:
        say(f"{state.unreadable} damaged items could not be read and may hold content still")


def _require_new(path: Path) -> None:
    if path.exists():
        raise InvalidArgument(f"{path} exists: name a new file with --certificate")
    if not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
        raise InvalidArgument(f"{path} cannot be written: name another file with --certificate")


def check_file(path: Path, *, as_json: bool) -> None:
    from membrane_client import check_certificate  # noqa: PLC0415 - help needs no client

    try:
        saved: Any = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InvalidArgument(f"{path} is not JSON: name the file of a certificate") from error
    check_certificate(saved)
    signed = saved["certificate"]
    shown = {name: signed.get(name) for name in ("erasure", "done_at", "entries", "unreadable")}
    rows = [(name, str(value)) for name, value in shown.items()]
    rows.append(("entries_match", "yes; docs/forget.md checks the signature"))
    print_one({**shown, "entries_match": True}, ("certificate", ""), rows, as_json=as_json)
