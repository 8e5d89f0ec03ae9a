"""Replies about erasures."""

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from membrane.domain.erasure.targets import Action, Ground, Kind, TargetKind
from membrane.domain.language.fields import Count, Timestamp
from membrane.domain.language.replies import PageReply


class FindingCount(TypedDict):
    """How many findings have one kind, ground and action."""

    kind: Kind
    """What was found."""
    ground: Ground
    """Why the erasure found it: `is_of` the scope, `named` by id, `is_about` the subject,
    `rests_on` erased evidence alone, or only `mentions` the subject."""
    action: Action
    """What the erasure does: `erase`, `remove`, `rewrite`, or `keep` for a person to decide."""
    count: Count
    """The number of findings."""


class FoundPlace(TypedDict):
    """Where a keyed document is."""

    scope: str
    """The scope; empty for an unscoped document."""
    namespace: list[str]
    """The labels of the namespace."""
    key: str
    """The key within the namespace."""


class FindingReply(TypedDict):
    """A record, topic or keyed document that an erasure found."""

    kind: Kind
    """`record`, `topic`, `document`, or `evidence` for a record that loses references alone."""
    id: str
    """The id of the record or topic; of a document the id for `ids` of a further erasure."""
    ground: Ground
    """Why the erasure found the record, topic or document."""
    action: Action
    """What the erasure does."""
    audit_count: NotRequired[Count]
    """The number of audit entries after the erasure; absent before."""
    hash_before: NotRequired[str]
    """The head of the audit's hash chain before the erasure."""
    hash_after: NotRequired[str]
    """The head of the audit's hash chain after the erasure."""
    place: NotRequired[FoundPlace]
    """In a listing, where the document is: for `TombstoneDays`, or until the document is erased."""


class ErasureState(TypedDict):
    """The state of an erasure."""

    id: str
    """The id of the erasure."""
    state: Literal["listing", "listed", "removing", "done"]
    """`listing` and `removing` are under way; a dry run ends as `listed`, an erasure as `done`."""
    dry_run: bool
    """Whether the erasure only lists."""
    reason: str
    """Why the erasure is made, as the caller states."""
    requested_by: str
    """The actor of the key."""
    started_at: Timestamp
    """When the request came."""
    done_at: Timestamp | None
    """When the erasure ended; null before."""
    found: list[FindingCount]
    """What the listing found, so far."""
    removed: list[FindingCount]
    """What was removed, so far; after a write during the erasure more than was listed."""
    unreadable: Count
    """Damaged items that the erasure could not read; `membrane verify` names them."""


class SpellingCount(TypedDict):
    """How many records and topics are about the subject in one spelling."""

    text: str
    """The subject as a fact, entity or topic names it; empty for long or many further spellings."""
    found: Count
    """The number of records and topics of the listing."""
    erases: bool
    """Whether the request confirms the spelling; other spellings are kept."""


class ErasureReply(ErasureState, PageReply):
    """An erasure, with a page of the records, topics and documents of the listing."""

    spellings: list[SpellingCount]
    """Spellings of the subject that the listing found, so far. At the end, only of a dry run that
    found spellings to confirm; such a dry run is gone 7 days later."""
    findings: list[FindingReply]
    """Records, topics and documents of the listing; of other kinds the counts tell."""


class Remainder(TypedDict):
    """What stays after an erasure."""

    what: str
    """What stays."""
    why: str
    """What for."""
    days: int | None
    """For how many days at most; null for good."""


class ErasedTarget(TypedDict):
    """The target, by a digest."""

    kind: TargetKind
    """Whether a scope (also a user's), a subject or single ids were erased."""
    sha256: str
    """SHA-256 of the target's parts: the erasure's id, the kind, the scope, the subject, the
    sorted spellings and the sorted ids, each as UTF-8 behind its length in four bytes."""


class Certificate(TypedDict):
    """What an erasure removed, without a word of the content."""

    erasure: str
    """The id of the erasure."""
    target: ErasedTarget
    """The target, by a digest."""
    reason: str
    """Why the erasure was made, as the caller states."""
    requested_by: str
    """The actor of the key."""
    requested_at: Timestamp
    """When the request came."""
    done_at: Timestamp
    """When a walk over the whole table found nothing more."""
    removed: list[FindingCount]
    """What was removed."""
    entries: Count
    """The number of entries, over all pages."""
    entries_sha256: str
    """SHA-256 over the entries: each as canonical JSON with a line feed."""
    unreadable: Count
    """Items that stay because they are damaged, or aliases that cannot be erased alone; 0 in a
    proof."""
    stays: list[Remainder]
    """What stays, why, and for how long."""


class SignatureReply(TypedDict):
    """A signature over the canonical JSON of the certificate."""

    key_id: str
    """The key."""
    algorithm: str
    """The algorithm, in the words of AWS KMS."""
    value: Annotated[str, "base64"]
    """The signature in base64."""


class CertificateReply(PageReply):
    """The signed certificate of an erasure, with a page of entries."""

    certificate: Certificate
    """What the signature covers."""
    signature: SignatureReply
    """The signature."""
    entries: list[FindingReply]
    """The erased records, topics and documents, in the order of `entries_sha256`."""
