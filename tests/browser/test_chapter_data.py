"""Your data, as a person uses it: dropped, chosen by keys, seen from another side, opened elsewhere."""

from __future__ import annotations

import json
from urllib.parse import unquote

SPAM = "words,links,kind\n" + "".join(
    f"{i * 3 % 17},{i * i % 13 + 20 * (i % 2)},{['ham', 'spam'][i % 2]}\n" for i in range(40)
)
DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    const given = { dataTransfer: files, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent(kind, given));
  }
}"""


def drop_file(lab, text, name="mail.csv"):
    lab.after(lambda: lab.page.evaluate(DROP, [name, text]))


def alert(lab):
    return lab.page.locator(".drop [role=alert]")


def test_a_dropped_file_is_drawn_and_opens_in_another_chapter(lab_page, store):
    lab = lab_page("data")
    asked = []
    lab.page.on("request", lambda request: asked.append(request.url))
    drop_file(lab, SPAM)
    assert lab.field("Label").input_value() == "kind"
    assert lab.caption.startswith("mail.csv: 40 rows, 3 columns. + is spam (20 rows), − is ham (20 rows).")
    assert lab.numbers["separable"] is True
    store(lab.page, "lab-data-dropped")
    link = lab.page.locator(".opens a", has_text="Step by step")
    carried = json.loads(unquote(link.get_attribute("href").partition("#")[2]))
    assert carried["points"] == lab.numbers["points"]
    points = lab.numbers["points"]
    link.click()
    lab.page.wait_for_selector("section.replay")
    assert (lab.ready().state["points"], lab.numbers["separated"]) == (points, True)
    assert {url.split("/")[2] for url in asked} == {lab.page.url.split("/")[2]}, (
        "nothing leaves the machine"
    )


def test_a_file_is_chosen_and_seen_from_another_side_by_keys(lab_page, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text(
        "a,b,c,kind\n" + "".join(f"{i * 7 % 11},{i * 5 % 13},{i % 3},{'xyz'[i % 3]}\n" for i in range(33))
    )
    lab = lab_page("data")
    lab.page.locator("#own-file").focus()
    lab.after(lambda: lab.page.locator("#own-file").set_input_files(path))
    lab.field("Class +").focus()
    lab.key("ArrowDown")
    assert lab.changes["positive"] == "y"
    lab.field("Axes").focus()
    lab.key("ArrowDown")
    assert not lab.field("Horizontal axis").is_visible()
    assert "The horizontal axis is w·x" in lab.caption
    assert (len(lab.numbers["points"]), lab.numbers["labels"].count(1)) == (33, 11)
    link = lab.page.url
    lab.page.reload()
    assert (lab.ready().page.url, lab.state["axes"]) == (link, "projection")


def test_trouble_is_reported_and_the_label_can_be_chosen(lab_page, store, serious):
    lab = lab_page("data", dark=True, phone=True)
    drop_file(lab, "kind,a,b\n" + "".join(f"{'xy'[i % 2]},{i * i % 97},{i / 7:.3f}\n" for i in range(40)))
    assert "beside the label, 'b', there is only one, 'a'; choose another Label" in alert(lab).inner_text()
    assert serious(lab.page) == []
    store(lab.page, "lab-data-trouble")
    lab.choose("Label", "kind")
    assert alert(lab).is_hidden()
    assert len(lab.numbers["points"]) == 40
    drop_file(lab, "a,b\n")
    assert "there are no rows, only a header line" in lab.trouble.inner_text()
    lab.press("Use the example")
    assert lab.trouble.is_hidden()
    assert lab.overflow <= 0


def test_a_file_that_is_too_large_is_not_even_sent(lab_page):
    lab = lab_page("data")
    asked = []
    lab.page.on("request", lambda request: asked.append(request.url))
    lab.page.evaluate(DROP.replace("[text], name", "[new Uint8Array(20_000_001)], name"), ["big.csv", ""])
    alert(lab).wait_for()
    assert "big.csv is 21 MB; this page reads up to 20 MB" in alert(lab).inner_text()
    assert asked == []
