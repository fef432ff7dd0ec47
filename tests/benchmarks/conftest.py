"""The benchmarks are scripts beside the package: their folder is put on the path, as Python does when one is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
