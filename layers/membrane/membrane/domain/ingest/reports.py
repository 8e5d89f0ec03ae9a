"""Reports: requests to record an event, a tool output, a fact, a working state or an outcome.

Required fields have an empty default here. `membrane.domain.ingest.policy` lists the required
fields and has the error for a missing or empty field.
"""

from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.language import fields, requests
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.values import JsonValue, Object, is_claim
from membrane.domain.language.vocabulary import CandidateKind
from membrane.domain.records.payloads import Constraints
from membrane.domain.salience.lifecycle import LifecycleInput


def accept_json_text(expected: type, name: str) -> BeforeValidator:
    """Accept a value of the type, or the JSON text of a value; null and "" are an empty value."""

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


MAX_USED_IDS = 10


UsedIds = Annotated[
    tuple[fields.Text, ...],
    Field(strict=False, max_length=MAX_USED_IDS, fail_fast=True),
    AfterValidator(lambda ids: tuple(dict.fromkeys(ids))),
]


class IngestRequest(requests.Request):
    """The fields that every report has."""

    kind: ClassVar[CandidateKind]

    source: fields.Text = ""
    """Name of the reporter, such as an agent, a tool or a system. Absent or empty: the actor of the
    key. Stored in the provenance of the record and in the audit trail."""
    timestamp: requests.OptionalTimestamp = None
    """When the reported thing happened, in RFC 3339 with a zone. Absent or empty: the time at which
    the server takes the report."""

    def by(self, actor_id: str) -> Self:
        """The report; the actor of the key is the reporter of a report without a source."""
        return self if self.source else self.model_copy(update={"source": actor_id})


class RecordRequest(requests.Request):
    """The fields of a request that creates records from policy."""

    tags: fields.Tags = ()
    """Labels of the new records, to filter by: at most 100, of at most 256 characters. Repeats are
    dropped."""
    scope: requests.OptionalScope = None
    """Scope of the new records, at most 256 bytes of UTF-8. Absent or empty: the first scope of the
    key that is no prefix; unscoped under a key for all scopes. A key with prefixes alone must name
    a scope or a `user`."""
    sensitivity: requests.OptionalSensitivity = None
    """Sensitivity of the new records, at most the highest sensitivity of the key. Absent or empty:
    the deployment's `DefaultSensitivity`, `low` unless changed."""
    lifecycle: LifecycleInput | None = None
    """How the new records fade, and whether a sweep may prune them. Absent fields, or an absent
    lifecycle, get the deployment's defaults for the record type, or for messages."""


class PlacedReport(RecordRequest, IngestRequest):
    """A report that becomes a new record."""


class IngestEvent(PlacedReport):
    """Record an event as an episodic record."""

    kind = CandidateKind.EVENT

    event_kind: fields.Text = ""
    """Kind of the event in the caller's words, such as `build` or `file_edit`. Required."""
    ref: fields.Text = ""
    """Identifier of the event in the system of its origin, such as a build number or `chat/turn-7`.
    Required. A retrieval with `thread_id` finds events by the beginning of `ref`."""
    summary: fields.Text | None = None
    """What happened, in words; a search reads this text. Absent: a search reads `event_kind` and
    `ref`."""
    thread_id: fields.Text = ""
    """Thread of the task that the event is a step of. The steps of a thread become a trace, from
    which skills and plans are learned. Absent: the event is no step."""


class IngestToolOutput(PlacedReport):
    """Record a tool call, with arguments and result, as an episodic record."""

    kind = CandidateKind.TOOL_OUTPUT

    tool_name: fields.Text = ""
    """Name of the tool. Required."""
    args: Annotated[Object, accept_json_text(dict, "a JSON object")] = {}
    """Arguments of the call: a JSON object, the JSON text of an object, or an `$upload` of an
    object. Absent, null or "": an empty object."""
    result: JsonValue = None
    """Result of the call: any JSON value, or an `$upload` for a large value. Absent: null."""
    depends_on: fields.Texts = ()
    """Ids of the earlier calls whose results this call used. Stored as given; a trace joins the
    ids of calls, of records and of refs in the thread."""
    status: Annotated[fields.OutcomeStatusWord | None, requests.OPTIONAL] = None
    """Outcome of the call: `success`, `failure` or `partial`. Absent or empty: no outcome, until an
    `IngestOutcome` names the record."""
    thread_id: fields.Text = ""
    """Thread of the task that the call is a step of. The steps of a thread become a trace, from
    which skills and plans are learned. Absent: the call is no step."""


