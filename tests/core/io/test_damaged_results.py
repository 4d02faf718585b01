"""Files of results that are damaged: each is refused with its name, or read as it is."""

import copy
import json
import os
import warnings

import numpy as np
import pytest

import lexiframe as lf

NOW = "2025-01-01T00-00-00.1"
STAT = {"name": {"name": "em", "split": "test"}, "count": 2, "sum": 1.0, "mean": 0.5}
FILES = {
    "MTEB": {
        "a/r/model_meta.json": {"name": "org/a"},
        "a/r/T.json": {
            "task_name": "T", "mteb_version": "2.0.0",
            "scores": {"test": [{"main_score": 0.5, "hf_subset": "en", "languages": ["eng-Latn"]},
                                {"main_score": 0.25, "hf_subset": "de", "languages": ["deu"]}]},
        },
    },
    "BEIR": {"bm25/scifact.json": {"ndcg": {"NDCG@10": 0.5}, "map": {"MAP@10": 0.25}}},
    "HELM": {
        "m/run_spec.json": {"name": "law:model=o_a", "adapter_spec": {"model": "o/a"}},
        "m/stats.json": [STAT],
        "m/per_instance_stats.json": [
            {"instance_id": "id1", "train_trial_index": 0, "stats": [STAT]},
            {"instance_id": "id2", "stats": [STAT, {**STAT, "name": {"name": "f1"}}]},
        ],
    },
    "lm-evaluation-harness": {
        f"m/results_{NOW}.json": {
            "results": {"arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": "N/A"},
                        "all": {"acc,none": 0.5}},
            "group_subtasks": {"all": ["arc"], "arc": []},
            "config": {"model": "hf", "model_args": {"pretrained": "org/a"}},
        },
        f"m/samples_arc_{NOW}.jsonl": {
            "doc_id": 1, "filter": "none", "metrics": ["acc", "f1"], "acc": 1.0, "f1": 0.5,
        },
    },
}  # fmt: skip
DAMAGES = [None, True, 5, -1.5, 10**400, float("inf"), "text", "", [], [None], {}, {"x": []}, [[]]]
FIRST = '{"ndcg": {"NDCG@10": '


def places(value, at=()):
    """The places in a value of JSON, its whole first."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else ())
    )
    return [at, *(place for name, one in inside for place in places(one, (*at, name)))]


def damaged(value, at, damage):
    """A copy of a value with another one in a place; an Ellipsis leaves the place out."""
    if not at:
        return damage
    whole = copy.deepcopy(value)
    inner = whole
    for name in at[:-1]:
        inner = inner[name]
    if damage is ...:
        del inner[at[-1]]
    else:
        inner[at[-1]] = damage
    return whole


def written(folder, files, texts=()):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    for name, text in dict(texts).items():
        (folder / name).write_bytes(text)


def read(folder):
    """Read results; an error has to be one of lexiframe, and name a file in the folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lf.LexiframeWarning)
        try:
            return lf.read_scores(folder, languages="eng")
        except lf.LexiframeError as raised:
            error = raised
    assert str(folder) in str(error)
    return None


def cases():
    return [
        (tool, name, at, damage)
        for tool, files in FILES.items()
        for name, content in files.items()
        for at in places(content)
        for damage in [*DAMAGES, ...]
        if at or damage is not ...
    ]


def check(folder, of_some):
    for n, (tool, name, at, damage) in enumerate(of_some):
        place = folder / str(n)
        content = damaged(FILES[tool][name], at, damage)
        written(place, {**FILES[tool], name: content})
        if tool == "BEIR" and not json.dumps(content).startswith(FIRST):
            continue  # it is no file of BEIR then
        read(place)


@pytest.mark.slow
def test_damaged_values_are_refused_or_read(tmp_path):
    """One damage in four: each place in a file meets several, and each damage many places."""
    every = cases()
    chosen = np.random.default_rng(0).choice(len(every), len(every) // 4, replace=False)
    check(tmp_path, [every[n] for n in sorted(chosen)])


@pytest.mark.parametrize("tool", FILES)
@pytest.mark.parametrize("text, message", [
    (b'{"a": 1, "b": {"x": 1, "x": 2}}', "two fields are named 'x'"),
    (b"[" * 100_000, "nested too deeply"), (b'{"a": "\\ud800"}', "surrogates not allowed"),
    (b'{"a": "\xff"}', "UTF-8 text, found the bytes"), (b"", "the file is empty"),
    (b'{"a": 1', "no JSON"), (b"{} {}", "no JSON"), (b"1" * 5000, "no JSON|expected"),
])  # fmt: skip
def test_texts_that_are_no_json_are_refused(tmp_path, tool, text, message):
    *_, name = FILES[tool]
    if tool == "BEIR":
        text = b'{"ndcg": {"NDCG@1": 0.5}, "x": ' + (text or b"?") + b"}"
        message = message.replace("the file is empty", "no JSON")
    written(tmp_path, FILES[tool], {name: text})
    with pytest.raises(lf.ReadError, match=message) as raised:
        lf.read_scores(tmp_path)
    assert name in str(raised.value)


@pytest.mark.parametrize("break_", ["\u2028", "\u0085"])
def test_strings_may_hold_other_line_breaks(tmp_path, break_):
    files = FILES["lm-evaluation-harness"]
    *_, name = files
    written(tmp_path, files)
    text = json.dumps({**files[name], "note": f"a{break_}b"}, ensure_ascii=False)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert lf.read_scores(tmp_path).height == 2


def test_byte_order_marks_are_no_damage(tmp_path):
    written(tmp_path, FILES["MTEB"])
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "a/r/T.json").write_text(json.dumps(FILES["MTEB"]["a/r/T.json"]), encoding)
        assert read(tmp_path)["value"].to_list() == [0.5]


def test_a_subset_without_a_number_is_no_mean_of_the_others(tmp_path):
    two = [{"main_score": 0.5, "hf_subset": "x"}, {"main_score": "0.5", "hf_subset": "y"}]
    written(tmp_path, FILES["MTEB"] | {"a/r/T.json": {"scores": {"test": two}}})
    with pytest.raises(lf.ReadError, match=r"a finite number as score, found '0.5'"):
        lf.read_scores(tmp_path)
    written(tmp_path, FILES["MTEB"] | {"a/r/T.json": {"scores": {"test": two[:1] * 2}}})
    with pytest.raises(lf.ReadError, match="each subset once"):
        lf.read_scores(tmp_path)


def test_pipes_and_folders_that_are_called_like_results(tmp_path):
    written(tmp_path, FILES["BEIR"])
    os.mkfifo(tmp_path / "bm25" / "pipe.json")
    (tmp_path / "bm25" / "folder.json").mkdir()
    assert read(tmp_path).height == 2
    written(tmp_path, FILES["MTEB"])
    (tmp_path / "a/r/model_meta.json").unlink()
    (tmp_path / "a/r/model_meta.json").mkdir()
    with pytest.raises(lf.ReadError, match=r"model_meta.json: expected a file, as MTEB writes it"):
        lf.read_scores(tmp_path)
