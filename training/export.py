"""Write trained rows to the package's model file, as 8-bit integers with a scale for each row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import train

from ragit.embed.modelfile import write_model


def export(rows: np.ndarray, lexicon: train.Lexicon, mean: np.ndarray, target: Path) -> str:
    """Write the model file, and return its digest."""
    words = lexicon.vocabulary
    order = sorted(range(len(words)), key=lambda place: words[place].encode())
    table = np.concatenate([rows[order], rows[len(words) :]])
    scales = np.maximum(np.abs(table).max(axis=1), 1e-12) / 127
    whole = np.rint(table / scales[:, None]).astype(np.int8)
    return write_model(
        target,
        [words[place] for place in order],
        scales.astype(np.float32).tolist(),
        whole.tobytes(),
        mean.astype(np.float32).tolist(),
        groups=lexicon.settings.groups,
        group_length=lexicon.settings.group_length,
        exponent=lexicon.settings.exponent,
    )
