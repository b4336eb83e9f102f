"""32-bit MurmurHash3 (Appleby 2011), the hash of scikit-learn's FeatureHasher and of Vowpal Wabbit."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import inline, jit, part

FIRST, SECOND = np.uint32(0xCC9E2D51), np.uint32(0x1B873593)
FIVE, CARRY = np.uint32(5), np.uint32(0xE6546B64)
MIX_ONE, MIX_TWO = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)
ONE, FOUR = np.uint64(1), np.uint64(4)


@inline
def rotate(word, bits):
    return np.uint32(np.uint32(word << np.uint32(bits)) | np.uint32(word >> np.uint32(32 - bits)))


@inline
def mix(word):
    return np.uint32(rotate(np.uint32(word * FIRST), 15) * SECOND)


@part
def murmur(text, begin, end, seed):
    """Return the hash of the bytes text[begin:end], as a uint32."""
    state = np.uint32(seed)
    at = np.uint64(begin)
    length = np.uint64(end) - at
    whole = at + (length & ~np.uint64(3))
    while at < whole:
        word = np.uint32(0)
        for k in range(FOUR):
            word |= np.uint32(np.uint32(text[at + k]) << np.uint32(8 * k))
        state = rotate(np.uint32(state ^ mix(word)), 13)
        state = np.uint32(state * FIVE + CARRY)
        at += FOUR
    tail = np.uint32(0)
    for k in range(length & np.uint64(3)):
        tail |= np.uint32(np.uint32(text[at + np.uint64(k)]) << np.uint32(8 * k))
    if length & np.uint64(3):
        state = np.uint32(state ^ mix(tail))
    state = np.uint32(state ^ np.uint32(length))
    state = np.uint32((state ^ (state >> np.uint32(16))) * MIX_ONE)
    state = np.uint32((state ^ (state >> np.uint32(13))) * MIX_TWO)
    return np.uint32(state ^ (state >> np.uint32(16)))


@jit
def murmur_each(text, offsets, seed, hashes):
    """Set hashes[i] to the hash of text[offsets[i]:offsets[i+1]]."""
    for i in range(hashes.size):
        hashes[i] = murmur(text, offsets[i], offsets[i + 1], seed)
