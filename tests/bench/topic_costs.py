"""What each operation on topics costs: requests and units, as the strictest emulator counts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from membrane.usecases.search.indexing import ChangedSource
from membrane.usecases.topics.indexing import index_topics
from membrane.wiring.world import World
from tests.bench.topics import ASKER, HERE, OWNER, ask, services_over
from tests.builders.stored_records import noise
from tests.fakes.clock import MORNING, counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store

TEXT = 200
"""Characters of a value, which hardly compress."""

STAGED = 150
"""Fields of a request that is more than a transaction takes."""

Reply = Mapping[str, Any]


def topic_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs, of topics with three fields; clock, ids and salts are fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    usual = services_over(store)
    fixed = usual.but(new_id=store.services.new_id, new_salt=counted_salts())
    counter = _Counter(fixed, meter(store.client))
    counter.new()  # from now on the scope is known
    return dict(
        [
            *_of_ingesting(counter),
            *_of_editing(counter),
            *_of_reading(counter),
            *_of_reasoning(counter),
        ]
    )


@dataclass(slots=True)
class _Counter:
    """Asks, and tells what that cost."""

    services: World
    spent: Cost
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10_000)))

    def ask(self, rpc: str, **request: Any) -> Reply:
        """The reply."""
        asker = OWNER if rpc == "ChangeSystemContext" else ASKER
        return ask(rpc, request, asker, self.services)

    def cost(self, do: Callable[[], object]) -> Cost:
        """What it costs to do that."""
        return spent_by(do, self.spent)

    def of(self, rpc: str, **request: Any) -> tuple[str, Cost]:
        """The operation by its name, with its cost."""
        return rpc, self.cost(partial(self.ask, rpc, **request))

    def new(self, title: str = "") -> str:
        """The id of a topic of a title of its own."""
        number = next(self.numbers)
        body = {"title": title or f"topic number {number}", "fields": told(number)}
        return str(self.ask("IngestTopic", placement="new_topic", **body)["topic_id"])

    def indexed(self, *topic_ids: str) -> None:
        """Have them found."""
        index_topics([ChangedSource(each, (HERE,)) for each in topic_ids], self.services)


def told(number: int, fields: int = 3) -> list[dict[str, str]]:
    """Fields that say something else each time."""
    texts = (noise(TEXT + number % 7) for _ in range(fields))
    return [{"name": f"field {place}", "value": text} for place, text in enumerate(texts)]


Named = Iterator[tuple[str, Cost]]


def _of_ingesting(counter: _Counter) -> Named:
    def ingest(name: str, **body: Any) -> tuple[str, Cost]:
        return f"IngestTopic {name}", counter.of("IngestTopic", **body)[1]

    fresh = {"title": "never heard of", "fields": told(1)}
    yield ingest("of a new topic", placement="new_topic", title="a new one", fields=told(2))
    yield ingest("of 3 fields", placement="extend_topic", topic_id=counter.new(), fields=told(3))
    one = {"topic_id": counter.new(), "fields": told(4, 1)}
    yield ingest("of one field", placement="version_field", **one)
    related = [{"to_topic_id": counter.new(), "kind": "knows"}]
    extended = {"placement": "extend_topic", "topic_id": counter.new()}
    yield ingest("of an edge", **extended, edges=related)
    many = {"placement": "new_topic", "title": "many", "fields": _many()}
    yield ingest(f"of {STAGED} fields", **many)
    counter.indexed(*(counter.new() for _ in range(8)))
    yield ingest("that is placed by no title", **fresh)
    yield ingest("that is placed by its title", **{**fresh, "fields": told(5)})


def _many() -> list[dict[str, Any]]:
    return [{"name": f"field {number}", "value": number} for number in range(STAGED)]


def _of_editing(counter: _Counter) -> Named:
    here, other = counter.new(), counter.new()
    edge = {"id": here, "to_topic_id": other, "kind": "knows"}
    at_field = {"id": here, "name": "field 1"}
    yield counter.of("CreateTopic", title="made by an editor")
    yield counter.of("ChangeTopic", id=here, summary="in other words")
    yield counter.of("AppendField", id=here, field_name="field 0", value=noise(TEXT))
    yield counter.of("SetFieldRef", **at_field, ref_topic_id=other)
    yield counter.of("DeleteField", **at_field)
    yield counter.of("AddRelationship", **edge)
    yield counter.of("RemoveRelationship", **edge)
    yield counter.of("NestFields", id=here, field_names=["field 0"], nest_key="group")
    yield counter.of("UnnestFields", id=here, nest_key="group")
    promoted = {"field_names": ["field 0"], "child_title": "child", "child_topic_id": "child"}
    yield counter.of("PromoteFields", id=here, **promoted)
    yield counter.of("UndoPromotion", id=here, child_topic_id="child")
    yield counter.of("DeleteTopic", id=here)
    yield counter.of("RestoreTopic", id=here)
    erasing = partial(ask, "DeleteTopic", {"id": counter.new(), "erase": True}, OWNER)
    yield "DeleteTopic with erase", counter.cost(partial(erasing, counter.services))
    yield counter.of("ChangeSystemContext", system_role="a clerk", runtime_context="an office")


def _of_reading(counter: _Counter) -> Named:
    known = [counter.new() for _ in range(10)]
    counter.indexed(*known)
    yield counter.of("ReadTopic", id=known[0])
    yield counter.of("ReadField", id=known[0], name="field 0")
    yield counter.of("ListTopics", scope=HERE, limit=8)
    yield counter.of("ReadGraph", scope=HERE, limit=8)
    yield counter.of("ReadSystemContext")
    _, all_stages = counter.of("QueryTopics", q=noise(40), top_k=8)
    yield "QueryTopics for 8", all_stages
    _, semantic = counter.of("QueryTopics", q=noise(40), top_k=8, stages=["semantic"])
    yield "QueryTopics for 8 without fields", semantic
    yield "vector of one topic", counter.cost(partial(counter.indexed, counter.new()))


def _of_reasoning(counter: _Counter) -> Named:
    twins = [counter.new("twins"), counter.new("twins")]
    yield "Reason about 2 duplicates", counter.of("Reason", dry_run=False)[1]
    alias = next(each for each in twins if counter.services.topics.load(each).merged)  # type: ignore[union-attr]  # both were just made
    yield counter.of("UnmergeTopic", id=alias)
    yield counter.of("ReadActions")
