"""A model's proposal for a capture: names, relations, references, labels and facts.

The shape is strict and bounded, but the content is a claim: `acceptance` decides what counts.
"""

from typing import Annotated, Any, Self

from pydantic import Field

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_ID_CHARACTERS, Part
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.names import MAX_NAME_CHARACTERS
from membrane.domain.language.violations import validate
from membrane.domain.records.records import MAX_PREDICATE_CHARACTERS

MAX_ITEMS = 100
"""Elements of each list of a proposal."""

MAX_PROPOSED_ALIASES = 20
MAX_WORDS_CHARACTERS = 1_000
MAX_OBJECT_CHARACTERS = 2_000

_Name = Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]
_Predicate = Annotated[str, Field(max_length=MAX_PREDICATE_CHARACTERS)]
_Id = Annotated[str, Field(max_length=MAX_ID_CHARACTERS)]


class MalformedProposal(Exception):
    """The model's answer is not of the schema; the message never repeats the answer."""

    def __init__(self, message: str, tokens: int | None = None) -> None:
        super().__init__(message)
        self.tokens = tokens
        """The tokens that the answer took; None = unknown."""

    def after(self, tokens: int | None) -> Self:
        """The same error with the number of tokens."""
        return type(self)(str(self), tokens)


class Claim(Part):
    """A part of a proposal, with the words of the content that the part rests on."""

    confidence: float
    """How sure the model is; `acceptance` clamps the number to 0..1."""
    words: Annotated[str, Field(max_length=MAX_WORDS_CHARACTERS)]


class ProposedMention(Claim):
    """A name in the content."""

    surface: _Name
    entity_kind: _Name
    entity_id: _Id
    """The id of an offered entity; empty = none of the offered entities."""
    aliases: Annotated[tuple[_Name, ...], Field(strict=False, max_length=MAX_PROPOSED_ALIASES)]


class ProposedRelation(Claim):
    """A relation that the content states between the capture and an offered record or entity."""

    predicate: _Predicate
    target_id: _Id


class ProposedReference(Claim):
    """A reference in the content to an offered record or entity."""

    ref: _Name
    target_id: _Id


class ProposedLabel(Claim):
    label: _Name


class ProposedFact(Claim):
    """A statement of the content; subject and object are as written."""

    subject: _Name
    predicate: _Predicate
    object: Annotated[str, Field(max_length=MAX_OBJECT_CHARACTERS)]


_BOUNDED = Field(strict=False, max_length=MAX_ITEMS)


class Proposal(Part):
    """Everything that a model read out of a capture; every list may be empty."""

    mentions: Annotated[tuple[ProposedMention, ...], _BOUNDED]
    relations: Annotated[tuple[ProposedRelation, ...], _BOUNDED]
    references: Annotated[tuple[ProposedReference, ...], _BOUNDED]
    labels: Annotated[tuple[ProposedLabel, ...], _BOUNDED]
    facts: Annotated[tuple[ProposedFact, ...], _BOUNDED]


def proposal_in(answer: Any) -> Proposal:
    """The proposal of a parsed answer; raises MalformedProposal."""
    try:
        return validate(Proposal, answer)
    except InvalidArgument as error:
        roots = {each.field.partition(".")[0].partition("[")[0] for each in error.violations}
        known = roots & Proposal.model_fields.keys()  # never a name of the model's
        named = ", ".join(sorted(known))
        raise MalformedProposal(
            f"the model's answer is not of the schema{named and f', in: {named}'}"
        ) from None


def proposal_schema() -> JsonObject:
    """JSON Schema of a proposal, in the subset that strict tools and strict answers allow.

    Strict schemas know no lengths and no optional properties; `proposal_in` checks the bounds.
    """
    return _object(
        mentions=_list_of(
            surface=_text("The name, exactly as written in the content"),
            entity_kind=_text("person, tool, project, file, concept or other; empty if unknown"),
            entity_id=_text("The id of the offered entity that the name means; else empty"),
            aliases=_texts("Further names of the same thing, exactly as written in the content"),
        ),
        relations=_list_of(
            predicate=_text("The meaning of the relation, such as depends_on"),
            target_id=_text("The id of an offered entity or record"),
        ),
        references=_list_of(
            ref=_text("The reference, exactly as written in the content"),
            target_id=_text("The id of the offered entity or record"),
        ),
        labels=_list_of(label=_text("A topic of the content, in one to three words")),
        facts=_list_of(
            subject=_text("The name of what the fact is about, as written in the content"),
            predicate=_text("The property or relation, such as owned_by"),
            object=_text("The value, or the name of the other thing, as written in the content"),
        ),
    )


def _object(**properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_of(**properties: JsonObject) -> JsonObject:
    """A list of objects with the properties of a claim, too."""
    claim = {
        "confidence": {"type": "number", "description": "How sure, from 0 to 1"},
        "words": _text("The words of the content that this rests on, copied exactly"),
    }
    return {"type": "array", "items": _object(**properties, **claim)}


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _texts(description: str) -> JsonObject:
    return {"type": "array", "items": {"type": "string"}, "description": description}
