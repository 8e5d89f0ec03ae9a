"""What ingesting and querying topics costs as their number grows, in other scopes and in their own.

Elsewhere must not matter at all. In the scope itself requests stay the same, and a search examines
more.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.rows import row_of
from membrane.adapters.messaging import send_json
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.machinery.calls import reply_body
from membrane.usecases.search.indexing import ChangedSource
from membrane.usecases.topics.indexing import index_topics
from membrane.wiring import chance
from membrane.wiring.world import World
from tests.bench.figures import Figure
from tests.bench.retrieval_costs import INDEXED_AT_ONCE, PARTS, Spent, rung, times, words
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import MORNING
from tests.worlds.dynoxide_server import run_server, served_store
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store

Size = tuple[int, int]
"""Topics in another scope, and in the scope that is asked."""

SIZES: Sequence[Size] = ((0, 100), (1_500, 100), (1_500, 1_500), (1_500, 20_000))

HERE, ELSEWHERE = "here", "elsewhere"
ASKER = principal_of("asker", Permission, [HERE], "medium")
OWNER = principal_of("owner", Permission, [ALL_SCOPES], "medium")
"""An admin of all scopes, which the system context is for."""
NEIGHBOUR = principal_of("neighbour", Permission, [ELSEWHERE], "medium")

ROUNDS = 20
WRITERS = 8
TITLE_WORDS, VALUE_WORDS, QUESTION_WORDS = 3, 12, 6
TOP = 8
"""Candidates of a query, as by default."""

QUERY = f"QueryTopics for {TOP}"

Do = Callable[[int], Mapping[str, Any]]
"""The reply to the request of that number."""


def figures(sizes: Sequence[Size] = SIZES, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Of each way to ingest and to query, at each size; sizes only grow."""
    with tempfile.TemporaryDirectory() as folder, run_server(Path(folder) / "table.db") as endpoint:
        shelf = Shelf.of(endpoint)
        spent: dict[tuple[str, Size], Sequence[Spent]] = {}
        for size in sizes:
            shelf.grow(size)
            for way, do in shelf.ways().items():
                numbers = shelf.numbers(rounds + 1)
                spent[way, size] = [rung(partial(do, each), shelf.spent) for each in numbers][1:]
                yield from _costs(way, size, sizes, spent)
                first = _name(way, sizes[0]), spent[way, sizes[0]]
                yield from times(_name(way, size), spent[way, size], first)


@dataclass(slots=True)
class Shelf:
    """A table that is filled from size to size."""

    services: World
    spent: Cost
    elsewhere: int = 0
    here: int = 0
    used: int = 0
    """Requests that were measured so far, so that each is another one."""
    known: Sequence[str] = ()
    """Topics here, by number."""

    @classmethod
    def of(cls, endpoint: str) -> "Shelf":
        """An empty one."""
        store = served_store(endpoint)
        store.clock.now = MORNING
        return cls(services_over(store), meter(store.client))

    def grow(self, size: Size) -> None:
        """Make the topics that are missing."""
        elsewhere, here = size
        self._fill(range(self.elsewhere, elsewhere), NEIGHBOUR)
        made = self._fill(range(self.here, here), ASKER)
        self.known = (*self.known, *made)
        self.elsewhere, self.here = size

    def numbers(self, rounds: int) -> range:
        """Of requests that were not made yet."""
        numbers = range(self.used, self.used + rounds)
        self.used += rounds
        return numbers

    def ways(self) -> Mapping[str, Do]:
        """What is measured."""
        return {
            "IngestTopic of a new topic": self._ingest(lambda each: _titled(each, "new_topic")),
            "IngestTopic of a known topic": self._ingest(
                lambda each: self._at(each, "extend_topic")
            ),
            "IngestTopic of one field": self._ingest(
                lambda each: self._at(each, "version_field"), 1
            ),
            "IngestTopic without a placement, of a known title": self._ingest(self._of_known_title),
            "IngestTopic without a placement, of no known title": self._ingest(_titled),
            QUERY: self._query(),
        }

    def _at(self, number: int, placement: str) -> Mapping[str, Any]:
        return {"placement": placement, "topic_id": self.known[number % len(self.known)]}

    def _of_known_title(self, number: int) -> Mapping[str, Any]:
        return {"title": _title(number % len(self.known), ASKER)}

    def _fill(self, numbers: range, principal: Principal) -> list[str]:
        """The ids of the topics that were made."""
        make = partial(_made, principal=principal, services=self.services)
        with ThreadPoolExecutor(WRITERS) as pool:
            ids = list(pool.map(make, numbers))
        for start in range(0, len(ids), INDEXED_AT_ONCE):
            some = ids[start : start + INDEXED_AT_ONCE]
            index_topics([ChangedSource(each, principal.scopes) for each in some], self.services)
        return ids

    def _ingest(self, placed: Callable[[int], Mapping[str, Any]], fields: int = 3) -> Do:
        def do(number: int) -> Mapping[str, Any]:
            request = {**_observed(-number - 1, fields), **placed(number)}
            return ask("IngestTopic", request, ASKER, self.services)

        return do

    def _query(self) -> Do:
        def do(number: int) -> Mapping[str, Any]:
            request = {"q": words(-number - 1, QUESTION_WORDS), "top_k": TOP}
            reply = ask("QueryTopics", request, ASKER, self.services)
            if not reply["candidates"]:
                raise RuntimeError("a query finds nothing")
            return reply

        return do


