"""The separability table: `separate`'s answers, each with a proof, and nothing is searched twice."""

from __future__ import annotations

import json
import signal
import threading
import time
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import separability_table, separate, verify
from rosenblatt.comparisons import separability_table as tables
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import class_name
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.separation import decide

LINE = np.array([[0.0], [1.0], [2.0], [5.0]])
ABBC = ["a", "b", "b", "c"]


@pytest.fixture
def blobs():
    """Four classes in the plane of which some overlap, and one pair is quasi-separable."""
    X = [[0, 0], [1, 0], [0, 1], [9, 0], [9, 1], [9, 9], [0.25, 0.25], [0.5, 0.25], [9, 0], [9, -1]]
    return np.array(X, float), np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 3])


def nothing_may_be_searched(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("searched again")

    monkeypatch.setattr(tables, "decide", refuse)


@pytest.fixture
def search_calls(monkeypatch):
    """How many searches were made."""
    calls = []

    def count_and_decide(rows, *arguments):
        calls.append(rows.n_rows)
        return decide(rows, *arguments)

    monkeypatch.setattr(tables, "decide", count_and_decide)
    return calls


# ---------------------------------------------------------------- the answers


@pytest.mark.parametrize("offset", [True, False])
def test_every_answer_is_the_one_of_separate(blobs, offset):
    X, y = blobs
    table = separability_table(X, y, offset=offset)
    assert [(row.first, row.second) for row in table.rows] == [
        *((label, "the rest") for label in range(4)),
        *combinations(range(4), 2),
    ]
    assert table.complete
    assert table.classes == (0, 1, 2, 3)
    for row in table.rows:
        if row.second == "the rest":
            chosen, target = np.full(len(y), True), y == row.first
        else:
            chosen = (y == row.first) | (y == row.second)
            target = y[chosen] == row.first
        verdict = separate(X[chosen], target, offset=offset)
        assert (row.kind, row.margin, row.n_rows) == (verdict.kind, verdict.margin, chosen.sum())
        assert row.separated == len(verdict.separated)
        assert row.support == len(verdict.support)
        facts = verify(row.proof.to_json(), X, y)
        assert (facts.kind, facts.margin, facts.n_rows) == (row.kind, row.margin, row.n_rows)


def test_sparse_and_dense_rows_give_the_same_table(blobs):
    X, y = blobs
    dense, sparse = separability_table(X, y), separability_table(csr_array(X), y)
    for row, other in zip(dense.rows, sparse.rows, strict=True):
        assert row.kind == other.kind
        assert max(row.margin[0], other.margin[0]) <= min(row.margin[1], other.margin[1])
        assert verify(other.proof, X, y).kind == row.kind


# ---------------------------------------------------------------- reading it


def test_a_question_not_decided_in_time_is_a_question_mark():
    table = separability_table(LINE, ABBC, time_limit=0)
    assert table.counts() == {"undecided": 6}
    assert table.complete
    assert str(table).count("?") == 9


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    "labels",
    [
        ["a/b", "a b", "a_b", "a-against-b"],
        ["..", ".", "", " "],
        ["ä", "ß", "\n", "\x00x"],
        ["CON", "con", "nul.json", "a:b*c?"],
        [-1, 0, 1, 10**15],
        ["1", "1.0", "01", "True"],
    ],
    ids=lambda labels: str(labels)[:20],
)
def test_labels_may_be_any_names_or_numbers(tmp_path, labels, monkeypatch):
    folder = tmp_path / "deep" / "proofs"
    table = separability_table(LINE, labels, folder=folder)
    assert [type(label) for label in table.classes] == [type(labels[0])] * 4
    assert set(table.classes) == set(labels)
    assert len(list(folder.iterdir())) == 10
    assert not set(tmp_path.iterdir()) - {tmp_path / "deep"}
    for path in folder.iterdir():
        assert verify(path, LINE, labels).separable is not None
    assert table[labels[0], labels[3]].margin == (2.5, 2.5)
    assert all(class_name(label) in str(table) for label in labels)
    nothing_may_be_searched(monkeypatch)
    assert separability_table(LINE, labels, folder=folder).counts() == table.counts()


