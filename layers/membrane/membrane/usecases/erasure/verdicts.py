"""What an erasure does with each item of a page of the walk.

An erasure reaches only what the caller may write. A record rests on evidence that the erasure has
erased already: the chain of records that rest on each other goes link by link, walk by walk. A
listing looks one link ahead.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

from membrane.domain.access.principals import Principal
from membrane.domain.documents.model import Document
from membrane.domain.erasure import targets
from membrane.domain.erasure.jobs import Counts, Finding, Job, Stage
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records import evidence
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.erasure.condemned import (
    GROUNDS,
    absorbed_in,
    evidence_beside,
    finding_of,
    ground_of,
    is_evidence_erased,
    is_finished,
    is_record_condemned,
    may_be_exported,
    may_write,
    may_write_all,
    names_of_document,
    selection_of,
    surviving_captures,
    thread_in,
    was_erased_by,
)
from membrane.usecases.machinery.calls import TRANSIENT, load_undamaged
from membrane.usecases.ports.erasure import Trace
from membrane.usecases.ports.world import World
from membrane.usecases.revision.evidence import without_traces

Loaded = TypeVar("Loaded")


def findings_of(
    traces: Sequence[Trace], job: Job, world: World
) -> tuple[list[Finding], int, Counts]:
    """The findings among the traces, and the number of damaged records and topics in reach.

    With the number of records and topics about the subject, by spelling.
    """
    if job.target is None or job.principal is None:
        return [], 0, {}
    verdicts = _Verdicts(job, job.target, job.principal, world)
    verdicts.load(traces)
    found = {(each.kind, each.id): each for trace in traces for each in verdicts.findings_of(trace)}
    spellings = Counter(chain.from_iterable(map(verdicts.spellings_of, found.values())))
    return [*found.values()], sum(map(verdicts.is_damaged, traces)), spellings


@dataclass(slots=True)
class _Verdicts:
    """Verdicts about the records and topics of a page, and about the records that they name."""

    job: Job
    target: targets.Target
    principal: Principal
    world: World
    records: dict[str, AnyRecord | None] = field(default_factory=dict)
    """Records by id; None for an id without a record."""
    topics: dict[str, Topic | None] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    stated: dict[tuple[str, frozenset[str]], bool] = field(default_factory=dict)
    """Whether other evidence is left, by id and evidence that is gone: of a fact, captures that the
    fact does not list; of a skill or plan, enough traces."""
    damaged: set[str] = field(default_factory=set)
    """The ids of damaged records, topics and documents."""

    def load(self, traces: Sequence[Trace]) -> None:
        """Load the records and topics of the page, and those that other items name."""
        self._load_records(each.id for each in traces if each.kind is targets.Kind.RECORD)
        living = [held.record for held in self.records.values() if isinstance(held, StoredRecord)]
        self._load_records(ref for record in living for ref in evidence.evidence_of(record))
        self._load_records(each for held in self.records.values() for each in absorbed_in(held))
        named = [name for each in traces for name in each.names]
        self._load_records(named)
        self._load_topics(each.id for each in traces if each.kind is targets.Kind.TOPIC)
        self._load_topics(name for name in named if self.records.get(name) is None)
        aliases = [each for each in self.topics.values() if each is not None]
        self._load_topics(each.merged.into for each in aliases if each.merged is not None)

    def is_damaged(self, trace: Trace) -> bool:
        """Whether the item is a damaged record or topic that may be of the target."""
        if trace.id not in self.damaged:
            return False
        return self.target.kind is not targets.TargetKind.SCOPE or trace.scope == self.target.scope

    def spellings_of(self, finding: Finding) -> frozenset[str]:
        """The spellings of the subject by which a record or topic is about the subject."""
        if finding.ground is not targets.Ground.IS_ABOUT:
            return frozenset()
        match finding.kind:
            case targets.Kind.RECORD:
                held = self.records.get(finding.id)
                names = targets.names_of(held.record) if isinstance(held, StoredRecord) else ()
            case targets.Kind.TOPIC:
                topic = self.topics.get(finding.id)
                names = () if topic is None else (topic.title,)
            case targets.Kind.DOCUMENT if finding.id in self.documents:
                names = names_of_document(self.documents[finding.id])
            case _:
                names = ()
        return self.target.spellings_among(names)

    def findings_of(self, trace: Trace) -> Iterator[Finding]:
        match trace.kind:
            case targets.Kind.RECORD:
                yield from self._of_record(trace.id)
            case targets.Kind.TOPIC:
                yield from self._of_topic(trace.id)
            case targets.Kind.ENTITY_NAMES:
                yield from self._of_names(trace)
            case targets.Kind.EXPORT:
                if may_be_exported(self.target, self.principal, selection_of(trace.scopes)):
                    yield Finding(
                        trace.kind, trace.id, GROUNDS[self.target.kind], targets.Action.REMOVE
                    )
            case targets.Kind.DOCUMENT if trace.id.startswith(targets.DOCUMENT_ID):
                yield from self._of_document(trace)
            case _:
                ground = self._ground_of_other(trace)
                if ground is not None:
                    yield Finding(trace.kind, trace.id, ground, targets.Action.REMOVE)

    def _of_record(self, record_id: str) -> Iterator[Finding]:
        held = self.records.get(record_id)
        if held is None or is_finished(held, self.job.id, self.target):
            return
        if not may_write(held, self.principal):
            yield from self._of_learned_across(held)
            return
        ground = ground_of(held, self.target) or self._ground_in_evidence(held)
        if ground is not None:
            yield Finding(targets.Kind.RECORD, record_id, ground, targets.Action.ERASE)
            yield from self._thread_of(held)
            yield from self._absorbed_by(held, ground)
        elif isinstance(held, StoredRecord):
            yield from self._of_survivor(held)

    def _of_learned_across(self, held: AnyRecord) -> Iterator[Finding]:
        """The unscoped skill or plan of erased traces, though the caller may not write either."""
        if not isinstance(held, StoredRecord) or held.scope or not evidence.is_learned(held.record):
            return
        ground = self._ground_in_evidence(held)
        if ground is not None:
            yield Finding(targets.Kind.RECORD, held.id, ground, targets.Action.ERASE)
        else:
            yield from self._rewritten(held)

    def _of_survivor(self, stored: StoredRecord) -> Iterator[Finding]:
        """The subject in a record that stays, and references to erased evidence."""
        record = stored.record
        if self.target.ground_in_record(record) is targets.Ground.MENTIONS:
            ground = self.target.ground_to_keep(targets.names_of(record))
            yield Finding(targets.Kind.RECORD, record.id, ground, targets.Action.KEEP)
        yield from self._rewritten(stored)

    def _rewritten(self, stored: StoredRecord) -> Iterator[Finding]:
        """The references to erased evidence in a record that does not go in this walk."""
        record = stored.record
        gone = self._erased_evidence(record)
        if stored.tombstone is not None or evidence.without_evidence(record, gone) == record:
            return
        if not self._rests_on(record, self._evidence_of_this_walk(record)):
            yield Finding(
                targets.Kind.EVIDENCE, record.id, targets.Ground.RESTS_ON, targets.Action.REWRITE
            )

    def _thread_of(self, held: AnyRecord) -> Iterator[Finding]:
        """The head of the thread of a message, if the whole scope goes."""
        if self.target.kind is not targets.TargetKind.SCOPE or not isinstance(held, StoredRecord):
            return
        thread_id = thread_in(held.record)
        if thread_id:
            head = self.world.erasures.thread_head(held.scope, thread_id)
            yield Finding(targets.Kind.HEAD, head, targets.Ground.IS_OF, targets.Action.REMOVE)

    def _absorbed_by(self, held: AnyRecord, ground: targets.Ground) -> Iterator[Finding]:
        """The entities absorbed by an entity without a ground of its own: all are one thing."""
        one_thing = {held.id, *absorbed_in(held)}
        for each in absorbed_in(held):
            other = self.records.get(each)
            if not isinstance(other, StoredRecord) or is_record_condemned(other, self.job):
                continue
            if may_write(other, self.principal) and successor_of(other.record.payload) in one_thing:
                yield Finding(targets.Kind.RECORD, other.id, ground, targets.Action.ERASE)

    def _of_topic(self, topic_id: str) -> Iterator[Finding]:
        topic = self.topics.get(topic_id)
        if topic is None or not may_write(topic, self.principal) or self._goes_with_keeper(topic):
            return
        ground = self.target.ground_of_topic(topic)
        if topic.status is TopicStatus.ERASED and ground is not targets.Ground.IS_OF:
            return
        if ground is not None:
            is_kept = ground is targets.Ground.MENTIONS
            ground = self.target.ground_to_keep([topic.title]) if is_kept else ground
            action = targets.Action.KEEP if is_kept else targets.Action.ERASE
            yield Finding(targets.Kind.TOPIC, topic_id, ground, action)

    def _of_names(self, trace: Trace) -> Iterator[Finding]:
        """All names of an erased scope; else the names that lead to erased entities."""
        if self.target.kind is targets.TargetKind.SCOPE and trace.scope == self.target.scope:
            yield Finding(trace.kind, trace.id, targets.Ground.IS_OF, targets.Action.REMOVE)
        elif self._records_among(trace.names, self._is_erased_evidence):
            yield Finding(trace.kind, trace.id, targets.Ground.RESTS_ON, targets.Action.REWRITE)

    def _of_document(self, trace: Trace) -> Iterator[Finding]:
        """A document; or, found by the place alone, what a write or TTL has left without a head."""
        if trace.document is None:
            ground = self._ground_of_other(trace)
            # Nothing tells the sensitivity.
            if ground is not None and self.principal.ceiling is Sensitivity.HYPER:
                yield Finding(targets.Kind.DOCUMENT, trace.id, ground, targets.Action.ERASE)
            return
        self.documents[trace.id] = trace.document
        try:
            found = finding_of(trace.document, self.job, self.target, self.principal, self.world)
        except TRANSIENT:
            raise
        except Exception:  # noqa: BLE001 - one damaged item must not keep back the others
            self.damaged.add(trace.id)
        else:
            yield from () if found is None else (found,)

    def _ground_of_other(self, trace: Trace) -> targets.Ground | None:
        """The ground to remove an item that is neither record nor topic."""
        is_of_scope = self.target.kind is targets.TargetKind.SCOPE and self.target.scope in (
            trace.scope,
            *trace.scopes,
        )
        if is_of_scope:
            return targets.Ground.IS_OF
        if trace.place is not None and may_write_all([trace.place.scope], self.principal):
            return self.target.ground_of_place(trace.place)
        if self.target.is_mentioned_in(trace.text) and may_write_all(trace.scopes, self.principal):
            return targets.Ground.IS_ABOUT
        condemned = [self._is_condemned(name) for name in trace.names]
        enough = all if trace.kind is targets.Kind.HEAD else any
        return targets.Ground.RESTS_ON if condemned and enough(condemned) else None

    def _is_condemned(self, name: str) -> bool:
        held = self.records.get(name)
        if held is not None:
            return is_record_condemned(held, self.job)
        topic = self.topics.get(name)
        return topic is not None and self._is_topic_condemned(topic)

    def _is_topic_condemned(self, topic: Topic) -> bool:
        if was_erased_by(topic, self.job):
            return True
        ground = self.target.ground_of_topic(topic)
        return may_write(topic, self.principal) and ground not in (None, targets.Ground.MENTIONS)

    def _ground_in_evidence(self, held: AnyRecord) -> targets.Ground | None:
        """RESTS_ON for a record with no grounds but erased records."""
        if not isinstance(held, StoredRecord):
            return None
        gone = self._erased_evidence(held.record)
        if held.tombstone is not None and evidence.is_learned(held.record) and gone:
            return (
                targets.Ground.RESTS_ON
            )  # a deleted skill is not learned again, and could be restored
        rests_on = self._rests_on(held.record, gone)
        return targets.Ground.RESTS_ON if rests_on else None

    def _rests_on(self, record: MemoryRecord, gone: frozenset[str]) -> bool:
        """Whether nothing supports the record without the evidence that is gone."""
        is_relearned = evidence.is_learned(record) and bool(gone)
        if not is_relearned and not evidence.is_without_ground(record, gone):
            return False
        key = (record.id, gone)
        if key not in self.stated:
            if is_relearned:
                self.stated[key] = without_traces(record, gone, self.world, erase=True) is not None
            else:
                self.stated[key] = bool(surviving_captures(record, gone, self.job, self.world))
        return not self.stated[key]

    def _erased_evidence(self, record: MemoryRecord) -> frozenset[str]:
        """The evidence that the job has erased; in a listing, that the job would erase."""
        return self._records_among(evidence_beside(record), self._is_erased_evidence)

    def _evidence_of_this_walk(self, record: MemoryRecord) -> frozenset[str]:
        """The evidence that the job has erased, or will have erased at the end of the walk."""
        found = self._records_among(
            evidence_beside(record), lambda held: is_record_condemned(held, self.job)
        )
        return found - {*self.job.refused}

    def _records_among(
        self, ids: Iterable[str], is_wanted: Callable[[AnyRecord], bool]
    ) -> frozenset[str]:
        found = ((each, self.records.get(each)) for each in ids)
        return frozenset(each for each, held in found if held is not None and is_wanted(held))

    def _is_erased_evidence(self, held: AnyRecord) -> bool:
        """Whether the record is erased; in a listing, whether the job would erase the record."""
        if self.job.stage is Stage.LISTING:
            return is_record_condemned(held, self.job)
        return is_evidence_erased(held, self.job)

    def _goes_with_keeper(self, topic: Topic) -> bool:
        """Whether the topic is an alias of a topic that the erasure erases with its aliases."""
        return topic.merged is not None and self._is_condemned(topic.merged.into)

    def _load_records(self, ids: Iterable[str]) -> None:
        possible = filter(RECORD_ID.fullmatch, ids)
        self._load_into(self.records, possible, self.world.records.load_each)

    def _load_topics(self, ids: Iterable[str]) -> None:
        self._load_into(self.topics, ids, self.world.topics.load_all)

    def _load_into(
        self,
        known: dict[str, Loaded | None],
        ids: Iterable[str],
        load_all: Callable[[Sequence[str]], Mapping[str, Loaded]],
    ) -> None:
        wanted = [each for each in dict.fromkeys(ids) if each not in known]
        if wanted:
            found, damaged = load_undamaged(wanted, load_all)
            self.damaged.update(damaged)
            known |= {each: found.get(each) for each in wanted}
