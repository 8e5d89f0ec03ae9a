"""Read a capture without a model: names, references to other records, summary and labels."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from membrane.domain.capture.made_records import statement_in
from membrane.domain.capture.primary import summary_of
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.entities import looks, names
from membrane.domain.entities.known_names import KnownNames, known_spans, words_to_look_up
from membrane.domain.entities.written import written_names
from membrane.domain.language.names import first_word_of, is_name, term_of
from membrane.domain.language.vocabulary import CandidateKind, MemoryType
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationStatus,
    Mention,
    ReferenceCandidate,
    texts_in,
)

REFERENCE_CONFIDENCE = 0.5
"""The confidence of a reference that no model found, as in Membrane."""

MAX_REFERENCES = 8
"""References in fields of a capture: a reference other than an id takes up to two Queries."""

MAX_REFERENCE_CHARACTERS = 512

MAX_REFS_IN_TEXT = 4
"""Words of a text to look up as refs: a word takes up to two Queries."""

_REFERRING = frozenset({"id", "ids", "reference", "references", "reply_to", "related_records"})
"""Keys whose values refer to records, beside _REFERRING_ENDS."""

_REFERRING_ENDS = ("ref", "refs", "record_id", "record_ids")
"""Ends of keys whose values refer to records: the whole key, or the part after a `_`."""

_REF = re.compile(r"(?<![\w/.@:#-])[A-Za-z](?:[\w.]|-(?!\d)){0,63}[-:]\d{1,9}(?![\w/:-])")


def references_in_fields(content: Any, context: Any) -> list[ReferenceCandidate]:
    """At most MAX_REFERENCES distinct candidates, those of the content first."""
    refs = [
        ref
        for fields in (content, context)
        for key, value in (fields.items() if isinstance(fields, dict) else ())
        if _refers(key)
        for ref in _texts(value)
        if len(ref) <= MAX_REFERENCE_CHARACTERS
    ]
    distinct = [*dict.fromkeys(refs)][:MAX_REFERENCES]
    return [ReferenceCandidate(ref=ref, confidence=REFERENCE_CONFIDENCE) for ref in distinct]


def refs_in(text: str) -> list[str]:
    """At most MAX_REFS_IN_TEXT refs of events, such as `note-27` or `thread-a9:2`; no tickets."""
    words = (each[0] for each in _REF.finditer(text[: names.MAX_SCANNED_CHARACTERS]))
    distinct = dict.fromkeys(each for each in words if looks.look_of(each) is None)
    return [*distinct][:MAX_REFS_IN_TEXT]


def _refers(key: str) -> bool:
    is_end = any(key == each or key.endswith(f"_{each}") for each in _REFERRING_ENDS)
    return is_end or key in _REFERRING


def _texts(value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and each.strip():
            yield each.strip()


MENTION_CONFIDENCE = 0.5
"""The confidence of a mention that no model found, as in Membrane."""

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "subject": looks.CONCEPT,
        "tool_name": looks.TOOL,
        "tool": looks.TOOL,
        "project": looks.PROJECT,
        "file": looks.FILE,
        "path": looks.FILE,
        "person": looks.PERSON,
        "user": looks.PERSON,
        "agent": looks.PERSON,
        "service": looks.SERVICE,
        "repository": looks.REPOSITORY,
    }
)
"""Kinds by key; as in Membrane, except that the subject of a fact need not be a person."""

_ENTITY = frozenset({"entity", "entities"})
_ABOUT_AN_ENTITY = frozenset({"id", "ids", "kind", "kinds", "type", "types"})
"""`entity_type` and the like say something of an entity, and name none."""

_MAX_KEY_CHARACTERS = 64
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def structured_mentions(content: Any) -> tuple[Mention, ...]:
    """The names in the top-level fields of an object, in the order of the object.

    A text is a name, and in a list every text is a name; other values name nothing.
    """
    return names.first_mentions(_mentions_in(content))


def _mentions_in(content: Any) -> Iterator[Mention]:
    for key, value in content.items() if isinstance(content, dict) else ():
        named = _key_of(key)
        for text in value if named and isinstance(value, list) else (value,):
            surface = text.strip() if named and isinstance(text, str) else ""
            if is_name(surface):
                kind = _kind_of(named, surface)
                yield Mention(surface=surface, entity_kind=kind, confidence=MENTION_CONFIDENCE)


def _kind_of(key: str, surface: str) -> str:
    """The kind that the key gives; under `subject` or `entity` may stand a file as well."""
    kind = _KINDS.get(key, looks.CONCEPT)
    look = looks.look_alone(surface) if kind == looks.CONCEPT else None
    return look.kind if look else kind


def _key_of(key: str) -> str:
    """The key that names things, of _KINDS or `entity`, in any of three spellings; else empty."""
    if len(key) > _MAX_KEY_CHARACTERS:
        return ""
    words = _HUMP.sub("_", key).lower().replace("-", "_").split("_")
    whole = "_".join(words)
    if whole in _KINDS:
        return whole
    if not _ENTITY & {words[0], words[-1]} or _ABOUT_AN_ENTITY & set(words):
        return ""
    return next((word for word in words if word in _KINDS), "entity")


EXTRACTION_CONFIDENCE = 0.25
"""The confidence of an interpretation without a model, as in Membrane."""

_PROPOSED: Mapping[str, MemoryType] = {
    CandidateKind.WORKING_STATE: MemoryType.WORKING,
    CandidateKind.OBSERVATION: MemoryType.SEMANTIC,
}

_PARAGRAPHS = "\n\n"
"""Between two texts: no name crosses a blank line."""


class Reading(NamedTuple):
    """Everything read from a capture alone, before known records are looked up."""

    interpretation: Interpretation
    """With everything but the mentions."""
    fields: Sequence[Mention]
    """Mentions in the fields of the content and of the fact in it, at most MAX_MENTIONS."""
    text: str
    spans: Sequence[names.Span]
    """Names recognised by form in the text, at most MAX_MENTIONS."""
    stated: Sequence[str]
    """The names among subject and object of the fact that the content states."""
    refs: Sequence[str]
    """Words of the text that may be refs: references where a record has the ref, else nothing."""

    @property
    def terms(self) -> list[str]:
        """The terms of all names that were read."""
        marked = (term for span in self.spans for term in terms_of(_mention_at(span, self.text)))
        named = (term for mention in self.fields for term in terms_of(mention))
        return [*dict.fromkeys(chain(named, map(term_of, self.stated), marked))]

    @property
    def words(self) -> Sequence[str]:
        """First words of names that the text may have."""
        return words_to_look_up(self.text)


def read_capture(request: CaptureMemory, content: Any, context: Any) -> Reading:
    """The reading; names count in the content alone, as in Membrane."""
    texts = [*texts_in(content), *_results_in(content)] or [request.summary]
    text = _PARAGRAPHS.join(texts)[: names.MAX_SCANNED_CHARACTERS]
    stated = statement_in(request, content)
    ends = () if stated is None else (stated.subject, stated.object)
    fact = content.get("fact") if isinstance(content, dict) else None
    interpretation = Interpretation(
        status=InterpretationStatus.TENTATIVE,
        summary=summary_of(request, content),
        proposed_type=request.proposed_type
        or _PROPOSED.get(request.source_kind, MemoryType.EPISODIC),
        topical_labels=_distinct_labels(request.tags),
        reference_candidates=tuple(references_in_fields(content, context)),
        extraction_confidence=EXTRACTION_CONFIDENCE,
    )
    return Reading(
        interpretation=interpretation,
        fields=[*structured_mentions(content), *structured_mentions(fact)][: names.MAX_MENTIONS],
        text=text,
        spans=written_names(text)[: names.MAX_MENTIONS],
        stated=[each for each in ends if isinstance(each, str) and is_name(each)],
        refs=refs_in(text),
    )


def with_mentions(reading: Reading, known: KnownNames) -> Interpretation:
    """The interpretation with mentions: of the fields first, then of the text, in order.

    `known` are the names that entities bear. The names among subject and object of a fact are
    mentions. Of overlapping names the longest counts, and equal names count once. More than
    MAX_MENTIONS are left out.
    """
    qualified = [each for each in reading.spans if each.name]
    spans = names.disjoint_spans([*qualified, *known_spans(reading.text, known), *reading.spans])
    found = chain(
        reading.fields,
        _names_among(reading.stated, known),
        (_mention_at(each, reading.text) for each in spans),
    )
    mentions: dict[str, Mention] = {}
    for mention in found:
        mentions.setdefault(term_of(mention.surface), mention)
    kept = tuple(mentions.values())[: names.MAX_MENTIONS]
    return reading.interpretation.model_copy(update={"mentions": kept})


def terms_of(mention: Mention) -> list[str]:
    """The terms by which the entity of a mention is looked for: the surface, then the aliases."""
    return [*dict.fromkeys(map(term_of, (mention.surface, *mention.aliases)))]


def with_references(interpretation: Interpretation, refs: Sequence[str]) -> Interpretation:
    """The interpretation with further references, from the text."""
    known = {each.ref for each in interpretation.reference_candidates}
    further = [
        ReferenceCandidate(ref=ref, confidence=REFERENCE_CONFIDENCE)
        for ref in refs
        if ref not in known
    ]
    references = (*interpretation.reference_candidates, *further)
    return interpretation.model_copy(update={"reference_candidates": references})


def _names_among(stated: Sequence[str], known: KnownNames) -> Iterator[Mention]:
    """Mentions of the stated subject and object: of known names, and of names by the look."""
    for each in stated:
        term, look = term_of(each), looks.look_alone(each)
        is_known = term in known.get(first_word_of(term), {})
        if look is not None or is_known:
            kind = "" if look is None else look.kind
            yield Mention(surface=each, entity_kind=kind, confidence=MENTION_CONFIDENCE)


def _mention_at(span: names.Span, text: str) -> Mention:
    return Mention(
        surface=span.name or text[span.start : span.end],
        entity_kind=span.kind,
        confidence=MENTION_CONFIDENCE,
        aliases=span.aliases,
    )


def _results_in(content: Any) -> list[str]:
    """The result of a tool, where the result is a text."""
    result = content.get("result") if isinstance(content, dict) else None
    return [result] if isinstance(result, str) else []


def _distinct_labels(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags trimmed, without blank ones and repeats in other case."""
    distinct: dict[str, str] = {}
    for tag in tags:
        if tag.strip():
            distinct.setdefault(tag.strip().casefold(), tag.strip())
    return tuple(distinct.values())
