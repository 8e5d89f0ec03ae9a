"""Records, and replies with records."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar, overload

from membrane_client.errors import UnexpectedReply
from membrane_client.values.interpretations import Interpretation
from membrane_client.values.payloads import Payload
from membrane_client.values.value import (
    NO_META,
    Field,
    JsonObject,
    Meta,
    Value,
    count,
    counts,
    flag,
    instant,
    instants,
    mapping,
    number,
    numbers,
    optional_count,
    optional_instant,
    optional_number,
    optional_part,
    optional_text,
    optional_word,
    part,
    parts,
    text,
    texts,
    word,
)
from membrane_client.values.words import (
    AuditAction,
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    ProvenanceKind,
    Sensitivity,
)

I = TypeVar("I")  # noqa: E741 - of an item


class Page(Value, Generic[I]):
    """A page of a list."""

    next_cursor = optional_text()
    """The start of the next page; None on the last page."""
    LISTS: ClassVar[str]
    """The field with the items; a prompt comes in their place."""

    def __init__(self, raw: JsonObject, meta: Meta = NO_META) -> None:
        super().__init__(raw, meta)
        if not isinstance(raw.get(self.LISTS), list) and "prompt" not in raw:
            raise UnexpectedReply(f"{type(self).__name__} came without a list of {self.LISTS}")

    @property
    def items(self) -> Sequence[I]:
        items: Sequence[I] = getattr(self, self.LISTS)
        return items


class Health(Value):
    status = text()


class DecayProfile(Value):
    curve = word(DecayCurve)
    half_life_seconds = count()
    min_salience = number(0.0)
    max_age_seconds = count(0)
    """0 = no end."""
    reinforcement_gain = number(0.0)
    custom_curve = optional_text()


class Lifecycle(Value):
    decay = part(DecayProfile)
    last_reinforced_at = instant()
    pinned = flag(default=False)
    deletion_policy = word(DeletionPolicy)


class ProvenanceSource(Value):
    kind = word(ProvenanceKind)
    ref = text()
    hash = optional_text()
    created_by = optional_text()
    timestamp = optional_instant()


class Provenance(Value):
    sources = parts(ProvenanceSource)
    created_by = optional_text()


class Relation(Value):
    predicate = text()
    target_id = text()
    weight = optional_number()
    created_at = optional_instant()


class AuditEntry(Value):
    action = word(AuditAction)
    actor = text()
    timestamp = instant()
    rationale = text()
    principal = text()
    previous_hash = text()
    hash = text()
    salt = optional_text()
    text_hash = optional_text()
    salience_before = optional_number()
    salience_after = optional_number()


class Usefulness(Value):
    """How often tasks succeeded and failed in which a record had a part."""

    successes = number()
    failures = number()
    used = count()
    last_used_at = instant()
    mean = number()
    width = number()
    """The standard deviation of the rate of success."""


class MemoryRecord(Value):
    id = text()
    type = word(MemoryType)
    sensitivity = word(Sensitivity)
    confidence = number()
    salience = number()
    """As of the reply."""
    scope = optional_text()
    """None = unscoped."""
    tags = texts()
    created_at = instant()
    updated_at = instant()
    lifecycle = part(Lifecycle)
    provenance = part(Provenance)
    relations = parts(Relation)
    payload = Field(
        lambda raw, meta: Payload.BY_KIND.get(raw["kind"], Payload)(raw, meta),
        None,
        of=lambda: Payload,
    )
    """None where the record is redacted: a level above the key's ceiling."""
    interpretation = optional_part(Interpretation)
    """None where no capture made the record, or the record is redacted."""
    audit_log = parts(AuditEntry)
    audit_count = optional_count()
    usefulness = optional_part(Usefulness)
    """None before the first credit by an outcome."""
    deleted_at = optional_instant()
    """Where a batch repeats a write whose record was deleted since: with `id` alone."""
    size = optional_count()
    """Bytes, where a list had no room: with `id` and `type` alone."""
    link = optional_text()


class Memory(MemoryRecord):
    """A record in brief, beside the fields here with `id`, `type`, `salience`, `scope`, `tags`."""

    text = text(default="")
    """Empty where the record is redacted."""
    score = optional_number()
    """From 0 to 1; None where no question was asked."""
    when = instant()
    """The instant of the event, or of the record."""
    who = optional_text()
    """The speaker of a message, or the source of the record."""


def _shown_records() -> Field[Sequence[MemoryRecord]]:
    """Records; memories where `view="brief"` was asked for."""
    return Field(
        lambda raw, meta: tuple(
            (Memory if "when" in each else MemoryRecord)(each, meta) for each in raw
        ),
        (),
        of=lambda: MemoryRecord,
    )


class WrittenReply(Value):
    record = part(MemoryRecord)
    consistency_token = text()


class RecordReply(Value):
    record = part(MemoryRecord)


