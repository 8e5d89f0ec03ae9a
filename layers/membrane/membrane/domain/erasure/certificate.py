"""The certificate of an erasure: what was removed, without a word of the content.

The signature covers the canonical JSON of the certificate. The certificate covers the entries by
the SHA-256 of their lines: each entry as canonical JSON, with a line feed at its end.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from membrane.domain.erasure.jobs import Action, Finding, Job, Kind
from membrane.domain.erasure.targets import Ground
from membrane.domain.language.json_text import JsonObject, canonical_json
from membrane.domain.lifecycle.pruning import Retention

if TYPE_CHECKING:
    from membrane.domain.erasure.replies import FindingCount, FindingReply


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
        ("versions", "for a subject: former values of documents that had expired", tombstone_days),
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
