"""The template as `make build` changes it: for another processor, and with SnapStart."""

import subprocess
from pathlib import Path
from typing import Any

import yaml

from membrane_local.template import _Loader

PROJECT = Path(__file__).resolve().parents[2]
TEMPLATE = (PROJECT / "template.yaml").read_text("utf-8")


def variant(*asked: str) -> str:
    command = [str(PROJECT / "infra/variant.sh"), *asked]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def shared(template: str) -> dict[str, Any]:
    document = yaml.load(template, _Loader)  # noqa: S506 - a SafeLoader
    return dict(document["Globals"]["Function"])


def test_without_a_wish_it_is_the_template() -> None:
    assert variant("arm64") == variant("arm64", "off") == TEMPLATE


def test_functions_and_layer_change_processor_together() -> None:
    changed = variant("x86_64")

    assert TEMPLATE.count("arm64") == changed.count("x86_64") == 3
    assert changed.replace("x86_64", "arm64") == TEMPLATE


def test_snapstart_restores_versions_that_are_published_with_every_build() -> None:
    before, after = shared(TEMPLATE), shared(variant("arm64", "snapstart"))

    built_at = after["Environment"]["Variables"].pop("BUILT_AT")
    added = {name: after.pop(name) for name in after.keys() - before.keys()}
    assert after == before
    assert built_at
    assert added == {
        "AutoPublishAlias": "live",
        "SnapStart": {"ApplyOn": "PublishedVersions"},
        "VersionDeletionPolicy": "Delete",
    }
