"""The course of a walk down the rank index: a resume point after every given row."""

from dataclasses import replace

from membrane.usecases.search.rank.resuming import Place, Resume, RowKey
from membrane.usecases.search.rank.streams import Stream


class Course:
    """Records the passed rows, so that a later call can continue after any given row."""

    def __init__(self, begin: Resume) -> None:
        self._points = [begin]
        """The resume points: before the first given row, after the first, and so on."""
        self._number_of: dict[str, int] = {}
        self._loose: dict[str, Stream] = {}
        """Streams with a place of their own, which become plain at the next common lowest row."""

    @property
    def now(self) -> Resume:
        return self._points[-1]

    def after(self, record_id: str | None) -> Resume:
        """The resume point after a row; None = before the first given row."""
        return self._points[0 if record_id is None else self._number_of[record_id]]

    def has_given(self, record_id: str) -> bool:
        return record_id in self._number_of

    def give(self, record_id: str) -> None:
        """Mark the record as given; the caller passes the row next."""
        self._number_of[record_id] = len(self._points)
        self._points.append(self.now)

    def join(self, stream: Stream) -> None:
        """Add a stream that an earlier call has begun."""
        place = stream.place
        if place.passed is not None or (place.start is not None and stream.is_exact):
            self._loose[stream.name] = stream

    def pass_row(self, stream: Stream, key: RowKey) -> None:
        lowest = self.now.lowest
        if lowest is None or key > lowest:
            self._points[-1] = replace(self.now, lowest=key)
            if self._loose:
                self._settle()
        else:
            stream.place = replace(stream.place, passed=key)
            self.update_place(stream)

    def update_place(self, stream: Stream) -> None:
        self._loose[stream.name] = stream
        self._save_places({stream.name: stream.place})

    def _settle(self) -> None:
        """Drop the places that the lowest row implies, once a new lowest row is passed.

        Every stream has then passed exactly the rows up to the lowest row. An exact stream needs no
        place, except in the middle of a window.
        """
        for stream in self._loose.values():
            keeps = stream.is_closed or not stream.is_exact
            stream.place = replace(stream.place, passed=None) if keeps else Place()
        self._save_places({name: stream.place for name, stream in self._loose.items()})
        self._loose = {name: stream for name, stream in self._loose.items() if stream.is_closed}

    def _save_places(self, places: dict[str, Place]) -> None:
        merged = {**self.now.places, **places}
        kept = {name: place for name, place in merged.items() if place != Place()}
        self._points[-1] = replace(self.now, places=kept)
