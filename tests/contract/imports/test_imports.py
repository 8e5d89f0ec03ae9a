"""Objects to import and their results: one contract for the fake, the bucket and the folder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from membrane.adapters.bucket import S3Imports
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.table.items import LostRace
from membrane.usecases.ports.bucket import ImportStore, ObjectReplaced
from membrane_local.storage.objects import Folder, Objects
from tests.fakes.bucket import FakeImports
from tests.worlds.faults import (
    UNREACHABLE,
    Answer,
    gateway_failure,
    intercept,
    response,
    without_retries,
)
from tests.worlds.stores import BUCKET, bucket

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

KEY = "imports/2026/all.ndjson"
RESULT = "import-results/2026/all.ndjson.json"


@dataclass(frozen=True, slots=True)
class Place:
    """A store, and how somebody else puts and removes its objects."""

    store: ImportStore
    put: Callable[[str, bytes], object]
    remove: Callable[[str], object]


@pytest.fixture
def s3() -> Iterator["S3Client"]:
    """A client of an empty bucket."""
    with bucket() as client:
        yield client


@pytest.fixture(params=["fake", "s3", "folder", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Each implementation of the port."""
    if request.param == "fake":
        fake = FakeImports()
        return Place(fake, fake.put, fake.objects.pop)
    if request.param == "folder":
        folder = Folder(tmp_path, BUCKET)
        return Place(
            folder,
            lambda key, content: folder.receive(key, BytesIO(content)),
            lambda key: (tmp_path / key).unlink(),
        )
    if request.param == "memory":
        memory = Objects(BUCKET)
        return Place(memory, memory.write, memory.erase)
    client: S3Client = request.getfixturevalue("s3")
    return Place(
        S3Imports(lambda: client, BUCKET),
        lambda key, content: client.put_object(Bucket=BUCKET, Key=key, Body=content),
        lambda key: client.delete_object(Bucket=BUCKET, Key=key),
    )


# --- Objects ------------------------------------------------------------------------------------


def test_an_object_that_was_put_is_found_with_its_size(place: Place) -> None:
    place.put(KEY, b"0123456789")

    found = place.store.find(KEY)

    assert found is not None
    assert (found.key, found.size) == (KEY, 10)


@pytest.mark.parametrize("key", [KEY, "imports/2026", "imports/2026/all.ndjson/more"])
def test_an_object_that_was_never_put_is_none(place: Place, key: str) -> None:
    place.put("imports/2026/all.ndjson.other", b"content")

    assert place.store.find(key) is None


def test_it_is_read_in_ranges_of_which_the_last_is_short(place: Place) -> None:
    place.put(KEY, b"0123456789")
    found = place.store.find(KEY)
    assert found is not None

    ranges = [place.store.read_range(found, start, 4) for start in (0, 4, 8)]

    assert ranges == [b"0123", b"4567", b"89"]


def test_the_same_content_put_again_is_the_same_version(place: Place) -> None:
    versions = []
    for content in (b"one", b"two", b"one"):
        place.put(KEY, content)
        found = place.store.find(KEY)
        assert found is not None
        versions.append(found.version)

    assert versions[0] == versions[2] != versions[1]


def test_an_object_that_was_replaced_is_not_read_any_further(place: Place) -> None:
    place.put(KEY, b"0123456789")
    found = place.store.find(KEY)
    assert found is not None

    place.put(KEY, b"9876543210")

    with pytest.raises(ObjectReplaced):
        place.store.read_range(found, 4, 4)


def test_an_object_that_was_removed_is_not_read_any_further(place: Place) -> None:
    place.put(KEY, b"0123456789")
    found = place.store.find(KEY)
    assert found is not None

    place.remove(KEY)

    with pytest.raises(ObjectReplaced):
        place.store.read_range(found, 4, 4)
    assert place.store.find(KEY) is None


