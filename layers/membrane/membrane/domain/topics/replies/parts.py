"""Parts that several replies about topics share."""

from typing import Literal

from typing_extensions import TypedDict

from membrane.domain.language.fields import Timestamp
from membrane.domain.language.values import JsonValue


class FieldsCut(TypedDict, total=False):
    fields_cut: Literal[True]
    """Fields are missing for want of room; absent where none is."""


class ShownRevision(TypedDict):
    id: str
    """The id of the revision."""
    value: JsonValue
    """The value, any JSON; a link where the reply has no room for a large value."""
    valid_from: Timestamp
    """The instant from which the value holds."""
    provenance: str
    """The origin of the value, in the words of the caller."""
    why_changed: str | None
    """Why the value changed; null where nobody said, or the reason names a hidden topic."""
    impact_expected: str | None
    """The expected effect of the change; null where nobody said."""
