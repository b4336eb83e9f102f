"""`rosenblatt serve`: a learner that answers while it learns."""

from __future__ import annotations

import hashlib
from importlib import import_module
from typing import Any

import click

from rosenblatt.cli.exits import file_must_exist
from rosenblatt.cli.setting_options import RuleName, WithRules


@click.command(cls=WithRules)
@click.argument("model", required=False, metavar="[MODEL]")
@click.option(
    "--log", "log_file", metavar="FILE", help="What was learned, in order; made if it is not there."
)
@click.option("--follow", metavar="URL", help="Answer as the service there, by its log; learn nothing.")
@click.option(
    "--rule", type=RuleName(), help="Of a new learner: how w changes, see below.  [default: rosenblatt]"
)
@click.option("--set", "assigned", multiple=True, metavar="NAME=VALUE", help="A parameter of the rule.")
@click.option(
    "--keep", type=click.Choice(["last", "averaged", "voted", "pocket"]), help="Of a new learner."
)
@click.option(
    "--multiclass",
    type=click.Choice(["one_vs_rest", "ultraconservative"]),
    help="Of a new learner of any number of classes, which may come at any time.",
)
@click.option("--classes", metavar="NAMES", help="Of a new learner: its classes, with commas between them.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where; another than local takes a token."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8766, show_default=True, help="0: any that is free."
)
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="A name it may be called by.")
@click.option("--token-file", metavar="FILE", help="The token; else the environment's ROSENBLATT_TOKEN.")
@click.option("--certificate", metavar="FILE", help="For TLS, with --key.")
@click.option("--key", metavar="FILE", help="Of the certificate.")
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=0.0,
    metavar="N",
    help="Requests a second of one address; 0: as many as it likes.",
)
@click.option(
    "--durability",
    type=click.Choice(["full", "normal"]),
    default="full",
    show_default=True,
    help="full: on the disk before it is acknowledged; normal: a power cut may take the last of it.",
)
@click.option("--every", default="60s", show_default=True, metavar="TIME", help="Between snapshots.")
@click.option(
    "--after",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Examples after which there is a snapshot all the same.",
)
@click.option("--cut/--no-cut", default=False, help="Cut the log behind the last snapshot but one.")
def serve(model: str | None, log_file: str | None, follow: str | None, **options: Any) -> None:
    """Serve MODEL, or a new learner: answers, and learns from what is revealed, by HTTP and JSON.

    An example is acknowledged when it is on the disk and in the weights. After any crash the same command
    goes on with the same bits: the last snapshot and the log behind it. The page at the address shows it.

    \b
    Examples:
      rosenblatt serve model.safetensors --log spam.log
      rosenblatt serve --log mails.log --classes ham,spam --keep averaged
      curl -H 'content-type: application/json' -d '{"x": "free money", "y": "spam"}' localhost:8766/learn
      rosenblatt serve --follow http://127.0.0.1:8766 --port 8767
    """  # fmt: skip
    from rosenblatt.cli.quick_start import collect_as_ever, no_pandas

    with no_pandas():
        import_module("pyarrow")  # else the first request would wait for it, and for pandas
        from rosenblatt.serve.door import Door, token_of
        from rosenblatt.serve.running import run

    collect_as_ever()
    for path in (options["token_file"], options["certificate"], options["key"]):
        if path is not None:
            file_must_exist(path)
    door = Door(
        options["host"], options["port"], token_of(options["token_file"]), options["hosts"],
        options["certificate"], options["key"], options["rate"],
    )  # fmt: skip
    if follow is not None:
        if model is not None or log_file is not None:
            raise click.UsageError("--follow: the model and the log are the leader's; leave them out")
        from rosenblatt.serve.follower import Follower

        run(lambda: Follower(follow, door.token), door, _say)
        return
    if log_file is None:
        raise click.UsageError("--log: give the file of the log; what is not on the disk is not learned")
    run(lambda: _leader(model, log_file, options), door, _say)


def _say(text: str) -> None:
    click.echo(text, err=True)


def _leader(model: str | None, log_file: str, options: dict[str, Any]) -> Any:
    from rosenblatt.cli.fitting import seconds
    from rosenblatt.serve.app import Leader
    from rosenblatt.serve.service import open_service

    begin, fingerprint = _beginning(model, options)
    every = seconds(options["every"], "--every")
    service = open_service(
        log_file, begin, fingerprint, options["durability"], _say, every=every,
        after=options["after"], cuts=options["cut"],
    )  # fmt: skip
    service.start()
    return Leader(service)


def _beginning(model: str | None, options: dict[str, Any]) -> tuple[Any, str]:
    """What makes the model that a new log begins with, and what it is."""
    from rosenblatt.serve.served import OfLearner, open_served

    names = ("keep", "multiclass", "classes")
    asked = {name: options[name] for name in names if options[name] is not None}
    if model is not None:
        if asked or options["rule"] or options["assigned"]:
            raise click.UsageError("MODEL: has its settings; leave out --rule, --keep and the others")
        file_must_exist(model)
        with open(model, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return lambda: open_served(model), f"a file with digest {digest[:16]}"
    if not asked and not options["rule"]:
        return (lambda: OfLearner(_learner(options, asked))), ""
    return (lambda: OfLearner(_learner(options, asked))), f"settings {_told(options, asked)}"


def _learner(options: dict[str, Any], asked: dict[str, Any]) -> Any:
    from rosenblatt.cli.setting_options import rule_of
    from rosenblatt.learning.online.learner import Learner

    given = {**asked, "classes": asked["classes"].split(",")} if "classes" in asked else asked
    rule = rule_of(options["rule"] or "rosenblatt", options["assigned"])
    return Learner(rule=rule, **given)


def _told(options: dict[str, Any], asked: dict[str, Any]) -> str:
    rule = [options["rule"] or "rosenblatt", *options["assigned"]]
    return " ".join([*rule, *(f"{name}={value}" for name, value in sorted(asked.items()))])
