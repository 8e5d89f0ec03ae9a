"""A memory of facts that one key writes and other keys use."""

from dataclasses import dataclass, field
from typing import Any

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.ingest.reports import IngestOutcome
from membrane.domain.language.requests import validate
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ingest.ingest_outcome import ingest_outcome
from membrane.usecases.machinery.calls import Result
from tests.builders.records import ingest
from tests.builders.requests import call, event, standing, written
from tests.worlds.retrieval import Memory, semantic

RIGHTS = ("ingest", "read")
AGENT = principal_of("agent", RIGHTS, ["*"], "hyper")
"""Uses facts that the owner has written; may not revise."""


@dataclass(slots=True)
class CreditWorld:
    """Facts of the owner, and an episode of the agent."""

    memory: Memory = field(default_factory=Memory)
    episode: MemoryRecord = field(init=False)

    def __post_init__(self) -> None:
        self.episode = self.episode_of(AGENT)

    def episode_of(self, principal: Principal) -> MemoryRecord:
        report = event()
        return written(ingest(report, call(report, principal), self.memory.services))

    def fact(self, record_id: str, **fields: Any) -> str:
        """The id of a fact of the owner, which a retrieval finds; it does not fade at first."""
        return self.memory.add(semantic(record_id, **{"salience": 0.5, **fields})).id

    def receipt(self, principal: Principal = AGENT, **asked: Any) -> str:
        """The id of the receipt of a retrieval of facts."""
        answer = self.memory.retrieve(principal, memory_types=["semantic"], **asked)
        assert answer.receipt_id is not None
        return answer.receipt_id

    def ends(
        self,
        status: str = "success",
        principal: Principal = AGENT,
        *,
        key: str | None = None,
        **rests_on: Any,
    ) -> Result:
        """The outcome of the episode."""
        given = {"source": "agent", "target_record_id": self.episode.id, "outcome_status": status}
        outcome = validate(IngestOutcome, {**given, **rests_on})
        return ingest_outcome(outcome, call(outcome, principal, key=key), self.memory.services)

    def stored(self, record_id: str) -> StoredRecord:
        return standing(record_id, self.memory.records)

    def salience(self, record_id: str) -> float:
        """The salience as of now."""
        return self.shown(record_id).salience

    def shown(self, record_id: str) -> MemoryRecord:
        """The record as a reply has it, now."""
        now_s = self.memory.clock().timestamp()
        return self.stored(record_id).as_of(now_s, self.memory.services.policy.custom_curves)
