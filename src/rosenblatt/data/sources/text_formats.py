"""Parsers for text, derived from its first bytes and the options: one function for each format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.data.sources.formats import FORMATS, import_function
from rosenblatt.data.sources.hashing import BITS
from rosenblatt.data.sources.text_files import TextFormat
from rosenblatt.errors import BadInput

if TYPE_CHECKING:
    from rosenblatt.data.sources.reading import Options
    from rosenblatt.data.sources.table_fields import FieldFeatures


class TextHead(NamedTuple):
    """Hold the first bytes of a text and everything else that determines how the text is read.

    `like` is the reading settings of a model, or None. `sample` holds lines from the rest of the text.
    """

    form: str
    head: bytes
    name: str
    options: Options
    like: Mapping[str, Any] | None = None
    sample: bytes = b""

    def columns_of_model(self) -> FieldFeatures | None:
        """Return the columns that a model has learned from, or None if they are to be inferred."""
        from rosenblatt.data.sources.arrow_source import fields_of
        from rosenblatt.data.sources.table_fields import FieldFeatures

        if self.like is None or "columns" not in self.like:
            return None
        columns = fields_of(None, self.options, self.like, self.name)
        assert isinstance(columns, FieldFeatures)
        return columns


def open_text(text: TextHead) -> TextFormat:
    """Return the parser for all blocks and files, determined by the first bytes of the text."""
    form, name, options, like = text.form, text.name, text.options, text.like
    if options.delimiter and form not in ("csv", "tsv"):
        raise BadInput(f"{name}: delimiter: {form} text has its own; leave it out, or give format='csv'")
    if not FORMATS[form].has_columns:
        if options.target is not None:
            raise BadInput(
                f"{name}: target: got {options.target!r}, but in {form} the label comes first in each "
                "line; leave it out"
            )
        if like is not None and "columns" in like:
            raise BadInput(
                f"{name}: is {form} text, but the model was trained on a table with columns; give a table"
            )
    parser: TextFormat = import_function(FORMATS[form].read)(text)
    return parser


def open_svmlight(text: TextHead) -> TextFormat:
    from rosenblatt.data.sources.svmlight import SvmlightText, first_index_of

    first = text.options.first_index
    return SvmlightText(first_index_of(text.head) if first is None else first)


def open_vw(text: TextHead) -> TextFormat:
    from rosenblatt.data.sources.vw import VwText

    return VwText(BITS if text.options.bits is None else text.options.bits)


def open_delimited(text: TextHead) -> TextFormat:
    from rosenblatt.data.sources.delimited_inference import infer_delimited, like_delimited
    from rosenblatt.data.sources.dialect import Dialect

    form, head, name, options, like, sample = text
    if re.match(rb"\s*[\[{]\s*[{\"]", head):
        raise BadInput(f"{name}: holds JSON, not csv; name it .jsonl, or give format='jsonl'")
    delimiter = options.delimiter or (b"\t" if form == "tsv" else None)
    if like is not None and (columns := text.columns_of_model()) is not None:
        known = Dialect.from_settings(like["dialect"]) if "dialect" in like else None
        return like_delimited(columns, head, name, delimiter, options.header, known)
    if like is not None and like.get("format") in FORMATS and not FORMATS[like["format"]].has_columns:
        raise BadInput(
            f"{name}: is a table, but the model was trained on {like['format']} text; give such text"
        )
    return infer_delimited(head, name, delimiter, options.header, sample=sample, **options.of_columns())


def open_json(text: TextHead) -> TextFormat:
    from rosenblatt.data.sources.json_lines import infer_json, like_json

    if (columns := text.columns_of_model()) is None:
        return infer_json(text.head, text.name, **text.options.of_columns())
    return like_json(columns, text.head, text.name)


def open_fasttext(text: TextHead) -> TextFormat:
    from rosenblatt.data.sources.fasttext import infer_fasttext, like_fasttext

    if (columns := text.columns_of_model()) is None:
        return infer_fasttext(text.head, text.name, **text.options.of_columns())
    return like_fasttext(columns, text.name)
