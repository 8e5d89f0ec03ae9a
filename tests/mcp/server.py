"""The dispatcher with the suite's fixtures behind a loopback port: the server under test.

usage: python -m tests.mcp.server

Prints the address of the endpoint, then answers until the process is stopped.
"""

import base64
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from membrane.adapters.aws_lambda.mcp.endpoint import answer_mcp, refusal_of_origin
from tests.mcp.fixture_server import FixtureServer

HOST = "127.0.0.1"


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__((HOST, 0), Handler)
        self.origin = f"http://{HOST}:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, except that the suite has left before the end of a response."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Turns an HTTP request into an event of the gateway, and the reply into a response."""

    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    """Buffered: one packet for headers and body."""

    def do_POST(self) -> None:
        event = self._event()
        refusal = refusal_of_origin(event, {self.server.origin})
        reply = refusal or answer_mcp(event, FixtureServer(), {self.server.origin})
        body = reply.get("body", "").encode()
        self.send_response(reply["statusCode"])
        for name, value in reply["headers"].items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST  # noqa: N815 - the name that the base class calls
    do_DELETE = do_POST  # noqa: N815 - the same

    def log_message(self, *_args: Any) -> None:
        """Write no line for a request: the suite reports failures."""

    def _event(self) -> dict[str, Any]:
        """An event in payload format 2.0: header names in lower case, the body as base64."""
        names = {name.lower() for name in self.headers}
        length = int(self.headers.get("content-length", 0))
        return {
            "version": "2.0",
            "headers": {name: ",".join(self.headers.get_all(name, ())) for name in names},
            "requestContext": {"http": {"method": self.command}},
            "body": base64.b64encode(self.rfile.read(length)).decode(),
            "isBase64Encoded": True,
        }


def main() -> None:
    with Server() as server:
        print(f"{server.origin}/mcp", flush=True)  # noqa: T201 - for the script
        server.serve_forever()


if __name__ == "__main__":
    main()
