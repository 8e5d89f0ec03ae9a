"""The Model Context Protocol at the edge: stateless JSON-RPC over `POST /mcp`, without streams."""
