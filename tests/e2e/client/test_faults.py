"""The client against a running service whose replies get lost, and whose users are many."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import httpx2
import pytest

from membrane_client import AsyncMembrane, Membrane
from membrane_client.value import Value
from tests.e2e.stack import Stack
from tests.worlds.depth import examples


class LosesFirstReplies(httpx2.BaseTransport):
    """Sends every request, and hangs up on the first attempt after the service has answered."""

    def __init__(self) -> None:
        self.inner = httpx2.HTTPTransport()
        self.lost: list[str] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self.inner.handle_request(request)
        key = request.headers.get("idempotency-key", str(request.url))
        if key not in self.lost:
            response.read()
            response.close()
            self.lost.append(key)
            raise httpx2.ReadError("the reply is lost")
        return response

    def close(self) -> None:
        self.inner.close()


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("membrane_client.core.sending.FIRST_DELAY_S", 0.01)


WRITES: dict[str, Callable[[Membrane], Value]] = {
    "remember": lambda client: client.remember("billing", "runs_on", "Lambda"),
    "ingest_event": lambda client: client.ingest_event("build", "15"),
    "ingest_record": lambda client: client.ingest_record(
        {
            "type": "working",
            "sensitivity": "low",
            "payload": {"kind": "working", "thread_id": "t", "state": "planning"},
        }
    ),
    "ingest_batch": lambda client: client.ingest_batch(
        [{"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": "16"}]
    ),
    "add": lambda client: client.add([{"role": "user", "content": "Hello."}], session="s1"),
    "outcome": lambda client: client.outcome(client.ingest_event("build", "15").id, "failure"),
    "a large value": lambda client: client.ingest_tool_output("build", result="x" * 7_000_000),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_whose_reply_was_lost_is_done_once(stack: Stack, write: str) -> None:
    transport = LosesFirstReplies()
    with httpx2.Client(transport=transport) as http_client:
        client = Membrane(stack.url, stack.secret, http_client=http_client)

        WRITES[write](client)

        assert transport.lost
        assert len(list(client.list_records())) == 1


def test_a_record_whose_deletion_was_lost_on_its_way_back_is_forgotten(stack: Stack) -> None:
    with httpx2.Client(transport=LosesFirstReplies()) as http_client:
        client = Membrane(stack.url, stack.secret, http_client=http_client)
        told = client.remember("billing", "runs_on", "Lambda")

        client.forget(told.id, why="asked to")

        assert list(client.list_records()) == []
        assert [entry.rationale for entry in client.read_audit(told.id)].count("asked to") == 1


def test_a_topic_whose_reply_was_lost_is_made_and_told_once(stack: Stack) -> None:
    with httpx2.Client(transport=LosesFirstReplies()) as http_client:
        client = Membrane(stack.url, stack.secret, http_client=http_client)

        made = client.create_topic("Ada", topic_kind="person")
        client.append_field(made.topic_id, "age", 36, why_changed="birthday")

        assert [each.title for each in client.list_topics()] == ["Ada"]
        assert len(client.read_topic(made.topic_id).fields["age"].history) == 1


def test_a_correction_whose_reply_was_lost_says_that_it_was_done_before(stack: Stack) -> None:
    with httpx2.Client(transport=LosesFirstReplies()) as http_client:
        client = Membrane(stack.url, stack.secret, http_client=http_client)
        told = client.remember("billing", "runs_on", "three servers")

        corrected = client.correct(told.id, "Lambda", why="moved")

        assert told.replayed
        assert corrected.replayed
        assert len(client.retrieve(subject="billing", predicate="runs_on")) == 1


class CutsConnections(LosesFirstReplies):
    """Hangs up on three of ten requests, before or after the service has answered."""

    def __init__(self) -> None:
        super().__init__()
        self.random = Random(7)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        chance = self.random.random()
        if chance < 0.1:
            raise httpx2.ConnectError("the connection is cut")
        response = self.inner.handle_request(request)
        if chance < 0.3:
            response.read()
            response.close()
            raise httpx2.ReadError("the reply is lost")
        return response


def test_eight_writers_over_bad_connections_write_every_document_once(
    stack: Stack, memory: Membrane
) -> None:
    at, numbers = ["sessions"], range(48)
    with (
        httpx2.Client(transport=CutsConnections()) as http_client,
        ThreadPoolExecutor(8) as pool,
    ):
        client = Membrane(stack.url, stack.secret, http_client=http_client, max_retries=16)
        list(pool.map(lambda number: client.append_items(at, "s1", [number]), numbers))
        list(pool.map(lambda number: client.put_document(at, "hot", {"n": number}), numbers))
        appended = [each.value for each in memory.get_document(at, "s1", items=99).items]
        removals = pool.map(lambda _: client.delete_document(at, "s1", items=2), range(16))
        taken = [each.value for removal in removals for each in removal.items]

    hot = memory.get_document(at, "hot", history=99)
    left = [each.value for each in memory.get_document(at, "s1", items=99).items]
    put = [hot.value["n"], *(each.value["n"] for each in hot.history)]
    assert sorted(appended) == sorted(put) == [*numbers]
    assert len(taken) == 32
    assert sorted([*taken, *left]) == [*numbers]


def test_tasks_share_a_client(stack: Stack) -> None:
    async def told() -> tuple[set[str], set[str]]:
        async with AsyncMembrane(stack.url, stack.secret) as client:
            writes = (client.ingest_event("build", str(number)) for number in range(50))
            records = await asyncio.gather(*writes)
            return {each.id for each in records}, {each.id async for each in client.get_all()}

    made, listed = asyncio.run(told())

    assert len(made) == 50
    assert made == listed


LOOKS = 40
"""Twenty a second: what was told elsewhere is found within 2 seconds."""

ELSEWHERE = """
import sys, time
from membrane_client import Membrane

url, key, looks = sys.argv[1:]
with Membrane(url, key) as client:
    for line in sys.stdin:
        wanted, question = line.rstrip().split(" ", 1)
        for looked in range(int(looks)):
            if wanted in {each.id for each in client.recall(question, limit=3)}:
                break
            time.sleep(0.05)
        else:
            sys.exit(f"not found: {question}")
        print(wanted, flush=True)
"""


def test_another_process_finds_what_was_just_remembered(stack: Stack, memory: Membrane) -> None:
    looking = subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE, stack.url, stack.secret, str(LOOKS)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with looking:
        assert looking.stdin is not None
        assert looking.stdout is not None
        assert looking.stderr is not None
        for number in range(examples(100)):
            told = memory.remember(f"service-{number}", "listens on port", 8_000 + number)
            looking.stdin.write(f"{told.id} Which port does service-{number} listen on?\n")
            looking.stdin.flush()

            found = looking.stdout.readline().strip()

            assert found == told.id, looking.stderr.read()
        looking.stdin.close()
