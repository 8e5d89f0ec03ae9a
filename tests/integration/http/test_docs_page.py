"""`/docs` of the local stack: a page over the OpenAPI document, without key and without network."""

import re
from pathlib import Path

import pytest

from membrane_local.http.docs_page import ROUTES
from membrane_local.http_messages import Request, Response
from tests.worlds.api import Api

ROOT = Path(__file__).parents[3]
VENDORED = ROOT / "infra" / "membrane_local" / "swagger_ui"


def get(api: Api, path: str, host: str = "127.0.0.1:8765") -> Response:
    return api.application.answer(Request("GET", path, "", {"host": host}, b""))


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/start.js", "text/javascript; charset=utf-8"),
        ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
        ("/docs/swagger-ui.css", "text/css; charset=utf-8"),
    ],
)
def test_the_page_and_the_files_of_the_page_need_no_key(
    api: Api, path: str, content_type: str
) -> None:
    found = get(api, path)

    assert (found.status, found.headers["content-type"]) == (200, content_type)
    assert found.body


def test_the_page_refers_to_served_files_alone(api: Api) -> None:
    page, start = (get(api, path).body.decode() for path in ("/docs", "/docs/start.js"))

    named = re.findall(r'(?:src|href)="([^"]+)"', page) + re.findall(r'url: "([^"]+)"', start)
    served = {path for _, path in ROUTES} | {"/openapi.json", "data:,"}
    assert set(named) == served - {"/", "/docs"}
    assert "validatorUrl: null" in start


def test_the_browser_may_load_and_send_nothing_outside_the_stack(api: Api) -> None:
    policy = get(api, "/docs").headers["content-security-policy"]

    sources = {source for rule in policy.split(";") for source in rule.split()[1:]}
    assert policy.startswith("default-src 'none';")
    assert sources == {"'none'", "'self'", "'unsafe-inline'", "data:"}


def test_the_root_leads_to_the_page(api: Api) -> None:
    found = get(api, "/")

    assert (found.status, found.headers["location"]) == (302, "/docs")
    assert get(api, "/", host="rebound.example").status == 403


def test_a_page_of_another_name_for_this_machine_is_refused(api: Api) -> None:
    assert get(api, "/docs", host="rebound.example").status == 403


def test_the_readme_names_the_version_of_the_vendored_files() -> None:
    version = re.search(r"`swagger-ui-dist` ([0-9.]+) ", (VENDORED / "README.md").read_text())

    assert version is not None
    assert f'"{version[1]}"' in (VENDORED / "swagger-ui-bundle.js").read_text("utf-8")
