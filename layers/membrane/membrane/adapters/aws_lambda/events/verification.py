"""The events of the verify function: the steps of `membrane verify`."""

import base64
import binascii
from collections.abc import Sequence

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.findings import Finding
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.integrity.anchor_table import KEPT
from membrane.usecases.integrity.verify_sources import SEEN_BYTES
from membrane.usecases.integrity.verify_table import PARTS, verify_gone, verify_pages
from membrane.usecases.machinery.anchored_leaves import is_signed
from membrane.usecases.ports.world import World

VERIFY = "membrane-verify"
"""Names the event of a step of `membrane verify`.

`{"after": None, "repair": bool}` verifies the anchors and the first pages; the reply has the
`anchors` that each later step is given. `{"after": str, "repair": bool, "anchors": [...]}` verifies
pages. `{"part": int, "seen": base64, "anchors": [...]}` finds the leaves of a part whose records
and topics are gone.
"""

_NOT_OURS = "not an event of the verify function"


def verify(event: Event, context: Context, world: World) -> JsonObject:
    """One step of a verification; raises InvalidArgument for an event of a different shape."""
    run = Run(context, 0, 0)

    def pages(after: str | None, given: object, *, repair: bool) -> JsonObject:
        anchors = _anchors_in(given, world)
        found = verify_pages(after, anchors, world, run.is_out_of_time, repair=repair)
        return {
            "findings": _as_json(found.findings),
            "seen": base64.b64encode(b"".join(found.seen)).decode(),
            "anchors": [each.as_json() for each in found.anchors],
            "next": found.next,
        }

    match event:
        case {"membrane-verify": {"after": None, "repair": bool(repair)}}:
            return pages(None, [], repair=repair)
        case {"membrane-verify": {"after": str(after), "repair": bool(repair), "anchors": given}}:
            return pages(after, given, repair=repair)
        case {"membrane-verify": {"part": int(part), "seen": str(seen), "anchors": given}}:
            if not 0 <= part < PARTS:
                raise InvalidArgument(f"the part must be from 0 to {PARTS - 1}")
            anchors = _anchors_in(given, world)
            gone, left_out = verify_gone(part, _places_in(seen), anchors, world)
            return {"findings": _as_json(gone), "left_out": left_out}
        case _:
            raise InvalidArgument(_NOT_OURS)


def _anchors_in(given: object, world: World) -> list[SignedAnchor]:
    """The anchors of an event; raises InvalidArgument unless each has a valid signature."""
    if not isinstance(given, list) or len(given) > KEPT:
        raise InvalidArgument(_NOT_OURS)
    try:
        anchors = [SignedAnchor.of_json(each) for each in given]
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidArgument(_NOT_OURS) from error
    if not all(is_signed(each, world) for each in anchors):
        raise InvalidArgument("an anchor of the event has no valid signature")
    return anchors


def _places_in(seen: str) -> frozenset[bytes]:
    try:
        joined = base64.b64decode(seen, validate=True)
    except binascii.Error as error:
        raise InvalidArgument(_NOT_OURS) from error
    steps = range(0, len(joined), SEEN_BYTES)
    return frozenset(joined[start : start + SEEN_BYTES] for start in steps)


def _as_json(findings: Sequence[Finding]) -> list[JsonObject]:
    return [each.as_json() for each in findings]
