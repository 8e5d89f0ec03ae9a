"""`membrane mcp`: an MCP server on stdin and stdout over a stack's `POST /mcp`."""
