"""Files that are not models are refused with the fault; none runs code or fills memory."""

from __future__ import annotations

import builtins
import json
import os
import pickle
import threading
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save as pack_theirs

from rosenblatt.errors import BadInput
from rosenblatt.models.saving import load
from rosenblatt.storage.container import MOST_HEADER, MOST_VALUES, read, write
from rosenblatt.storage.perceptrons import load_perceptron


def safetensors(fields, data=b""):
    header = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    return len(header).to_bytes(8, "little") + header + data


def with_text(text, **more):
    return safetensors({"__metadata__": {"rosenblatt": text, **more}})


DOCUMENT = json.dumps({"format_version": 4, "digest": "0" * 64})


def with_array(dtype="F64", shape=(1,), offsets=(0, 8), data=bytes(8), **more):
    entry = {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **more}
    return safetensors({"__metadata__": {"rosenblatt": DOCUMENT}, "a": entry}, data)


BROKEN = r"damaged or cut short \(.+\); copy it again"


CONTAINERS = {
    "empty": (b"", r"not a model file of rosenblatt \(0 bytes in all\)"),
    "text": (b"label,x,y\n1,2,3\n", "does not begin like a safetensors file"),
    "pickle": (pickle.dumps({"a": [1, 2, 3] * 9}), "does not begin like a safetensors file"),
    "an endless header": (b"\xff" * 8 + b"{}", "does not begin like a safetensors file"),
    "a header longer than the file": (
        (1 << 20).to_bytes(8, "little") + b'{"a":',
        "cut short: 13 bytes in all",
    ),
    "no JSON": (safetensors(b"{nonsense}"), "the header cannot be read"),
    "not UTF-8": (safetensors(b'{"\xff\xff":1}'), "cannot be read"),
    "nested": (safetensors(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "cannot be read"),
    "somewhat nested": (safetensors(b'{"a":' + b"[" * 100 + b"]" * 100 + b"}"), "nested too deeply"),
    "many values": (safetensors(b'{"a":[' + b"0," * (1 << 20) + b"0]}"), "more than 1,048,576 values"),
    "NaN": (safetensors(b'{"a":NaN}'), "not a finite number"),
    "infinity": (safetensors(b'{"a":1e999}'), "not a finite number"),
    "a name twice": (safetensors(b'{"a":1,"a":2}'), "a name occurs twice"),
    "somebody else's": (pack_theirs({"a": np.zeros(3)}), "a safetensors file of another program"),
    "other metadata": (
        pack_theirs({"a": np.zeros(3)}, {"format": "pt"}),
        "a safetensors file of another program",
    ),
    "metadata that is a list": (safetensors({"__metadata__": []}), "another program"),
    "format 3": (
        with_text("{}", format_version="3", digest="0" * 64),
        r"written by a rosenblatt before 0\.1 \(format 3\).*; train the model again",
    ),
    "no version": (with_text("{}"), "the format version is None, expected 4"),
    "a version that is a text": (with_text('{"format_version":"4"}'), "the format version is '4'"),
    "version 5": (
        with_text('{"format_version":5}'),
        r"written by a newer rosenblatt \(format 5\); upgrade",
    ),
    "no digest": (with_text('{"format_version":4}'), "its digest differs"),
    "a digest that is no text": (with_text('{"format_version":4,"digest":1}'), "its digest differs"),
    "another digest": (with_text(DOCUMENT), "its digest differs"),
    "a document that is a list": (with_text("[]"), "not a JSON object"),
    "a document that is no JSON": (with_text("{"), "the document cannot"),
    "a document with a name twice": (
        with_text('{"format_version":4,"format_version":4}'),
        "a name occurs twice",
    ),
    "a document with a bomb": (with_text("[" * 50_000 + "]" * 50_000), "cannot be read"),
    "numbers of an unknown type": (
        with_array("F8_E5M2", (8,)),
        "numbers of type 'F8_E5M2', which numpy lacks",
    ),
    "a type that is no text": (with_array([1]), BROKEN),
    "a shape that does not fit": (with_array(shape=(2,)), BROKEN),
    "a negative shape": (with_array(shape=(-1, -1)), BROKEN),
    "a shape that overflows": (with_array(shape=(1 << 61, 8), offsets=(0, 0), data=b""), BROKEN),
    "nothing of a huge shape": (
        with_array(shape=(0, 1 << 61, 1 << 61), offsets=(0, 0), data=b""),
        r"does not fit into memory|damaged or cut short",
    ),
    "many dimensions": (with_array(shape=(1,) * 100), "does not fit into memory"),
    "an array that is a number": (
        safetensors({"__metadata__": {"rosenblatt": DOCUMENT}, "a": 1}),
        BROKEN,
    ),
    "a gap": (with_array(offsets=(8, 16), data=bytes(16)), BROKEN),
    "places the wrong way": (with_array(offsets=(8, 0)), BROKEN),
    "an array beyond the end": (with_array(data=bytes(7)), BROKEN),
    "a huge array": (with_array(shape=(1 << 40,), offsets=(0, 1 << 43)), BROKEN),
    "bytes left over": (with_array(data=bytes(9)), BROKEN),
    "half a truth": (with_array("BOOL", (8,), data=b"\x02" * 8), "has values other than 0 and 1"),
    "an array twice": (
        safetensors(
            b'{"__metadata__":{"rosenblatt":'
            + json.dumps(DOCUMENT).encode()
            + b'},"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}'
            + b',"\\u0061":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}',
            bytes(8),
        ),
        "a name occurs twice",
    ),
    "two arrays in one place": (
        safetensors(
            {
                "__metadata__": {"rosenblatt": DOCUMENT},
                "a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]},
                "b": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]},
            },
            bytes(8),
        ),
        BROKEN,
    ),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_file_that_is_no_model_is_refused_by_name_in_little_memory(name, tmp_path, check_refusal):
    content, why = CONTAINERS[name]
    (tmp_path / "hostile").write_bytes(content)
    tracemalloc.start()
    message = check_refusal(tmp_path / "hostile", why)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(message) < 600
    assert peak < 1_000_000 + 12 * len(content)


