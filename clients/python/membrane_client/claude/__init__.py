"""Claude's memory tool over keyed documents: the files under `/memories`, with versions and rights.

Needs the package `anthropic`: `pip install membrane-serverless-client[claude]`.
"""

from membrane_client.claude.tool import AsyncMembraneMemoryTool, MembraneMemoryTool

__all__ = ["AsyncMembraneMemoryTool", "MembraneMemoryTool"]
