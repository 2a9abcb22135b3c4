"""Make the vocabulary and its initial vectors, from a small sentence encoder, all-MiniLM-L6-v2."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import torch

SIF = 1e-3
"""Smooth inverse frequency (Arora et al. 2017): a word of relative frequency p starts with weight
SIF / (SIF + p).
"""


def minilm(work: Path) -> tuple[object, torch.nn.Module]:
    """Return tokenizer and network from an installed package; nothing is downloaded."""
    from all_minilm_l6_v2 import extract_model
    from transformers import AutoModel, AutoTokenizer

    folder = work / "minilm" / "all-MiniLM-L6-v2"
    if not folder.exists():
        extract_model(str(folder.parent))
    return AutoTokenizer.from_pretrained(str(folder)), AutoModel.from_pretrained(str(folder)).eval()


def encode(texts: list[str], work: Path, longest: int, batch: int = 256) -> np.ndarray:
    """Return unit vectors of texts, in order. Texts of similar length are encoded together."""
    tokenizer, network = minilm(work)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    out = np.zeros((len(texts), 384), dtype=np.float32)
    with torch.inference_mode():
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            fed = tokenizer(
                [texts[i] for i in rows],
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=longest,
            )
            hidden = network(**fed).last_hidden_state
            mask = fed["attention_mask"].unsqueeze(-1)
            out[rows] = ((hidden * mask).sum(1) / mask.sum(1)).numpy()
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def vocabulary(documents: Counter[str], packages: Counter[str], size: int) -> list[str]:
    """Return the most common words that are in at least three packages, by number of records."""
    kept = [word for word, _ in documents.most_common() if packages[word] >= 3 and len(word) <= 32]
    return kept[:size]


def start_rows(
    words: list[str], documents: Counter[str], work: Path, dimensions: int
) -> np.ndarray:
    """Return the first principal components of the words' vectors, weighted."""
    kept = work / "minilm-words.npz"
    known: dict[str, np.ndarray] = {}
    if kept.exists():
        stored = np.load(kept, allow_pickle=False)
        known = dict(zip(stored["words"].tolist(), stored["vectors"], strict=True))
    missing = [word for word in words if word not in known]
    if missing:
        known |= dict(zip(missing, encode(missing, work, longest=16, batch=512), strict=True))
        np.savez(kept, words=np.array(list(known)), vectors=np.array(list(known.values())))
    vectors = np.array([known[word] for word in words])
    vectors -= vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    counts = np.array([documents[word] for word in words], dtype=np.float64)
    share = counts / counts.sum()
    rows: np.ndarray = (vectors @ axes[:dimensions].T) * (SIF / (SIF + share))[:, None]
    return rows.astype(np.float32)
