"""Export and restore keyed documents, an item a line.

A document of any length is walked with the memory of one item. An export broken off amid a document
goes on behind the last item, with the document as a new read shows the document: only an erasure
changes the former versions beside a document.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from math import inf

from membrane.domain.archive import document_lines
from membrane.domain.archive.exports import Export
from membrane.domain.archive.lines import LineKind, Selection, damaged_line
from membrane.domain.documents import model
from membrane.domain.documents.items import Beside, Chunk, Former, Once, has_lost
from membrane.domain.documents.places import life_of, owner_of_values
from membrane.domain.language.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.table.items import CorruptItem, Item
from membrane.table.keys import blob_name
from membrane.usecases.archive.export_lines import ExportLine, as_export_line, lines_or_damage
from membrane.usecases.machinery.calls import until_won
from membrane.usecases.ports.walks import DifferentItem
from membrane.usecases.ports.world import World

Step = tuple[Iterable[ExportLine], str]
"""Lines, and the start of the walk behind them."""


def is_amid_document(after: str) -> bool:
    return len(json.loads(after)) > len(("pk", "sk"))


def lines_of_document(after: str, export: Export, world: World) -> Iterator[Step]:
    """The lines of the document at a place of the walk, which may be amid the document."""
    pk, sk, *marks = json.loads(after)
    place = compact_json([pk, sk])
    archive, selection = world.document_archive, export.selection
    try:
        document = archive.at(place)
        if document is None or not _is_selected(document, selection):
            yield (), place
            return
        of_document = partial(
            lines_or_damage, f"document {document.place.id}", is_named=selection.is_everything
        )
        passed = document_lines.Passed(*marks)
        is_seen = partial(_is_still_selected, document, selection, world)
        for item, reached in archive.parts_beside(document, passed, is_seen):
            passed = reached
            lines = of_document(partial(_lines_beside, item, document, export, world))
            yield lines, compact_json([pk, sk, *passed])
        yield of_document(partial(_lines_of, document, passed, world)), place
    except CorruptItem:
        yield [as_export_line(damaged_line(place))] if selection.is_everything else (), place


def _is_selected(document: model.Document, selection: Selection) -> bool:
    """False for the place without a name at which an erasure has left a document."""
    place = document.place
    return not place.erased_id and selection.selects(place.scope, document.sensitivity)


def _is_still_selected(document: model.Document, selection: Selection, world: World) -> bool:
    """Whether the document has been selected since it was read: no put has raised its sensitivity.

    A put that lowers the sensitivity again begins the history anew.
    """
    if selection.ceiling is Sensitivity.HYPER:
        return True
    there = world.document_archive.load(document.place)
    return (
        there is not None
        and there.shown_from == document.shown_from
        and _is_selected(there, selection)
    )


def _lines_beside(
    item: Item, document: model.Document, export: Export, world: World
) -> Iterator[JsonObject]:
    at, part = _at(document), world.document_archive.part_of(item, document.place)
    match part:
        case Former(versions, until_s):
            seen = _seen_of(versions, document)
            yield from _lines_of_values(at, seen, world)
            yield document_lines.VersionsLine(
                at=at, until_s=until_s, versions=document_lines.states_of(seen)
            ).as_json()
        case Chunk():
            fields = {name: getattr(part, name) for name in document_lines.ChunkState.model_fields}
            if part.generation != document.created_at:  # hidden, as are the document's versions
                fields["items"] = ()
            chunk = document_lines.ChunkState(**fields)
            yield document_lines.ItemsLine(at=at, until_s=part.expires_at_s, chunk=chunk).as_json()
        case _:
            # taken off when the document may have had a higher sensitivity
            is_whole = export.selection.ceiling is Sensitivity.HYPER
            yield document_lines.WriteLine(
                at=at,
                identity=part.identity.hex(),
                fingerprint=part.fingerprint.hex(),
                until_s=part.until_s,
                number=part.number,
                existed=part.existed,
                taken=tuple(part.taken) if is_whole else (),
            ).as_json()


def _lines_of(
    document: model.Document, passed: document_lines.Passed, world: World
) -> Iterator[JsonObject]:
    at, seen = _at(document), _seen_of(document.versions, document)
    yield from _lines_of_values(at, seen, world)
    yield document_lines.DocumentLine(
        at=at,
        document=document_lines.state_of(document),
        versions=document_lines.states_of(seen),
        oldest=document_lines.Oldest(version=passed.oldest, until_s=passed.oldest_until_s)
        if passed.oldest
        else None,
    ).as_json()


def _lines_of_values(
    at: document_lines.At, versions: model.Versions, world: World
) -> Iterator[JsonObject]:
    """Raises CorruptItem for a value that is absent or altered."""
    for large in document_lines.large_values_of(versions):
        text = world.records.value(large).decode()
        yield document_lines.ValueLine(at=at, life=life_of(large.record_id), text=text).as_json()


def _seen_of(versions: model.Versions, document: model.Document) -> model.Versions:
    """The versions without content that no reader sees: it may be of a higher sensitivity."""
    hidden = document.version if document.is_erased else document.shown_from - 1
    return tuple(
        model.without_content(each) if each.entry.version <= hidden else each for each in versions
    )


def _at(document: model.Document) -> document_lines.At:
    place = document.place
    return document_lines.At(
        scope=place.scope,
        namespace=place.namespace,
        key=place.key,
        born_s=document.born_s,
        expires_at_s=document.expires_at_s,
    )


def restore_document_line(shown: JsonObject, world: World) -> bool:
    """Write what a line holds; False if the equal is there already, or the line's end has come.

    Raises InvalidArgument for a line that is not sound, AlreadyExists, and ScopeFenced. A refused
    document takes along the items written by the restore beside the place.
    """
    at = validate(document_lines.At, shown.get("at"))
    try:
        return _restore(document_lines.read_line(shown), world)
    except (InvalidArgument, AlreadyExists, FailedPrecondition) as error:
        if shown["kind"] == LineKind.KEYED_DOCUMENT:
            there = world.document_archive.find(at.place)
            if there is None or there.born_s != at.born_s:
                world.document_archive.discard(at.place, at.born_s)
        if isinstance(error, InvalidArgument):
            raise InvalidArgument(f"document {at.place.id}: {error}") from error
        raise


def _restore(line: document_lines.AnyLine, world: World) -> bool:
    if line.is_past(epoch_seconds(world.now())):
        return False
    place, archive = line.at.place, world.document_archive
    world.fences.require_open({place.scope})

    def attempt() -> bool:
        stored = archive.find(place)
        if stored is None:
            _write(line, world)
        elif stored.born_s != line.at.born_s or not _is_stored(line, stored, world):
            raise DifferentItem
        return stored is None

    try:
        return until_won(attempt, world)
    except DifferentItem as error:
        raise AlreadyExists(f"document {place.id} exists and differs") from error


def _is_stored(line: document_lines.AnyLine, stored: model.Document, world: World) -> bool:
    """Whether the stored document has what the line holds."""
    match line:
        case document_lines.DocumentLine():
            seen = _seen_of(stored.versions, stored)
            return replace(stored, versions=seen) == document_lines.document_of(line)
        case document_lines.ValueLine():
            return _is_in_bucket(_large_value_of(line), world)
        case _:
            return world.document_archive.is_stored(stored, _part_of(line))


def _write(line: document_lines.AnyLine, world: World) -> None:
    """Write what the line holds: the document itself once everything beside makes a whole chain."""
    place, archive, born_s = line.at.place, world.document_archive, line.at.born_s
    match line:
        case document_lines.DocumentLine():
            document = document_lines.document_of(line)
            if _seen_of(document.versions, document) != document.versions:
                raise InvalidArgument("a hidden version has content")
            _require_whole(line, document, world)
            _require_values(document.versions, world)
            archive.discard(place, born_s, of=document)
            archive.put_head(document)
        case document_lines.ValueLine():
            large = {_large_value_of(line): line.text.encode()}
            archive.write_values(place, line.life, large, epoch_seconds(world.now()))
        case _:
            if isinstance(line, document_lines.VersionsLine):
                _require_values(document_lines.versions_of(line), world)
            archive.put_beside(place, _part_of(line), born_s)


def _part_of(
    line: document_lines.VersionsLine | document_lines.ItemsLine | document_lines.WriteLine,
) -> Beside:
    match line:
        case document_lines.VersionsLine():
            return Former(document_lines.versions_of(line), line.until_s)
        case document_lines.ItemsLine():
            return Chunk(line.at.place, **dict(line.chunk), expires_at_s=line.until_s)
        case _:
            return Once(
                line.at.place,
                bytes.fromhex(line.identity),
                bytes.fromhex(line.fingerprint),
                line.until_s,
                line.number,
                line.existed,
                line.taken,
            )


def _large_value_of(line: document_lines.ValueLine) -> LargeValue:
    return LargeValue.of(owner_of_values(line.at.place.id, line.life), line.text.encode())


def _require_whole(
    line: document_lines.DocumentLine, document: model.Document, world: World
) -> None:
    """Raises InvalidArgument for a chain that is broken, or lacks the oldest version.

    A document that was erased between two runs of an export has former versions with content, which
    goes.
    """
    place, archive, last = document.place, world.document_archive, model.Versions()
    known_from = document.version
    beside = archive.former_items(place, line.at.born_s)
    older = (each for each in beside if not has_lost(document, each))
    for former in chain(older, [Former(document.versions, None)]):
        versions = former.versions
        known_from = min(known_from, versions[0].entry.version)
        broken = model.first_broken(place, (*last, *versions))
        if broken is not None:
            raise InvalidArgument(f"the history is broken at version {broken}")
        last = versions[-1:]
        shown = former._replace(versions=_seen_of(versions, document))
        if shown != former:
            archive.put_beside(place, shown, line.at.born_s)
    oldest = line.oldest or document_lines.Oldest(version=known_from)
    goes_s = inf if oldest.until_s is None else oldest.until_s
    if oldest.version < known_from and goes_s > epoch_seconds(world.now()):
        raise InvalidArgument(f"version {oldest.version} is missing")


def _require_values(versions: model.Versions, world: World) -> None:
    """Raises InvalidArgument for a value whose line was refused or is missing."""
    if not all(_is_in_bucket(large, world) for large in document_lines.large_values_of(versions)):
        raise InvalidArgument("a value of the bucket is missing")


def _is_in_bucket(large: LargeValue, world: World) -> bool:
    return world.blobs.get(blob_name(large.record_id, large.sha256)) is not None
