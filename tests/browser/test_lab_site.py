"""The lab in a browser: every chapter at both sizes, by mouse, touch and keys, as link, frame and file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from rosenblatt.course.lab.static_site import site_files
from tests.browser.conftest import PHONE

KEYS = re.findall(r'key: "(\w+)", title: "[^"]+", about', site_files()["chapters/index.js"].decode())
PLAYED = [key for key in KEYS if key in ("steps", "realizable", "averaging", "errors", "xor", "sure")]
PLACE = """([x, y]) => {
  const plane = lab.view.planes.values().next().value;
  plane.element.scrollIntoView({ block: "center" });
  const box = plane.canvas.element.getBoundingClientRect();
  return [box.left + plane.x(x), box.top + plane.y(y)];
}"""


@pytest.fixture
def lab(open_page: Callable[..., Any], lab_address: str) -> Callable[..., Any]:
    """lab(key, state, query="", how to open): the page of a chapter or another query, once it is ready."""

    def open_chapter(
        key: str = "", state: dict[str, Any] | None = None, query: str = "", **how: Any
    ) -> Any:
        link = f"#{quote(json.dumps(state))}" if state is not None else ""
        page = open_page(f"{lab_address}/{f'?chapter={key}' if key else ''}{query}{link}", **how)
        page.wait_for_selector("body[data-ready]")
        return page

    return open_chapter


def state_of(page: Any) -> dict[str, Any]:
    return dict(page.evaluate("lab.store.state"))


def sentences(page: Any) -> str:
    return str(page.locator(".sentences").inner_text())


def drag(page: Any, start: list[float], end: list[float]) -> None:
    page.mouse.move(*page.evaluate(PLACE, start))
    page.mouse.down()
    for part in (0.3, 0.7, 1.0):
        page.mouse.move(
            *page.evaluate(PLACE, [a + part * (b - a) for a, b in zip(start, end, strict=True)])
        )
    page.mouse.up()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("key", KEYS)
def test_axe_finds_nothing_in_a_chapter_and_nothing_is_wider_than_the_screen(
    key, size, dark, lab, serious, store
):
    page = lab(key, **size, dark=dark)
    if key == "data":
        page.wait_for_selector(".tables table")
    for closed in page.locator("details.exercise summary").all()[:3]:
        closed.click()
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    store(page, f"lab-{key}-{'phone' if size else 'desktop'}-{'dark' if dark else 'light'}")


@pytest.mark.parametrize("query", ["", "?page=map", "?page=lessons", "?page=check"])
def test_axe_finds_nothing_in_the_other_pages(query, lab, serious):
    for size in ({}, PHONE):
        page = lab(query=query, **size)
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("key", KEYS)
def test_on_a_phone_the_picture_stays_visible_beside_the_last_control(key, lab):
    page = lab(key, **PHONE)
    controls = page.locator(".side :is(select, input, button):visible")
    controls.last.scroll_into_view_if_needed()
    picture, control = page.locator(".plane").first.bounding_box(), controls.last.bounding_box()
    assert picture["y"] > -1
    assert picture["y"] + picture["height"] <= 844
    assert picture["y"] + picture["height"] <= control["y"] + control["height"]


@pytest.mark.parametrize("key", KEYS)
def test_on_a_desktop_picture_and_controls_are_side_by_side(key, lab):
    page = lab(key)
    picture, side = page.locator(".stage").bounding_box(), page.locator(".side").bounding_box()
    assert side["x"] >= picture["x"] + picture["width"]
    assert abs(side["y"] - picture["y"]) < 20


@pytest.mark.parametrize("key", KEYS)
def test_every_chapter_can_be_used_with_the_keyboard_alone(key, lab):
    page = lab(key)
    before = state_of(page)
    has_changed = False
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        name = page.evaluate(
            """() => { const at = document.activeElement;
            const names = { ".handle": "handle", ".side": "control", ".opening": "question" };
            return Object.entries(names).find(([part]) => at.closest(part))?.[1] ?? ""; }"""
        )
        if name and name not in reached:
            reached.add(name)
            if name == "handle":
                page.keyboard.press("PageDown")
                page.keyboard.press("ArrowRight")
            if name == "control":
                page.keyboard.press("ArrowDown")
            if name == "question":
                page.keyboard.press("Space")
                page.keyboard.press("Enter")
            has_changed |= state_of(page) != before
    assert {"control", "question"} <= reached
    assert page.locator(".opening .feedback").inner_text()
    assert has_changed


def test_a_point_is_dragged_added_and_deleted_by_mouse_and_the_line_follows(lab):
    page = lab("bound", {"points": [[1, 1], [-1, -1]], "labels": [1, -1]})
    first = page.evaluate("lab.view.result.verdict.margin")
    drag(page, [1, 1], [0.5, 0.5])
    assert state_of(page)["points"][0] == pytest.approx([0.5, 0.5], abs=0.03)
    assert page.evaluate("lab.view.result.verdict.margin") < first
    page.get_by_role(
        "button", name="Class −"
    ).click()  # the dragged point is selected, so its class changes
    assert state_of(page)["labels"] == [-1, -1]
    page.keyboard.press("Control+z")
    page.mouse.click(*page.evaluate(PLACE, [-0.6, 0.8]))
    assert len(state_of(page)["points"]) == 3
    page.mouse.dblclick(*page.evaluate(PLACE, [-1, -1]))
    assert len(state_of(page)["points"]) == 2


def test_undo_and_redo_treat_a_drag_as_one_step(lab):
    page = lab("bound")
    start = state_of(page)["points"]
    drag(page, start[0], [0.5, 1.5])
    moved = state_of(page)["points"]
    assert moved != start
    page.get_by_role("button", name="Undo").click()
    assert state_of(page)["points"] == start
    page.get_by_role("button", name="Redo").click()
    assert state_of(page)["points"] == moved


def test_nothing_jumps_while_a_point_is_dragged(lab):
    page = lab("steps")
    before = page.evaluate("lab.view.planes.get('plane').view")
    box = page.locator(".plane").first.bounding_box()
    drag(page, [2.5, 1], [-2, -2])
    assert page.evaluate("lab.view.planes.get('plane').view") == before
    assert page.locator(".plane").first.bounding_box()["height"] == box["height"]


def test_a_finger_on_a_point_drags_it_and_a_tap_beside_it_adds_one(lab):
    page = lab("bound", {"points": [[1, 1], [-1, -1]], "labels": [1, -1]}, **PHONE)
    session = page.context.new_cdp_session(page)

    def touch(kind: str, place: list[float]) -> None:
        x, y = page.evaluate(PLACE, place)
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    for kind, place in [
        ("touchStart", [1, 1]),
        ("touchMove", [0.7, 0.8]),
        ("touchMove", [0.5, 0.6]),
        ("touchEnd", [0, 0]),
    ]:
        touch(kind, place)
    assert state_of(page)["points"][0] == pytest.approx([0.5, 0.6], abs=0.05)
    page.touchscreen.tap(*page.evaluate(PLACE, [-0.5, 0.5]))  # ends the selection
    page.touchscreen.tap(*page.evaluate(PLACE, [-0.5, 0.5]))
    assert len(state_of(page)["points"]) == 3


@pytest.mark.parametrize("key", PLAYED)
def test_arrow_keys_step_through_a_run_and_each_step_is_described(key, lab):
    page = lab(key, {"step": 0})
    texts = []
    for _ in range(3):
        page.locator("h1").click()
        page.keyboard.press("ArrowRight")
        texts.append(sentences(page))
    assert state_of(page)["step"] == 3
    assert len(set(texts)) == 3
    page.keyboard.press("Home")
    assert state_of(page)["step"] == 0


def test_a_step_must_be_predicted_before_it_is_shown(lab):
    page = lab("steps", {"step": 1})
    page.get_by_label("Predict each step before it is shown").check()
    page.get_by_role("button", name="Next step").click()
    assert state_of(page)["step"] == 1
    guess = page.locator(".guess")
    place = page.evaluate("lab.view.result.run.steps[1].updated")
    if guess.locator("input[type=radio]").count():
        guess.locator("input[type=radio]").first.check()
        guess.get_by_role("button", name="Check").click()
    else:
        assert place
        page.mouse.click(*page.evaluate(PLACE, [0.2, 0.2]))
    assert guess.locator(".feedback").inner_text()
    guess.get_by_role("button", name="Show the step").click()
    assert state_of(page)["step"] == 2


def test_a_wrong_answer_gets_its_hint_and_the_right_one_the_explanation(lab):
    page = lab("line")
    first = page.locator("#exercise-1")
    first.locator("summary").click()
    for typed, said in [
        ("3x1 + 2x2 = 6", "swapped"),
        ("2x1 + 3x2", "exactly one"),
        ("x2 = −2/3 x1 + 2", "Right."),
    ]:
        first.locator("input").fill(typed)
        first.get_by_role("button", name="Check").click()
        assert said in first.locator(".feedback").inner_text()


def test_a_link_opens_the_same_state_in_another_window(lab, open_page):
    page = lab("steps")
    page.get_by_label("A score of 0 is").select_option("negative")
    drag(page, [2.5, 1], [2, -2])
    page.wait_for_timeout(400)
    again = open_page(page.url)
    again.wait_for_selector("body[data-ready]")
    assert state_of(again) == state_of(page)
    assert sentences(again) == sentences(page)
    assert json.loads(unquote(page.url.partition("#")[2])).keys() == {"points", "tie"}


@pytest.mark.parametrize(
    "link", ["#%7Bbroken", "#[1]", '#{"points":[[1]]}', '#{"tie":5}', '#{"nothing":1}', '#{"task":{}}']
)
def test_a_damaged_link_is_reported_and_the_chapter_opens(link, open_page, lab_address):
    page = open_page(f"{lab_address}/?chapter=steps{link}")
    page.wait_for_selector("body[data-ready]")
    assert "damaged" in page.get_by_role("alert").first.inner_text()
    assert sentences(page)


def test_an_embedded_page_shows_only_the_scene(lab):
    page = lab("steps", {"step": 2}, query="&embed=1", width=700, height=600)
    assert page.locator("header, .side, .opening, .reading").count() == 0
    assert page.locator(".plane").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Next step").click()
    assert state_of(page)["step"] == 3


def test_projector_mode_has_large_type_and_no_toolbars_and_ends_with_escape(lab, serious):
    page = lab("steps", query="&projector=1")
    size = "parseFloat(getComputedStyle(document.querySelector('.sentences')).fontSize)"
    assert page.evaluate(size) >= 24
    assert not page.locator(".side").is_visible()
    assert not page.locator("header.top").is_visible()
    assert serious(page) == []
    page.keyboard.press("Escape")
    assert page.locator(".side").is_visible()


def test_a_chapter_saved_as_one_file_works_from_disk(lab, open_page, tmp_path):
    page = lab("xor", {"method": "polynomial", "step": 3})
    page.get_by_text("Share and save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as one file").click()
    path = tmp_path / "saved.html"
    download.value.save_as(path)
    saved = open_page(path)
    saved.wait_for_selector("body[data-ready]")
    assert state_of(saved) == state_of(page)
    assert sentences(saved) == sentences(page)
    saved.get_by_role("button", name="Next step").click()
    assert state_of(saved)["step"] == 4


@pytest.mark.parametrize(("name", "magic"), [("Picture as PNG", b"\x89PNG"), ("Picture as SVG", b"<svg")])
def test_the_picture_is_saved(name, magic, lab):
    page = lab("line")
    page.get_by_text("Share and save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(magic)
    assert len(content) > 2000


def test_a_run_is_saved_as_an_animation(lab):
    page = lab("steps", {"points": [[1, 1], [-1, -1]], "labels": [1, -1]})
    page.get_by_text("Share and save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Animation of the run").click()
    assert Path(download.value.path()).read_bytes()[:4] == b"\x1aE\xdf\xa3"  # WebM


def test_an_assignment_is_made_answered_and_checked_without_a_server(lab, open_page, lab_address):
    page = lab("line")
    page.get_by_text("Share and save").click()
    page.get_by_role("button", name="Make an assignment").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Kind of answer").select_option("equation")
    dialog.get_by_label("Question (formulas").fill("Which line is this?")
    dialog.get_by_label("Right answer").fill("2x1 + 3x2 − 6 = 0")
    dialog.get_by_label("Number of tries").fill("2")
    dialog.get_by_label("Multiply by −1").uncheck()
    dialog.get_by_role("button", name="Make the link").click()
    link = dialog.locator("output").inner_text()

    student = open_page(link)
    student.wait_for_selector("body[data-ready]")
    assert student.get_by_role("button", name="Multiply by −1").count() == 0
    assert student.locator(".reading").count() == 0
    for typed in ("x1 = 3", "x2 = 2 − 2/3 x1"):
        student.locator(".opening .answer input").fill(typed)
        student.locator(".opening").get_by_role("button", name="Check").click()
    assert "Right" in student.locator(".opening .feedback").inner_text()
    student.get_by_label("Your name").fill("Ada")
    code = student.locator(".handing output").inner_text()

    teacher = open_page(f"{lab_address}/?page=check")
    teacher.wait_for_selector("body[data-ready]")
    teacher.get_by_label("Link of the assignment").fill(link)
    teacher.get_by_label("Answer codes").fill(f"{code}\n{code[:20]}{'BA'[code[20] == 'B']}{code[21:]}")
    teacher.get_by_role("button", name="Check the answers").click()
    rows = teacher.locator("tbody tr")
    rows.first.wait_for()
    assert "Ada" in rows.nth(0).inner_text()
    assert "✗; x2 = 2 − 2/3 x1 ✓" in rows.nth(0).inner_text()
    assert "changed" in rows.nth(1).inner_text() or "another" in rows.nth(1).inner_text()


def test_a_file_is_read_and_opened_in_another_chapter(lab):
    page = lab("data")
    page.wait_for_selector(".tables table")
    rows = "a;b;kind\n1,5;2;x\n2,5;1;y\n-1;0,5;x\n3;-1;y\n"
    page.locator("#file").set_input_files(
        {"name": "own.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    )
    page.wait_for_function("lab.store.state.file === 'own.csv'")
    assert "semicolons, with decimal commas" in page.locator(".drop [role=status]").inner_text()
    page.get_by_role("link", name="The bound").click()
    page.wait_for_selector("body[data-ready]")
    page.wait_for_function("Boolean(window.lab)")
    assert len(state_of(page)["points"]) == 4


def test_the_colours_can_be_chosen_and_reduced_motion_is_respected(lab):
    page = lab("line", reduced_motion="reduce")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Colours: auto").click()
    page.get_by_role("button", name="Colours: light").click()
    assert page.evaluate(paper) != light
    assert page.evaluate("getComputedStyle(document.querySelector('button')).transitionDuration") in (
        "0s",
        "",
    )


def test_every_link_of_the_lesson_plans_opens_its_chapter_in_a_valid_state(lab, open_page, lab_address):
    page = lab(query="?page=lessons")
    links = page.evaluate(
        "[...document.querySelectorAll('main a[href*=\"chapter=\"]')].map((link) => link.href)"
    )
    assert len(links) > 30
    for link in links:
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_selector("body[data-ready]")
        assert page.locator(".trouble:visible").count() == 0, link
