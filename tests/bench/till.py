"""What requests and sweeps cost on one store, as its server counts it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from membrane.adapters.aws_lambda.authorizer import authorize
from membrane.adapters.aws_lambda.http.gateway import answer_http
from membrane.adapters.aws_lambda.rows import ROWS
from membrane.domain.access.principals import principal_of
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.access.api_keys import create_key
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.search.indexing import ChangedSource, index_records
from membrane.wiring.world import World
from tests.bench import changes, revisions, workload
from tests.bench.workload import Sent, report
from tests.builders.stored_records import noise
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import counted_salts
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store

LARGE_VALUE = compact_json(noise(1_000_000)).encode()


def swept(services: World, pruned: int) -> None:
    """Sweep to the end; raises where that prunes another number of records, or fails at one."""
    done = sweep_due(services, lambda: False)
    if sum(done.by_type("pruned").values()) != pruned or done.faults or done.failures:
        raise RuntimeError(f"a sweep with {pruned} due ends with {done}")


class Till:
    """Rings up what requests cost."""

    def __init__(self, store: Store) -> None:
        self._clock = store.clock
        self._services = store.services.but(new_salt=counted_salts(), measure=Metrics())
        self._spent = meter(store.client)

    def cost_of(self, sent: Sent) -> Cost:
        """Of a request."""
        return self._rung(lambda: self._answer(sent))

    def cost_of_sweep(self, pruned: int) -> Cost:
        """Of a sweep that prunes so many records."""
        return self._rung(lambda: swept(self._services, pruned))

    def cost_of_indexing(self, record_id: str) -> Cost:
        """Of making the record's vector, as the table's stream has it done."""
        return self._rung(lambda: self.index(record_id))

    def index(self, *record_ids: str) -> None:
        """Make their vectors; raises where that fails for one."""
        changed = [ChangedSource(each, (workload.SCOPE,)) for each in record_ids]
        for failed in index_records(changed, self._services).failed:
            raise failed.error

    def receipt_of(self, sent: Sent) -> str:
        """The id of the receipt of a retrieval."""
        return str(self._answer(sent)["receipt_id"])

    def cost_of_a_key(self) -> Cost:
        """Of finding out who is asking, which API Gateway remembers for 300 seconds."""
        services = self._services
        owner = principal_of("agent", Permission, [workload.SCOPE], "medium")
        new = create_key(
            owner, None, keys=services.keys, now=services.now(), new_secret=lambda: "secret"
        )

        def ask() -> None:
            answer = authorize({"identitySource": [f"Bearer {new.secret}"]}, services)
            if not answer["isAuthorized"]:
                raise RuntimeError("the key is not known")

        return self._rung(ask)

    def new_episode(self, number: int, **ago: float) -> str:
        """The id of a record that nobody has touched, made so long ago."""
        now = self._clock.now
        self._clock.now = now - timedelta(**ago)
        record = self._answer(report("IngestEvent", number))["record"]
        self._clock.now = now
        return str(record["id"])

    def new_fact(self, number: int) -> str:
        """The id of a fact that nobody has touched."""
        return str(self._answer(revisions.fact(number))["record"]["id"])

    def new_pinned(self, number: int, **ago: float) -> str:
        """The id of such a record, pinned now."""
        record_id = self.new_episode(number, **ago)
        self._answer(changes.pin(record_id, number))
        return record_id

    def new_grave(self, number: int) -> str:
        """The id of a record that was deleted."""
        record_id = self.new_episode(number)
        self._answer(changes.delete(record_id, number))
        return record_id

    def new_upload(self, number: int) -> str:
        """The id of a value that nobody has claimed."""
        opened = self._answer(workload.upload(LARGE_VALUE, number))
        name = urlsplit(opened["url"]).path.removeprefix("/")
        self._services.blobs.write(name, LARGE_VALUE)
        return str(opened["upload_id"])

    def _rung(self, act: Callable[[], object]) -> Cost:
        before = replace(self._spent)
        act()
        return self._spent - before

    def _answer(self, sent: Sent) -> Any:
        reply = answer_http(sent.event(), ROWS, self._services)
        if reply["statusCode"] >= 300:
            raise RuntimeError(f"{sent.route} answers {reply}")
        return parse_json(reply["body"]) if "body" in reply else None
