"""The regions are what the model answers, and what is drawn over them is what the rows are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_moons
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold, plots
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.plots.window import medians

LINE = [[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0], [1.0, -1.0]], ["in", "out", "in", "in"]


@pytest.fixture(scope="module")
def moons():
    return make_moons(80, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def grid_of(image):
    """The places in the middle of the pixels, line by line from the bottom."""
    left, right, bottom, top = image.get_extent()
    lines, columns = image.get_array().shape
    across = left + (right - left) * (np.arange(columns) + 0.5) / columns
    up = bottom + (top - bottom) * (np.arange(lines) + 0.5) / lines
    return np.column_stack([np.tile(across, lines), np.repeat(up, columns)])


def points_named(ax, name):
    """The places of the points with this name in the legend."""
    (found,) = [c for c in ax.collections if str(c.get_label()).endswith(name)]
    return np.asarray(found.get_offsets())


def as_set(places):
    return {tuple(place) for place in np.round(places, 9).tolist()}


MODELS = {
    "last": Perceptron(random_state=0),
    "voted": Perceptron(keep="voted", random_state=0),
    "a column for each class": Perceptron(allow_new_classes=True, random_state=0),
    "kernel": KernelPerceptron(gamma=2.0, random_state=0),
    "polynomial": PolynomialThreshold(degree=3, random_state=0),
    "neighbours": KNeighborsClassifier(3),
    "a pipeline": make_pipeline(StandardScaler(), Perceptron(random_state=0)),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_regions_are_what_the_model_answers_on_the_grid(pyplot, moons, name, tmp_path):
    X, y = moons
    model = MODELS[name].fit(X, y)
    ax = plots.decision_regions(model, X, y, resolution=37)
    (image,) = ax.images
    assert image.get_array().shape == (37, 37)
    # a place on the line, or rounded to its other side, cannot be distinguished in the picture
    assert (model.predict(grid_of(image)) == np.asarray(image.get_array()).ravel()).mean() > 0.999
    ax.figure.savefig(tmp_path / "regions.png")
    assert len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize("name", ["last", "voted", "kernel", "neighbours"])
def test_a_ring_is_around_every_mistake_and_around_no_other_row(pyplot, moons, name):
    X, y = moons
    wrong = np.asarray(MODELS[name].fit(X[::2], y[::2]).predict(X)) != y
    assert wrong.any()
    ax = plots.decision_regions(MODELS[name], X, y)
    assert as_set(points_named(ax, "mistakes")) == as_set(X[wrong])


def test_the_line_is_where_the_score_is_zero(pyplot):
    X, y = LINE
    model = Perceptron(random_state=0).fit(X, y)
    (line,) = plots.decision_regions(model, X, y).lines
    ends = np.array([line.get_xy1(), line.get_xy2()])
    assert np.allclose(model.decision_function(ends), 0.0)


@given(
    st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=2).filter(lambda w: abs(w[0]) + abs(w[1]) > 0.1),
    st.floats(-2.0, 2.0),
)
def test_w_is_drawn_at_right_angles_to_the_line_towards_the_second_class(w, b):
    import matplotlib.pyplot as plt

    X = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    model = Perceptron(init=(w, b), epochs=1, order=[0]).fit(X, [0, 1, 0, 1, 1])
    ax = plots.decision_regions(model, X, [0, 1, 0, 1, 1], resolution=5)
    arrows = [note for note in ax.texts if note.arrow_patch is not None]
    direction = model.coef_[0]
    for arrow in arrows:
        along = np.subtract(arrow.xy, arrow.xyann)
        assert np.isclose(along @ direction, np.linalg.norm(along) * np.linalg.norm(direction))
        assert np.isclose(model.decision_function([arrow.xyann])[0], 0.0, atol=1e-9)
        assert (np.abs(arrow.xy) <= 1.17).all()  # in sight
        assert ax.get_aspect() == 1.0
    scores = model.decision_function(np.array(np.meshgrid([-1.16, 1.16], [-1.16, 1.16])).reshape(2, 4).T)
    if abs(scores.min()) > 1e-6 and abs(scores.max()) > 1e-6:  # else the line only touches a corner
        assert len(arrows) == (1 if scores.min() < 0.0 < scores.max() else 0)
    plt.close(ax.figure)


def test_the_band_reaches_to_the_nearest_row(pyplot, legend):
    X, y = LINE
    model = Perceptron(random_state=0, until="separated", epochs=None).fit(X, y)
    margin = np.abs(model.decision_function(X)).min() / np.linalg.norm(model.coef_)
    ax = plots.decision_regions(model, X, y, band=True)
    levels = sorted(float(model.decision_function([line.get_xy1()])[0]) for line in ax.lines)
    assert np.allclose(levels, np.array([-1, 0, 1]) * margin * np.linalg.norm(model.coef_))
    assert legend(ax)[-1] == f"margin {margin:.4g}"
    assert legend(plots.decision_regions(model, X, y, band=0.25))[-1] == "margin 0.25"


def test_support_rows_of_a_kernel_are_marked_where_they_are(pyplot, moons):
    model = KernelPerceptron(gamma=2.0, random_state=0).fit(*moons)
    ax = plots.decision_regions(model, *moons)
    assert as_set(points_named(ax, f"{len(model.support_)} support rows")) == as_set(model.support_vectors_)
    bare = plots.decision_regions(model, *moons, support=False)
    assert not [c for c in bare.collections if "support" in str(c.get_label())]


def test_other_features_are_held_at_their_medians_and_the_title_states_it(pyplot, iris):
    X, y = iris
    model = KernelPerceptron(gamma=0.5, random_state=0).fit(X, y)
    ax = plots.decision_regions(model, X, y, features=(2, 0), resolution=21)
    (image,) = ax.images
    rows = np.tile(np.median(X, axis=0), (21 * 21, 1))
    rows[:, [2, 0]] = grid_of(image)
    assert np.array_equal(model.predict(rows), np.asarray(image.get_array()).ravel())
    assert ax.get_title() == "the other 2 features held at their medians"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x2", "x0")
    elsewhere = plots.decision_regions(model, X, y, features=(2, 0), held=X[0], resolution=21)
    assert elsewhere.get_title() == "the other 2 features held at the values given"
    rows[:, [1, 3]] = X[0, [1, 3]]
    assert np.array_equal(model.predict(rows), np.asarray(elsewhere.images[0].get_array()).ravel())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": Perceptron()}, "model: this Perceptron has learned nothing yet; call fit first"),
        ({"model": "perceptron"}, "model: expected a fitted classifier"),
        ({"X": [[1.0, 2.0, 3.0]] * 4}, "X has 3 features, but this Perceptron learned from 2"),
        ({"X": [[1.0, np.nan], *LINE[0][1:]]}, "X: Input contains NaN in row 0, column 1"),
        ({"y": ["in", "on", "in", "in"]}, "y: label 'on' in row 1 is not one of the model's classes"),
        ({"features": (0, 2)}, "features: 2 is not a column of X; the columns are 0…1, named x0, x1"),
        ({"features": (0, 0)}, "features: expected two different columns"),
        ({"features": "x0"}, "features: expected two columns, by number or name, got 'x0'"),
        ({"held": [1.0]}, "held: expected a finite value for each of 2 features"),
        (
            {"model": StandardScaler().fit(LINE[0])},
            "model: StandardScaler has no classes; give a classifier",
        ),
        ({"resolution": 1}, "resolution: expected a whole number from 2 to 5,000, got 1"),
        ({"band": -1.0}, "band: expected a distance of at least 0"),
        ({"ax": "left"}, "ax: expected the axes of one matplotlib panel"),
    ],
)
def test_input_that_cannot_be_drawn_gets_a_message_and_no_figure(pyplot, change, sentence):
    X, y = LINE
    asked = {"model": Perceptron(random_state=0).fit(X, y), "X": X, "y": y, **change}
    with pytest.raises(BadInput) as caught:
        plots.decision_regions(**asked)
    assert str(caught.value).startswith(sentence)
    assert not pyplot.get_fignums()


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
def test_the_names_of_a_table_name_the_axes_and_choose_the_features(pyplot, iris, kind):
    library = pytest.importorskip(kind)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    columns = dict(zip(names, iris[0].T, strict=True))
    table = library.table(columns) if kind == "pyarrow" else library.DataFrame(columns)
    y = np.array(["setosa", "versicolor", "virginica"])[iris[1]]
    model = Perceptron(random_state=0).fit(table, y)
    ax = plots.decision_regions(model, table, y, features=["petal width", "sepal length"], resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("petal width", "sepal length")


@given(st.lists(st.lists(st.sampled_from([-2.0, 0.0, 0.0, 1.0]), min_size=3, max_size=3), min_size=1))
def test_the_medians_of_sparse_columns_equal_those_of_dense_ones(rows):
    assert medians(as_rows(csr_array(np.array(rows)))).tolist() == np.median(rows, axis=0).tolist()


def test_options_of_a_line_are_refused_for_a_curve(pyplot, moons):
    model = KernelPerceptron(random_state=0).fit(*moons)
    for asked in ({"normal": True}, {"band": True}, {"band": 0.5}):
        with pytest.raises(BadInput, match="only a linear model for two classes"):
            plots.decision_regions(model, *moons, **asked)
    assert not pyplot.get_fignums()


def test_tables_of_labels_and_single_features_are_refused_with_a_way_out(pyplot):
    X, Y = LINE[0], [[0, 1], [1, 0], [1, 1], [0, 0]]
    with pytest.raises(BadInput, match="draw one label at a time"):
        plots.decision_regions(Perceptron().fit(X, Y), X, [0, 1, 0, 1])
    one = [[1.0], [2.0]]
    with pytest.raises(BadInput, match=r"a plane needs two; plots\.margins"):
        plots.decision_regions(Perceptron().fit(one, [0, 1]), one, [0, 1])
