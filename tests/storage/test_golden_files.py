"""Files that earlier versions of the package wrote: they load for ever, and answer as on that day."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from rosenblatt.models.saving import load
from rosenblatt.storage.container import read, read_document, write

ADDED = (
    "false_positives",
    "false_negatives",
    "false_positives_per_class",
    "false_negatives_per_class",
)
"""What files of this format did not have at first; readers do without it."""

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
    """If this fails, the format has changed. Files of the old format must still load: leave them where they
    are, raise FORMAT_VERSION if old readers would misunderstand new files, and make new golden files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zoo.save(zoo.MODELS[file.stem](), tmp_path / "today")
    (arrays, document), (once, written) = read(tmp_path / "today"), read(file)
    document = as_it_was(document, written)
    assert document == {**written, "written_by": document["written_by"]}
    arrays = as_it_was(arrays, once)
    assert list(arrays) == [name for name in once if not name.endswith("history.seconds")]  # of format 1
    for name, array in arrays.items():
        assert (array.dtype, array.shape) == (once[name].dtype, once[name].shape)
        np.testing.assert_allclose(array, once[name], rtol=1e-9, atol=1e-12)


def as_it_was(today, once):
    """What is written today, without what has been added since a file was written."""
    return {
        name: as_it_was(value, once.get(name, {})) if isinstance(value, dict) else value
        for name, value in today.items()
        if name in once or name.rpartition(".")[2] not in ADDED
    }


@pytest.mark.parametrize(
    ("name", "y"),
    [("two-last", "TWO"), ("many-averaged", "WORDS"), ("shared-pocket", "MANY"), ("labels-sparse", None),
     ("kernel-two", "TWO"), ("budget-plus", "MANY"), ("polynomial-kernel", "MANY")],
)  # fmt: skip
def test_what_an_earlier_version_did_not_count_stays_unknown_when_learning_goes_on(name, y, zoo, tmp_path):
    model = load(GOLDEN[0].parent / f"{name}.safetensors")
    for _ in range(2):
        for known in ADDED:
            assert getattr(model, f"{known}_") is None
        assert [(e.false_positives, e.false_negatives) for e in model.history_] == [
            (None, None) for _ in model.history_
        ]
        before = model.mistakes_
        model.partial_fit(zoo.X, zoo.LABELS if y is None else getattr(zoo, y))
        assert model.mistakes_ > before
        zoo.save(model, tmp_path / "again")
        model = load(tmp_path / "again")


def test_a_learner_of_an_earlier_version_does_not_know_either():
    learner = load(GOLDEN[0].parent / "learner-kernel.safetensors")
    assert learner.mistakes > 0
    assert learner.false_positives is learner.false_negatives is None


def test_golden_files_are_small(file):
    assert file.stat().st_size < 20_000
    version = b"2" if file.stem.startswith("kinds-") else b"1"
    assert b'"format_version":"%s"' % version in file.read_bytes()


def test_the_safetensors_package_reads_the_same_arrays(file):
    ours, theirs = read(file)[0], load_file(file)
    assert set(ours) == set(theirs)
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype
        assert array.tobytes() == theirs[name].tobytes()
        assert array.shape == theirs[name].shape
        assert array.flags.writeable
        assert array.flags.aligned


def test_a_file_that_the_safetensors_package_wrote_is_read(file, zoo, tmp_path):
    arrays, document = read(file)
    metadata = {"rosenblatt": json.dumps(document), "format_version": "1", "somebody": "else"}
    save_file(arrays, tmp_path / "theirs", metadata=metadata)
    assert zoo.answers(load(tmp_path / "theirs")) == zoo.answers(load(file))


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
