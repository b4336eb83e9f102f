"""`rosenblatt serve`, `backup` and `replay`: serve a learner over HTTP, and use the log of a service."""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from typing import Any

import click

from rosenblatt.cli.exits import file_must_exist, refuse_overwriting
from rosenblatt.cli.option_groups import Time, add_options, option
from rosenblatt.cli.setting_options import CommandWithRules, rule_of, settings_from_options, with_settings
from rosenblatt.errors import counted
from rosenblatt.training.settings import SERVICE

NOUNS = {"position": "example", "mistakes": "mistake", "updates": "update"}


@click.command(cls=CommandWithRules)
@click.argument("model", required=False, metavar="[MODEL]")
@add_options([
    option(
        "--log", "log_file", group="Server", metavar="FILE",
        help="Log of all learned examples, in order; created if it does not exist.",
    ),
    option("--host", group="Server", default="127.0.0.1", show_default=True, help="Address to listen on."),
    option(
        "--port", group="Server", type=click.IntRange(0, 65535), default=8766, show_default=True,
        help="Port; 0 for any free port.",
    ),
    option(
        "--follow", group="Server", metavar="URL",
        help="Follow the service at URL: apply its log, give the same predictions, accept no examples.",
    ),
    option(
        "--token-file", group="Server", metavar="FILE",
        help="File with the access token [default: the token in the environment variable "
        "ROSENBLATT_TOKEN]. A token is required unless the host is local.",
    ),
    option(
        "--allow-host", "hosts", group="Server", rare=True, multiple=True, metavar="NAME",
        help="Accept requests addressed to this host name; may be repeated.",
    ),
    option(
        "--certificate", group="Server", rare=True, metavar="FILE", help="TLS certificate; needs --key.",
    ),
    option("--key", group="Server", rare=True, metavar="FILE", help="Private key of the certificate."),
    option(
        "--rate", group="Server", rare=True, type=click.FloatRange(0), default=0.0, metavar="N",
        help="Maximum number of requests per second from one address [default: no limit].",
    ),
    option(
        "--durability", group="Server", rare=True, type=click.Choice(["full", "normal"]), default="full",
        show_default=True,
        help="full = acknowledged examples survive a power failure; normal = a power failure may lose the "
        "most recent examples.",
    ),
    option(
        "--every", group="Server", rare=True, type=Time(), default="60s", show_default=True,
        help="Time between snapshots.",
    ),
    option(
        "--after", group="Server", rare=True, type=click.IntRange(1), default=1_000_000, show_default=True,
        metavar="N", help="Maximum number of examples between snapshots.",
    ),
    option(
        "--cut/--no-cut", group="Server", rare=True, default=False, show_default=True,
        help="Delete log entries older than the second-to-last snapshot.",
    ),
    option(
        "--accept-loss", group="Server", rare=True, is_flag=True,
        help="Start even if the end of the log, or the record of its length, is lost. The service "
        "continues from the remaining entries and renames newer snapshots.",
    ),
])  # fmt: skip
@with_settings(SERVICE)
def serve(model: str | None, log_file: str | None, follow: str | None, **options: Any) -> None:
    """Serve MODEL, or a new learner, over HTTP, for prediction and learning at the same time.

    An example is acknowledged once it has been written to disk and the weights have been updated. After a
    crash, the same command restores the same weights from the last snapshot and the log. To see a status
    page, open the address of the service in a browser.

    \b
    Examples:
      rosenblatt serve model.safetensors --log spam.log
      rosenblatt serve --log mails.log --classes ham,spam --keep averaged
      curl -H 'content-type: application/json' -d '{"x": "free money", "y": "spam"}' localhost:8766/learn
      curl -H 'content-type: application/json' -d '{"x": "free money"}' localhost:8766/answer
      rosenblatt serve --follow http://127.0.0.1:8766 --port 8767
    """
    from rosenblatt.cli.quick_start import collect_as_ever
    from rosenblatt.serve.address import Address, read_token
    from rosenblatt.serve.http_server import run

    _load_pyarrow()
    collect_as_ever()
    for path in (options["token_file"], options["certificate"], options["key"]):
        if path is not None:
            file_must_exist(path)
    address = Address(
        options["host"], options["port"], read_token(options["token_file"]), options["hosts"],
        options["certificate"], options["key"], options["rate"],
    )  # fmt: skip
    if follow is not None:
        if model is not None or log_file is not None:
            raise click.UsageError("--follow: the leader provides the model and the log; omit both")
        from rosenblatt.serve.follower import Follower

        run(lambda: Follower(follow, address.token), address, _say)
        return
    if log_file is None:
        raise click.UsageError(
            "--log: give a log file; the service writes each example to disk before it learns from it"
        )
    run(lambda: _leader(model, log_file, options), address, _say)


