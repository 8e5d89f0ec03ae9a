"""The part of a proposal that counts: elements with offered ids alone that rest on the content."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from string import punctuation
from typing import TypeVar

from membrane.domain.capture import proposals
from membrane.domain.language.names import term_of

MAX_KEPT_CHARACTERS = 200
"""Characters of a quotation that stay with what rests on the words."""

LEAST_WORDS = 2
LEAST_WORD_CHARACTERS = 3
"""A single word that grounds a fact has as many characters: shorter words stand in any content."""

_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Thai, Chinese, Japanese and Korean: words follow words or endings without a space."""

_WORD = re.compile(rf"[^\W{_UNSPACED}]++|[\W{_UNSPACED}]")
"""A word, or a single character that makes no word with a character beside."""

_BORDER = "\0"


def kept_words(words: str) -> str:
    """The words as kept with what rests on the words, cut after MAX_KEPT_CHARACTERS."""
    return words[:MAX_KEPT_CHARACTERS]


def says_enough(term: str) -> bool:
    """Whether a normal form has LEAST_WORDS, or a word of LEAST_WORD_CHARACTERS."""
    words = [word for each in term.split() if (word := each.strip(punctuation))]
    return len(words) >= LEAST_WORDS or any(len(each) >= LEAST_WORD_CHARACTERS for each in words)


def with_borders(term: str) -> str:
    """The words in the normal form, with a mark before and after each word and punctuation mark."""
    return _BORDER.join(("", *_WORD.findall(term), ""))


def is_quoted(term: str, bordered: str) -> bool:
    """Whether the content has the words, neither begun nor ended inside a word.

    The words are in the normal form, the content is with borders. No words are in no content.
    """
    return bool(term) and with_borders(term) in bordered


class Dropped(StrEnum):
    """The reason why a part of a proposal does not count."""

    ID_NOT_OFFERED = "id_not_offered"
    NOT_IN_CONTENT = "not_in_content"
    """The words, or a name or reference that should be copied, do not occur in the content, or a
    name, a reference or the words of a fact occur only as parts of other words."""
    TOO_FEW_WORDS = "too_few_words"
    """A fact rests on a single word that is shorter than a fact may rest on."""
    BLANK = "blank"
    """A predicate, label, subject or object is blank, or a subject or object is `@` alone."""


Kind = TypeVar("Kind", bound=proposals.Claim)


def accept_proposal(
    proposal: proposals.Proposal, offered_ids: Collection[str], content_text: str
) -> tuple[proposals.Proposal, Mapping[Dropped, int]]:
    """The parts of the proposal that count, and the number of the other parts by reason.

    The parts are trimmed, with predicates in lower case and confidences in 0..1.

    Words, names and references are looked up in the content in the normal form of names. Names and
    references, subject, object and words of a fact are whole words of the content. An invented id
    drops the whole part, since no other field gives the meaning of the part.
    """
    content = term_of(content_text)
    checks = _Checks(frozenset(offered_ids), content, with_borders(content))
    mentions = checks.passing(proposal.mentions, checks.check_mention)
    parts = {
        "mentions": tuple(map(checks.with_aliases_in_content, mentions)),
        "relations": checks.passing(proposal.relations, checks.check_relation),
        "references": checks.passing(proposal.references, checks.check_reference),
        "labels": checks.passing(
            proposal.labels, lambda each: None if each.label else Dropped.BLANK
        ),
        "facts": checks.passing(proposal.facts, checks.check_fact),
    }
    return proposal.model_copy(update=parts), checks.dropped


@dataclass(slots=True)
class _Checks:
    """The checks of a proposal, with a count of the dropped parts."""

    offered: frozenset[str]
    content: str
    """The normal form of the content."""
    bordered: str
    """The same with the borders of words."""
    dropped: Counter[Dropped] = field(default_factory=Counter)

    def passing(
        self, claims: Iterable[Kind], check: Callable[[Kind], Dropped | None]
    ) -> tuple[Kind, ...]:
        passing = []
        for claim in map(_tidy, claims):
            reason = check(claim) or (None if self.holds(claim.words) else Dropped.NOT_IN_CONTENT)
            if reason is None:
                passing.append(claim)
            else:
                self.dropped[reason] += 1
        return tuple(passing)

    def holds(self, words: str) -> bool:
        """Whether the content has the words; blank words are in no content."""
        term = term_of(words)
        return bool(term) and term in self.content

    def names(self, name: str) -> bool:
        """Whether the content has the name as whole words; blank names are in no content."""
        return is_quoted(term_of(name), self.bordered)

    def check_mention(self, mention: proposals.ProposedMention) -> Dropped | None:
        if mention.entity_id and mention.entity_id not in self.offered:
            return Dropped.ID_NOT_OFFERED
        return None if self.names(mention.surface) else Dropped.NOT_IN_CONTENT

    def check_relation(self, relation: proposals.ProposedRelation) -> Dropped | None:
        if not relation.predicate:
            return Dropped.BLANK
        return None if relation.target_id in self.offered else Dropped.ID_NOT_OFFERED

    def check_reference(self, reference: proposals.ProposedReference) -> Dropped | None:
        if reference.target_id not in self.offered:
            return Dropped.ID_NOT_OFFERED
        return None if self.names(reference.ref) else Dropped.NOT_IN_CONTENT

    def check_fact(self, fact: proposals.ProposedFact) -> Dropped | None:
        texts = (term_of(fact.subject), fact.predicate, term_of(fact.object))
        if not all(texts):
            return Dropped.BLANK
        words = term_of(fact.words)
        ends = fact.subject, fact.object
        if not all(map(self.names, ends)) or not is_quoted(words, self.bordered):
            return Dropped.NOT_IN_CONTENT
        return None if says_enough(words) else Dropped.TOO_FEW_WORDS

    def with_aliases_in_content(
        self, mention: proposals.ProposedMention
    ) -> proposals.ProposedMention:
        known = tuple(filter(self.names, mention.aliases))
        self.dropped.update([Dropped.NOT_IN_CONTENT] * (len(mention.aliases) - len(known)))
        return mention.model_copy(update={"aliases": known})


def _tidy(claim: Kind) -> Kind:
    """The claim with trimmed texts, the predicate in lower case, and the confidence in 0..1."""
    texts = {
        name: value.strip()
        for name in type(claim).model_fields
        if isinstance(value := getattr(claim, name), str)
    }
    if "predicate" in texts:
        texts["predicate"] = texts["predicate"].lower()
    confidence = min(max(claim.confidence, 0.0), 1.0)
    return claim.model_copy(update={**texts, "confidence": confidence})
