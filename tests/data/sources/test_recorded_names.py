"""Names of hashed features reach the model by every way of reading the rows."""

from __future__ import annotations

import pytest

from rosenblatt import Perceptron, load, read, save
from rosenblatt.data.sources import cache
from rosenblatt.data.sources.cache import Cached
from rosenblatt.data.sources.feature_names import NameRecorder
from rosenblatt.errors import BadInput

ROWS = [
    f"{'good' if k % 3 else 'bad'} film {k % 7},{'Rome' if k % 2 else 'Oslo'},{'+' if k % 3 else '-'}"
    for k in range(200)
]
NAMES = {"mail=good", "mail=bad", "mail=film", "city=Rome", "city=Oslo"}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "AT_REST", -1.0)  # files of a test are young
    path = tmp_path / "mails.csv"
    path.write_text("mail,city,label\n" + "\n".join(ROWS) + "\n")
    return str(path)


def rows(file):
    return read(file, target="label", text=["mail"])


def fitted(file, **options):
    model = Perceptron(rule="passive_aggressive_1", epochs=2, keep="averaged", random_state=0)
    return model.fit_stream(rows(file), **options)


def test_a_streamed_model_names_its_hashed_features_and_keeps_its_weights(file, tmp_path):
    model, unnamed = fitted(file), fitted(file, names="none")
    assert model.weights_by_name().keys() >= NAMES
    assert not NAMES & unnamed.weights_by_name().keys()
    assert model.coef_.tobytes() == unnamed.coef_.tobytes()
    save(model, tmp_path / "m.safetensors")
    assert load(tmp_path / "m.safetensors").weights_by_name() == model.weights_by_name()
    assert set(model.fit_stream(rows(file), names="none").weights_by_name()).isdisjoint(NAMES)


def test_a_streamed_model_counts_the_rows_with_each_feature_once(file):
    model = fitted(file)
    named = {feature: j for j, feature in enumerate(_names(model))}
    counts = model._vocabulary.row_counts(model.n_features_in_)
    assert counts[named["city=Rome"]] == 100
    assert counts[named["mail=good"]] == sum("good" in row for row in ROWS)


def _names(model):
    from rosenblatt.data.sources.naming import FeatureNames

    found = FeatureNames(model.reading_, None, model._vocabulary).of(range(model.n_features_in_))
    return [feature.name for feature in found.values()]


def test_a_resumed_stream_knows_the_names_of_the_rows_before(file, tmp_path):
    path = str(tmp_path / "run.checkpoint")

    def stop(epoch):
        raise KeyboardInterrupt

    model = Perceptron(
        rule="passive_aggressive_1", epochs=2, keep="averaged", random_state=0, callbacks=[stop]
    )
    with pytest.raises(KeyboardInterrupt):
        model.fit_stream(rows(file), checkpoint=path)
    resumed = fitted(file, checkpoint=path)
    assert resumed.weights_by_name() == fitted(file).weights_by_name()
    counts = [each._vocabulary.rows.tolist() for each in (resumed, fitted(file))]
    assert counts[0] == counts[1]


def test_a_cache_holds_the_names(file, tmp_path):
    path = str(tmp_path / "rows.arrow")
    first = fitted(file, cache=path)
    assert Cached(rows(file), path).is_warm
    assert fitted(file, cache=path).weights_by_name() == first.weights_by_name()


def test_a_cache_without_names_is_written_again_if_they_are_wanted(file, tmp_path):
    path = str(tmp_path / "rows.arrow")
    fitted(file, cache=path, names="none")
    source = Cached(rows(file), path)
    assert source.is_warm
    source.store_names(NameRecorder())
    assert not source.is_warm
    assert fitted(file, cache=path).weights_by_name() == fitted(file).weights_by_name()


def test_damaged_names_in_a_cache_are_reported(file, tmp_path):
    path = str(tmp_path / "rows.arrow")
    fitted(file, cache=path)
    content = bytearray((tmp_path / "rows.arrow").read_bytes())
    at = content.rindex(b"\x28\xb5\x2f\xfd")  # where a zstd frame begins
    content[at : at + 12] = bytes(12)
    (tmp_path / "rows.arrow").write_bytes(content)
    with pytest.raises(BadInput, match=r"cache is damaged .*; remove it"):
        fitted(file, cache=path)
