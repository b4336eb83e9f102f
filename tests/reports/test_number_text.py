"""Text that may stand in a page, numbers for people, and scales for pictures."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.reports import charts, number_text
from rosenblatt.reports.page_templates import environment
from rosenblatt.traces.viewer.viewer_page import UNPRINTABLE


@given(st.text(st.characters(), max_size=30))
def test_escaped_text_is_text_in_html_and_in_xml(text):
    page = environment().from_string("<text title='{{ text }}'>{{ text }}</text>").render(text=text)
    element = ElementTree.fromstring(page)
    assert page.count("<") == 2
    assert element.attrib.keys() == {"title"}
    assert (element.text or "") == UNPRINTABLE.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")


@given(st.text(max_size=60), st.integers(3, 40))
def test_a_shortened_text_keeps_its_ends(text, most):
    short = number_text.shorten(text, most)
    assert len(short) <= most
    assert short == text if len(text) <= most else (text.startswith(short[0]) and "…" in short)


@given(st.floats(0.0, 1.0))
def test_a_percentage_is_near_and_never_hides_that_something_is_left(part):
    printed = float(number_text.percent(part).removesuffix("\u00a0%"))
    assert printed == pytest.approx(100 * part, abs=0.0501)
    if 1e-9 < part < 1 - 1e-9:
        assert 0.0 < printed < 100.0


@given(st.floats(-1e300, 1e300, allow_subnormal=False))
def test_a_number_keeps_four_digits(value):
    printed = number_text.real(value).replace(number_text.MINUS, "-").replace(",", "")
    mantissa, _, power = printed.partition("×10")
    back = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    exponent = power.translate(back) or "0"
    assert float(f"{mantissa}e{exponent}") == pytest.approx(value, rel=6e-4)


@given(st.floats(1e-6, 1e9))
def test_ticks_are_round_few_and_reach_the_top(top):
    scale = charts.ticks(top)
    steps = np.diff(scale)
    assert scale[0] == 0.0
    assert scale[-1] >= top * (1 - 1e-8)
    assert scale[-2] < top
    assert 2 <= len(scale) <= 6
    assert np.allclose(steps, steps[0])
    assert f"{steps[0]:.3e}"[0] in "125"
