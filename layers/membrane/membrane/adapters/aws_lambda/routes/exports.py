"""The routes of exports."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import ACCEPTED, Operation
from membrane.domain.archive.requests import CreateExport, ListExports, ReadExport
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.archive.exports import create_export, list_exports, read_export

EXPORTS = (
    Operation(
        CreateExport,
        "POST /v1/exports",
        Permission.ADMIN,
        bodies.body_alone,
        create_export,
        status=ACCEPTED,
    ),
    Operation(
        ReadExport,
        "GET /v1/exports/{id}",
        Permission.ADMIN,
        bodies.id_and_cursor,
        read_export,
    ),
    Operation(
        ListExports,
        "GET /v1/exports",
        Permission.ADMIN,
        bodies.nothing_asked,
        list_exports,
    ),
)
