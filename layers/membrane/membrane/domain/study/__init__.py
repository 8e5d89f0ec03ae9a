"""Long documents: sections, paragraphs and sentences as units, and the rules of studying."""
