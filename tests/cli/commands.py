"""Every command once, in an order in which each finds its files, and the files to begin with."""

from __future__ import annotations

FILES = {
    "rows.csv": "size,says,kind\n" + "1,no more of this please,a\n2,more of it please do,b\n" * 20,
    "numbers.csv": "a,b,kind\n1,2,x\n3,1,y\n2,5,x\n4,0,y\n",
}
WORK = (
    "demo", "fit rows.csv --out m.safetensors", "predict m.safetensors rows.csv",
    "evaluate m.safetensors rows.csv", "inspect m.safetensors",
    "explain m.safetensors rows.csv", "suspects rows.csv",
    "tune rows.csv --epochs 2", "separate numbers.csv --proof p.json", "verify p.json numbers.csv",
    "trace --example 003-cycle --html t.html", "convert numbers.csv n.parquet", "warm-up", "replay --help",
    "backup --help", "lab --build site",
)  # fmt: skip
NEED_AN_EXTRA = {
    "fit numbers.csv --report r.html --quiet": "report",
    "export m.safetensors --onnx m.onnx": "onnx",
    "serve --log s.log": "serve",
}
EXTRAS = (
    *("pandas", "polars", "matplotlib", "anywidget", "IPython"),
    *("jinja2", "onnx", "starlette", "uvicorn", "torch"),
)
"""What a plain `pip install` does not bring."""
