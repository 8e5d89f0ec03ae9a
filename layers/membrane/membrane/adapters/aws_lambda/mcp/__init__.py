"""MCP, the Model Context Protocol, over HTTP: stateless requests, each answered in full."""
