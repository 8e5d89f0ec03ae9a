"""Serves the suite's fixtures behind the dispatcher, on a free port of this machine.

Each request becomes an event of API Gateway's HTTP API, as Lambda gets it.
"""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from membrane.adapters.aws_lambda.mcp.dispatch import answer_mcp
from tests.mcp.fixtures import Fixtures


class Endpoint(BaseHTTPRequestHandler):
    """The path `/mcp`."""

    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length).decode()
        event = {
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "requestContext": {
                "domainName": "127.0.0.1",
                "http": {"method": self.command, "path": self.path},
            },
            "body": body,
            "isBase64Encoded": False,
        }
        reply = answer_mcp(event, Fixtures)
        sent = reply.get("body", "").encode()
        self.send_response(reply["statusCode"])
        for name, value in reply["headers"].items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    do_POST = do_GET = do_DELETE = do_OPTIONS = _answer  # noqa: N815 - names of the base class

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    sys.stdout.write(f"ready on http://127.0.0.1:{server.server_port}/mcp\n")
    sys.stdout.flush()
    server.serve_forever()


main()
