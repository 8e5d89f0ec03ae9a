"""The command `membrane`: a local stack, a demo, and the operator's tools for a stack in AWS."""
