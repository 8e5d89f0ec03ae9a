"""The routes of erasures, with a function of their own."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.erasure.requests import ReadCertificate, ReadErasure, StartErasure
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.erasure.read_erasure import read_certificate, read_erasure
from membrane.usecases.erasure.start_erasure import start_erasure

_ADMIN = Permission.ADMIN

ERASURES = (
    Operation(
        StartErasure,
        "POST /v1/erasures",
        _ADMIN,
        bodies.body_alone,
        start_erasure,
        status=202,
    ),
    Operation(
        ReadErasure,
        "GET /v1/erasures/{id}",
        _ADMIN,
        bodies.id_and_cursor,
        read_erasure,
    ),
    Operation(
        ReadCertificate,
        "GET /v1/erasures/{id}/certificate",
        _ADMIN,
        bodies.id_and_cursor,
        read_certificate,
    ),
)
