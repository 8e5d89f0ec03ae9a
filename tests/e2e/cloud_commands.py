"""Commands that need an AWS account, held against their parsers: no test reaches AWS."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator

import botocore.session
from botocore import xform_name

from tests.worlds.pages import ROOT, Page, Snippet

NO_AWS = {
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_MAX_ATTEMPTS": "1",
    "SAM_CLI_TELEMETRY": "0",
}
"""In the environment of a command that needs AWS: no service answers."""

BY_HAND = {
    ("cloudformation", "deploy"): {
        *("capabilities", "parameter-overrides", "s3-bucket", "stack-name", "template-file"),
    },
    ("s3", "cp"): {"recursive"},
    ("s3", "mb"): set(),
    ("s3", "rb"): {"force"},
}
"""Options of the commands that no operation of an API is the model of."""

GLOBAL_OPTIONS = {"output", "profile", "query", "region"}
"""Options of every command of the AWS command line."""


def needs_aws(snippet: Snippet) -> bool:
    return snippet.language == "sh" and any(
        re.match(r"(aws|\S*sam) ", each) or " --stack " in each for each in commands(snippet)
    )


def commands(snippet: Snippet) -> Iterator[str]:
    """The commands of a snippet, without the pipes and variables that take their output."""
    for line in snippet.text.replace("\\\n", " ").splitlines():
        assigned = re.fullmatch(r"(?:export )?\w+=\$\((.*)\)", line)
        yield (assigned[1] if assigned else line).partition(" | ")[0]


def unset_variables(page: Page) -> set[str]:
    """The shell variables that a command for AWS reads and no earlier snippet of the page sets."""
    known: set[str] = set()
    unset = set()
    for snippet in (each for each in page.snippets if each.language == "sh"):
        known |= set(re.findall(r"^(?:export )?(\w+)=", snippet.text, re.MULTILINE))
        known |= set(re.findall(r"^export .*? (\w+)=", snippet.text, re.MULTILINE))
        if needs_aws(snippet):
            unset |= set(re.findall(r"\$\{?([A-Za-z_]\w*)", snippet.text)) - known
    return unset


def check(command: str) -> None:
    """Fail where the program that the command names would not understand the command."""
    match shlex.split(command):
        case [*_] if re.fullmatch(r"(export )?(\w+=\S+ ?)+", command):
            pass
        case ["cd" | "sha256sum", *_]:
            pass
        case ["make", *_]:
            done = _run(f"{command} --dry-run")
            assert done.returncode == 0, done.stderr
        case ["aws", service, "wait", waiter, *options]:
            waiters = botocore.session.Session().get_waiter_model(service)
            names = {xform_name(each, "-"): each for each in waiters.waiter_names}
            assert waiter in names, command
            operation = waiters.get_waiter(names[waiter]).operation
            _check_aws(service, xform_name(operation, "-"), options)
        case ["aws", service, operation, *options]:
            _check_aws(service, operation, options)
        case _:
            assert "Could not connect" in refusal(command), command


def refusal(command: str) -> str:
    """The output of a command that ends with 1 because AWS does not answer."""
    done = _run(command)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def _run(command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        shlex.split(command),
        capture_output=True, text=True, check=False, cwd=ROOT,
        stdin=subprocess.DEVNULL, env={**os.environ, **NO_AWS},
    )  # fmt: skip


def _check_aws(service: str, operation: str, options: list[str]) -> None:
    """Look for the operation and its options in the models that the AWS command line is made of."""
    given = {each.removeprefix("--").removeprefix("no-") for each in options if each[:2] == "--"}
    if (service, operation) in BY_HAND:
        assert given <= BY_HAND[service, operation]
        return
    model = botocore.session.Session().get_service_model(service)
    names = {xform_name(each, "-"): each for each in model.operation_names}
    assert operation in names, f"aws {service} {operation}"
    shape = model.operation_model(names[operation]).input_shape
    known = {xform_name(each, "-") for each in shape.members} if shape else set()
    assert given <= known | GLOBAL_OPTIONS, f"aws {service} {operation}"
    required = {xform_name(each, "-") for each in shape.required_members} if shape else set()
    assert required <= given, f"aws {service} {operation}"
