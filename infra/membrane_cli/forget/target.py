"""The erasure of a user, a scope or a subject: the list, the question, the end and the proof."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from membrane.domain.language.errors import Unavailable
from membrane_cli.forget.certificate_file import require_new, save
from membrane_cli.memories.client_options import present_options
from membrane_cli.output import print_json, print_rows
from membrane_cli.outside_text import printable
from membrane_cli.shown_ids import note, whole_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from membrane_client import Certificate, Erasure, Membrane
    from membrane_client.values.erasures import ErasureState, FindingCount

DONE, NOT_DONE = 0, 1
KEEP = "keep"
SHOWN = 20
"""Ids of findings to decide on; `--json` prints all."""


def erase_target(client: "Membrane", options: argparse.Namespace) -> int:
    """List the findings, ask, erase, and save the certificate; 1 where nothing is erased."""
    require_new(_file_of(options, "new"))
    listed = _run(client, options, is_dry_run=True)
    _show_listing(listed, as_json=options.json)
    if options.dry_run:
        return DONE
    number = sum(each.count for each in listed.found if each.action != KEEP)
    question = f"Erase {number} findings for good?"
    if not options.yes and not is_confirmed(question, "confirm the list with --yes"):
        return NOT_DONE
    return _prove(client, options, _run(client, options, is_dry_run=False))


def finish_erasure(client: "Membrane", options: argparse.Namespace) -> int:
    """Wait for the end of an earlier erasure, and save the certificate."""
    from membrane_client import StillRunning  # noqa: PLC0415 - help needs no client

    erasure_id = whole_id(options, options.erasure)
    require_new(_file_of(options, erasure_id))
    try:
        ended = client.erasure(erasure_id, wait_seconds=options.wait, on_progress=_progress_lines())
    except StillRunning as error:
        raise _goes_on(error.erasure_id) from error
    if ended.dry_run:
        _show_listing(ended, as_json=options.json)
        return DONE
    return _prove(client, options, ended)


def _run(client: "Membrane", options: argparse.Namespace, *, is_dry_run: bool) -> "Erasure":
    from membrane_client import StillRunning  # noqa: PLC0415 - help needs no client

    try:
        return client.forget(
            dry_run=is_dry_run,
            wait_seconds=options.wait,
            on_progress=_progress_lines(),
            **present_options(
                user=options.user,
                scope=options.scope,
                subject=options.subject,
                reason=options.reason,
            ),
        )
    except StillRunning as error:
        raise _goes_on(error.erasure_id) from error


def _file_of(options: argparse.Namespace, erasure_id: str) -> Path:
    return options.certificate or Path(f"erasure-{erasure_id}.json")


def _goes_on(erasure_id: str) -> Unavailable:
    return Unavailable(
        f"erasure {erasure_id} goes on in the service: not ended within --wait; "
        f"`membrane forget --erasure {erasure_id}` waits again"
    )


def _progress_lines() -> "Callable[[ErasureState], None]":
    """A function that prints each state that differs from the state before."""
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

    return show


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
    print_rows(("kind", "ground", "action", "count"), _rows(listed.found))
    undecided = [each for each in listed.findings if each.action == KEEP]
    if undecided:
        say(f"{len(undecided)} stay until a person decides; `membrane forget ID` takes each:")
        print_rows(
            ("to decide", "ground", "id"),
            [(each.kind, each.ground, each.id) for each in undecided[:SHOWN]],
        )
    if len(undecided) > SHOWN:
        say(f"{len(undecided) - SHOWN} more: --json prints all")
    _say_unreadable(listed)


def _prove(client: "Membrane", options: argparse.Namespace, ended: "Erasure") -> int:
    """Save the certificate and show the counts; 1 where damaged items may hold content still."""
    proof = client.certificate(ended.id)
    path = _file_of(options, ended.id)
    save(proof, path)
    if options.json:
        print_json({**ended.raw, "certificate_file": str(path)})
    else:
        print_rows(("kind", "ground", "action", "count"), _rows(proof.certificate.removed))
        print_rows(("what stays", "why", "days"), _stays(proof))
        print_rows(("certificate", ""), [(str(path), f"{proof.certificate.entries} entries")])
    _say_unreadable(ended)
    return NOT_DONE if proof.certificate.unreadable else DONE


def _rows(counts: "Iterable[FindingCount]") -> "list[tuple[str, ...]]":
    return [(each.kind, each.ground, each.action, str(each.count)) for each in counts]


def _stays(proof: "Certificate") -> "list[tuple[str, ...]]":
    return [
        (each.what, each.why, "for good" if each.days is None else str(each.days))
        for each in proof.certificate.stays
    ]


def _say_unreadable(state: "ErasureState") -> None:
    if state.unreadable:
        say(f"{state.unreadable} damaged items could not be read and may hold content still")


def say(text: str) -> None:
    """Print a line beside the output, which a program may read."""
    print(printable(text), file=sys.stderr)
