"""Read and judge records for a page within the limit of a request and the size of a reply."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from membrane.domain.access.trust import View
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.records.records import as_json
from membrane.domain.records.redaction import redacted_view
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.records.versions import as_of
from membrane.domain.salience.function import Curves, salience_at
from membrane.domain.search.prompts import Prompt, in_brief
from membrane.domain.search.requests import FULL
from membrane.domain.search.selection import SELECTABLE
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, successor_ids, with_successors
from membrane.usecases.search.inquiry import Inquiry

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords
    from membrane.domain.records.replies import OversizedRecord


@dataclass(slots=True)
class Hydration:
    """Reads and caches records; an answer relies on the records, never on the index."""

    records: "DynamoRecords"
    as_of: str | None = None
    """The instant of the wanted versions, as RFC 3339; None = now."""
    known: dict[str, AnyRecord | None] = field(default_factory=dict)
    _ahead: dict[str, None] = field(default_factory=dict)
    _then: dict[str, StoredRecord | None] = field(default_factory=dict)

    def read_ahead(self, record_ids: Iterable[str]) -> None:
        """Read the records together with the records that the next request reads."""
        self._ahead |= dict.fromkeys(record_ids)

    def living(self, record_ids: Iterable[str]) -> Mapping[str, StoredRecord]:
        """The records, by id, that exist and are not deleted; with `as_of`, existed then too."""
        asked = list(record_ids)
        unknown = [each for each in dict.fromkeys(asked) if each not in self.known]
        if unknown:
            also = [each for each in self._ahead if each not in self.known]
            unknown, self._ahead = list(dict.fromkeys([*unknown, *also])), {}
            found = self.records.load_each(unknown, whole=self.as_of is not None)
            self.known |= {each: found.get(each) for each in unknown}
        living = {
            each: held
            for each in asked
            if isinstance(held := self.known[each], StoredRecord) and held.tombstone is None
        }
        return living if self.as_of is None else self._as_of(self.as_of, living)

    def newest_successors(self, record_ids: Iterable[str]) -> Mapping[str, StoredRecord]:
        """The newest active successors of the superseded records among the read ones, by id.

        One request for each step of the longest chain; none if no record was superseded.
        """
        read = {each: held for each in record_ids if (held := self.known[each]) is not None}
        next_ids = {each: next(successor_ids([held]), None) for each, held in read.items()}
        loaded = {each: held for each, held in self.known.items() if held is not None}
        known = with_successors(filter(None, next_ids.values()), self.records.load_each, loaded)
        self.known |= known
        return {
            each: newest
            for each, next_id in next_ids.items()
            if next_id in known and (newest := newest_known(known[next_id], known))
        }

    def _as_of(
        self, instant: str, living: Mapping[str, StoredRecord]
    ) -> Mapping[str, StoredRecord]:
        unknown = [each for each in living if each not in self._then]
        self._then |= {each: as_of(living[each], instant) for each in unknown}
        return {each: then for each in living if (then := self._then[each]) is not None}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that matches the inquiry."""

    stored: StoredRecord
    view: View
    """FULL or REDACTED."""
    salience: float
    """At the instant of the first page."""
    score: float
    parts: Mapping[str, float]

    @property
    def id(self) -> str:
        return self.stored.id

    @property
    def place(self) -> tuple[float, float, str]:
        """The sort key: salience, highest first; creation, newest first; id."""
        return (-self.salience, -self.stored.born_s, self.id)

    @property
    def fused_place(self) -> tuple[float, float, float, str]:
        return (-self.score, *self.place)


