"""The protocol of `rosenblatt serve` made of River and FastAPI; what was learned ends with the process."""

from __future__ import annotations

import itertools
import threading
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from river import linear_model

app = FastAPI()
model = linear_model.Perceptron()
turn = threading.Lock()
waiting: dict[str, tuple[dict[str, float], bool]] = {}
numbers = itertools.count(1)
learned = mistakes = 0


def listed(told: dict[str, Any]) -> list[dict[str, Any]]:
    return told.get("examples", [told])


@app.get("/health")
async def health() -> dict[str, Any]:
    return {"status": "ok", "learned": learned}


@app.post("/answer")
async def answer(request: Request) -> dict[str, Any]:
    answers, ids = [], []
    for each in listed(await request.json()):
        answers.append(bool(model.predict_one(each["x"])))
        ids.append(f"a{next(numbers)}")
        waiting[ids[-1]] = each["x"], answers[-1]
    return {"answers": answers, "ids": ids}


@app.post("/learn")
async def learn(request: Request) -> dict[str, Any]:
    global learned, mistakes
    wrong = 0
    for each in listed(await request.json()):
        wrong += bool(model.predict_one(each["x"])) != (each["y"] > 0)
        model.learn_one(each["x"], each["y"] > 0)
        learned += 1
    mistakes += wrong
    return {"mistakes": wrong, "position": learned}


@app.post("/reveal")
async def reveal(request: Request) -> dict[str, Any]:
    wrong = 0
    for each in listed(await request.json()):
        if each["id"] not in waiting:
            raise HTTPException(404, "no such challenge")
        x, given = waiting.pop(each["id"])
        wrong += given != (each["y"] > 0)
        model.learn_one(x, each["y"] > 0)
    return {"mistakes": wrong}