@pytest.mark.parametrize(
    ("said", "believed"),
    [("d1" * 32, True), ("d1", False), ("D1" * 32, False), ("g1" * 32, False)],
)
def test_a_sender_may_say_what_the_content_is_by_its_sha256(
    s3: "S3Client",
    said: str,
    believed: bool,  # noqa: FBT001 - the expectation
) -> None:
    s3.put_object(Bucket=BUCKET, Key=KEY, Body=b"one", Metadata={"sha256": said})

    found = S3Imports(lambda: s3, BUCKET).find(KEY)

    assert found is not None
    assert found.version == (said if believed else found.etag)


def test_the_same_content_in_a_folder_has_the_same_etag(tmp_path: Path) -> None:
    folder = Folder(tmp_path, BUCKET)
    folder.receive(KEY, BytesIO(b"one"))
    first = folder.find(KEY)
    assert first is not None

    folder.receive(KEY, BytesIO(b"one"))

    assert folder.find(KEY) == first
    assert folder.read_range(first, 0, 3) == b"one"


# --- Results ------------------------------------------------------------------------------------


def test_what_is_kept_comes_back(place: Place) -> None:
    place.store.keep(RESULT, b"first")
    place.store.keep(RESULT, b"second")

    kept = place.store.result(RESULT)

    assert kept is not None
    assert kept.content == b"second"


def test_what_was_never_kept_is_none(place: Place) -> None:
    assert place.store.result(RESULT) is None


def test_a_result_is_replaced_by_who_has_read_it(place: Place) -> None:
    first = place.store.keep_next(RESULT, b"first", None)
    second = place.store.keep_next(RESULT, b"second", first)

    read = place.store.result(RESULT)
    third = place.store.keep_next(RESULT, b"third", read)

    assert read == second
    assert place.store.result(RESULT) == third


def test_a_result_that_somebody_else_has_written_is_not_replaced(place: Place) -> None:
    mine = place.store.keep_next(RESULT, b"mine", None)
    place.store.keep_next(RESULT, b"theirs", mine)

    for before in (mine, None):
        with pytest.raises(LostRace):
            place.store.keep_next(RESULT, b"mine again", before)

    kept = place.store.result(RESULT)
    assert kept is not None
    assert kept.content == b"theirs"


def test_clearing_a_folder_leaves_what_is_not_its_own(tmp_path: Path) -> None:
    folder = Folder(tmp_path, BUCKET)
    folder.receive(KEY, BytesIO(b"object"))
    folder.keep(RESULT, b"result")
    (tmp_path / "api-key").write_text("key")

    folder.clear()

    assert [path.name for path in tmp_path.iterdir()] == ["api-key"]


# --- A bucket that does not answer --------------------------------------------------------------

CALLS: dict[str, Callable[[S3Imports], object]] = {
    "HeadObject": lambda imports: imports.find(KEY),
    "GetObject": lambda imports: imports.result(RESULT),
    "PutObject": lambda imports: imports.keep_next(RESULT, b"content", None),
}

FAILURES: dict[str, Callable[[], Answer]] = {
    **UNREACHABLE,
    "gateway failure": lambda: gateway_failure(502),
}


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("failure", FAILURES)
def test_a_bucket_that_does_not_answer_is_unavailable(
    s3: "S3Client", operation: str, failure: str
) -> None:
    without_retries(s3)
    intercept(s3, operation, FAILURES[failure])

    with pytest.raises(Unavailable):
        CALLS[operation](S3Imports(lambda: s3, BUCKET))


@pytest.mark.parametrize(
    ("status", "code"), [(503, "SlowDown"), (409, "ConditionalRequestConflict")]
)
def test_a_bucket_that_is_busy_is_exhausted_not_lost_to_another(
    s3: "S3Client", status: int, code: str
) -> None:
    without_retries(s3)
    body = f"<Error><Code>{code}</Code><Message>no</Message></Error>"
    intercept(s3, "PutObject", lambda: response(status, body, "application/xml"))

    with pytest.raises(ResourceExhausted):
        S3Imports(lambda: s3, BUCKET).keep_next(RESULT, b"content", None)
