"""Tools that agents call; MCP, the chat loop and `POST /v1/tools` share the table of tools."""
