"""The acts that may come amid each other, on the states that they share."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from tests.faults.asking import asks, invoke, nothing, same, works
from tests.faults.harness import Act
from tests.faults.job_acts import (
    CONSOLIDATE,
    SCOPE,
    STEPWISE,
    call,
    captured,
    consolidated,
    erasing,
    erasing_what_ended,
    erasing_what_is_read,
    erasing_what_returns,
    erasing_what_waits,
    releases,
    removing,
    studied,
)
from tests.faults.laden_acts import expiring, laden, laden_and, large_document, retrieved_by_index
from tests.faults.races import Crossing, amid
from tests.faults.record_acts import (
    CAPTURED,
    deleted,
    entities,
    fact,
    first,
    last,
    merged,
    observation,
    observed,
    three,
    uploaded,
)
from tests.faults.topic_acts import DOCUMENT, LOG, MANY, document, log, two_topics
from tests.faults.world import Stage
from tests.worlds import every_revision
from tests.worlds.cloud import CONTESTED, LARGE, REPLACED
from tests.worlds.every_record import add_entity


def about_another(record_id: str) -> Any:
    return fact("user", "has", relations=[{"predicate": "about", "target_id": record_id}])


def entity(name: str) -> Any:
    payload = {"kind": "entity", "canonical_name": name, "primary_type": "Service"}
    return {"type": "entity", "sensitivity": "low", "payload": payload}


def observe(said: str) -> Act:
    return asks("POST /v1/ingest/observation", observation(REPLACED, said), about=f"of {said}")


def change(route: str, body: Any = None, **more: Any) -> Act:
    return asks(f"{route.replace(' ', ' /v1/records/{id}', 1)}", body, same, **more)


def fading(stage: Stage) -> str:
    """A fact that has faded, and is due."""
    found = observed(REPLACED, lifecycle={"decay": {"half_life_seconds": 75}})(stage)
    stage.cloud.functions.clock.advance(timedelta(days=1))
    return found


ERASES = change("DELETE ", query="erase=true", about="for good")


def there(said: str) -> Any:
    return {**observation(REPLACED, said), "scope": "elsewhere"}


def contest_of(said: str) -> Act:
    body = observation(CONTESTED, said)
    return asks("POST /v1/ingest/observation", body, about=f"of {said} that contests")


def of(number: int, route: str, body: Any = None, **more: Any) -> Act:
    """A change of one of several records."""
    place = route.replace(" ", " /v1/records/{id}", 1)
    return asks(place, body, lambda ids: ids[number], **more)


def merge_of(*numbers: int) -> Act:
    merged = fact("user", "drinks", "all")
    about = f"of {numbers}"
    return asks(
        "POST /v1/records/merge",
        lambda ids: {"ids": [ids[each] for each in numbers], "merged_record": merged},
        about=about,
    )


def two(stage: Stage) -> list[str]:
    """A fact, and another that may contest it."""
    return [observed(said=each)(stage) for each in ("tea", "ale")]


def two_contested(stage: Stage) -> list[str]:
    return [observed(CONTESTED, said)(stage) for said in ("tea", "ale")]


def retracted(stage: Stage) -> str:
    found = observed(REPLACED)(stage)
    stage.cloud.http("POST /v1/records/{id}/retract", {}, found)
    return found


def capture_of(name: str, about: str = "", **fields: Any) -> Act:
    content = {"ref": "r", "project": name, "text": name}
    body = {**CAPTURED, "content": content, **fields}
    return asks("POST /v1/capture", body, about=f"of {name} {about}".rstrip())


def capture_that(said: str) -> Act:
    stated = {"subject": "Ada", "predicate": REPLACED, "object": said}
    return asks("POST /v1/capture", {**CAPTURED, "content": stated}, about=f"that states {said}")


def outcome_by(judge: str) -> Act:
    def body(given: Any) -> Any:
        asked = {"source": judge, "target_record_id": given[0], "receipt_id": given[1]}
        return {**asked, "outcome_status": "success"}

    return asks("POST /v1/ingest/outcome", body, about=f"by {judge}")


def say_in_thread(said: str) -> Act:
    body = {"thread_id": "1", "messages": [{"role": "user", "content": said}]}
    return asks("POST /v1/messages", body, about=f"of {said}")


def claim_by(tool: str) -> Act:
    def body(claim: Any) -> Any:
        return {"source": "a", "tool_name": tool, "result": claim}

    return asks("POST /v1/ingest/tool-output", body, about=f"of {tool}")


def classed(half_life_s: int) -> Act:
    lifecycle = {"decay": {"half_life_seconds": half_life_s}}
    body = observation("has", f"{half_life_s}", lifecycle=lifecycle)
    return asks("POST /v1/ingest/observation", body, about=f"of the class {half_life_s}")


def interpreted(stage: Stage) -> str:
    """The id of a capture of which a model made a fact, beside a capture that states the fact."""
    invoke(stage, "InterpretFunction", captured(stage))
    (found,) = stage.cloud.http("GET /v1/records", query="type=episodic")["records"]
    stated = {"subject": "billing", "predicate": "owned_by", "object": "Ana"}
    stage.cloud.http("POST /v1/capture", {**CAPTURED, "content": stated})
    return str(found["id"])


def name_taken(stage: Stage) -> str:
    """The id of a deleted entity whose name leads to another deleted entity."""
    ids = []
    for each in "ab":
        ids.append(add_entity(stage.cloud, "Orion", tags=[each]))
        stage.cloud.http("DELETE /v1/records/{id}", record_id=ids[-1])
    return ids[0]


def steps_of(stage: Stage) -> str:
    """The id of a step of one of two threads that end."""
    releases(stage)
    return call(stage, "one", "package")


def skilled(stage: Stage) -> str:
    """The id of a skill, beside a further thread of the steps."""
    consolidated(stage)
    every_revision.release(stage.cloud, "three", SCOPE)
    stage.cloud.functions.clock.advance(timedelta(hours=1))
    listed = stage.cloud.http("GET /v1/consolidations", query=f"scope={SCOPE}")["consolidations"]
    return next(str(each["id"]) for each in listed if each["type"] == "competence")


def extended(stage: Stage) -> tuple[Any, str]:
    """The event that takes a document back, and a topic of it that somebody else has extended."""
    document_id = studied(stage)
    (topic_id,) = (
        str(each["id"])
        for each in stage.cloud.http("GET /v1/topics")["topics"]
        if each["title"].endswith("Care")
    )
    note = {"field_name": "note", "value": "by hand"}
    stage.cloud.http("POST /v1/topics/{id}/fields", note, topic_id)
    return removing(stage, document_id), topic_id


def resting(stage: Stage) -> tuple[dict[str, Any], str, str]:
    """The erasure of an observation, its id, and a fact that rests on it and on a book."""
    source = observed()(stage)
    sources = [{"kind": "event", "ref": each} for each in (source, "a book")]
    record = fact("user", "has", id="resting", provenance={"sources": sources})
    stage.cloud.http("POST /v1/records", {"record": record})
    asked = {"ids": [source], "dry_run": False, "reason": "asked for"}
    started = stage.cloud.http("POST /v1/erasures", asked)
    return {"membrane-erase": {"id": started["id"]}}, source, "resting"


OF_RECORDS = (
    observe("ale"),
    observe("wine"),
    change("POST /supersede", {"new_record": fact("user", REPLACED, "milk")}),
    change("POST /fork", {"forked_record": fact("user", "likes", "milk")}),
    change("POST /retract", {}),
    change("POST /contest", {"contesting_ref": "a letter"}),
    change("PATCH ", {"scope": "elsewhere"}),
    change("PATCH ", {"tags": ["new"]}, about="of tags"),
    change("POST /penalize", {"amount": 0.1, "rationale": LARGE}),
    change("POST /pin", {}),
    change("PATCH /lifecycle", {"decay": {"half_life_seconds": 75}}),
    change("POST /reinforce", {}),
    change("DELETE "),
    ERASES,
    asks("POST /v1/ingest/observation", there("ale"), about="in another scope"),
)


def at_length(topic_id: str, **more: Any) -> Act:
    """A change of more fields than a transaction writes, and of an edge."""
    edges = [{"to_topic_id": "team", "kind": "knows"}]
    extend = {"placement": "extend_topic", "topic_id": topic_id, "fields": MANY, "edges": edges}
    return asks("POST /v1/ingest", extend, about="at length", **more)


OF_TOPICS = (
    asks("PATCH /v1/topics/{id}", {"summary": "changed"}, same),
    asks("POST /v1/topics/{id}/fields", {"field_name": "n", "value": 9}, same),
    asks("POST /v1/topics/{id}/fields", {"field_name": "m", "value": 9}, same, about="of another"),
    asks("DELETE /v1/topics/{id}/fields/{name}", None, same, name="n"),
    asks("POST /v1/topics/{id}/nest-fields", {"field_names": ["n"], "nest_key": "g"}, same),
    asks("POST /v1/topics/{id}/relationships", {"to_topic_id": "team", "kind": "runs"}, same),
    asks(
        "DELETE /v1/topics/{id}/relationships", None, same, query="to_topic_id=team&kind=owned_by"
    ),
    asks("DELETE /v1/topics/{id}", None, same),
    asks("DELETE /v1/topics/{id}", None, same, query="erase=true", about="for good"),
    asks("DELETE /v1/topics/{id}", None, "team", about="of the neighbour"),
    at_length("service"),
)

OF_DOCUMENTS = (
    asks(f"PUT {DOCUMENT}", {"value": LARGE}, same),
    asks(f"PUT {DOCUMENT}", {"value": "small"}, same, about="of a small value"),
    asks(f"DELETE {DOCUMENT}", None, same),
    asks(f"DELETE {DOCUMENT}", None, same, query="erase=true", about="for good"),
)

OF_ENTITIES = (
    asks("POST /v1/entities/{id}/merge", lambda of: {"entity_ids": of[1:]}, first),
    asks(
        "POST /v1/capture", {**CAPTURED, "content": {"text": "Ada Smith", "service": "Ada Smith"}}
    ),
    asks("DELETE /v1/records/{id}", None, first),
    asks("DELETE /v1/records/{id}", None, lambda of: of[1], query="erase=true", about="for good"),
)

OF_CAPTURES = (
    asks("POST /v1/capture", CAPTURED),
    asks("POST /v1/capture", {**CAPTURED, "summary": "again"}, about="of the same entity"),
)

LATE = {"scope": "user:leaving"}
IN_A_SCOPE = (
    asks("POST /v1/ingest/observation", {**observation(REPLACED, "ale"), **LATE}),
    asks(
        "POST /v1/messages",
        {
            "thread_id": "1",
            "messages": [{"role": "user", "content": each} for each in "ab"],
            **LATE,
        },
    ),
    asks("POST /v1/topics", {"topic_id": "late", "title": "late", **LATE}),
    asks("PATCH /v1/topics/{id}", {"summary": "late"}, "left"),
    asks(f"PUT {DOCUMENT}", {"value": LARGE, **LATE}, "left/late"),
    asks(f"POST {DOCUMENT}", {"items": ["late"], **LATE}, "left/log/items"),
    asks(f"POST {DOCUMENT}", {"items": ["late"], **LATE}, "left/list/items", about="of a list"),
    asks("POST /v1/capture", {**CAPTURED, **LATE}),
    asks("POST /v1/consolidate", {"dry_run": False, **LATE}),
    asks("POST /v1/records", {"record": fact("user", "has", **LATE)}),
    asks("PATCH /v1/records/{id}", LATE, "outside"),
    asks("PATCH /v1/records/{id}", {"tags": ["late"]}, "inside", about="of tags"),
    asks("POST /v1/records/{id}/penalize", {"amount": 0.1}, "inside"),
    asks(
        "POST /v1/records/{id}/supersede",
        {"new_record": fact("user", "has", "late", **LATE)},
        "inside",
    ),
    asks("POST /v1/ingest", {"title": "late", "fields": [{"name": "n", "value": 1}], **LATE}),
    asks("POST /v1/topics/{id}/fields", {"field_name": "n", "value": 9}, "left"),
    asks("POST /v1/topics/{id}/relationships", {"to_topic_id": "left", "kind": "runs"}, "left"),
)


OF_LISTS = (
    asks(f"POST {DOCUMENT}", {"items": ["three"]}, f"{LOG}/items"),
    asks(f"POST {DOCUMENT}", {"items": ["four"]}, f"{LOG}/items", about="of four"),
    asks(f"DELETE {DOCUMENT}", None, LOG, query="items=1", about="of an item"),
    asks(f"PUT {DOCUMENT}", {"value": "whole"}, LOG, about="in place of the list"),
)

DELETIONS_OF_LISTS = (
    asks(f"DELETE {DOCUMENT}", None, LOG),
    asks(f"DELETE {DOCUMENT}", None, LOG, query="erase=true", about="for good"),
)
"""An item that comes amid these stands at another place than behind them."""

OF_EXPIRING = (
    asks(f"GET {DOCUMENT}", None, same, query="refresh=true", answers="a read answers as read"),
    asks(f"PUT {DOCUMENT}", {"value": "later"}, same),
    asks(f"DELETE {DOCUMENT}", None, same, query="erase=true", about="for good"),
)

ROLES = [
    asks("PUT /v1/system-context", {"system_role": role, "runtime_context": at}, about=f"of {role}")
    for role, at in (("helper", "laptop"), ("clerk", "desk"))
]

ERASURE = works("EraseFunction", lambda of: {"membrane-erase": {"id": of}}, prepare=erasing)

KEPT_OUT = (
    works("RestoreFunction", lambda of: of[1], prepare=erasing_what_returns),
    works("IndexFunction", lambda of: of[1], prepare=erasing_what_waits),
    works("InterpretFunction", lambda of: of[1], prepare=erasing_what_is_read),
    works("ConsolidateFunction", lambda of: of[1], prepare=erasing_what_ended),
)
"""Jobs that bring something into a scope; of what `prepare` gives, the first is the erasure."""

SWEEP = works("DecayFunction", {}, parts=STEPWISE)
CHANGES_OF_FADED = (
    change("POST /pin", {}),
    change("POST /reinforce", {}),
    change("POST /penalize", {"amount": 0.1, "rationale": LARGE}),
    change("PATCH /lifecycle", {"deletion_policy": "manual_only"}),
    change("PATCH /lifecycle", {"decay": {"half_life_seconds": 10**6}}, about="of the half-life"),
    change("POST /retract", {}),
    change("DELETE "),
    ERASES,
    asks(
        "POST /v1/ingest/outcome",
        lambda found: {"source": "judge", "target_record_id": found, "outcome_status": "success"},
    ),
)

CONSOLIDATION = works("ConsolidateFunction", CONSOLIDATE, parts=STEPWISE)


def amid_job(prepare: Callable[[Stage], Any], job: Act, *acts: Act, about: str) -> Crossing:
    """The job, and those that may come amid the job."""
    return amid(prepare, job, *acts, about=about)[0]


RACES: Sequence[Crossing] = (
    *amid(observed(REPLACED), *OF_RECORDS),
    *amid(nothing, observe("ale"), observe("wine"), capture_that("ale"), about="of a first fact"),
    *amid(
        observed(CONTESTED),
        contest_of("ale"),
        contest_of("wine"),
        change("POST /retract", {}),
        ERASES,
        about="of a doubtful fact",
    ),
    *amid(
        retracted,
        change("PATCH ", {"retracted": False}),
        observe("ale"),
        change("DELETE "),
        about="of a retracted fact",
    ),
    *amid(
        three,
        merge_of(0, 1),
        merge_of(1, 2),
        of(1, "POST /supersede", {"new_record": fact("user", "likes", "cider")}),
        of(1, "POST /supersede", {"new_record": fact("user", "likes", "port")}, about="by port"),
        of(1, "DELETE "),
        of(1, "DELETE ", query="erase=true", about="for good"),
        about="of several",
    ),
    *amid(
        two,
        of(0, "POST /contest", lambda ids: {"contesting_ref": ids[1]}),
        of(0, "POST /retract", {}),
        of(1, "POST /retract", {}, about="of the other"),
        of(1, "DELETE ", about="of the other"),
        of(1, "DELETE ", query="erase=true", about="of the other for good"),
        about="of two",
    ),
    *amid(
        two_contested,
        *(
            of(0, "POST /resolve", {"resolution": each}, about=f"to {each}")
            for each in ("keep", "supersede", "retract")
        ),
        of(1, "POST /retract", {}),
        of(1, "DELETE "),
        contest_of("wine"),
        about="of a conflict",
    ),
    *amid(
        fading,
        SWEEP,
        observe("ale"),
        change("POST /pin", {}),
        change("POST /reinforce", {}),
        about="of a faded fact",
    ),
    amid_job(laden_and("", 2), SWEEP, *CHANGES_OF_FADED, about="with a past"),
    amid_job(
        laden_and("DELETE /v1/records/{id}", 40),
        SWEEP,
        ERASES,
        change("POST /restore", {}),
        about="that forgets",
    ),
    amid_job(
        laden_and("DELETE /v1/records/{id}", 450),
        SWEEP,
        asks("POST /v1/records", {"record": fact("user", "has", id="laden")}),
        about="that discards",
    ),
    *amid(
        observed(scope="elsewhere"),
        asks(
            "POST /v1/records",
            lambda found: {"record": {**about_another(found), "scope": "elsewhere"}},
            scopes=["elsewhere"],
            about="about another",
        ),
        change("PATCH ", {"scope": "events"}),
        change("PATCH ", {"sensitivity": "high"}, about="of the level"),
        change("DELETE "),
        about="of a target",
    ),
    *amid(
        laden,
        ERASES,
        change("DELETE "),
        change("POST /reinforce", {}),
        change("POST /penalize", {"amount": 0.1, "rationale": LARGE}),
        asks(
            "POST /v1/records",
            lambda found: {"record": about_another(found)},
            about="about another",
        ),
        about="with a past",
    ),
    *amid(
        deleted,
        change("POST /restore", {}),
        observe("ale"),
        ERASES,
        about="of a deleted fact",
    ),
    *amid(retrieved_by_index, outcome_by("judge"), outcome_by("jury"), about="with a receipt"),
    *amid(nothing, say_in_thread("ale"), say_in_thread("wine"), about="of a thread"),
    *amid(nothing, classed(71), classed(72), about="anew"),
    *amid(nothing, *ROLES),
    *amid(
        uploaded,
        *map(claim_by, ("cat", "dog")),
        about="with an upload",
    ),
    *amid(two_topics, *OF_TOPICS),
    *amid(document, *OF_DOCUMENTS),
    *amid(large_document, *OF_DOCUMENTS, about="at length"),
    *amid(log, *OF_LISTS),
    amid_job(log, OF_LISTS[0], *DELETIONS_OF_LISTS, about="of a deleted list"),
    *amid(expiring, *OF_EXPIRING, about="that expires"),
    *amid(entities, *OF_ENTITIES, about="of entities"),
    *amid(
        merged,
        asks("POST /v1/entities/{id}/split", lambda ids: {"entity_id": ids[1]}, first),
        capture_of("Ada Jones"),
        of(0, "DELETE ", query="erase=true", about="for good", parts=STEPWISE),
        of(0, "DELETE ", parts=STEPWISE),
        about="of merged entities",
    ),
    *amid(
        nothing,
        *OF_CAPTURES,
        capture_of("Orion Belt"),
        capture_of("Orion Nebula"),
        capture_of("Orion Belt", "in secret", sensitivity="high"),
        asks("POST /v1/records", {"record": entity("Orion Belt")}, about="of an entity"),
    ),
    *amid(
        lambda stage: stage.cloud.http("POST /v1/capture", {**CAPTURED, "summary": "before"}),
        capture_that("ale"),
        capture_that("wine"),
        capture_that("much"),
        about="after one",
    ),
    *amid(
        interpreted,
        change("DELETE ", parts=STEPWISE),
        change("DELETE ", query="erase=true", about="for good", parts=STEPWISE),
        about="of an interpreted capture",
    ),
    *amid(
        name_taken,
        change("POST /restore", {}),
        capture_of("Orion"),
        asks("POST /v1/records", {"record": entity("Orion")}, about="of an entity"),
        about="of a taken name",
    ),
    *amid(
        lambda stage: add_entity(stage.cloud, "Orion Belt"),
        change("DELETE ", query="erase=true", about="for good"),
        asks("POST /v1/records", {"record": entity("Orion Nebula")}, about="of an entity"),
        about="of a shared word",
    ),
    amid_job(
        steps_of,
        CONSOLIDATION,
        change("DELETE "),
        ERASES,
        asks(
            "POST /v1/ingest/outcome",
            lambda step: {"source": "judge", "target_record_id": step, "outcome_status": "failure"},
        ),
        about="of steps",
    ),
    amid_job(
        skilled, CONSOLIDATION, change("DELETE "), change("POST /pin", {}), about="of a skill"
    ),
    amid_job(
        extended,
        works("StudyFunction", first, parts=STEPWISE),
        asks("POST /v1/topics/{id}/fields", {"field_name": "note", "value": "again"}, last),
        about="that takes back an extended topic",
    ),
    amid_job(
        resting,
        works("EraseFunction", first, parts=STEPWISE),
        asks("PATCH /v1/records/{id}", {"tags": ["new"]}, lambda of: of[1]),
        asks("PATCH /v1/records/{id}", {"tags": ["new"]}, last, about="of the fact"),
        about="of what a fact rests on",
    ),
    (ERASURE, IN_A_SCOPE),
)
