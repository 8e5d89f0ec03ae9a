"""CPU of a warm ingest against the same requests made with a bare client (design 10)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.figures import TIMES, Figure
from tests.bench.processes import INSTALLED, Worker, command, environment, worker
from tests.bench.workload import REPORTS, ROOT, Sent, function_of, outcome, report

LIMIT = 1.25
ROUNDS = 15
CALLS = 60
"""In each round, of the handler and of the client."""

Request = tuple[str, Mapping[str, Any]]
"""An operation of DynamoDB's API and its JSON."""


def figures(paths: Sequence[Path], rounds: int = ROUNDS, calls: int = CALLS) -> Iterator[Figure]:
    """For each ingest RPC its ratio to the bare client, and both in microseconds.

    `paths` is where the handlers find their packages.
    """
    with ExitStack() as stack:
        client = stack.enter_context(worker(command("warm_client"), environment((INSTALLED, ROOT))))
        for rpc in REPORTS:
            sent = [report(rpc, number) for number in range(calls)]
            yield from _compared(rpc, sent, paths, client, rounds)
        yield from _outcomes(paths, client, rounds, calls)


def _outcomes(paths: Sequence[Path], client: Worker, rounds: int, calls: int) -> Iterator[Figure]:
    """The handler finds an episode as IngestEvent wrote it."""
    asked = _handler_asks(report("IngestEvent", 0), paths)
    ((_, put),) = asked
    record_id = str(put["Item"]["pk"]["S"]).partition("#")[2]
    sent = [outcome(record_id, number) for number in range(calls)]
    yield from _compared("IngestOutcome", sent, paths, client, rounds, standing=put["Item"])


def _handler_asks(sent: Sent, paths: Sequence[Path]) -> list[Request]:
    with _handler(sent.route, paths) as handler:
        return _asked(handler, sent, {})


def _asked(handler: Worker, sent: Sent, replies: Mapping[str, Any]) -> list[Request]:
    """The requests to DynamoDB that an HTTP request leads to; it must succeed."""
    answer = handler.ask({"events": [sent.event()], "replies": replies})
    if answer["reply"]["statusCode"] >= 300:
        raise RuntimeError(f"{sent.route} answers {answer['reply']}")
    return [(operation, body) for operation, body in answer["asked"]]


def _handler(route: str, paths: Sequence[Path]) -> Any:
    function = function_of(route)
    return worker(
        command("warm_handler", str(function.folder)), environment((*paths, ROOT), function)
    )


def _compared(
    rpc: str,
    sent: Sequence[Sent],
    paths: Sequence[Path],
    client: Worker,
    rounds: int,
    *,
    standing: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    replies = {} if standing is None else {"Query": {"Items": [standing], "Count": 1}}
    with _handler(sent[0].route, paths) as handler:
        bare = [[_bare(request) for request in _asked(handler, each, replies)] for each in sent]
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
