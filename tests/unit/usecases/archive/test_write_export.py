"""An export continues after a kill at any step, and the file has every line once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.archive.exports import Export, ExportState
from membrane.domain.archive.lines import Frame, kind_of_line, last_line
from membrane.domain.archive.requests import CreateExport, ReadExport
from membrane.domain.language.errors import (
    AlreadyExists,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    TooLarge,
    Unavailable,
)
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.payloads import ToolNode
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.archive import exports
from membrane.usecases.archive import write_export as module
from membrane.usecases.archive.exports import EXPORT, create_export, read_export
from membrane.usecases.archive.write_export import write_export
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.services_archive import ArchiveServices
from tests.builders.stored_records import event as happening
from tests.builders.stored_records import stored
from tests.fakes.archive import FakeExports
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Later
from tests.fakes.records import FakeRecords
from tests.fakes.world import EXPORT_FUNCTION, make_archive_services


class KilledError(BaseException):
    """The end of the process, which no handler sees."""


@dataclass(slots=True)
class MortalExports(FakeExports):
    """Dies before a write, once it has no writes left."""

    writes_left: int = 0

    def keep_part(self, name: str, content: bytes) -> None:
        """See DynamoExports."""
        self._count()
        FakeExports.keep_part(self, name, content)

    def keep_job(
        self, owner: str, export: JsonObject, expires_at_s: int, before: Checkpoint | None
    ) -> Checkpoint:
        """See DynamoExports."""
        self._count()
        return FakeExports.keep_job(self, owner, export, expires_at_s, before)

    def _count(self) -> None:
        if not self.writes_left:
            raise KilledError
        self.writes_left -= 1


@dataclass(slots=True)
class CountedValues(FakeRecords):
    """Counts the large values that are loaded."""

    loaded: int = 0

    def value(self, large: LargeValue) -> bytes:
        """See DynamoRecords."""
        self.loaded += 1
        return FakeRecords.value(self, large)


@dataclass(slots=True)
class WatchedExports(FakeExports):
    """Calls `watch` before each part."""

    watch: Callable[[], None] = lambda: None

    def keep_part(self, name: str, content: bytes) -> None:
        """See DynamoExports."""
        self.watch()
        FakeExports.keep_part(self, name, content)


@dataclass(slots=True)
class DamagedRecords(FakeRecords):
    """Has a record that nobody can read."""

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """See DynamoRecords."""
        if record_id == "record-3":
            raise ValueError("a damaged item")
        return FakeRecords.load(self, record_id, whole=whole)


VALUE = b'"a large value"'
ADMIN = principal_of("operator", ["admin"], ["*"], "hyper")


def call_of(principal: Principal, key: str | None = None, fingerprint: bytes = b"") -> Call:
    return Call(principal, "CreateExport", key, fingerprint)


@pytest.fixture
def services() -> ArchiveServices:
    """A memory of ten records, some of them of a scope."""
    made = make_archive_services()
    for number in range(10):
        scope = "team:a" if number % 2 else ""
        made.records.create(stored(f"record-{number}", scope=scope))
    return made


def parts_of(services: ArchiveServices) -> dict[str, bytes]:
    assert isinstance(services.exports, FakeExports)
    return services.exports.parts


def started(
    services: ArchiveServices, principal: Principal = ADMIN, scope: str | None = None
) -> Any:
    """The event that starts the export function for a new export."""
    create_export(CreateExport(scope=scope), call_of(principal), services)
    assert isinstance(services.invoke_later, Later)
    function, event = services.invoke_later.asked[-1]
    assert function == EXPORT_FUNCTION
    return event[EXPORT]


def run(
    services: ArchiveServices, event: Any, *, steps: Iterator[bool] | None = None
) -> Export | None:
    """One run; `steps` says after each item whether time is out."""
    return write_export(
        event["owner"],
        event["id"],
        services,
        is_out_of_time=lambda: steps is not None and next(steps),
        hand_over=lambda: None,
    )


def lines_of(services: ArchiveServices, event: Any) -> list[bytes]:
    kept = services.exports.job(event["owner"], event["id"])
    assert kept is not None
    export = Export.of_json(kept.progress)
    assert export.state is ExportState.DONE
    return b"".join(parts_of(services)[part.name] for part in export.parts).splitlines()


def ids_in(lines: list[bytes]) -> list[str]:
    return [parse_json(line)["record"]["id"] for line in lines[1:-1]]


def test_the_last_line_has_the_digest_of_all_lines_before(services: ArchiveServices) -> None:
    event = started(services)

    run(services, event)

    lines = lines_of(services, event)
    first = Frame().after(lines[:1])
    assert lines[-1] == last_line(first.after(lines[1:-1], map(kind_of_line, lines[1:-1])))
    assert ids_in(lines) == [f"record-{number}" for number in range(10)]


def test_a_part_is_written_before_the_values_of_the_next_item_are_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The values of a page of records are never in memory together."""
    monkeypatch.setattr(module, "PART_BYTES", 1)
    records = CountedValues(FakeClock())
    for number in range(10):
        record_id = f"record-{number}"
        large = LargeValue(record_id, "a" * 64, len(VALUE))
        node = ToolNode(id="node", tool="cat", result=large)
        payload = happening().model_copy(update={"tool_graph": (node,)})
        records.create(stored(record_id, payload=payload), values={large: VALUE})
    loaded: list[int] = []
    exports = WatchedExports(records, watch=lambda: loaded.append(records.loaded))
    services = make_archive_services(records=records, exports=exports)
    event = started(services)

    run(services, event)

    counts = [len(part.splitlines()) for _, part in sorted(parts_of(services).items())]
    assert counts == [2, *[1] * 9, 1]
    assert loaded == [*range(1, 11), 10]
    assert ids_in(lines_of(services, event)) == [f"record-{number}" for number in range(10)]


