"""`/_dev/imports/<name>`: puts an object to import into the local bucket, and shows the result.

`/_dev/restores/<name>` does the same for an export to restore.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import parse_qsl
from uuid import uuid4

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.imports.progress import Progress, is_later, progress_of, result_name
from membrane_local.account import ACCOUNT
from membrane_local.events.bus import Bus
from membrane_local.http_messages import Request, Response
from membrane_local.storage.objects import ReceivingImports
from membrane_local.storage.stores import BUCKET

PREFIXES = ("/_dev/imports/", "/_dev/restores/")
"""Beginnings of paths whose bodies go into a file, not into memory."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,149}")
"""Short enough that names of the result's parts are valid file names too."""


@dataclass(frozen=True, slots=True)
class ImportRoutes:
    imports: ReceivingImports
    bus: Bus
    prefix: str
    """IMPORTS, or RESTORES for exports."""
    on_stored: Callable[[str], None]
    """Called with the name of a stored object, before the import begins."""

    def answer(self, name: str, request: Request) -> Response:
        """Put an object, or get the import's result, or with `?part=` a part of the refusals."""
        if request.method == "PUT":
            if request.file is None:
                raise InvalidArgument("the request needs a body")
            return Response.of_json(202, self.put_object(name, request.file))
        part = dict(parse_qsl(request.raw_query)).get("part")
        if part is None:
            return Response.of_json(200, self.result(name))
        return Response.of_json(200, {"refusals": self.refusals(name, part)})

    def put_object(self, name: str, content: BinaryIO) -> JsonObject:
        """Store the object, which starts the import. Raises InvalidArgument."""
        key = _key(self.prefix, name)
        self.imports.receive(key, content)
        self.on_stored(key)
        found = self.imports.find(key)
        if found is None:
            raise NotFound("the object was removed at once")
        put = {
            "key": key,
            "size": found.size,
            "etag": found.etag,
            "sequencer": _sequencer(progress_of(self.imports.result(result_name(key)))),
        }
        self.bus.publish(
            {
                "source": "aws.s3",
                "detail-type": "Object Created",
                "resources": [f"arn:aws:s3:::{BUCKET}"],
                "detail": {
                    "version": "0",
                    "bucket": {"name": BUCKET},
                    "object": put,
                    "request-id": str(uuid4()),
                    "requester": ACCOUNT,
                    "source-ip-address": "127.0.0.1",
                    "reason": "PutObject",
                },
            }
        )
        return put

    def result(self, name: str) -> JsonObject:
        """The result object; raises NotFound before the first result."""
        return dict(parse_json(self._stored_content(result_name(_key(self.prefix, name)))))

    def refusals(self, name: str, part: str) -> list[JsonObject]:
        """A part of the refusals; raises NotFound."""
        names = self.result(name)["refused_parts"]
        parts = {str(number): part_name for number, part_name in enumerate(names, 1)}
        if part not in parts:
            raise NotFound("there is no such part")
        return [parse_json(line) for line in self._stored_content(parts[part]).splitlines()]

    def _stored_content(self, name: str) -> bytes:
        stored = self.imports.result(name)
        if stored is None:
            raise NotFound(f"there is no object {name}")
        return stored.content


def _key(prefix: str, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidArgument("a name is made of letters, digits and ._-, 150 at most")
    return prefix + name


def _sequencer(before: Progress | None) -> str:
    """A sequencer later than the earlier upload's, even after the machine's clock was set back."""
    now = f"{time.time_ns():016X}"
    return now if before is None or is_later(now, before.put) else f"{before.put}1"
