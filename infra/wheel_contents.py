"""A build hook: puts the template, the functions and the sentence encoder into a wheel.

An editable install has all three in the repository; `membrane dev` of an installed wheel has not.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelContents(BuildHookInterface[Any]):
    """The hook; hatchling finds the class by the base class."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "layers/encoder"))
        from build_encoder import INSTALLED, build  # noqa: PLC0415 - needs what a build installs

        encoder = INSTALLED if INSTALLED.is_dir() else root / "build/membrane_encoder"
        self.app.display_info(build(encoder))
        deployed = "membrane_local/deployed"
        build_data["force_include"] |= {
            str(root / "template.yaml"): f"{deployed}/template.yaml",
            str(root / "functions"): f"{deployed}/functions",
            str(encoder): "membrane_encoder",
        }
