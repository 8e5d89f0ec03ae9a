"""The jobs of schedules, operators and hand-overs, each in a function of its own.

A job works until its time is short, and starts its function again for the rest: the event of such a
hand-over has a `hop`, the count of earlier runs. After the job's last hop, the next run of the
schedule continues. Every job raises InvalidArgument for an event of a different shape, and the
failure of its run: Lambda then retries the event and finally stores the event in a queue.

A function runs one job, so that each job imports its own use case.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.events.runs import RESERVE_MS, Run
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.aws_lambda.http.operations import Row
    from membrane.domain.integrity.anchors import SignedAnchor
    from membrane.usecases.learning.learning_run import Consolidated

DAY_HOPS = 96
"""Runs of 15 minutes: a day, for an export or an erasure."""

ANCHOR_HOP = "membrane-anchor-hop"
MAX_ANCHOR_HOPS = 48
"""Twelve hours of runs of 15 minutes."""

MAX_CONSOLIDATION_HOPS = 3
"""Four runs of 15 minutes make an hour."""

ERASE = "membrane-erase"
"""Names the event of one erasure, `{"id": str, "hop": int}`, or of the schedule, `{}`."""
LONGEST_RUN = timedelta(minutes=15)
"""A job without progress for longer has lost its run."""

SHARD = "membrane-decay-shard"
"""The number of the only shard to sweep, in the event that hands over to a run."""
SWEEP_HOP = "membrane-decay-hop"
MAX_SWEEP_HOPS = 3
"""A minute and three runs of 15 minutes."""
TOGETHER_S = 60
"""How long one process sweeps all shards: long enough for most stacks, which pay for no more."""

VERIFY = "membrane-verify"
"""Names the event of a step of `membrane verify`.

`{"after": None, "repair": bool}` verifies the anchors and the first pages; the reply has the
`anchors` that each later step is given. `{"after": str, "repair": bool, "anchors": [...]}` verifies
pages. `{"part": int, "seen": base64, "anchors": [...]}` finds the leaves of a part whose records
and topics are gone.
"""


def _not_of(function: str) -> InvalidArgument:
    return InvalidArgument(f"not an event of the {function} function")


def _number(event: Event, name: str) -> int | None:
    """A number of the event; None of a foreign event. Raises InvalidArgument for a non-object."""
    if not isinstance(event, Mapping):
        raise InvalidArgument("the event must be a JSON object")
    found = event.get(name)
    return found if isinstance(found, int) else None


def anchor(event: Event, context: Context, world: World) -> JsonObject:
    """Make an anchor; the reply has the progress."""
    from membrane.usecases.integrity.anchor_table import anchor_table

    run = Run(context, world, _number(event, ANCHOR_HOP) or 0, MAX_ANCHOR_HOPS)
    progress = anchor_table(world, run.is_out_of_time)
    if not progress.is_done:
        run.hand_over({ANCHOR_HOP: run.hop + 1})
    return progress.as_json()


def collect(world: World) -> JsonObject:
    """Remove orphaned blobs, and store the settings' decay classes for the day of a change."""
    from membrane.usecases.collect_blobs import collect_blobs

    world.ranks.keep_classes()
    return asdict(collect_blobs(world))


def answer_or_consolidate(
    event: Event, context: Context, rows: "Iterable[Row]", world: World
) -> Reply:
    """The reply to a request on a route of the rows, or to the events of `consolidate`."""
    from membrane.adapters.aws_lambda.http.gateway import answer_http, is_http

    if is_http(event):
        return answer_http(event, rows, world)
    return consolidate(event, context, world)


def consolidate(event: Event, context: Context, world: World) -> JsonObject:
    """Consolidate a thread that has ended, or all; the reply has the counts.

    A thread or a scope that fails for a reason of its own is counted and waits for a later run.
    """
    from membrane.domain.learning.policy import CONSOLIDATE
    from membrane.usecases.learning.consolidate import (
        consolidate_all,
        consolidate_thread,
        measure_made,
    )

    match event:
        case {"membrane-consolidate": {"scope": str(scope), "thread_id": str(thread_id), **rest}}:
            thread = {"scope": scope, "thread_id": thread_id}
        case {"membrane-consolidate": {**rest}}:
            thread = {}
        case _:
            raise _not_of("consolidate")
    hop = rest.pop("hop", 0)
    if rest or not isinstance(hop, int):
        raise _not_of("consolidate")
    run = Run(context, world, hop, MAX_CONSOLIDATION_HOPS)
    if thread:
        done = consolidate_thread(**thread, world=world, is_out_of_time=run.is_out_of_time)
    else:
        done = consolidate_all(world, run.is_out_of_time)
    measure_made(done, world)
    if _may_go_on(done):
        run.hand_over({CONSOLIDATE: {**thread, "hop": hop + 1}})
    listed = ("traces", "skills", "plans", "grown", "unmatched", "failed")
    return {**{name: len(getattr(done, name)) for name in listed}, "left": done.is_left}


def _may_go_on(done: "Consolidated") -> bool:
    """Whether the next run would get further; a run of failures alone would repeat them."""
    is_progress = bool(done.traces or done.skills or done.grown or done.unmatched)
    return done.is_left and (is_progress or not done.failed)


