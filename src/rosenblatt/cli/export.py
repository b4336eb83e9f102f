"""`rosenblatt export`: convert a model for another runtime."""

from __future__ import annotations

from typing import Literal

import click

from rosenblatt.cli.exits import file_must_exist, refuse_overwriting


@click.command()
@click.argument("model", metavar="MODEL")
@click.option("--onnx", metavar="FILE", required=True, help="Write the ONNX model to this file.")
@click.option(
    "--input-type",
    type=click.Choice(["float64", "float32"]),
    default="float64",
    show_default=True,
    help="Input type of the exported model.",
)
def export(model: str, onnx: str, input_type: Literal["float64", "float32"]) -> None:
    """Convert MODEL to ONNX, for onnxruntime and other runtimes.

    Requires the extra `onnx`: pip install 'rosenblatt[onnx]'.

    \b
    Example:
      rosenblatt export flowers.safetensors --onnx flowers.onnx
    """
    from rosenblatt.models.onnx import to_onnx
    from rosenblatt.models.saving import load

    file_must_exist(model)
    refuse_overwriting("--onnx", onnx, [model])
    try:
        proto = to_onnx(load(model), onnx, input_type=input_type)
    except OSError as error:
        raise click.FileError(onnx, error.strerror or str(error)) from error
    names = [output.name for output in proto.graph.output]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    click.echo(f"Model written to {onnx}: input X ({input_type}), outputs {listed}.")
