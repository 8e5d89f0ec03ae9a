"""Every operation of the API. Written by `make openapi`."""

from membrane_client.core.api import Api
from membrane_client.operations.documents import Documents
from membrane_client.operations.ingest import Ingest
from membrane_client.operations.jobs import Jobs
from membrane_client.operations.records import Records
from membrane_client.operations.topics import Topics


class Operations(Ingest, Records, Topics, Documents, Jobs):
    """The operations as methods of a client."""


class Routes(Api, Operations):
    """The operations as functions of an Api: a call is its steps."""
