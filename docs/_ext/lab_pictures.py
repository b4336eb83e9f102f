"""Draw the picture of each chapter of the lab with Debian's chromium: `make lab-pictures`."""

from __future__ import annotations

import re
import shutil
import threading
from pathlib import Path

from rosenblatt.course.lab import static_site

FOLDER = Path(static_site.__file__).parent / "site" / "pictures"
SIZE = {"width": 1000, "height": 900}
SCENES = {
    "steps": {"step": 4},
    "averaging": {"step": 5},
    "errors": {"step": 6},
    "realizable": {"step": 3},
    "sure": {"step": 12},
    "teacher": {"side": "watch", "margin": 0.1, "features": 2, "step": 30},
    "xor": {"method": "polynomial", "step": 8},
    "data": {"positive": "versicolor", "x": "petal_length", "y": "petal_width"},
}
"""The state of a picture, if the initial state is not a good one."""

DRAW = """async () => {
  const { svgOf } = await import(new URL("shell/pictures.js", document.baseURI));
  const [spec] = lab.scene.planes;
  const plane = lab.view.planes.get(spec.key);
  return svgOf(plane, lab.painter(spec), spec.label);
}"""


def main() -> None:
    """Write the pictures of all chapters into the folder ``pictures`` of the site."""
    import json
    from urllib.parse import quote

    from playwright.sync_api import sync_playwright

    index = static_site.site_files()["chapters/index.js"].decode()
    keys = re.findall(r'key: "(\w+)", title: "[^"]+", about', index)
    FOLDER.mkdir(exist_ok=True)
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    with static_site.make_server(0) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        for key in keys:
            page = browser.new_page(viewport=SIZE)
            state = quote(json.dumps(SCENES.get(key, {})))
            page.goto(f"http://127.0.0.1:{server.server_port}/?chapter={key}#{state}")
            page.wait_for_selector("body[data-ready]")
            page.wait_for_timeout(400)
            page.add_style_tag(
                content=".lab { display: block !important } .side, .small { display: none !important } "
                ".planes { display: block !important } .rosenblatt .plane { width: 480px; height: 345px }"
            )
            page.wait_for_timeout(300)
            (FOLDER / f"{key}.svg").write_text(page.evaluate(DRAW), encoding="utf-8")
            page.close()
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
