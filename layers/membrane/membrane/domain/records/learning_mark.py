"""The mark of a record as evidence to learn from: what the record waits for, or became part of."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.language.json_text import digest
from membrane.domain.records.payloads import EpisodicPayload, Payload
from membrane.domain.records.records import MemoryRecord

TRACE = "trace"
"""`event_kind` of the first event of a trace, which the server makes."""


LOOKUP_BYTES = 16
"""Bytes of a digest under which similar traces find each other."""


MAX_LOOKUPS = 8
"""Digests of a record at most."""


ACROSS = bytes(4)
"""The beginning of the digests under which records of all scopes find each other.

The digests within a scope are random, and begin so once in four thousand million.
"""


def within_scope(keys: Iterable[bytes]) -> tuple[bytes, ...]:
    """The digests for records of the same scope."""
    return tuple(each[:LOOKUP_BYTES] for each in keys)


def across_scopes(keys: Iterable[bytes]) -> tuple[bytes, ...]:
    """The digests for records of all scopes."""
    return tuple((ACROSS + each)[:LOOKUP_BYTES] for each in keys)


class Stage(StrEnum):
    """What evidence waits for; evidence that was used waits for nothing."""

    STEP = "step"
    """The end of the thread that the record is a step of."""
    TRACE = "trace"
    """To be compared with other traces."""


@dataclass(frozen=True, slots=True)
class LearningMark:
    """The state of evidence.

    Every piece of evidence is used once: the write that uses the evidence ends the waiting.
    """

    awaits: Stage | None = None
    """None: used, or of no use."""
    trace_id: str = ""
    """The trace that the step became part of, or that the message opened; else empty."""
    lookups: tuple[bytes, ...] = ()
    """Digests under which a trace or a skill is found by similar traces."""

    @property
    def lookups_within(self) -> tuple[bytes, ...]:
        """The digests for traces of the same scope."""
        return tuple(each for each in self.lookups if not each.startswith(ACROSS))

    @property
    def lookups_across(self) -> tuple[bytes, ...]:
        """The digests for traces of all scopes."""
        return tuple(each for each in self.lookups if each.startswith(ACROSS))

    @property
    def is_across(self) -> bool:
        """Whether the mark is of a skill made across scopes; a trace has digests of its scope."""
        return bool(self.lookups) and not self.lookups_within


UNMARKED = LearningMark()
"""The mark of a record that nothing is learned from."""


def first_mark(payload: Payload) -> LearningMark:
    """The mark of a new record: a step waits for the end of its thread."""
    return LearningMark(awaits=Stage.STEP) if is_step(payload) else UNMARKED


SCOPE_BYTES = 8
"""Bytes of the digest of the scope, with which the digest of every group of the scope begins."""

GROUP_BYTES = 24


def waiting_group(scope: str, payload: Payload, awaits: Stage) -> bytes:
    """The digest of what is worked on together: the steps of a thread, the traces of a scope."""
    if awaits is Stage.STEP and isinstance(payload, EpisodicPayload):
        return thread_group(scope, payload.thread_id)
    return trace_group(scope)


def thread_group(scope: str, thread_id: str) -> bytes:
    """The digest of the steps of a thread."""
    return (scope_digest(scope) + digest(scope, thread_id))[:GROUP_BYTES]


def trace_group(scope: str) -> bytes:
    """The digest of the traces of a scope."""
    return digest(scope)[:GROUP_BYTES]


def scope_digest(scope: str) -> bytes:
    return digest(scope)[:SCOPE_BYTES]


def is_step(payload: Payload) -> bool:
    """Whether the episode is a step of a thread, and not a trace."""
    if not isinstance(payload, EpisodicPayload) or not payload.thread_id:
        return False
    return not is_trace(payload)


def is_trace(payload: Payload) -> bool:
    if not isinstance(payload, EpisodicPayload) or not payload.timeline:
        return False
    return payload.timeline[0].event_kind == TRACE


def is_made(record: MemoryRecord) -> bool:
    """Whether the record is a trace, a skill or a plan that the service made of evidence."""
    return record.provenance.created_by == CONSOLIDATION