def erase(event: Event, context: Context, world: World) -> JsonObject:
    """Go on with an erasure, or start each erasure that has lost its run by an event of its own."""
    match event:
        case {"membrane-erase": {"id": str(erasure_id), **rest}}:
            from membrane.usecases.erasure.run_erasure import run_erasure

            hop = rest.get("hop")
            run = Run(context, world, hop if isinstance(hop, int) else 0, DAY_HOPS)
            is_left = run_erasure(erasure_id, world, run.is_out_of_time)
            if is_left:
                run.hand_over({ERASE: {"id": erasure_id, "hop": run.hop + 1}})
            return {"left": is_left}
        case {"membrane-erase": {**rest}} if not rest:
            kept_by_s = epoch_seconds(world.now() - LONGEST_RUN)
            erasure_ids = world.erasures.open_erasures(kept_by_s)
            for each in erasure_ids:
                world.invoke_later(context.invoked_function_arn, {ERASE: {"id": each}})
            return {"started": len(erasure_ids)}
        case _:
            raise _not_of("erase")


def export_memory(event: Event, context: Context, world: World) -> JsonObject:
    """Continue an export; the reply has the state and the counts."""
    from membrane.usecases.archive.exports import EXPORT
    from membrane.usecases.archive.write_export import write_export

    match event:
        case {"membrane-export": {"owner": str(owner), "id": str(export_id), "hop": int(hop)}}:
            run = Run(context, world, hop, DAY_HOPS)
        case _:
            raise _not_of("export")
    next_event = {EXPORT: {"owner": owner, "id": export_id, "hop": hop + 1}}
    export = write_export(
        owner,
        export_id,
        world,
        is_out_of_time=run.is_out_of_time,
        hand_over=run.start_of_next(next_event),
    )
    if export is None:
        return {"state": "superseded"}
    return {"state": export.state, "lines": export.frame.lines, "counts": export.frame.counts}


def sweep(event: Event, context: Context, world: World) -> JsonObject:
    """Sweep the due records; start a run for each shard that still has due items.

    The run of a schedule sweeps all shards for a minute; a run of a single shard goes on until its
    time runs out. The reply has the counts. A shard that fails has a run of its own, too, so that
    it holds up no other; that run raises the failure.
    """
    from membrane.usecases.lifecycle.sweep_due import sweep_due

    shard, hop = _number(event, SHARD), _number(event, SWEEP_HOP)
    run = Run(context, world, hop or 0, MAX_SWEEP_HOPS)
    if shard is None:
        others_ms = context.get_remaining_time_in_millis() - RESERVE_MS
        beyond_a_minute_s = max(0.0, others_ms / 1_000 - TOGETHER_S)
        swept = sweep_due(world, partial(run.is_out_of_time, beyond_a_minute_s))
    else:
        swept = sweep_due(world, run.is_out_of_time, (shard,))
    if swept.failures and shard is not None:
        raise swept.failures[0]
    for left in swept.left:
        run.hand_over({SHARD: left, SWEEP_HOP: run.hop + 1})
    return {
        "pruned": swept.by_type("pruned"),
        "forgotten": swept.by_type("forgotten"),
        "passed_over": swept.passed_over,
        "failed": len(swept.faults),
        "left": bool(swept.left),
        "oldest_due_age_seconds": swept.oldest_age_s(world),
    }


def verify(event: Event, context: Context, world: World) -> JsonObject:
    """One step of a verification."""
    from membrane.usecases.integrity.verify_table import PARTS, verify_gone

    match event:
        case {"membrane-verify": {"after": None, "repair": bool(repair)}}:
            return _verify_pages(None, [], Run(context, world), repair=repair)
        case {"membrane-verify": {"after": str(after), "repair": bool(repair), "anchors": given}}:
            anchors = _anchors_in(given, world)
            return _verify_pages(after, anchors, Run(context, world), repair=repair)
        case {"membrane-verify": {"part": int(part), "seen": str(seen), "anchors": given}}:
            if not 0 <= part < PARTS:
                raise InvalidArgument(f"the part must be from 0 to {PARTS - 1}")
            anchors = _anchors_in(given, world)
            gone, left_out = verify_gone(part, _places_in(seen), anchors, world)
            return {"findings": [each.as_json() for each in gone], "left_out": left_out}
        case _:
            raise _not_of("verify")


def _verify_pages(
    after: str | None, anchors: "list[SignedAnchor]", run: Run, *, repair: bool
) -> JsonObject:
    from membrane.usecases.integrity.verify_table import verify_pages

    world = run.world
    found = verify_pages(after, anchors, world, run.is_out_of_time, repair=repair)
    return {
        "findings": [each.as_json() for each in found.findings],
        "seen": base64.b64encode(b"".join(found.seen)).decode(),
        "anchors": [each.as_json() for each in found.anchors],
        "next": found.next,
    }


def _anchors_in(given: object, world: World) -> "list[SignedAnchor]":
    """The anchors of an event; raises InvalidArgument unless each has a valid signature."""
    from membrane.domain.integrity.anchors import SignedAnchor
    from membrane.usecases.integrity.anchor_table import KEPT
    from membrane.usecases.machinery.anchored_leaves import is_signed

    if not isinstance(given, list) or len(given) > KEPT:
        raise _not_of("verify")
    try:
        anchors = [SignedAnchor.of_json(each) for each in given]
    except (KeyError, TypeError, ValueError) as error:
        raise _not_of("verify") from error
    if not all(is_signed(each, world) for each in anchors):
        raise InvalidArgument("an anchor of the event has no valid signature")
    return anchors


def _places_in(seen: str) -> frozenset[bytes]:
    from membrane.usecases.integrity.verify_sources import SEEN_BYTES

    try:
        joined = base64.b64decode(seen, validate=True)
    except binascii.Error as error:
        raise _not_of("verify") from error
    steps = range(0, len(joined), SEEN_BYTES)
    return frozenset(joined[start : start + SEEN_BYTES] for start in steps)
