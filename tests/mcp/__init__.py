"""The dispatcher of MCP under the published conformance suite."""
