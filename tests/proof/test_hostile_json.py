"""Any file content is a valid proof or refused with a message; no other exception is raised."""

from __future__ import annotations

import contextlib
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import separate, verify
from rosenblatt.errors import ProofRejected
from rosenblatt.proof.proof import Proof

X = np.array([[0.0, 0.0], [4.0, 3.0], [2.0, 1.0], [1.0, 1.0]])
SEPARABLE, OVERLAPPING = [0, 1, 1, 0], [0, 0, 1, 1]

NASTY = [
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63), 2**64, 10**400, 0.5, 1.0, math.nan, math.inf,
    -math.inf, "", "x", "0x", "0x1", "-0x1", "0x1p+0", "0x1p+99999", "0x1p-99999", "nan", "inf", "-inf",
    "infinity", "pi", "0xp", "1e5", "0x" + "f" * 5000, "9" * 5000, "\ud800", "\x00", "∞", [], [[]], [0],
    [0, 0], [-1], [None], [True], ["0x1"] * 3, [math.nan], {}, {"kind": "gordan"}, {"0": "0x1"},
    {"-1": "0x1"}, {"x": "0x1"}, {"0": 1}, {"9" * 5000: "0x1"}, {"1.5": "0x1"}, [{"0": "inf"}],
    [{"0": "0x1p-1"}], [1, 2, 3, 4, 5, 6, 7, 8, 9], [[1, 2], [3, 4]], [{}, {}],
]  # fmt: skip


PROOFS = {}
for _name, _labels in (("separable", SEPARABLE), ("overlapping", OVERLAPPING)):
    PROOFS[_name] = json.loads(separate(X, _labels).proof.to_json())
PROOFS["quasi-separable"] = json.loads(separate([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]).proof.to_json())
PROOFS["single"] = json.loads(separate([[0.0], [1.0]], [1, 1]).proof.to_json())
DATA = {
    "separable": (X, SEPARABLE),
    "overlapping": (X, OVERLAPPING),
    "quasi-separable": ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]),
    "single": ([[0.0], [1.0]], [1, 1]),
}


@pytest.mark.parametrize("name", list(PROOFS))
def test_nasty_values_in_every_place_are_refused_with_a_message(nested_json, name):
    """What is not refused proves what the original proved, or less."""
    plain, (rows, labels) = PROOFS[name], DATA[name]
    truth = verify(plain, rows, labels)
    refusals = 0
    for path in nested_json.places(plain):
        for value in NASTY:
            text = json.dumps(nested_json.replace_at(plain, path, value))
            try:
                facts = verify(Proof.from_json(text), rows, labels)
            except ProofRejected as error:
                refusals += bool(str(error))
            except Exception as error:
                raise AssertionError(f"{path} → {value!r:.60}: {type(error).__name__}: {error}") from error
            else:
                assert facts.kind in (truth.kind, "not separable", "undecided"), (path, value)
    assert refusals > 500


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["0x1", "inf"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@given(draw=st.data())
def test_any_json_in_any_place_is_a_proof_or_refused(nested_json, draw):
    name = draw.draw(st.sampled_from(list(PROOFS)))
    plain = PROOFS[name]
    path = draw.draw(st.sampled_from(list(nested_json.places(plain))))
    value = draw.draw(json_values)
    with contextlib.suppress(ProofRejected):
        verify(Proof.from_json(json.dumps(nested_json.replace_at(plain, path, value))), *DATA[name])


@given(st.text(max_size=30) | st.binary(max_size=30) | json_values.map(json.dumps))
def test_anything_but_a_proof_is_refused(text):
    with pytest.raises(ProofRejected, match="not a proof"):
        Proof.from_json(text)


@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"a":' * 200_000, '{"format":"rosenblatt-proof","parts":' + "[" * 200_000]
)
def test_json_nested_without_end_is_refused(text):
    with pytest.raises(ProofRejected):
        Proof.from_json(text)


def test_a_number_of_a_million_digits_is_refused():
    for key in ("n_rows", "n_features", "version"):
        text = json.dumps({**PROOFS["separable"], key: 0}).replace(
            f'"{key}": 0', f'"{key}": ' + "9" * 1_000_000
        )
        with pytest.raises(ProofRejected):
            Proof.from_json(text)


@pytest.mark.parametrize("version", [True, 2.0, "2", 0, 1, 3, None, [2]])
def test_a_proof_of_another_version_is_refused(version):
    with pytest.raises(ProofRejected, match="version"):
        verify({**PROOFS["separable"], "version": version}, *DATA["separable"])


def test_a_proof_of_nothing_is_valid_and_proves_nothing():
    facts = verify({**PROOFS["separable"], "parts": []}, *DATA["separable"])
    assert (facts.separable, facts.kind, facts.margin) == (None, "undecided", (0.0, math.inf))


def test_reading_a_file_names_the_file_in_the_refusal(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ProofRejected, match=r"broken\.json: not a proof"):
        verify(path, *DATA["separable"])
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProofRejected, match=r"broken\.json"):
        verify(str(path), *DATA["separable"])
