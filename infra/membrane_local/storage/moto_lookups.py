"""Faster lookups of moto: its addresses and errors are worked out once, not for each request.

For each request, moto formats every address of the service, and reads the module of S3's addresses
again; for each refusal, moto reads every error of the service's model. Half of a call's CPU.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from moto.core.base_backend import BaseBackend
from moto.core.errors import ErrorLookup, ErrorLookupFactory
from moto.core.model import ServiceModel


@contextmanager
def light_lookups() -> Iterator[None]:
    """Within this context, moto keeps the addresses and the errors of each service."""
    usual_urls, usual_errors = BaseBackend.urls, ErrorLookupFactory.for_service
    urls_of: Callable[[BaseBackend], Mapping[str, Any]] = usual_urls.fget  # type: ignore[attr-defined]  # a property
    urls: dict[type[BaseBackend], Mapping[str, Any]] = {}
    errors: dict[str, ErrorLookup] = {}

    def kept_urls(self: BaseBackend) -> Mapping[str, Any]:
        if type(self) not in urls:
            urls[type(self)] = urls_of(self)
        return urls[type(self)]

    def kept_errors(self: ErrorLookupFactory, service_model: ServiceModel) -> ErrorLookup:
        name = service_model.service_name
        if name not in errors:
            errors[name] = usual_errors(self, service_model)
        return errors[name]

    BaseBackend.urls = property(kept_urls)  # type: ignore[assignment, method-assign]  # moto has no other way
    ErrorLookupFactory.for_service = kept_errors  # type: ignore[method-assign]  # the same
    try:
        yield
    finally:
        BaseBackend.urls = usual_urls  # type: ignore[method-assign]  # back again
        ErrorLookupFactory.for_service = usual_errors  # type: ignore[method-assign]  # the same
