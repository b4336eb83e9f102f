"""The address of a service and its access rules."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from rosenblatt.errors import BadInput

LOCAL = ("127.0.0.1", "localhost", "::1")
TOKEN = "ROSENBLATT_TOKEN"
SHORTEST_TOKEN = 16


def token_of(path: str | None) -> str | None:
    """The token in a file, or in the environment; never of the command line, which everybody can read."""
    if path is None:
        found = os.environ.get(TOKEN)
    else:
        with open(path, encoding="utf-8") as file:
            if os.name != "nt" and stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o044:
                raise BadInput(f"{path}: others can read the token; run chmod 600 on it")
            found = file.read().strip()
    if found is not None and (
        len(found) < SHORTEST_TOKEN or not found.isascii() or not found.isprintable()
    ):
        raise BadInput(
            f"{path or TOKEN}: the token must have at least {SHORTEST_TOKEN} printable ASCII characters; "
            "make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return found


@dataclass(frozen=True)
class Door:
    """Where the service listens and whom it lets in. hosts: names by which it may be called."""

    host: str = "127.0.0.1"
    port: int = 8766
    token: str | None = None
    hosts: tuple[str, ...] = ()
    certificate: str | None = None
    key: str | None = None
    rate: float = 0.0  # requests a second of one address; 0: as many as it likes

    def check(self) -> None:
        if self.host not in LOCAL and self.token is None:
            raise BadInput(
                f"host: {self.host} can be reached from other machines, so a token is needed: give "
                f"--token-file FILE, or set {TOKEN}"
            )
        if (self.certificate is None) != (self.key is None):
            raise BadInput("certificate: TLS needs a certificate and its key; give both")

    @property
    def scheme(self) -> str:
        return "http" if self.certificate is None else "https"

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def names(self) -> set[str] | None:
        """What Host may say; None: anything, where it listens everywhere and has a token."""
        if self.hosts:
            given = {name for host in self.hosts for name in (host, f"{host}:{self.port}")}
            return given | {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        if self.host in ("0.0.0.0", "::"):
            return None
        own = (
            {self.host, f"[{self.host}]"} if self.host not in LOCAL else {"127.0.0.1", "localhost", "[::1]"}
        )
        return {f"{name}:{self.port}" for name in own}
