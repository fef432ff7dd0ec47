"""The colours of the terminal's screens: each is readable on a dark ground and on a light one.

They are of the 256 that terminals leave as they are, unlike the first 16, which a theme may turn into yellow on white;
a test holds each against both grounds. Nothing is told by colour alone.
"""

from __future__ import annotations

GOOD = "green4"
NAME = "turquoise4"
"""Of what stands before a value, and of headings."""
WARNING = "dark_orange3"
BAD = "red3"
QUIET = "grey50"
"""Of what need not be read."""
