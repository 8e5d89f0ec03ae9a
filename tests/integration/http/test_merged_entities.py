"""Entities that become one thing and part again: names, facts, removal, and who sees what."""

from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest

from tests.worlds.api import Api, Reply
from tests.worlds.recall import advance, change, delete, edge, fact, keep, settle
from tests.worlds.recall import entity as unscoped

SCOPE = "project:alpha"
CHAIN = ("One", "Two", "Three")
"""The names of entities of which each absorbed the next; the ids are the names in lower case."""


def entity(name: str, *aliases: Any, **fields: Any) -> dict[str, Any]:
    """A person of the scope, whose id is the name in lower case."""
    payload = {"primary_type": "Person", **fields.pop("payload", {})}
    usual = {"scope": SCOPE, "payload": payload}
    return unscoped(fields.pop("id", name.lower().replace(" ", "-")), name, *aliases) | {
        **usual,
        **fields,
        "payload": {"kind": "entity", "canonical_name": name, "aliases": list(aliases), **payload},
    }


def merge(api: Api, into: str, *others: str, **options: Any) -> Reply:
    reply = api.post(f"/v1/entities/{into}/merge", {"entity_ids": [*others]}, **options)
    assert reply.status == 200, reply.body
    return reply


def split(api: Api, into: str, absorbed: str) -> Reply:
    return api.post(f"/v1/entities/{into}/split", {"entity_id": absorbed})


def chain(api: Api) -> tuple[str, str, str]:
    """The ids of three entities, of which the first absorbed the second and that the third."""
    one, two, three = keep(api, *(entity(each) for each in CHAIN))
    merge(api, two, three)
    merge(api, one, two)
    return one, two, three


def replaced(api: Api, entity_id: str, name: str, **fields: Any) -> str:
    """The id of the entity that replaces another."""
    new = entity(name, **fields)
    return str(change(api, entity_id, "supersede", new_record=new, rationale="so").record["id"])


def record(api: Api, record_id: str) -> dict[str, Any]:
    return api.get(f"/v1/records/{record_id}").record


def aliases_in(shown: Any) -> list[str]:
    """The further names of an entity, of whatever kind."""
    aliases = shown["payload"].get("aliases", [])
    return [each if isinstance(each, str) else each["value"] for each in aliases]


def absorbed_by(api: Api, entity_id: str) -> list[str]:
    """The ids of the entities of which an entity consists."""
    identifiers = record(api, entity_id)["payload"].get("identifiers", [])
    return [each["value"] for each in identifiers if each["namespace"] == "membrane"]


def content(api: Api, *record_ids: str) -> list[Any]:
    """The records without what every change moves on."""
    moved = ("updated_at", "audit_log", "audit_count")
    found = [record(api, each) for each in record_ids]
    return [{name: value for name, value in each.items() if name not in moved} for each in found]


def meant_by(api: Api, name: str, sensitivity: str = "low") -> str:
    """The id of the entity that a capture of the name mentions."""
    body = {"source": "agent", "source_kind": "event", "content": {"person": name}, "scope": SCOPE}
    reply = api.post("/v1/capture", {**body, "sensitivity": sensitivity})
    assert reply.status == 201, reply.body
    (mention,) = reply.body["primary_record"]["interpretation"]["mentions"]
    return str(mention["canonical_entity_id"])


def statuses(api: Api, *record_ids: str) -> list[int]:
    return [api.get(f"/v1/records/{each}").status for each in record_ids]


def last_entry(api: Api, record_id: str) -> Any:
    return api.get(f"/v1/records/{record_id}/audit").body["audit_log"][-1]


def names(api: Api, key: str | None = None, query: str = "") -> list[str]:
    """The names on all pages of a list."""
    found, cursor = list[str](), ""
    while True:
        reply = api.get(f"/v1/entities?{query}{cursor}", key=key)
        assert reply.status == 200, reply.body
        found += [each["name"] for each in reply.body["entities"]]
        if "next_cursor" not in reply.body:
            return found
        cursor = f"&cursor={quote(reply.body['next_cursor'])}"


