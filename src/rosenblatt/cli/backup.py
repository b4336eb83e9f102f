"""`rosenblatt backup`: copy the log of a service, even while the service runs."""

from __future__ import annotations

from importlib import import_module

import click

from rosenblatt.cli.exits import file_must_exist
from rosenblatt.errors import counted


@click.command()
@click.argument("log", metavar="LOG")
@click.argument("folder", metavar="FOLDER")
def backup(log: str, folder: str) -> None:
    """Copy LOG (the log of a service) and its snapshots to FOLDER, and check the copy.

    The copy is a consistent snapshot, even if the service is running. To restore it, copy the files of
    FOLDER to an empty folder and start the service with the log in that folder.

    \b
    Example:
      rosenblatt backup spam.log /backup/2026-11-18
    """
    file_must_exist(log)
    from rosenblatt.cli.quick_start import no_pandas

    with no_pandas():
        import_module("pyarrow")
        from rosenblatt.serve.log_replay import back_up

    n_examples = back_up(log, folder).learned
    click.echo(f"{counted(n_examples, 'example')} copied to {folder} and checked.")
