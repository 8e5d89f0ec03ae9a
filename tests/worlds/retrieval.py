"""A memory to retrieve from: a table that the use cases write to, and an index kept up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.language.fields import Part, token_of
from membrane.domain.language.json_text import Body
from membrane.domain.language.requests import validate
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.requests import Retrieve
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.search.indexing import ChangedSource, index_records
from membrane.usecases.search.retrieve import Answer, retrieve
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import (
    OWNER,
    call,
    full_record,
    observation,
    standing,
    written,
)
from tests.fakes.chat_models import Reports
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over, TableRecords


@dataclass
class KeptReceipts(Over):
    """The receipts of a table; `failing` is raised where it is set."""

    kept: list[AnswerReceipt] = field(default_factory=list)
    failing: Exception | None = None

    def keep(self, receipt: AnswerReceipt) -> None:
        """See DynamoReceipts."""
        if self.failing is not None:
            raise self.failing
        self.kept.append(receipt)
        self.inner.keep(receipt)


@dataclass(slots=True)
class Memory:
    """A table in memory with the services of production, whose index a test keeps up."""

    clock: FakeClock = field(default_factory=FakeClock)
    records: TableRecords = field(init=False)
    receipts: KeptReceipts = field(init=False)
    reports: Reports = field(default_factory=Reports)
    services: World = field(init=False)
    asked: list[str] = field(default_factory=list)
    """The name of every request for the table."""

    def __post_init__(self) -> None:
        self.records = TableRecords(self.clock)
        self.receipts = KeptReceipts(self.records.services.receipts)
        self.records.client.meta.events.register("provide-client-params.dynamodb", self._note)
        self.services = make_world(
            records=self.records,
            now=self.clock,
            new_salt=lambda: "5a",
            receipts=self.receipts,
            report=self.reports,
        )

    def add(self, request: Part) -> MemoryRecord:
        """The record that the owner's report or full record becomes, which is indexed."""
        record = self.add_unindexed(request)
        self.index(record.id)
        return record

    def add_unindexed(self, request: Part) -> MemoryRecord:
        """The same, before the index knows."""
        use_case: Any = ingest_record if isinstance(request, IngestRecord) else ingest
        return written(use_case(request, call(request), self.services))

    def index(self, *record_ids: str) -> None:
        """What the stream does after records have changed."""
        changed = [ChangedSource(each, ()) for each in record_ids]
        assert not index_records(changed, self.services).failed

    def requests(self, do: Callable[[], object]) -> list[str]:
        """The names of the requests that something takes."""
        self.asked.clear()
        do()
        return list(self.asked)

    def _note(self, model: Any, **_: object) -> None:
        self.asked.append(model.name)

    def alter(self, record_id: str, **fields: Any) -> None:
        """Change a record behind the back of its indexes."""
        before = standing(record_id, self.records)
        altered = before.record.model_dump(by_alias=True)
        fields["payload"] = {**altered["payload"], **fields.get("payload", {})}
        after = MemoryRecord.model_validate({**altered, **fields})
        self.records.places[record_id] = replace(before, record=after, version=before.version + 1)

    def token(self, record_id: str) -> str:
        """The consistency token of the record's last write."""
        return token_of(record_id, standing(record_id, self.records).version)

    def retrieve(self, principal: Principal = OWNER, **asked: Any) -> Answer:
        """The answer to a retrieval."""
        request = validate(Retrieve, asked)
        return retrieve(request, call(request, principal), self.services)

    def pages(self, principal: Principal = OWNER, **asked: Any) -> list[Answer]:
        """Every page of a retrieval."""
        answers = [self.retrieve(principal, **asked)]
        while answers[-1].next_cursor is not None:
            answers.append(self.retrieve(principal, **asked, cursor=answers[-1].next_cursor))
            assert len(answers) < 500, "no end"
        return answers


def ids(answer: Answer) -> list[str]:
    """Of its records, in order."""
    return ids_in(answer.records)


def ids_in(records: Sequence[Body]) -> list[str]:
    """Of records as a reply shows them."""
    return [record["id"] for record in records]


def all_ids(pages: Sequence[Answer]) -> list[str]:
    """Of the records of every page."""
    return [record_id for page in pages for record_id in ids(page)]


def fact(subject: str, predicate: str = "is", value: Any = "so", **fields: Any) -> Any:
    """A report of a fact."""
    return observation(subject=subject, predicate=predicate, object=value, **fields)


def semantic(record_id: str, **fields: Any) -> IngestRecord:
    """A whole record of a fact; `payload` completes it."""
    payload = {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
        **fields.pop("payload", {}),
    }
    return full_record(id=record_id, type="semantic", payload=payload, **fields)


def skill(record_id: str, name: str = "deploy", **fields: Any) -> IngestRecord:
    """A whole record of a skill; `payload` completes it."""
    payload = {
        "kind": "competence",
        "skill_name": name,
        "triggers": [],
        "recipe": [],
        **fields.pop("payload", {}),
    }
    return full_record(id=record_id, payload=payload, **fields)
