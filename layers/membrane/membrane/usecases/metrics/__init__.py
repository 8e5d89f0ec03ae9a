"""Count what there is, when somebody asks."""
