"""A page of records within the limit of the request and the size of a reply."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.access.trust import View
from membrane.domain.language.json_text import Body
from membrane.domain.records.sizes import MAX_REPLY_BYTES
from membrane.domain.search.prompts import Prompt
from membrane.domain.search.selection import SELECTABLE
from membrane.usecases.search.judging import Candidate, Judge

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
