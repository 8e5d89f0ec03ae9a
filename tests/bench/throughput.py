"""Requests a second that the local stack answers over HTTP, with one client and with many."""

import http.client
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.bench.figures import Figure
from tests.bench.workload import Sent, report
from tests.e2e.stack import Stack, dev

CLIENTS = (1, 8, 64)
REQUESTS = 640
"""For each number of clients, which share them."""

CREATED = 201


def figures(clients: Sequence[int] = CLIENTS, requests: int = REQUESTS) -> Iterator[Figure]:
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
