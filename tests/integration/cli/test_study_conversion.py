"""HTML and PDF as documents: in a child process, within limits, whatever the file is."""

import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from membrane_cli.study import conversion
from membrane_cli.study.reading import read_document
from tests.worlds.refusals import refuses

PAGE = """<html><head><title>Green
 tea</title><style>h1 {color: green}</style><meta charset="utf-8"></head><body>
<!-- a comment --><script src="http://127.0.0.1:9/x.js">steal()</script><noscript>no</noscript>
<h1>Tea</h1><p>Tea is <b>gr\u00fcn</b>, says <a href="https://tea.example/">a page</a>,
<a href="javascript:steal()">a button</a>.<img src="http://127.0.0.1:9/x.png" alt="A cup"></p>
<iframe src="file:///etc/passwd">frame</iframe><ul><li>one</li><li>two</li></ul>
<table><tr><th>a</th></tr><tr><td>1</td></tr></table></body></html>"""


def deflated(content: bytes, repeats: int) -> bytes:
    """The repeated content, deflated piece by piece: the whole may be larger than memory."""
    deflate = zlib.compressobj()
    pieces = [deflate.compress(content) for _ in range(repeats)]
    return b"".join((*pieces, deflate.flush()))


def a_pdf(*pages: bytes, count: int = 1, repeats: int = 1) -> bytes:
    """A PDF; `count` pages have each content, which is repeated `repeats` times."""
    kids = b" ".join(b"%d 0 R" % (4 + len(pages) + at) for at in range(len(pages) * count))
    streams = [deflated(page, repeats) for page in pages]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [" + kids + b"] /Count %d >>" % (len(pages) * count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(each), each)
            for each in streams
        ),
        *(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (4 + at % len(pages))
            for at in range(len(pages) * count)
        ),
    ]
    written, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    written_table = b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n" % (size, len(written))
    return written + written_table + trailer + b"%%EOF\n"


def shown(text: str) -> bytes:
    return b"BT /F1 24 Tf 72 720 Td (%b) Tj ET" % text.encode()


def refusal(file: Path, content: bytes, *, limit_s: float = conversion.LIMIT_S) -> str:
    file.write_bytes(content)
    with refuses("INVALID_ARGUMENT") as refused:
        read_document(file, limit_s=limit_s)
    return str(refused.value)


def test_a_page_is_markdown_without_scripts_styles_and_pictures(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    file.write_text(PAGE, encoding="utf-8")

    title, text = read_document(file)

    assert title == "Green tea"
    assert [line for line in text.splitlines() if line.strip()] == [
        "# Tea",
        "Tea is **gr\u00fcn**, says [a page](https://tea.example/),",
        "a button.A cup",
        "- one",
        "- two",
        "| a |",
        "| --- |",
        "| 1 |",
    ]


def test_a_page_without_a_title_has_the_title_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "green tea.htm"
    file.write_text("<p>Tea")

    assert read_document(file) == ("green tea", "Tea")


@pytest.mark.parametrize(
    "content",
    [
        b"<p>Gr\xfcn",
        '<meta charset="cp850"><p>Gr\u00fcn'.encode("cp850"),
        "<p>Gr\u00fcn".encode("utf-16"),
    ],
    ids=["Latin-1", "declared", "marked"],
)
def test_a_page_is_read_in_its_encoding(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.html"
    file.write_bytes(content)

    assert read_document(file).text == "Gr\u00fcn"


def test_a_pdf_is_the_text_of_its_pages(tmp_path: Path) -> None:
    file = tmp_path / "tea.pdf"
    file.write_bytes(a_pdf(shown("Green tea"), shown("White tea")))

    assert read_document(file) == ("tea", "Green tea\n\nWhite tea")


@pytest.mark.parametrize("content", [b"", a_pdf(b"BT")[:200]], ids=len)
def test_a_broken_pdf_is_refused_with_the_reason(tmp_path: Path, content: bytes) -> None:
    reason = refusal(tmp_path / "a.pdf", content)

    assert reason.startswith("is no PDF that can be read (pypdf.errors.")
    assert "\n" not in reason


def test_a_scan_and_too_many_pages_are_refused(tmp_path: Path) -> None:
    scan = refusal(tmp_path / "a.pdf", a_pdf(b"0 0 9 9 re f"))
    many = refusal(tmp_path / "a.pdf", a_pdf(shown("tea"), count=conversion.MAX_PAGES + 1))

    assert scan == "has no text: a scan needs text recognition first"
    assert many == "has 2001 pages, more than 2000"


def test_a_pdf_that_unfolds_to_gigabytes_is_refused(tmp_path: Path) -> None:
    reason = refusal(tmp_path / "a.pdf", a_pdf(b"0 " * 1_000_000, repeats=40))

    assert "Limit reached while decompressing" in reason


def test_a_file_that_takes_long_is_given_up(tmp_path: Path) -> None:
    begin_s = time.monotonic()

    reason = refusal(tmp_path / "a.pdf", a_pdf(shown("tea"), count=2_000), limit_s=0.05)

    assert reason == "takes more than 0.05 s to read"
    assert time.monotonic() - begin_s < 10


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a.html", b"<div>" * 20_000 + b"x") == "is nested too deeply"


LIMITED = """
import runpy, sys
from tests.worlds.refusals import refuses
sys.argv = ["conversion", "other"]
conversion = runpy.run_path({path!r})
def convert(content):
    {code}
conversion["_HTML_OR_PDF"]["other"] = convert
conversion["main"]("other")
"""


def converted_by(code: str) -> "subprocess.CompletedProcess[str]":
    """What the program does with a parser of this code, which may be hostile."""
    program = LIMITED.format(path=conversion.__file__, code=code)
    return subprocess.run(
        [sys.executable, "-c", program], input="", capture_output=True, text=True, check=False
    )


def test_a_parser_that_takes_all_memory_is_ended() -> None:
    done = converted_by("return '', 'x' * 4_000_000_000")

    assert (done.returncode, done.stdout) == (conversion.REFUSED, "")
    assert done.stderr == "takes more than 1024 MiB of memory\n"


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.fork()",
    ],
)
def test_a_parser_opens_no_connection_and_starts_no_program(code: str) -> None:
    done = converted_by(code)

    assert done.returncode == 1
    assert "a parser of documents has no use for" in done.stderr


def test_a_parser_writes_no_file(tmp_path: Path) -> None:
    file = tmp_path / "a"

    done = converted_by(f"open({str(file)!r}, 'w').write('x' * 100_000)")

    assert done.returncode == 1
    assert "File too large" in done.stderr


def test_a_library_in_the_folder_at_hand_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bs4.py").write_text("raise SystemExit('hostile')")
    (tmp_path / "a.html").write_text("<p>Tea")
    monkeypatch.chdir(tmp_path)

    assert read_document(Path("a.html")).text == "Tea"
