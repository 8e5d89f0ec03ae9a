"""`membrane doctor` on machines that have everything, or less."""

import json
import socket
from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from membrane_cli.cli import main
from membrane_cli.doctor import machine
from tests.e2e.stack import Stack


@pytest.fixture(autouse=True)
def _no_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Region, and an address at which nobody answers in the place of AWS."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")


@pytest.fixture
def taken_port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr("membrane_cli.doctor.cloud.DEFAULT_PORT", port)
        yield port


def said(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, list[str]]:
    """What it prints of each thing: mark, finding and advice."""
    main(["doctor", *options])
    lines = capsys.readouterr().out.splitlines()
    return {name: [mark, *rest] for mark, name, *rest in (line.split("\t") for line in lines)}


def test_a_machine_without_network_is_well_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0

    found = {line.split("\t")[1]: line.split("\t") for line in capsys.readouterr().out.splitlines()}
    assert found.keys() == {
        *("python", "packages", "encoder", "template", "port", "API"),
        *("Region", "AWS"),
    }
    assert found["Region"] == ["ok", "Region", "eu-central-1", ""]
    assert found["AWS"][2] == "could not reach AWS"
    assert "only a deployment needs AWS" in found["AWS"][3]


def test_what_the_local_stack_cannot_do_without_is_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "PACKAGES", ("boto3", "no_such_package"))

    assert main(["doctor"]) == 1

    shown = capsys.readouterr().out
    assert "wrong\tpackages\tmissing: no_such_package\tinstall the project again" in shown


def test_a_taken_port_is_a_note(capsys: pytest.CaptureFixture[str], taken_port: int) -> None:
    found = said(capsys)

    assert found["port"][:2] == ["note", f"{taken_port} is taken"]
    assert main(["doctor"]) == 0


def test_json_has_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])

    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert all(each.keys() == {"name", "found", "advice", "is_fatal", "mark"} for each in found)
    assert found[0]["name"] == "python"


def test_an_api_is_asked_for_its_health_and_with_the_key(
    stack: Stack, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    well = said(capsys)["API"]
    monkeypatch.setenv("MEMBRANE_API_KEY", "another")
    refused = said(capsys)["API"]
    monkeypatch.setenv("MEMBRANE_URL", "http://127.0.0.1:9")
    gone = said(capsys)["API"]

    assert well == ["ok", f"{stack.url} answers, and takes the key", ""]
    assert refused[1:] == [f"{stack.url} answers, and refuses the key", "see MEMBRANE_API_KEY"]
    assert gone[1] == "could not reach http://127.0.0.1:9"


def test_whose_credentials_there_are_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL")

    with mock_aws():
        arn = boto3.client("sts").get_caller_identity()["Arn"]
        found = said(capsys)

    assert found["AWS"] == ["ok", arn, ""]
