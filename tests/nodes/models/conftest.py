"""The stand-in for Ollama, made importable by name."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_FILE = Path(__file__).parents[2] / "stand_in_ollama.py"

if "stand_in_ollama" not in sys.modules:
    _spec = importlib.util.spec_from_file_location("stand_in_ollama", _FILE)
    assert _spec is not None
    assert _spec.loader is not None
    sys.modules["stand_in_ollama"] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules["stand_in_ollama"])
