"""The address of a service and its access rules."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from rosenblatt.errors import BadInput

LOCAL = ("127.0.0.1", "localhost", "::1")
TOKEN = "ROSENBLATT_TOKEN"
SHORTEST_TOKEN = 16


def read_token(path: str | None) -> str | None:
    """Return the access token from a file or an environment variable, or None.

    There is no command-line option for the token itself, because other users can read command lines.
    """
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
class Address:
    """Define where a service listens and who has access.

    `hosts` contains additional host names that requests may use.
    """

    host: str = "127.0.0.1"
    port: int = 8766
    token: str | None = None
    hosts: tuple[str, ...] = ()
    certificate: str | None = None
    key: str | None = None
    rate: float = 0.0  # requests per second and client; 0 means no limit

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

    def host_names(self) -> set[str] | None:
        """Return the allowed values of the Host header, or None if every value is allowed.

        Every value is allowed if the service listens on all interfaces, since it then requires a token.
        """
        if self.hosts:
            given = {name for host in self.hosts for name in (host, f"{host}:{self.port}")}
            return given | {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        if self.host in ("0.0.0.0", "::"):
            return None
        own = (
            {self.host, f"[{self.host}]"} if self.host not in LOCAL else {"127.0.0.1", "localhost", "[::1]"}
        )
        return {f"{name}:{self.port}" for name in own}
