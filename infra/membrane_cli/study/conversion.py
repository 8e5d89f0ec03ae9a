"""A program that turns HTML or PDF on standard input into text, for one file, within limits.

The parser of a hostile file may take any time and memory, so `reading.py` runs the parser here: in
a process of its own, which opens no connection, starts no program and writes no file. The program
imports nothing of the project.
"""

import io
import json
import logging
import resource
import sys
from contextlib import suppress
from typing import Any, NoReturn

LIMIT_S = 60
"""Of the processor, and for `reading.py` of the clock."""
MEMORY_BYTES = 1024 * 1024 * 1024
MAX_PAGES = 2_000
REFUSED = 3
"""The exit code of a refusal; the reason is on standard error."""
_WITHOUT_TEXT = (
    *("script", "style", "template", "noscript", "iframe", "frame", "object", "embed"),
    *("applet", "svg", "canvas", "audio", "video", "input", "select", "textarea", "button"),
)
_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system")


def main(kind: str) -> None:
    """Write `{"title": …, "text": …}` to standard output; an empty title stands for none."""
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, LIMIT_S),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS knows no limit of the address space
            resource.setrlimit(limit, (most, most))
    sys.addaudithook(_forbid)
    logging.disable()
    try:
        title, text = _HTML_OR_PDF[kind](sys.stdin.buffer.read())
        print(json.dumps({"title": title, "text": text}))
    except MemoryError:
        _refuse(f"takes more than {MEMORY_BYTES // 1024**2} MiB of memory")
    except RecursionError:
        _refuse("is nested too deeply")


def _forbid(event: str, _: Any) -> None:
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"a parser of documents has no use for {event}")


def _of_html(content: bytes) -> tuple[str, str]:
    """The title, and the body as Markdown without scripts, styles and pictures."""
    from bs4 import BeautifulSoup  # noqa: PLC0415 - the limits come first
    from markdownify import MarkdownConverter  # noqa: PLC0415

    page = BeautifulSoup(_decode(content), "html.parser")
    title = page.title.get_text(" ", strip=True) if page.title else ""
    for each in page.find_all([*_WITHOUT_TEXT, "head", "title"]):
        each.decompose()
    for picture in page.find_all("img"):
        picture.replace_with(str(picture.get("alt") or ""))
    for link in page.find_all("a"):
        if not str(link.get("href") or "").lower().startswith(("http:", "https:", "mailto:")):
            link.unwrap()
    return title, MarkdownConverter(heading_style="ATX", bullets="-").convert_soup(page)


def _decode(content: bytes) -> str:
    """The page as its mark of the byte order or its own declaration says, else UTF-8 or Latin-1.

    The detection of bs4 depends on what else is installed, and takes a short Latin-1 for Chinese.
    """
    from bs4.dammit import EncodingDetector  # noqa: PLC0415

    content, marked = EncodingDetector.strip_byte_order_mark(content)
    declared = EncodingDetector.find_declared_encoding(content, is_html=True)
    for encoding in filter(None, (marked, declared, "utf-8")):
        with suppress(LookupError, UnicodeDecodeError):
            return content.decode(encoding)
    return content.decode("windows-1252", errors="replace")


def _of_pdf(content: bytes) -> tuple[str, str]:
    """The text page by page; the title in a PDF is rarely the document's."""
    from pypdf import PasswordType, PdfReader  # noqa: PLC0415 - the limits come first

    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        _refuse("is encrypted")
    if len(reader.pages) > MAX_PAGES:
        _refuse(f"has {len(reader.pages)} pages, more than {MAX_PAGES}")
    pages = (page.extract_text().strip() for page in reader.pages)
    text = "\n\n".join(page for page in pages if page)
    return "", text.replace("\0", " ").encode(errors="replace").decode()


_HTML_OR_PDF = {"html": _of_html, "pdf": _of_pdf}


def _refuse(reason: str) -> NoReturn:
    print(reason, file=sys.stderr)
    sys.exit(REFUSED)


if __name__ == "__main__":
    main(sys.argv[1])
