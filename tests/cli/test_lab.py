"""`rosenblatt lab`: it starts, answers this machine, and ends at Ctrl-C."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from click.testing import CliRunner

from rosenblatt.cli.exits import BAD_DATA
from rosenblatt.cli.main import main
from tests.patience import HANGS

COMMAND = [sys.executable, "-m", "rosenblatt.cli.main", "lab", "--no-browser"]


@pytest.mark.usefixtures("interruptible")
def test_the_lab_answers_and_ends_at_ctrl_c():
    process = subprocess.Popen([*COMMAND, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        lines = []
        while not lines or "The lab is running at" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], "the lab ended before it began"
        assert lines[0].startswith("Preparing chapter 1 of 11")
        address = lines[-1].split()[5]
        with urllib.request.urlopen(address, timeout=HANGS) as page:
            assert b"The rosenblatt lab" in page.read()
        request = urllib.request.Request(
            f"{address}api/line", json.dumps({"b": 1}).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=HANGS) as response:
            assert json.load(response)["numbers"]["scores"] == [7.0, 7.0, 1.0, 13.0]
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS) in (0, 130)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def test_a_port_that_is_taken_is_reported_before_anything_is_computed():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(main, ["lab", "--no-browser", "--port", port])
    assert result.exit_code == BAD_DATA
    assert f"port {port}: address already in use; give another with --port" in result.stderr
    assert result.stdout == ""
