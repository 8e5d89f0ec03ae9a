"""Erasures, exports, studies, tools and conversations. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from membrane_client.value import Job, Page, Value
from membrane_client.values import words


class LoggedCall(Value):
    tool: str  # The name of the tool
    args: Any  # The arguments of the model, or a CutPart; a text that is no object is `unreadable`
    result: Any  # The answer of the tool, or a CutPart
    phase: str | None  # `study_a` or `study_b`, for a call of a study session
    links: Sequence[str]  # Where the topics and memories of a cut call are read


class ChatTokens(Value):
    used: int  # The tokens of this conversation's questions
    questions: int  # The questions to the model, with the question about the route


class ChatStop(Value):
    code: str  # The error code, as in a problem
    status: int  # The HTTP status of the error, had no tool run
    detail: str  # A sentence for the caller


class ChatReply(Value):
    reply: str  # The text for the user
    tool_log: Sequence[LoggedCall]  # The calls in order
    model: str  # The name of the model that answered last, as the endpoint reports the name
    provider: str  # Who runs the model
    intent: words.Route | str  # The route of the conversation
    intent_source: str  # `classifier` or `override`
    max_tool_rounds: int  # The most questions to the model that the request allows
    tokens: ChatTokens  # What the conversation took of the day's tokens
    study_ingest: bool = False  # Present and true if the last message was studied as a document
    study_session_kind: str | None
    study_phases: int | None  # The phases of the session: 2
    stopped: ChatStop | None  # Present if the conversation ended early after tools had run


class FindingCount(Value):
    kind: str  # What was found
    ground: str  # Why the erasure found it
    action: str  # What the erasure does
    count: int  # The number of findings


class ErasureState(Job):
    id: str  # The id of the erasure
    state: str  # `listing` and `removing` are under way
    dry_run: bool  # Whether the erasure only lists
    reason: str  # Why the erasure is made, as the caller states
    requested_by: str  # The actor of the key
    started_at: datetime  # When the request came
    done_at: datetime | None  # When the erasure ended; null before
    found: Sequence[FindingCount]  # What the listing found, so far
    removed: Sequence[FindingCount]  # What was removed, so far
    unreadable: int  # Damaged items that the erasure could not read; `membrane verify` names them


class SpellingCount(Value):
    text: str  # The subject as a fact, entity or topic names it
    found: int  # The number of records and topics of the listing
    erases: bool  # Whether the request confirms the spelling; other spellings are kept


class FoundPlace(Value):
    scope: str  # The scope; empty for an unscoped document
    namespace: Sequence[str]  # The labels of the namespace
    key: str  # The key within the namespace


class Finding(Value):
    kind: str
    id: str  # The id of the record or topic; of a document the id for `ids` of a further erasure
    ground: str  # Why the erasure found the record, topic or document
    action: str  # What the erasure does
    audit_count: int | None  # The number of audit entries after the erasure; absent before
    hash_before: str | None  # The head of the audit's hash chain before the erasure
    hash_after: str | None  # The head of the audit's hash chain after the erasure
    place: FoundPlace | None  # In a listing, where the document is


class Erasure(ErasureState, Page[Finding], of="findings"):
    spellings: Sequence[SpellingCount]  # Spellings of the subject that the listing found, so far
    findings: Sequence[Finding]  # Records, topics and documents of the listing


class ErasedTarget(Value):
    kind: str  # Whether a scope (also a user's), a subject or single ids were erased
    sha256: str  # SHA-256 of the target's parts


class Remainder(Value):
    what: str  # What stays
    why: str  # What for
    days: int | None  # For how many days at most; null for good


class CertificateBody(Value):
    erasure: str  # The id of the erasure
    target: ErasedTarget  # The target, by a digest
    reason: str  # Why the erasure was made, as the caller states
    requested_by: str  # The actor of the key
    requested_at: datetime  # When the request came
    done_at: datetime  # When a walk over the whole table found nothing more
    removed: Sequence[FindingCount]  # What was removed
    entries: int  # The number of entries, over all pages
    entries_sha256: str  # SHA-256 over the entries: each as canonical JSON with a line feed
    unreadable: int
    stays: Sequence[Remainder]  # What stays, why, and for how long


class CertificateSignature(Value):
    key_id: str  # The key
    algorithm: str  # The algorithm, in the words of AWS KMS
    value: str  # The signature in base64


class Certificate(Page[Finding], of="entries"):
    certificate: CertificateBody  # What the signature covers
    signature: CertificateSignature  # The signature
    entries: Sequence[Finding]


class Export(Value, within="export"):
    id: str  # Id of the export
    state: str  # `running`, `done` or `failed`; the service tries a failed export again for a while
    reason: str | None  # Why the last attempt failed; absent without a failure
    max_sensitivity: str  # The highest sensitivity of exported records
    scopes: Sequence[str]  # The exported scopes; absent for all scopes
    created_at: datetime  # When the export was requested
    updated_at: datetime  # When the export last made progress
    expires_at: datetime  # When the export and the file are removed
    lines: int  # The number of lines written so far
    bytes: int  # The size of the lines written so far
    counts: Mapping[str, int]  # The number of lines by kind


class ExportList(Value):
    exports: Sequence[Export]  # The exports, the newest first


class ExportPart(Value):
    url: str  # A signed address of the part, valid for five minutes
    bytes: int  # The size of the part


class ExportReply(Value):
    export: Export  # The state of the export
    parts: Sequence[ExportPart]
    next_cursor: str | None  # Of the next page of parts; absent on the last page


class DoneOfTotal(Value):
    done: int  # The number that is finished
    total: int  # The number in the document; 0 until the document is divided


class StudyProgress(Value):
    sections: DoneOfTotal  # Sections, as headings make them
    paragraphs: DoneOfTotal  # Paragraphs in the sections
    sentences: DoneOfTotal  # Sentences in the paragraphs


class StudyMade(Value):
    topics: int  # New topics
    fields: int  # New fields
    revisions: int  # New values of fields that there were
    unchanged: int  # Fields that had the value already
    withdrawn: int  # Fields and topics that the document no longer has
    links: int  # Links between topics by names and references
    partial: int  # Passages that the model could not finish in the time of two steps


class StudyRemoved(Value):
    topics: int  # Topics that rest on the document alone
    revisions: int  # Values of fields that the document brought
    kept: int  # Topics that lose values of the document, and stay for what others wrote


class StudyCost(Value):
    questions: int  # Questions to the model
    tokens: int  # Tokens of questions and answers


class Study(Job):
    id: str  # Id of the job
    purpose: str  # `study`, or `removal`
    state: str
    stage: str  # The present step of the job
    document_id: str  # Id of the document's topic
    title: str  # Title of the document
    source: str  # Where the document comes from; empty if not said
    scope: str  # Scope of the topics; empty for unscoped ones
    sensitivity: str  # Sensitivity of the topics
    characters: int  # The length of the document
    sha256: str  # SHA-256 of the document's text in UTF-8, in hex; empty for a removal
    dry_run: bool  # Whether a removal only counts; false for a study
    with_model: bool  # Whether a model studies the document
    progress: StudyProgress  # How far the study is
    made: StudyMade  # What the study has written so far
    removed: StudyRemoved  # What was taken back, by a removal or by a cancelled study
    cost: StudyCost  # What the model took
    reason: str | None  # Why the job failed; absent otherwise
    waits_until: datetime | None  # When a waiting job goes on
    started_at: datetime  # When the request came
    updated_at: datetime  # When the job last made progress
    expires_at: datetime  # When the service forgets the job; the topics stay


class ToolList(Value):
    tools: Sequence[Mapping[str, Any]]  # The tools in the form that the request names


class CalledTool(Value):
    result: Mapping[str, Any]  # The answer as a JSON object
    text: str  # The answer as text for a language model, at most 2,000 tokens by an estimate
    is_error: bool = False  # True where the tool had no effect, as the text says; absent otherwise