def _load_pyarrow() -> None:
    """Load pyarrow now, so that the first request does not wait for it, and without pandas."""
    from rosenblatt.cli.quick_start import no_pandas

    with no_pandas():
        import_module("pyarrow")


def _say(text: str) -> None:
    click.echo(text, err=True)


def _leader(model: str | None, log_file: str, options: dict[str, Any]) -> Any:
    from rosenblatt.serve.service import open_service

    begin, fingerprint = _beginning(model, options)
    return open_service(
        log_file, begin, fingerprint, options["durability"], _say, every=options["every"],
        after=options["after"], cuts=options["cut"], accept_loss=options["accept_loss"],
    )  # fmt: skip


def _beginning(model: str | None, options: dict[str, Any]) -> tuple[Any, str]:
    """Return a function that creates the model for a new log, and a description that identifies it."""
    from rosenblatt.models.loaded import LoadedLearner, open_learner
    from rosenblatt.training.online.learner import Learner

    given, rule = settings_from_options(SERVICE, options), options["rule"] or "rosenblatt"
    if model is not None:
        if given or options["rule"] or options["assigned"]:
            raise click.UsageError(
                "MODEL: the model has its own settings; omit --rule, --keep and the other settings"
            )
        file_must_exist(model)
        with open(model, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return lambda: open_learner(model), f"a file with digest {digest[:16]}"
    if not given and not options["rule"]:
        fingerprint = ""
    else:
        texts = {name: ",".join(value) if name == "classes" else value for name, value in given.items()}
        stated = [f"{name}={text}" for name, text in sorted(texts.items())]
        fingerprint = " ".join(["settings", rule, *options["assigned"], *stated])
    return (lambda: LoadedLearner(Learner(rule=rule_of(rule, options["assigned"]), **given))), fingerprint


# ---------------------------------------------------------------- logs


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
    _load_pyarrow()
    from rosenblatt.serve.recovery import back_up

    n_examples = back_up(log, folder).learned
    click.echo(f"{counted(n_examples, 'example')} copied to {folder} and checked.")


@click.command()
@click.argument("log", metavar="LOG")
@click.option("--out", metavar="MODEL", help="Write the model to this file (.safetensors).")
@click.option(
    "--upto",
    type=click.IntRange(0),
    metavar="N",
    help="Last log position to include [default: the end of the log].",
)
@click.option(
    "--from",
    "first",
    type=click.IntRange(1),
    metavar="N",
    help="Also print the numbers of examples, mistakes and updates, and the error, from this position on.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def replay(log: str, out: str | None, upto: int | None, first: int | None, as_json: bool) -> None:
    """Rebuild, bit for bit, the model that a service had at some position of its log LOG.

    The whole log is checked, and damage is an error. With --upto N, damage after position N is only a
    warning, so everything before a damaged entry can be recovered. You need not stop the service.

    \b
    Examples:
      rosenblatt replay spam.log --out model.safetensors
      rosenblatt replay spam.log --upto 12000 --from 11000
    """
    file_must_exist(log)
    refuse_overwriting("--out", out, [log])
    _load_pyarrow()
    from rosenblatt.serve.log_files import belongs_to_log
    from rosenblatt.serve.recovery import rebuild_model

    if out is not None and belongs_to_log(log, out):
        raise click.UsageError(f"--out: {out} is a file of the log; give another name")
    recovered, stretch = rebuild_model(log, upto, first, lambda text: _say(f"Warning: {text}"))
    if out is not None:
        recovered.model.save(out)
    facts = {**recovered.facts(), "stretch": stretch}
    click.echo(json.dumps(facts) if as_json else _in_words(facts, out))


def _in_words(facts: dict[str, Any], out: str | None) -> str:
    counts = (counted(facts[name], noun) for name, noun in NOUNS.items())
    lines = [", ".join(counts)]
    for line in facts["stretch"]:
        lines.append(
            f"  {line['from']:>10,} … {line['upto']:<10,}  {line['mistakes']:>8,} mistakes "
            f"{line['updates']:>8,} updates   error {line['error']:.4f}"
        )
    if out is not None:
        lines.append(f"Model written to {out}.")
    return "\n".join(lines)
