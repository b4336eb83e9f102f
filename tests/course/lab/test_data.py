"""Your data: a file is read as the command line reads it, drawn as chosen, and opens in every chapter."""

from __future__ import annotations

import json

import numpy as np
import pytest
from starlette.testclient import TestClient

from rosenblatt.course.lab import own_files, safety
from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lab.server import make_app
from rosenblatt.data.sources import read_table
from rosenblatt.errors import BadInput
from rosenblatt.proof.separation import separate

DATA = CHAPTERS["data"]
HOST = "127.0.0.1:8765"


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(8765), base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        yield client


def drop(client, content, name="own.csv", **more):
    headers = {"content-type": "application/octet-stream", "x-file-name": name, **more}
    return client.post("/file", content=content, headers=headers)


def answer_to(content, name="own.csv", **state):
    """The answer to a file with these settings."""
    return DATA.answer({"file": own_files.keep(name, content).token, **state})


def csv_of(rows, header="a,b,kind"):
    return "\n".join([header, *rows, ""]).encode()


TWO = csv_of(
    [f"{i},{(i * 7) % 11},{'ham' if i < 20 else 'spam'}" for i in (*range(0, 40, 2), *range(1, 40, 2))]
)


# ---------------------------------------------------------------- what is drawn


def test_a_kernel_separates_the_petals_of_versicolor_that_the_chapter_on_xor_takes():
    answer = DATA.answer({"positive": "versicolor", "across": "petal_length", "up": "petal_width"})
    given = answer.picture["opens"]["xor"]["state"]
    assert len(given["points"]) == 99
    assert CHAPTERS["xor"].answer(given).numbers["wrong"] == []
    labels = {}
    for point, label in zip(answer.numbers["points"], answer.numbers["labels"], strict=True):
        labels.setdefault(tuple(point), []).append(label)
    assert [sorted(each) for each in labels.values() if len(set(each)) > 1] == [[-1, -1, 1]]


def test_a_file_is_read_as_the_command_line_reads_it(tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes(TWO)
    assert answer_to(TWO, scale=False).numbers["points"] == read_table(path).X.tolist()


def test_the_projection_has_the_margin_of_all_columns(tmp_path):
    path = tmp_path / "flowers.csv"
    path.write_bytes(own_files.stored_file("").content)
    table = read_table(path)
    best = separate(table.X, table.y == "setosa").margin[0]
    numbers = DATA.answer({"axes": "projection", "scale": False}).numbers
    seen = separate(np.array(numbers["points"]), numbers["labels"])
    assert seen.margin[0] == pytest.approx(best, abs=2e-4)  # coordinates are rounded


@pytest.mark.parametrize("state", [{}, {"axes": "projection", "positive": "versicolor", "scale": False}])
def test_every_other_chapter_opens_with_the_points(state):
    opens = DATA.answer(state).picture["opens"]
    assert list(opens) == [key for key in CHAPTERS if key != "data"]
    for key, given in opens.items():
        assert CHAPTERS[key].answer(json.loads(json.dumps(given["state"]))).numbers
        assert "points" in given["note"]


def test_a_hundred_thousand_rows_are_sampled_and_this_is_reported():
    rng = np.random.default_rng(0)
    kinds = np.where(rng.random(100_000) < 0.001, "rare", "usual")
    rows = [
        f"{a:.2f},{b:.2f},{kind}" for (a, b), kind in zip(rng.normal(size=(100_000, 2)), kinds, strict=True)
    ]
    answer = answer_to(csv_of(rows), positive="rare")
    assert answer.numbers["rows"] == 100_000
    drawn = len(answer.numbers["points"])
    assert 1400 < drawn <= 1500
    assert answer.numbers["labels"].count(1) >= 10
    assert f"{drawn:,} of 100,000 rows are drawn: a random sample" in " ".join(answer.sentences)


def test_missing_values_are_counted_and_only_those_of_drawn_columns_drop_a_row():
    content = csv_of(["1,2,,x", ",4,5,y", "5,6,7,x", "7,9,8,y"], "a,b,c,kind")
    answer = answer_to(content)
    assert {each["name"]: each["gaps"] for each in answer.picture["columns"]}["c"] == 1
    assert answer.numbers["rows"] == 3
    assert "1 row with a missing value left out." in answer.sentences
    assert answer_to(content, across="b", up="a").numbers["rows"] == 3
    assert answer_to(content, axes="projection").numbers["rows"] == 2


def test_columns_of_text_and_ids_are_reported_and_not_offered_as_axes():
    rows = [f"{i},u{i},{'ab'[i % 2]},{i % 5},{i % 7},{'xy'[i % 2]}" for i in range(1, 31)]
    picture = answer_to(csv_of(rows, "id,user,city,age,size,kind")).picture
    assert picture["numbers"] == ["age", "size"]
    taken = {each["name"]: each["taken_for"] for each in picture["columns"]}
    assert (taken["id"], taken["user"], taken["city"]) == ("dropped", "dropped", "categories")


def test_columns_that_never_change_are_not_drawn_at_first_and_points_on_a_line_have_no_joint_density():
    content = csv_of([f"4,{i * 7 % 11},{i * 5 % 13},{'xy'[i % 2]}" for i in range(30)], "a,b,c,kind")
    assert answer_to(content).picture["names"] == ["b", "c"]
    flat = answer_to(content, across="a")
    assert flat.picture["names"] == ["a", "b"]
    assert "probability" not in flat.picture["opens"]
    for key, given in flat.picture["opens"].items():
        assert CHAPTERS[key].answer(given["state"]).numbers


# ---------------------------------------------------------------- files as they come


def test_no_header_another_delimiter_and_another_alphabet():
    assert answer_to(b"1;2;x\n3;5;y\n5;4;x\n").picture["numbers"] == ["0", "1"]
    assert answer_to(b"a|b|kind\n1|2|x\n3|5|y\n5|4|x\n", delimiter="bar").picture["label"] == "kind"
    cities = csv_of(["1,2,Köln", "3,5,Bonn", "4,2,Köln"]).decode().encode("latin-1")
    with pytest.raises(BadInput, match=r"^own.csv line 2, column 6: is not UTF-8 text.*Encoding: latin-1"):
        answer_to(cities)
    assert [name for name, _ in answer_to(cities, letters="latin-1").picture["classes"]] == ["Bonn", "Köln"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\n\n", "only blank lines"),
        (b"a,b,kind\n", "there are no rows, only a header line"),
        (b"a,b,kind\n1,2,x\n3,4\n5,6,y\n", "line 3, column 4: 2 cells, expected 3"),
        (b"a,b,kind\n1,inf,x\n3,4,y\n", "holds inf, expected a finite number"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "is a picture"),
        (b"\x1f\x8b\x08" + b"\0" * 50, "is compressed"),
        (b"PK\x03\x04" + b"\0" * 50, "is compressed"),
        (b"PAR1" + b"\0" * 50, "is a binary file"),
    ],
)
def test_unreadable_input_gets_a_message_that_names_the_file(content, said):
    with pytest.raises(BadInput, match=said) as refused:
        answer_to(content)
    assert str(refused.value).startswith("own.csv")