class IngestedMessages(Value):
    thread_id = text()
    first_turn = optional_count()
    """None, as `next_turn`, where a repeat finds nothing but tombstones."""
    next_turn = optional_count()
    records = parts(MemoryRecord)
    """In the order of the messages."""
    skipped = count(0)
    """Leading messages with instructions, and thoughts, which became no records."""
    consistency_tokens = texts()


class GraphEdge(Value):
    source_id = text()
    predicate = text()
    target_id = text()
    weight = number()
    created_at = instant()


class Captured(Value):
    primary_record = part(MemoryRecord)
    """The evidence; with `id` and `deleted_at` alone where it was deleted since."""
    created_records = parts(MemoryRecord)
    """New entities in the order of the mentions, then a new fact."""
    edges = parts(GraphEdge)
    """Each edge from both ends."""
    consistency_tokens = texts()


class FieldError(Value):
    field = text()
    message = text()


class BatchError(Value):
    title = text()
    status = count()
    code = text()
    detail = text()
    errors = parts(FieldError)
    request_id = optional_text()


class BatchEntry(Value):
    status = count()
    record = optional_part(MemoryRecord)
    """With `id` alone where the reply had no room."""
    error = optional_part(BatchError)
    consistency_token = optional_text()
    thread_id = optional_text()
    """With the next four: of messages."""
    first_turn = optional_count()
    next_turn = optional_count()
    records = parts(MemoryRecord)
    consistency_tokens = texts()
    primary_record = optional_part(MemoryRecord)
    """With the next two, and tokens: of a capture."""
    created_records = parts(MemoryRecord)
    edges = parts(GraphEdge)


class BatchReply(Value):
    results = parts(BatchEntry)
    """In the order of the items."""


class RemovedRecord(Value):
    """The rest of a deleted or pruned record."""

    id = text()
    type = word(MemoryType)
    scope = text()
    sensitivity = word(Sensitivity)
    deleted_at = instant()
    reason = text()
    restorable_until = optional_instant()
    """None if the content is gone."""
    expires_at = instant()


class RecordList(Page[MemoryRecord]):
    LISTS = "records"
    records = _shown_records()

    @property
    def memories(self) -> Sequence[Memory]:
        """The records in brief, where `view="brief"` was asked for."""
        return Recalled(self.raw).records

    @property
    def removed_records(self) -> Sequence[RemovedRecord]:
        """The removed records, where the state `deleted` or `pruned` was asked for."""
        return [RemovedRecord(each) for each in self.raw["records"]]


class AnchoredHead(Value):
    """The comparison of an audit trail with the newest signed anchor."""

    instant = instant()
    entries = optional_count()
    """None where the anchor itself does not hold."""
    holds = flag()


class AuditTrail(Page[AuditEntry]):
    LISTS = "audit_log"
    audit_log = parts(AuditEntry)
    audit_count = count()
    deleted_at = optional_instant()
    verified = Field[bool | None](lambda raw, _: raw, None)
    """None where `verify` was not asked for."""
    broken_at = optional_count()
    verified_entries = optional_count()
    anchor = optional_part(AnchoredHead)
    """None without `verify`, without an anchor, or for a record younger than the anchor."""


class FieldChange(Value):
    field = text()
    before = Field[Any](lambda raw, _: raw, None)
    after = Field[Any](lambda raw, _: raw, None)
    added = Field[Sequence[Any]](lambda raw, _: raw, ())


class RecordVersion(Value):
    number = count()
    valid_from = instant()
    valid_to = optional_instant()
    action = optional_word(AuditAction)
    actor = optional_text()
    principal = optional_text()
    rationale = optional_text()
    changes = parts(FieldChange)
    withheld = flag(default=False)
    size = optional_count()
    link = optional_text()


class VersionList(Page[RecordVersion]):
    LISTS = "versions"
    versions = parts(RecordVersion)
    """The oldest first."""


class SelectorParts(Value):
    """The parts of a skill's or plan's score, each from 0 to 1."""

    applicability = number()
    success = number()
    recency = number()


class TrackRecord(Value):
    successes = number()
    failures = number()
    last_used_at = optional_instant()


class SelectionReason(Value):
    """Why a skill or plan has its score."""

    id = text()
    parts = part(SelectorParts)
    trigger = text()
    """The trigger or intent that the task met best; empty where the task met none."""
    track_record = part(TrackRecord)


class OtherChoice(Value):
    """What would put a skill or plan before the first; each entry alone would."""

    id = text()
    gap = number()
    behind_in = text()
    successes = optional_count()
    """Further successes of this candidate; None where no number would do."""
    failures = optional_count()
    """Further failures of the first; None where no number would do."""
    parts = numbers()
    """The least sufficient value of a part, by name; a part that could not suffice is absent."""


class Selection(Value):
    selected = texts()
    confidence = number()
    needs_more = flag()
    scores = numbers()
    why = text(default="")
    as_good = texts()
    """Further candidates about as good as the first."""
    reasons = parts(SelectionReason)
    otherwise = parts(OtherChoice)


