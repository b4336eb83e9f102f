"""What is loaded is what was saved: it decides, shows and learns on with the same bits."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import KernelPerceptron, Learner, Perceptron, PolynomialThreshold
from rosenblatt.models.saving import load, save
from rosenblatt.storage.fields import Section
from rosenblatt.storage.parameters import decode_parameters
from rosenblatt.storage.perceptrons import PerceptronRecord, load_perceptron, save_perceptron
from rosenblatt.training.initial_states import begin

NAMES = sorted(path.stem for path in (Path(__file__).parent / "golden").glob("*.safetensors"))


def test_every_model_of_the_zoo_is_in_these_tests(zoo):
    assert sorted(zoo.MODELS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_answers_and_continues_as_the_one_that_was_saved(name, zoo, same, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = zoo.MODELS[name]()
    save(model, tmp_path / "one")
    loaded = load(tmp_path / "one")
    if isinstance(model, Learner):
        assert zoo.answers(loaded) == zoo.answers(model)
        teach_on(model, zoo), teach_on(loaded, zoo)
        assert zoo.answers(loaded) == zoo.answers(model)
        assert repr(loaded) == repr(model)
        return
    same(model, loaded)
    assert zoo.answers(loaded) == zoo.answers(model)
    save(loaded, tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    if name == "kernel-past":
        with pytest.raises(ValueError, match="is a past state"):
            loaded.partial_fit(zoo.X, zoo.TWO)
        return
    rows, y = rows_and_labels(model, name, zoo)
    model.partial_fit(rows, y)
    loaded.partial_fit(rows, y)
    same(model, loaded)
    assert zoo.answers(loaded) == zoo.answers(model)
    warm = {"warm_start": True, "epochs": 2, "track_error": False}
    model.set_params(**warm).fit(rows, y)
    loaded.set_params(**warm).fit(rows, y)
    assert [e._replace(seconds=0.0) for e in model.history_] == [
        e._replace(seconds=0.0) for e in loaded.history_
    ]
    assert zoo.answers(loaded) == zoo.answers(model)


def rows_and_labels(model, name, zoo):
    """The rows again in another order, as the model was given them."""
    rows = zoo.TABLE if hasattr(model, "feature_names_in_") else zoo.X
    order = np.random.default_rng(1).permutation(24)
    if hasattr(model, "_target") and model._target.has_labels:
        y = zoo.LABELS
    elif len(model.classes_) == 2:
        y = model.classes_[zoo.TWO]
    else:
        y = np.sort(model.classes_)[zoo.MANY]
    return (rows.iloc[order] if hasattr(rows, "iloc") else rows[order]), y[order]


def teach_on(learner, zoo):
    y = zoo.WORDS if "ape" in getattr(learner, "classes", ["ape"]) else zoo.MANY
    for k in (5, 3, 11, 0):
        x = {**zoo.NAMED[k], "fresh": 1.0} if learner.trainer.features.are_named else zoo.X[k]
        learner.learn(x, y[k].item() if learner.multiclass else int(zoo.SIGNS[k]))


def test_support_rows_of_several_layouts_keep_theirs(zoo, tmp_path):
    model = KernelPerceptron(kernel="linear", random_state=0)
    model.partial_fit(zoo.X.astype(np.float32)[:12], zoo.TWO[:12])
    model.partial_fit(zoo.X[12:] + 0.125, zoo.TWO[12:]).partial_fit(zoo.CSR, zoo.TWO)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.decision_function(zoo.X).tolist() == model.decision_function(zoo.X).tolist()
    assert (loaded.support_vectors_ != model.support_vectors_).nnz == 0


def test_counters_equal_those_of_the_end_if_validation_chose_an_earlier_pass(zoo, tmp_path):
    model = Perceptron(validation=(zoo.X[:6], zoo.TWO[:6]), epochs=6, random_state=1).fit(zoo.X, zoo.TWO)
    assert model.best_epoch_ < model.epochs_
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.validation is None
    assert (loaded.epochs_, loaded.best_epoch_, loaded.mistakes_) == (6, model.best_epoch_, model.mistakes_)
    assert loaded.history_ == [epoch._replace(seconds=None) for epoch in model.history_]
    assert loaded._state.epochs == model.best_epoch_
    model.partial_fit(zoo.X, zoo.TWO)
    loaded.partial_fit(zoo.X, zoo.TWO)
    assert (loaded.mistakes_, loaded.epochs_) == (model.mistakes_, model.epochs_)


def test_a_parameter_changed_after_training_is_still_refused_after_loading(zoo, tmp_path):
    model = Perceptron(random_state=0).fit(zoo.X, zoo.TWO).set_params(rule="margin")
    save(model, tmp_path / "model")
    with pytest.raises(ValueError, match="learning began with Rosenblatt"):
        load(tmp_path / "model").partial_fit(zoo.X, zoo.TWO)
    kernel = KernelPerceptron(gamma="auto").fit(zoo.X, zoo.TWO).set_params(gamma=0.5, keep="voted")
    save(kernel, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.decision_function(zoo.X).tolist() == kernel.decision_function(zoo.X).tolist()
    with pytest.raises(ValueError, match=r"gamma: 0\.5 now, but learning began with 'auto'"):
        loaded.partial_fit(zoo.X, zoo.TWO)


def test_a_random_state_that_no_file_can_store_is_none_and_training_uses_its_seed(zoo, tmp_path):
    generator = np.random.RandomState(5)
    model = Perceptron(random_state=generator, callbacks=[lambda record: False], warm_start=True, epochs=2)
    model.fit(zoo.X, zoo.TWO)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert (loaded.random_state, loaded.callbacks) == (None, None)
    model.fit(zoo.X, zoo.TWO)
    loaded.fit(zoo.X, zoo.TWO)
    assert loaded.coef_.tolist() == model.coef_.tolist()
    assert clone(loaded).get_params()["epochs"] == 2


def test_the_parameters_a_file_may_leave_out_equal_those_of_the_estimators():
    for cls in (Perceptron, KernelPerceptron, PolynomialThreshold):
        assert cls().get_params() == decode_parameters(Section({}, {}), cls.__name__)
    given = decode_parameters(Section({}, {}), "Learner")
    fresh, loaded = Learner(), Learner(**given)
    assert {name: getattr(loaded, name) for name in given} == {name: getattr(fresh, name) for name in given}


def test_a_record_serves_without_an_estimator_and_carries_a_run(tmp_path):
    state = begin(3, keep="averaged")
    record = PerceptronRecord(
        state=state, classes=np.array(["no", "yes"]), parameters={"keep": "averaged"},
        reading={"format": "svmlight"}, run={"pass": 2, "place": [10, 20]},
    )  # fmt: skip
    save_perceptron(record, tmp_path / "run")
    found = load_perceptron(tmp_path / "run")
    assert (found.reading, found.run) == (record.reading, record.run)
    assert (found.n_features, found.n_columns, found.history) == (3, 1, [])
    assert found.parameters["keep"] == "averaged"
    model = load(tmp_path / "run")
    assert model.reading_ == {"format": "svmlight"}
    assert model.partial_fit([[1.0, 2.0, 3.0]], ["yes"]).predict([[1.0, 2.0, 3.0]]).tolist() == ["yes"]
    save(model, tmp_path / "again")
    assert load_perceptron(tmp_path / "again").reading == record.reading


def test_a_challenge_is_not_kept(zoo, tmp_path):
    learner = zoo.MODELS["learner-linear"]()
    learner.answer(zoo.X[0])
    save(learner, tmp_path / "model")
    with pytest.raises(ValueError, match="call answer"):
        load(tmp_path / "model").reveal(1)
