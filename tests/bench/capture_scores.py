"""What captures found, compared with the findings of a careful reader."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from membrane.domain.records.evidence import (
    DERIVED_SEMANTIC,
    OBJECT_ENTITY,
    REFERENCES_RECORD,
    SUBJECT_ENTITY,
)
from tests.bench.capture_sets import Capture, EntityKey, ExpectedFact, ExpectedMention, Value
from tests.bench.tallies import Findings, Tally

FIRST = 10
"""Places of an answer that are looked at."""

JsonObject = Mapping[str, Any]


class Edge(NamedTuple):
    """An edge of a reply, without weight and time."""

    source: str
    predicate: str
    target: str


@dataclass(slots=True)
class Reader:
    """Reads the replies to captures in the order of time, and remembers whose ids are whose."""

    entities: dict[str, str] = field(default_factory=dict)
    """Ids by the set's keys: of prior entities, and of entities that the captures made."""
    captures: dict[str, str] = field(default_factory=dict)
    """Ids of primary records by the set's keys."""
    derived: dict[str, AbstractSet[str]] = field(default_factory=dict)
    """Ids of the facts of each capture, by the capture's key."""
    facts: dict[str, JsonObject] = field(default_factory=dict)
    """Payloads of facts by id, also of facts that an earlier capture made."""
    edges: set[Edge] = field(default_factory=set)

    def read(self, capture: Capture, reply: JsonObject) -> Findings:
        """Compare the reply of `POST /v1/capture` with what is expected of the capture."""
        primary = reply["primary_record"]
        self.captures[capture.key] = primary["id"]
        self._remember(reply)
        self.derived[capture.key] = self._targets(primary["id"], DERIVED_SEMANTIC)
        return Findings(
            self._mentions(capture, primary.get("interpretation", {}).get("mentions", [])),
            self._links(capture, self._targets(primary["id"], REFERENCES_RECORD)),
            self._facts(capture, self.derived[capture.key]),
        )

    def absent(self, evidence: Sequence[str], answer: Sequence[str]) -> Sequence[str]:
        """The keys of the captures that are not among the first ids of the answer.

        A capture is there with its record, or with a fact that the capture states.
        """
        first = set(answer[:FIRST])
        return [key for key in evidence if not first & {self.captures[key], *self.derived[key]}]

    def _remember(self, reply: JsonObject) -> None:
        self.edges |= {
            Edge(each["source_id"], each["predicate"], each["target_id"]) for each in reply["edges"]
        }
        self.facts |= {
            record["id"]: record["payload"]
            for record in reply["created_records"]
            if record["type"] == "semantic"
        }

    def _targets(self, source: str, predicate: str) -> AbstractSet[str]:
        """The other ends of the edges of that source and predicate, the source itself left out."""
        ends = {each.target for each in self.edges if each[:2] == (source, predicate)}
        return ends - {source}

    def _mentions(self, capture: Capture, returned: Sequence[JsonObject]) -> Tally:
        """A mention is right with the surface as written and the entity that bears the surface."""
        missing: list[str] = []
        right: set[int] = set()
        for mention in capture.mentions:
            bearers = [each for each in _bearers(mention, returned) if self._is(mention, each[1])]
            right |= {place for place, _ in bearers[:1]}
            missing += [] if bearers else [f"{capture.key}: {mention.surface}"]
        needless = [
            f"{capture.key}: {each['surface']}"
            for place, each in enumerate(returned)
            if place not in right
        ]
        return Tally(len(capture.mentions), missing, len(returned), needless)

    def _is(self, mention: ExpectedMention, entity_id: str) -> bool:
        """Whether the id is the entity's; a new entity takes an id that no other entity has."""
        if mention.entity not in self.entities and entity_id not in {"", *self.entities.values()}:
            self.entities[mention.entity] = entity_id
        return self.entities.get(mention.entity) == entity_id

    def _links(self, capture: Capture, returned: AbstractSet[str]) -> Tally:
        expected = {self.captures[key]: key for key in capture.links}
        missing = [
            f"{capture.key}: {key}" for each, key in expected.items() if each not in returned
        ]
        needless = [f"{capture.key}: {each}" for each in sorted(returned - expected.keys())]
        return Tally(len(expected), missing, len(returned), needless)

    def _facts(self, capture: Capture, returned: AbstractSet[str]) -> Tally:
        missing = list(capture.facts)
        needless: list[str] = []
        for fact_id in sorted(returned):
            equal = [fact for fact in missing if self._says(fact_id, fact)]
            if equal:
                missing.remove(equal[0])
            else:
                needless.append(f"{capture.key}: {self.facts.get(fact_id, fact_id)}")
        left = [f"{capture.key}: {fact.predicate}" for fact in missing]
        return Tally(len(capture.facts), left, len(returned), needless)

    def _says(self, fact_id: str, fact: ExpectedFact) -> bool:
        payload = self.facts.get(fact_id)
        return (
            payload is not None
            and _plain(payload["predicate"]) == _plain(fact.predicate)
            and self._stands_for(payload["subject"], fact.subject, fact_id, SUBJECT_ENTITY)
            and self._stands_for(payload["object"], fact.object, fact_id, OBJECT_ENTITY)
        )

    def _stands_for(self, given: Any, value: Value, fact_id: str, predicate: str) -> bool:
        """An entity stands as its id or is linked by an edge of that predicate."""
        if isinstance(value, EntityKey):
            entity_id = self.entities.get(value.key)
            if entity_id is None:
                return False
            return given == entity_id or Edge(fact_id, predicate, entity_id) in self.edges
        if isinstance(value, str) and isinstance(given, str):
            return _plain(given) == _plain(value)
        return bool(given == value)


def _bearers(mention: ExpectedMention, returned: Sequence[JsonObject]) -> Sequence[tuple[int, str]]:
    """Place and entity id of each returned mention with that surface, aliases last."""
    wanted = _plain(mention.surface)
    ids = [each.get("canonical_entity_id", "") for each in returned]
    surfaces = [_plain(each["surface"]) == wanted for each in returned]
    aliases = [wanted in map(_plain, each.get("aliases", [])) for each in returned]
    places = [place for place, bears in enumerate(surfaces) if bears]
    places += [place for place, bears in enumerate(aliases) if bears]
    return [(place, ids[place]) for place in places]


def _plain(surface: str) -> str:
    """The surface without quotation marks, backticks and the @ of a handle, in lower case."""
    return " ".join(surface.split()).strip("\"'`“”").removeprefix("@").casefold()
