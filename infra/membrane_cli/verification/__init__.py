"""The verification of a stack: `membrane verify`."""
