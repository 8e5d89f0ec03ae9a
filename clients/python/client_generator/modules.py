"""The text of a module: imports for the names that the body uses, in the form of ruff."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from client_generator.document import ROOT
from client_generator.names import SHARED

CLIENT = ROOT / "clients" / "python" / "membrane_client"
WIDTH = 100
ORIGIN = "Written by `make openapi`."

ELSEWHERE = {
    "collections.abc": {"Mapping", "Sequence"},
    "datetime": {"datetime"},
    "typing": {"Any", "TypedDict", "Unpack"},
    "membrane_client.core.api": {"Api"},
    "membrane_client.operations.parameters": {*SHARED},
    "membrane_client.core.protocol": {"Json", "Steps", "Texts", "Time", "User"},
    "membrane_client.core.sync_and_async": {"ask", "operation", "pages", "write"},
    "membrane_client.value": {"Found", "Job", "Linked", "Name", "Page", "Text", "Value"},
}
"""Names of the generated modules, by the modules that have them."""


def is_used(name: str, body: str) -> bool:
    is_decorator = name in ELSEWHERE["membrane_client.core.sync_and_async"]
    return f"class {name}(" not in body and (not is_decorator or f"@{name}" in body)


def module_text(docstring: str, body: str, places: Mapping[str, str]) -> str:
    code = re.sub(r'#[^\n]*|""".*?"""|"[^"\n]*"', "", body, flags=re.DOTALL)
    names = {*re.findall(r"(?<![.\w])\w+", code)}
    imports: dict[str, set[str]] = {}
    for each in names & places.keys():
        if not re.search(rf"^class {each}\b", body, re.MULTILINE):
            imports.setdefault(f"membrane_client.values.{places[each]}", set()).add(each)
    used = {*re.findall(r"\b(\w+)\.[A-Z]", code)} & {*places.values()}
    if used:
        imports["membrane_client.values"] = used
    for place, known in ELSEWHERE.items():
        needed = {each for each in names & known if is_used(each, body)}
        if needed:
            imports[place] = needed
    lines = [f"from {place} import {', '.join(sorted(each))}" for place, each in imports.items()]
    return f'"""{docstring} {ORIGIN}"""\n\n' + "\n".join(lines) + f"\n\n\n{body}\n"


def with_modules(body: str, places: Mapping[str, str]) -> str:
    """The body with the module before each class of a reply: `topics.TopicReply`."""
    known = re.compile(r'(?<![\w."/])(' + "|".join(places) + r")(?=[\[\],)])")
    return known.sub(lambda found: f"{places[found[1]]}.{found[1]}", body)


def in_form(name: str, source: str) -> str:
    """The source as ruff sorts imports and formats."""
    ruff = str(Path(sys.executable).with_name("ruff"))
    for command in (["check", "--select=I", "--fix", "--quiet"], ["format", "--quiet"]):
        tool = [ruff, *command, "--stdin-filename", str(CLIENT / name), "-"]
        done = subprocess.run(tool, input=source, capture_output=True, text=True, check=True)
        source = done.stdout
    return source