@pytest.mark.parametrize("asked", [{}, {"pairs": False}, {"rest": False}], ids=str)
def test_of_two_classes_each_is_the_rest_of_the_other_so_there_is_one_question(asked):
    table = separability_table(LINE, ["a", "a", "b", "b"], **asked)
    assert len(table.rows) == 1
    assert table.complete
    assert table["b", "a"].margin == (0.5, 0.5)
    assert "the rest" not in str(table)
    assert str(table).endswith("1 test: 1 separable")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("X", "y", "named", "message"),
    [
        (LINE, ["a"] * 4, {}, "only one class, 'a'"),
        (LINE, ["a", "b"], {}, "2 labels for 4 rows"),
        (LINE, ["a", None, "b", "b"], {}, "None in row 1"),
        (LINE, ABBC, {"folder": 7}, "folder"),
        (LINE, ABBC, {"pairs": False, "rest": False}, "pairs"),
        (LINE, ABBC, {"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_input_is_refused(X, y, named, message):
    with pytest.raises(BadInput, match=message):
        separability_table(X, y, **named)


# ---------------------------------------------------------------- a folder of proofs


@pytest.mark.parametrize("as_text", [True, False])
def test_a_second_call_searches_nothing(tmp_path, blobs, monkeypatch, as_text):
    folder = str(tmp_path) if as_text else tmp_path
    first = separability_table(*blobs, folder=folder)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    nothing_may_be_searched(monkeypatch)
    again = separability_table(*blobs, folder=folder)
    assert [row[:7] for row in again.rows] == [row[:7] for row in first.rows]
    assert [row.proof for row in again.rows] == [row.proof for row in first.rows]
    assert all(row.seconds == 0 for row in again.rows)
    assert str(again) == str(first)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def rewritten(path, **fields):
    plain = json.loads(path.read_text())
    path.write_text(json.dumps({**plain, **fields}))


def stronger(path):
    """The same proof with a claim that it does not prove."""
    plain = json.loads(path.read_text())
    part = next(part for part in plain["parts"] if "margin" in part)
    part["margin"] = float.hex(float.fromhex(part["margin"]) * 2)
    path.write_text(json.dumps(plain))


DAMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "a claim doubled": stronger,
    "no parts": lambda path: rewritten(path, parts=[]),
    "another question": lambda path: rewritten(path, question=["c", "b"]),
    "another digest": lambda path: rewritten(path, digest="0" * 64),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_proof_is_searched_again_and_replaced(tmp_path, search_calls, damage):
    first = separability_table(LINE, ABBC, folder=tmp_path)
    assert len(search_calls) == 6
    search_calls.clear()
    place = next(tmp_path.glob("b-against-c-*"))
    good = place.read_bytes()
    DAMAGES[damage](place)
    assert place.read_bytes() != good
    again = separability_table(LINE, ABBC, folder=tmp_path)
    assert search_calls == [3]
    assert place.read_bytes() == good
    assert str(again) == str(first)


def test_proofs_about_other_data_are_searched_again(tmp_path, search_calls):
    separability_table(LINE, ABBC, folder=tmp_path)
    search_calls.clear()
    moved = np.array([[0.0], [1.0], [2.0], [6.0]])
    table = separability_table(moved, ABBC, folder=tmp_path)
    # a against b is about rows that did not change
    assert len(search_calls) == 5
    assert table["b", "c"].margin == (2.0, 2.0)
    search_calls.clear()
    separability_table(LINE, ["a", "b", "c", "c"], folder=tmp_path)
    assert len(search_calls) == 6


@pytest.mark.parametrize("change", [{"offset": False}, {"tolerance": 1e-9}])
def test_another_question_about_the_same_data_is_searched(tmp_path, search_calls, change):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 6)) + np.repeat(np.eye(3, 6) * 9, 30, axis=0), np.repeat([0, 1, 2], 30)
    loose = separability_table(X, y, tolerance=0.5, folder=tmp_path)
    wide = sum(row.margin[1] - row.margin[0] > 1e-9 * row.margin[1] for row in loose.rows)
    assert wide > 0
    search_calls.clear()
    settings = {"tolerance": 0.5, **change}
    table = separability_table(X, y, folder=tmp_path, **settings)
    assert len(search_calls) == (6 if "offset" in change else wide)
    fresh = separability_table(X, y, **settings)
    for kept, new in zip(table.rows, fresh.rows, strict=True):
        assert kept.kind == new.kind
        assert kept.proof.offset == new.proof.offset
        assert kept.margin[1] - kept.margin[0] <= settings["tolerance"] * kept.margin[1]


# ---------------------------------------------------------------- Ctrl-C


def pressed_at(monkeypatch, where, time):
    """Ctrl-C in the call number `time` of one of the table's functions."""
    calls, plain = [], getattr(tables, where)

    def interrupt(*arguments, **named):
        calls.append(1)
        if len(calls) == time:
            if where == "decide":  # which catches it and returns what it has
                *about, _ = arguments
                return plain(*about, Clock(None, _Press()))
            raise KeyboardInterrupt
        return plain(*arguments, **named)

    monkeypatch.setattr(tables, where, interrupt)


def table_of(*arguments, **named):
    """The table; an interruption that comes out of it would end pytest."""
    try:
        return separability_table(*arguments, **named)
    except KeyboardInterrupt:
        pytest.fail("Ctrl-C came out of separability_table, and the answers so far are lost")


class _Press:
    """A progress line that raises KeyboardInterrupt at its first step."""

    def at(self, *_):
        raise KeyboardInterrupt


@pytest.mark.parametrize("time", [1, 3, 5])
def test_an_interruption_gives_the_table_so_far_and_the_same_call_continues(
    tmp_path, blobs, monkeypatch, time
):
    whole = separability_table(*blobs)
    pressed_at(monkeypatch, "decide", time)
    partial = table_of(*blobs, folder=tmp_path)
    assert not partial.complete
    assert time - 1 <= len(partial.rows) <= time
    assert [row.kind for row in partial.rows[: time - 1]] == [row.kind for row in whole.rows[: time - 1]]
    assert "interrupted" in str(partial)
    calls = []
    monkeypatch.setattr(tables, "decide", lambda *a: (calls.append(1), decide(*a))[1])
    resumed = separability_table(*blobs, folder=tmp_path)
    assert resumed.complete
    assert len(calls) == 10 - (time - 1)
    assert str(resumed) == str(whole)


def test_an_interruption_while_old_proofs_are_checked_loses_none_of_them(tmp_path, blobs, monkeypatch):
    separability_table(*blobs, folder=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with monkeypatch.context() as patch:
        pressed_at(patch, "verify", 4)
        partial = table_of(*blobs, folder=tmp_path)
    assert not partial.complete
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


# ---------------------------------------------------------------- threads


@pytest.fixture
def clouds():
    """Five classes of which some overlap, more rows than a glance settles."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(5), 60)
    return rng.normal(size=(300, 8)) + np.array([1.0, 2.0, 4.0, 8.0, 9.0])[y, None] * np.eye(5, 8)[y], y


@pytest.mark.parametrize("n_jobs", [2, 7, -1])
def test_threads_give_the_same_answers_and_proofs_in_the_same_order(clouds, tmp_path, n_jobs):
    alone, together = (
        separability_table(*clouds, n_jobs=k, folder=tmp_path / str(k)) for k in (None, n_jobs)
    )
    assert len(set(alone.counts())) > 1
    assert together.complete
    assert [row.proof.to_json() for row in together.rows] == [row.proof.to_json() for row in alone.rows]
    assert [row[:7] for row in together.rows] == [row[:7] for row in alone.rows]
    for path in (tmp_path / "None").iterdir():
        assert (tmp_path / str(n_jobs) / path.name).read_bytes() == path.read_bytes()


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_the_searches_in_threads_and_leaves_the_answers_so_far_in_order(clouds, monkeypatch):
    whole = separability_table(*clouds)
    begun = []

    def press_ctrl_c(rows, offset, tolerance, clock):
        begun.append(1)
        if len(begun) == 6:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            for _ in range(10_000):  # longer than anybody would wait
                try:
                    clock.check()
                except KeyboardInterrupt:
                    break
                time.sleep(0.001)
        return decide(rows, offset, tolerance, clock)

    monkeypatch.setattr(tables, "decide", press_ctrl_c)
    partial = table_of(*clouds, n_jobs=2)
    assert not partial.complete
    assert "interrupted" in str(partial)
    assert 5 <= len(partial.rows) < len(begun) + 1 < 15
    order = [row[:2] for row in whole.rows]
    places = [order.index(row[:2]) for row in partial.rows]
    assert places == sorted(places)
    proofs = {row[:2]: row.proof for row in whole.rows}
    # all but those that were in search
    assert sum(row.proof == proofs[row[:2]] for row in partial.rows) >= 4


# ---------------------------------------------------------------- the picture


@pytest.mark.parametrize(
    "make",
    [
        lambda: separability_table(LINE, ABBC, time_limit=0),
        lambda: separability_table(LINE, ABBC, rest=False),
        lambda: separability_table([[0.0], [5e-324], [2.0], [3.0]], [0, 1, 2, 3]),
    ],
    ids=["undecided", "pairs", "tiniest"],
)
def test_every_kind_of_table_can_be_drawn(pyplot, make, tmp_path):
    table = make()
    axes = table.plot()
    axes.figure.savefig(tmp_path / "table.png")
    has_rest = [row.second == "the rest" for row in table.rows]
    assert len(axes.texts) >= 2 * has_rest.count(False) + has_rest.count(True)
    assert (tmp_path / "table.png").stat().st_size > 1000


def test_a_class_named_the_rest_is_refused():
    with pytest.raises(BadInput, match="'the rest' is what the table calls all other classes"):
        separability_table(LINE, ["a", "the rest", "the rest", "c"])


def test_an_error_in_a_thread_is_raised_and_ends_the_others(tmp_path):
    separability_table(LINE, ABBC, folder=tmp_path)
    for place in list(tmp_path.glob("*-against-c-*")):
        place.unlink()
        place.mkdir()
    with pytest.raises(OSError, match="a-against-c"):  # of several, that of the first question
        separability_table(LINE, ABBC, folder=tmp_path, n_jobs=2)


# ---------------------------------------------------------------- tables of labels


def pandas_table(Y):
    return pytest.importorskip("pandas").DataFrame(Y, columns=[f"l{k}" for k in range(Y.shape[1])])


@pytest.mark.parametrize("kind", [np.asarray, csr_array, pandas_table])
def test_each_label_is_compared_with_the_rows_without_it(kind):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    Y = np.array([[0, 1, 0, 1], [1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 1]])
    table = separability_table(X, kind(Y))
    assert table.complete
    names = table.classes
    assert names == (("l0", "l1", "l2", "l3") if kind is pandas_table else (0, 1, 2, 3))
    for k, name in enumerate(names):
        row = table[name, "the rest"]
        assert (row.first, row.second) == (name, "the rest")
        assert row.kind == separate(X, Y[:, k]).kind
        assert verify(row.proof, X, Y[:, k]).kind == row.kind
    assert [table[name, "the rest"].kind for name in names] == [
        "separable",
        "overlapping",
        "separable",
        "separable",
    ]
    assert str(table).splitlines()[0].split() == ["margin", "the", "rest"]


def test_proofs_of_two_labels_are_found_again_in_a_folder(tmp_path):
    X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
    first = separability_table(X, Y, folder=tmp_path)
    again = separability_table(X, Y, folder=tmp_path)
    assert [row.kind for row in first.rows] == ["separable", "overlapping"]
    assert [row.proof for row in again.rows] == [row.proof for row in first.rows]
    assert {row.seconds for row in again.rows} == {0.0}
    assert first[0, "the rest"].kind == "separable"
    assert first[1, "the rest"].kind == "overlapping"
