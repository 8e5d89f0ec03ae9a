"""What editors of topics ask for; shapes and defaults are those of spec 6.1.

What must be said has an empty default here: that it is missing is said in the words of the domain.
"""

from typing import Annotated, Any

from pydantic import Field, model_validator

from membrane.domain.language.fields import (
    LIST,
    MAX_ID_CHARACTERS,
    RecordId,
    Salience,
    SensitivityWord,
    Text,
)
from membrane.domain.language.requests import (
    OPTIONAL,
    OptionalScope,
    OptionalSensitivity,
    OptionalTimestamp,
    Request,
)
from membrane.domain.tokens.fields import Cursor
from membrane.domain.topics.appending import KEEP, RefChange
from membrane.domain.topics.requests.parts import FieldName, FieldTypeWord, Kind, Title, TopicValue
from membrane.domain.topics.system_context import MAX_CHARACTERS
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.versions import USUAL_SALIENCE

USUAL_RELATION = "has_detail"
"""What a topic is to those that were made of its fields."""

MAX_HISTORY = 10_000

MaxHistory = Annotated[int, Field(ge=1, le=MAX_HISTORY)]
"""How many revisions a field keeps, there. It is taken and has no effect: what leaves the table is
the operator's to say, and nothing is lost by it."""

Named = Annotated[str, Field(max_length=MAX_ID_CHARACTERS)]
"""The id of another topic."""

ContextText = Annotated[str, Field(max_length=MAX_CHARACTERS)]

OptionalNewId = Annotated[RecordId | None, OPTIONAL]

Names = Annotated[tuple[Title, ...], LIST]
"""Of fields, as they come: blank ones and repeats do not count."""


class CreateTopic(Request):
    """A topic without fields."""

    title: Title = UNTITLED
    summary: Text = ""
    topic_kind: Kind = ""
    salience: Salience = USUAL_SALIENCE
    topic_id: OptionalNewId = None
    scope: OptionalScope = None
    sensitivity: OptionalSensitivity = None


class TopicEdit(Request):
    """A change of one topic."""

    id: str


class ChangeTopic(TopicEdit):
    """Other words for a topic, another salience from now on, archiving and taking it up again.

    What is left out, or null, stays; an empty text clears it. A topic stays in its scope.
    """

    title: Title | None = None
    summary: Text | None = None
    topic_kind: Kind | None = None
    salience: Salience | None = None
    archived: bool | None = None
    sensitivity: SensitivityWord | None = None


class DeleteTopic(TopicEdit):
    """Hide a topic from all but its restoring."""


class RestoreTopic(TopicEdit):
    """Bring a deleted topic back."""


class AddRelationship(TopicEdit):
    """Link a topic to another."""

    to_topic_id: Named
    kind: Kind


class RemoveRelationship(TopicEdit):
    """Remove such a link."""

    to_topic_id: Named
    kind: Kind


class AppendField(TopicEdit):
    """One revision more of a field.

    A reference that is left out stays; null and the empty text clear it.
    """

    field_name: FieldName
    value: TopicValue = ""
    field_type: FieldTypeWord | None = None
    """Absent: the field's own, and of a new field the value's."""
    ref_topic_id: Named | None = None
    why_changed: Text | None = None
    impact_expected: Text | None = None
    provenance: Text = "ui"
    valid_from: OptionalTimestamp = None
    max_history: MaxHistory = 500

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, value: Any) -> Any:
        """But for the value, which may be null, and the reference, which null clears."""
        if not isinstance(value, dict):
            return value
        kept = ("value", "ref_topic_id")
        known = cls.model_fields
        return {
            name: given
            for name, given in value.items()
            if given is not None or name not in known or name in kept
        }

    @property
    def ref(self) -> RefChange:
        """What becomes of the reference."""
        return (self.ref_topic_id or None) if "ref_topic_id" in self.model_fields_set else KEEP


class DeleteField(TopicEdit):
    """Delete a field, or a nested bundle with all its fields; their histories are kept."""

    name: str


class SetFieldRef(TopicEdit):
    """Point a field at a topic; nothing, or null, clears it."""

    name: FieldName
    ref_topic_id: Annotated[Named | None, OPTIONAL] = None


class NestFields(TopicEdit):
    """Show fields as one."""

    field_names: Names = ()
    nest_key: Annotated[str, Field(max_length=1_000)] = ""
    provenance: Text = "ui"


class UnnestFields(TopicEdit):
    """Show the fields of a bundle by themselves again."""

    nest_key: str = ""


class PromoteFields(TopicEdit):
    """Make fields a topic of their own, to which their topic is related then."""

    field_names: Names = ()
    child_title: Title = ""
    child_summary: Text = ""
    child_topic_id: OptionalNewId = None
    relationship_kind: Kind = USUAL_RELATION
    parent_link_field: Annotated[FieldName | None, OPTIONAL] = None
    provenance: Text = "ui"
    max_history: MaxHistory = 500


class UndoPromotion(TopicEdit):
    """Take the fields of a topic back that was made of them."""

    child_topic_id: Named = ""
    relationship_kind: Kind | None = None


class UnmergeTopic(TopicEdit):
    """Take a topic out again of the one that it was merged into; `id` is its own."""

    why: Text = ""


class Reason(Request):
    """Look for duplicates and for what is to be forgotten in a scope; by default only look.

    Without a scope it is the one that the principal writes into.
    """

    scope: OptionalScope = None
    dry_run: bool = True
    cursor: Annotated[Cursor | None, OPTIONAL] = None
    """Goes on where an earlier call of the same request ended."""


class ChangeSystemContext(Request):
    """What every agent is told of its role and its surroundings, both at once."""

    system_role: ContextText
    runtime_context: ContextText
