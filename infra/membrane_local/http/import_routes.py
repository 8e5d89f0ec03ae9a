"""`/_dev/imports/<name>`: puts an object to import into the local bucket, and shows the result.

`/_dev/restores/<name>` does the same for an export to restore.
"""

import re
import time
from typing import BinaryIO
from urllib.parse import parse_qsl
from uuid import uuid4

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import parse_json
from membrane.usecases.imports.progress import Progress, is_later, progress_of, result_name
from membrane.usecases.ports.bucket import ImportStore
from membrane_local.account import ACCOUNT
from membrane_local.events.bus import Bus
from membrane_local.functions import Functions
from membrane_local.http_messages import Request, Response
from membrane_local.storage.stores import BUCKET

PREFIXES = (b"/_dev/imports/", b"/_dev/restores/")
"""Beginnings of raw paths whose bodies go into a file, not into memory."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,149}")
"""Short enough that names of the result's parts are valid file names too."""


def import_result(imports: ImportStore, key: str, request: Request) -> Response:
    """The result of an import, or with `?part=` a part of the refusals; raises NotFound."""
    result = parse_json(_stored_content(imports, result_name(key)))
    part = dict(parse_qsl(request.raw_query)).get("part")
    if part is None:
        return Response.of_json(200, result)
    parts = {str(number): each for number, each in enumerate(result["refused_parts"], 1)}
    if part not in parts:
        raise NotFound("there is no such part")
    lines = _stored_content(imports, parts[part]).splitlines()
    return Response.of_json(200, {"refusals": [parse_json(line) for line in lines]})


def put_object(
    functions: Functions, bus: Bus, caller: Principal, key: str, content: BinaryIO | None
) -> Response:
    """Store an object, which starts the import as the caller; raises InvalidArgument."""
    if content is None:
        raise InvalidArgument("the request needs a body")
    imports = functions.store.imports
    imports.receive(key, content)
    functions.importers[key] = caller
    found = imports.find(key)
    if found is None:
        raise NotFound("the object was removed at once")
    sequencer = _sequencer(progress_of(imports.result(result_name(key))))
    put = {"key": key, "size": found.size, "etag": found.etag, "sequencer": sequencer}
    detail = {
        "version": "0",
        "bucket": {"name": BUCKET},
        "object": put,
        "request-id": str(uuid4()),
        "requester": ACCOUNT,
        "source-ip-address": "127.0.0.1",
        "reason": "PutObject",
    }
    envelope = {"source": "aws.s3", "detail-type": "Object Created"}
    bus.publish({**envelope, "resources": [f"arn:aws:s3:::{BUCKET}"], "detail": detail})
    return Response.of_json(202, put)


def _stored_content(imports: ImportStore, name: str) -> bytes:
    stored = imports.result(name)
    if stored is None:
        raise NotFound(f"there is no object {name}")
    return stored.content


def import_key(folder: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidArgument("a name is made of letters, digits and ._-, 150 at most")
    return f"{folder}/{name}"


def _sequencer(before: Progress | None) -> str:
    """A sequencer later than the earlier upload's, even after the machine's clock was set back."""
    now = f"{time.time_ns():016X}"
    return now if before is None or is_later(now, before.put) else f"{before.put}1"
