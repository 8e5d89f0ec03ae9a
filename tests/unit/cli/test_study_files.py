"""The documents of `membrane study`: which files, under which names, with which titles."""

import os
from pathlib import Path

import pytest

from membrane_cli.study import reading
from membrane_cli.study.reading import files_of, heading_of, read_document, title_of
from tests.worlds.refusals import refuses

MAX_DOCUMENT_BYTES = 10 << 20


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `manuals` of the working directory."""
    monkeypatch.chdir(tmp_path)
    return written(Path("manuals/b.md")).parent


def written(path: Path, text: str = "Tea.") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def sources(*arguments: str) -> tuple[list[str], list[str]]:
    """The names of the documents, and the notes."""
    notes: list[str] = []
    files = files_of([Path(each) for each in arguments], notes.append)
    return [each.source for each in files], notes


def test_a_folder_has_its_readable_documents_by_path_and_nothing_hidden(folder: Path) -> None:
    for name in ("a.txt", "sub/c.PDF", "sub/d.html", "e.py", ".f.md", ".git/g.md", "sub/h"):
        written(folder / name)

    assert sources("manuals") == (
        ["manuals/a.txt", "manuals/b.md", "manuals/sub/c.PDF", "manuals/sub/d.html"],
        [],
    )


@pytest.mark.parametrize("argument", ["manuals", "./manuals/", "manuals/../manuals"])
def test_a_document_of_a_folder_has_the_same_name_however_the_folder_is_named(
    folder: Path, argument: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sources(argument) == (["manuals/b.md"], [])

    monkeypatch.chdir(folder)
    assert sources(".") == (["manuals/b.md"], [])


@pytest.mark.usefixtures("folder")
def test_a_file_has_the_name_that_was_given_and_is_one_document_if_named_twice() -> None:
    assert sources("./manuals/b.md", "manuals") == (["manuals/b.md"], [])


def test_two_files_of_one_name_are_refused(folder: Path) -> None:
    written(Path("other") / folder / "b.md")

    with refuses("INVALID_ARGUMENT", match=r"manuals/b\.md and other/manuals/b\.md would be one"):
        sources("manuals", "other/manuals")


def test_links_lead_to_documents_in_the_folder_alone(folder: Path) -> None:
    secret = written(Path("secret/key.md")).resolve()
    hidden = written(folder / ".hidden/key.md").resolve()
    links = {"out.md": secret, "in.md": (folder / "b.md").resolve(), "hid.md": hidden}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    (folder / "loop").symlink_to(folder.resolve())
    (folder / "outside").symlink_to(secret.parent)
    (folder / "broken.md").symlink_to("nowhere")

    assert sources("manuals") == (["manuals/b.md", "manuals/in.md"], [])


def test_what_is_no_regular_file_is_never_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")

    assert sources("manuals") == (["manuals/b.md"], [])
    assert sources("manuals/pipe.md") == ([], ["manuals/pipe.md is no file and no folder"])


@pytest.mark.usefixtures("folder")
def test_an_argument_without_documents_is_noted_and_the_others_go_on() -> None:
    Path("empty").mkdir()

    found, notes = sources("nowhere", "empty", "manuals")

    assert found == ["manuals/b.md"]
    assert notes == ["nowhere is no file and no folder", "empty has no documents"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Tea #\n\nGreen.", "Tea"),
        ("```sh\n# a comment\n```\n\n# Tea", "Tea"),
        ("## Two\n\n# C#", "C#"),
        ("Tea\n===\n", "Tea"),
        ("#hashtag\n\n> # quoted\n\n    # code", ""),
        ("---\ntitle: x\n---\n\n# Tea", "Tea"),
        ("#\n\n# Tea", "Tea"),
        ("# " + " " * 1_000_000, ""),
    ],
)
def test_the_title_is_the_first_heading_of_level_one(text: str, title: str) -> None:
    assert heading_of(text) == title


def test_a_text_without_a_heading_has_the_title_of_the_file(folder: Path) -> None:
    plain = written(folder / "green tea.txt")
    long = written(folder / "long.md", f"# {'tea ' * 100}\n\nGreen.")

    assert read_document(plain) == ("green tea", "Tea.")
    assert len(read_document(long).title) == 299


def test_a_mark_of_the_byte_order_is_no_part_of_the_text(folder: Path) -> None:
    file = folder / "bom.txt"
    file.write_bytes(b"\xef\xbb\xbf# Tea")

    assert read_document(file) == ("Tea", "# Tea")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.md", b"Gr\xfcn", r"is not UTF-8 \(byte 2\)"),
        ("a.txt", b" \n\t", "has no text"),
        ("a.md", b"x" * (MAX_DOCUMENT_BYTES + 1), "has more than 10 MiB of text"),
        ("a.docx", b"x", r"is none of \.md, \.markdown, \.txt, \.html, \.htm, \.pdf"),
    ],
    ids=["encoding", "blank", "size", "type"],
)
def test_a_file_that_is_no_document_is_refused(
    folder: Path, name: str, content: bytes, reason: str
) -> None:
    (folder / name).write_bytes(content)

    with refuses("INVALID_ARGUMENT", match=f"^{reason}$"):
        read_document(folder / name)


def test_the_greatest_text_is_read(folder: Path) -> None:
    file = written(folder / "a.md", "x" * MAX_DOCUMENT_BYTES)

    assert len(read_document(file).text) == MAX_DOCUMENT_BYTES


@pytest.mark.parametrize(
    ("name", "missing"), [("a.pdf", "pypdf"), ("a.htm", "bs4 and markdownify")]
)
def test_a_missing_library_is_named_with_the_extra(
    folder: Path, name: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "find_spec", lambda _: None)
    file = written(folder / name)

    with refuses("INVALID_ARGUMENT") as refused:
        read_document(file)

    assert str(refused.value) == f"needs {missing}: in the clone, pip install '.[study]'"


def test_a_file_that_is_too_large_is_not_converted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 3)

    with refuses("INVALID_ARGUMENT", match="has more than"):
        read_document(written(folder / "a.html"))


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("---\ntitle: Deploy guide\nlayout: post\n---\n# Else\n", "Deploy guide"),
        ('+++\ntitle = "Deploy guide"\n+++\n', "Deploy guide"),
        ("---\ntitle:\tDeploy guide\n---\n", "Deploy guide"),
        ('+++\rtitle = "Deploy guide"\r+++\r', "Deploy guide"),
        ('{\n\t"title": "Deploy guide"\n}\nText.\n', "Deploy guide"),
        ("---\nname: deploy\n---\n# Deploying\n", "Deploying"),
        ("---\nname: deploy\n# a comment\n---\nText.\n", "deploy"),
        ("---\ntitle: [not closed\n---\n# Deploying\n", "Deploying"),
        ("---\ntitle: 2026-01-02\n---\n# Else\n", "2026-01-02"),
        ("---\ntitle: 1.10\n---\n# Else\n", "1.10"),
        ("+++\ntitle = 2026\n+++\n# Else\n", "2026"),
        ("---\nlayout: post\n---\nText.\n", "SKILL"),
    ],
)
def test_the_title_of_a_file_comes_from_the_front_matter(
    tmp_path: Path, front: str, title: str
) -> None:
    assert read_document(written(tmp_path / "SKILL.md", front)).title == title


@pytest.mark.parametrize(
    "title",
    [
        *("!!bool x", "!!int ''", "!!str [a]", "!!python/name:os.system ''", r'"\UFFFFFFFF"', "*a"),
        *("[Tea]", "{a: Tea}", "true", "~", "&t [*t]", "!!float [1]", "!!timestamp {}"),
    ],
)
def test_a_title_of_yaml_that_is_no_text_gives_way_to_the_heading(
    tmp_path: Path, title: str
) -> None:
    text = f"---\ntitle: {title}\n---\n# Deploying\n"

    assert read_document(written(tmp_path / "SKILL.md", text)).title == "Deploying"


@pytest.mark.parametrize("title", ["true", "[1]", "{a = 1}", f"0x{'f' * 7_000}"])
def test_a_title_of_toml_that_is_no_text_gives_way_to_the_heading(
    tmp_path: Path, title: str
) -> None:
    text = f"+++\ntitle = {title}\n+++\n# Deploying\n"

    assert read_document(written(tmp_path / "SKILL.md", text)).title == "Deploying"


def test_aliases_of_yaml_are_no_title() -> None:
    nine = (f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 6))
    text = f"---\na0: &a0 [Tea]\n{''.join(nine)}name: *a5\n---\nText.\n"

    assert title_of(text) == ""
