"""The routes of studies of documents, with a function of their own."""

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import ACCEPTED, Operation
from membrane.domain.language.vocabulary import Permission
from membrane.domain.study.requests import (
    CancelStudy,
    ReadStudy,
    RemoveDocument,
    ResumeStudy,
    StartStudy,
)
from membrane.usecases.study.change_study import cancel_study, resume_study
from membrane.usecases.study.read_study import read_study
from membrane.usecases.study.remove_document import remove_document
from membrane.usecases.study.start_study import start_study

STUDIES = (
    Operation(
        StartStudy,
        "POST /v1/studies",
        Permission.INGEST,
        bodies.body_alone,
        start_study,
        status=ACCEPTED,
    ),
    Operation(
        ReadStudy,
        "GET /v1/studies/{id}",
        Permission.READ,
        bodies.id_alone,
        read_study,
    ),
    Operation(
        CancelStudy,
        "POST /v1/studies/{id}/cancel",
        Permission.INGEST,
        bodies.id_and_body,
        cancel_study,
        status=ACCEPTED,
    ),
    Operation(
        ResumeStudy,
        "POST /v1/studies/{id}/resume",
        Permission.INGEST,
        bodies.id_and_body,
        resume_study,
        status=ACCEPTED,
    ),
    Operation(
        RemoveDocument,
        "POST /v1/studies/remove",
        Permission.REVISE,
        bodies.body_alone,
        remove_document,
        status=ACCEPTED,
    ),
)
