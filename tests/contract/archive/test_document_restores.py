"""A restored keyed document is the document that was exported; a taken place stays as it is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from membrane.adapters.dynamodb.documents.document_keys import head_key
from membrane.domain.archive.keyed_document_lines import (
    ArchivedDocument,
    keyed_document_line,
    keyed_document_of_line,
)
from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.documents.changes import put
from membrane.domain.documents.document import Document, Passage
from membrane.domain.documents.items import Chunk, append_behind, without_newest
from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.archive.load_keyed_document import load_keyed_document
from membrane.usecases.ports.archive import DifferentItem, KeyedDocumentPlace
from membrane.usecases.ports.services_archive import ArchiveServices
from tests.builders.stored_documents import (
    KEPT_S,
    chunk,
    content,
    deleted,
    erasing,
    large_value,
    making,
    place,
    store_next,
    written,
)
from tests.contract.archive.test_exports import counted, walked
from tests.fakes.clock import MORNING
from tests.fakes.world import make_archive_services
from tests.worlds.stores import Store, TableStore, fake_store

HERE = place()
NOW_S = epoch_seconds(MORNING)
UNTIL_S = NOW_S + KEPT_S


def services_over(store: Store) -> ArchiveServices:
    usual = make_archive_services(records=store.records, now=store.clock)
    return replace(usual, documents=store.documents, document_restores=store.document_restores)


def exported(store: Store, where: Place = HERE) -> JsonObject | None:
    """The line of a document as a file of an export has the line."""
    archived = load_keyed_document(where, services_over(store))
    if archived is None:
        return None
    line: JsonObject = parse_json(encode_line(keyed_document_line(archived)), LEVELS)
    return line


def archived(line: JsonObject | None) -> ArchivedDocument:
    assert line is not None
    return keyed_document_of_line(line)


def restore(store: Store, line: JsonObject | None) -> None:
    store.document_restores.restore_document(archived(line), history_until_s=UNTIL_S)


def append(store: Store, document: Document, *items: Any, **changes: Any) -> Chunk:
    newest = next(
        store.documents.chunks(document.place, 0, generation=document.created_at, now_s=NOW_S), None
    )
    new = chunk(document.place, items=items, generation=document.created_at, **changes)
    before, after = append_behind(newest, new)
    store.documents.put_chunk(before, after)
    return after


def laden(store: Store) -> Document:
    """A document with a long history, a value in the bucket, vectors, a mark and a list."""
    documents = store.documents
    document = written(documents, HERE, *(f'"{number}"' for number in range(9)))
    value, text = large_value(HERE)
    larger = put(document, HERE, content(value), making())
    document = store_next(documents, document, larger, large={value: text})
    passages = (Passage(b"\x01\xff"), Passage(b"\x7f\x80"))
    indexed = content('{"a": 1}', index=("a", "b[*]"), passages=passages, embedder="encoder")
    keyed = making(identity=b"i" * 12, fingerprint=b"f" * 32, rationale="known better")
    whole: Document = store_next(documents, document, put(document, HERE, indexed, keyed))
    append(store, whole, "a", {"b": [1]}, identity=b"k" * 32, fingerprint=b"g" * 32)
    append(store, whole, "c", "d", expires_at_s=NOW_S + 60)
    emptied = append(store, whole, "e")
    documents.put_chunk(emptied, without_newest(emptied, 1, b"off" * 20))
    return whole


def test_a_document_comes_back_whole(store: Store) -> None:
    laden(store)
    line = exported(store)
    (other, elsewhere) = (fake_store(), fake_store())

    restore(other, line)
    restore(elsewhere, exported(other))

    assert exported(elsewhere) == line
    restored = other.documents.load(HERE)
    before = store.documents.load(HERE)
    assert restored is not None
    assert before is not None
    assert replace(restored, former=()) == replace(before, former=())
    assert len(other.documents.versions(HERE, 99, 99)) == 10


def test_every_store_restores_what_a_store_has_exported(store: Store) -> None:
    laden(origin := fake_store())
    line = exported(origin)

    restore(store, line)

    assert exported(store) == line
    value, text = large_value(HERE)
    assert store.records.value(value) == text


def test_a_restored_document_is_changed_as_before(store: Store) -> None:
    laden(origin := fake_store())
    restore(store, exported(origin))

    before = store.documents.load(HERE)
    assert before is not None
    written(store.documents, HERE, *(f'"{number}"' for number in range(20, 30)), before=before)
    chunk = append(store, before, "new")

    assert chunk.start + chunk.skipped == 6
    line = exported(store)
    assert [each["version"] for each in archived_versions(line)] == [*range(1, 22)]


def archived_versions(line: JsonObject | None) -> Sequence[JsonObject]:
    assert line is not None
    versions: Sequence[JsonObject] = line["versions"]
    return versions


def test_a_restore_that_was_cut_off_is_repeated(table: TableStore) -> None:
    laden(origin := fake_store())
    line = exported(origin)
    restore(table, line)
    table.remove(head_key(HERE))
    table.clock.advance(seconds=5)

    table.document_restores.restore_document(archived(line), history_until_s=UNTIL_S + 5)

    assert exported(table) == line


def test_a_taken_place_is_refused_and_nothing_changes(store: Store) -> None:
    laden(origin := fake_store())
    document = written(store.documents, HERE, '"mine"')
    append(store, document, "own")
    before = exported(store)

    with pytest.raises(DifferentItem):
        restore(store, exported(origin))

    assert exported(store) == before
    assert store.documents.versions(HERE, 99, 99) == []


def test_a_place_with_other_items_is_refused(store: Store) -> None:
    laden(origin := fake_store())
    store.documents.put_chunk(None, chunk(HERE, items=["foreign"]))

    with pytest.raises(DifferentItem):
        restore(store, exported(origin))

    assert store.documents.load(HERE) is None


def test_a_deleted_document_keeps_the_history_and_loses_the_list(store: Store) -> None:
    laden(origin := fake_store())
    document = origin.documents.load(HERE)
    assert document is not None
    deleted(origin.documents, document)

    line = exported(origin)
    restore(store, line)

    assert line is not None
    assert "chunks" not in line
    assert exported(store) == line
    restored = store.documents.load(HERE)
    assert restored is not None
    assert restored.is_deleted


def test_an_erased_document_has_no_value_and_stays_erased(store: Store) -> None:
    laden(origin := fake_store())
    document = origin.documents.load(HERE)
    assert document is not None
    erased = store_next(origin.documents, document, erasing(document))

    cut_off = exported(origin)
    origin.documents.erase_history(erased, until_s=UNTIL_S)
    restore(store, exported(origin))

    assert exported(store) == cut_off
    assert all("text" not in each and "large" not in each for each in archived_versions(cut_off))
    assert store.documents.is_erased(HERE.id)


def test_versions_above_the_sensitivity_stay_behind(store: Store) -> None:
    document = written(store.documents, HERE, '"secret"', sensitivity=Sensitivity.HIGH)
    document = written(store.documents, HERE, '"open"', before=document)
    written(store.documents, HERE, '"open 2"', '"open 3"', before=document)

    line = exported(store)
    restore(other := fake_store(), line)

    assert "secret" not in str(line)
    assert [each["version"] for each in archived_versions(line)] == [2, 3, 4]
    assert exported(other) == line


def test_an_expired_document_and_expired_items_are_in_no_line(store: Store) -> None:
    document = written(store.documents, HERE, "1", ttl_s=100.0)
    append(store, document, "gone", expires_at_s=NOW_S + 10)

    store.clock.advance(seconds=50)
    line = exported(store)
    store.clock.advance(seconds=50)

    assert line is not None
    assert "gone" not in str(line["chunks"])
    assert exported(store) is None
    assert exported(store, place("absent")) is None


def test_the_walk_meets_every_document(store: Store) -> None:
    long = Place("", tuple(f"{number}" * 100 for number in range(12)), "k" * 400)
    places = [HERE, place("a/b", "x", "y z"), place("é", scope=""), long]
    for each in places:
        written(store.documents, each, "1", "2", "3", "4", "5", "6", "7")
    append(store, written(store.documents, place("list"), "1"), "item")
    written(store.documents, place("brief"), "1", ttl_s=1.0)
    store.clock.advance(seconds=9)

    found = [each.item for each in walked(store)]

    expected = [KeyedDocumentPlace(each) for each in (*places, place("list"))]
    assert counted(found) == counted(expected)


def test_values_of_a_later_life_are_restored_under_the_names_of_the_life(store: Store) -> None:
    value, text = large_value(HERE)
    document = deleted(store.documents, written(store.documents, HERE, "1"))
    anew = put(document, HERE, content(value), making())
    store_next(store.documents, document, anew, large={value: text})

    restore(other := fake_store(), exported(store))

    restored = other.documents.load(HERE)
    assert restored is not None
    assert restored.current.text == anew.after.current.text
    assert owner_of_values(HERE.id, 3) in str(other.documents.blob_names(HERE.id))