class Found(Page[I], Sequence[I]):
    """The result of a retrieval: a sequence, the best first."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[I]:
        return iter(self.items)

    @overload
    def __getitem__(self, at: int) -> I: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[I]: ...

    def __getitem__(self, at: int | slice) -> I | Sequence[I]:
        return self.items[at]


class Prompt(Value):
    """Memories as a text for a system message; `str()` gives the text."""

    text = text()
    ids = texts()
    """The records cited."""
    tokens = count()

    def __str__(self) -> str:
        return self.text


class Answer(Found[MemoryRecord]):
    """The records of a retrieval; by `view`, `memories` or `prompt`."""

    LISTS = "records"
    records = _shown_records()
    scores = numbers()
    """By record id, from 0 to 1; empty where no task was asked about."""
    selection = optional_part(Selection)
    receipt_id = optional_text()
    prompt = optional_part(Prompt)

    @property
    def memories(self) -> Sequence[Memory]:
        """The records in brief, where `view="brief"` was asked for."""
        return Recalled(self.raw).records


class Recalled(Found[Memory]):
    """The memories for a question; with `view="prompt"`, `str()` gives the text."""

    LISTS = "records"
    records = parts(Memory)
    prompt = optional_part(Prompt)
    receipt_id = optional_text()
    receipt_ids = texts()
    """Of all pages that the memories came in; `receipt_id` is of the last page."""

    @property
    def text(self) -> str:
        """The prompt's text, or the memories line by line."""
        if self.prompt is not None:
            return self.prompt.text
        return "\n".join(f"- {each.text}" for each in self)

    @property
    def ids(self) -> Sequence[str]:
        return self.prompt.ids if self.prompt is not None else [each.id for each in self]

    @property
    def tokens(self) -> int | None:
        """About how many tokens a model reads; None where no prompt was asked for."""
        return None if self.prompt is None else self.prompt.tokens

    def __str__(self) -> str:
        return self.text if self or self.prompt is not None else "(nothing)"


class PathStep(Value):
    from_id = text()
    """The record at the near end of the edge."""
    predicate = text()
    """As seen from the near end."""


class GraphNode(Value):
    record = part(MemoryRecord)
    root = flag()
    hop = count()
    """Edges between the node and its root; 0 for a root."""
    score = optional_number()
    """From 0 to 1; None without a task, and for a record that the search did not find."""
    path = parts(PathStep)
    """From the root to the node; empty for a root."""


class Graph(Page[GraphNode]):
    """A page of a graph; nodes come by worth."""

    LISTS = "nodes"
    nodes = parts(GraphNode)
    edges = parts(GraphEdge)
    """Of nodes on the page with nodes on this page or on pages before."""
    root_ids = texts()
    selection = optional_part(Selection)

    @property
    def records(self) -> Sequence[MemoryRecord]:
        return [each.record for each in self.nodes]


class ThreadState(Value):
    record = part(MemoryRecord)
    earlier = parts(MemoryRecord)
    """The newest first."""
    next_cursor = optional_text()


class ReceiptCandidate(Value):
    id = text()
    score = number()
    parts = numbers()
    handed_out = flag(default=False)
    """Whether the page had the record: an outcome with the receipt gives the record credit."""


class ReceiptTrust(Value):
    max_sensitivity = word(Sensitivity)
    scopes = Field[Sequence[str] | None](lambda raw, _: raw, None)
    """None = every scope."""


class AnswerReceipt(Value):
    id = text()
    principal = text()
    asked_at = instant()
    query = mapping()
    trust = part(ReceiptTrust)
    returned = count()
    considered = count()
    candidates = parts(ReceiptCandidate)
    left_out = count()
    withheld = count()
    hidden = optional_count()


class OpenedUpload(Value):
    upload_id = text()
    url = text()
    method = text()
    headers = mapping()
    expires_at = instant()


class DecayForecast(Value):
    scope = text()
    type = word(MemoryType)
    candidates = count()
    today = counts()
    preview = counts()
    error_bound = count()


class UsedRecord(Value):
    """A record with credit that the previewed policy would prune."""

    id = text()
    scope = text()
    prunable_at = instant()
    usefulness = part(Usefulness)
    note = text()


class DecayPreview(Value):
    now = instant()
    instants = instants()
    candidates = count()
    exact = flag()
    forecasts = parts(DecayForecast)
    used = parts(UsedRecord)


class Snapshot(Value):
    collected_at = instant()
    total_records = count()
    records_by_type = numbers()
    avg_salience = number()
    avg_confidence = number()
    salience_distribution = numbers()
    active_records = count()
    pinned_records = count()
    total_audit_entries = count()
    memory_growth_rate = number()
    retrieval_usefulness = number()
    competence_success_rate = number()
    plan_reuse_frequency = number()
    revision_rate = number()
    error_bounds = mapping()
    sampled = mapping()


class Metrics(Value):
    snapshot = part(Snapshot)
