"""The command `membrane`: a local stack, a demo, and what operators do to a stack in AWS."""
