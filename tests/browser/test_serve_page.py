"""The status page of a service in a browser, on a large screen and on a phone."""

from __future__ import annotations

import numpy as np

from rosenblatt import Client, Learner
from tests.browser.conftest import PHONE
from tests.serve.serving import leader, listen


def teach(client, n, noise=False):
    """Learn mails whose words determine their labels, or, with noise, random labels."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["ham", "spam"], n)
    X = [{f"word{j}": 1, kind: 1} for j, kind in zip(rng.integers(0, 20, n), labels, strict=True)]
    client.learn_many(X, rng.choice(["ham", "spam"], n) if noise else labels)


def test_the_page_shows_what_is_learned_and_raises_the_alarm(open_page, store, serious, tmp_path):
    with listen(lambda: leader(tmp_path / "log", Learner(classes=["ham", "spam"]))) as url:
        client = Client(url)
        teach(client, 500)
        page = open_page(url)
        page.wait_for_selector("text=500 examples learned")
        assert page.locator("#alarm").is_hidden()
        ((name, _),) = client.challenge([{"word1": 1, "word2": 1}])
        client.reveal_later({name: "spam"})
        page.wait_for_selector("text=501 examples learned")  # without a touch
        assert page.locator("#last tbody tr").first.inner_text().startswith("reveal")
        teach(client, 1000, noise=True)
        page.wait_for_selector("#alarm:not([hidden])")
        assert "Errors increased at example" in page.locator("#alarm").inner_text()
        assert "Page–Hinkley" in page.locator("#test").inner_text()
        store(page, "serve")
        assert serious(page) == []
        phone = open_page(url, dark=True, **PHONE)
        phone.wait_for_selector("text=1,501 examples learned")
        assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        store(phone, "serve-phone-dark")
        assert serious(phone, colours_only=True) == []
        page.close()
        phone.close()
        client.close()
