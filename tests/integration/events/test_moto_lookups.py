"""Lookups of moto, kept: the addresses and errors that moto works out are the same ones."""

import pytest
from moto.backends import get_backend
from moto.core.base_backend import BaseBackend
from moto.core.errors import ErrorLookupFactory
from moto.core.utils import get_service_model

from membrane_local.storage.moto_lookups import light_lookups

ACCOUNT, REGION = "123456789012", "us-east-1"


def backends() -> list[BaseBackend]:
    """The backends of the services that a store calls."""
    return [
        get_backend("dynamodb")[ACCOUNT][REGION],
        get_backend("dynamodbstreams")[ACCOUNT][REGION],
        get_backend("s3")[ACCOUNT]["aws"],
    ]


def test_each_service_has_the_addresses_that_moto_works_out() -> None:
    usual = [[*each.urls] for each in backends()]

    with light_lookups():
        kept = [[*each.urls] for each in [*backends(), *backends()]]

    assert kept == [*usual, *usual]
    assert all(usual)


def test_the_addresses_are_worked_out_once() -> None:
    with light_lookups():
        first, second = ([each.urls for each in backends()] for _ in range(2))

        assert all(one is other for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize(
    ("service", "code"), [("s3", "NoSuchBucket"), ("dynamodb", "ResourceNotFoundException")]
)
def test_each_error_has_the_shape_that_moto_works_out(service: str, code: str) -> None:
    usual = shape_of(service, code)

    with light_lookups():
        kept = [shape_of(service, code) for _ in range(2)]

    assert kept == [usual, usual]


def test_the_errors_of_a_service_are_worked_out_once() -> None:
    with light_lookups():
        first, second = (ErrorLookupFactory().for_service(get_service_model("s3")) for _ in "12")

        assert first is second


def shape_of(service: str, code: str) -> tuple[str, object]:
    """The name and the content of the error's shape."""
    shape = ErrorLookupFactory().for_service(get_service_model(service)).from_code(code)
    assert shape is not None
    return shape.name, shape.metadata
