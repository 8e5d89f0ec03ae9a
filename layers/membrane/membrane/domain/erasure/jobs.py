"""An erasure job: the request, the state, the counts, the findings, and the certificate.

listing      a walk over the table counts what the erasure finds; a dry run ends here
removing     walks over the table remove what they find, until a walk finds nothing
emptied      the table is clean; a file with the target waits for the end of its import
certified    the certificate is signed; only names and fence are left to remove
done         the fence is gone
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.erasure.targets import DOCUMENT_ID, Action, Ground, Kind, Target
from membrane.domain.language.json_text import JsonObject, canonical_json
from membrane.domain.lifecycle.pruning import Retention

if TYPE_CHECKING:
    from membrane.domain.erasure.replies import FindingCount, FindingReply


class Finding(NamedTuple):
    """Something found by an erasure; `chain` is set once the content is erased."""

    kind: Kind
    id: str
    """The id of the record, topic or document; of anything else the item's key."""
    ground: Ground
    action: Action
    chain: tuple[int, str, str] | None = None
    """The audit trail: number of entries, hash before and hash after the erasure's entry."""

    @property
    def is_listed(self) -> bool:
        """Whether readers see the id; the keys of other items may name a scope."""
        if self.kind is Kind.DOCUMENT:
            return self.id.startswith(DOCUMENT_ID)
        return self.kind in (Kind.RECORD, Kind.TOPIC, Kind.EVIDENCE)

    @property
    def label(self) -> str:
        """Kind, ground and action, joined by a space; findings are counted by label."""
        return f"{self.kind} {self.ground} {self.action}"

    def as_json(self) -> list[object]:
        return [*self]

    @classmethod
    def of_json(cls, kept: Sequence[object]) -> "Finding":
        kind, found_id, ground, action, chain = kept
        return cls(
            Kind(str(kind)),
            str(found_id),
            Ground(str(ground)),
            Action(str(action)),
            None if chain is None else tuple(chain),  # type: ignore[arg-type]  # as written
        )


class Stage(StrEnum):
    LISTING = "listing"
    REMOVING = "removing"
    EMPTIED = "emptied"
    CERTIFIED = "certified"
    DONE = "done"


Counts = Mapping[str, int]

MAX_SPELLING_BYTES = 32_000
"""Bytes of the spellings of a job, in UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One version of a job. Timestamps are RFC 3339, in UTC."""

    id: str
    target: Target | None
    """None once the erasure is done: the certificate has a digest in place of names."""
    target_sha256: str
    reason: str
    principal: Principal | None
    """The caller; None once the erasure is done: a scope of the key may name the person."""
    actor_id: str
    owner: str
    """The identity of the caller, who alone may read the job beside `admin` over all scopes."""
    is_dry_run: bool
    started_at: str
    stage: Stage = Stage.LISTING
    walks: int = 0
    """Walks over the table that are complete, the listing included."""
    after: str | None = None
    """The end of the last finished page of the present walk."""
    parts: int = 0
    """Stored lists of findings: a list for each page with findings."""
    first_removed: int = 0
    """The first list of findings that were removed; lists before are of the listing."""
    found: Counts = field(default_factory=dict)
    """The number of findings of the listing, by kind, ground and action, joined by a space."""
    removed: Counts = field(default_factory=dict)
    """The number of removed findings, likewise."""
    in_walk: int = 0
    """Findings of the present walk; of a removing walk without the findings to keep."""
    spellings: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """By spelling of the subject, the number of records and topics of the listing, and whether the
    request confirms the spelling; an empty text stands for spellings beyond MAX_SPELLING_BYTES."""
    unreadable: int = 0
    """Damaged items met in the last walk."""
    refused: tuple[str, ...] = ()
    """Damaged items, and aliases of topics whose history has moved on since the merge."""
    waited_at: str | None = None
    """By when every writer knew the fence; None before."""
    done_at: str | None = None

    @property
    def is_done(self) -> bool:
        return self.stage is Stage.DONE

    def with_part(self, findings: Sequence[Finding]) -> "Job":
        """The job after a page with findings."""
        if not findings:
            return self
        counts = Counter(each.label for each in findings)
        after = replace(self, parts=self.parts + 1, in_walk=self.in_walk + len(findings))
        if self.stage is Stage.LISTING:
            return replace(after, found=dict(Counter(self.found) + counts))
        return replace(after, removed=dict(Counter(self.removed) + counts))

    def with_spellings(self, found: Counts) -> "Job":
        """The job after a page of the listing with records and topics about the subject."""
        counted = dict(self.spellings)
        for each, number in sorted(found.items()):
            size = sum(len(text.encode()) for text in {*counted, each})
            text = each if size <= MAX_SPELLING_BYTES else ""
            before, _ = counted.get(text, (0, 0))
            is_confirmed = self.target is not None and self.target.is_confirmed(text)
            counted[text] = (before + number, int(is_confirmed))
        return replace(self, spellings=counted)

    @property
    def listing_parts(self) -> range:
        """The lists of findings of the listing."""
        is_listing = self.stage is Stage.LISTING or self.is_dry_run
        return range(self.parts if is_listing else self.first_removed)

    @property
    def removal_parts(self) -> range:
        """The lists of findings that were removed."""
        return range(self.first_removed, self.parts)

    def without_names(self) -> "Job":
        """The job at its end, without target and caller; a listing keeps open spellings."""
        is_asking = self.is_dry_run and not all(each for _, each in self.spellings.values())
        return replace(
            self,
            stage=Stage.DONE,
            after=None,
            target=None,
            principal=None,
            refused=(),
            spellings=self.spellings if is_asking else {},
        )

    def as_json(self) -> JsonObject:
        plain = {name: getattr(self, name) for name in self.__slots__}
        if not self.spellings:
            del plain["spellings"]
        return plain | {
            "target": None if self.target is None else self.target.as_json(),
            "principal": None if self.principal is None else self.principal.as_json(),
        }

    @classmethod
    def of_json(cls, kept: JsonObject) -> "Job":
        target, principal = kept["target"], kept["principal"]
        return cls(
            **{
                **kept,
                "target": None if target is None else Target.of_json(target),
                "principal": None if principal is None else principal_of(**principal),
                "stage": Stage(kept["stage"]),
                "refused": tuple(kept["refused"]),
            }
        )


