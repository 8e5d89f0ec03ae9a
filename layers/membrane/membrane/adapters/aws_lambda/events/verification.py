"""The events of the verify function: the steps of `membrane verify`."""

import base64
import binascii
from collections.abc import Sequence

from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.integrity.findings import Finding
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.integrity.verify_sources import SEEN_BYTES
from membrane.usecases.integrity.verify_table import PARTS, verify_gone, verify_pages
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.topics import TopicStore

VERIFY = "membrane-verify"
"""Names the event of a step of `membrane verify`.

`{"after": str | None, "repair": bool}` verifies pages. `{"part": int, "seen": base64}` finds the
leaves of a part whose records and topics are gone.
"""

_NOT_OURS = "not an event of the verify function"


def verify(event: Event, context: Context, services: Services, topics: TopicStore) -> JsonObject:
    """One step of a verification; raises InvalidArgument for an event of a different shape."""
    run = Run(context, 0, 0)
    match event:
        case {"membrane-verify": {"after": None | str() as after, "repair": bool(repair)}}:
            pages = verify_pages(after, services, topics, run.is_out_of_time, repair=repair)
            seen = base64.b64encode(b"".join(pages.seen)).decode()
            return {"findings": _as_json(pages.findings), "seen": seen, "next": pages.next}
        case {"membrane-verify": {"part": int(part), "seen": str(seen)}}:
            if not 0 <= part < PARTS:
                raise InvalidArgument(f"the part must be from 0 to {PARTS - 1}")
            return {"findings": _as_json(verify_gone(part, _places_in(seen), services))}
        case _:
            raise InvalidArgument(_NOT_OURS)


def _places_in(seen: str) -> frozenset[bytes]:
    try:
        joined = base64.b64decode(seen, validate=True)
    except binascii.Error as error:
        raise InvalidArgument(_NOT_OURS) from error
    steps = range(0, len(joined), SEEN_BYTES)
    return frozenset(joined[start : start + SEEN_BYTES] for start in steps)


def _as_json(findings: Sequence[Finding]) -> list[JsonObject]:
    return [each.as_json() for each in findings]
