"""`membrane redrive`: send dead letters to their functions again."""