def mentions(api: Api, entity_id: str, query: str = "") -> list[str]:
    """The ids of the records that mention the entity, on all pages."""
    found, cursor = list[str](), ""
    while True:
        reply = api.get(f"/v1/entities/{entity_id}/mentions?{query}{cursor}")
        assert reply.status == 200, reply.body
        found += [each["record"]["id"] for each in reply.body["mentions"]]
        if "next_cursor" not in reply.body:
            return found
        cursor = f"&cursor={quote(reply.body['next_cursor'])}"


def facts(api: Api, entity_id: str, key: str | None = None) -> list[tuple[str, list[str]]]:
    """The ids and roles of the facts on the page of an entity."""
    body = api.get(f"/v1/entities/{entity_id}", key=key).body
    return [(each["record"]["id"], each["roles"]) for each in body["facts"]]


def told(record_id: str, *edges: tuple[str, str], **fields: Any) -> dict[str, Any]:
    """A fact with edges, each a predicate and an entity."""
    relations = [edge(target, predicate) for predicate, target in edges]
    payload = {"subject": record_id, **fields.pop("payload", {})}
    return fact(record_id, scope=SCOPE, relations=relations, **{**fields, "payload": payload})


# --- Merging and splitting ----------------------------------------------------------------------


def test_a_split_undoes_the_merge_exactly_and_a_repeat_changes_nothing(still: Api) -> None:
    robert, bob = keep(still, entity("Robert", "RM"), entity("Bob", "Bobby"))
    before = content(still, robert, bob)

    first = merge(still, robert, bob, headers={"idempotency-key": "k"})
    again = merge(still, robert, bob, headers={"idempotency-key": "k"})
    merged, absorbed = content(still, robert, bob)
    other = {"entity_ids": [robert]}
    reused = still.post(f"/v1/entities/{robert}/merge", other, headers={"idempotency-key": "k"})
    advance(still, days=3)
    undone = split(still, robert, bob)
    advance(still, days=-3)

    assert aliases_in(merged) == ["RM", "Bob", "Bobby"]
    assert merged["payload"]["identifiers"] == [{"namespace": "membrane", "value": bob}]
    assert absorbed["payload"]["revision"]["superseded_by"] == robert
    assert first.record == again.record
    assert (undone.status, reused.status) == (200, 409)
    assert content(still, robert, bob) == before


def test_a_chain_of_merges_is_split_from_the_end_alone(still: Api) -> None:
    before = content(still, *keep(still, *(entity(each, id=f"{each}-0") for each in CHAIN)))
    one, two, three = chain(still)

    refused = [split(still, each, three) for each in (one, two)]
    parted = [split(still, one, two), split(still, two, three)]

    assert [each.status for each in refused] == [409, 409]
    assert [each.status for each in parted] == [200, 200]
    after = content(still, one, two, three)
    assert [{**each, "id": ""} for each in after] == [{**each, "id": ""} for each in before]


@pytest.mark.parametrize(
    ("claim", "field"),
    [
        ({"identifiers": [{"namespace": "membrane", "value": "victim"}]}, "payload.identifiers"),
        ({"aliases": [{"value": "Bob", "kind": "merged:victim"}]}, "payload.aliases"),
    ],
)
def test_a_full_record_cannot_claim_to_have_absorbed_an_entity(
    api: Api, claim: dict[str, Any], field: str
) -> None:
    key = api.key_for(permissions=("ingest", "read", "revise"), scopes=(SCOPE,))
    (old,) = keep(api, entity("Mallory"), key=key)
    new = entity("Mallory", id="new", payload=claim)

    for path, body in (
        ("", new),
        (f"/{old}/supersede", {"new_record": new}),
        (f"/{old}/fork", {"forked_record": new}),
        ("/merge", {"ids": [old], "merged_record": new}),
    ):
        reply = api.post(f"/v1/records{path}", body, key=key)
        assert (reply.status, "made by merges of entities" in reply.body["detail"]) == (400, True)
        assert [each["field"] for each in reply.body["errors"]] == [field]
    assert statuses(api, "new") == [404]
    assert keep(api, new) == ["new"], "an administrator may import it"


