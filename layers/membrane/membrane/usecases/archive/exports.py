"""Create, read and list exports."""

from membrane.domain.archive.exports import MAX_PARTS, Export, ExportState
from membrane.domain.archive.lines import selection_for
from membrane.domain.archive.replies import ExportList, ExportReply, ExportView
from membrane.domain.archive.requests import CreateExport, ListExports, ReadExport
from membrane.domain.language import timestamps
from membrane.domain.language.errors import AlreadyExists, InvalidArgument, NotFound
from membrane.domain.language.vocabulary import Permission
from membrane.table.items import Checkpoint, LostRace
from membrane.table.keys import EXPORT as EXPORTS_OF
from membrane.table.keys import export_key
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.walks import admit_walk
from membrane.usecases.ports.world import World

EXPORT = "membrane-export"
"""Names the event that starts the export function: `{"owner", "id", "hop"}`."""

STALLED_S = 3_600
"""A running export that was kept no more for so long goes on with a repeat of the request alone."""

PAGE = 100
"""Links in one reply. A link has about 2 KB, and a reply of Lambda at most 6 MB."""


def create_export(request: CreateExport, call: Call, world: World) -> ReplyBody:
    """Keep a new export and start the work; raises PermissionDenied and AlreadyExists.

    AlreadyExists is for an idempotency key that was used for a different request. A repeat starts
    the work again, because the first call may have ended between the two steps.
    """
    call.principal.require(Permission.ADMIN)
    owner, now = call.principal.identity, world.now()
    expires_at_s = int(timestamps.epoch_seconds(now + world.retention.export))
    export = Export(
        id=call.new_id(world),
        selection=selection_for(call.principal, request.scope),
        fingerprint=call.fingerprint.hex(),
        created_at=timestamps.rfc3339(now),
        updated_at=timestamps.rfc3339(now),
        expires_at_s=expires_at_s,
    )
    replayed = False
    admit_walk(
        "export",
        export.selection.as_json(),
        export.id,
        is_running=lambda earlier: _is_running(earlier.owner, earlier.id, world),
        call=call,
        world=world,
    )
    try:
        keep_export(export, owner, None, world)
    except LostRace:
        earlier, export, replayed = export, _find(owner, export.id, world), True
        if earlier.fingerprint != export.fingerprint:
            raise AlreadyExists("the idempotency key was used for a different request") from None
    if export.state is not ExportState.DONE:
        event = {EXPORT: {"owner": owner, "id": export.id, "hop": 0}}
        world.invoke_later(world.export_function, event)
    return ReplyBody(_reply(export, world), replayed)


def read_export(request: ReadExport, call: Call, world: World) -> ExportReply:
    """The export with links to a page of the parts.

    Raises NotFound for an export of another principal, and InvalidArgument for the cursor of
    something else.
    """
    begin = _passed_parts(request.cursor)
    return _reply(_find(call.principal.identity, request.id, world), world, begin)


def list_exports(_request: ListExports, call: Call, world: World) -> ExportList:
    """The exports of the principal, the newest first."""
    found = map(Export.of_json, world.jobs.all_of(f"{EXPORTS_OF}{call.principal.identity}"))
    ordered = sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)
    return {"exports": [_view(each) for each in ordered]}


def keep_export(export: Export, owner: str, before: Checkpoint | None, world: World) -> Checkpoint:
    """Replace `before` (None = no export); raises LostRace if the export has changed since."""
    key = export_key(owner, export.id)
    return world.jobs.keep(key, export.as_json(), before, export.expires_at_s)


def _is_running(owner: str, export_id: str, world: World) -> bool | None:
    export = _find_kept(owner, export_id, world)
    if export is None:
        return None
    if export.state is not ExportState.RUNNING:
        return False
    return (
        timestamps.epoch_seconds(world.now()) - timestamps.seconds_of(export.updated_at) < STALLED_S
    )


def _find(owner: str, export_id: str, world: World) -> Export:
    export = _find_kept(owner, export_id, world)
    if export is None:
        raise NotFound(f"export {export_id} not found")
    return export


def _find_kept(owner: str, export_id: str, world: World) -> Export | None:
    kept = world.jobs.find(export_key(owner, export_id))
    return None if kept is None else Export.of_json(kept.progress)


def _passed_parts(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit()) or len(cursor) > len(str(MAX_PARTS)):
        raise InvalidArgument("cursor is not of a page of this export").at("cursor")
    return int(cursor)


def _reply(export: Export, world: World, begin: int = 0) -> ExportReply:
    reply: ExportReply = {"export": _view(export)}
    if export.state is not ExportState.DONE:
        return reply
    end = begin + PAGE
    reply["parts"] = [
        {"url": world.links.download(part.name), "bytes": part.bytes}
        for part in export.parts[begin:end]
    ]
    if end < len(export.parts):
        reply["next_cursor"] = str(end)
    return reply


def _view(export: Export) -> ExportView:
    shown: ExportView = {
        "id": export.id,
        "state": export.state,
        "max_sensitivity": export.selection.ceiling,
        "created_at": export.created_at,
        "updated_at": export.updated_at,
        "expires_at": timestamps.rfc3339(timestamps.from_epoch_seconds(export.expires_at_s)),
        "lines": export.frame.lines,
        "bytes": sum(part.bytes for part in export.parts),
        "counts": dict(export.frame.counts),
    }
    if export.reason:
        shown["reason"] = export.reason
    if (scopes := export.selection.as_json().get("scopes")) is not None:
        shown["scopes"] = scopes
    return shown
