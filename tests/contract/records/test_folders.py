"""Objects in a folder: every name leads to a file below the store's own prefixes, or nowhere."""

from collections.abc import Callable
from io import BytesIO, RawIOBase
from pathlib import Path

import pytest

from membrane_local.storage.objects import Folder
from tests.worlds.refusals import refuses
from tests.worlds.stores import BUCKET

ELSEWHERE = (
    "api-key",
    "./api-key",
    "../api-key",
    "/etc/hostname",
    "",
    "other/name",
    "imports",
    "blobs",
)
IMPOSSIBLE = (
    "{}",
    "{}a/",
    "{}/etc/hostname",
    "{}a//b",
    "{}a\0b",
    "{}\ud800",
    "{}" + "x" * 256,
    "{}" + "ü" * 128,
    "{}" + "abc/" * 260 + "d",
    "{}there/more",
    "{}folder",
)
DOTS = ("{}../api-key", "{}../../outside", "{}a/../../../outside", "{}./a", "{}..", "{}%2E%2E")

Write = Callable[[str, bytes], object]
Read = Callable[[str], bytes | None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a store, with a key in it, in a folder with something else."""
    store = tmp_path / "store"
    store.mkdir()
    (store / "api-key").write_bytes(b"secret")
    (tmp_path / "outside").write_bytes(b"not the store's")
    return store


@pytest.fixture(params=["blobs", "uploads", "imports", "import-results"])
def place(request: pytest.FixtureRequest, root: Path) -> tuple[str, Write, Read]:
    """A prefix, and how an object under it is written and read."""
    prefix = f"{request.param}/"
    folder = Folder(root, BUCKET)

    def received(name: str) -> bytes | None:
        found = folder.find(name)
        return None if found is None else folder.read_range(found, 0, 1_000)

    def kept(name: str) -> bytes | None:
        found = folder.result(name)
        return None if found is None else found.content

    if prefix == "imports/":
        return prefix, lambda name, content: folder.receive(name, BytesIO(content)), received
    if prefix == "import-results/":
        return prefix, folder.keep, kept
    return prefix, folder.write, folder.get


def files(root: Path) -> list[str]:
    """Every file in the store's folder and the one around it."""
    around = root.parent
    return sorted(str(path.relative_to(around)) for path in around.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_not_an_object_has_no_name(
    root: Path, place: tuple[str, Write, Read], name: str
) -> None:
    _, write, read = place
    before = files(root)

    with refuses("INVALID_ARGUMENT"):
        write(name, b"mine")

    assert read(name) is None
    assert files(root) == before
    assert (root / "api-key").read_bytes() == b"secret"


@pytest.mark.parametrize("form", IMPOSSIBLE)
def test_a_name_that_no_file_can_have_is_refused_and_absent(
    root: Path, place: tuple[str, Write, Read], form: str
) -> None:
    prefix, write, read = place
    write(f"{prefix}there", b"an object")
    write(f"{prefix}folder/one", b"an object")
    before = files(root)

    with refuses("INVALID_ARGUMENT"):
        write(form.format(prefix), b"mine")

    assert read(form.format(prefix)) is None
    assert files(root) == before


@pytest.mark.parametrize("form", DOTS)
def test_dots_are_part_of_a_name_as_in_a_bucket_and_lead_nowhere(
    root: Path, place: tuple[str, Write, Read], form: str
) -> None:
    prefix, write, read = place
    before = files(root)

    write(form.format(prefix), b"mine")

    assert read(form.format(prefix)) == b"mine"
    (made,) = set(files(root)) - set(before)
    assert made.startswith(f"store/{prefix}")
    assert (root / "api-key").read_bytes() == b"secret"
    assert (root.parent / "outside").read_bytes() == b"not the store's"


def test_a_record_whose_id_is_dots_has_blobs_of_its_own(root: Path) -> None:
    blobs = Folder(root, BUCKET)
    for record_id in (".", "..", "..."):
        blobs.write(f"blobs/{record_id}/sha", record_id.encode())

    listed = list(blobs.list_blobs())

    assert {blob.record_id for blob in listed} == {".", "..", "..."}
    assert all(blobs.get(blob.name) == blob.record_id.encode() for blob in listed)


@pytest.mark.parametrize("name", ["../outside", "blobs/../api-key", "api-key", "blobs/a", "blobs"])
def test_removing_reaches_no_further(root: Path, name: str) -> None:
    blobs = Folder(root, BUCKET)
    blobs.write("blobs/a/1", b"content")
    before = files(root)

    blobs.remove(name)

    assert files(root) == before


class Breaking(RawIOBase):
    """Content of which the second half never comes."""

    def __init__(self) -> None:
        self._pieces = [b"half"]

    def read(self, size: int = -1) -> bytes:  # noqa: ARG002 - as files have it
        if not self._pieces:
            raise ConnectionResetError
        return self._pieces.pop()


def test_an_object_that_breaks_off_leaves_nothing(root: Path) -> None:
    imports = Folder(root, BUCKET)
    before = sorted(root.rglob("*"))

    with pytest.raises(ConnectionResetError):
        imports.receive("imports/a", Breaking())  # type: ignore[arg-type]  # only read() is asked

    assert imports.find("imports/a") is None
    assert [path for path in sorted(root.rglob("*")) if path not in before] == []


def test_clearing_takes_what_a_killed_writer_left_and_nothing_that_is_no_object(root: Path) -> None:
    before = files(root)
    Folder(root, BUCKET).write("blobs/a/1", b"content")
    (root / "partial-x").mkdir()
    (root / "partial-x/half").write_bytes(b"half")

    Folder(root, BUCKET).clear()

    assert files(root) == before


def test_objects_are_for_their_user_alone(root: Path) -> None:
    Folder(root, BUCKET).write("blobs/a/1", b"content")

    assert (root / "blobs/a/1").stat().st_mode & 0o077 == 0


class Overtaken(BytesIO):
    """A content that another writer's object overtakes while it is read."""

    def __init__(self, folder: Folder, name: str) -> None:
        super().__init__(b"late")
        self._folder, self._name = folder, name

    def read(self, size: int | None = -1, /) -> bytes:
        self._folder.write(self._name, b"early")
        return super().read(size)


def test_a_new_object_does_not_replace_one_that_came_while_it_was_written(tmp_path: Path) -> None:
    folder = Folder(tmp_path, BUCKET)
    name = "blobs/record-1/digest"

    assert folder.put_new(name, Overtaken(folder, name)) is False

    assert folder.get(name) == b"early"
    assert folder.put_new("blobs/record-1/other", b"new") is True
    assert folder.get("blobs/record-1/other") == b"new"


def test_a_new_object_is_put_once_where_the_file_system_has_no_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_paths: object) -> None:
        raise PermissionError

    monkeypatch.setattr("os.link", refused)
    folder = Folder(tmp_path, BUCKET)

    assert folder.put_new("blobs/record-1/digest", b"first") is True
    assert folder.put_new("blobs/record-1/digest", b"second") is False

    assert folder.get("blobs/record-1/digest") == b"first"


def test_a_new_object_does_not_take_a_folders_name(tmp_path: Path) -> None:
    folder = Folder(tmp_path, BUCKET)
    folder.write("blobs/record-1/digest", b"one")

    with refuses("INVALID_ARGUMENT", match="a folder's"):
        folder.put_new("blobs/record-1", b"two")
