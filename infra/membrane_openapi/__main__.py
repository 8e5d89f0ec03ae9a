"""Prints the document; `make openapi` keeps it as `infra/openapi.yaml`."""

import sys

from membrane_openapi.document import as_yaml

sys.stdout.write(as_yaml())
