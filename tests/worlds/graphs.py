"""A memory with entities and edges, whose graph is retrieved."""

from dataclasses import dataclass, replace
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.graph.replies import Graph
from membrane.domain.graph.requests import RetrieveGraph
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.graph.retrieve_graph import retrieve_graph
from tests.builders.requests import OWNER, call, full_record, relation, standing
from tests.worlds.retrieval import Memory


@dataclass(slots=True)
class GraphMemory(Memory):
    """A memory of entities and of records about entities."""

    def entity(self, entity_id: str, *names: str, **fields: Any) -> MemoryRecord:
        """An entity of these names, the first of which is canonical."""
        payload = {
            "kind": "entity",
            "canonical_name": names[0],
            "aliases": list(names[1:]),
            **fields.pop("payload", {}),
        }
        fields.setdefault("sensitivity", Sensitivity.LOW)
        return self.add(full_record(id=entity_id, type="entity", payload=payload, **fields))

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
        said = {"t": "2026-01-01T00:00:00Z", "event_kind": "note", "ref": "c", "summary": "a note"}
        about = {"relations": [relation(entity_id, "mentions_entity")]}
        payload = {"kind": "episodic", "timeline": [said]}
        model = self.add_unindexed(
            full_record(id="model", type="episodic", payload=payload, **about, **fields)
        )
        stored = standing(model.id, self.records)
        del self.records.places[model.id]
        made = [f"c{number}" for number in range(count)]
        for each in made:
            self.clock.advance(seconds=1)
            anchor = stored.anchor._replace(born_s=epoch_seconds(self.clock()))
            record = stored.record.model_copy(update={"id": each})
            copied = replace(stored, record=record, anchor=anchor)
            self.services.restores.restore_record(copied, {})
        return made

    def graph(self, principal: Principal = OWNER, **asked: Any) -> Graph:
        """The graph for a task."""
        request = validate(RetrieveGraph, asked)
        return retrieve_graph(request, call(request, principal), self.services)

    def graph_pages(self, principal: Principal = OWNER, **asked: Any) -> list[Graph]:
        """Every page of a graph."""
        pages = [self.graph(principal, **asked)]
        while cursor := pages[-1].get("next_cursor"):
            pages.append(self.graph(principal, **asked, cursor=cursor))
            assert len(pages) < 500, "no end"
        return pages


def node_ids(graph: Graph) -> list[str]:
    """The ids of the nodes, in order."""
    return [node["record"]["id"] for node in graph["nodes"]]


def edges_in(graph: Graph) -> list[tuple[str, str, str]]:
    """Source, predicate and target of each edge, in order."""
    return [(each["source_id"], each["predicate"], each["target_id"]) for each in graph["edges"]]
