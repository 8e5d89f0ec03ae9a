"""Two forms of a definition: a synchronous call, and an awaited call."""

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterator,
)
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, get_args, overload

from membrane_client.core.api import Api
from membrane_client.core.parameters import Opt, Texts, User
from membrane_client.core.protocol import NOT_GIVEN, Event, Series, Steps, Stream
from membrane_client.values.erasures import Erasure, ErasureState
from membrane_client.values.records import Page

P = ParamSpec("P")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - of an item
G = TypeVar("G", bound=Page[Any])
E = TypeVar("E", bound=Event)
D_co = TypeVar("D_co", covariant=True)
E_co = TypeVar("E_co", covariant=True)


class Synchronous(ABC):
    """A client with synchronous calls."""

    _api: Api

    @abstractmethod
    def _run(self, steps: Steps[T]) -> T: ...

    @abstractmethod
    def _events(self, stream: Stream[E]) -> Generator[E]: ...


class Asynchronous(ABC):
    """A client with awaited calls."""

    _api: Api

    @abstractmethod
    async def _run(self, steps: Steps[T]) -> T: ...

    @abstractmethod
    def _events(self, stream: Stream[E]) -> AsyncGenerator[E]: ...


class Pager(Generic[G, I]):
    """All items of a list; iterating requests a page when the page before is used up."""

    def __init__(self, client: Synchronous, page: Callable[..., Steps[G]]) -> None:
        self._client = client
        self._page = page

    def __iter__(self) -> Iterator[I]:
        for page in self.pages():
            yield from page.items

    def first(self) -> G:
        """The first page alone."""
        return self._client._run(self._page())  # noqa: SLF001 - both are forms of one call

    def pages(self) -> Iterator[G]:
        page = self.first()
        yield page
        while page.next_cursor:
            page = self._client._run(self._page(cursor=page.next_cursor))  # noqa: SLF001
            yield page


class AsyncPager(Generic[G, I]):
    """All items of a list; iterating requests a page when the page before is used up."""

    def __init__(self, client: Asynchronous, page: Callable[..., Steps[G]]) -> None:
        self._client = client
        self._page = page

    async def __aiter__(self) -> AsyncIterator[I]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def first(self) -> G:
        """The first page alone."""
        return await self._client._run(self._page())  # noqa: SLF001

    async def pages(self) -> AsyncIterator[G]:
        page = await self.first()
        yield page
        while page.next_cursor:
            page = await self._client._run(self._page(cursor=page.next_cursor))  # noqa: SLF001
            yield page


class _Method:
    """A method in both forms, made from a function at the first access."""

    def __init__(self, steps: Callable[..., Steps[Any] | Stream[Any] | Series[Any]]) -> None:
        self.steps: Callable[..., Any] = steps
        self._functions: dict[bool, Callable[..., Any]] = {}

    def _bind(self, client: object, owner: type) -> Any:
        is_async = issubclass(owner, Asynchronous)
        function = self._functions.get(is_async)
        if function is None:
            function = self._functions[is_async] = self._describe(is_async=is_async)
        return function if client is None else MethodType(function, client)

    def _make(self, *, is_async: bool) -> Callable[..., Any]:
        raise NotImplementedError

    def _return_type(self, result: Any, *, is_async: bool) -> Any:
        raise NotImplementedError

    def _describe(self, *, is_async: bool) -> Callable[..., Any]:
        """The function with the definition's name, docstring and parameters."""
        function: Any = functools.update_wrapper(self._make(is_async=is_async), self.steps)
        del function.__wrapped__
        signature = inspect.signature(self.steps)
        result = get_args(signature.return_annotation)[-1]
        first, *others = signature.parameters.values()
        function.__signature__ = signature.replace(
            parameters=[first.replace(name="self", annotation=inspect.Parameter.empty), *others],
            return_annotation=self._return_type(result, is_async=is_async),
        )
        return function  # type: ignore[no-any-return]  # a function


class Operation(_Method, Generic[P, T]):
    """A call with a result."""

    def __init__(self, steps: Callable[Concatenate[Api, P], Steps[T]]) -> None:
        super().__init__(steps)

    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...

    @overload
    def __get__(self, client: Synchronous, owner: type) -> Callable[P, T]: ...

    @overload
    def __get__(self, client: Asynchronous, owner: type) -> Callable[P, Awaitable[T]]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        return self._bind(client, owner)

    def _make(self, *, is_async: bool) -> Callable[..., Any]:
        def call(self_: Synchronous, *args: Any, **named: Any) -> Any:
            return self_._run(self.steps(self_._api, *args, **named))  # noqa: SLF001

        async def call_async(self_: Asynchronous, *args: Any, **named: Any) -> Any:
            return await self_._run(self.steps(self_._api, *args, **named))  # noqa: SLF001

        return call_async if is_async else call

    def _return_type(self, result: Any, *, is_async: bool) -> Any:
        return Awaitable[result] if is_async else result


