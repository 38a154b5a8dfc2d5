"""Trains the reader that Quoth ships: `make reader` (see quoth/reader/MODEL_CARD.md)."""
