"""Keyed documents in an export and in a restore: hostile lines leave nothing behind."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import LineKind
from membrane.domain.archive.selection import Selection
from membrane.domain.documents.changes import put
from membrane.domain.documents.requests import MAX_APPEND_BYTES
from membrane.domain.language.errors import AlreadyExists, DomainError, ScopeFenced
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.usecases.archive import load_keyed_document as loading
from membrane.usecases.archive.export_lines import lines_of_items
from membrane.usecases.archive.restore_line import parse_line, restore_line
from membrane.usecases.ports.archive import KeyedDocumentPlace
from membrane.usecases.ports.services_archive import ArchiveServices
from tests.builders.stored_documents import (
    SCOPE,
    chunk,
    content,
    large_value,
    making,
    place,
    store_next,
    written,
)
from tests.builders.stored_records import NOW
from tests.fakes.world import make_archive_services

EVERYTHING = Selection(Sensitivity.HYPER, None)
HERE = place()

Spoil = Callable[[dict[str, Any]], object]


def lines_in(services: ArchiveServices, selection: Selection = EVERYTHING) -> list[Any]:
    """The lines of the document in an export."""
    export = Export(
        id="export-1",
        fingerprint="",
        expires_at_s=1,
        selection=selection,
        created_at=NOW,
        updated_at=NOW,
    )
    (lines,) = lines_of_items([KeyedDocumentPlace(HERE)], export, services)
    return [parse_json(line, 96) for _, line in lines]


def laden_services() -> ArchiveServices:
    """Services with a document of two versions, a value in the bucket, and a list."""
    services = make_archive_services()
    value, text = large_value(HERE)
    first = written(services.documents, HERE, '{"a": 1}')
    second = put(first, HERE, content(value), making(rationale="grown"))
    store_next(services.documents, first, second, large={value: text})
    services.documents.put_chunk(None, chunk(HERE, items=["a", "b"]))
    services.documents.put_chunk(None, chunk(HERE, 3, ["c"]))
    return services


def laden_line() -> Any:
    (line,) = lines_in(laden_services())
    return line


def restored(line: Any, services: ArchiveServices) -> bool:
    return restore_line(parse_line(json.dumps(line).encode()), services)


def at(*path: Any, to: Any) -> Spoil:
    def spoil(line: dict[str, Any]) -> None:
        holder: Any = line
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = to

    return spoil


SPOILED: dict[str, Spoil] = {
    "kind": at("kind", to=["keyed_document"]),
    "unknown field": at("document", "more", to=1),
    "key": at("document", "key", to=".."),
    "labels": at("document", "namespace", to=[]),
    "another place": at("document", "namespace", to=["other"]),
    "scope": at("document", "scope", to="*"),
    "sensitivity": at("document", "sensitivity", to="none"),
    "period": at("document", "ttl_s", to=-1),
    "a deletion of a live document": at("document", "removed_at_s", to=5.0),
    "history": at("document", "shown_from", to=2),
    "path": at("document", "index", to=["a..b"]),
    "passage": at("document", "passages", to=["!"]),
    "padded passage": at("document", "passages", to=["a==="]),
    "many passages": at("document", "passages", to=["AAAA"] * 9),
    "long passage": at("document", "passages", to=["AAAA" * 2_000]),
    "mark": at("document", "marks", to=[{"identity": "x"}]),
    "no version": at("versions", to=[]),
    "a lost version": lambda line: line["versions"].pop(),
    "versions in another order": lambda line: line["versions"].reverse(),
    "rationale": at("versions", 1, "rationale", to="forged"),
    "actor": at("versions", 1, "principal", to="bob"),
    "value": at("versions", 0, "text", to='{"a": 2}'),
    "no JSON": at("versions", 0, "text", to="{"),
    "text and large": at("versions", 1, "text", to="1"),
    "size": at("versions", 1, "large", "size", to=7),
    "no values": lambda line: line.pop("values"),
    "another value": at("values", to={"0" * 64: "1"}),
    "overlap": at("chunks", 1, "start", to=2),
    "more items than positions": at("chunks", 0, "taken", to=1),
    "a position below the first": at("chunks", 0, "start", to=0),
    "large items": at("chunks", 0, "items", to=["x" * MAX_APPEND_BYTES, ""]),
    "a position that no table holds": at("chunks", 1, "start", to=10**10),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_line_is_refused_and_leaves_nothing(spoil: Spoil) -> None:
    services, line = make_archive_services(), laden_line()
    spoil(line)

    with pytest.raises(DomainError):
        restored(line, services)

    assert lines_in(services) == []
    assert not services.documents.versions(HERE, 99, 99)
    assert not list(services.documents.chunks(HERE, None, generation="", now_s=0))


def test_an_equal_document_is_skipped_and_a_different_one_stays_as_it_is() -> None:
    services, line = make_archive_services(), laden_line()
    assert restored(line, services)

    assert not restored(line, services)

    other = make_archive_services()
    written(other.documents, HERE, '"own"')
    before = lines_in(other)
    with pytest.raises(AlreadyExists, match="prefs"):
        restored(line, other)
    assert lines_in(other) == before


def test_a_document_of_a_scope_that_is_being_erased_is_refused() -> None:
    services, line = make_archive_services(), laden_line()
    services.fences.put(SCOPE, "erasure-1")

    with pytest.raises(ScopeFenced):
        restored(line, services)

    assert lines_in(services) == []


@pytest.mark.parametrize(
    ("selection", "is_held"),
    [
        (EVERYTHING, True),
        (Selection(Sensitivity.LOW, (SCOPE,)), True),
        (Selection(Sensitivity.LOW, (), ("project:",)), True),
        (Selection(Sensitivity.HYPER, ("project:other",)), False),
        (Selection(Sensitivity.PUBLIC, (SCOPE,)), False),
    ],
)
def test_an_export_holds_the_documents_of_scope_and_sensitivity(
    *, selection: Selection, is_held: bool
) -> None:
    found = [line["kind"] for line in lines_in(laden_services(), selection)]

    assert found == ([LineKind.KEYED_DOCUMENT] if is_held else [])


def test_a_list_that_no_line_holds_is_named_as_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_LINE_BYTES", 200_000)
    services = laden_services()
    services.documents.put_chunk(None, chunk(HERE, 4, ["x" * 100_000]))
    assert lines_in(services)[0]["kind"] == LineKind.KEYED_DOCUMENT
    services.documents.put_chunk(None, chunk(HERE, 5, ["y" * 100_000]))

    (line,) = lines_in(services)

    assert line["kind"] == LineKind.DAMAGED
    assert line["id"] == "the document prefs in users"
    assert "exceed" in line["reason"]
    assert lines_in(services, Selection(Sensitivity.HYPER, (SCOPE,))) == []
