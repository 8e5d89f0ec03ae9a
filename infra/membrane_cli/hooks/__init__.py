"""`membrane hook`: the programs that an agent runs at the start of a session and after a turn."""
