"""Reports of what happened (seed 000).

Required fields have an empty default here: which are required, and the message for one that is
missing or empty, is a rule of `membrane.domain.ingest.policy`.
"""

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import (
    ConflictPolicyWord,
    OutcomeStatusWord,
    Tags,
    TaskStateWord,
    Text,
    Texts,
)
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.requests import (
    OPTIONAL,
    OptionalScope,
    OptionalSensitivity,
    OptionalTimestamp,
    Request,
)
from membrane.domain.language.values import JsonValue, Object, is_claim
from membrane.domain.language.vocabulary import CandidateKind
from membrane.domain.records.payloads import Constraints
from membrane.domain.salience.lifecycle import LifecycleInput


def decoded(expected: type, name: str) -> BeforeValidator:
    """Accept the value itself or, as the seeds have it, its JSON text; absent when empty."""

    def decode(value: Any) -> Any:
        try:
            decoded = parse_json(value) if isinstance(value, str) and value else value
        except InvalidArgument as error:
            raise PydanticCustomError("json_text", "{reason}", {"reason": str(error)}) from error
        if decoded is None or decoded == "":
            return expected()
        if not isinstance(decoded, expected) and not is_claim(decoded):
            raise PydanticCustomError("json_text", "expected {name}", {"name": name})
        return decoded

    return BeforeValidator(decode)


class IngestRequest(Request):
    """What every report has in common; a report without a timestamp happened now."""

    kind: ClassVar[CandidateKind]

    source: Text = ""
    timestamp: OptionalTimestamp = None


class RecordRequest(Request):
    """What becomes records of its own, somewhere and as sensitive as it says."""

    tags: Tags = ()
    scope: OptionalScope = None
    sensitivity: OptionalSensitivity = None
    lifecycle: LifecycleInput | None = None
    """Policy fills what is absent."""


class PlacedReport(RecordRequest, IngestRequest):
    """A report that becomes a record of its own."""


class IngestEvent(PlacedReport):
    """A discrete event."""

    kind = CandidateKind.EVENT

    event_kind: Text = ""
    ref: Text = ""
    summary: Text | None = None


class IngestToolOutput(PlacedReport):
    """One call of a tool, with what went in and what came out."""

    kind = CandidateKind.TOOL_OUTPUT

    tool_name: Text = ""
    args: Annotated[Object, decoded(dict, "a JSON object")] = {}
    result: JsonValue = None
    depends_on: Texts = ()
    status: Annotated[OutcomeStatusWord | None, OPTIONAL] = None
    """The outcome of the episode that the report becomes."""


class IngestObservation(PlacedReport):
    """A fact that was observed; it holds under `conditions`, from `start` on and before `end`."""

    kind = CandidateKind.OBSERVATION

    subject: Text = ""
    predicate: Text = ""
    object: JsonValue = None
    conditions: Object = {}
    start: OptionalTimestamp = None
    end: OptionalTimestamp = None
    on_conflict: Annotated[ConflictPolicyWord | None, OPTIONAL] = None
    """Absent: as the setting for its predicate has it."""


class IngestWorkingState(PlacedReport):
    """A snapshot of a task in flight."""

    kind = CandidateKind.WORKING_STATE

    thread_id: Text = ""
    state: Annotated[TaskStateWord | None, OPTIONAL] = None
    next_actions: Texts = ()
    open_questions: Texts = ()
    context_summary: Text | None = None
    active_constraints: Annotated[Constraints, decoded(list, "a JSON array")] = ()


class IngestOutcome(IngestRequest):
    """How an episode, already recorded, ended."""

    kind = CandidateKind.OUTCOME

    target_record_id: Text = ""
    outcome_status: Annotated[OutcomeStatusWord | None, OPTIONAL] = None
    reason: Text = ""


Report = IngestEvent | IngestToolOutput | IngestObservation | IngestWorkingState
