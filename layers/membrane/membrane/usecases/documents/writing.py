"""Write documents and append to lists: read, decide, write conditionally, once per key."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.documents import requests
from membrane.domain.documents.filters import texts_of
from membrane.domain.documents.items import Chunk, Once, Receipt, append_behind
from membrane.domain.documents.model import Content, Document, Making, Text, put
from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language import errors
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue, references_in
from membrane.domain.language.vocabulary import LOWEST, Permission, Sensitivity
from membrane.domain.records.stored import FINGERPRINT_BYTES
from membrane.usecases.documents import reading
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.world import World
from membrane.usecases.records.resolve_references import resolve_references
from membrane.usecases.records.write import REUSED

if TYPE_CHECKING:
    from membrane.domain.documents.replies import AppendedItems, WrittenDocument

Decide = Callable[[Document | None, Making], Document | None]
"""Returns the next state from what is stored at the place; None if nothing has to change."""


class Written(NamedTuple):
    document: Document | None
    """The document as it is stored now."""
    version: int
    """The version that the write made; 0 = nothing had to change."""
    existed: bool
    """Whether there was a document before."""
    replayed: bool = False


def put_document(request: requests.PutDocument, call: Call, world: World) -> ReplyBody:
    """Write the value; a repeat under a key returns the document as it is now.

    Raises PermissionDenied for a scope or a sensitivity that the key may not write, for a lower
    sensitivity without `admin` and for a value of another actor without `revise`; VersionMismatch;
    AlreadyExists for a reused key and for a place that a hidden document holds; the errors of
    `resolve_references` for an upload.
    """
    place = place_of(request, call)
    call.principal.require_write(place.scope, request.sensitivity or LOWEST)
    text, value, large = _value_of(request, place, call, world)
    passages, embedder = _passages_of(value, request.index, world)

    def decide(before: Document | None, making: Making) -> Document:
        _require_not_hidden(before, call.principal, making.now_s)
        alive = reading.visible(before, call.principal, making.now_s)
        require_version(request, alive)
        sensitivity = _sensitivity_over(alive, request, call.principal, world)
        call.principal.require_write(place.scope, sensitivity)
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
    now_s = epoch_seconds(world.now())
    body: WrittenDocument = {"version": written.version, "existed": written.existed}
    shown = reading.visible(written.document, call.principal, now_s)
    if shown is not None:
        body["document"] = reading.stored_document(shown, now_s)
    # A repeat has no ETag once a later version exists, which the caller has not seen.
    is_newest = written.document is not None and written.document.version == written.version
    version = written.version if is_newest else None
    return ReplyBody(body, replayed=written.replayed, version=version)


def _value_of(
    request: requests.PutDocument, place: Place, call: Call, world: World
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
    large = LargeValue.of(owner, encoded)
    return large, value, {large: encoded}


def _passages_of(value: Any, paths: tuple[str, ...], world: World) -> tuple[tuple[bytes, ...], str]:
    """A vector for each text at the paths, and the space; the embedder loads on demand."""
    texts = texts_of(value, paths) if paths else ()
    if not texts:
        return (), ""
    # A put without `index` need not load numpy.
    from membrane.domain.documents.matching import pack  # noqa: PLC0415

    embedder = world.embedders[0]
    return tuple(map(pack, embedder.embed(texts))), embedder.name


def _sensitivity_over(
    alive: Document | None, request: requests.PutDocument, principal: Principal, world: World
) -> Sensitivity:
    """The sensitivity of the next version; raises PermissionDenied for a refused overwrite."""
    if alive is None:
        return request.sensitivity or world.policy.sensitivity
    require_own_or_revise(alive, principal)
    sensitivity = request.sensitivity or alive.sensitivity
    if sensitivity.level < alive.sensitivity.level:
        principal.require(Permission.ADMIN)
    return sensitivity


def append_items(request: requests.AppendItems, call: Call, world: World) -> ReplyBody:
    """Append the items behind the newest; makes the document without a value if it is absent.

    Raises PermissionDenied for a scope or sensitivity that the key may not write; AlreadyExists for
    a reused key and for a place that a hidden document holds; TooLarge; Aborted.
    """
    place = place_of(request, call)
    call.principal.require_write(place.scope, request.sensitivity or LOWEST)
    if len(compact_json(request.items).encode()) > requests.MAX_APPEND_BYTES:
        message = (
            f"items exceed {requests.MAX_APPEND_BYTES} bytes as JSON: append fewer at a time, "
            "or put a large value as a document of its own"
        )
        raise errors.TooLarge(message).at("items")

    def attempt() -> ReplyBody:
        making = _making_of(call, "", world)
        earlier = earlier_write(place, call, world)
        # The list is read before the document: what deletes it later changes the newest chunk.
        chunks = world.documents.chunks(place, 0, generation="", now_s=making.now_s)
        newest = None if earlier is not None else next(chunks, None)
        before = world.documents.load(place)
        _require_not_hidden(before, call.principal, making.now_s)
        if earlier is not None:
            shown = reading.visible(before, call.principal, making.now_s)
            again: AppendedItems = {"end": earlier.number}
            if shown is not None:
                again["document"] = reading.stored_document(shown, making.now_s)
            return ReplyBody(again, replayed=True)
        document = _document_at(before, place, request, making, call, world)
        changes = append_behind(newest, _chunk(document, request, making))
        end = changes[-1][1].next_start - 1
        once = once_of(place, call, world, number=end)
        world.documents.put_chunks(changes, once)
        reading.begin_anew(document, call, making.now_s, world)
        body: AppendedItems = {
            "end": end,
            "document": reading.stored_document(document, making.now_s),
        }
        return ReplyBody(body)

    return until_won(attempt, world)


def _document_at(  # noqa: PLR0917 - what is stored, what is asked, and by whom
    before: Document | None,
    place: Place,
    request: requests.AppendItems,
    making: Making,
    call: Call,
    world: World,
) -> Document:
    """The document of the list, made now if it is absent; raises LostRace.

    Raises FailedPrecondition for items above the sensitivity of the document.
    """
    asked = request.sensitivity
    if before is not None and before.is_alive(making.now_s):
        if asked is not None and asked.level > before.sensitivity.level:
            raise errors.FailedPrecondition(
                f"sensitivity of the document is {before.sensitivity}: put the document with a "
                "higher sensitivity before the append"
            )
        return before
    sensitivity = asked or world.policy.sensitivity
    call.principal.require_write(place.scope, sensitivity)
    after = put(before, place, Content(None, sensitivity, request.ttl_seconds), making)
    return world.documents.replace(before, after)


def _chunk(document: Document, request: requests.AppendItems, making: Making) -> Chunk:
    return Chunk(
        place=document.place,
        start=0,
        taken=len(request.items),
        items=request.items,
        principal=making.principal,
        at=making.at,
        generation=document.created_at,
        expires_at_s=None if document.period_s is None else making.now_s + document.period_s,
    )


def write(  # noqa: PLR0917 - where, what, by whom, and over which ports
    place: Place,
    decide: Decide,
    request: requests.PutDocument | requests.DeleteDocument,
    call: Call,
    world: World,
    large: Mapping[LargeValue, bytes] = NO_VALUES,
) -> Written:
    """Write what `decide` makes of the stored document; a repeat under the key changes nothing.

    Raises AlreadyExists for a key reused with a different request, Aborted, and the errors of
    `decide`. `large` has the texts of new large values.
    """
    existed_at: dict[str, bool] = {}
    """Whether there was a document, by the hash of each version that the call tried to write."""

    def attempt() -> Written:
        earlier = earlier_write(place, call, world)
        before = world.documents.load(place)
        # The reply of the store may be lost after a write: then the version of a try is stored.
        for entry, _ in () if before is None else before.versions:
            if entry.hash in existed_at:
                return Written(before, entry.version, existed_at[entry.hash])
        if earlier is not None:
            return Written(before, earlier.number, earlier.existed, replayed=True)
        making = _making_of(call, request.rationale, world)
        after = decide(before, making)
        if after is None:
            once = once_of(place, call, world)
            if once is not None:
                world.documents.remember(once)
            return Written(before, 0, existed=False)
        existed = before is not None and before.is_alive(making.now_s)
        existed_at[after.current.entry.hash] = existed
        if request.operation_id is not None:
            _note(request.operation_id, place, call, world)
        once = once_of(place, call, world, number=after.version, existed=existed)
        stored = world.documents.replace(before, after, large, once)
        return Written(stored, after.version, existed)

    return until_won(attempt, world)


def place_of(
    request: requests.PutDocument | requests.DeleteDocument | requests.AppendItems, call: Call
) -> Place:
    return request.place(call.principal.scope_for_writing(request.scope))


def _making_of(call: Call, rationale: str, world: World) -> Making:
    now = world.now()
    actor = call.principal.actor_id
    return Making(epoch_seconds(now), rfc3339(now), actor, world.new_salt(), rationale)


def earlier_write(place: Place, call: Call, world: World) -> Once | None:
    """The earlier write under the key, if any. Raises AlreadyExists for a different one."""
    keyed = call._replace(rpc=reading.RPC).operation
    found = keyed and world.documents.find_once(place, keyed.identity)
    if keyed and found and found.fingerprint != keyed.fingerprint:
        raise errors.AlreadyExists(REUSED)
    return found


def once_of(place: Place, call: Call, world: World, **did: Any) -> Once | None:
    """What the call does, to be stored with the effect, for `did`; None without a key."""
    keyed = call._replace(rpc=reading.RPC).operation
    return keyed and Once(place, *keyed, world.documents.until_s(), **did)


def _note(operation_id: str, place: Place, call: Call, world: World) -> None:
    """Keep where a write with an operation id goes; comes before the write.

    Raises AlreadyExists if a different write with the id took place.
    """
    identity = call.principal.identity
    receipt = Receipt(place, call.fingerprint[:FINGERPRINT_BYTES])
    earlier = world.documents.find_receipt(identity, operation_id)
    if earlier == receipt:
        return
    if (
        earlier is not None
        and reading.noted_write(earlier, identity, operation_id, world) is not None
    ):
        raise errors.AlreadyExists(REUSED)
    world.documents.note(identity, operation_id, receipt)


def _require_not_hidden(document: Document | None, principal: Principal, now_s: float) -> None:
    """Raises AlreadyExists if a document that the principal may not see holds the place."""
    if document is not None and document.is_alive(now_s) and not reading.sees(document, principal):
        raise errors.AlreadyExists(
            "namespace and key are taken by a document that the key may not see"
        )


def require_own_or_revise(document: Document, principal: Principal) -> None:
    """Raises PermissionDenied for a value that another actor wrote, without `revise`."""
    if document.current.entry.principal != principal.actor_id:
        principal.require(Permission.REVISE)


def require_version(
    request: requests.PutDocument | requests.DeleteDocument, present: Document | None
) -> None:
    """Raises VersionMismatch if the document is not as the request expects.

    `present`: the document as the principal sees it; None for an absent, deleted or hidden one.
    """
    version = 0 if present is None else present.version
    is_missing = request.must_exist and present is None
    if not is_missing and request.expected_version in {None, version}:
        return
    if present is None:
        raise errors.VersionMismatch("there is no document at namespace and key")
    raise errors.VersionMismatch(
        f"the document has version {version}, not the expected version {request.expected_version}"
    )