class Forget(Protocol, Generic[D_co, E_co]):
    """The two calls of `forget`; `D_co` is the result for a record, `E_co` for a target."""

    @overload
    def __call__(
        self,
        record_id: str,
        *,
        why: str,
        erase: bool = False,
        user: User = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> D_co: ...

    @overload
    def __call__(
        self,
        *,
        scope: Opt[str] = NOT_GIVEN,
        subject: Opt[str] = NOT_GIVEN,
        ids: Opt[Texts] = NOT_GIVEN,
        dry_run: bool = True,
        reason: Opt[str] = NOT_GIVEN,
        wait_seconds: float = ...,
        on_progress: Callable[[ErasureState], object] | None = None,
        user: User = NOT_GIVEN,
        idempotency_key: str | None = None,
    ) -> E_co: ...


class ForgetOperation(Operation[..., Any]):
    """The call `forget`, whose result depends on what the caller names."""

    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...

    @overload
    def __get__(self, client: Synchronous, owner: type) -> Forget[None, Erasure]: ...

    @overload
    def __get__(
        self, client: Asynchronous, owner: type
    ) -> Forget[Awaitable[None], Awaitable[Erasure]]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        return self._bind(client, owner)


class Listing(_Method, Generic[P, G, I]):
    """A call with a list as result, page by page."""

    def __init__(self, steps: Callable[Concatenate[Api, P], Steps[G]], item: type[I]) -> None:
        super().__init__(steps)
        self.item = item

    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...

    @overload
    def __get__(self, client: Synchronous, owner: type) -> Callable[P, Pager[G, I]]: ...

    @overload
    def __get__(self, client: Asynchronous, owner: type) -> Callable[P, AsyncPager[G, I]]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        return self._bind(client, owner)

    def _make(self, *, is_async: bool) -> Callable[..., Any]:
        def pager(self_: Any, *args: Any, **named: Any) -> Any:
            def page(**cursor: str) -> Any:
                return self.steps(self_._api, *args, **{**named, **cursor})  # noqa: SLF001

            return AsyncPager(self_, page) if is_async else Pager(self_, page)

        return pager

    def _return_type(self, result: Any, *, is_async: bool) -> Any:
        return (AsyncPager if is_async else Pager)[result, self.item]


class Streaming(_Method, Generic[P, E]):
    """A call with events as result, each as the event arrives.

    The first event sends the request. Closing the generator closes the connection.
    """

    def __init__(self, steps: Callable[Concatenate[Api, P], Stream[E]]) -> None:
        super().__init__(steps)

    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...

    @overload
    def __get__(self, client: Synchronous, owner: type) -> Callable[P, Generator[E]]: ...

    @overload
    def __get__(self, client: Asynchronous, owner: type) -> Callable[P, AsyncGenerator[E]]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        return self._bind(client, owner)

    def _make(self, *, is_async: bool) -> Callable[..., Any]:  # noqa: ARG002 - the same for both
        def events(self_: Any, *args: Any, **named: Any) -> Any:
            return self_._events(self.steps(self_._api, *args, **named))  # noqa: SLF001

        return events

    def _return_type(self, result: Any, *, is_async: bool) -> Any:
        return AsyncGenerator[result, None] if is_async else Generator[result, None, None]


class Following(_Method, Generic[P, T]):
    """A call with the states of a job as result, each as the state changes.

    The first state sends the first request.
    """

    def __init__(self, steps: Callable[Concatenate[Api, P], Series[T]]) -> None:
        super().__init__(steps)

    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...

    @overload
    def __get__(self, client: Synchronous, owner: type) -> Callable[P, Iterator[T]]: ...

    @overload
    def __get__(self, client: Asynchronous, owner: type) -> Callable[P, AsyncIterator[T]]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        return self._bind(client, owner)

    def _make(self, *, is_async: bool) -> Callable[..., Any]:
        def states(self_: Synchronous, *args: Any, **named: Any) -> Any:
            return _states(self_, self.steps(self_._api, *args, **named))  # noqa: SLF001

        def states_async(self_: Asynchronous, *args: Any, **named: Any) -> Any:
            return _states_async(self_, self.steps(self_._api, *args, **named))  # noqa: SLF001

        return states_async if is_async else states

    def _return_type(self, result: Any, *, is_async: bool) -> Any:
        return AsyncIterator[result] if is_async else Iterator[result]


def _states(client: Synchronous, series: Series[T]) -> Iterator[T]:
    state = client._run(series.next(None))  # noqa: SLF001
    while state is not None:
        yield state
        state = client._run(series.next(state))  # noqa: SLF001


async def _states_async(client: Asynchronous, series: Series[T]) -> AsyncIterator[T]:
    state = await client._run(series.next(None))  # noqa: SLF001
    while state is not None:
        yield state
        state = await client._run(series.next(state))  # noqa: SLF001
