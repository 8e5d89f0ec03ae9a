"""`membrane doctor`: whether the machine is ready for the commands."""
