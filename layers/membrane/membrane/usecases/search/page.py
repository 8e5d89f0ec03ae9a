"""One page of records: as many as were asked for and as a reply carries."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.access.trust import View
from membrane.domain.language.json_text import Body
from membrane.domain.records.limits import MAX_REPLY_BYTES
from membrane.domain.search.prompts import Prompt
from membrane.domain.search.selection import SELECTABLE
from membrane.usecases.search.judging import Candidate, Judge

BESIDE_BYTES = 128 * 1024
"""Room for what a reply holds beside its records: a cursor, a selection."""

BESIDE_ID_BYTES = 64
"""Of what a selection says of a skill or plan beside its id, which stands there twice."""

AT_ONCE = 100
"""Records that are read at first, at most: a few large ones fill a reply."""


@dataclass(slots=True)
class Page:
    """Takes candidates until it is full."""

    limit: int
    judge: Judge
    candidates: list[Candidate] = field(default_factory=list)
    prompt: Prompt | None = None
    """Takes the place of the records, where it has room for a candidate."""
    records: list[Body] = field(default_factory=list)
    room: int = MAX_REPLY_BYTES - BESIDE_BYTES
    """Bytes that are left."""
    is_begun: bool = False
    """Whether the reply has another record already, so that even the first may have no room."""

    @property
    def wanted(self) -> int:
        """How many to read: those that are missing, and one to see whether there are more."""
        return min(self.limit - len(self.candidates) + 1, AT_ONCE)

    @property
    def shown(self) -> Sequence[Candidate]:
        if self.prompt is None:
            return self.candidates
        told = frozenset(self.prompt.ids)
        return [each for each in self.candidates if each.id in told]

    def takes(self, candidate: Candidate) -> bool:
        """Whether the candidate is on the page; False where the page was full without it.

        The first one of a reply always is. Where even a whole page is too small for the record,
        it stands there without its audit, or else in short form. A prompt passes over what is
        redacted.
        """
        if len(self.candidates) == self.limit:
            return False
        if self.prompt is not None:
            if candidate.view is View.FULL:
                self.prompt.take(self.judge.shown(candidate))
                self.candidates.append(candidate)
            return True
        is_selectable = candidate.view is View.FULL and candidate.stored.type in SELECTABLE
        beside = 2 * len(candidate.id) + BESIDE_ID_BYTES if is_selectable else 0
        forms = self.judge.forms(candidate)
        record, size = next(forms)
        is_first = not self.records and not self.is_begun
        while is_first and size + beside > self.room and (shorter := next(forms, None)):
            record, size = shorter
        if not is_first and size + beside > self.room:
            return False
        self.room -= size + beside
        self.records.append(record)
        self.candidates.append(candidate)
        return True
