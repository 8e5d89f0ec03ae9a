"""Prints the OpenAPI document as YAML, or with `--markdown` the reference of all requests."""

import sys

from membrane_openapi.document import as_yaml
from membrane_openapi.requests_page import as_markdown

sys.stdout.write(as_markdown() if sys.argv[1:] == ["--markdown"] else as_yaml())
