"""Chat models: where they come from, how they are asked, and the one border that understands their replies."""
