"""How far a walk down the rank index has come: after each row that it gave, and now."""

from dataclasses import replace

from membrane.usecases.search.rank.resuming import Place, Resume, RowKey
from membrane.usecases.search.rank.streams import Stream


class Course:
    """Follows what is passed, so that the walk can go on from behind any row."""

    def __init__(self, begin: Resume) -> None:
        self._points = [begin]
        """Before the first row that was given, after the first, and so on."""
        self._number_of: dict[str, int] = {}
        self._loose: dict[str, Stream] = {}
        """Streams that have a place now, and need none of that kind once they are abreast."""

    @property
    def now(self) -> Resume:
        return self._points[-1]

    def after(self, record_id: str | None) -> Resume:
        """Where it goes on behind that row; None = before the first, but for rows not given."""
        return self._points[0 if record_id is None else self._number_of[record_id]]

    def has_given(self, record_id: str) -> bool:
        return record_id in self._number_of

    def give(self, record_id: str) -> None:
        """The next row that is passed is one that is given."""
        self._number_of[record_id] = len(self._points)
        self._points.append(self.now)

    def join(self, stream: Stream) -> None:
        """Follow a stream that begins where an earlier call left it."""
        place = stream.place
        if place.passed is not None or (place.start is not None and stream.is_exact):
            self._loose[stream.name] = stream

    def passed(self, stream: Stream, key: RowKey) -> None:
        lowest = self.now.lowest
        if lowest is None or key > lowest:
            self._points[-1] = replace(self.now, lowest=key)
            if self._loose:
                self._settle()
        else:
            stream.place = replace(stream.place, passed=key)
            self.moved(stream)

    def moved(self, stream: Stream) -> None:
        self._loose[stream.name] = stream
        self._put({stream.name: stream.place})

    def _settle(self) -> None:
        """All streams are abreast: what was passed of each is what comes up to the lowest row.

        A stream that is exact needs no place for that, unless it is amid a window.
        """
        for stream in self._loose.values():
            keeps = stream.is_closed or not stream.is_exact
            stream.place = replace(stream.place, passed=None) if keeps else Place()
        self._put({name: stream.place for name, stream in self._loose.items()})
        self._loose = {name: stream for name, stream in self._loose.items() if stream.is_closed}

    def _put(self, places: dict[str, Place]) -> None:
        merged = {**self.now.places, **places}
        kept = {name: place for name, place in merged.items() if place != Place()}
        self._points[-1] = replace(self.now, places=kept)