def entry_of(finding: Finding) -> "FindingReply":
    """The entry of a certificate for a record, topic or document."""
    entry: FindingReply = {
        "kind": finding.kind,
        "id": finding.id,
        "ground": finding.ground,
        "action": finding.action,
    }
    if finding.chain is not None:
        count, before, after = finding.chain
        return {**entry, "audit_count": count, "hash_before": before, "hash_after": after}
    return entry


def counts_of(counts: Mapping[str, int]) -> "list[FindingCount]":
    """The counts of findings by kind, ground and action, in a fixed order."""
    return [
        {"kind": Kind(kind), "ground": Ground(ground), "action": Action(action), "count": count}
        for label, count in sorted(counts.items())
        for kind, ground, action in [label.split(" ")]
    ]


def certificate_of(
    job: Job, findings: Iterable[Finding], done_at: str, stays: Sequence[JsonObject]
) -> JsonObject:
    """The unsigned certificate of a job that has removed the findings."""
    counts: Counter[str] = Counter()
    lines = hashlib.sha256()
    entries = 0
    for finding in findings:
        counts[finding.label] += 1
        if finding.is_listed:
            lines.update(canonical_json(entry_of(finding)) + b"\n")
            entries += 1
    target = job.target
    return {
        "erasure": job.id,
        "target": {"kind": "" if target is None else target.kind, "sha256": job.target_sha256},
        "reason": job.reason,
        "requested_by": job.actor_id,
        "requested_at": job.started_at,
        "done_at": done_at,
        "removed": counts_of(counts),
        "entries": entries,
        "entries_sha256": lines.hexdigest(),
        "unreadable": job.unreadable + len(job.refused),
        "stays": list(stays),
    }


def what_stays(retention: Retention, recovery_days: int) -> list[JsonObject]:
    """What stays after an erasure, why, and for how many days at most (null: for good)."""
    tombstone_days, export_days = retention.tombstone.days, retention.export.days
    kept: Sequence[tuple[str, str, int | None]] = (
        ("tombstones", "id, type, instants and hashes of each erased record", tombstone_days),
        ("documents", "id, instants and hashes of each erased keyed document", tombstone_days),
        ("versions", "for a subject: values and items beside expired documents", tombstone_days),
        ("topics", "id, instants and hashes of each erased topic", None),
        ("digests", "SHA-256 of requests in tombstones, for repeats of a request", tombstone_days),
        ("actors", "names of API keys in audit entries", tombstone_days),
        ("messages", "queues: a message sent before the end may be stored when it arrives", 14),
        ("uploads", "values of uploads without a scope, and of writers that died", 2),
        ("stream", "the stream of the table holds each change with the content before", 1),
        ("anchors", "SHA-256 of content in the newest seven anchors; then for", recovery_days),
        ("exports", "a part of an export that is written during the removal", export_days),
        ("backups", "point-in-time recovery of the table holds earlier states", recovery_days),
        ("api_keys", "keys that name the scope; revoke them", None),
        ("certificate", "this certificate, with ids and hashes", None),
    )
    return [{"what": what, "why": why, "days": days} for what, why, days in kept]
