"""What a model has learned: curves of numbers, dates, reference levels and columns with many levels."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Features, Perceptron, load
from rosenblatt.models.loaded import open_predictor
from tests.cli.runner import succeed

N = 600


@pytest.fixture
def inspect(tmp_path, monkeypatch):
    """inspect(columns, y, options of fit): the facts of a model of these columns."""
    monkeypatch.chdir(tmp_path)

    def inspect(columns, y, *options):
        pd.DataFrame({**columns, "kind": np.where(y, "yes", "no")}).to_csv("rows.csv", index=False)
        base = ("fit", "rows.csv", "--target", "kind", "--effort", "none", "--out", "m.safetensors")
        succeed(*base, *options)
        return json.loads(succeed("inspect", "m.safetensors", "--top", 50, "--json").stdout)

    return inspect


def numbers(seed=0):
    r = np.random.default_rng(seed)
    age = r.uniform(18.0, 90.0, N).round(1)
    return age, r


def listed(facts):
    (learned,) = facts["learned"]
    return {each["feature"]: each for each in learned["positive"] + learned["negative"]}


def test_a_binned_number_is_a_curve_of_the_weights_of_its_ranges(inspect):
    age, _ = numbers()
    facts = inspect({"age": age}, np.abs(age - 50.0) < 15.0, "--numbers", "bins")
    (curve,) = facts["learned"][0]["curves"]
    weights = load("m.safetensors").weights_by_name()
    assert sorted(point["adds"] for point in curve["points"]) == pytest.approx(sorted(weights.values()))
    assert listed(facts) == {}
    adds = [point["adds"] for point in curve["points"]]
    assert adds[0] < max(adds) > adds[-1]
    assert adds.index(max(adds)) not in (0, len(adds) - 1)


def test_a_piecewise_number_is_a_curve_that_begins_at_0(inspect):
    age, _ = numbers()
    facts = inspect({"age": age}, np.abs(age - 50.0) < 15.0, "--numbers", "piecewise")
    (curve,) = facts["learned"][0]["curves"]
    points = curve["points"]
    assert points[0] == {"at": f"{age.min():,.4g}", "adds": 0.0}
    assert points[-1]["at"] == f"{age.max():,.4g}"
    assert points[0]["adds"] < max(point["adds"] for point in points) > points[-1]["adds"]


def test_a_ranked_number_is_a_curve_from_minus_its_weight_to_its_weight(inspect):
    age, _ = numbers()
    facts = inspect({"age": age}, age > 60.0, "--numbers", "rank")
    (curve,) = facts["learned"][0]["curves"]
    weight = load("m.safetensors").weights_by_name()["age"]
    adds = [point["adds"] for point in curve["points"]]
    assert adds == sorted(adds)
    assert adds[0] == pytest.approx(-weight)
    assert adds[-1] <= weight * (1 + 1e-12)
    assert "per_unit" not in listed(facts)["age"]


def test_the_step_of_a_standardised_number_is_a_round_number_of_its_units(inspect):
    _, r = numbers()
    income = r.normal(50_000.0, 9_000.0, N).round(2)
    facts = inspect({"income": income}, income > 55_000.0, "--numbers", "standard")
    found = listed(facts)["income"]
    assert found["unit"] == "+5,000 of income"
    assert found["per_unit"] == pytest.approx(found["weight"] * 5_000.0 / income.std(), rel=0.01)


def test_parts_of_dates_are_shown_as_dates(inspect):
    _, r = numbers()
    days = [date(2024, 1, 1) + timedelta(days=int(k)) for k in r.integers(0, 700, N)]
    y = np.array([day.weekday() == 4 or day.month == 8 for day in days])
    found = listed(inspect({"when": days}, y))
    assert {"when: Friday", "when: August"} <= {
        name for name, each in found.items() if each["weight"] > 0.0
    }
    assert found["when: Friday"]["column"] == "when"
    assert found["when: August"]["rows"] == sum(day.month == 8 for day in days)


def test_a_level_is_compared_with_the_level_that_has_the_most_rows(inspect):
    _, r = numbers()
    city = r.choice(["Rome", "Oslo", "Bern"], N, p=[0.5, 0.3, 0.2])
    found = listed(inspect({"city": city, "x": r.normal(size=N).round(3)}, city == "Oslo"))
    for name in ("Oslo", "Bern"):
        each = found[f"city = {name}"]
        assert each["reference"] == "Rome"
        assert each["against_reference"] == pytest.approx(each["weight"] - found["city = Rome"]["weight"])
        assert each["rows"] == (city == name).sum()
    assert "reference" not in found["city = Rome"]


def test_rare_levels_of_a_column_with_many_levels_are_summarised(inspect):
    _, r = numbers()
    names = np.array([f"name{k}" for k in r.integers(0, 200, N)])
    names[:30] = "Smith"
    x = r.normal(size=N).round(3)
    facts = inspect({"surname": names, "x": x}, x > 0.0, "--categories", "surname")
    weights = load("m.safetensors").weights_by_name()
    n_levels = sum(name.startswith("surname=") and weight != 0.0 for name, weight in weights.items())
    assert n_levels > 100
    assert facts["many_levels"] == [{"column": "surname", "levels": n_levels, "most_rows": 30}]
    assert {name for name in listed(facts) if "surname" in name} <= {"surname = Smith"}
    assert f"surname: {n_levels} levels have a weight, none with more than 30 rows" in " ".join(
        succeed("inspect", "m.safetensors").stdout.replace("\u00a0", " ").split()
    )


def test_words_of_few_rows_are_counted_not_listed(inspect):
    x, r = numbers()
    texts = np.array([f"a fine story of n{name}" for name in r.permutation(N)])
    texts[:40] = "a poor story of nothing"
    facts = inspect({"says": texts, "x": x}, np.arange(N) < 40, "--text", "says")
    weights = load("m.safetensors").weights_by_name()
    rare = sum(weight != 0.0 and bool(re.search(r"n\d+$", name)) for name, weight in weights.items())
    assert rare > 100
    assert facts["many_levels"] == [{"column": "says", "rare_words": rare, "fewer_rows_than": 5}]
    assert '"poor"' in listed(facts)
    assert not any(re.search(r"n\d+", name) for name in listed(facts))
    shown = succeed("inspect", "m.safetensors").stdout.replace("\u00a0", " ")
    assert f"says: {rare} words with a weight are in fewer than 5 rows, and not listed." in shown


def test_a_model_that_has_learned_new_words_in_a_service_knows_its_old_names(inspect):
    x, _ = numbers()
    texts = np.array([f"a {'fine' if k % 2 else 'poor'} story" for k in range(N)])
    inspect({"says": texts, "x": x}, np.arange(N) % 2, "--text", "says")
    known = open_predictor("m.safetensors")
    known.learn(known.read([{"says": "quite new words of praise", "x": 30.0}], grows=True), ["no"])
    known.save("grown.safetensors")
    facts = json.loads(succeed("inspect", "grown.safetensors", "--top", 50, "--json").stdout)
    found = listed(facts)
    assert found['"fine"']["rows"] == N // 2
    assert any(name.startswith("hash ") for name in found)


def test_features_name_words_unless_no_names_of_hashed_features_are_wanted():
    X = pd.DataFrame({"says": ["a fine film", "a poor film"] * 30, "x": np.sin(np.arange(60.0))})
    y = np.arange(60) % 2
    features = Features(text=["says"]).fit(X)
    names = features.get_feature_names_out().tolist()
    assert {"says=fine", "says=poor", "says=a fine", "x"} <= set(names)
    weights = dict(
        zip(names, Perceptron(random_state=0).fit(features.transform(X), y).coef_[0], strict=True)
    )
    assert weights["says=fine"] < 0.0 < weights["says=poor"]
    hashed = Features(text=["says"], bits=6, names="none").fit(X).get_feature_names_out().tolist()
    columns = {"x", "x is missing", "says is missing"}
    assert all(name == f"hash {j}" or name in columns for j, name in enumerate(hashed))
    assert columns <= set(hashed)
