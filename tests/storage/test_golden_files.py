"""Files of every kind of model load, answer as on the day they were written, and are still written so."""

from __future__ import annotations

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from rosenblatt.models.saving import load
from rosenblatt.storage.container import read, read_document, write

COUNTED_LATER = (
    "false_positives",
    "false_negatives",
    "false_positives_per_class",
    "false_negatives_per_class",
)
"""What most of the converted files lacked."""

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.safetensors"))


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def file(request) -> Path:
    return request.param


def test_a_golden_file_loads_and_answers_as_it_did(file, zoo):
    expected = json.loads(file.with_suffix(".json").read_text())
    found = zoo.answers(load(file))
    values, once = ([float.fromhex(value) for value in side["values"]] for side in (found, expected))
    # which of two nearest doubles a sum is may depend on the machine, never its sign
    assert np.sign(values).tolist() == np.sign(once).tolist()
    np.testing.assert_allclose(values, once, rtol=1e-12)
    for name in ("predicted", "examples_seen", "updates"):
        assert found[name] == expected[name]


def test_a_model_of_today_is_written_as_the_golden_file_was(file, zoo, tmp_path):
    """If this fails, the format has changed: raise FORMAT_VERSION and make new golden files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zoo.save(zoo.MODELS[file.stem](), tmp_path / "today")
    (arrays, document), (once, written) = read(tmp_path / "today"), read(file)
    assert document == {**written, "written_by": document["written_by"]}
    assert arrays.keys() == once.keys()
    for name, array in arrays.items():
        assert (array.dtype, array.shape) == (once[name].dtype, once[name].shape)
        np.testing.assert_allclose(array, once[name], rtol=1e-9, atol=1e-12)


def test_the_arrays_are_to_the_bit_those_that_were_converted():
    """The digests were taken from the same models in the formats before this one."""
    expected = json.loads((GOLDEN[0].parent / "arrays.json").read_text())
    assert {path.stem: digest_of(path) for path in GOLDEN} == expected


def digest_of(path):
    digest, (arrays, _) = hashlib.sha256(), read(path)
    for name in sorted(arrays):
        if path.stem.startswith("kinds-") or name.rpartition(".")[2] not in COUNTED_LATER:
            array = arrays[name]
            digest.update(f"{name} {array.dtype.str} {array.shape};".encode() + array.tobytes())
    return digest.hexdigest()


def test_the_safetensors_package_reads_the_same_arrays(file):
    ours, theirs = read(file)[0], load_file(file)
    assert set(ours) == set(theirs)
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype
        assert array.tobytes() == theirs[name].tobytes()
        assert array.shape == theirs[name].shape
        assert array.flags.writeable
        assert array.flags.aligned


@pytest.mark.parametrize("number", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                                    "uint64", "float16", "float32", "float64"])  # fmt: skip
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 5), (2, 3)])
def test_arrays_of_every_kind_and_shape_come_back_as_they_were(number, shape, tmp_path):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(number)
    write(tmp_path / "file", {"a": array, "b": array[..., :1] if shape else array}, {"x": [1, 2.5, None]})
    arrays, document = read(tmp_path / "file")
    assert document == {"x": [1, 2.5, None]}
    assert arrays["a"].dtype == array.dtype
    assert arrays["a"].shape == shape
    assert arrays["a"].tobytes() == array.tobytes()


def test_the_document_can_be_read_alone(file):
    assert read_document(file) == read(file)[1]


def test_arrays_in_other_layouts_are_written_by_their_values(tmp_path):
    array = np.arange(12, dtype=">i4").reshape(3, 4).T[::2]
    write(tmp_path / "file", {"a": array}, {})
    found = read(tmp_path / "file")[0]["a"]
    assert found.dtype == np.dtype("i4")
    assert (found == array).all()
