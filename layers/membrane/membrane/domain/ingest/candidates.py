"""A report on its way to becoming a record (seed 000, "Candidate Construction")."""

import hashlib
from typing import NamedTuple, TypeVar

from membrane.domain.ingest.reports import IngestOutcome, Report
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import CandidateKind
from membrane.domain.records.records import as_json

Word = TypeVar("Word")


class MemoryCandidate(NamedTuple):
    """What was reported, of which kind, and when it happened (RFC 3339, UTC)."""

    kind: CandidateKind
    report: Report | IngestOutcome
    timestamp: str

    def digest(self) -> str:
        reported = as_json(self.report)
        reported.pop("idempotency_key", None)
        return digest_of({**reported, "kind": self.kind, "timestamp": self.timestamp})


def digest_of(candidate: object) -> str:
    """`sha256:` and the SHA-256 of a JSON value's canonical form."""
    return f"sha256:{hashlib.sha256(canonical_json(candidate)).hexdigest()}"


def present(word: Word | None) -> Word:
    """A word that policy requires; ValueError would mean that nobody asked policy."""
    if word is None:
        raise ValueError("the candidate was not checked")
    return word


def candidate_from(report: Report | IngestOutcome, now: str) -> MemoryCandidate:
    """The candidate of a report; a report without a timestamp happened now."""
    return MemoryCandidate(report.kind, report, _instant(report.timestamp, now))


def _instant(reported: str | None, now: str) -> str:
    return now if reported is None or reported == NOT_GIVEN else reported
