"""Names in code quotes (backticks): symbols, calls of tools, files and repositories."""

import re
from collections.abc import Iterator

from membrane.domain.entities.kinds import FILE, SYMBOL, TOOL
from membrane.domain.entities.looks import Look, look_alone
from membrane.domain.entities.spans import Span
from membrane.domain.entities.word_lists import NO_SYMBOLS

_CODE = re.compile(r"`(?P<code>[^`\n]{1,256}+)`")
_CALL = re.compile(r"(?P<tool>[A-Za-z_]\w{1,99}+)\(\)")
_SYMBOL = re.compile(r"[A-Za-z_$][\w$]*+(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*+)*+(?:\(\))?")
_DASHED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*+(?:-[A-Za-z0-9]++)+")
"""A package or service, such as `image-mill`."""

_LEAST_SYMBOL_CHARACTERS = 3

_SCRIPT_ENDS = (".js", ".mjs", ".lock", ".env")
"""Extensions that only in code quotes make a word a file."""


def code_spans(text: str) -> Iterator[Span]:
    """Names that fill code quotes: `Router.dispatch` is a symbol, `deploy()` calls a tool."""
    for each in _CODE.finditer(text):
        look = _look_of_code(each["code"])
        if look:
            start = each.start("code")
            yield Span(start, start + len(look.surface), look.kind, aliases=look.aliases)


def _look_of_code(code: str) -> Look | None:
    look = look_alone(code)
    if look:
        return look
    call = _CALL.fullmatch(code)
    if call:
        return Look(TOOL, call["tool"])
    if code.endswith(_SCRIPT_ENDS) and "(" not in code and _SYMBOL.fullmatch(code):
        return Look(FILE, code)
    is_symbol = len(code) >= _LEAST_SYMBOL_CHARACTERS and code.lower() not in NO_SYMBOLS
    is_symbol = is_symbol and bool(_SYMBOL.fullmatch(code) or _DASHED.fullmatch(code))
    return Look(SYMBOL, code.removesuffix("()")) if is_symbol else None
