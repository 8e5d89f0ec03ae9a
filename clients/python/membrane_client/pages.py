"""Values with a behaviour: pages, retrievals, jobs that end, and prompts."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar, overload

from membrane_client.errors import UnexpectedReply
from membrane_client.value import NO_META, JsonObject, Meta, Value

I = TypeVar("I")  # noqa: E741 - of an item


class Page(Value, Generic[I]):
    """A page of a list."""

    next_cursor: str | None
    """The start of the next page; None on the last page."""
    LISTS: ClassVar[str]
    """The field with the items; a prompt comes in their place."""

    def __init_subclass__(cls, of: str = "", **variant: Any) -> None:
        super().__init_subclass__(**variant)
        cls.LISTS = of

    def __init__(self, raw: JsonObject, meta: Meta = NO_META) -> None:
        super().__init__(raw, meta)
        if not isinstance(raw.get(self.LISTS), list) and "prompt" not in raw:
            raise UnexpectedReply(f"{type(self).__name__} came without a list of {self.LISTS}")

    @property
    def items(self) -> Sequence[I]:
        items: Sequence[I] = getattr(self, self.LISTS)
        return items


class Found(Page[I], Sequence[I]):
    """The result of a retrieval: a sequence, the best first."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[I]:
        return iter(self.items)

    @overload
    def __getitem__(self, at: int) -> I: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[I]: ...

    def __getitem__(self, at: int | slice) -> I | Sequence[I]:
        return self.items[at]


class Job(Value):
    """The state of a job of the service."""

    state: str

    @property
    def has_ended(self) -> bool:
        return self.state in {"done", "listed", "cancelled", "failed"}


class Text(Value):
    """A text; `str()` gives the text."""

    text: str

    def __str__(self) -> str:
        return self.text


class Name(Value):
    """A name; an older record has the text alone."""

    def __init__(self, raw: JsonObject | str, meta: Meta = NO_META) -> None:
        super().__init__({"value": raw} if isinstance(raw, str) else raw, meta)