@pytest.mark.parametrize(
    ("content", "state", "said"),
    [
        (csv_of(["1,2,x", "3,4,x", "5,7,x"]), {}, "all 3 rows of 'kind' are 'x'; two classes are needed"),
        (csv_of([f"{i * 3 % 41},{i * i % 97},{i / 7:.3f}" for i in range(40)]), {}, "40 different values"),
        (csv_of(["u,v,x", "r,s,y"] * 15), {}, "two columns of numbers are needed"),
        (csv_of(["1,v,x", "2,s,y"] * 15), {}, "there is only one, 'a'"),
        (TWO, {"across": "kind"}, "Horizontal axis: 'kind' is no column of numbers"),
        (TWO, {"across": "a", "up": "a"}, "is already the horizontal axis"),
        (TWO, {"positive": "eggs"}, "there is no class 'eggs'; choose one of ham, spam"),
        (csv_of(["1e9,2,x", "3,4,y", "5,7,x"]), {"scale": False}, "are beyond the pictures of this lab"),
    ],
)  # fmt: skip
def test_input_that_cannot_be_drawn_is_reported_and_the_columns_are_offered(content, state, said):
    answer = answer_to(content, **state)
    assert said in answer.picture["trouble"]
    assert [each["name"] for each in answer.picture["columns"]] == ["a", "b", "kind"]


# ---------------------------------------------------------------- the server


def test_a_dropped_file_is_answered_by_its_token(client):
    dropped = drop(client, TWO, "my%20own.csv").json()
    assert dropped["name"] == "my own.csv"
    answer = client.post("/api/data", json={"file": dropped["file"]}).json()
    assert answer["sentences"][0] == "my own.csv: 40 rows, 3 columns."
    assert answer["python"].count('path = "my own.csv"') == 1


def test_the_same_file_has_the_same_token_and_old_ones_are_forgotten(client):
    tokens = [
        drop(client, TWO + b"%d,1,ham\n" % more).json()["file"] for more in range(own_files.KEPT_FILES + 1)
    ]
    assert drop(client, TWO + b"3,1,ham\n").json()["file"] == tokens[3]
    response = client.post("/api/data", json={"file": tokens[0]})
    assert response.status_code == 422
    assert "load the file again" in response.json()["error"]


def test_a_file_that_is_too_large_or_empty_is_refused(client, monkeypatch):
    monkeypatch.setattr("rosenblatt.course.lab.server.LARGEST_FILE", 1_000_000)
    assert safety.LARGEST_FILE == 20_000_000
    response = drop(client, b"x" * 1_000_001)
    assert (response.status_code, response.json()["error"]) == (
        413, "the file is larger than 1 MB; sample its rows first",
    )  # fmt: skip
    assert "the file is empty" in drop(client, b"").json()["error"]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
        ({"x-file-name": ""}, 415),
    ],
)
def test_pages_of_others_cannot_leave_files_here(client, more, status):
    assert drop(client, TWO, **more).status_code == status


def test_no_file_stays_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answer_to(TWO + b"1,1,ham\n")
    with pytest.raises(BadInput):
        answer_to(b"a,b\n")
    assert list(tmp_path.iterdir()) == []


def test_a_name_cannot_leave_the_folder():
    for name in ("../../etc/passwd", "/etc/passwd", "..", "a\0b.csv", "x" * 500, "*?[a].csv", "a.zip", ""):
        with own_files.on_disk(own_files.keep(name, TWO)) as path:
            assert "rosenblatt-lab-" in path.split("/")[-2]