@dataclass(slots=True)
class Judge:
    """Judges records by an inquiry, and counts the records that trust keeps back."""

    inquiry: Inquiry
    curves: Curves
    now: datetime
    at_s: float
    """The instant of the first page, in seconds since 1970; all pages are ordered by it."""
    hydration: Hydration
    withheld: set[str] = field(default_factory=set)
    """Ids of records kept back by the narrower trust of the request alone."""
    hidden: set[str] = field(default_factory=set)
    """Ids of records beyond the rights of the key."""
    _today: str = field(init=False)

    def __post_init__(self) -> None:
        self._today = rfc3339(self.now)

    def candidate_of(self, stored: StoredRecord) -> Candidate | None:
        """The candidate; None for a record that does not match. Counts a record kept back."""
        view = self._view(stored)
        self.count(stored.id, view)
        return self._match(stored, view)

    def candidates_uncounted(self, several: Iterable[StoredRecord]) -> list[Candidate]:
        """The candidates among several records, by salience; records kept back are not counted."""
        candidates = (self._match(each, self._view(each)) for each in several)
        return sorted((each for each in candidates if each), key=lambda each: each.place)

    def count(self, record_id: str, view: View) -> None:
        if view is View.WITHHELD:
            self.withheld.add(record_id)
        elif view is View.HIDDEN:
            self.hidden.add(record_id)

    def reply_of(self, candidate: Candidate) -> Body:
        record = candidate.stored.as_of(epoch_seconds(self.now), self.curves)
        is_redacted = candidate.view is View.REDACTED
        if self.inquiry.view != FULL:
            return in_brief(record, is_redacted=is_redacted)
        return redacted_view(record) if is_redacted else as_json(record)

    def forms(self, candidate: Candidate) -> Iterator[tuple[Body, int]]:
        """The forms of a record for a page, the longest first, with the size in bytes.

        The forms are: whole; without audit entries; id, type, size and link alone. The brief views
        have one form, which fits on any page.
        """
        whole = self.reply_of(candidate)
        size = reply_bytes(whole)
        yield whole, size
        if self.inquiry.view != FULL:
            return
        bare = {**whole, "audit_log": []}
        bare_size = reply_bytes(bare)
        yield bare, bare_size
        short: OversizedRecord = {
            "id": candidate.id,
            "type": candidate.stored.type,
            "size": bare_size,
        }
        if candidate.view is View.FULL:
            past = self.inquiry.as_of
            then = "" if past is None else f"?as_of={rfc3339(past)}"
            short["link"] = f"/v1/records/{candidate.id}{then}"
        yield short, reply_bytes(short)

    def _view(self, stored: StoredRecord) -> View:
        # The reader of a former version must be allowed to read the present version too.
        today = self.hydration.known.get(stored.id) or stored
        places = {(each.scope, each.sensitivity) for each in (stored, today)}
        return self.inquiry.gate.view_of_all(places)

    def _match(self, stored: StoredRecord, view: View) -> Candidate | None:
        record = stored.record
        salience = salience_at(self.at_s, stored.anchor, record.lifecycle, self.curves)
        if stored.type not in self.inquiry.types or salience < self.inquiry.min_salience:
            return None
        filters = self.inquiry.filters
        if view is View.FULL:
            passes = filters.admit(record, self._today)
        else:
            passes = view is View.REDACTED and filters.admit_redacted(record, self._today)
        return (
            Candidate(stored, view, salience, salience, {"salience": salience}) if passes else None
        )


def judge_now(inquiry: Inquiry, world: World) -> Judge:
    """A judge of records as they are now."""
    now, curves = world.now(), world.policy.custom_curves
    return Judge(inquiry, curves, now, epoch_seconds(now), Hydration(world.records))


EXPLAINED_BYTES = 24 * 1024
"""The most bytes of the reasons in a selection; see `selection.MAX_EXPLAINED`."""

BESIDE_BYTES = 128 * 1024 + EXPLAINED_BYTES
"""The bytes of a reply reserved for cursor and selection."""

BESIDE_ID_BYTES = 64
"""The bytes of a skill or plan in a selection, in addition to twice the id."""

AT_ONCE = 100
"""The most records of a first read: a few large records fill a reply."""


@dataclass(slots=True)
class Page:
    """A page in the making: takes candidates until full."""

    limit: int
    judge: Judge
    candidates: list[Candidate] = field(default_factory=list)
    prompt: Prompt | None = None
    """The text of the view PROMPT, made instead of records."""
    records: list[Body] = field(default_factory=list)
    room: int = MAX_REPLY_BYTES - BESIDE_BYTES
    """The bytes left."""
    has_record_before: bool = False
    """Whether the reply has a record outside the page; the page may then stay empty."""

    @property
    def read_size(self) -> int:
        """The number of records to read: the missing ones, and one to know if more follow."""
        return min(self.limit - len(self.candidates) + 1, AT_ONCE)

    @property
    def in_reply(self) -> Sequence[Candidate]:
        """The candidates in the reply; a prompt may have had no room for some candidates."""
        if self.prompt is None:
            return self.candidates
        in_prompt = frozenset(self.prompt.ids)
        return [each for each in self.candidates if each.id in in_prompt]

    def try_add(self, candidate: Candidate, beside: int = 0) -> bool:
        """Add the candidate with `beside` further bytes; False if the page is full.

        The first record of a reply is always added: too large for a whole page, the record loses
        the audit trail or is shortened to a link. A prompt leaves out redacted records.
        """
        if len(self.candidates) == self.limit:
            return False
        if self.prompt is not None:
            if candidate.view is View.FULL:
                self.prompt.take(self.judge.reply_of(candidate))
                self.candidates.append(candidate)
            return True
        is_selectable = candidate.view is View.FULL and candidate.stored.type in SELECTABLE
        beside += 2 * len(candidate.id) + BESIDE_ID_BYTES if is_selectable else 0
        forms = self.judge.forms(candidate)
        record, size = next(forms)
        is_first = not self.records and not self.has_record_before
        while is_first and size + beside > self.room and (shorter := next(forms, None)):
            record, size = shorter
        if not is_first and size + beside > self.room:
            return False
        self.room -= size + beside
        self.records.append(record)
        self.candidates.append(candidate)
        return True
