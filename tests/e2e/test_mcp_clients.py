"""The MCP server under clients that nobody here wrote: the SDK's client, and the Inspector."""

import asyncio
import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.stack import MEMBRANE, Stack

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / ".venv-mcp"
INSPECTOR = CLIENTS / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
TOKENIZER = CLIENTS / "node_modules/gpt-tokenizer/esm/encoding/o200k_base.js"

TOOLS = (
    *("recall", "remember", "record_outcome", "correct", "forget", "read", "about"),
    "working_state",
)
MODES = ("2026-07-28", "legacy", "auto")

Act = Callable[[mcp.Client], Any]


def with_client(stack: Stack, mode: str, act: Act) -> Any:
    """What a client makes of the stack, in a version of the protocol."""

    async def run() -> Any:
        headers = {"authorization": f"Bearer {stack.secret}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{stack.url}/mcp", http_client=http)
            async with mcp.Client(transport, mode=mode) as client:
                return await act(client)

    return asyncio.run(run())


def over_stdio(stack: Stack, mode: str, act: Act, *options: str) -> Any:
    """What a client makes of the stack through `membrane mcp`."""
    arguments = ["mcp", "--url", stack.url, "--api-key", stack.secret, *options]
    bridge = stdio_client(StdioServerParameters(command=MEMBRANE, args=arguments))

    async def run() -> Any:
        async with mcp.Client(bridge, mode=mode) as client:
            return await act(client)

    return asyncio.run(run())


def inspected(stack: Stack, method: str, *options: str) -> dict[str, Any]:
    """The answer that the Inspector prints."""
    node, url = str(CLIENTS / "bin/node"), f"{stack.url}/mcp"
    command = [node, str(INSPECTOR), "--cli", url, "--transport", "http"]
    header = f"Authorization: Bearer {stack.secret}"
    said = subprocess.run(
        [*command, "--method", method, "--header", header, *options],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    return dict(json.loads(said.stdout))


def fitting(schema: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments made from the tool's own schema: each known argument that the tool takes."""
    missing = set(schema.get("required", ())) - known.keys()
    assert not missing, missing
    return {name: known[name] for name in schema["properties"] if name in known}


def known_arguments(stack: Stack) -> Mapping[str, Mapping[str, Any]]:
    """Values for the arguments of each tool, of a memory that has a fact."""
    fact = {"source": "me", "subject": "Alice", "predicate": "likes", "object": "tea"}
    _, told = stack.call("POST", "/v1/ingest/observation", fact)
    fact_id = told["record"]["id"]
    return {
        "recall": {"query": "what does Alice like", "limit": 3, "types": ["semantic"]},
        "remember": {"text": "Bob likes coffee", "tags": ["drinks"]},
        "record_outcome": {"status": "success", "task": "Made tea", "used_ids": [fact_id]},
        "correct": {"id": fact_id, "object": "milk", "why": "She said so."},
        "read": {"id": fact_id, "history": True, "offset": 0},
        "about": {"name": "Alice"},
        "working_state": {"thread_id": "t1", "state": "done", "next_actions": ["rest"]},
        "forget": {"ids": [fact_id], "why": "She asked."},
    }


@pytest.mark.parametrize("mode", MODES)
def test_the_client_of_the_sdk_calls_every_tool_from_its_own_schema(
    stack: Stack, mode: str
) -> None:
    known = known_arguments(stack)

    async def call_all(client: mcp.Client) -> dict[str, mcp.types.CallToolResult]:
        tools = (await client.list_tools()).tools
        assert [each.name for each in tools] == list(TOOLS)
        schemas = {each.name: each.input_schema for each in tools}
        return {
            name: await client.call_tool(name, fitting(schemas[name], known[name]))
            for name in known
        }

    answers = with_client(stack, mode, call_all)

    for name, answer in answers.items():
        assert not answer.is_error, (name, answer.content)
        assert answer.structured_content, name
        assert answer.content[0].text, name


@pytest.mark.parametrize("mode", MODES)
def test_the_client_of_the_sdk_reads_resources_and_prompts(stack: Stack, mode: str) -> None:
    async def read_all(client: mcp.Client) -> tuple[Any, ...]:
        kept = await client.call_tool("remember", {"text": "Alice likes tea"})
        record_id = kept.structured_content["id"]
        templates = (await client.list_resource_templates()).resource_templates
        record = await client.read_resource(f"membrane://records/{record_id}")
        metrics = await client.read_resource("membrane://metrics")
        prompt = await client.get_prompt("recall_first", {"task": "make tea"})
        return record_id, templates, record, metrics, prompt

    record_id, templates, record, metrics, prompt = with_client(stack, mode, read_all)

    assert len(templates) == 6
    assert json.loads(record.contents[0].text)["record"]["id"] == record_id
    assert json.loads(metrics.contents[0].text)["snapshot"]["total_records"] == 1
    assert "Then do the task: make tea." in prompt.messages[0].content.text


@pytest.mark.parametrize("mode", MODES)
def test_the_bridge_serves_the_client_of_the_sdk_in_each_version(stack: Stack, mode: str) -> None:
    async def remember_and_recall(client: mcp.Client) -> Any:
        await client.call_tool("remember", {"text": "Alice likes tea"})
        return await client.call_tool("recall", {"query": "tea"})

    found = over_stdio(stack, mode, remember_and_recall)

    assert "noted Alice likes tea" in found.content[0].text


def test_the_bridge_offers_the_tools_of_memstate_by_an_option(stack: Stack) -> None:
    async def create_and_list(client: mcp.Client) -> Any:
        names = [each.name for each in (await client.list_tools()).tools]
        await client.call_tool("memory_create_topic", {"title": "Alice", "topic_id": "alice"})
        return names, await client.call_tool("memory_list_topics", {})

    names, listed = over_stdio(stack, "auto", create_and_list, "--profile", "memstate")

    assert len(names) == 26
    assert listed.structured_content["topic_ids"] == ["alice"]


def test_the_inspector_calls_every_tool_from_its_own_schema(stack: Stack) -> None:
    known = known_arguments(stack)
    schemas = {
        each["name"]: each["inputSchema"] for each in inspected(stack, "tools/list")["tools"]
    }

    assert tuple(schemas) == TOOLS
    for name, values in known.items():
        given = json.dumps(fitting(schemas[name], values))
        answer = inspected(stack, "tools/call", "--tool-name", name, "--tool-args-json", given)
        assert not answer.get("isError"), (name, answer)
        assert answer["structuredContent"], name


def test_the_list_of_the_eight_tools_takes_at_most_2500_tokens_of_a_language_model(
    stack: Stack,
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    status, reply = stack.call("POST", "/mcp", message)
    listed = json.dumps(reply["result"], separators=(",", ":"))
    count = (
        f'import {{ encode }} from "{TOKENIZER.as_uri()}"; import {{ readFileSync }} from "fs"; '
        "console.log(encode(readFileSync(0, 'utf8')).length)"
    )

    said = subprocess.run(
        [CLIENTS / "bin/node", "--input-type=module", "-e", count],
        input=listed, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert status == 200
    assert len(reply["result"]["tools"]) == 8
    assert 1_000 < int(said.stdout) <= 2_500


def test_the_lock_file_of_the_suite_names_hashes_and_no_registry() -> None:
    lock = json.loads((ROOT / "requirements" / "mcp" / "package-lock.json").read_text())

    packages = {name: each for name, each in lock["packages"].items() if name}
    assert "node_modules/@modelcontextprotocol/conformance" in packages
    assert all(each["integrity"].startswith("sha512-") for each in packages.values())
    assert not any("resolved" in each for each in packages.values())
