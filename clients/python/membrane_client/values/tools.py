"""Tools for agents, as replies show them."""

from membrane_client.values.value import Value, flag, mapping, mappings, text


class ToolList(Value):
    tools = mappings()
    """In the form that the call named."""


class CalledTool(Value):
    result = mapping()
    text = text()
    """For a language model: at most 2,000 tokens by an estimate."""
    is_error = flag(default=False)
    """Whether the tool had no effect, as the text says."""
