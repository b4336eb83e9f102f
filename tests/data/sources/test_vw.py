"""Vowpal Wabbit text has the features that Vowpal Wabbit gives it, or is refused with column and reason."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.sources.vw import VwText, explain


@pytest.fixture(scope="module")
def naive(load):
    return load(Path(__file__).with_name("naive_vw.py"))


def parse(content, bits=18):
    return VwText(bits).parse(np.frombuffer(content, np.uint8))


def entries(chunk, row=0):
    begin, end = chunk.rows.starts[row], chunk.rows.starts[row + 1]
    return list(
        zip(chunk.rows.indices[begin:end].tolist(), chunk.rows.values[begin:end].tolist(), strict=True)
    )


def equals_the_reference(naive, content, bits=18):
    """Every line gives the row that the reference gives, bit for bit, or is bad where it is."""
    chunk = parse(content, bits)
    bad, row = [], 0
    for number, line in enumerate(content.split(b"\n")[:-1]):
        try:
            expected = naive.read_line(line, bits)
        except naive.Unreadable:
            bad.append(number)
            continue
        if expected is None:
            continue
        assert row < len(chunk), f"{line!r} was refused: {explain(line)}"
        assert entries(chunk, row) == list(expected.features.items()), line
        np.testing.assert_equal(chunk.y[row], expected.label)
        weight = chunk.importance[row] if chunk.importance.size else None
        assert weight == expected.importance or (weight in (None, 1.0) and expected.importance is None)
        row += 1
    assert row == len(chunk)
    assert [line.line for line in chunk.bad] == bad
    return chunk


FACTS = [  # what Vowpal Wabbit 9.11 has in its examples with -b 18 --noconstant
    ("1 | a b:2 3 :4 :5 x:0", 1, 1, {0: 4, 1: 5, 3: 1, 92594: 1, 163331: 2}),
    ("1 |ns a 3 :4 :5 007", 1, 1, {120344: 4, 120345: 5, 120347: 1, 120351: 1, 180474: 1}),
    ("1 |12 a 3 4:2", 1, 1, {15: 1, 16: 2, 203536: 1}),
    ("-1 2 'tag |ns:2 a :3 b:0.5", -1, 2, {50664: 1, 120344: 6, 180474: 2}),
    ("1 |ns a |ns a :1 :2", 1, 1, {120344: 1, 120345: 2, 180474: 2}),
    ("1 |a:0 b", 1, 1, {}),
    ("1 |ns:2 c:x colour:red :red", 1, 1, {2208: 1, 164698: 1, 214888: 1}),
    ("1 | 4294967296 18446744073709551617", 1, 1, {0: 1, 1: 1}),
    ("1 |5000000000 a 1", 1, 1, {127489: 1, 253369: 1}),
    ("tag| a", math.nan, 1, {92594: 1}),
    ("1 2 tag| a", 1, 2, {92594: 1}),
    ("1 | 5\x01 \x015 \x01", 1, 1, {0: 1, 5: 2}),
    ("0 | é 日本:2", 0, 1, {67463: 1, 129346: 2}),
    (
        "1.5 |a b |c d e:1e-3 f:1e3 g:-.5 h:+2", 1.5, 1,
        {52939: -0.5, 68370: 1, 112151: 1000, 144016: 1, 205291: 0.001, 212987: 2},
    ),
    ("-1 | a:1|b c:2|d e", -1, 1, {37234: 2, 92594: 1, 93150: 1}),
    ("3 || a |", 3, 1, {92594: 1}),
    ("1|a b", math.nan, 1, {144016: 1}),
    ("1 | a\tb\t\tc", 1, 1, {92594: 1, 163331: 1, 185951: 1}),
    ("1 | a:b|c d", 1, 1, {23378: 1, 70771: 1}),
    ("1 | a:b:c", 1, 1, {207666: 1}),
    ("1 | a:..5 b:+-5 c:-east d:east", 1, 1, {64726: 1, 134600: 1, 201992: 1, 259747: 1}),
    ("1 | x:1E2 y:1.5e+2", 1, 1, {102934: 150, 170779: 100}),
    ("1 0 | a_b a-b a^b a#", 1, 0, {129227: 1, 143191: 1, 222838: 1, 258196: 1}),
    ("1 1 0 'x | aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1, 1, {77938: 1}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "label", "importance", "features"), FACTS)
def test_rows_are_the_ones_that_vowpal_wabbit_itself_has(naive, line, label, importance, features):
    chunk = equals_the_reference(naive, line.encode() + b"\n")
    assert entries(chunk) == list(features.items())
    np.testing.assert_equal(chunk.y, [label])
    assert chunk.importance.tolist() in ([importance], [] if importance == 1 else [importance])


def test_importance_is_empty_if_no_row_has_one_and_1_where_a_row_has_none():
    assert parse(b"1 | a\n-1 | b\n").weight is None
    assert parse(b"1 | a\n-1 0.5 | b\n0 0 | c\n").weight.tolist() == [1, 0.5, 0]
    assert parse(b"1 | a\n-1 0.5 | b:x:1e\n1 2 | 1:1x\n").weight.tolist() == [1, 0.5]


def test_rows_without_a_label_have_the_label_nan():
    np.testing.assert_equal(parse(b"| a\n1 | a\n'x| b\n'y | c\n").y, [math.nan, 1, math.nan, math.nan])


def test_blank_lines_and_carriage_returns_are_passed_over():
    chunk = parse(b"\n1 | a\r\n \t\r\n\r\n\n-1 | b:2\r\n")
    assert chunk.y.tolist() == [1, -1]
    assert chunk.bad == ()
    assert chunk.rows.values.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        (b"1", 1, "no '|' before the features"),
        (b"1\t| a", 2, "a tab before the '|'"),
        (b"1:0.5 2:1 | a", 1, "expected a number as label, got '1:0.5'; this reader takes one number"),
        (b"shared | a", 1, "expected a number as label, got 'shared'"),
        (b"1 x | a", 3, "expected a number as importance, got 'x'"),
        (b"1 -2 | a", 3, "importance '-2' is negative; give 0 or more"),
        (b"1 nan | a", 3, "expected a number as importance, got 'nan'"),
        (b"1 1e999 | a", 3, "importance '1e999' is not a finite number"),
        (b"1e999 | a", 1, "label '1e999' is not a finite number"),
        (b"1 1 0.5 | a", 5, "a base (initial prediction) of '0.5'; only 0 is supported"),
        (b"1 1 0 4 | a", 7, "a fourth number before the '|'"),
        (b"1 |:2 a", 4, "a namespace with a value but without a name"),
        (b"1 |ns:x a", 7, "value 'x' is not a number; write |name:number"),
        (b"1 |ns:nan a", 7, "value 'nan' is not a finite number"),
        (b"1 | a:", 7, "value '' is not a number; write name:number"),
        (b"1 | a:1x", 7, "value '1x' is not a number"),
        (b"1 | a:nan", 7, "value 'nan' is not a finite number"),
        (b"1 | a:1e400", 7, "value '1e400' is not a finite number"),
        (b"1 |n:1e200 a:1e200", 14, "value '1e200' times 1e+200, the value of its namespace, is too large"),
        (b"1 | a:1e308 a:1e308", 1, "the sum of the values of a column overflows"),
        (b"1 | a\rb", 6, "a carriage return inside the line"),
    ],
)
def test_ambiguous_vowpal_wabbit_text_is_refused_with_its_column(naive, line, column, problem):
    chunk = equals_the_reference(naive, b"1 | a\n\n" + line + b"\n-1 | b\n")
    assert chunk.y.tolist() == [1, -1]
    (bad,) = chunk.bad
    assert (bad.line, bad.column) == (2, column)
    assert bad.problem.startswith(problem)
    assert ";" in bad.problem, "an error names the remedy"


def test_numbers_that_only_python_reads_exactly_are_read_exactly_wherever_they_stand(naive):
    long = "0.1000000000000000055511151231257827021181583404541015625"
    line = f"1e-30 1{'0' * 40}e-40 0e99 |n:{long} a:{long} b:1e-250 :2e30 a:1 |m c:9007199254740993.00001"
    chunk = equals_the_reference(naive, f"{line}\n1 | a\n{line}\n".encode())
    assert (chunk.y.tolist(), chunk.weight.tolist()) == ([1e-30, 1, 1e-30], [1, 1, 1])
    assert entries(chunk, 0) == entries(chunk, 2)
    assert 2e30 * 0.1 in dict(entries(chunk)).values()


def test_values_of_one_column_are_added_in_the_order_they_came():
    chunk = parse(b"1 | b:5 a:1e16 a:1 a:-1e16\n")
    assert sorted(chunk.rows.values) == [0, 5], "1e16 + 1 - 1e16, rounded after each step"


@pytest.mark.parametrize("n_entries", [2, 7, 8, 9, 63, 64, 65, 300, 5000])
@pytest.mark.parametrize("spread", ["hashes", "neighbours", "one column"])
def test_long_rows_are_sorted_and_summed_like_short_ones(naive, n_entries, spread):
    random = np.random.default_rng(n_entries)
    numbers = {
        "hashes": random.integers(0, 2**18, n_entries),
        "neighbours": random.integers(0, n_entries, n_entries),
        "one column": np.full(n_entries, 7),
    }[spread]
    values = random.normal(size=n_entries).tolist()
    features = " ".join(f"{number}:{value!r}" for number, value in zip(numbers, values, strict=True))
    for bits in (1, 5, 18):
        equals_the_reference(naive, f"1 | {features}\n-1 |w {features}\n".encode(), bits)


def test_a_chunk_that_is_not_released_keeps_its_rows():
    reader = VwText()
    first = reader.parse(np.frombuffer(b"1 | 1:1 2:2\n", np.uint8))
    second = reader.parse(np.frombuffer(b"1 | 1:3 2:4\n", np.uint8))
    assert first.rows.values.tolist() == [1, 2]
    second.release()
    third = reader.parse(np.frombuffer(b"1 | 1:5\n", np.uint8))
    assert np.shares_memory(third.rows.values, second.rows.values)


@given(st.binary(max_size=80))
def test_arbitrary_bytes_are_read_as_the_reference_reads_them(naive, content):
    equals_the_reference(naive, content + b"\n")


pieces = st.sampled_from(
    [" ", "  ", "\t", "|", "| ", "|a ", "|ns:2 ", ":", ":1", ":2.5", ":word", "a", "12", "x", "1", "-1",
     "0", "'t", "'", "e", ".", "inf", "nan", "-", "+", "1e5", "1e99", "1e-400", "1e999", "\r", "\v", "\1",
     "é", "#", "9" * 23, "0.10000000000000000000000000055"]
)  # fmt: skip


@given(st.lists(st.lists(pieces, max_size=14), max_size=6), st.sampled_from([1, 3, 18, 31]))
def test_lines_of_likely_pieces_are_read_as_the_reference_reads_them(naive, lines, bits):
    equals_the_reference(naive, "".join("".join(line) + "\n" for line in lines).encode(), bits)
