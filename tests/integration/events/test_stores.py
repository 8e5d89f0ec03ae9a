"""The stack's own tables and buckets."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.exceptions import ClientError

from membrane_local.dev_options import TEMPLATE
from membrane_local.http.server import TIMEOUT_S
from membrane_local.refusals import StoreRefused
from membrane_local.storage.stores import TABLE, Store, open_store
from membrane_local.template import read_template
from tests.worlds.dynoxide_server import run_server

WITH_VECTORS = read_template(TEMPLATE).table


class Calls:
    """The number of calls on their way at once, at most."""

    def __init__(self) -> None:
        self.most = self.now = 0
        self._changing = threading.Condition()

    def begin(self, **_: object) -> None:
        """Give a second call the time to begin."""
        with self._changing:
            self.now += 1
            self.most = max(self.most, self.now)
            self._changing.notify_all()
            self._changing.wait_for(lambda: self.now > 1, timeout=0.2)

    def end(self, **_: object) -> None:
        with self._changing:
            self.now -= 1


def test_one_call_at_a_time_reaches_moto() -> None:
    calls = Calls()
    with open_store("moto", WITH_VECTORS) as store, ThreadPoolExecutor(4) as threads:
        for name, count in (("request-created", calls.begin), ("response-received", calls.end)):
            store.dynamodb.meta.events.register(name, count)
        scans = [threads.submit(store.dynamodb.scan, TableName=TABLE) for _ in range(4)]
        absent = threads.submit(store.dynamodb.scan, TableName="absent")

    assert len({each.result()["Count"] for each in scans}) == 1
    assert isinstance(absent.exception(), ClientError)
    assert calls.most == 1


def test_opening_a_file_takes_what_a_killed_stack_left_of_an_object(tmp_path: Path) -> None:
    left = tmp_path / "memory.db.blobs" / "partial-x" / "half"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")

    with open_store(str(tmp_path / "memory.db"), read_template(TEMPLATE).table):
        assert not left.parent.exists()


def test_a_store_whose_table_lacks_the_vector_index_is_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.db")
    larger = {"EmbeddingDimensions": "1024", "FormerEmbeddingDimensions": "1024"}
    with open_store(file, read_template(TEMPLATE, larger).table):
        pass

    refused = pytest.raises(StoreRefused, match="has no vector index vectors_")
    with refused, open_store(file, WITH_VECTORS):
        pytest.fail("the store was opened")


@pytest.mark.parametrize("place", [None, "moto", "file"])
def test_a_table_has_the_templates_vector_index_also_when_it_is_opened_again(
    tmp_path: Path, place: str | None
) -> None:
    wanted = [index["IndexName"] for index in WITH_VECTORS["VectorIndexes"]]
    file = str(tmp_path / "memory.db")
    for _ in range(2):
        with open_store(file if place == "file" else place, WITH_VECTORS) as store:
            table: Any = store.dynamodb.describe_table(TableName=TABLE)["Table"]
            assert [index["IndexName"] for index in table["VectorIndexes"]] == wanted


def signatures(store: Store) -> list[str]:
    """The signatures in requests of the store's clients, for the table and for its stream."""
    sent: list[str] = []

    def note(request: AWSPreparedRequest, **_: object) -> None:
        value = request.headers.get("Authorization", b"")
        said = value.decode() if isinstance(value, bytes) else value
        sent.append(said.partition("Signature=")[2])

    for client in (store.dynamodb, store.stream.client):
        client.meta.events.register_last("before-send", note)
    store.empty()
    store.stream.read_next()
    return sent


def test_the_stack_waits_for_a_slow_endpoint_longer_than_a_caller_waits_for_the_stack(
    tmp_path: Path,
) -> None:
    with (
        run_server(None) as endpoint,
        open_store(endpoint, WITH_VECTORS, tmp_path / "blobs") as store,
    ):
        for client in (store.dynamodb, store.stream.client):
            assert client.meta.config.read_timeout > TIMEOUT_S  # type: ignore[attr-defined]  # botocore sets it by name
