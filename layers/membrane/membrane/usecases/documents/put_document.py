"""Write a document."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from membrane.domain.documents.changes import Content, Making, Next, put
from membrane.domain.documents.document import Document, Passage, Text
from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.documents.requests import PutDocument
from membrane.domain.documents.texts import texts_of
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue, references_in
from membrane.domain.language.vocabulary import LOWEST, Sensitivity
from membrane.usecases.documents.showing import (
    require_not_hidden,
    require_own_or_revise,
    require_version,
    sensitivity_after,
    stored_document,
    visible,
)
from membrane.usecases.documents.writing import Written, place_of, write
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World
from membrane.usecases.records.resolve_references import resolve_references

if TYPE_CHECKING:
    from membrane.domain.documents.replies import WrittenDocument


def put_document(request: PutDocument, call: Call, world: World) -> ReplyBody:
    """Write the value; a repeat under a key returns the document as it is now.

    Raises PermissionDenied for a scope or a sensitivity that the key may not write, for a lower
    sensitivity without `admin` and for a value of another actor without `revise`; VersionMismatch;
    AlreadyExists for a reused key and for a place that a hidden document holds; the errors of
    `resolve_references` for an upload.
    """
    place = place_of(request, call)
    call.principal.require_write(place.scope, request.sensitivity or LOWEST)
    text, value, large = _value_of(request, place, call, world)
    passages, embedder = passages_of(value, request.index, world)

    def decide(before: Document | None, making: Making) -> Next:
        sensitivity = _permitted_sensitivity(before, request, place, making, call, world)
        content = Content(
            text,
            sensitivity,
            request.ttl_seconds,
            request.half_life_seconds,
            request.index,
            passages,
            embedder,
        )
        return put(before, place, content, making)

    written = write(place, decide, request, call, world, large)
    return _reply(written, call, world)


def _permitted_sensitivity(  # noqa: PLR0917 - what is stored, what is asked, and by whom
    before: Document | None,
    request: PutDocument,
    place: Place,
    making: Making,
    call: Call,
    world: World,
) -> Sensitivity:
    """The sensitivity of the next version; raises the errors of a refused overwrite."""
    principal = call.principal
    require_not_hidden(before, principal, making.now_s)
    alive = before if before is not None and before.is_alive(making.now_s) else None
    require_version(request, alive)
    if alive is not None:
        require_own_or_revise(alive, principal)
    usual = world.policy.sensitivity
    sensitivity = sensitivity_after(alive, request.sensitivity, usual, principal)
    principal.require_write(place.scope, sensitivity)
    return sensitivity


def _value_of(
    request: PutDocument, place: Place, call: Call, world: World
) -> tuple[Text, Any, Mapping[LargeValue, bytes]]:
    """The text to store, the value, and the text of a large value for the bucket."""
    owner = owner_of_values(place.id)
    references = list(references_in(request))
    resolved, claimed = resolve_references(request, references, owner, call, world)
    value = resolved.value
    if isinstance(value, LargeValue):
        return value, parse_json(claimed.values[value]), claimed.values
    text = compact_json(value)
    encoded = text.encode()
    if len(encoded) < LARGE_VALUE_BYTES:
        return text, value, {}
    large = LargeValue(owner, hashlib.sha256(encoded).hexdigest(), len(encoded))
    return large, value, {large: encoded}


def _reply(written: Written, call: Call, world: World) -> ReplyBody:
    """The ETag of a repeat is absent once a later version exists, which the caller has not seen."""
    document, now_s = written.document, epoch_seconds(world.now())
    body: WrittenDocument = {"version": written.version, "existed": written.existed}
    if document is not None and visible(document, call.principal, now_s):
        body["document"] = stored_document(document, now_s)
    is_newest = document is not None and document.version == written.version
    version = written.version if is_newest else None
    return ReplyBody(body, replayed=written.replayed, version=version)


def passages_of(
    value: Any, paths: tuple[str, ...], world: World
) -> tuple[tuple[Passage, ...], str]:
    """A vector for each text at the paths, and the name of the vector space; empty without texts.

    The embedder is loaded for the first text.
    """
    texts = texts_of(value, paths) if paths else ()
    if not texts:
        return (), ""
    # A put without `index` need not load numpy.
    from membrane.domain.documents.likeness import pack  # noqa: PLC0415

    embedder = world.embedders[0]
    vectors = embedder.embed(texts)
    return tuple(Passage(pack(vector)) for vector in vectors), embedder.name
