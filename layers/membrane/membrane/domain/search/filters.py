"""The filters of a retrieval, applied to records; trust is checked elsewhere."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from membrane.domain.language.names import folded_name
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import MemoryType, OutcomeStatus
from membrane.domain.records import payloads
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import holds_at, is_retracted


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a request; None or empty = no filter. Timestamps are RFC 3339 in UTC."""

    tags: tuple[str, ...] = ()
    """A record must have every tag."""
    thread_id: str | None = None
    """The thread of a working state or message; the beginning of an event's ref, `chat/turn-7`."""
    subject: str | None = None
    """Of a fact, as the predicate: in any spelling."""
    predicate: str | None = None
    created_after: str | None = None
    """Inclusive."""
    created_before: str | None = None
    """Exclusive."""
    include_retracted: bool = False
    outcome: tuple[OutcomeStatus, ...] = ()
    """An episode must have one of the outcomes."""

    @property
    def look_into_content(self) -> bool:
        """Whether a filter reads content; no redacted record may pass such a filter."""
        asked = (self.thread_id, self.subject, self.predicate)
        return bool(self.outcome) or any(each is not None for each in asked)

    @property
    def are_beyond_index(self) -> bool:
        """Whether a filter refuses records after the search; `include_retracted` refuses none."""
        return replace(self, include_retracted=False) != Filters()

    def types_within(self, asked: Iterable[MemoryType]) -> tuple[MemoryType, ...]:
        """The types among `asked` whose records can pass the filters; empty `asked` = all types."""
        possible = set(MemoryType)
        if self.subject is not None or self.predicate is not None:
            possible &= {MemoryType.SEMANTIC}
        if self.thread_id is not None:
            possible &= {MemoryType.WORKING, MemoryType.EPISODIC}
        if self.outcome:
            possible &= {MemoryType.EPISODIC}
        return tuple(each for each in dict.fromkeys(asked) or MemoryType if each in possible)

    def admit(self, record: MemoryRecord, now: str) -> bool:
        return (
            self._admit_outside(record)
            and self._is_of_thread(record.payload)
            and self._is_of_fact(record.payload)
            and self._has_outcome(record.payload)
            and (self.include_retracted or not is_retracted(record.payload))
            and holds_at(record.payload, now)
        )

    def admit_redacted(self, record: MemoryRecord, now: str) -> bool:
        """Whether a redacted record passes; no filter may reveal anything of the content.

        `include_retracted` is ignored: two answers, with and without, would reveal a retraction.
        """
        return (
            not self.look_into_content
            and self._admit_outside(record)
            and not is_retracted(record.payload)
            and holds_at(record.payload, now)
        )

    def _admit_outside(self, record: MemoryRecord) -> bool:
        born = record.created_at
        return (
            set(self.tags) <= set(record.tags)
            and not (self.created_after is not None and is_before(born, self.created_after))
            and (self.created_before is None or is_before(born, self.created_before))
        )

    def _is_of_thread(self, payload: payloads.Payload) -> bool:
        match payload, self.thread_id:
            case _, None:
                return True
            case payloads.WorkingPayload(thread_id=thread_id), asked:
                return thread_id == asked
            case payloads.EpisodicPayload(timeline=events), asked:
                return any(_belongs(event, asked) for event in events)
            case _:
                return False

    def _has_outcome(self, payload: payloads.Payload) -> bool:
        return not self.outcome or (
            isinstance(payload, payloads.EpisodicPayload) and payload.outcome in self.outcome
        )

    def _is_of_fact(self, payload: payloads.Payload) -> bool:
        if self.subject is None and self.predicate is None:
            return True
        return (
            isinstance(payload, payloads.SemanticPayload)
            and _is_spelled_alike(self.subject, payload.subject)
            and _is_spelled_alike(self.predicate, payload.predicate)
        )


def _is_spelled_alike(asked: str | None, text: str) -> bool:
    return asked is None or asked == text or folded_name(asked) == folded_name(text)


def _belongs(event: payloads.TimelineEvent, thread_id: str) -> bool:
    """Whether an event is of the thread; a message must match exactly.

    A ref of a message has the form `thread:turn`, and the name of a thread may be the beginning
    of a longer name.
    """
    thread, _, turn = event.ref.rpartition(":")
    kind = event.event_kind
    if kind.startswith(payloads.MESSAGE_PREFIX) or (
        kind == payloads.TOOL_CALL and thread and turn.isdecimal()
    ):
        return thread == thread_id
    rest = event.ref.removeprefix(thread_id)
    return event.ref.startswith(thread_id) and not rest[:1].isalnum()
