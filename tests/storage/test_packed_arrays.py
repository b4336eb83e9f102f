"""Large arrays that are mostly zeros are stored as the numbers that are not, and come back bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import load_file
from scipy import sparse

from rosenblatt import Perceptron, load, save
from rosenblatt.errors import BadInput
from rosenblatt.storage.container import LARGE, read, write

HALF = LARGE // 2


def mostly_zeros(shape=(2, HALF)):
    array = np.zeros(shape)
    array.reshape(-1)[::7] = np.arange(1.0, 1.0 + len(array.reshape(-1)[::7]))
    array.reshape(-1)[1], array.reshape(-1)[2] = -0.0, 5e-324
    return array


@pytest.mark.parametrize("shape", [(2, HALF), (LARGE,), (3, 1, HALF + 5)])
def test_a_packed_array_comes_back_bit_for_bit_and_takes_less_room(shape, tmp_path):
    array = mostly_zeros(shape)
    write(tmp_path / "file", {"w": array, "few": np.ones(3)}, {})
    arrays, _ = read(tmp_path / "file")
    assert arrays.keys() == {"w", "few"}
    assert arrays["w"].shape == shape
    assert arrays["w"].tobytes() == array.tobytes()
    assert arrays["w"].flags.writeable
    assert (tmp_path / "file").stat().st_size < array.nbytes / 5


def test_the_file_holds_a_bit_for_each_number_and_those_that_are_not_zero(tmp_path):
    array = mostly_zeros()
    write(tmp_path / "file", {"w": array}, {})
    stored, filled = load_file(tmp_path / "file"), array.view(np.uint64) != 0
    assert stored["w:shape"].tolist() == list(array.shape)
    assert np.unpackbits(stored["w:places"]).tolist() == filled.reshape(-1).tolist()
    assert stored["w:packed"].tobytes() == array[filled].tobytes()


@pytest.mark.parametrize("array", [np.ones((2, HALF)), mostly_zeros((2, HALF - 1)), np.zeros(LARGE, int)])
def test_full_small_or_whole_numbers_are_stored_as_they_are(array, tmp_path):
    write(tmp_path / "file", {"w": array}, {})
    assert load_file(tmp_path / "file")["w"].tobytes() == array.tobytes()


GOOD = {"w:shape": np.array([2, 4]), "w:places": np.array([0b10000001], np.uint8), "w:packed": np.ones(2)}


@pytest.mark.parametrize(
    "wrong",
    [
        {"w:shape": np.array([2, 5])},
        {"w:shape": np.array([2**40, 2**40])},
        {"w:shape": np.array([-2, -4])},
        {"w:shape": np.array([2.0, 4.0])},
        {"w:shape": None},
        {"w:places": None},
        {"w:places": np.array([0b10000011], np.uint8)},
        {"w:packed": np.ones((1, 2))},
        {"w:packed": np.ones(2, np.float32)},
    ],
)
def test_places_and_numbers_that_disagree_are_refused(wrong, fuzz, tmp_path):
    for changed in ({}, wrong):
        parts = {name: array for name, array in {**GOOD, **changed}.items() if array is not None}
        (tmp_path / "file").write_bytes(fuzz.packed(parts, {}))
        if not changed:
            assert read(tmp_path / "file")[0]["w"].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
            continue
        with pytest.raises(BadInput, match="file: damaged: the indices and values of array 'w' disagree"):
            read(tmp_path / "file")


def test_a_model_of_many_classes_and_features_continues_from_a_small_file(tmp_path):
    n, classes, d = 60, 12, 20_000
    generator = np.random.default_rng(0)
    places = generator.integers(0, d, size=(n, 8))
    X = sparse.csr_array((np.ones(8 * n), places.reshape(-1), np.arange(0, 8 * n + 1, 8)), shape=(n, d))
    y = np.arange(n) % classes
    model = Perceptron(keep="averaged", multiclass="ultraconservative", epochs=2, random_state=0).fit(X, y)
    save(model, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < model.coef_.nbytes / 5
    again = load(tmp_path / "model")
    assert again.coef_.tobytes() == model.coef_.tobytes()
    for one in (model, again):
        one.partial_fit(X, y)
    assert again.coef_.tobytes() == model.coef_.tobytes()