def test_a_part_without_lines_is_not_written(services: ArchiveServices) -> None:
    """Time may be out after items that the export leaves out."""
    event = started(services, scope="team:b")

    while (export := run(services, event, steps=iter([True]))) is not None:
        if export.state is ExportState.DONE:
            break

    assert len(parts_of(services)) == 2
    assert ids_in(lines_of(services, event)) == []


def test_a_finished_export_does_not_keep_the_place_of_the_walk(services: ArchiveServices) -> None:
    """The item there may be of a scope that is erased later."""
    event = started(services)

    run(services, event, steps=iter([False, True]))
    run(services, event)

    kept = services.exports.job(event["owner"], event["id"])
    assert kept is not None
    assert kept.progress["after"] is None


def test_the_parts_of_a_finished_export_are_all_objects(services: ArchiveServices) -> None:
    event = started(services)

    export = run(services, event)

    assert export is not None
    assert export.begun == ()
    assert {*export.objects} == parts_of(services).keys()


def test_links_come_page_by_page(
    services: ArchiveServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PART_BYTES", 1)
    monkeypatch.setattr(exports, "PAGE", 4)
    event = started(services)
    run(services, event)

    found = [read_export(ReadExport(id=event["id"]), call_of(ADMIN), services)]
    while "next_cursor" in found[-1]:
        following = ReadExport(id=event["id"], cursor=found[-1]["next_cursor"])
        found.append(read_export(following, call_of(ADMIN), services))

    links = [part["url"] for page in found for part in page["parts"]]
    assert len(found) == 3
    assert links == [f"https://bucket/{name}" for name in sorted(parts_of(services))]


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "²", "12345"])
def test_a_cursor_of_something_else_is_refused(services: ArchiveServices, cursor: str) -> None:
    event = started(services)

    with pytest.raises(InvalidArgument):
        read_export(ReadExport(id=event["id"], cursor=cursor), call_of(ADMIN), services)


def test_runs_that_end_after_every_item_write_every_line_once(services: ArchiveServices) -> None:
    event = started(services)

    while (export := run(services, event, steps=iter([True]))) is not None:
        if export.state is ExportState.DONE:
            break

    lines = lines_of(services, event)
    assert len(parts_of(services)) > 2
    assert ids_in(lines) == [f"record-{number}" for number in range(10)]
    assert parse_json(lines[-1])["lines"] == len(lines) - 1