def services_over(store: Store) -> World:
    """What functions of topics have over a store."""
    return store.services.but(
        measure=Metrics(),
        new_id=chance.new_id,
        new_salt=chance.new_salt,
        send_to_reasoning=partial(send_json, _unsent, "queue"),
    )


def _made(number: int, principal: Principal, services: World) -> str:
    title = {"placement": "new_topic", "title": _title(number, principal)}
    body = {**title, **_observed(number, 3)}
    return str(ask("IngestTopic", body, principal, services)["topic_id"])


def _titled(number: int, placement: str = "auto") -> Mapping[str, Any]:
    """Of a title that there was never before."""
    return {"placement": placement, "title": _title(-number - 1, ASKER)}


def _title(number: int, principal: Principal) -> str:
    return f"{words(number, TITLE_WORDS)} {number} of {principal.actor_id}"


def _observed(number: int, fields: int) -> Mapping[str, Any]:
    """Fields of the same names in every topic, with texts of their own."""
    texts = [words(number * 10 + field, VALUE_WORDS) for field in range(fields)]
    named = enumerate(texts)
    return {"fields": [{"name": f"field {place}", "value": text} for place, text in named]}


def ask(
    rpc: str, request: Mapping[str, Any], principal: Principal, services: World
) -> Mapping[str, Any]:
    """The body of the reply; raises DomainError."""
    return reply_body(perform(row_of(rpc), dict(request), principal, services))


def _unsent(_queue: str, _body: str, _delay_s: int = 0) -> None:
    """Nobody reinforces or reasons here."""


def _costs(
    way: str, size: Size, sizes: Sequence[Size], spent: Mapping[tuple[str, Size], Sequence[Spent]]
) -> Iterator[Figure]:
    """Means, none above the most that it was with fewer topics: requests, and all of a query.

    Of a query where only other scopes have more. What is ingested grows the topics, and so what it
    is to write to them.
    """
    before = sizes[: sizes.index(size)]
    alike = [at for at in before if at[1] == size[1]] if way == QUERY else []
    for unit, part in PARTS.items():
        fewer = alike or (before if unit == "requests" else [])
        value = _mean(part, spent[way, size])
        most = max(part(each.cost) for each in spent[way, fewer[0]]) if fewer else None
        yield Figure(f"{_name(way, size)}, {unit}", value, unit, most)


def _mean(part: Callable[[Cost], float], spent: Sequence[Spent]) -> float:
    return mean(part(each.cost) for each in spent)


def _name(way: str, size: Size) -> str:
    return f"{way} with {size[1]} topics in its scope and {size[0]} in another"