def test_a_successor_has_the_ids_of_all_entities_before_unless_for_other_readers(api: Api) -> None:
    robert, bob, ann = keep(api, entity("Robert"), entity("Bob"), entity("Ann"))
    merge(api, robert, bob)

    second = replaced(api, robert, "Rob")
    third = replaced(api, second, "Robbie")
    elsewhere = replaced(api, ann, "Anna", scope="project:beta")
    refused = split(api, third, second)

    assert absorbed_by(api, third) == [second, robert, bob]
    assert absorbed_by(api, elsewhere) == []
    assert (refused.status, "was replaced, and not merged" in refused.body["detail"]) == (409, True)


def test_of_a_hundred_entities_before_the_oldest_is_left_out(api: Api) -> None:
    (newest,) = keep(api, entity("Bob"))
    for number in range(101):
        newest = replaced(api, newest, f"Bob {number}")

    before = absorbed_by(api, newest)

    assert (len(before), "bob" in before) == (100, False)


# --- What is removed along ----------------------------------------------------------------------


def test_a_deletion_takes_the_absorbed_entities_along_and_a_restore_brings_them_back(
    api: Api,
) -> None:
    one, two, three = chain(api)

    delete(api, one)
    gone = statuses(api, one, two, three)
    reason = last_entry(api, three)
    change(api, one, "restore")

    assert (gone, statuses(api, one, two, three)) == ([404] * 3, [200] * 3)
    assert (reason["action"], reason["rationale"]) == ("delete", f"part of entity {one}")
    assert [meant_by(api, each) for each in CHAIN] == [one] * 3
    split(api, one, two)
    split(api, two, three)
    assert [meant_by(api, each) for each in CHAIN] == [one, two, three]


@pytest.mark.parametrize("first", [False, True], ids=["erased", "deleted and erased"])
def test_an_erasure_erases_the_absorbed_entities(api: Api, *, first: bool) -> None:
    several = chain(api)

    if first:
        delete(api, several[0])
    delete(api, several[0], erase=True)

    for each in several:
        reply = api.post(f"/v1/records/{each}/restore", {})
        assert (reply.status, "erased" in reply.body["detail"]) == (409, True)
    assert not {meant_by(api, name) for name in CHAIN} & {*several}
    assert "part of entity" not in str(api.stored())


def test_a_sweep_prunes_the_absorbed_entities_along_and_counts_and_forgets_them(
    still: Api,
) -> None:
    several = chain(still)
    keep(still, entity("Four"))

    advance(still, days=4_000)
    pruned = still.invoke("DecayFunction", {})
    gone = statuses(still, *several)
    change(still, several[0], "restore")
    back = statuses(still, *several)
    delete(still, several[0])
    advance(still, days=40)
    forgotten = still.invoke("DecayFunction", {})

    assert (pruned["pruned"], gone, back) == ({"entity": 4}, [404] * 3, [200] * 3)
    assert forgotten["forgotten"] == {"entity": 4}
    assert still.post(f"/v1/records/{several[0]}/restore", {}).status == 409


def test_an_absorbed_entity_is_neither_deleted_alone_nor_moved_and_its_tags_change(
    api: Api,
) -> None:
    one, two, three = chain(api)
    moves: list[dict[str, Any]] = [{"scope": "shared"}, {"sensitivity": "high"}]

    for absorbing, absorbed in ((one, two), (two, three)):
        reply = api.call("DELETE", f"/v1/records/{absorbed}")
        assert reply.status == 409
        assert f"part of entity {absorbing}: split" in reply.body["detail"]
    for fields in moves:
        for each, text in (
            (one, "has absorbed entities: split them off first"),
            (two, f"part of entity {one}: split"),
        ):
            reply = api.call("PATCH", f"/v1/records/{each}", fields)
            assert (reply.status, text in reply.body["detail"]) == (409, True)
    for each in (one, two, three):
        change(api, each, "reclassify", tags=["t"])
    split(api, one, two)
    change(api, one, "reclassify", scope="shared")
    delete(api, one, erase=True)
    assert statuses(api, two) == [200]


