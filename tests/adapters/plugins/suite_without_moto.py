"""Lets Strands' tests/conftest.py be imported: the AWS fixtures there go unused in these suites."""

import sys
from types import ModuleType

sys.modules.setdefault("moto", ModuleType("moto"))
