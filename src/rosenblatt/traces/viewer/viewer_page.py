"""Write a replay as HTML: a complete page, or a section of a larger page.

Titles and names come from untrusted files. They are embedded as JSON that cannot close its script element,
and the viewer inserts them as text only, never as HTML.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from rosenblatt.traces.viewer.bundle import script, style
from rosenblatt.traces.viewer.heads import checked_head

# not allowed in HTML or XML: control characters, lone surrogates, noncharacters
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
MOST_LETTERS = 200  # characters of a title


def replay_page(head: Mapping[str, Any], chunks: Sequence[bytes], title: str = "") -> str:
    """Return a self-contained HTML page with the viewer and the run.

    head and chunks: a run, as returned by `rosenblatt.traces.replay_data.replay`. The same run always gives
    the same text.

    >>> head = {"format": "rosenblatt-replay", "version": 1, "n_steps": 0, "chunk": 2048, "title": "XOR"}
    >>> text = replay_page(head, [], "A </script> of points")
    >>> text.splitlines()[0], text.count("</script>"), "<h1>A &lt;/script&gt; of points</h1>" in text
    ('<!DOCTYPE html>', 2, True)
    """
    named = _printable(title or str(head.get("title", "")) or "Replay of a run")
    section, hashes = replay_section({**head, "title": ""}, chunks)
    allowed = " ".join(f"'{each}'" for each in hashes)
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(named)}: rosenblatt</title>\n</head>\n"
        '<body class="rosenblatt page">\n<main>\n<p class="from">rosenblatt · replay</p>\n'
        f"<h1>{html.escape(named)}</h1>\n{section}</main>\n</body>\n</html>\n"
    )


def replay_section(head: Mapping[str, Any], chunks: Sequence[bytes]) -> tuple[str, list[str]]:
    """Return the replay as a section of a page, and the script hashes for the page's security policy.

    The chunks are compressed, and the viewer decompresses a chunk when one of its steps is shown. Each
    section includes the script. If a page has several sections, only the first run of the script has an
    effect.

    >>> section, hashes = replay_section({"n_steps": 0, "chunk": 2048}, [])
    >>> section.startswith("<style>"), [each[:7] for each in hashes]
    (True, ['sha256-'])
    """
    checked = checked_head(head, chunks)
    coded = [base64.b64encode(packed_chunk(chunk)).decode("ascii") for chunk in chunks]
    packed = "".join(
        f'<script type="application/octet-stream" data-chunk="{number}">{chunk}</script>\n'
        for number, chunk in enumerate(coded)
    )
    mounting = f"\n{script()}mountEmbedded();\n"
    digest = base64.b64encode(hashlib.sha256(mounting.encode("utf-8")).digest()).decode("ascii")
    section = (
        f"<style>\n{style()}</style>\n<div data-rosenblatt-replay>\n"
        "<noscript><p>This replay needs JavaScript, which is turned off here.</p></noscript>\n"
        f'<script type="application/json">{json_in_html(checked)}</script>\n{packed}</div>\n'
        f'<script type="module">{mounting}</script>\n'
    )
    return section, [f"sha256-{digest}"]


def json_in_html(value: Any) -> str:
    """Return a value as JSON that can neither close nor open a script element.

    >>> json_in_html({"title": "</script><!--"})
    '{"title": "\\\\u003c/script\\\\u003e\\\\u003c!--"}'
    """
    text = json.dumps(value, allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def packed_chunk(chunk: bytes) -> bytes:
    """Return a chunk in the compressed form that pages and notebooks store.

    >>> len(packed_chunk(bytes(16384))) < 100
    True
    """
    return zlib.compress(chunk, 6)


def _printable(text: str) -> str:
    shown = UNPRINTABLE.sub("\ufffd", text)
    return shown if len(shown) <= MOST_LETTERS else f"{shown[: MOST_LETTERS - 1]}…"
