"""Forms of a call: its steps, a synchronous method, and an awaited method."""

import inspect
import typing
from abc import ABC, abstractmethod
from collections import abc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import cached_property, update_wrapper
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeAlias, TypeVar, overload

from membrane_client.core.api import Api
from membrane_client.core.protocol import NOT_GIVEN, Series, Steps, Stream
from membrane_client.value import JsonObject, Page, Value

P = ParamSpec("P")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - of an item
G = TypeVar("G", bound=Page[Any])
E = TypeVar("E")
V = TypeVar("V", bound=Value)
W = TypeVar("W")
A = TypeVar("A")


class Synchronous(ABC):
    """A client with synchronous calls."""

    @abstractmethod
    def _run(self, steps: Steps[T]) -> T: ...


class Asynchronous(ABC):
    """A client with awaited calls."""

    @abstractmethod
    async def _run(self, steps: Steps[T]) -> T: ...


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

    async def __aiter__(self) -> abc.AsyncIterator[I]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def first(self) -> G:
        """The first page alone."""
        return await self._client._run(self._page())  # noqa: SLF001

    async def pages(self) -> abc.AsyncIterator[G]:
        page = await self.first()
        yield page
        while page.next_cursor:
            page = await self._client._run(self._page(cursor=page.next_cursor))  # noqa: SLF001
            yield page


class Method(Generic[P, T, W, A]):
    """A call: `T` on an Api, `W` on a synchronous client, `A` on an asynchronous client."""

    def __init__(
        self,
        definition: Callable[Concatenate[Any, P], T | None],
        answer: Callable[[Any, Callable[..., Any]], Any],
        result: Callable[[Any, bool], Any],
        row: tuple[type[Value], Callable[[Api, JsonObject], T]] | None = None,
    ) -> None:
        """`answer` makes the result of a client and of the steps; `result` is its type.

        `definition` makes the steps, unless `row` has the type of the reply, and makes the steps of
        the parameters by name.
        """
        self._definition: Callable[..., Any] = definition
        self._answer, self._result, self._row = answer, result, row
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
        given = {**self._shared_defaults, **named}
        if self._row is None:
            return self._definition(api, *args, **given)
        bound = self._own_signature.bind(api, *args, **given)
        bound.apply_defaults()
        return self._row[1](api, bound.arguments)

    @cached_property
    def _own_signature(self) -> inspect.Signature:
        return inspect.signature(self._definition)

    @cached_property
    def _shared_defaults(self) -> abc.Mapping[str, Any]:
        """The defaults of the parameters that many calls share."""
        *_, last = self._own_signature.parameters.values()
        if last.kind is not inspect.Parameter.VAR_KEYWORD:
            return {}
        (group,) = typing.get_args(last.annotation)
        return {**dict.fromkeys(typing.get_type_hints(group)), "user": NOT_GIVEN}

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
        annotations = self._definition.__annotations__
        del described.__wrapped__
        described.__signature__ = signature
        described.__annotations__ = {**annotations, "return": signature.return_annotation}
        return described  # type: ignore[no-any-return]  # a function

    def _signature(self, *, is_async: bool) -> inspect.Signature:
        """The parameters one by one, those that many calls share among them."""
        first, *others = self._own_signature.parameters.values()
        own = [each for each in others if each.kind is not inspect.Parameter.VAR_KEYWORD]
        named = inspect.Parameter.KEYWORD_ONLY
        reply = (
            self._row[0]
            if self._row
            else typing.get_args(self._own_signature.return_annotation)[-1]
        )
        return self._own_signature.replace(
            parameters=[
                first.replace(name="self", annotation=inspect.Parameter.empty),
                *own,
                *(
                    inspect.Parameter(name, named, default=each)
                    for name, each in self._shared_defaults.items()
                ),
            ],
            return_annotation=self._result(reply, is_async),
        )


