"""Split NDJSON that arrives in pieces into numbered lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line without the line end, which may be CRLF."""

    number: int
    """From 1; blank lines count."""
    end: int
    """The offset of the next line in the whole text, in bytes."""
    content: bytes | None
    """None for a line longer than the limit; nothing of the line is kept."""

    @property
    def is_blank(self) -> bool:
        return self.content is not None and not self.content.strip()


def lines_of(
    pieces: Iterable[bytes], longest: int, *, number: int = 0, start: int = 0
) -> Iterator[Line]:
    """The lines of a text behind the first `number` lines, which end at the byte `start`.

    Holds a piece and a line of at most `longest` bytes in memory.
    """
    held, length = bytearray(), 0
    for piece in pieces:
        *endings, rest = piece.split(b"\n")
        for ending in endings:
            length += len(ending)
            held += ending if length <= longest else b""
            number, start = number + 1, start + length + 1
            yield Line(number, start, _content(held, number) if length <= longest else None)
            held, length = bytearray(), 0
        length += len(rest)
        held += rest if length <= longest else b""
    if length:
        end = start + length
        yield Line(number + 1, end, _content(held, number + 1) if length <= longest else None)


def _content(held: bytearray, number: int) -> bytes:
    content = bytes(held).removesuffix(b"\r")
    return content.removeprefix(BYTE_ORDER_MARK) if number == 1 else content
