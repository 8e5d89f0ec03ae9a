"""A `curl` of the options that the pages use, since not every machine has the program."""

import argparse
import sys
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

parser = argparse.ArgumentParser(prog="curl", allow_abbrev=False)
parser.add_argument("url")
parser.add_argument("-s", action="store_true", required=True, help="no progress, as always here")
parser.add_argument("-i", action="store_true", help="print the status line and the headers")
parser.add_argument("-X", dest="method")
parser.add_argument("-H", dest="headers", action="append", default=[])
content = parser.add_mutually_exclusive_group()
content.add_argument("-d", dest="text")
content.add_argument("-T", dest="file", type=Path)
asked = parser.parse_args()

url = urlsplit(asked.url)
method, body = "GET", None
if asked.file:
    method, body = "PUT", asked.file.read_bytes()
elif asked.text is not None:
    method = "POST"
    file = Path(asked.text.removeprefix("@"))
    body = file.read_bytes().replace(b"\n", b"") if asked.text[:1] == "@" else asked.text.encode()
headers = dict(each.split(": ", 1) for each in asked.headers)
connection = {"http": HTTPConnection, "https": HTTPSConnection}[url.scheme](url.netloc)
connection.request(asked.method or method, f"{url.path}?{url.query}", body, headers)
reply = connection.getresponse()
out = sys.stdout.buffer
if asked.i:
    status = [f"HTTP/1.1 {reply.status} {reply.reason}"]
    lines = [*status, *(f"{name}: {value}" for name, value in reply.getheaders()), "", ""]
    out.write("\r\n".join(lines).encode())
out.write(reply.read())
