"""The engine reads awkward csv files as the package does, or reports what it cannot read."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rosenblatt.data.sources.reading import read
from rosenblatt.errors import BadInput

NAMES = ["id", "x", "colour", "remark"]


class File(NamedTuple):
    """A file, and what a careful reader finds in it: rows, names (None: no header) and kinds."""

    content: str | bytes
    rows: list[list[Any]]
    names: list[str] | None = NAMES
    kinds: str = "nntt"  # n: number, t: text, d: date, e: empty
    is_read_by_package: bool = True


def rows(n: int = 40) -> list[list[Any]]:
    draw = random.Random(7)
    return [
        [
            k,
            round(draw.uniform(-100, 100), 3),
            draw.choice(["red", "green", "blue"]),
            draw.choice(["yes it works", "no it does not"]),
        ]
        for k in range(n)
    ]


def text(table: list[list[Any]], names: list[str] | None = NAMES, by: str = ",", write: Any = str) -> str:
    lines = [by.join(names)] if names else []
    lines += [by.join("" if cell is None else write(cell) for cell in row) for row in table]
    return "\n".join(lines) + "\n"


def with_comma(cell: Any) -> str:
    return str(cell).replace(".", ",") if isinstance(cell, float) else str(cell)


def three(cells: list[Any], name: str = "v") -> tuple[list[list[Any]], list[str]]:
    table = [[k, cell, "pn"[k % 2]] for k, cell in enumerate(cells)]
    return table, ["id", name, "label"]


def written(cells: list[str], values: list[Any], kind: str, name: str = "v", **more: Any) -> File:
    given, names = three(cells, name)
    return File(text(given, names), three(values)[0], names, f"n{kind}t", **more)


BASE = rows()
PLAIN = text(BASE)
DRAW = random.Random(3)
AMOUNTS = [round(DRAW.uniform(1000, 2e6), 2) for _ in range(40)]
CITIES, CITY_NAMES = three(["Zürich café" if k % 2 else "plain" for k in range(40)], "city")
TALES, TALE_NAMES = three(
    ['He said "no",\nthen left' if k % 3 else "plain, and long text" for k in range(40)], "tale"
)
QUOTED = text(
    TALES,
    TALE_NAMES,
    write=lambda cell: '"' + str(cell).replace('"', '""') + '"' if "," in str(cell) else str(cell),
)
GERMAN = [f"{amount:,.2f}".translate({ord(","): ".", ord("."): ","}) for amount in AMOUNTS]
DAYS = [(2019 + k % 5, 1 + k % 12, 13 + k % 15) for k in range(40)]
MISSING = {"?": None, "NA": None, "#N/A": None, "n.a.": None, "NULL": None, "nan": None, "": None}
WORDS = [["abc"[k % 3], "xy"[k % 2], ["good", "bad"][k % 2]] for k in range(40)]

FILES: dict[str, File] = {
    "plain": File(PLAIN, BASE),
    "semicolons and decimal commas": File(text(BASE, by=";", write=with_comma), BASE),
    "no header": File(text(BASE, None), BASE, None),
    "words without a header": File(text(WORDS, None), WORDS, None, "ttt"),
    "words with a header": File(
        text(WORDS, ["shape", "size", "verdict"]), WORDS, ["shape", "size", "verdict"], "ttt"
    ),
    "quotes and line ends": File(QUOTED, TALES, TALE_NAMES, "ntt"),
    "UTF-8 mark": File(b"\xef\xbb\xbf" + PLAIN.encode(), BASE),
    "UTF-16": File(text(CITIES, CITY_NAMES).encode("utf-16"), CITIES, CITY_NAMES, "ntt"),
    "UTF-16, big end first": File(
        b"\xfe\xff" + text(CITIES, CITY_NAMES).encode("utf-16-be"), CITIES, CITY_NAMES, "ntt"
    ),
    "Latin-1": File(text(CITIES, CITY_NAMES).encode("latin-1"), CITIES, CITY_NAMES, "ntt"),
    "carriage returns": File(PLAIN.replace("\n", "\r"), BASE),
    "carriage returns and line feeds": File(PLAIN.replace("\n", "\r\n"), BASE),
    "thousands in quotes": written([f'"{amount:,.2f}"' for amount in AMOUNTS], AMOUNTS, "n"),
    "thousands with points": File(
        text(three(GERMAN)[0], ["id", "v", "label"], by=";"), three(AMOUNTS)[0], ["id", "v", "label"], "nnt"
    ),
    "percent": written([f"{k / 4}%" for k in range(40)], [k / 4 for k in range(40)], "n"),
    "currency": written([f"${k / 4}" for k in range(40)], [k / 4 for k in range(40)], "n"),
    "dashes for missing numbers": written(
        ["-" if k % 5 == 0 else str(k / 8) for k in range(40)],
        [None if k % 5 == 0 else k / 8 for k in range(40)],
        "n",
    ),
    "duplicate names": File(text(BASE, ["id", "x", "x", "x"]), BASE, ["id", "x", "x.1", "x.2"]),
    "a short row": File(PLAIN + "41,2.5\n", BASE, is_read_by_package=False),
    "a long row": File(PLAIN + "41,2.5,red,yes,more\n", BASE, is_read_by_package=False),
    "a footer": File(PLAIN + "Total,,,\n", BASE, is_read_by_package=False),
    "an infinite number": written(
        ["1.5" if k > 1 else "inf" if k else "-1e999" for k in range(40)], [None, None, *[1.5] * 38], "n"
    ),
    "comments": File("# by a machine\n# on Tuesday, at noon\n" + PLAIN, BASE),
    "a comment inside": File(text(BASE[:20]) + "# a pause\n" + text(BASE[20:], None), BASE),
    "titles": File("Sales report 2024\nRegion: North; all shops\n\n" + PLAIN, BASE),
    "sep=;": File("sep=;\n" + text(BASE, by=";"), BASE),
    "blank lines": File("\n\n" + text(BASE[:20]) + "\n" + text(BASE[20:], None) + "\n\n", BASE),
    "a delimiter at the end": File(
        "".join(line + ",\n" for line in PLAIN.splitlines()),
        [[*row, None] for row in BASE],
        [*NAMES, "Unnamed: 4"],
        "nntte",
    ),
    "bars": File(text(BASE, by="|"), BASE),
    "tabs": File(text(BASE, by="\t"), BASE),
    "aligned blanks": File(
        "".join("  ".join(f"{cell:>8}" for cell in row[:2]) + f"  {row[0] % 2}\n" for row in BASE),
        [[*row[:2], row[0] % 2] for row in BASE],
        None,
        "nnn",
    ),
    "blanks after commas": File(text(BASE, by=", "), BASE),
    "apostrophes": File(
        text(CITIES, CITY_NAMES, write=lambda cell: f"'{cell}, x'" if " " in str(cell) else str(cell)),
        [[k, city + ", x" if " " in city else city, label] for k, city, label in CITIES],
        CITY_NAMES,
        "ntt",
    ),
    "leading zeros": written(
        [f"{k * 251:05d}" for k in range(40)], [f"{k * 251:05d}" for k in range(40)], "t"
    ),
    "words among numbers": written(
        [f"PC {k}" if k % 3 == 0 else str(k) for k in range(40)],
        [f"PC {k}" if k % 3 == 0 else str(k) for k in range(40)],
        "t",
    ),
    "whole numbers of 20 digits": written(
        [f"1234567890123456{k:04d}" for k in range(40)],
        [float(f"1234567890123456{k:04d}") for k in range(40)],
        "n",
    ),
    "quotes between tabs that are not closed": File(
        "".join(f'{"ham" if k % 2 else "spam"}\t"ok and left {k}\n' for k in range(40)),
        [["ham" if k % 2 else "spam", f'"ok and left {k}'] for k in range(40)],
        None,
        "tt",
    ),
    "one column": File(
        "remark\n" + "".join(row[3] + "\n" for row in BASE), [[row[3]] for row in BASE], ["remark"], "t"
    ),
}
for spelling in MISSING:
    cells = [spelling if k % 5 == 0 else str(k / 8) for k in range(40)]
    FILES[f"missing as {spelling!r}"] = written(
        cells, [None if k % 5 == 0 else k / 8 for k in range(40)], "n"
    )
for pattern in (
    "{0}-{1:02d}-{2:02d}",
    "{2:02d}.{1:02d}.{0}",
    "{1:02d}/{2:02d}/{0}",
    "{2:02d}/{1:02d}/{0}",
    "{0}/{1:02d}/{2:02d}",
    "{0}{1:02d}{2:02d}",
    "{0}-{1:02d}-{2:02d} 17:30:00",
    "{2} Mar {0}",
):
    moments = [pattern.format(*day) for day in DAYS]
    FILES[f"days as {moments[0]}"] = written(moments, moments, "d")
FILES["days in several forms"] = written(
    *[[("{0}-{1:02d}-{2:02d}", "{2:02d}.{1:02d}.{0}")[k % 2].format(*day) for k, day in enumerate(DAYS)]]
    * 2,
    "t",
)

KINDS = {"number": "n", "text": "t", "date": "d", "empty": "e"}
ROLES = {"number": "n", "category": "t", "text": "t", "date": "d"}


def given_to_javascript(content: str | bytes) -> dict[str, Any]:
    data = content.encode() if isinstance(content, str) else content
    return {"bytes": list(data)}


@pytest.mark.parametrize("title", FILES)
def test_awkward_files_are_read_as_in_the_package(title: str, engine: Any, tmp_path: Path) -> None:
    file = FILES[title]
    (found,) = engine("csv", [given_to_javascript(file.content)])
    assert found["header"] == (file.names is not None)
    assert found["names"] == (file.names or [str(place) for place in range(len(file.kinds))])
    assert "".join(KINDS[column["kind"]] for column in found["columns"]) == file.kinds
    expected = file.rows
    if not file.is_read_by_package:
        assert "is left out" in " ".join(found["notes"])
    elif title == "an infinite number":
        assert [note.partition(": column v holds ")[2].partition(",")[0] for note in found["notes"]] == [
            "-1e999", "inf",
        ]  # fmt: skip
    else:
        assert found["notes"] == (
            ["the file is not UTF-8; it is read as Windows-1252"] if title == "Latin-1" else []
        )
    columns = [column["values"] for column in found["columns"]]
    assert [list(row) for row in zip(*columns, strict=True)] == expected
    path = tmp_path / "file.csv"
    path.write_bytes(file.content if isinstance(file.content, bytes) else file.content.encode())
    reading = {"labelled": False, "missing": "drop", "guesses_codes": True, "format": "csv"}
    if not file.is_read_by_package:
        with pytest.raises(BadInput, match=r"line \d+"):
            [len(chunk) for chunk in read(str(path), **reading).chunks()]  # type: ignore[arg-type]
        return
    fields = read(str(path), **reading).columns  # type: ignore[arg-type, attr-defined]
    assert [name for name, _ in fields.columns] == found["names"]
    for (_, role), kind in zip(fields.columns, file.kinds, strict=True):
        assert ROLES.get(role, kind) == kind  # left out: a running number, a code, or an empty column


def test_what_cannot_be_read_is_explained(engine: Any) -> None:
    cases = [
        gzip.compress(PLAIN.encode()),
        b"",
        b"\n \n",
        b"a,b,c\n",
    ]
    given = [{"driver": "csv", "given": given_to_javascript(content)} for content in cases]
    assert engine("message", given) == [
        "BadInput: the file: is compressed (gzip), and this page takes plain text; decompress it",
        "BadInput: the file: the file is empty; give one with at least one row",
        "BadInput: the file: there are no rows, only blank lines; give a file with rows",
        "BadInput: the file: there are no rows, only a header line; give a file with rows",
    ]


def test_only_the_first_faulty_lines_are_named(engine: Any) -> None:
    content = PLAIN + "".join(f"{k},1\n" for k in range(9))
    (found,) = engine("csv", [given_to_javascript(content)])
    assert found["nRows"] == 40
    assert found["notes"] == [f"line {42 + k} is left out: 2 cells, expected 4" for k in range(5)] + [
        "… and 4 more"
    ]


def test_a_reader_may_say_how_a_file_is_written(engine: Any) -> None:
    content = "1;2,5\n3;4,5\n"
    given = given_to_javascript(content)
    found = engine("csv", [given, {**given, "delimiter": ",", "header": True}])
    assert found[0]["columns"][1]["values"] == [2.5, 4.5]
    assert (found[0]["delimiter"], found[0]["decimalComma"], found[0]["header"]) == (";", True, False)
    assert (found[1]["names"], found[1]["nRows"]) == (["1;2", "5"], 1)


def test_a_running_number_is_marked(engine: Any) -> None:
    (found,) = engine("csv", [given_to_javascript(PLAIN)])
    assert [column["isCounter"] for column in found["columns"]] == [True, False, False, False]