def test_an_erased_entity_takes_its_names_and_what_it_absorbed_along(api: Api) -> None:
    one, two, three = chain(api)
    delete(api, one)
    change(api, one, "restore")

    delete(api, three, erase=True)
    aliases = [aliases_in(record(api, each)) for each in (one, two)]
    meant = [meant_by(api, each) for each in CHAIN[:2]]
    delete(api, two, erase=True)

    assert (aliases, meant) == ([["Two"], []], [one] * 2)
    assert absorbed_by(api, one) == []
    assert meant_by(api, "Three") not in {one, two, three}


# --- Names --------------------------------------------------------------------------------------


def test_a_name_stays_with_the_active_entity_that_bears_it(api: Api) -> None:
    identified = {"identifiers": [{"namespace": "github", "value": "bobm"}]}
    first = entity("Bob", "Bobby  M", payload=identified)
    bob, second, high = keep(
        api, first, entity("Bob", id="bob-2"), entity("Bob", id="bob-3", sensitivity="high")
    )

    assert [meant_by(api, each) for each in ("bob", "bobby m", "BOBM")] == [bob] * 3
    assert meant_by(api, "Bob", "high") in (bob, high)
    change(api, bob, "retract")
    keep(api, third := entity("Bob", id="bob-4"))
    assert meant_by(api, "Bob") == third["id"]
    change(api, third["id"], "retract")
    change(api, bob, "reclassify", retracted=False)
    assert meant_by(api, "Bob") == bob
    new = replaced(api, bob, "Robert", payload={"aliases": ["Bob"]}, id="robert")
    assert [meant_by(api, each) for each in ("Bob", "Robert")] == [new] * 2
    assert statuses(api, second) == [200]


def test_a_restored_entity_claims_the_names_that_nobody_bears(api: Api) -> None:
    (first,) = keep(api, entity("Bob", "Bobby"))
    delete(api, first)
    (second,) = keep(api, entity("Bob", id="bob-2"))

    change(api, first, "restore")
    both = [meant_by(api, each) for each in ("Bob", "Bobby")]
    delete(api, first)
    delete(api, second)
    change(api, first, "restore")

    assert both == [second, first]
    assert meant_by(api, "Bob") == first


# --- Lists --------------------------------------------------------------------------------------


def test_entities_are_found_by_the_beginning_of_any_name_once_each(api: Api) -> None:
    keep(api, entity("Robert Miller", "Bob", "Bobby"), entity("Team Lumo"), entity("Team Orca"))
    service = {"primary_type": "Service", "types": ["API"]}
    keep(api, entity("Boat", payload=service), entity("Zebra", scope=""))
    absorbed = {"identifiers": [{"namespace": "chat", "value": "ximena"}]}
    keep(api, entity("Aaron", "Yves", payload=absorbed), entity("Gone"))
    merge(api, "robert-miller", "aaron")
    delete(api, "gone")
    settle(api)
    key = api.key_for(permissions=("read",), scopes=(SCOPE,), max_sensitivity="low")

    assert names(api, key, "q=bo") == ["Boat", "Robert Miller"]
    assert names(api, key, "q=team%20%20o") == ["Team Orca"]
    assert names(api, key, "q=lumo") == names(api, key, "q=gone") == []
    assert [names(api, key, f"q={each}") for each in ("ximena", "yves", "aaron")] == [
        ["Robert Miller"]
    ] * 3
    assert [names(api, key, f"q=bo&type={each}") for each in ("person", "api")] == [
        ["Robert Miller"],
        ["Boat"],
    ]
    every = ["Zebra", "Boat", "Robert Miller", "Team Lumo", "Team Orca"]
    assert sorted(names(api, key, "limit=1")) == sorted(names(api, key)) == sorted(every)
    assert names(api, key)[0] == "Zebra"
    assert "Zebra" not in names(api, key, f"scope={SCOPE}")
    cursor = quote(api.get("/v1/entities?limit=1", key=key).body["next_cursor"])
    assert api.get(f"/v1/entities?limit=1&q=t&cursor={cursor}", key=key).status == 400


def test_similar_entities_are_suggested_for_a_merge(api: Api) -> None:
    bob, *_ = keep(api, entity("Robert Miller"), entity("Robert Miller jr"), entity("Orchid"))
    settle(api)

    assert names(api, query=f"similar_to={bob}")[0] == "Robert Miller jr"
    assert "Robert Miller" not in names(api, query=f"similar_to={bob}")


