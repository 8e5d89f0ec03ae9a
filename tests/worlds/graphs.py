"""A memory with entities and edges, whose graph is retrieved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.graph.requests import RetrieveGraph
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.graph.retrieve_graph import Graph, retrieve_graph
from membrane.usecases.ports.names import Buckets, NamePlace
from tests.builders.requests import OWNER, call, full_record, relation, standing
from tests.fakes.names import FakeNames
from tests.worlds.retrieval import Memory


@dataclass(slots=True)
class NotingNames(FakeNames):
    """Notes the places that are read, a list for each request."""

    read: list[Sequence[NamePlace]] = field(default_factory=list)

    def buckets(
        self, places: Sequence[NamePlace], *, consistent: bool = True
    ) -> Mapping[NamePlace, Buckets]:
        """See DynamoNames."""
        self.read.append(places)
        return FakeNames.buckets(self, places, consistent=consistent)


@dataclass(slots=True)
class GraphMemory(Memory):
    """A memory of entities and of records about entities."""

    names: NotingNames = field(default_factory=NotingNames)

    def __post_init__(self) -> None:
        Memory.__post_init__(self)
        self.records.names = self.names
        self.services = replace(self.services, names=self.names)

    def entity(self, entity_id: str, *names: str, **fields: Any) -> MemoryRecord:
        """An entity of these names, the first of which is canonical; the names are stored."""
        payload = {
            "kind": "entity",
            "canonical_name": names[0],
            "aliases": list(names[1:]),
            **fields.pop("payload", {}),
        }
        level = fields.setdefault("sensitivity", Sensitivity.LOW)
        request = full_record(id=entity_id, type="entity", payload=payload, **fields)
        for name in names:
            self.name(name, entity_id, Sensitivity(level), fields.get("scope") or "")
        return self.add(request)

    def name(self, name: str, entity_id: str, level: Sensitivity, scope: str = "") -> None:
        """Store the name of an entity."""
        place = NamePlace(scope, first_word_of(term_of(name)))
        levels = self.names.stored.setdefault(place, {})
        levels[level] = {**levels.get(level, {}), term_of(name): entity_id}

    def episode(
        self, record_id: str, said: str, *edges: dict[str, Any] | str, **fields: Any
    ) -> MemoryRecord:
        """An episode that says so, with edges; an id alone is of an entity that it mentions."""
        turn = {
            "t": "2026-01-01T00:00:00Z",
            "event_kind": "note",
            "ref": record_id,
            "summary": said,
        }
        relations = [
            relation(each, "mentions_entity") if isinstance(each, str) else each for each in edges
        ]
        payload = {"kind": "episodic", "timeline": [turn]}
        asked = {"id": record_id, "type": "episodic", "payload": payload, "relations": relations}
        self.clock.advance(seconds=1)
        return self.add(full_record(**asked, **fields))

    def crowd(self, entity_id: str, count: int, **fields: Any) -> list[str]:
        """The ids of new records that mention the entity; the search finds none of the records."""
        self.episode("model", "a note", entity_id, **fields)
        model = standing("model", self.records)
        made = [f"c{number}" for number in range(count)]
        for each in made:
            self.clock.advance(seconds=1)
            anchor = model.anchor._replace(born_s=epoch_seconds(self.clock()))
            record = model.record.model_copy(update={"id": each})
            self.records.places[each] = replace(model, record=record, anchor=anchor)
        del self.records.places["model"], self.vectors.kept["model"]
        return made

    def graph(self, principal: Principal = OWNER, **asked: Any) -> Graph:
        """The graph for a task."""
        request = validate(RetrieveGraph, asked)
        return retrieve_graph(request, call(request, principal), self.services)

    def graph_pages(self, principal: Principal = OWNER, **asked: Any) -> list[Graph]:
        """Every page of a graph."""
        pages = [self.graph(principal, **asked)]
        while pages[-1].next_cursor is not None:
            pages.append(self.graph(principal, **asked, cursor=pages[-1].next_cursor))
            assert len(pages) < 500, "no end"
        return pages


def node_ids(graph: Graph) -> list[str]:
    """The ids of the nodes, in order."""
    return [node["record"]["id"] for node in graph.nodes]


def edges_in(graph: Graph) -> list[tuple[str, str, str]]:
    """Source, predicate and target of each edge, in order."""
    return [(each["source_id"], each["predicate"], each["target_id"]) for each in graph.edges]


def path_to(record_id: str, graph: Graph) -> list[tuple[str, str]]:
    """The steps to a node."""
    (path,) = [node["path"] for node in graph.nodes if node["record"]["id"] == record_id]
    return [(step["from_id"], step["predicate"]) for step in path]
