"""Serves tables in memory over HTTP, as DynamoDB does, and counts what each call consumes."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

from membrane_local.memory.attributes import Refused
from membrane_local.memory.database import Database

READS = ("GetItem", "BatchGetItem", "Query", "Scan")
SEARCH = "SearchVectors"
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
ASKED = "ReturnConsumedCapacity"


@dataclass(slots=True)
class Tables:
    """Tables behind an address, with the units and the calls since the last look."""

    address: str = ""
    database: Database = field(default_factory=Database)
    units: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Read and write units, and bytes that searches by vectors examined."""
    calls: Counter[str] = field(default_factory=Counter)
    """Calls by operation; a call that was refused has an operation of its own."""
    lock: Lock = field(default_factory=Lock)

    def answer(self, operation: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body of the reply to a call."""
        if operation not in (*READS, *WRITES, SEARCH):
            return self._answer(operation, request)
        status, reply = self._answer(operation, {**request, ASKED: "TOTAL"})
        used = (
            reply.get("ConsumedCapacity", [])
            if request.get(ASKED)
            else reply.pop("ConsumedCapacity", [])
        )
        with self.lock:
            self.calls[operation if status == 200 else f"{operation} refused"] += 1
            for each in used if isinstance(used, list) else [used]:
                self._count(operation, each)
        return status, reply

    def take(self) -> tuple[dict[str, float], dict[str, int]]:
        """The units and the calls since the last look."""
        with self.lock:
            taken = dict(self.units), dict(self.calls)
            self.units.clear()
            self.calls.clear()
        return taken

    def _answer(self, operation: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        try:
            return 200, self.database.answer(operation, request)
        except Refused as refused:
            return 500 if refused.code == "InternalServerError" else 400, refused.body()

    def _count(self, operation: str, used: dict[str, Any]) -> None:
        if operation == SEARCH:
            self.units["vector bytes"] += used["VectorSearchRequestBytes"]
        else:
            kind = "read units" if operation in READS else "write units"
            self.units[kind] += used["CapacityUnits"]


@contextmanager
def serve_tables() -> Iterator[Tables]:
    """Serve empty tables on a free port of this machine until the end of the block."""
    tables = Tables()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            operation = self.headers["x-amz-target"].rpartition(".")[2]
            content = self.rfile.read(int(self.headers["content-length"]))
            status, reply = tables.answer(operation, json.loads(content))
            body = json.dumps(reply, separators=(",", ":")).encode()
            self.send_response_only(status)
            self.send_header("content-type", "application/x-amz-json-1.0")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """The calls are counted, not logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        tables.address = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield tables
        finally:
            server.shutdown()
            thread.join()
