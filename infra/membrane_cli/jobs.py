"""`membrane reindex` and `membrane verify`: functions of a stack, asked step by step."""

import argparse
import base64
import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import Progress, TextColumn

from membrane.adapters.aws_lambda.events.jobs import VERIFY
from membrane.adapters.aws_lambda.events.stream import REINDEX
from membrane.domain.integrity.anchors import SHARDS
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.integrity.verify_sources import SEEN_BYTES
from membrane.usecases.integrity.verify_table import PARTS
from membrane.usecases.search.reindex import Stage
from membrane_cli.options import Parser
from membrane_cli.output import interruptible, print_json, show_line
from membrane_cli.stacks import PAUSES_S, Ask, Pause, ask_again, function_of

INDEX_FUNCTION, VERIFY_FUNCTION = "IndexFunction", "VerifyFunction"
REINDEX_S, VERIFY_S = 90, 960
"""The read timeouts: longer than the functions' own timeouts."""
MAX_FRUITLESS = 15
"""Checks of all vectors, a minute apart, that find no progress."""


def reindex_options(parser: Parser) -> None:
    parser.add_stack("the index: --url or --stack")
    parser.flag("--again", "start over, also after an interrupted run")
    parser.run_by(_reindex, "membrane reindex --stack membrane")


def _reindex(options: argparse.Namespace) -> None:
    ask = function_of(options, INDEX_FUNCTION, REINDEX_S)
    reindex_all(ask, Console(), again=options.again)


@interruptible("the present step goes on in the service; give the command again for the rest")
def reindex_all(
    ask: Ask, console: Console, *, again: bool, pause: Pause = time.sleep
) -> JsonObject:
    """Run steps until the re-index is done, show the progress and return the last step's answer.

    An interrupted re-index goes on when the command runs again. A step with a passing failure is
    repeated. While vectors of the former embedder are left, the command waits for the index
    function. Raises Unavailable where the number of those vectors stops falling; the last passing
    failure once the pauses are used up; and any lasting failure at once.
    """

    def step(*, again: bool) -> JsonObject:
        return ask_again(ask, {REINDEX: {"again": again}}, console, pause)

    looks: list[int] = []
    with Progress(
        TextColumn("re-indexing: {task.description}", markup=False),
        console=console,
        disable=not console.is_terminal,
    ) as bars:
        going = bars.add_task("")
        progress = step(again=again)
        while not progress["done"]:
            bars.update(going, description=_counts(progress))
            if bars.disable:
                show_line(console, _counts(progress))
            is_checked = progress["stage"] == Stage.CHECKING and progress["after"] is None
            if is_checked and progress["lacking"] > 0:
                looks.append(progress["lacking"])
                pause(_pause_s(looks))
            progress = step(again=False)
    show_line(console, f"{_counts(progress)}, by {progress['embedder']}")
    show_line(console, f"begun {progress['started_at']}, done {progress['done_at']}")
    return progress


def _pause_s(looks: Sequence[int]) -> float:
    """Seconds to wait before the next check, after the numbers of vectors that were left.

    Raises Unavailable after MAX_FRUITLESS checks without progress.
    """
    if len(looks) - 1 - looks.index(min(looks)) >= MAX_FRUITLESS:
        raise Unavailable(
            f"{looks[-1]} vectors of another embedder are left, and for {MAX_FRUITLESS} looks "
            "none was replaced: see why the index function does not get on (its alarms, its "
            "dead letters), then give the command again"
        )
    return PAUSES_S[min(len(looks), len(PAUSES_S)) - 1]


def _counts(progress: JsonObject) -> str:
    return f"{progress['stage']}: {progress['marked']} marked, {progress['lacking']} lacking"


def verify_options(parser: Parser) -> None:
    parser.add_stack("the stack to verify: --url or --stack")
    parser.add_json("one JSON object a finding")
    parser.flag("--repair", "write missing edges at targets, names in heads and vectors again")
    parser.run_by(_verify, "membrane verify --stack membrane")


def _verify(options: argparse.Namespace) -> int:
    ask, notes = function_of(options, VERIFY_FUNCTION, VERIFY_S), Console(stderr=True)
    return verify_stack(ask, Console(), notes, as_json=options.json, repair=options.repair)


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
        answer = ask_again(ask, {VERIFY: step}, notes, pause)
        for finding in answer["findings"]:
            if as_json:
                print_json(finding)
                continue
            detail = f" ({finding['detail']})" if finding["detail"] else ""
            done = "; repaired" if finding["repaired"] else ""
            about = f"{finding['kind']} {finding['id']}: {finding['meaning']}"
            show_line(console, f"{about}{detail}{done}")
        return answer

    count = left_out = 0
    seen = [bytearray() for _ in range(PARTS)]
    step: JsonObject = {"after": None, "repair": repair}
    while True:
        answer = answer_to(step)
        count += len(answer["findings"])
        places = base64.b64decode(answer["seen"])
        for at in range(0, len(places), SEEN_BYTES):
            seen[places[at] * PARTS // SHARDS] += places[at : at + SEEN_BYTES]
        visited = f"{sum(map(len, seen)) // SEEN_BYTES} records, topics and documents"
        show_line(notes, f"verifying: {visited}, {count} findings")
        if answer["next"] is None:
            break
        step = {"after": answer["next"], "repair": repair, "anchors": answer["anchors"]}
    anchors = answer["anchors"]
    for part, of_part in enumerate(seen):
        whole = {"part": part, "seen": base64.b64encode(of_part).decode(), "anchors": anchors}
        answer = answer_to(whole)
        count += len(answer["findings"])
        left_out += answer["left_out"]
    if left_out:
        show_line(notes, f"gone: {left_out} more, which are not shown")
    newest = f"the anchor of {anchors[0]['anchor']['instant']}" if anchors else "no anchor"
    show_line(notes, f"verified: {visited}, {count + left_out} findings")
    show_line(notes, f"newest: {newest}")
    return 1 if count else 0
