"""Requests and consumed units of each operation, as the strictest emulator counts them."""

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter

from tests.bench import changes, revisions, workload
from tests.bench.figures import Figure
from tests.bench.till import LARGE_VALUE, Till
from tests.bench.workload import REPORTS, report
from tests.builders.stored_records import noise
from tests.fakes.clock import MORNING
from tests.worlds.budgets import (
    CHANGE,
    ENDING,
    FORK,
    GET,
    INGEST,
    MERGE_OF_TWO,
    METRICS,
    PRUNE,
    REPLACING,
    SUPERSEDE,
    SWEEP,
    UNDER_POLICY,
    messages,
)
from tests.worlds.metering import Cost
from tests.worlds.stores import Store, memory_store

BATCH = 10
CONVERSATIONS = (2, 20)
"""Messages in one request."""
CANDIDATES = 200
IDLE_SWEEP = "sweep with nothing due"

WRU_PRICE = 0.625
RRU_PRICE = 0.125
"""US dollars for a million, on demand in us-east-1."""

EXAMINED_PRICE = 0.002
INDEXED_PRICE = 0.52
"""US dollars for a gigabyte that a vector index goes through, or takes."""

LIMITS: Mapping[str, Cost] = {
    **dict.fromkeys(REPORTS, INGEST),
    "IngestRecord": INGEST,
    f"IngestBatch of {BATCH}": Cost(BATCH, BATCH * INGEST.write_units, INGEST.read_units),
    **{f"IngestMessages of {each}": messages(each) for each in CONVERSATIONS},
    "IngestOutcome": CHANGE,
    "RetrieveByID": GET,
    "ReadAudit": GET,
    "Reinforce": CHANGE,
    "Penalize": CHANGE,
    "Pin": CHANGE,
    "Unpin": CHANGE,
    "ChangeLifecycle": CHANGE,
    "DeleteRecord": ENDING,
    "RestoreRecord": CHANGE,
    "Supersede": SUPERSEDE,
    "Fork": FORK,
    "Merge of 2": MERGE_OF_TWO,
    "Retract": ENDING,
    "Contest": CHANGE,
    "Resolve": CHANGE,
    "Reclassify to another sensitivity": CHANGE,
    "IngestObservation under replace": UNDER_POLICY,
    "IngestObservation that replaces a fact": REPLACING,
    "ReadVersions": GET,
    "GetMetrics of one scope": METRICS,
    IDLE_SWEEP: SWEEP,
    "prune of one record": PRUNE,
}
"""Of the operations that the contract names, and of those that do the same to the table."""

PARTS: Mapping[str, Callable[[Cost], float]] = {
    "requests": attrgetter("requests"),
    "WRU": attrgetter("write_units"),
    "RRU": attrgetter("read_units"),
}
"""A cost's parts, by unit."""


def figures() -> Iterator[Figure]:
    """Of each operation, on a small table."""
    yield from figures_of(measured())


def measured() -> Mapping[str, Cost]:
    """What each operation costs on a small table."""
    with memory_store() as store:
        return costs(store)


def figures_of(found: Mapping[str, Cost]) -> Iterator[Figure]:
    """The costs beside their limits."""
    for operation, cost in found.items():
        yield from counted(operation, cost, LIMITS.get(operation))


def counted(name: str, cost: Cost, limit: Cost | None) -> Iterator[Figure]:
    """The three figures of a cost."""
    for unit, part in PARTS.items():
        most = None if limit is None else part(limit)
        yield Figure(f"{name}, {unit}", part(cost), unit, most)


def price(cost: Cost) -> float:
    """US dollars for a million operations of that cost, DynamoDB alone."""
    of_vectors = cost.examined_bytes * EXAMINED_PRICE + cost.indexed_bytes * INDEXED_PRICE
    units = cost.write_units * WRU_PRICE + cost.read_units * RRU_PRICE
    return round(units + of_vectors / 1_000, 3)


def costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs the first time that it touches its record.

    Clock, ids and salts are fixed, so that a table of another size can be compared to the byte.
    """
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    till = Till(store)
    return {
        **_of_ingesting(till),
        **_of_reading(till),
        **_of_changing(till),
        **_of_revising(till),
        **_of_ending(till),
        **_of_retrieving(till),
        "authorizer": till.cost_of_a_key(),
        **_of_talking(till),
    }


def _of_talking(till: Till) -> Mapping[str, Cost]:
    till.cost_of(workload.conversation(1, 1))  # the first registers the decay profile of messages
    return {
        f"IngestMessages of {each}": till.cost_of(workload.conversation(each, 100 * each))
        for each in CONVERSATIONS
    }


def _of_ingesting(till: Till) -> Mapping[str, Cost]:
    found = {rpc: till.cost_of(report(rpc, 1)) for rpc in REPORTS}
    found["IngestRecord"] = till.cost_of(workload.full_record(2))
    found["IngestOutcome"] = till.cost_of(workload.outcome(till.new_episode(3), 4))
    found[f"IngestBatch of {BATCH}"] = till.cost_of(
        workload.batch("IngestEvent", range(10, 10 + BATCH))
    )
    found["OpenUpload"] = till.cost_of(workload.upload(LARGE_VALUE, 20))
    found["IngestToolOutput of an upload"] = till.cost_of(
        workload.report_of_upload(till.new_upload(21), 22)
    )
    return found


def _of_reading(till: Till) -> Mapping[str, Cost]:
    return {
        "RetrieveByID": till.cost_of(workload.read(till.new_episode(5))),
        "ReadAudit": till.cost_of(workload.audit(till.new_episode(6))),
        "PreviewDecay of one type": till.cost_of(workload.preview("competence")),
    }


def _of_retrieving(till: Till) -> Mapping[str, Cost]:
    """From a scope that has as many vectors as a search gives candidates."""
    for start in range(100, 100 + CANDIDATES, BATCH):
        ids = [till.new_episode(number) for number in range(start, start + BATCH)]
        till.index(*ids)
    receipt_id = till.receipt_of(workload.retrieve())  # now the key of cursors is known, too
    found = {
        "vector of one record": till.cost_of_indexing(till.new_episode(400)),
        "GetMetrics of one scope": till.cost_of(revisions.metrics()),
        f"Retrieve for a task from {CANDIDATES} candidates": till.cost_of(
            workload.retrieve(noise(40))
        ),
        "Retrieve without a task": till.cost_of(workload.retrieve()),
        "ListRecords of one scope and type": till.cost_of(workload.most_salient("episodic")),
        "ReadThread": till.cost_of(workload.thread("thread:1")),
    }
    found["ReadReceipt"] = till.cost_of(workload.receipt(receipt_id))
    found["IngestOutcome by a receipt of 10"] = till.cost_of(
        workload.outcome(till.new_episode(401), 402, receipt_id=receipt_id)
    )
    for number in range(500, 511):
        till.new_grave(number)
    found["ListRecords of ten deleted records"] = till.cost_of(workload.removed("deleted"))
    return found


def _of_changing(till: Till) -> Mapping[str, Cost]:
    """After an hour, so that salience has moved."""
    return {
        "Reinforce": till.cost_of(changes.reinforce(till.new_episode(30, hours=1), 40)),
        "Penalize": till.cost_of(changes.penalize(till.new_episode(31, hours=1), 41)),
        "Pin": till.cost_of(changes.pin(till.new_episode(32, hours=1), 42)),
        "Unpin": till.cost_of(changes.unpin(till.new_pinned(33, hours=1), 43)),
        "ChangeLifecycle": till.cost_of(changes.keep(till.new_episode(34, hours=1), 44)),
        "ChangeLifecycle to a new decay profile": till.cost_of(
            changes.slow_down(till.new_episode(35, hours=1), 45)
        ),
    }


def _of_revising(till: Till) -> Mapping[str, Cost]:
    """Of facts; a fact that a predicate's policy looks at is told by its head, too."""
    contested = till.new_fact(80)
    found = {
        "Supersede": till.cost_of(revisions.supersede(till.new_fact(81), 82)),
        "Fork": till.cost_of(revisions.fork(till.new_fact(83), 84)),
        "Merge of 2": till.cost_of(revisions.merge([till.new_fact(85), till.new_fact(86)], 87)),
        "Retract": till.cost_of(revisions.retract(till.new_fact(88), 89)),
        "Contest": till.cost_of(revisions.contest(contested, 90)),
        "Resolve": till.cost_of(revisions.resolve(contested, 91)),
        "Reclassify to another sensitivity": till.cost_of(
            revisions.reclassify(till.new_fact(92), 93)
        ),
        "IngestObservation under replace": till.cost_of(revisions.fact(94, under="replace")),
        "IngestObservation that replaces a fact": till.cost_of(
            revisions.fact(95, about=94, under="replace")
        ),
    }
    return {**found, "ReadVersions": till.cost_of(revisions.versions(contested))}


def _of_ending(till: Till) -> Mapping[str, Cost]:
    found = {
        "DeleteRecord": till.cost_of(changes.delete(till.new_episode(7), 8)),
        "DeleteRecord with erase": till.cost_of(changes.erase(till.new_episode(50), 60)),
        "RestoreRecord": till.cost_of(changes.restore(till.new_grave(51), 61)),
    }
    found[IDLE_SWEEP] = till.cost_of_sweep(pruned=0)
    till.index(till.new_episode(52, hours=10))
    found["prune of one record"] = till.cost_of_sweep(pruned=1) - found[IDLE_SWEEP]
    return found
