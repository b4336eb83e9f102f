"""Damage to the files of a log changes nothing or is reported; nothing is deleted.

`make test-properties` tries twelve times as many: 10,800 flipped bits, cut and removed files.
"""

import json
import os
import random
import shutil
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner
from hypothesis import settings

from rosenblatt import BadInput, Learner, load
from rosenblatt.cli.main import main
from rosenblatt.models.loaded import LoadedLearner
from rosenblatt.serve import log as log_module
from rosenblatt.serve.log import Log
from rosenblatt.serve.log_export import as_lines
from rosenblatt.serve.log_files import EndFile, read_end
from rosenblatt.serve.recovery import rebuild_model
from rosenblatt.serve.service import open_service
from tests.serve.serving import learner_bytes, serve

KINDS = ("ham", "spam", "eggs")
CASES_OF_ONE = 12  # cases of each folder for one example of a property
KEY = {"headers": {"idempotency-key": "key 1"}}


def learner():
    return LoadedLearner(Learner(multiclass="one_vs_rest"))


def examples(first, n=5):
    return [
        {"x": {f"w{k % 7}": 1.0 + k, "b": 2.0}, "y": KINDS[k % 3], "id": f"i{k}"}
        for k in range(first, first + n)
    ]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A log that was closed, one of a killed process, and one whose first entries were cut off.

    The last entries of the second one are in the write-ahead log.
    """
    closed, killed, cut = (tmp_path_factory.mktemp(name) for name in ("closed", "killed", "cut"))
    for start in range(3):
        with serve(closed / "log", learner) as api:
            for k in range(4):
                api.learn(*examples(100 * start + 10 * k))
            api.learn({"x": {"key": 1.0}, "y": "ham"}, **KEY)
            questions = [{"x": {"w1": float(k)}, **({"id": f"q{start}{k}"} if k else {})} for k in range(3)]
            api.post("/answer", {"examples": questions})
            api.post("/reveal", {"id": f"q{start}2", "y": "eggs"})
            if start == 1:  # with a snapshot of the first run, and one of the first log
                for path in closed.iterdir():
                    if not path.name.endswith(("-shm", ".lock")):
                        shutil.copy(path, killed)
        with serve(cut / "log", learner, cuts=True) as api:
            api.learn(*examples(10 * start))
    for path in [*closed.iterdir(), *cut.iterdir()]:
        if path.name.endswith((".lock", "-shm", "-wal")):
            path.unlink()
    return {"closed": closed, "killed": killed, "cut": cut}


def content(folder):
    """Return all that a service restores from its files."""
    service = open_service(str(folder / "log"), None, "")
    log = service.log
    with closing(log):
        service.model.save(str(folder / "model"))
        names = [f"i{k}" for k in range(240)] + [f"q{j}{k}" for j in range(3) for k in range(3)]
        return (
            (folder / "model").read_bytes(),
            as_lines(log, log.state.cut.position + 1, log.position),
            [log.position_of(name) for name in names],
            [log.challenge(name) for name in (*names, *(f"a{k}" for k in range(1, 12)))],
            log.request("key 1"),
            (service.statistics.examples, service.statistics.mistakes, service.statistics.recent_error),
        )


def copy_of(folder, to):
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)
    return to


def files(folder):
    """The content of the files that a start must leave as they are."""
    kept = (path for path in folder.iterdir() if not path.name.endswith(("-shm", ".lock", "model")))
    found = {path.name: path.read_bytes() for path in kept}
    if not found.get("log-wal"):  # SQLite makes an empty one to read
        found.pop("log-wal", None)
    return found


def change(path, draw):
    """Flip a bit, cut the file, or remove it."""
    good = path.read_bytes()
    kind = draw.choices(("flip", "cut", "remove"), (90, 8, 2))[0]
    if kind == "remove":
        path.unlink()
    elif kind == "cut":
        path.write_bytes(good[: draw.randrange(len(good))])
    else:
        bad = bytearray(good)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        path.write_bytes(bad)
    return kind


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", ["closed", "killed", "cut"])
def test_damage_changes_nothing_or_is_reported_and_nothing_is_deleted(
    folders, name, tmp_path, monkeypatch, random_seed
):
    monkeypatch.setitem(log_module.DURABILITIES, "full", "OFF")  # waiting for the disk changes nothing
    monkeypatch.setattr(os, "fsync", lambda _: None)
    expected = content(copy_of(folders[name], tmp_path / "whole"))
    last = json.loads(expected[1].splitlines()[-1])["position"]
    draw, reported = random.Random(name + random_seed), 0
    names = sorted(files(folders[name]))
    assert ("log-wal" in names) == (name == "killed")
    weights = [60 if each in ("log", "log-wal") else 8 for each in names]
    for case in range(CASES_OF_ONE * settings().max_examples):
        folder = copy_of(folders[name], tmp_path / "case")
        damaged = draw.choices(names, weights)[0]
        where = case, damaged, change(folder / damaged, draw)
        before = files(folder)
        try:
            found = content(folder)
        except (BadInput, OSError):
            reported += 1
            assert files(folder) == before, f"{where}: a refused start leaves everything as it was"
        else:
            assert found == expected, where
            left = files(folder)
            assert all(left.get(each) == before[each] for each in before if ".000" in each), where
        folder = copy_of(folders[name], tmp_path / "case")
        for each in names:
            (folder / each).unlink()
        for each, bytes_ in before.items():
            (folder / each).write_bytes(bytes_)
        for upto in (None, last):
            try:
                rebuild_model(str(folder / "log"), upto)[0].model.save(str(folder / "model"))
            except (BadInput, OSError):
                continue
            assert (folder / "model").read_bytes() == expected[0], where
    assert reported


TAMPERED = {
    "a label": "UPDATE labels SET label = '\"spbm\"' WHERE label = '\"spam\"'",
    "a name": "UPDATE names SET name = 'w9' WHERE name = 'w3'",
    "an id": "UPDATE ids SET id = 'j3' WHERE id = 'i3'",
    "a removed id": "DELETE FROM ids WHERE id = 'i3'",
    "a key": "UPDATE requests SET n = 2",
    "a challenge": "UPDATE challenges SET learned = 1 WHERE number = 1",
    "a removed challenge": "DELETE FROM challenges WHERE number = 1",
    "the statistics": "UPDATE snapshots SET statistics = '{}' WHERE position = 0",
    "the list of snapshots": "DELETE FROM snapshots WHERE position > 0",
    "a lost table": "DROP TABLE snapshots",
    "the state": "UPDATE facts SET value = replace(value, '[', '[ ') WHERE name = 'state'",
    "no state": "DELETE FROM facts",
    "another format": "UPDATE facts SET value = 1 WHERE name = 'format'",
    "the first entry": "UPDATE entries SET body = zeroblob(length(body)) WHERE position = 1",
    "a moved entry": "UPDATE entries SET position = 1000 WHERE position = 6",
    "the last entry": "DELETE FROM entries WHERE position = (SELECT max(position) FROM entries)",
    "the last entries": "DELETE FROM entries WHERE position > 30",
    "all entries": "DELETE FROM entries",
}


def tamper(path, statement):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(statement)


@pytest.mark.parametrize("case", TAMPERED)
def test_replay_and_the_service_report_any_change_in_any_table(folders, case, tmp_path):
    folder = copy_of(folders["closed"], tmp_path / "log")
    tamper(folder / "log", TAMPERED[case])
    reply = CliRunner().invoke(main, ["replay", str(folder / "log")])
    assert reply.exit_code == 65, reply.output
    assert "Error: " in reply.output
    with pytest.raises(BadInput):
        open_service(str(folder / "log"), None, "")


def test_replay_saves_the_examples_before_a_damaged_entry(folders, tmp_path):
    folder = copy_of(folders["closed"], tmp_path / "log")
    tamper(folder / "log", "UPDATE entries SET body = zeroblob(length(body)) WHERE position = 6")
    reply = CliRunner().invoke(main, ["replay", str(folder / "log")])
    assert "position 6 is damaged" in reply.output
    assert "--upto 5" in reply.output
    out = str(tmp_path / "saved")
    assert CliRunner().invoke(main, ["replay", str(folder / "log"), "--upto", "6"]).exit_code == 65
    words = ["replay", str(folder / "log"), "--upto", "5", "--out", out]
    reply = CliRunner().invoke(main, words)
    assert reply.exit_code == 0
    assert "Warning: log: the entry at position 6 is damaged" in reply.output
    twin = Learner(multiclass="one_vs_rest")
    for each in examples(0):
        twin.learn(each["x"], each["y"])
    assert learner_bytes(load(out), tmp_path) == learner_bytes(twin, tmp_path)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("closed", "file = 'log.000000000000.safetensors'", ""),  # an older model
        ("closed", "file = '../log/log.000000000022.safetensors'", ""),
        ("closed", "statistics = substr(statistics, 2)", ""),
        ("cut", "statistics = substr(statistics, 2)", "begin another log with its newest snapshot"),
    ],
)
def test_the_part_up_to_a_position_is_rebuilt_despite_a_damaged_list_of_snapshots(
    folders, name, change, message, tmp_path
):
    folder = copy_of(folders[name], tmp_path / "log")
    expected = content(copy_of(folders[name], tmp_path / "whole"))
    last = json.loads(expected[1].splitlines()[-1])["position"]
    tamper(folder / "log", f"UPDATE snapshots SET {change} WHERE position > 0")
    out = tmp_path / "saved"
    reply = CliRunner().invoke(
        main, ["replay", str(folder / "log"), "--upto", str(last), "--out", str(out)]
    )
    if message:
        assert reply.exit_code == 65
        assert message in reply.output
    else:
        assert reply.exit_code == 0
        assert "Warning: " in reply.output
        assert out.read_bytes() == expected[0]


def test_the_log_from_the_middle_of_a_damaged_entry_is_not_served(tmp_path):
    with serve(tmp_path / "log") as api:
        for k in range(3):
            api.learn(*({"x": {f"w{k}{j}": 1.0}, "y": 1} for j in range(20)))
        good = api.client.get("/log?from=25&limit=10")
        with closing(sqlite3.connect(tmp_path / "log", isolation_level=None)) as db:
            (body,) = db.execute("SELECT body FROM entries WHERE position = 21").fetchone()
            for place in range(0, len(body), 7):
                bad = bytearray(body)
                bad[place] ^= 4
                db.execute("UPDATE entries SET body = ? WHERE position = 21", (bytes(bad),))
                answer = api.client.get("/log?from=25&limit=10")
                assert answer.status_code == 500
                assert "position 21 is damaged" in answer.json()["error"]
            db.execute("UPDATE entries SET body = ? WHERE position = 21", (body,))
        assert api.client.get("/log?from=25&limit=10").text == good.text


def test_a_cut_write_ahead_log_stops_the_start_until_the_loss_is_accepted(folders, tmp_path):
    folder = copy_of(folders["killed"], tmp_path / "log")
    wal = folder / "log-wal"
    with open(wal, "r+b") as file:
        file.truncate(wal.stat().st_size // 2)
    (folder / "log.000000000999.safetensors").write_bytes(b"newer than the log")
    before = files(folder)
    with pytest.raises(BadInput, match=r"has lost its end: it has \d+ examples and had 43.*--accept-loss"):
        open_service(str(folder / "log"), None, "")
    assert files(folder) == before
    service = open_service(str(folder / "log"), None, "", accept_loss=True)
    assert 0 < service.learned < 43
    lines = [json.loads(line) for line in as_lines(service.log, 1, service.learned).splitlines()]
    service.log.close()
    twin = Learner(multiclass="one_vs_rest")
    for line in lines:
        twin.learn(line["x"], line["y"])
    service.model.save(str(tmp_path / "model"))
    assert (tmp_path / "model").read_bytes() == learner_bytes(twin, tmp_path)
    assert (folder / "log.000000000999.lost.safetensors").exists()
    with closing(Log(str(folder / "log"))) as log:  # from now on it is whole
        assert log.position == len(lines)


def test_a_snapshot_newer_than_the_log_stops_the_start(folders, tmp_path):
    folder = copy_of(folders["closed"], tmp_path / "log")
    newest = max(path for path in folder.iterdir() if path.name.startswith("log.0"))
    shutil.copy(newest, folder / "log.000000000999.safetensors")
    for words in (["replay"], ["serve", "--port", "0", "--log"]):
        reply = CliRunner().invoke(main, [*words, str(folder / "log")])
        assert reply.exit_code == 65
        assert "log.000000000999.safetensors has 999" in reply.output.replace("\n", " ")
    assert (folder / "log.000000000999.safetensors").exists()


@pytest.mark.parametrize("content", [None, b"", b"damaged", b"0" * 140])
def test_without_the_record_of_its_end_a_log_is_not_opened(folders, content, tmp_path):
    folder = copy_of(folders["closed"], tmp_path / "log")
    (folder / "log.end").unlink()
    if content is not None:
        (folder / "log.end").write_bytes(content)
    for words in (["replay"], ["serve", "--port", "0", "--log"]):
        reply = CliRunner().invoke(main, [*words, str(folder / "log")])
        assert reply.exit_code == 65
        assert "--accept-loss" in reply.output
    service = open_service(str(folder / "log"), None, "", accept_loss=True)
    service.log.close()
    assert read_end(str(folder / "log")).position == service.learned


def test_the_end_of_another_log_is_refused(folders, tmp_path):
    folder = copy_of(folders["closed"], tmp_path / "log")
    end = read_end(str(folder / "log"))
    with closing(EndFile(str(folder / "log"))) as file:
        file.write(end._replace(digest="0" * 64))
    with pytest.raises(BadInput, match="is of another log"):
        Log(str(folder / "log"))


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_log_that_is_gone_is_not_begun_anew_over_its_remains(folders, is_cut, tmp_path):
    for name in ("closed", "killed"):
        folder = copy_of(folders[name], tmp_path / name)
        (folder / "log").unlink()
        if is_cut:
            (folder / "log").write_bytes(b"")
        before = files(folder)
        with pytest.raises(BadInput, match="is missing or empty, though"):
            open_service(str(folder / "log"), learner, "")
        assert files(folder) == before


def test_a_start_that_was_killed_before_the_log_had_its_name_is_made_again(tmp_path):
    with closing(EndFile(str(tmp_path / "log"))) as file:
        with serve(tmp_path / "other"):
            pass
        file.write(read_end(str(tmp_path / "other"))._replace(transactions=1))
    (tmp_path / "log.new").write_bytes(b"half a log")
    with serve(tmp_path / "log") as api:
        assert api.learn({"x": {"a": 1.0}, "y": 1})["position"] == 1


def test_a_backup_of_a_running_service_is_whole_and_is_checked(tmp_path):
    backup = tmp_path / "backup"
    twin = Learner()
    with serve(tmp_path / "log") as api:
        for k in range(20):
            api.learn({"x": {f"a{k % 3}": 1.0 + k}, "y": 1 - 2 * (k % 2), "id": f"i{k}"})
            if k < 10:
                twin.learn({f"a{k % 3}": 1.0 + k}, 1 - 2 * (k % 2))
            if k == 9:
                reply = CliRunner().invoke(main, ["backup", str(tmp_path / "log"), str(backup)])
                assert reply.exit_code == 0, reply.output
                assert reply.output.startswith("10 examples copied")
                snapshot = "log.000000000000.safetensors"
                assert sorted(os.listdir(backup)) == ["log", snapshot, "log.end"]
        again = CliRunner().invoke(main, ["backup", str(tmp_path / "log"), str(backup)])
        assert again.exit_code == 65
        assert "give an empty folder" in again.output
        api.service.log._db.execute("UPDATE entries SET n = 2 WHERE position = 3")
        bad = CliRunner().invoke(main, ["backup", str(tmp_path / "log"), str(tmp_path / "bad")])
        assert bad.exit_code == 65
    with serve(backup / "log") as api:  # what was learned since is sent again, and learned once
        model = api.service.model
        model.save(str(tmp_path / "model"))
        assert (tmp_path / "model").read_bytes() == learner_bytes(twin, tmp_path)
        every = [{"x": {f"a{k % 3}": 1.0 + k}, "y": 1 - 2 * (k % 2), "id": f"i{k}"} for k in range(20)]
        reply = api.learn(*every)
        assert (reply["learned"], reply["repeated"], reply["position"]) == (10, 10, 20)
    assert not os.path.exists(tmp_path / "bad" / "log")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_log_is_a_regular_file(tmp_path):
    """A new log takes the place of an empty file, but never that of a pipe or of /dev/null."""
    pipe, folder, not_utf8 = tmp_path / "pipe", tmp_path / "folder", os.fsdecode(bytes(tmp_path) + b"/\xff")
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (str(pipe), str(folder), not_utf8):
        with pytest.raises(BadInput, match=r"is not a regular file|needs a name in UTF-8"):
            open_service(path, learner, "")
    assert pipe.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]


def test_a_log_with_sql_of_somebody_else_is_not_read(folders, tmp_path):
    view = "CREATE VIEW facts AS SELECT 'format' AS name, 2 AS value"  # one may also be without end
    trigger = "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END"
    for number, statements in enumerate((["DROP TABLE facts", view], [trigger])):
        folder = copy_of(folders["closed"], tmp_path / str(number))
        for statement in statements:
            tamper(folder / "log", statement)
        with pytest.raises(BadInput, match="which no log contains"):
            Log(str(folder / "log"))


def test_replay_does_not_overwrite_files_of_the_log(folders, tmp_path):
    folder = copy_of(folders["closed"], tmp_path / "log")
    before = files(folder)
    for ending in ("", "-wal", ".end", ".000000000000.safetensors", ".000000000999.safetensors"):
        words = ["replay", str(folder / "log"), "--out", str(folder / f"log{ending}")]
        assert CliRunner().invoke(main, words).exit_code == 64
    assert files(folder) == before


def test_a_backup_of_a_link_has_the_names_of_the_log(folders, tmp_path):
    folder = copy_of(folders["closed"], tmp_path / "log")
    (tmp_path / "link").symlink_to(folder / "log")
    assert (
        CliRunner().invoke(main, ["backup", str(tmp_path / "link"), str(tmp_path / "copy")]).exit_code == 0
    )
    names = {path.name for path in (tmp_path / "copy").iterdir()}
    assert {"log", "log.end", "log.000000000000.safetensors"} <= names
    assert content(tmp_path / "copy") == content(folder)
