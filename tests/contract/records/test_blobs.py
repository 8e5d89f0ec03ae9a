"""Blobs: written before the item that names them, read back as they were, or not at all."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from membrane.adapters.bucket import S3Blobs
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.records.stored import StoredRecord
from membrane.table.blobs import BlobStore
from membrane.table.items import IdTaken, LostRace
from membrane_local.storage.objects import Folder, Objects
from tests.builders.stored_records import changed, event, noise, stored
from tests.fakes.bucket import FakeBlobs
from tests.worlds.faults import (
    UNREACHABLE,
    Answer,
    gateway_failure,
    intercept,
    response,
    without_retries,
)
from tests.worlds.stores import BUCKET, Store, bucket, contents

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

NAME = "blobs/record-1/" + "0" * 64


@pytest.fixture
def s3() -> Iterator["S3Client"]:
    """A client of an empty bucket."""
    with bucket() as client:
        yield client


@pytest.fixture(params=["fake", "s3", "folder", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    """Each implementation of the port."""
    if request.param == "fake":
        return FakeBlobs()
    if request.param == "folder":
        return Folder(tmp_path, BUCKET)
    if request.param == "memory":
        return Objects(BUCKET)
    client: S3Client = request.getfixturevalue("s3")
    return S3Blobs(lambda: client, BUCKET)


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 100, noise(5_000_000).encode()], ids=len)
def test_a_blob_comes_back_as_it_was(blobs: BlobStore, content: bytes) -> None:
    blobs.write(NAME, content)

    assert blobs.get(NAME) == content


@pytest.mark.parametrize("place", ["folder", "memory"])
def test_a_new_blob_is_put_once(place: str, tmp_path: Path) -> None:
    blobs: Objects = Objects(BUCKET) if place == "memory" else Folder(tmp_path, BUCKET)

    taken = [blobs.put_new(NAME, b"first"), blobs.put_new(NAME, b"second")]

    assert taken == [True, False]
    assert blobs.get(NAME) == b"first"


def test_a_blob_that_was_never_written_is_none(blobs: BlobStore) -> None:
    blobs.write(NAME, b"one")

    assert blobs.get(NAME[:-1]) is None


def test_writing_a_blob_again_changes_nothing(blobs: BlobStore) -> None:
    blobs.write(NAME, b"same")
    blobs.write(NAME, b"same")

    assert blobs.get(NAME) == b"same"


def test_blobs_are_listed_record_by_record(blobs: BlobStore) -> None:
    made = [f"blobs/{record_id}/{sha}" for record_id in ("a", "a-b", "a.b", "ab") for sha in "21"]
    for name in made[::-1]:
        blobs.write(name, b"content")

    listed = list(blobs.list_blobs())

    assert {blob.name for blob in listed} == set(made)
    assert len([record_id for record_id, _ in groupby(blob.record_id for blob in listed)]) == 4
    assert all(blob.written_at.tzinfo is not None for blob in listed)


def test_blobs_below_an_owner_are_the_owners(blobs: BlobStore) -> None:
    made = ["blobs/document@1/2/sha", "blobs/document@1/sha"]
    for name in (*made, "blobs/document@12/sha"):
        blobs.write(name, b"content")

    assert sorted(blob.name for blob in blobs.list_blobs("document@1")) == made
    assert [blob.record_id for blob in blobs.list_blobs()] == ["document@1"] * 2 + ["document@12"]


def test_blobs_of_several_pages_are_listed_and_nothing_else_is(
    s3: "S3Client", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "2")
    blobs = S3Blobs(lambda: s3, BUCKET)
    for number in range(5):
        blobs.write(f"blobs/{number}/sha", b"")
    s3.put_object(Bucket=BUCKET, Key="uploads/1", Body=b"something else")

    assert [blob.record_id for blob in blobs.list_blobs()] == ["0", "1", "2", "3", "4"]


def test_a_removed_blob_is_gone_and_may_be_removed_again(blobs: BlobStore) -> None:
    blobs.write(NAME, b"content")

    blobs.remove(NAME)
    blobs.remove(NAME)

    assert blobs.get(NAME) is None
    assert list(blobs.list_blobs()) == []


# --- failures of the bucket ----------------------------------------------------------------------


def xml(status: int, code: str) -> Answer:
    """S3's refusal of a request."""
    body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>"
    return response(status, body, "application/xml")


