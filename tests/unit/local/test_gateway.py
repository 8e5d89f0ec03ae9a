"""Routes of the local gateway: matching and precedence, as API Gateway has them."""

import pytest

from membrane_local.http.gateway import Route

GREEDY = Route.of("GET /v1/documents/{path+}")


@pytest.mark.parametrize(
    ("raw_path", "parameters"),
    [
        ("/v1/documents/a", {"path": "a"}),
        ("/v1/documents/a/b/c", {"path": "a/b/c"}),
        ("/v1/documents/a//b/", {"path": "a//b/"}),
        ("/v1/documents/a%252Fb/c%20d", {"path": "a%2Fb/c d"}),
        ("/v1/documents/a%2Fb", {"path": "a/b"}),
        ("/v1/documents/", None),
        ("/v1/documents", None),
        ("/v2/documents/a", None),
    ],
)
def test_a_greedy_parameter_takes_the_rest_of_the_path_decoded_once(
    raw_path: str, parameters: dict[str, str] | None
) -> None:
    assert GREEDY.match("GET", raw_path) == parameters


def test_a_route_takes_its_own_method_alone() -> None:
    assert GREEDY.match("PUT", "/v1/documents/a") is None


def test_a_parameter_takes_one_segment() -> None:
    route = Route.of("GET /v1/records/{id}/audit")

    assert route.match("GET", "/v1/records/a%20b/audit") == {"id": "a b"}
    assert route.match("GET", "/v1/records/a/b/audit") is None


def test_whole_paths_come_first_then_single_parameters_then_the_longest_greedy_one() -> None:
    keys = [
        "GET /{everything+}",
        "GET /v1/documents/{path+}",
        "GET /v1/{kind}/{name}",
        "GET /v1/documents/{name}",
        "GET /v1/documents/batch",
    ]

    routes = sorted(map(Route.of, keys), key=lambda each: each.precedence)

    assert [each.key for each in routes] == [*reversed(keys)]