# --- Pages --------------------------------------------------------------------------------------


def test_facts_hold_are_seen_in_full_and_come_with_their_roles_the_newest_first(
    still: Api,
) -> None:
    (bob,) = keep(still, entity("Bob"))
    past = {"mode": "timeboxed", "start": "2020-01-01T00:00:00Z", "end": "2020-01-02T00:00:00Z"}
    of_bob = ("subject_entity", bob)
    for each in (
        told("held", of_bob),
        told("mention", ("mentions_entity", bob)),
        told("above", of_bob, sensitivity="medium"),
        told("past", of_bob, payload={"validity": past}),
        told("retracted", ("object_entity", bob)),
        told("deleted", ("object_entity", bob)),
        told("itself", of_bob, ("object_entity", bob), ("mentions_entity", bob)),
    ):
        advance(still, seconds=1)
        keep(still, each)
    change(still, "retracted", "retract")
    delete(still, "deleted")
    key = still.key_for(permissions=("read",), scopes=(SCOPE,), max_sensitivity="low")

    assert facts(still, bob, key) == [("itself", ["subject", "object"]), ("held", ["subject"])]
    body = still.get(f"/v1/entities/{bob}/mentions", key=key).body
    assert [each["record"]["id"] for each in body["mentions"]] == [
        "itself",
        "above",
        "mention",
        "held",
    ]


def test_ids_of_merged_and_replaced_entities_lead_to_the_entity_that_stands(still: Api) -> None:
    several = [f"Bob {number}" for number in range(5)]
    ids_of = keep(still, *(entity(each) for each in several))
    made = []
    for each in ids_of:
        advance(still, seconds=1)
        made += keep(still, told(f"of-{each}", ("subject_entity", each)))
    for absorbed, absorbing in pairwise(ids_of):
        merge(still, absorbing, absorbed)

    merged = [still.get(f"/v1/entities/{each}").body for each in (ids_of[0], ids_of[-1])]
    new = replaced(still, ids_of[-1], "Robert")
    advance(still, seconds=1)
    keep(still, told("later", ("mentions_entity", new)))

    assert merged[0] == merged[1]
    assert merged[0]["entity"]["id"] == ids_of[-1]
    assert still.get(f"/v1/entities/{ids_of[0]}").body["entity"]["id"] == new
    assert mentions(still, ids_of[0], "limit=2") == mentions(still, new) == ["later", *made[::-1]]


def test_a_split_takes_the_mentions_of_the_entity_and_of_those_before_it_away(still: Api) -> None:
    robert, bob = keep(still, entity("Robert"), entity("Bob"))
    keep(still, told("of-robert", ("mentions_entity", robert)))
    keep(still, told("of-bob", ("mentions_entity", bob)))
    bobby = replaced(still, bob, "Bobby")
    merge(still, robert, bobby)
    keep(still, told("while-merged", ("mentions_entity", bobby)))
    together = mentions(still, robert)

    split(still, robert, bobby)

    assert sorted(together) == ["of-bob", "of-robert", "while-merged"]
    assert mentions(still, robert) == ["of-robert"]
    assert sorted(mentions(still, bob)) == ["of-bob", "while-merged"]


def test_many_facts_come_in_pages_and_one_without_room_is_a_link(api: Api) -> None:
    bob, ann = keep(api, entity("Bob", payload={"summary": "x" * 90_000}), entity("Ann"))
    made = keep(api, *(told(f"f{n}", ("subject_entity", bob)) for n in range(52)))
    large = {"object": "x" * 5_990_000}
    keep(api, told("large", ("subject_entity", bob), payload=large))

    first = api.get(f"/v1/entities/{bob}").body
    path = f"?cursor={quote(first['next_cursor'])}"
    rest = api.get(f"/v1/entities/{bob}{path}").body

    shown = [each["record"] for each in (*first["facts"], *rest["facts"])]
    assert {each["id"] for each in shown} == {*made, "large"}
    assert api.get(f"/v1/entities/{ann}{path}").status == 400


# --- What is hidden -----------------------------------------------------------------------------


