"""Vowpal Wabbit behind a socket, as its daemon is: a line is an example, the answer is its prediction.

The wheel of Vowpal Wabbit has no daemon, so this is its Python binding in one process that speaks the
daemon's protocol. What was learned ends with the process.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from vowpalwabbit import Workspace

learner = Workspace("--quiet --loss_function hinge --binary")


class Lines(asyncio.Protocol):
    """Answers each line as soon as it is whole, and learns from it if it has a label."""

    def connection_made(self, transport: Any) -> None:
        self._transport, self._rest = transport, b""

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        answers = []
        for line in lines:
            example = learner.parse(line.decode())
            learner.learn(example)
            answers.append(b"%g\n" % example.get_simplelabel_prediction())
            learner.finish_example(example)
        self._transport.write(b"".join(answers))


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Lines, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
