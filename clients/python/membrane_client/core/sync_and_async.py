"""Forms of a call: its steps, a synchronous method, and an awaited method."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from functools import cached_property, update_wrapper
from types import MethodType
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    get_args,
    get_type_hints,
    overload,
)

from membrane_client.core.api import Api
from membrane_client.core.protocol import NOT_GIVEN, Event, Series, Steps, Stream
from membrane_client.pages import Page

P = ParamSpec("P")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - of an item
G = TypeVar("G", bound=Page[Any])
E = TypeVar("E", bound=Event)
W = TypeVar("W")
A = TypeVar("A")


class Synchronous(ABC):
    """A client with synchronous calls."""

    @abstractmethod
    def _run(self, steps: Steps[T]) -> T: ...

    @abstractmethod
    def _events(self, stream: Stream[E]) -> Generator[E]: ...


class Asynchronous(ABC):
    """A client with awaited calls."""

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


class Method(Generic[P, T, W, A]):
    """A call: `T` on an Api, `W` on a synchronous client, `A` on an asynchronous client."""

    def __init__(
        self,
        steps: Callable[Concatenate[Any, P], T],
        answer: Callable[[Any, Callable[..., Any]], Any],
        result: Callable[[Any, bool], Any],
    ) -> None:
        """`answer` makes the result of a client and of the steps; `result` is its type."""
        self._definition: Callable[..., Any] = steps
        self._answer = answer
        self._result = result
        self._functions: dict[bool, Callable[..., Any]] = {}

    @overload
    def __get__(
        self, client: None, owner: "type[Synchronous | Asynchronous]"
    ) -> Callable[..., Any]: ...

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: Api, owner: type) -> Callable[P, T]: ...

    @overload
    def __get__(self, client: Synchronous, owner: type) -> Callable[P, W]: ...

    @overload
    def __get__(self, client: Asynchronous, owner: type) -> Callable[P, A]: ...

    def __get__(self, client: Any, owner: type) -> Any:
        if isinstance(client, Api):
            return MethodType(self.steps, client)
        if not issubclass(owner, Synchronous | Asynchronous):
            return self
        is_async = issubclass(owner, Asynchronous)
        if is_async not in self._functions:
            self._functions[is_async] = self._function(is_async=is_async)
        function = self._functions[is_async]
        return function if client is None else MethodType(function, client)

    def steps(self, api: Api, *args: Any, **named: Any) -> Any:
        """The call; a shared parameter that is left out has its default."""
        return self._definition(api, *args, **{**self._shared_defaults, **named})

    @cached_property
    def _shared_defaults(self) -> Mapping[str, Any]:
        """The defaults of the parameters that many calls share."""
        *_, last = inspect.signature(self._definition).parameters.values()
        if last.kind is not inspect.Parameter.VAR_KEYWORD:
            return {}
        (group,) = get_args(last.annotation)
        return {**dict.fromkeys(get_type_hints(group)), "user": NOT_GIVEN}

    def _function(self, *, is_async: bool) -> Callable[..., Any]:
        """The method with the definition's name, docstring and parameters."""
        signature = self._signature(is_async=is_async)
        name = self._definition.__name__

        def function(client: Any, /, *args: Any, **named: Any) -> Any:
            require_known(name, named, signature.parameters)
            try:
                signature.bind(client, *args, **named)
            except TypeError as error:
                said = str(error)
                verb = "" if said.startswith("missing ") else "got "
                raise TypeError(f"{name}() {verb}{said}") from None

            def steps(**cursor: str) -> Any:
                return self.steps(client._api, *args, **{**named, **cursor})  # noqa: SLF001

            return self._answer(client, steps)

        described: Any = update_wrapper(function, self._definition)
        del described.__wrapped__
        described.__signature__ = signature
        return described  # type: ignore[no-any-return]  # a function

    def _signature(self, *, is_async: bool) -> inspect.Signature:
        """The parameters one by one, those that many calls share among them."""
        signature = inspect.signature(self._definition)
        first, *others = signature.parameters.values()
        own = [each for each in others if each.kind is not inspect.Parameter.VAR_KEYWORD]
        named = inspect.Parameter.KEYWORD_ONLY
        return signature.replace(
            parameters=[
                first.replace(name="self", annotation=inspect.Parameter.empty),
                *own,
                *(
                    inspect.Parameter(name, named, default=each)
                    for name, each in self._shared_defaults.items()
                ),
            ],
            return_annotation=self._result(get_args(signature.return_annotation)[-1], is_async),
        )


def require_known(call: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raises TypeError for a name that the call does not know, with the nearest known name."""
    unknown = next((each for each in given if each not in known), None)
    if unknown is None:
        return
    from difflib import get_close_matches  # noqa: PLC0415 - a call with known names does without

    nearest = get_close_matches(unknown, known, 1)
    hint = f". Did you mean {nearest[0]!r}?" if nearest else ""
    raise TypeError(f"{call}() got an unexpected keyword argument {unknown!r}{hint}")


def operation(
    steps: Callable[Concatenate[Any, P], Steps[T]],
) -> Method[P, Steps[T], T, Awaitable[T]]:
    """A call with a result."""
    return Method(steps, result_of, result_type)


def result_of(client: Any, begin: Callable[..., Any]) -> Any:
    return client._run(begin())  # noqa: SLF001


def result_type(result: Any, is_async: bool) -> Any:  # noqa: FBT001 - a position of Method
    return Awaitable[result] if is_async else result


def listing(
    item: type[I],
) -> Callable[
    [Callable[Concatenate[Any, P], Steps[G]]], Method[P, Steps[G], Pager[G, I], AsyncPager[G, I]]
]:
    """A call with a list as result, page by page."""

    def pager(client: Any, begin: Callable[..., Any]) -> Any:
        return (AsyncPager if isinstance(client, Asynchronous) else Pager)(client, begin)

    return lambda steps: Method(
        steps, pager, lambda page, is_async: (AsyncPager if is_async else Pager)[page, item]
    )


def streaming(
    steps: Callable[Concatenate[Any, P], Stream[E]],
) -> Method[P, Stream[E], Generator[E], AsyncGenerator[E]]:
    """A call with events as result, each as the event arrives.

    The first event sends the request. Closing the generator closes the connection.
    """
    return Method(
        steps,
        lambda client, begin: client._events(begin()),  # noqa: SLF001
        lambda event, is_async: (AsyncIterator if is_async else Iterator)[event],
    )


def following(
    steps: Callable[Concatenate[Any, P], Series[T]],
) -> Method[P, Series[T], Iterator[T], AsyncIterator[T]]:
    """A call with the states of a job as result, each as the state changes.

    The first state sends the first request.
    """

    def states(client: Any, begin: Callable[..., Any]) -> Any:
        return (_states_async if isinstance(client, Asynchronous) else _states)(client, begin())

    return Method(
        steps, states, lambda state, is_async: (AsyncIterator if is_async else Iterator)[state]
    )


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
