"""The reader's weights and their inference on the CPU (see MODEL_CARD.md)."""
