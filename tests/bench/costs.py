"""Requests and consumed units of each operation, as the strictest emulator counts them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any
from urllib.parse import urlsplit

from membrane.adapters.aws_lambda.authorizer import authorize
from membrane.adapters.aws_lambda.http import answer_http
from membrane.adapters.aws_lambda.routes import OPERATIONS
from membrane.domain.json_text import compact_json, parse_json
from membrane.domain.trust import principal_of
from membrane.domain.vocabulary import Permission
from membrane.usecases.api_keys import create_key
from membrane_local.storage.dynoxide import running
from tests.bench import workload
from tests.bench.figures import Figure
from tests.bench.workload import REPORTS, Sent, report
from tests.fakes import MORNING, counted_salts
from tests.integration.store.budgets import CHANGE, GET, INGEST
from tests.integration.store.metering import Cost, meter
from tests.integration.store.samples import noise
from tests.integration.store.stores import TableStore, dynoxide_store

BATCH = 10
LARGE_VALUE = compact_json(noise(1_000_000)).encode()

WRU_PRICE = 0.625
RRU_PRICE = 0.125
"""US dollars for a million, on demand in us-east-1."""

LIMITS: Mapping[str, Cost] = {
    **dict.fromkeys(REPORTS, INGEST),
    "IngestRecord": INGEST,
    f"IngestBatch of {BATCH}": Cost(BATCH, BATCH * INGEST.write_units, INGEST.read_units),
    "IngestOutcome": CHANGE,
    "RetrieveByID": GET,
    "ReadAudit": GET,
    "DeleteRecord": CHANGE,
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
    with running(None) as endpoint, dynoxide_store(endpoint) as store:
        for operation, cost in costs(store).items():
            yield from counted(operation, cost, LIMITS.get(operation))


def counted(name: str, cost: Cost, limit: Cost | None) -> Iterator[Figure]:
    """The three figures of a cost."""
    for unit, part in PARTS.items():
        most = None if limit is None else part(limit)
        yield Figure(f"{name}, {unit}", part(cost), unit, most)


def price(cost: Cost) -> float:
    """US dollars for a million operations of that cost, DynamoDB alone."""
    return cost.write_units * WRU_PRICE + cost.read_units * RRU_PRICE


def costs(store: TableStore) -> Mapping[str, Cost]:
    """What each operation costs the first time that it touches its record.

    Clock, ids and salts are fixed, so that a table of another size can be compared to the byte.
    """
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    till = _Till(store)
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
    found["RetrieveByID"] = till.cost_of(workload.read(till.new_episode(5)))
    found["ReadAudit"] = till.cost_of(workload.audit(till.new_episode(6)))
    found["DeleteRecord"] = till.cost_of(workload.delete(till.new_episode(7), 8))
    found["authorizer"] = till.cost_of_a_key()
    return found


class _Till:
    """Rings up what requests cost."""

    def __init__(self, store: TableStore) -> None:
        self._services = replace(store.services, new_salt=counted_salts())
        self._spent = meter(store.client)

    def cost_of(self, sent: Sent) -> Cost:
        before = replace(self._spent)
        self._answer(sent)
        return self._spent - before

    def cost_of_a_key(self) -> Cost:
        """Of finding out who is asking, which API Gateway remembers for 300 seconds."""
        services = self._services
        owner = principal_of("agent", Permission, [workload.SCOPE], "medium")
        new = create_key(
            owner, None, keys=services.keys, now=services.now(), new_secret=lambda: "secret"
        )
        before = replace(self._spent)
        answer = authorize({"identitySource": [f"Bearer {new.secret}"]}, services)
        if not answer["isAuthorized"]:
            raise RuntimeError("the key is not known")
        return self._spent - before

    def new_episode(self, number: int) -> str:
        """The id of a record that nobody has touched."""
        return str(self._answer(report("IngestEvent", number))["record"]["id"])

    def new_upload(self, number: int) -> str:
        """The id of a value that nobody has claimed."""
        opened = self._answer(workload.upload(LARGE_VALUE, number))
        name = urlsplit(opened["url"]).path.removeprefix("/")
        self._services.blobs.put(name, LARGE_VALUE)
        return str(opened["upload_id"])

    def _answer(self, sent: Sent) -> Any:
        reply = answer_http(sent.event(), OPERATIONS, self._services)
        if reply["statusCode"] >= 300:
            raise RuntimeError(f"{sent.route} answers {reply}")
        return parse_json(reply["body"]) if "body" in reply else None
