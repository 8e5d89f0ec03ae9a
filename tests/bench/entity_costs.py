"""What captures, entities and graphs cost: requests and units, as the strictest emulator counts."""

from collections.abc import Mapping
from typing import Any

from membrane.usecases.search.indexing import ChangedSource, index_records
from membrane.wiring.world import World
from tests.bench.topics import HERE, OWNER, ask, services_over
from tests.builders.stored_records import noise
from tests.fakes.clock import MORNING, counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store

TEXT = 700
"""Characters of a captured text, which hardly compress."""

MENTIONS = 20
"""Captures that mention the entity that is read."""

KNOWN = {"project": "Orchid", "person": "Ada"}
FORTY_WORDS = " ".join(a + b for a in ("ba", "do", "fi", "lu") for b in "bcdfghklmn")
FACT = {"subject": "Orchid", "predicate": "runs_on", "object": "Lambda"}


def entity_costs(store: Store) -> Mapping[str, Cost]:
    """What each operation costs; clock, ids and salts are fixed."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    usual = services_over(store)
    services = usual.but(new_id=store.services.new_id, new_salt=counted_salts())
    spent = meter(store.client)
    found: dict[str, Cost] = {}

    def cost(name: str, rpc: str, **request: Any) -> Mapping[str, Any]:
        replies = []
        found[name] = spent_by(lambda: replies.append(ask(rpc, request, OWNER, services)), spent)
        return replies[0]

    _capture({"project": "Nothing yet"}, services)  # from now on the decay profiles are known
    cost("CaptureMemory without names", "CaptureMemory", **_request({}))
    first = cost("CaptureMemory of two new entities", "CaptureMemory", **_request(KNOWN))
    used = first["primary_record"]["id"]
    cost("Reinforce of a record about two entities", "Reinforce", id=used, rationale="it helped")
    cost("CaptureMemory of two known entities", "CaptureMemory", **_request(KNOWN))
    cost("CaptureMemory of 40 words", "CaptureMemory", **_request({"text": FORTY_WORDS}))
    stated = _request(FACT, source_kind="observation")
    fact = cost("CaptureMemory that derives a fact", "CaptureMemory", **stated)
    captures = [_capture({"project": "Orchid"}, services) for _ in range(MENTIONS)]
    orchid = _entity_id(first, "Orchid")
    other = _entity_id(_capture({"project": "Orchid Two"}, services), "Orchid Two")
    _index([each["primary_record"]["id"] for each in (first, fact, *captures)], services)

    cost("ListEntities of one scope", "ListEntities", scope=HERE)
    cost("ReadEntity", "ReadEntity", id=orchid)
    cost(f"ListMentions of {MENTIONS}", "ListMentions", id=orchid, limit=MENTIONS)
    task = {"task_descriptor": "Where does Orchid run?", "trust": {"scopes": [HERE]}}
    for hops in (0, 1, 2):
        cost(f"RetrieveGraph of {hops} hops", "RetrieveGraph", **task, max_hops=hops)
    cost("MergeEntities", "MergeEntities", id=orchid, entity_ids=[other])
    cost("SplitEntity", "SplitEntity", id=orchid, entity_id=other)
    return found


def _capture(content: Mapping[str, str], services: World) -> Mapping[str, Any]:
    return ask("CaptureMemory", _request(content), OWNER, services)


def _request(content: Mapping[str, str], **fields: Any) -> dict[str, Any]:
    usual = {"source": "agent", "source_kind": "event", "scope": HERE, "sensitivity": "low"}
    return {**usual, "content": {**content, "log": noise(TEXT)}, **fields}


def _entity_id(reply: Mapping[str, Any], name: str) -> str:
    made = (each for each in reply["created_records"] if each["type"] == "entity")
    return next(str(each["id"]) for each in made if each["payload"]["canonical_name"] == name)


def _index(record_ids: list[str], services: World) -> None:
    """Make the vectors; raises where that fails for one."""
    changed = [ChangedSource(each, (HERE,)) for each in record_ids]
    for failed in index_records(changed, services).failed:
        raise failed.error