DOWN: dict[str, Callable[[], Answer]] = {
    **UNREACHABLE,
    "internal error": lambda: xml(500, "InternalError"),
    "unavailable": lambda: xml(503, "ServiceUnavailable"),
    "bad gateway": lambda: gateway_failure(502),
}


def failures(client: "S3Client", answer: Callable[[], Answer]) -> list[Exception]:
    """What writing and reading a blob raise where that is all that the network answers."""
    without_retries(client)
    blobs = S3Blobs(lambda: client, BUCKET)
    acts: dict[str, Callable[[], object]] = {
        "PutObject": lambda: blobs.write(NAME, b"content"),
        "GetObject": lambda: blobs.get(NAME),
    }
    raised = []
    for operation, act in acts.items():
        intercept(client, operation, answer)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the callers look at it
            act()
        raised.append(caught.value)
    return raised


@pytest.mark.parametrize("answer", DOWN.values(), ids=DOWN)
def test_a_bucket_that_is_down_in_any_way_is_unavailable(
    s3: "S3Client", answer: Callable[[], Answer]
) -> None:
    assert [type(error) for error in failures(s3, answer)] == [Unavailable, Unavailable]


def test_a_bucket_that_throttles_is_resource_exhausted(s3: "S3Client") -> None:
    raised = failures(s3, lambda: xml(503, "SlowDown"))

    assert [type(error) for error in raised] == [ResourceExhausted, ResourceExhausted]


@pytest.mark.parametrize(("status", "code"), [(403, "AccessDenied"), (404, "NoSuchBucket")])
def test_a_failure_that_no_caller_can_help_stays_as_it_is(
    s3: "S3Client", status: int, code: str
) -> None:
    assert all(isinstance(error, ClientError) for error in failures(s3, lambda: xml(status, code)))


def test_a_blob_that_breaks_off_while_it_is_read_is_unavailable(s3: "S3Client") -> None:
    blobs = S3Blobs(lambda: s3, BUCKET)
    intercept(s3, "GetObject", lambda: response(200, "half", length=8))

    with pytest.raises(Unavailable):
        blobs.get(NAME)


# --- removed and erased --------------------------------------------------------------------------


def test_a_removed_blob_is_absent_and_the_bucket_keeps_the_content(s3: "S3Client") -> None:
    blobs = S3Blobs(lambda: s3, BUCKET)
    blobs.write(NAME, b"content")

    blobs.remove(NAME)

    assert blobs.get(NAME) is None
    assert list(blobs.list_blobs()) == []
    assert contents(s3) == [(NAME, b"content")]


def test_an_erased_blob_leaves_no_version(blobs: BlobStore) -> None:
    for content in (b"first", b"second"):
        blobs.write(NAME, content)
        blobs.remove(NAME)
    blobs.write(NAME, b"third")

    blobs.erase(NAME)

    blobs.erase(NAME)
    assert blobs.get(NAME) is None
    assert remaining(blobs) == []


def test_erasing_a_blob_leaves_a_longer_name(s3: "S3Client") -> None:
    blobs = S3Blobs(lambda: s3, BUCKET)
    for name in ("uploads/one/17", "uploads/one/179"):
        blobs.write(name, b"content")

    blobs.erase("uploads/one/17")

    assert contents(s3) == [("uploads/one/179", b"content")]


