"""CPU of a warm ingest against the same requests made with a bare client."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from tests.bench.artefacts import Artefacts, Request, asked_by
from tests.bench.figures import TIMES, Figure
from tests.bench.processes import INSTALLED, Program, Worker, working
from tests.bench.workload import REPORTS, Sent, outcome, report

LIMIT = 1.25
ROUNDS = 15
CALLS = 60
"""In each round, of the handler and of the client."""


def figures(artefacts: Artefacts, rounds: int = ROUNDS, calls: int = CALLS) -> Iterator[Figure]:
    """For each ingest RPC its ratio to the bare client, and both in microseconds."""
    with working(Program("warm_client", INSTALLED)) as client:
        for rpc in REPORTS:
            sent = [report(rpc, number) for number in range(calls)]
            yield from _compared(rpc, sent, artefacts, client, rounds)
        standing = _item_of(report("IngestEvent", 0), artefacts)
        record_id = standing["pk"]["S"].partition("#")[2]
        sent = [outcome(record_id, number) for number in range(calls)]
        yield from _compared("IngestOutcome", sent, artefacts, client, rounds, standing=standing)


def _item_of(sent: Sent, artefacts: Artefacts) -> Any:
    """The item that a report becomes."""
    with working(artefacts.program("warm_handler", sent.route)) as handler:
        ((_, put),) = asked_by(handler, sent, {})
    return put["Item"]


def _compared(
    rpc: str,
    sent: Sequence[Sent],
    artefacts: Artefacts,
    client: Worker,
    rounds: int,
    *,
    standing: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    replies = {} if standing is None else {"Query": {"Items": [standing], "Count": 1}}
    with working(artefacts.program("warm_handler", sent[0].route)) as handler:
        bare = [[_bare(request) for request in asked_by(handler, each, replies)] for each in sent]
        events = {"events": [each.event() for each in sent], "replies": replies}
        requests = {"rounds": bare, "replies": replies}
        client.ask(requests)
        pairs = [
            (handler.ask(events)["cpu_s"] * 1e6, client.ask(requests)["cpu_s"] * 1e6)
            for _ in range(rounds)
        ]
    baseline = f"bare {' and '.join(_plain(operation) for operation, _ in bare[0])}"
    yield Figure(
        f"warm {rpc}", median(ours / theirs for ours, theirs in pairs), TIMES, LIMIT, baseline
    )
    yield Figure(f"warm {rpc}, CPU", median(ours for ours, _ in pairs), "us")
    yield Figure(f"warm {rpc}, CPU of {baseline}", median(theirs for _, theirs in pairs), "us")


def _bare(request: Request) -> Request:
    """The same item without our conditions; what is no put stays as it is."""
    operation, body = request
    if operation != "PutItem":
        return request
    return operation, {"TableName": body["TableName"], "Item": body["Item"]}


def _plain(operation: str) -> str:
    return {"PutItem": "put_item", "Query": "query", "UpdateItem": "update_item"}[operation]
