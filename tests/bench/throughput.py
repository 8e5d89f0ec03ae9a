"""Requests a second that the local stack answers over HTTP, and events that it takes in batches.

Events count twice: when they are acknowledged, and when search finds all of them.
"""

import http.client
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, cycle, islice

from tests.bench.figures import Figure
from tests.bench.question_sets import CONVERSATIONS
from tests.bench.workload import Sent, report
from tests.e2e.stack import Stack, dev

CLIENTS = (1, 8, 64)
REQUESTS = 640
"""For each number of clients, which share them."""

BATCHES = 8
BATCH = 100
WORDS = {"30 words": 30, "1 KB": 180}
"""What the text of an event has; a word and a space take 5.5 bytes of these conversations."""

LEAST: Mapping[str, tuple[float, float]] = {"30 words": (250, 60)}
"""Events a second that must be acknowledged, and searchable, on two cores that do nothing else."""

MANY = 20_000
RECALLS = 200
LONGEST_S, LARGEST_MB = 0.15, 600
"""The median retrieval, and the process's memory, beside that many events on a quiet machine."""

OK, CREATED = 200, 201


def figures(
    clients: Sequence[int] = CLIENTS,
    requests: int = REQUESTS,
    batches: int = BATCHES,
    batch: int = BATCH,
) -> Iterator[Figure]:
    """Of single requests, then of batches."""
    yield from single(clients, requests)
    for size, words in WORDS.items():
        yield from in_batches(size, words, batches, batch)


def in_batches(size: str, words: int, batches: int, batch: int) -> Iterator[Figure]:
    """Batches one after the other, over a table in a file; every event must become a record."""
    items = events(words)
    with tempfile.TemporaryDirectory() as folder, dev("--store", f"{folder}/table.db") as stack:
        take(stack, [*islice(items, batch)])
        wait_until_searchable(stack)
        began_s = time.perf_counter()
        for _ in range(batches):
            take(stack, [*islice(items, batch)])
        acknowledged_s = time.perf_counter() - began_s
        wait_until_searchable(stack)
        searchable_s = time.perf_counter() - began_s
    yield from rates(size, batches, batch, acknowledged_s, searchable_s)


def rates(
    size: str, batches: int, batch: int, acknowledged_s: float, searchable_s: float
) -> Iterator[Figure]:
    """Events a second, from the seconds until all of them were acknowledged, and searchable."""
    taken_s = {"acknowledged": acknowledged_s, "searchable": searchable_s}
    for (state, in_s), least in zip(taken_s.items(), LEAST.get(size, (None, None)), strict=True):
        name = f"local stack, batches of {batch} events of {size}, {state}"
        yield Figure(name, batches * batch / in_s, "events/s", least=least)


def events(words: int) -> Iterator[Mapping[str, str]]:
    """Items of a batch, whose texts go on in the words of conversations, again and again."""
    said = json.loads(CONVERSATIONS.read_text())["records"]
    spoken = cycle(chain.from_iterable(each["summary"].split() for each in said))
    event = {"rpc": "IngestEvent", "source": "ci", "event_kind": "message", "scope": "bench"}
    while True:
        yield {**event, "ref": "message:1", "summary": " ".join(islice(spoken, words))}


def take(stack: Stack, items: Sequence[Mapping[str, str]]) -> None:
    """Send the items in one request."""
    status, body = stack.call("POST", "/v1/ingest/batch", {"items": items})
    assert status == OK, body
    assert {entry["status"] for entry in body["results"]} == {CREATED}


def wait_until_searchable(stack: Stack) -> None:
    """Wait until all that was written was indexed."""
    while stack.call("GET", "/_dev/queues?wait")[0] != OK:
        pass


def large_figures(many: int = MANY, recalls: int = RECALLS) -> Iterator[Figure]:
    """Retrievals beside many events of 30 words, with the table in memory and in a file."""
    with tempfile.TemporaryDirectory() as folder:
        for store, options in {"in memory": (), "in a file": ("--store", f"{folder}/t.db")}.items():
            with dev(*options) as stack:
                yield from beside(stack, store, many, recalls)


def beside(stack: Stack, store: str, many: int, recalls: int) -> Iterator[Figure]:
    """The median time of a retrieval, and the memory that the process takes after the last."""
    items = events(30)
    for _ in range(many // BATCH):
        take(stack, [*islice(items, BATCH)])
    wait_until_searchable(stack)
    taken_s = []
    for item in islice(items, recalls):
        began_s = time.perf_counter()
        status, _ = stack.call("POST", "/v1/retrieve", {"task_descriptor": item["summary"]})
        taken_s.append(time.perf_counter() - began_s)
        assert status == OK
    shown = ["ps", "-o", "rss=", "-p", str(stack.process.pid)]
    taken_kib = int(subprocess.run(shown, capture_output=True, text=True, check=True).stdout)
    name = f"local stack, {many} events {store}"
    yield Figure(f"{name}, median retrieval", statistics.median(taken_s), "s", LONGEST_S)
    yield Figure(f"{name}, memory", taken_kib / 1024, "MiB", LARGEST_MB)


def single(clients: Sequence[int], requests: int) -> Iterator[Figure]:
    """Over a table in a file; every report must become a record."""
    with tempfile.TemporaryDirectory() as folder, dev("--store", f"{folder}/table.db") as stack:
        answer_all(stack, [report("IngestEvent", 0)])
        first = 1
        for count in clients:
            sent = [report("IngestEvent", number) for number in range(first, first + requests)]
            first += requests
            shares = [sent[start::count] for start in range(count)]
            began_s = time.perf_counter()
            with ThreadPoolExecutor(count) as pool:
                failures = sum(pool.map(lambda share: answer_all(stack, share), shares))
            taken_s = time.perf_counter() - began_s
            name = f"local stack, {count} client{'s' * (count > 1)}"
            yield Figure(name, requests / taken_s, "requests/s")
            yield Figure(f"{name}, errors", failures, "requests", 0)


def answer_all(stack: Stack, sent: Sequence[Sent]) -> int:
    """Send the requests over one connection; how many of them made no record."""
    connection = http.client.HTTPConnection(*stack.address, timeout=60)
    try:
        return sum(not _creates(connection, stack, each) for each in sent)
    finally:
        connection.close()


def _creates(connection: http.client.HTTPConnection, stack: Stack, sent: Sent) -> bool:
    headers = {
        "authorization": f"Bearer {stack.secret}",
        "content-type": "application/json",
        "idempotency-key": sent.key,
    }
    connection.request(sent.method, sent.path, json.dumps(sent.body), headers)
    with connection.getresponse() as reply:
        reply.read()
        return reply.status == CREATED