class IngestObservation(PlacedReport):
    """Record an observed fact: subject, predicate and object.

    Unless the conflict policy is `keep`, the observation of a known fact reinforces the known fact,
    where the time window of the known fact covers the window of the observation.
    """

    kind = CandidateKind.OBSERVATION

    subject: fields.Text = ""
    """What the fact is about, such as a person or a service. Required."""
    predicate: fields.Text = ""
    """Property or relation that the fact states, such as `lives_in`. Required. The deployment's
    `ConflictPolicies` are set by predicate."""
    object: JsonValue = None
    """Value of the property: any JSON value, or an `$upload` for a large value. Absent: null. The
    text of a note, whose predicate is `noted`, must not be blank."""
    conditions: Object = {}
    """Circumstances under which the fact holds, as a JSON object. Facts with different conditions
    do not conflict. Absent or empty: the fact holds unconditionally."""
    start: requests.OptionalTimestamp = None
    """First instant at which the fact holds, in RFC 3339. Absent or empty: no beginning."""
    end: requests.OptionalTimestamp = None
    """Instant from which the fact no longer holds, in RFC 3339; later than `start`. Absent or
    empty: no end."""
    on_conflict: Annotated[fields.ConflictPolicyWord | None, requests.OPTIONAL] = None
    """Answer to known facts that this fact contradicts. `keep`: all facts stay active. `replace`:
    this fact supersedes the known facts. `fork`: this fact becomes a variant of a known fact.
    `contest`: the known facts are contested by this fact. Absent or empty: the deployment's policy
    for `predicate`. A word that differs from the policy needs the permission `revise`."""


class IngestWorkingState(PlacedReport):
    """Record a snapshot of a task in progress as a working record."""

    kind = CandidateKind.WORKING_STATE

    thread_id: fields.Text = ""
    """Thread that the task belongs to. Required. `GET /v1/threads/{thread_id}/state` returns the
    latest working state of a thread."""
    state: Annotated[fields.TaskStateWord | None, requests.OPTIONAL] = None
    """State of the task: `planning`, `executing`, `blocked`, `waiting` or `done`. Required."""
    next_actions: fields.Texts = ()
    """What is to be done next, one text for an action."""
    open_questions: fields.Texts = ()
    """Questions without an answer yet, one text for a question."""
    context_summary: fields.Text | None = None
    """Summary of the task so far, in words. Absent: no summary."""
    active_constraints: Annotated[Constraints, accept_json_text(list, "a JSON array")] = ()
    """Limits that the task works under: a JSON array of constraints, the JSON text of an array, or
    an `$upload` of an array. Absent, null or "": no constraints."""


class IngestOutcome(IngestRequest):
    """Record how an episode ended, in the record of the episode."""

    kind = CandidateKind.OUTCOME

    target_record_id: fields.Text = ""
    """Id of the episodic record that the outcome belongs to. Required."""
    outcome_status: Annotated[fields.OutcomeStatusWord | None, requests.OPTIONAL] = None
    """How the episode ended: `success`, `failure` or `partial`. Required. Replaces an earlier
    outcome."""
    reason: fields.Text = ""
    """Why the episode ended like this. Stored as `outcome_reason` of the payload and in the audit
    trail. Absent: the record keeps no reason, also where an earlier outcome had one."""
    receipt_id: fields.Text = ""
    """Id of the receipt of the retrieval that the outcome rests on. The records that the receipt
    shows as handed out share credit: a success reinforces them, a failure penalizes them. The same
    principal must have made the retrieval, within the last 7 days. Absent or empty: no receipt."""
    used_ids: UsedIds = ()
    """Ids of the records that the episode used, at most 10; repeats are dropped. With a
    `receipt_id`, the records get more of the credit than the others, and must be among the records
    that the receipt shows as handed out. Without, the records share the credit equally."""


Report = IngestEvent | IngestToolOutput | IngestObservation | IngestWorkingState
