"""A memory to retrieve from: fakes that are written to by the use cases, and an index kept up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import Body
from membrane.domain.language.violations import validate
from membrane.domain.lifecycle.requests import ChangeRequest
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.requests import ListRecords, ReadThread, Retrieve
from membrane.domain.tokens.consistency import token_of
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.records import Incoming
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.search.read_thread import ThreadState, read_thread
from membrane.usecases.search.retrieve import Answer, list_records, retrieve
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    OWNER,
    call,
    change,
    full_record,
    observation,
    standing,
    written,
)
from tests.fakes.clock import FakeClock
from tests.fakes.indexes import FakeRanks
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeAnswers
from tests.fakes.vectors import FakeVectors
from tests.fakes.world import make_reading_services

A_REQUEST = 100
"""Records, or edges, of one request."""

MOST_EDGES = 1_000
"""Edges of one request, where each request reads twice as many as the request before."""


@dataclass(slots=True)
class NotingRecords(FakeRecords):
    """Notes which records are read many at a time, and the requests for them and for edges."""

    loaded: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    """`records` for each batch, and the id of the target for each page of edges."""

    def load_all(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """See DynamoRecords."""
        self.loaded += record_ids
        return FakeRecords.load_all(self, record_ids, whole=whole)

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """See DynamoRecords."""
        self.requests += ["records"] * -(-len(record_ids) // A_REQUEST)
        return FakeRecords.load_each(self, record_ids, whole=whole)

    def incoming(
        self, target_id: str, *, before: tuple[float, str] | None = None, growing: bool = False
    ) -> Iterator[Incoming]:
        """See DynamoRecords."""
        edges = FakeRecords.incoming(self, target_id, before=before)
        self.requests.append(target_id)
        size = end = A_REQUEST
        for number, edge in enumerate(edges):
            if number == end:
                self.requests.append(target_id)
                size = min(2 * size, MOST_EDGES) if growing else size
                end += size
            yield edge


@dataclass(slots=True)
class Memory:
    """A world of fakes."""

    clock: FakeClock = field(default_factory=FakeClock)
    records: NotingRecords = field(init=False)
    receipts: FakeAnswers = field(init=False)
    vectors: FakeVectors = field(init=False)
    reports: Reports = field(default_factory=Reports)
    services: ReadingServices = field(init=False)

    def __post_init__(self) -> None:
        self.records = NotingRecords(self.clock)
        self.receipts = FakeAnswers(self.clock)
        self.vectors = FakeVectors(
            now=self.clock, ended=self.records.ended, superseded=self.records.superseded
        )
        self.services = make_reading_services(
            records=self.records,
            vectors=self.vectors,
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

    def revise(self, asked: ChangeRequest) -> MemoryRecord:
        """The record after the owner's revision, which is indexed, as are those it replaces."""
        record = written(change(asked, self.services))
        self.index(
            record.id, *{each.target_id for each in record.relations} & self.records.stale.keys()
        )
        return record

    def index(self, *record_ids: str) -> None:
        """What the stream does after records have changed."""
        places = [self.records.places[each] for each in record_ids]
        held = [each for each in places if isinstance(each, AnyRecord)]
        changed = [ChangedSource(each.id, (each.scope,)) for each in held]
        assert not index_records(changed, self.services).failed

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

    def listed(self, principal: Principal = OWNER, **asked: Any) -> Answer:
        """The same of a list."""
        request = validate(ListRecords, asked)
        return list_records(request, call(request, principal), self.services)

    def thread(self, thread_id: str, principal: Principal = OWNER, **asked: Any) -> ThreadState:
        """The state of a thread."""
        request = validate(ReadThread, {"thread_id": thread_id, **asked})
        return read_thread(request, call(request, principal), self.services)

    def pages(self, principal: Principal = OWNER, **asked: Any) -> list[Answer]:
        """Every page of a retrieval."""
        answers = [self.retrieve(principal, **asked)]
        while answers[-1].next_cursor is not None:
            answers.append(self.retrieve(principal, **asked, cursor=answers[-1].next_cursor))
            assert len(answers) < 500, "no end"
        return answers


def pages_of_list(memory: Memory, **asked: Any) -> list[Answer]:
    """Every page of a list."""
    answers = [memory.listed(**asked)]
    while answers[-1].next_cursor is not None:
        answers.append(memory.listed(**asked, cursor=answers[-1].next_cursor))
        assert len(answers) < 500, "no end"
    return answers


def as_it_stands(memory: Memory) -> FakeRanks:
    """A rank index that will not learn of what is written from now on."""
    then = FakeRecords(memory.clock)
    then.places |= memory.records.places
    then.classes |= memory.records.classes
    return FakeRanks(then)


def receipt_of(answer: Answer, memory: Memory) -> AnswerReceipt:
    """Why the answer is so."""
    assert answer.receipt_id is not None
    found = memory.receipts.find(answer.receipt_id)
    assert found is not None
    return found


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