def test_hidden_records_entities_and_names_change_no_word_of_a_reply(still: Api) -> None:
    keep(still, entity("Bob"), entity("Ann"))
    settle(still)
    key = still.key_for(permissions=("read",), scopes=(SCOPE,), max_sensitivity="low")
    edges = [("subject_entity", "bob"), ("mentions_entity", "bob"), ("object_entity", "ann")]
    hidden: list[dict[str, Any]] = [{"sensitivity": "high"}, {"scope": "project:beta"}]

    def replies() -> list[Any]:
        paths = ["/v1/entities?q=b", "/v1/entities?limit=1", "/v1/entities/bob", "/v1/entities/ann"]
        paths += [f"/v1/entities/{each}/mentions?limit=2" for each in ("bob", "ann")]
        bodies = [still.get(each, key=key).body for each in paths]
        return [{**each, "next_cursor": "next_cursor" in each} for each in bodies]

    for number in range(4):
        advance(still, seconds=2)
        keep(still, told(f"seen{number}", *edges[: number % 3 + 1]))
    before = replies()
    advance(still, seconds=-7)
    for number in range(8):
        advance(still, seconds=1)
        place = hidden[number % 2]
        keep(still, {**told(f"hidden{number}", *edges[number % 2 :]), **place})
        keep(still, entity("Bob", "Bertha", "Ann", id=f"bob-{number}", **place))
    settle(still)
    advance(still, seconds=-1)

    assert replies() == before


# --- Topics -------------------------------------------------------------------------------------


def topic(api: Api, title: str, **fields: Any) -> str:
    """The id of a topic, by default a person of the scope."""
    usual = {"title": title, "scope": SCOPE, "topic_kind": "person", "sensitivity": "low"}
    reply = api.post("/v1/topics", {**usual, **fields})
    assert reply.status == 200, reply.body
    return str(reply.body["topic_id"])


def topics(api: Api, entity_id: str, key: str | None = None, query: str = "") -> list[str]:
    body = api.get(f"/v1/entities/{entity_id}{query}", key=key).body
    return [each["id"] for each in body["topics"]]


def test_the_page_of_an_entity_and_a_search_have_the_topics_of_all_its_names(api: Api) -> None:
    initials, name = topic(api, "al", topic_kind=""), topic(api, "ada  LOVELACE")
    topic(api, "Ada")
    ada, adam = keep(api, entity("Ada Lovelace", "AL"), entity("Adam"))
    settle(api)

    found = [{"id": name, "title": "ada  LOVELACE", "entity_id": ada}]

    assert api.get(f"/v1/entities/{ada}").body["topics"] == [
        {"id": name, "title": "ada  LOVELACE"},
        {"id": initials, "title": "al"},
    ]
    assert api.get("/v1/entities?q=ada").body["topics"][:1] == found
    assert "topics" not in api.get("/v1/entities?q=adam").body
    assert "topics" not in api.get("/v1/entities").body
    assert topics(api, adam) == []
    assert api.get(f"/v1/topics/{name}").body["entity_id"] == ada
    assert api.call("PATCH", f"/v1/topics/{name}", {"title": "Bob"}).status == 200
    assert topics(api, ada) == [initials]


def test_an_entity_has_the_topics_of_its_kind_and_scope_that_the_reader_sees(api: Api) -> None:
    others: list[dict[str, Any]] = [{"topic_kind": "project"}, {"scope": "project:beta"}]
    for fields in (*others, {"sensitivity": "high"}):
        topic(api, "Ada", **fields)
    here, free = topic(api, "Ada"), topic(api, "Ada", scope="")
    reader = api.key_for(permissions=("read",), scopes=(SCOPE,), max_sensitivity="low")

    (unbound,) = keep(api, unscoped("ada-0", "Ada", payload={"primary_type": "Person"}))
    alone = topics(api, unbound, reader), topics(api, unbound, query=f"?scope={SCOPE}")
    (scoped,) = keep(api, entity("Ada"))

    assert alone[0] == [free, here]
    assert set(alone[1]) >= {free, here}
    assert topics(api, scoped, reader) == [here]
    assert topics(api, unbound, reader) == [free]
