"""`membrane verify`: find edits behind the service."""

import argparse
import base64
import time
from collections.abc import Iterator

from rich.console import Console

from membrane.adapters.aws_lambda.events.verification import VERIFY
from membrane.domain.integrity.anchors import SHARDS
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.integrity.verify_sources import SEEN_BYTES
from membrane.usecases.integrity.verify_table import PARTS
from membrane_cli.options import Parser, add_stack
from membrane_cli.output import add_json, print_json, show_line
from membrane_cli.stacks import Ask, Pause, ask_again, function_of

VERIFY_FUNCTION = "VerifyFunction"
LONGEST_S = 960
"""The read timeout: longer than the function's own timeout."""


def add_options(parser: Parser) -> None:
    add_stack(parser, "the stack to verify: --url or --stack")
    add_json(parser, "one JSON object a finding")
    parser.add_argument(
        "--repair",
        action="store_true",
        help="write missing edges at targets, names in heads and vectors again",
    )
    parser.show("membrane verify --stack membrane")
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    ask = function_of(options, VERIFY_FUNCTION, LONGEST_S)
    return verify_stack(
        ask, Console(), Console(stderr=True), as_json=options.json, repair=options.repair
    )


def verify_stack(
    ask: Ask,
    console: Console,
    notes: Console,
    *,
    as_json: bool,
    repair: bool = False,
    pause: Pause = time.sleep,
) -> int:
    """Show every finding, and on `notes` the progress; 1 with findings, 0 without."""

    def answer_to(step: JsonObject) -> JsonObject:
        return ask_again(ask, {VERIFY: step}, notes, pause)

    count = left_out = 0
    seen: list[bytes] = []
    step: JsonObject = {"after": None, "repair": repair}
    while True:
        answer = answer_to(step)
        count += _show(answer, console, as_json=as_json)
        seen += _places_in(answer["seen"])
        show_line(notes, f"verifying: {len(seen)} records and topics, {count} findings")
        if answer["next"] is None:
            break
        step = {"after": answer["next"], "repair": repair, "anchors": answer["anchors"]}
    anchors = answer["anchors"]
    for part, places in enumerate(_by_part(seen)):
        joined = base64.b64encode(b"".join(places)).decode()
        answer = answer_to({"part": part, "seen": joined, "anchors": anchors})
        count += _show(answer, console, as_json=as_json)
        left_out += answer["left_out"]
    if left_out:
        show_line(notes, f"gone: {left_out} more, which are not shown")
    newest = f"the anchor of {anchors[0]['anchor']['instant']}" if anchors else "no anchor"
    show_line(notes, f"verified: {len(seen)} records and topics, {count + left_out} findings")
    show_line(notes, f"newest: {newest}")
    return 1 if count else 0


def _show(answer: JsonObject, console: Console, *, as_json: bool) -> int:
    for finding in answer["findings"]:
        if as_json:
            print_json(finding)
        else:
            detail = f" ({finding['detail']})" if finding["detail"] else ""
            done = "; repaired" if finding["repaired"] else ""
            words = f"{finding['meaning']}{detail}{done}"
            show_line(console, f"{finding['kind']} {finding['id']}: {words}")
    return len(answer["findings"])


def _places_in(seen: str) -> Iterator[bytes]:
    joined = base64.b64decode(seen)
    for start in range(0, len(joined), SEEN_BYTES):
        yield joined[start : start + SEEN_BYTES]


def _by_part(seen: list[bytes]) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[] for _ in range(PARTS)]
    for place in seen:
        parts[place[0] * PARTS // SHARDS].append(place)
    return parts