def test_the_worst_json_takes_memory_in_proportion(tmp_path):
    for worst in (b"[]," * (MOST_VALUES // 20) + b"[]", b'{"":[]},' * (MOST_VALUES // 30) + b"0"):
        content = safetensors(b'{"a":[' + worst + b"]}")
        assert len(content) < MOST_HEADER
        (tmp_path / "hostile").write_bytes(content)
        tracemalloc.start()
        with pytest.raises(BadInput):
            load(tmp_path / "hostile")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 60 * len(content)


def test_a_path_that_is_not_a_file_is_refused_at_once(tmp_path, check_refusal):
    check_refusal(tmp_path / "nowhere", "there is no such file; check its name")
    check_refusal(tmp_path, "is a folder; give one of the files in it")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        check_refusal(tmp_path / "pipe", "is not a regular file")
        check_refusal("/dev/zero", "is not a regular file")


@pytest.mark.parametrize("name", ["learner-new", "two-last", "labels-sparse"])
def test_a_file_cut_at_any_byte_is_refused_by_name(name, golden, tmp_path):
    content = (golden / f"{name}.safetensors").read_bytes()
    cut = tmp_path / "cut"
    for length in range(len(content)):
        cut.write_bytes(content[:length])
        with pytest.raises(BadInput, match=r"cut short|not a model file") as caught:
            load(cut)
        assert str(caught.value).startswith(f"{cut}: ")


def test_a_document_without_a_kind_is_refused(fuzz, tmp_path, check_refusal):
    (tmp_path / "file").write_bytes(fuzz.packed({}, {}))
    check_refusal(tmp_path / "file", "kind: missing")


def test_loading_never_unpickles_nor_evaluates(golden, monkeypatch):
    for path in sorted(golden.glob("*.safetensors")):  # what must be compiled is compiled once
        load(path)

    def never(*arguments, **named):
        raise AssertionError("code was run")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, never)
    for name in ("eval", "exec", "compile"):
        monkeypatch.setattr(builtins, name, never)
    for path in sorted(golden.glob("*.safetensors")):
        load(path)


def test_another_kind_is_named(golden):
    with pytest.raises(BadInput, match="holds a 'learner', expected a 'perceptron'"):
        load_perceptron(golden / "learner-linear.safetensors")


@pytest.mark.parametrize("seed", range(4))
def test_hostile_files_are_refused_or_work(seed, fuzz, golden):
    found = fuzz.fuzz(250, seed, golden)
    assert sum(found.values()) == 250
    assert sum(times for what, times in found.items() if "refused" in what) > 100


@given(data=st.data())
def test_a_file_with_other_bytes_is_refused_or_works(data, fuzz, golden, tmp_path_factory):
    path = data.draw(st.sampled_from(sorted(golden.glob("*.safetensors"))))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fuzz.attempt(path.name, bytes(content), tmp_path_factory.mktemp("bytes") / "hostile")


def test_a_reader_sees_the_old_model_or_the_new_one_and_never_half(golden, tmp_path):
    path, end = tmp_path / "model", threading.Event()
    versions = [np.full(20_000, float(k)) for k in range(3)]
    write(path, {"weights": versions[0]}, {"which": 0})

    def keep_writing():
        for k in range(60):
            write(path, {"weights": versions[k % 3]}, {"which": k % 3})
        end.set()

    writer = threading.Thread(target=keep_writing)
    writer.start()
    while not end.is_set():
        arrays, document = read(path)
        assert (arrays["weights"] == document["which"]).all()
    writer.join()