def require_known(call: str, given: abc.Iterable[str], known: abc.Collection[str]) -> None:
    """Raises TypeError for a name that the call does not know, with the nearest known name."""
    unknown = next((each for each in given if each not in known), None)
    if unknown is None:
        return
    from difflib import get_close_matches  # noqa: PLC0415 - a call with known names does without

    nearest = get_close_matches(unknown, known, 1)
    hint = f". Did you mean {nearest[0]!r}?" if nearest else ""
    raise TypeError(f"{call}() got an unexpected keyword argument {unknown!r}{hint}")


Row: TypeAlias = Callable[
    [Callable[Concatenate[Any, P], None]], Method[P, Steps[V], V, Awaitable[V]]
]
"""Makes a method of a function without a body, which has the parameters and the docstring."""


def operation(
    steps: Callable[Concatenate[Any, P], Steps[T]],
) -> Method[P, Steps[T], T, Awaitable[T]]:
    """A call with a result."""
    return Method(steps, _result_of, _result_type)


def _result_of(client: Any, begin: Callable[..., Any]) -> Any:
    return client._run(begin())  # noqa: SLF001


def _result_type(result: Any, is_async: bool) -> Any:  # noqa: FBT001 - a position of Method
    return Awaitable[result] if is_async else result


def ask(route: str, reply: type[V]) -> Row[P, V]:
    """The row of a call that `Api.ask` makes, over the parameters and the docstring."""
    return _row(reply, lambda api, given: api.ask(route, given, reply))


def write(route: str, reply: type[V], query: Sequence[str] = ()) -> Row[P, V]:
    """The row of a call that `Api.write` makes."""
    return _row(reply, lambda api, given: api.write(route, given, reply, query))


def _row(reply: type[V], steps: Callable[[Api, JsonObject], Steps[V]]) -> Row[P, V]:
    return lambda declared: Method(declared, _result_of, _result_type, (reply, steps))


def pages(
    route: str, page: type[G], item: type[I]
) -> Callable[
    [Callable[Concatenate[Any, P], None]], Method[P, Steps[G], Pager[G, I], AsyncPager[G, I]]
]:
    """The row of a call with a list as result, which `Api.ask` makes page by page."""
    row = page, lambda api, given: api.ask(route, given, page)
    return lambda declared: Method(declared, _pager_of, _pager_type(item), row)


def listing(
    steps: Callable[Concatenate[Any, P], Steps[G]], item: type[I]
) -> Method[P, Steps[G], Pager[G, I], AsyncPager[G, I]]:
    """A call with a list as result, page by page."""
    return Method(steps, _pager_of, _pager_type(item))


def _pager_of(client: Any, begin: Callable[..., Any]) -> Any:
    return (AsyncPager if isinstance(client, Asynchronous) else Pager)(client, begin)


def _pager_type(item: Any) -> Callable[[Any, bool], Any]:
    return lambda page, is_async: (AsyncPager if is_async else Pager)[page, item]


def streaming(
    steps: Callable[Concatenate[Any, P], Stream[E]],
) -> Method[P, Stream[E], abc.Generator[E], abc.AsyncGenerator[E]]:
    """A call with events as result, each as the event arrives.

    The first event sends the request. Closing the generator closes the connection.
    """
    return Method(
        steps,
        lambda client, begin: client._events(begin()),  # noqa: SLF001
        lambda event, is_async: (abc.AsyncIterator if is_async else Iterator)[event],
    )


def following(
    steps: Callable[Concatenate[Any, P], Series[T]],
) -> Method[P, Series[T], Iterator[T], abc.AsyncIterator[T]]:
    """A call with the states of a job as result, each as the state changes.

    The first state sends the first request.
    """

    def states(client: Any, begin: Callable[..., Any]) -> Any:
        return (_states_async if isinstance(client, Asynchronous) else _states)(client, begin())

    return Method(
        steps, states, lambda state, is_async: (abc.AsyncIterator if is_async else Iterator)[state]
    )


def _states(client: Synchronous, series: Series[T]) -> Iterator[T]:
    state = None
    while (state := client._run(series.next(state))) is not None:  # noqa: SLF001
        yield state


async def _states_async(client: Asynchronous, series: Series[T]) -> abc.AsyncIterator[T]:
    state = None
    while (state := await client._run(series.next(state))) is not None:  # noqa: SLF001
        yield state
