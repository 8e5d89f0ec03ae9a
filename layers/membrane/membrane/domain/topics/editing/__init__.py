"""Changes by an editor: attributes and deletion of a topic, promotion of fields."""
