"""The composition root of studies: the services of conversations, the jobs, the state machine."""

import os
from collections.abc import Mapping
from dataclasses import fields
from functools import cache, partial
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.study.studies import DynamoStudies
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.services_chat import ChatServices
from membrane.usecases.ports.services_study import StudyServices
from membrane.usecases.ports.surroundings import StartExecution
from membrane.wiring import services as wiring
from membrane.wiring.chat import chat_services
from membrane.wiring.environment import Reader

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


def study_services() -> StudyServices:
    """The services of the environment, or the replacement by `services.serving`.

    The time of a request is unlimited; the edge replaces `remaining_s`.
    """
    return wiring.replacement_of(StudyServices) or _from_environment()


def read_study_machine(environment: Mapping[str, str]) -> str:
    """The ARN of the state machine; empty in functions that start no execution."""
    return Reader(environment).read("STUDY_MACHINE", "", str)


def build_study(
    usual: ChatServices,
    table: str,
    dynamodb: "DynamoDBClient",
    *,
    start_execution: StartExecution,
) -> StudyServices:
    return StudyServices(
        **{each.name: getattr(usual, each.name) for each in fields(ChatServices)},
        studies=DynamoStudies(dynamodb, table, usual.now),
        start_execution=start_execution,
    )


@cache
def _from_environment() -> StudyServices:
    table = wiring.environment_settings().table
    start = partial(_start_execution, read_study_machine(os.environ))
    return build_study(chat_services(), table, wiring.table_client(), start_execution=start)


def _start_execution(machine_arn: str, name: str, execution_input: JsonObject) -> None:
    from membrane.adapters.messaging.invoking import start_execution

    start_execution(wiring.states_client(), machine_arn, name, execution_input)


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    study_services()
