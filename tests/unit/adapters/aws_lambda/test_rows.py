"""Every row of the API names what there is, and each part fits the others."""

import re
from inspect import signature
from typing import get_args

import pytest
from typing_extensions import is_typeddict

from membrane.adapters.aws_lambda.http.assembling import parameters, standing
from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.rows import ROWS

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.rpc)


@every_row
def test_the_verb_of_a_row_takes_the_rows_request(row: Row) -> None:
    taken = next(iter(signature(row.run).parameters.values())).annotation

    if isinstance(taken, str):  # imported for the type checker alone
        assert taken == row.request_type.__name__
    else:
        assert issubclass(row.request_type, get_args(taken) or taken)


@every_row
def test_the_reply_of_a_row_is_a_body_of_json(row: Row) -> None:
    assert row.status == 204 if row.reply_type is None else is_typeddict(row.reply_type)


@every_row
def test_the_path_of_a_row_has_the_fields_that_stand_in_the_path(row: Row) -> None:
    marked = {name for name, mark in standing(row.request_type).items() if mark.place == "path"}

    places = set(re.findall(r"\{([a-z_]+)\+?\}", row.route))
    assert marked == ({"namespace", "key"} if places == {"path"} else places)


@every_row
def test_a_request_without_a_body_has_every_field_elsewhere(row: Row) -> None:
    if row.method != "GET":
        return

    fields = set(row.request_type.model_fields)
    within = {each.within or each.field for each in parameters(row.request_type)}
    assert fields == within | standing(row.request_type).keys()


def test_no_two_rows_have_the_same_route_or_rpc() -> None:
    assert len({row.route for row in ROWS}) == len({row.rpc for row in ROWS}) == len(ROWS)
