"""The port of `membrane dev`, and the API at MEMBRANE_URL."""

import os
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus

from membrane.domain.language.errors import Unavailable
from membrane_cli.doctor.diagnosis import Diagnosis
from membrane_cli.http_client import HttpClient
from membrane_cli.stack_options import API_KEY, URL, USUAL_URL
from membrane_local.dev_options import DEFAULT_PORT
from membrane_local.http.server import open_port
from membrane_local.refusals import OptionRefused

PATIENCE_S = 5


def diagnose_local_stack() -> Iterator[Diagnosis]:
    """The port and the API."""
    try:
        with closing(open_port(DEFAULT_PORT)):
            yield Diagnosis("port", f"{DEFAULT_PORT} is free")
    except OptionRefused:
        advice = "is it a `membrane dev`? `membrane dev --port 0` takes a free one"
        yield Diagnosis("port", f"{DEFAULT_PORT} is taken", advice)
    yield _api(os.environ.get(URL), os.environ.get(API_KEY))


def _api(url: str | None, key: str | None) -> Diagnosis:
    """Whether the API answers, and takes the key."""
    if not url:
        return Diagnosis("API", f"{URL} is not set, so the commands ask {USUAL_URL}")
    client = HttpClient(url, key, PATIENCE_S)
    try:
        health = client.call("GET", "/health").status
        listed = client.call("GET", "/v1/records?limit=1").status
    except (Unavailable, ValueError) as error:
        return Diagnosis("API", f"could not reach {url}", f"{error}; see {URL}")
    if health != HTTPStatus.OK:
        return Diagnosis("API", f"{url} answers {health}", f"is that the API? See {URL}")
    if listed in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return Diagnosis("API", f"{url} answers, and refuses the key", f"see {API_KEY}")
    return Diagnosis("API", f"{url} answers, and takes the key")