def test_erasing_what_was_removed_leaves_present_blobs_and_other_records(
    blobs: BlobStore,
) -> None:
    present, of_other = NAME[:-1] + "1", "blobs/record-10/" + "0" * 64
    for name in (NAME, present, of_other):
        blobs.write(name, b"content")
    for name in (NAME, of_other):
        blobs.remove(name)

    blobs.erase_removed("record-1")

    assert {name for name in remaining(blobs) if "/record-1/" in name} == {present}
    assert blobs.get(present) == b"content"
    blobs.write(of_other, b"content")  # a folder keeps nothing that was removed
    assert of_other in remaining(blobs)


def test_a_bucket_without_versions_erases_as_well(s3: "S3Client") -> None:
    s3.create_bucket(
        Bucket="unversioned", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
    )
    blobs = S3Blobs(lambda: s3, "unversioned")
    for name in (NAME, NAME[:-1] + "1"):
        blobs.write(name, b"content")
    blobs.erase_removed("record-1")

    blobs.erase(NAME)

    assert [blob.name for blob in blobs.list_blobs()] == [NAME[:-1] + "1"]


def remaining(blobs: BlobStore) -> list[str]:
    """The names of every content, present or removed."""
    match blobs:
        case FakeBlobs():
            return sorted([*blobs.blobs, *blobs.removed])
        case S3Blobs():
            return [name for name, _ in contents(blobs.client())]
        case _:
            return [blob.name for blob in blobs.list_blobs()]


# --- blobs and items -----------------------------------------------------------------------------


def test_an_item_never_names_a_blob_that_is_not_there(bucketed: Store) -> None:
    assert isinstance(bucketed.blobs, S3Blobs)
    s3 = bucketed.blobs.client()
    without_retries(s3)
    intercept(s3, "PutObject", lambda: gateway_failure(502))

    with pytest.raises(Unavailable):
        bucketed.records.create(stored(payload=event(summary=noise(100_000))))

    assert bucketed.everything() == []


def test_blobs_are_never_shared_between_records(bucketed: Store) -> None:
    for record_id in ("record-1", "record-2"):
        bucketed.records.create(stored(record_id, payload=event(summary=noise(100_000))))

    assert [blob.record_id for blob in bucketed.blobs.list_blobs()] == ["record-1", "record-2"]


def test_a_record_names_the_blobs_of_its_document_and_of_all_its_audit(bucketed: Store) -> None:
    bucketed.records.create(stored(payload=event(summary=noise(100_000))))
    for number in range(17):
        before = bucketed.records.load("record-1")
        assert isinstance(before, StoredRecord)
        bucketed.records.replace(before, changed(before, actor=noise(50_000, seed=number)))

    named = bucketed.records.blob_names("record-1")

    assert len(named) == 3
    assert named <= {blob.name for blob in bucketed.blobs.list_blobs()}
    for name in {blob.name for blob in bucketed.blobs.list_blobs()} - named:
        bucketed.blobs.remove(name)
    whole = bucketed.records.load("record-1")
    assert whole is not None
    assert len(whole.trail) == 18


def test_a_record_without_blobs_names_none(bucketed: Store) -> None:
    bucketed.records.create(stored())

    assert bucketed.records.blob_names("record-1") == frozenset()
    assert bucketed.records.blob_names("never") == frozenset()


def test_a_refused_write_leaves_the_blobs_of_the_record_that_stays(bucketed: Store) -> None:
    first = stored(payload=event(summary=noise(100_000)))
    bucketed.records.create(first)
    with pytest.raises(IdTaken):
        bucketed.records.create(stored(payload=event(summary=noise(100_000, seed=1))))
    before = bucketed.records.load(first.id)
    assert isinstance(before, StoredRecord)
    bucketed.records.replace(before, changed(before))
    with pytest.raises(LostRace):
        bucketed.records.replace(before, changed(before, actor=noise(90_000)))

    found = bucketed.records.load(first.id)

    assert isinstance(found, StoredRecord)
    assert found.record.payload == first.record.payload
