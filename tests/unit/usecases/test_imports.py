"""What the use cases load when they run; import-linter reads imports under TYPE_CHECKING, too."""

import subprocess
import sys

EVERY_USE_CASE = f"""
import sys
sys.path[:0] = {sys.path!r}

from importlib import import_module
from pkgutil import walk_packages
import membrane.usecases as usecases

for module in walk_packages(usecases.__path__, "membrane.usecases."):
    import_module(module.name)
print(*sys.modules)
"""


def test_the_use_cases_load_no_adapter() -> None:
    loaded = subprocess.check_output([sys.executable, "-c", EVERY_USE_CASE], text=True).split()

    assert "membrane.usecases.revision.facts" in loaded
    assert [name for name in loaded if name.startswith("membrane.adapters")] == []
