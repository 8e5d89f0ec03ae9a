"""The options of `membrane dev`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_HERE = Path(__file__).resolve()
_INSTALLED = _HERE.with_name("deployed") / "template.yaml"
TEMPLATE = _INSTALLED if _INSTALLED.is_file() else _HERE.parents[2] / "template.yaml"
"""The wheel's template, with the functions beside the template, or the repository's."""
DEFAULT_PORT = 8765


@dataclass(frozen=True, slots=True)
class DevOptions:
    port: int = DEFAULT_PORT
    store: str | None = None
    """None = in memory; `moto`; a file; or the address of a DynamoDB-compatible endpoint."""
    blobs: Path | None = None
    """The folder of large documents; None = beside the store."""
    api_key: str | None = None
    requires_keys: bool = True
    template: Path = TEMPLATE
    ttl_lag_s: float = 0
    """Seconds by which the table removes expired items late."""
    parameters: Mapping[str, str] = field(default_factory=dict)
