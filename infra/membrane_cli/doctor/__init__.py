"""`membrane doctor`: what this machine has of all that the commands need."""
