"""What a retrieval is limited to, beside trust: judged on the record itself."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import MemoryType, OutcomeStatus
from membrane.domain.records.payloads import (
    MESSAGE_PREFIX,
    TOOL_CALL,
    EpisodicPayload,
    Payload,
    SemanticPayload,
    TimelineEvent,
    WorkingPayload,
)
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.validity import holds_at


@dataclass(frozen=True, slots=True)
class Filters:
    """Each None or empty where nothing is asked of it; timestamps as RFC 3339 in UTC."""

    tags: tuple[str, ...] = ()
    """A record has every one of them."""
    thread_id: str | None = None
    """Of a working state or a message; another event's ref begins with it, as in `chat/turn-7`."""
    subject: str | None = None
    predicate: str | None = None
    created_after: str | None = None
    """That very instant included."""
    created_before: str | None = None
    """That very instant not included."""
    include_retracted: bool = False
    outcome: tuple[OutcomeStatus, ...] = ()
    """An episode ended in any of them."""

    @property
    def look_into_content(self) -> bool:
        """Whether any is about what a record says, so that no redacted record may pass it."""
        asked = (self.thread_id, self.subject, self.predicate)
        return bool(self.outcome) or any(each is not None for each in asked)

    @property
    def are_beyond_index(self) -> bool:
        """Whether any refuses records that a search finds; `include_retracted` refuses none."""
        return replace(self, include_retracted=False) != Filters()

    def types_within(self, asked: Iterable[MemoryType]) -> tuple[MemoryType, ...]:
        """Those of the types whose records can pass; all of them where none is asked for."""
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
            and self._ended_so(record.payload)
            and (self.include_retracted or not is_retracted(record.payload))
            and holds_at(record.payload, now)
        )

    def admit_redacted(self, record: MemoryRecord, now: str) -> bool:
        """Whether a redacted record is; no filter may tell anything of its content.

        With `include_retracted`, the difference between two answers would tell of a retraction.
        """
        return (
            not self.look_into_content
            and self._admit_outside(record)
            and not is_retracted(record.payload)
            and holds_at(record.payload, now)
        )

    def _admit_outside(self, record: MemoryRecord) -> bool:
        """By what a redacted record shows, too."""
        born = record.created_at
        return (
            set(self.tags) <= set(record.tags)
            and not (self.created_after is not None and is_before(born, self.created_after))
            and (self.created_before is None or is_before(born, self.created_before))
        )

    def _is_of_thread(self, payload: Payload) -> bool:
        match payload, self.thread_id:
            case _, None:
                return True
            case WorkingPayload(thread_id=thread_id), asked:
                return thread_id == asked
            case EpisodicPayload(timeline=events), asked:
                return any(_belongs(event, asked) for event in events)
            case _:
                return False

    def _ended_so(self, payload: Payload) -> bool:
        return not self.outcome or (
            isinstance(payload, EpisodicPayload) and payload.outcome in self.outcome
        )

    def _is_of_fact(self, payload: Payload) -> bool:
        if self.subject is None and self.predicate is None:
            return True
        return (
            isinstance(payload, SemanticPayload)
            and self.subject in (None, payload.subject)
            and self.predicate in (None, payload.predicate)
        )


def _belongs(event: TimelineEvent, thread_id: str) -> bool:
    """Of a message exactly: a thread may be called as another one begins."""
    thread, _, turn = event.ref.rpartition(":")
    kind = event.event_kind
    if kind.startswith(MESSAGE_PREFIX) or (kind == TOOL_CALL and thread and turn.isdecimal()):
        return thread == thread_id
    rest = event.ref.removeprefix(thread_id)
    return event.ref.startswith(thread_id) and not rest[:1].isalnum()
