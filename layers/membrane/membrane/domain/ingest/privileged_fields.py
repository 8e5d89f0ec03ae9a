"""Which fields of a full record need the permission `revise`."""

from collections.abc import Iterator

from membrane.domain.access.privileges import above_ordinary
from membrane.domain.ingest.full_records import RecordInput
from membrane.domain.language.vocabulary import DeletionPolicy


def privileged_fields(given: RecordInput) -> Iterator[str]:
    """Those that make a record outrank others or stay for good, as the refusal names them."""
    lifecycle = given.lifecycle
    if lifecycle.pinned:
        yield "lifecycle.pinned"
    if lifecycle.deletion_policy is DeletionPolicy.NEVER:
        yield "lifecycle.deletion_policy never"
    yield from above_ordinary("salience", given.salience)
    yield from above_ordinary("lifecycle.decay.min_salience", lifecycle.decay.min_salience)
    gain = lifecycle.decay.reinforcement_gain
    yield from above_ordinary("lifecycle.decay.reinforcement_gain", gain)
