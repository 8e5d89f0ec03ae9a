"""The request that captures what a runtime saw."""

from typing import Annotated, Self

from membrane.domain.ingest.reports import PlacedReport
from membrane.domain.language.fields import MemoryTypeWord, Text
from membrane.domain.language.requests import OPTIONAL
from membrane.domain.language.values import JsonValue


class CaptureMemory(PlacedReport):
    """Capture an event, a tool output, an observation or a working state as evidence.

    The service finds what the content mentions, links the record to the entities, and derives a
    fact where the content states one.
    """

    source: Text = ""
    """Name of the reporter, such as an agent, a tool or a system. Required. Empty: the actor of the
    key. Stored in the provenance of the record and in the audit trail."""
    source_kind: Text = ""
    """What was seen: `event`, `tool_output`, `observation`, `working_state`, `agent_turn`, or a
    word of the caller. `tool_output` and `working_state` need the fields of these reports in
    `content`. Absent or empty: `event`."""
    content: JsonValue = None
    """What was seen: any JSON value, or an `$upload`. Required. Of an object, the fields `subject`,
    `project`, `file`, `person`, `service` and the like name entities, `ref` and `record_id` name
    records, and texts are read for names."""
    context: JsonValue = None
    """What was around: any JSON value, or an `$upload`. Stored with the content; references in an
    object are followed, but no text is read for names. Absent: null."""
    reason_to_remember: Text = ""
    """Why the content matters, in words; not read for names. Absent: no reason."""
    proposed_type: Annotated[MemoryTypeWord | None, OPTIONAL] = None
    """Memory type that suits the content. A label: the type of the record follows `source_kind`.
    With `semantic`, a fact is derived from the content as from an observation."""
    summary: Text = ""
    """The content in short; a search reads this text, too. Read for names where the content has no
    text. Absent: the reason, else the beginning of the content."""

    def by(self, actor_id: str) -> Self:
        """As of every report with an empty source; as in Membrane, an absent source is refused."""
        return super().by(actor_id) if "source" in self.model_fields_set else self
