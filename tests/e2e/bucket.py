"""As much of S3 over HTTP as the functions use: objects by key, their ranges, and listings.

The same server signs as KMS does, takes invocations as Lambda does, and starts executions as Step
Functions does.
"""

import base64
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

KEY = ec.generate_private_key(ec.SECP256R1())
WRITTEN_AT = "2026-11-01T00:00:00.000Z"
NO_SUCH_KEY = b"<Error><Code>NoSuchKey</Code><Message>absent</Message></Error>"


@contextmanager
def s3(objects: dict[str, bytes]) -> Iterator[str]:
    """The address of a server whose only bucket, whatever its name, holds the objects."""
    requests = type("Requests", (_Requests,), {"objects": objects})
    with ThreadingHTTPServer(("127.0.0.1", 0), requests) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # header and body in one packet
    objects: ClassVar[dict[str, bytes]]

    @property
    def key(self) -> str:
        return unquote(urlsplit(self.path).path).split("/", 2)[2]

    def do_PUT(self) -> None:
        content = self.objects[self.key] = self.rfile.read(int(self.headers["content-length"]))
        self._answer(200, b"", {"etag": _etag(content)})

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        if "list-type" in query:
            self._answer(200, _listing(self.objects, query.get("prefix", [""])[0]))
            return
        if "versions" in parse_qs(urlsplit(self.path).query, keep_blank_values=True):
            self._answer(200, _versions(self.objects, query.get("prefix", [""])[0]))
            return
        content = self.objects.get(self.key)
        if content is None:
            self._answer(404, NO_SUCH_KEY)
            return
        headers = {"etag": _etag(content)}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range", ""))
        if asked:
            first, last = int(asked[1]), min(int(asked[2] or len(content)), len(content) - 1)
            headers["content-range"] = f"bytes {first}-{last}/{len(content)}"
            content = content[first : last + 1]
        self._answer(206 if asked else 200, content, headers)

    def do_POST(self) -> None:
        """Sign, in place of KMS; else take an invocation or an execution: nothing runs."""
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("x-amz-target") == "TrentService.Sign":
            self._answer(200, _signed(json.loads(body)))
        else:
            self._answer(202, b"")

    def do_DELETE(self) -> None:
        self.objects.pop(self.key, None)
        self._answer(204, b"")

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


def _signed(asked: Mapping[str, str]) -> bytes:
    """The reply of KMS to a request for the signature of a digest."""
    algorithm = ec.ECDSA(Prehashed(hashes.SHA256()))
    value = KEY.sign(base64.b64decode(asked["Message"]), algorithm)
    return json.dumps(
        {
            "KeyId": asked["KeyId"],
            "Signature": base64.b64encode(value).decode(),
            "SigningAlgorithm": asked["SigningAlgorithm"],
        }
    ).encode()


def _etag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


def _versions(objects: Mapping[str, bytes], prefix: str) -> bytes:
    """The versions of a bucket without versioning: each object once."""
    found = "".join(
        f"<Version><Key>{escape(key)}</Key><VersionId>null</VersionId><IsLatest>true</IsLatest>"
        f"<LastModified>{WRITTEN_AT}</LastModified><ETag>{_etag(content)}</ETag></Version>"
        for key, content in sorted(objects.items())
        if key.startswith(prefix)
    )
    answer = f"<ListVersionsResult><IsTruncated>false</IsTruncated>{found}</ListVersionsResult>"
    return answer.encode()


def _listing(objects: Mapping[str, bytes], prefix: str) -> bytes:
    found = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{len(content)}</Size>"
        f"<LastModified>{WRITTEN_AT}</LastModified><ETag>{_etag(content)}</ETag></Contents>"
        for key, content in sorted(objects.items())
        if key.startswith(prefix)
    )
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>".encode()
