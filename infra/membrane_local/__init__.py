"""The local stack and the command line: everything of Membrane that runs outside AWS."""
