"""Judging a record that was read: whether it is shown, how, and what it weighs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from membrane.domain.access.trust import View
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.records.limits import reply_bytes
from membrane.domain.records.records import as_json
from membrane.domain.records.redaction import redacted
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import Curves, salience_at
from membrane.domain.search.brief import in_brief
from membrane.domain.search.requests import FULL
from membrane.usecases.search.hydration import Hydration
from membrane.usecases.search.inquiry import Inquiry

if TYPE_CHECKING:
    from membrane.domain.records.replies import OversizedRecord


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that is among what was asked for."""

    stored: StoredRecord
    view: View
    """FULL or REDACTED."""
    salience: float
    """As of the instant that the pages are ordered at."""
    score: float
    parts: Mapping[str, float]

    @property
    def id(self) -> str:
        return self.stored.id

    @property
    def place(self) -> tuple[float, float, str]:
        """Sorts by salience, the higher first; then the newer; then by id."""
        return (-self.salience, -self.stored.born_s, self.id)

    @property
    def fused_place(self) -> tuple[float, float, float, str]:
        return (-self.score, *self.place)


@dataclass(slots=True)
class Judge:
    """Judges records by what was asked; counts those that trust keeps back."""

    inquiry: Inquiry
    curves: Curves
    now: datetime
    at_s: float
    """The instant that the pages are ordered at, in seconds since 1970: that of the first one."""
    hydration: Hydration
    withheld: set[str] = field(default_factory=set)
    """Ids of those that the request's own narrower trust alone keeps back."""
    hidden: set[str] = field(default_factory=set)
    """Of those that are beyond what the key shows in full."""
    _today: str = field(init=False)

    def __post_init__(self) -> None:
        self._today = rfc3339(self.now)

    def judged(self, stored: StoredRecord) -> Candidate | None:
        """None where the record is not among what was asked for."""
        view = self._view(stored)
        self.count(stored.id, view)
        return self._admitted(stored, view)

    def judged_quietly(self, several: Iterable[StoredRecord]) -> list[Candidate]:
        """The same of several, in order, where nobody may learn what was kept back."""
        candidates = (self._admitted(each, self._view(each)) for each in several)
        return sorted((each for each in candidates if each), key=lambda each: each.place)

    def count(self, record_id: str, view: View) -> None:
        if view is View.WITHHELD:
            self.withheld.add(record_id)
        elif view is View.HIDDEN:
            self.hidden.add(record_id)

    def shown(self, candidate: Candidate) -> Body:
        record = candidate.stored.as_of(epoch_seconds(self.now), self.curves)
        is_redacted = candidate.view is View.REDACTED
        if self.inquiry.view != FULL:
            return in_brief(record, is_redacted=is_redacted)
        return redacted(record) if is_redacted else as_json(record)

    def forms(self, candidate: Candidate) -> Iterator[tuple[Body, int]]:
        """The record for a page, each time in a shorter form, with the bytes that the form takes.

        Whole, without its audit entries, and as what names it with its size and where to read it.
        In brief it has one form, which has room on any page.
        """
        whole = self.shown(candidate)
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
        # Of a record as it was, both that and what stands there now must be open to the reader.
        today = self.hydration.known.get(stored.id) or stored
        places = {(each.scope, each.sensitivity) for each in (stored, today)}
        return self.inquiry.gate.view_of_all(places)

    def _admitted(self, stored: StoredRecord, view: View) -> Candidate | None:
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