@pytest.mark.parametrize("writes", range(33))
def test_an_export_killed_at_any_write_is_finished_by_the_next_run(
    services: ArchiveServices, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    monkeypatch.setattr(module, "PART_BYTES", 1)
    event = started(services)
    assert isinstance(services.exports, FakeExports)
    mortal = MortalExports(
        services.exports.records, kept=services.exports.kept, parts=services.exports.parts
    )
    mortal.writes_left = writes

    with pytest.raises(KilledError):
        run(replace(services, exports=mortal), event)
    kept = services.exports.job(event["owner"], event["id"])
    assert kept is not None
    assert parts_of(services).keys() <= {*Export.of_json(kept.progress).objects}
    run(services, event)

    lines = lines_of(services, event)
    assert ids_in(lines) == [f"record-{number}" for number in range(10)]
    assert parse_json(lines[-1])["lines"] == len(lines) - 1


def test_a_run_without_a_next_run_fails_and_keeps_the_reason(services: ArchiveServices) -> None:
    event = started(services)

    with pytest.raises(Unavailable):
        write_export(
            event["owner"],
            event["id"],
            services,
            is_out_of_time=lambda: True,
            hand_over=None,
        )

    reply = read_export(ReadExport(id=event["id"]), call_of(ADMIN), services)
    assert reply["export"]["state"] == "failed"
    assert reply["export"]["reason"] == "the export takes too long"
    assert "parts" not in reply


def test_an_export_of_a_scope_has_the_records_of_the_scope_alone(services: ArchiveServices) -> None:
    event = started(services, scope="team:a")

    run(services, event)

    assert ids_in(lines_of(services, event)) == [f"record-{number}" for number in range(1, 10, 2)]


def test_an_export_of_a_key_has_no_unscoped_record_and_none_above_the_ceiling(
    services: ArchiveServices,
) -> None:
    services.records.create(stored("secret", scope="team:a", sensitivity=Sensitivity.HYPER))
    owner = principal_of("lead", ["admin"], ["team:*"], "low")
    event = started(services, owner)

    run(services, event)

    assert ids_in(lines_of(services, event)) == [f"record-{number}" for number in range(1, 10, 2)]


def test_a_scope_outside_the_key_is_refused_and_nothing_starts(services: ArchiveServices) -> None:
    owner = principal_of("lead", ["admin"], ["team:a"], "hyper")

    with pytest.raises(PermissionDenied):
        create_export(CreateExport(scope="team:b"), call_of(owner), services)

    assert isinstance(services.invoke_later, Later)
    assert services.invoke_later.asked == []


def test_a_repeat_under_a_key_gives_the_same_export(services: ArchiveServices) -> None:
    first = create_export(CreateExport(), call_of(ADMIN, "k", b"f"), services)

    again = create_export(CreateExport(), call_of(ADMIN, "k", b"f"), services)

    assert (first.replayed, again.replayed) == (False, True)
    assert again.body == first.body
    with pytest.raises(AlreadyExists):
        create_export(CreateExport(scope="team:a"), call_of(ADMIN, "k", b"other"), services)


def test_an_export_of_another_principal_is_not_found(services: ArchiveServices) -> None:
    event = started(services)
    stranger = principal_of("stranger", ["admin"], ["*"], "hyper")

    with pytest.raises(NotFound):
        read_export(ReadExport(id=event["id"]), call_of(stranger), services)


def test_a_damaged_record_becomes_a_line_and_the_others_are_exported() -> None:
    services = make_archive_services(records=DamagedRecords(FakeClock()))
    for number in range(4):
        services.records.create(stored(f"record-{number}"))
    event = started(services)

    export = run(services, event)

    assert export is not None
    assert dict(export.frame.counts) == {"damaged": 1, "record": 3}


def test_an_export_of_too_many_parts_fails_with_a_reason(
    services: ArchiveServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PART_BYTES", 1)
    monkeypatch.setattr(module, "MAX_PARTS", 2)
    event = started(services)

    with pytest.raises(TooLarge):
        run(services, event)

    reply = read_export(ReadExport(id=event["id"]), call_of(ADMIN), services)
    assert "export scope by scope" in reply["export"]["reason"]
