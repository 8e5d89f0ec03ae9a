"""What a capture keeps of the request, and the reading of its content by the service or a model."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from membrane.domain.language.fields import LIST, Fraction, MemoryTypeWord, Part, Text, Texts
from membrane.domain.records.payloads import EpisodicPayload

CONTENT = "capture_content"
CONTEXT = "capture_context"
REASON = "reason_to_remember"

TEXT_FIELDS = (
    *("text", "message", "summary", "content", "title", "body", "description"),
    *("context_summary", "next_actions", "open_questions"),
)
"""The fields of an object that hold text, or texts, in the words of a person or an agent."""


def texts_in(value: Any) -> list[str]:
    """The text itself, or the texts in the TEXT_FIELDS of an object, without blank ones."""
    found = [value]
    if isinstance(value, dict):
        fields = (value.get(name) for name in TEXT_FIELDS)
        found = [text for each in fields for text in (each if isinstance(each, list) else [each])]
    return [each for each in found if isinstance(each, str) and each.strip()]


def with_text_once(payload: EpisodicPayload) -> EpisodicPayload:
    """The episode of a captured text with the text as the event's summary, for a reader.

    The event has the beginning of the text, and the environment has the whole. Any other episode
    is unchanged.
    """
    environment = payload.environment
    kept = {} if environment is None else environment.context
    content = kept.get(CONTENT)
    if environment is None or not isinstance(content, str) or len(payload.timeline) != 1:
        return payload
    event = payload.timeline[0]
    if not event.summary or not content.startswith(event.summary):
        return payload
    rest = {name: value for name, value in kept.items() if name != CONTENT and value}
    without = environment.model_copy(update={"context": rest})
    return payload.model_copy(
        update={
            "timeline": (event.model_copy(update={"summary": content}),),
            "environment": without if rest else None,
        }
    )


class InterpretationStatus(StrEnum):
    """Whether every name, reference and relation of a capture was resolved, or a model failed."""

    TENTATIVE = "tentative"
    """At least one mention, reference or relation has no record."""
    RESOLVED = "resolved"
    FAILED = "failed"
    """A model was to read the capture, and every try failed; the rest is as the rules read it."""


class InterpretationFailure(StrEnum):
    """Why no model could interpret a capture."""

    BUSY = "busy"
    """The model, or the store, took no more requests."""
    UNAVAILABLE = "unavailable"
    """The model, or the store, did not answer."""
    MALFORMED = "malformed"
    """The answer of the model is not of the schema."""
    OUT_OF_TOKENS = "out_of_tokens"
    """The tokens of 14 days did not suffice."""
    NOT_WRITTEN = "not_written"
    """The store refused what the model added."""
    FAULT = "fault"
    """A defect of the service; the log of the function has the error."""


_StatusWord = Annotated[InterpretationStatus, Field(strict=False)]
_FailureWord = Annotated[InterpretationFailure, Field(strict=False)]


class Mention(Part):
    """A name in the captured content, and the entity that bears the name."""

    surface: Text
    """The name as written in the content; for the number of a ticket beside a repository, both:
    `owner/repo#12`."""
    entity_kind: Text = ""
    """Kind of the named thing: `person`, `tool`, `project`, `file`, `concept`, `other`, or a word
    of the caller. Absent: unknown."""
    canonical_entity_id: Text = ""
    """Id of the entity. Absent: the mention is not resolved."""
    confidence: Fraction = 0.0
    """How sure the mention is, from 0 to 1."""
    aliases: Texts = ()
    """Further names of the same thing in the content."""
    words: Text = ""
    """The words of the content on which a model rests the mention, cut after 200 characters.
    Absent: the rules read the mention."""


class RelationCandidate(Part):
    """A relation that the content states between the record and another record."""

    predicate: Text
    """Meaning of the relation, such as `depends_on`."""
    target_record_id: Text = ""
    """Id of the record at the other end. Absent: the other end is an entity, or unknown."""
    target_entity_id: Text = ""
    """Id of the entity at the other end. Absent: the other end is another record, or unknown."""
    confidence: Fraction = 0.0
    """How sure the relation is, from 0 to 1."""
    resolved: bool = False
    """Whether the other end is known."""
    words: Text = ""
    """The words of the content on which a model rests the relation, cut after 200 characters.
    Absent: the rules read the relation."""

    @property
    def target_id(self) -> str:
        """The id of the record or entity at the other end; empty for an unknown end."""
        return self.target_record_id or self.target_entity_id


class ReferenceCandidate(Part):
    """A reference in the content to another record."""

    ref: Text
    """The reference as written: a record id, the ref of an event, or `<thread_id>:<turn>`."""
    target_record_id: Text = ""
    """Id of the record. Absent: the target is an entity, or unknown."""
    target_entity_id: Text = ""
    """Id of the entity. Absent: the target is another record, or unknown."""
    confidence: Fraction = 0.0
    """How sure the reference is, from 0 to 1."""
    resolved: bool = False
    """Whether the target is known."""
    words: Text = ""
    """The words of the content on which a model rests the reference, cut after 200 characters.
    Absent: the rules read the reference."""

    @property
    def target_id(self) -> str:
        """The id of the record or entity; empty for an unknown target."""
        return self.target_record_id or self.target_entity_id


class Interpretation(Part):
    """What the service, or a model, read out of captured content.

    The server sets all fields, and ignores the interpretation in a request.
    """

    status: _StatusWord | None = None
    """`resolved`, or `tentative` while a mention, reference or relation lacks a record; `failed`
    while no try of a model succeeded."""
    failure: _FailureWord | None = None
    """Why the last try of a model failed. Absent: the status is not `failed`."""
    summary: Text = ""
    """The content in short. Absent: no summary."""
    proposed_type: MemoryTypeWord | None = None
    """The memory type that suits the content. Absent: none was proposed."""
    topical_labels: Texts = ()
    """Labels of the content, from the tags of the request and from a model."""
    mentions: Annotated[tuple[Mention, ...], LIST] = ()
    """Names in the content, in the order of appearance."""
    relation_candidates: Annotated[tuple[RelationCandidate, ...], LIST] = ()
    """Relations that the content states; `derived_semantic` leads to a fact of a model."""
    reference_candidates: Annotated[tuple[ReferenceCandidate, ...], LIST] = ()
    """References to other records, in the order of appearance."""
    extraction_confidence: Fraction = 0.0
    """How sure the interpretation is, from 0 to 1."""


def names_in(interpretation: Interpretation) -> Iterator[str]:
    """The labels, then the surface and the aliases of each mention."""
    yield from interpretation.topical_labels
    for mention in interpretation.mentions:
        yield mention.surface
        yield from mention.aliases
