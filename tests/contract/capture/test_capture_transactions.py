"""The largest captures fit a transaction of the table, with every write that may come along."""

import hashlib
from collections.abc import Mapping
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.keys import upload_name
from membrane.domain.capture.references import MAX_REFERENCES, MAX_REFS_IN_TEXT
from membrane.domain.entities.surfaces import MAX_MENTIONS
from membrane.domain.ingest.full_records import OpenUpload
from membrane.domain.language.json_text import MAX_RECORD_DEPTH, compact_json, parse_json
from membrane.domain.language.values import LargeValue
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.draft_capture import MAX_CHANGED_FACTS
from membrane.usecases.capture.new_entities import MAX_NEW_ALIASES
from membrane.usecases.ports.services import Services
from membrane.usecases.records.open_upload import open_upload
from tests.builders.captures import capture, captured
from tests.builders.entities import add_entity
from tests.builders.ingesting import ingest
from tests.builders.requests import call, event, observation, written
from tests.builders.stored_records import noise
from tests.worlds.captures import require_sound_captures
from tests.worlds.limits import MAX_ACTIONS
from tests.worlds.revision import CONTESTED, REPLACED, held_in, require_whole, revising
from tests.worlds.stores import Store

LONG = "x" * 240
"""Makes a name nearly as long as a name may be."""

OWN_CLASS = {"decay": {"half_life_seconds": 77_777}}


def upload(value: Any, table: Store) -> Mapping[str, str]:
    """The claim of a value that was uploaded."""
    services = table.services
    content = compact_json(value).encode()
    asked = OpenUpload(size=len(content), sha256=hashlib.sha256(content).hexdigest())
    opened = open_upload(asked, call(asked), services).upload
    services.blobs.write(upload_name(opened.id, opened.expires_at_s), content)
    return {"$upload": opened.id}


def rivals(predicate: str, services: Services) -> None:
    """As many contradicting facts as a capture may change, each of a year of its own."""
    for year in range(2000, 2000 + MAX_CHANGED_FACTS):
        window = {"start": f"{year}-01-01T00:00:00Z", "end": f"{year + 1}-01-01T00:00:00Z"}
        fields = {"subject": LONG, "predicate": predicate, "object": f"{year}", **window}
        told = observation(**fields, scope="project:alpha")
        ingest(told, call(told), services)


def referred(services: Services) -> list[str]:
    """As many records as a capture may refer to."""
    reports = [
        event(ref=f"ref-{n}", scope="project:alpha")
        for n in range(MAX_REFERENCES + MAX_REFS_IN_TEXT)
    ]
    return [written(ingest(each, call(each), services)).id for each in reports]


def fill_buckets(names: list[str], services: Services) -> None:
    """Let other names of the same first words nearly fill the buckets."""
    for name in names:
        for number in range(3):
            aliases = [f"{name[:9]} {number}{each} {LONG}"[:256] for each in range(20)]
            add_entity(aliases[0], services, payload={"aliases": aliases[1:]})


@pytest.mark.parametrize(("aliases", "known"), [(0, 0), (MAX_NEW_ALIASES, 2)])
@pytest.mark.parametrize("predicate", [CONTESTED, REPLACED])
def test_the_largest_capture_fits_a_transaction(
    table: Store, predicate: str, aliases: int, known: int
) -> None:
    """Names with aliases come from text, after the known subject and object of the fact."""
    services = revising(table)
    addresses = [f"https://github.com/owner{number}/{LONG[:80]}" for number in range(aliases)]
    names = [f"orion-{number:03} {LONG}"[:256] for number in range(MAX_MENTIONS - aliases)]
    fill_buckets(names, services)
    subject = add_entity(LONG, services)
    for drink in ("ale", "milk"):
        add_entity(drink, services)
    refs = referred(services)
    rivals(predicate, services)
    table.clock.advance(days=20)
    content = {
        "fact": {"subject": LONG, "predicate": predicate, "object": "ale"},
        "entities": names,
        "refs": refs[:MAX_REFERENCES],
        "text": " ".join(
            [f"ref-{n}" for n in range(MAX_REFERENCES, MAX_REFERENCES + MAX_REFS_IN_TEXT)]
            + addresses
        ),
        "log": noise(200_000),
    }
    claims = {"content": upload(content, table), "context": upload(noise(150_000, 1), table)}
    before = len(table.watched.requests)

    body = capture(
        claims["content"],
        services,
        context=claims["context"],
        source_kind="observation",
        lifecycle=OWN_CLASS,
    ).body

    (writing,) = [
        params
        for operation, params in table.watched.requests[before:]
        if operation == "TransactWriteItems"
    ]
    assert len(writing["TransactItems"]) <= MAX_ACTIONS
    assert len(body["created_records"]) == MAX_MENTIONS - known + 1
    relations = body["primary_record"]["relations"]
    assert len(relations) == MAX_MENTIONS + MAX_REFERENCES + MAX_REFS_IN_TEXT + 1
    assert subject.id in {each["target_id"] for each in body["edges"]}
    found = held_in(table)
    require_whole(found, table.everything())
    require_sound_captures(found)


def test_ten_thousand_known_names_are_too_many_for_no_capture(table: Store) -> None:
    services = table.services
    for number in range(120):
        add_entity(f"name{number}", services)
    text = " ".join(f"name{number}" for number in range(120))

    body = captured({"text": text, "entities": text.split()}, services)

    assert len(body["primary_record"]["relations"]) == MAX_MENTIONS
    assert body["created_records"] == []


def test_content_and_context_of_ten_megabytes_come_back_from_the_bucket(table: Store) -> None:
    content = {"ref": "r", "project": "Orchid", "log": noise(10_000_000)}
    context = noise(10_000_000, 1)

    body = captured(upload(content, table), table.services, context=upload(context, table))

    assert [each["type"] for each in body["created_records"]] == ["entity"]
    held = table.records.load(body["primary_record"]["id"])
    assert isinstance(held, StoredRecord)
    assert isinstance(held.record.payload, EpisodicPayload)
    assert held.record.payload.environment is not None
    stored = held.record.payload.environment.context
    assert isinstance(stored, LargeValue)
    kept = parse_json(table.records.value(stored), MAX_RECORD_DEPTH)
    assert (kept["capture_content"], kept["capture_context"]) == (content, context)


def test_names_of_every_form_are_keys_of_the_table(table: Store) -> None:
    names = [
        "__proto__",
        "a\u0000b\u001b[2J",
        "\u202eEvil\u202c",
        "\U0001f600" * 256,
        "\ufdfa" * 256,
        "@",
        " ",
        "`",
    ]

    first, second = (captured({"entities": names, "text": "`@@`"}, table.services) for _ in "12")

    made = [each["payload"]["canonical_name"] for each in first["created_records"]]
    assert made == [*names[:4], "`"]
    assert second["created_records"] == []
