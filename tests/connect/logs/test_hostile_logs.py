"""Logs that were damaged or made to harm: they are refused, at once, with the file named."""

import json
import os
import time

import pytest

import lexiframe as lf

pytest.importorskip("yaml")


def hydra(folder, text):
    """Make the folder of a run of Hydra with this configuration."""
    (folder / "0" / ".hydra").mkdir(parents=True)
    (folder / "0" / ".hydra" / "config.yaml").write_text(text)
    return folder


def wandb(folder, text):
    """Make the folder of a run of Weights & Biases with this configuration."""
    (folder / "wandb-summary.json").write_text('{"AP": 0.5}')
    (folder / "config.yaml").write_text(text)
    return folder


def growing(n, ends="[{}]"):
    """Lists, or names, of which each has the one before nine times."""
    lines = ["l0: &l0 [x]"]
    for k in range(n):
        inner = ", ".join(f"k{i}: *l{k}" if ends == "{{{}}}" else f"*l{k}" for i in range(9))
        lines.append(f"l{k + 1}: &l{k + 1} {ends.format(inner)}")
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("form", [hydra, wandb])
@pytest.mark.parametrize(
    "text, message",
    [
        (
            growing(9),
            r"a reference \(\*name\), .* stands for itself or for more than 100,000 values",
        ),
        (growing(9, "{{{}}}"), "for more than 100,000 values; write out what it stands for"),
        ("k1: &k [1, *k]", "where it stands for itself"),
        ("k1: &k {b: {c: *k}}", "where it stands for itself"),
        (r'name: "\uDCFF"', r"are not YAML \('\\udcff': surrogates not allowed\); mend them"),
        (r'"\ud83d": 1', "surrogates not allowed"),
        ("seed: 0x" + "a" * 9000, r"are not YAML \(Exceeds the limit"),
        ("k1: 0.9\nb: 0.4\nk1: 1.2", "two fields that are called 'k1' in one place"),
        ("model: {1: a, '1': b}", "called '1' in one place"),
        ("model: {0x10: a, 16: b}", "called '16' in one place"),
        ("a: " + "[" * 5000, "nested too deeply"),
    ],
)
def test_settings_that_cannot_be_read(tmp_path, form, text, message):
    start = time.process_time()
    with pytest.raises(lf.ReadError, match=rf"config\.yaml: the settings .*{message}"):
        lf.read_log(form(tmp_path, text))
    assert time.process_time() - start < 2


def test_references_that_repeat_little_are_read(tmp_path):
    """Tools write a list once that two settings share; merged fields may be given again."""
    log = lf.read_log(
        hydra(tmp_path, "a: &a [1, 2]\nb: *a\nbase: &x {k: 1}\nc: {<<: *x, k: 2}\nn: 0x10")
    )
    assert log.row(0, named=True) == {
        "run": "0",
        "params.a": "[1, 2]",
        "params.b": "[1, 2]",
        "params.base.k": 1,
        "params.c.k": 2,
        "params.n": 16,
    }


SACRED = {"config.json": "{}", "run.json": "{}", "metrics.json": "{}"}
FOLDERS = {
    ".": SACRED,
    ".hydra": {"config.yaml": "k1: 1"},
    "files": {"wandb-summary.json": "{}", "config.yaml": "{}"},
    "events": {"events.out.tfevents.7": ""},
    "kept": {"runs.jsonl": "{}"},
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
@pytest.mark.parametrize("odd", ["pipe", "device"])
@pytest.mark.parametrize("folder, name", [(f, name) for f in FOLDERS for name in FOLDERS[f]])
def test_what_is_no_file(tmp_path, folder, name, odd):
    """Opening a pipe waits for who writes to it, and a device may have no end."""
    (tmp_path / folder).mkdir(exist_ok=True)
    for other, text in FOLDERS[folder].items():
        (tmp_path / folder / other).write_text(text)
    (tmp_path / folder / name).unlink()
    if odd == "pipe":
        os.mkfifo(tmp_path / folder / name)
    else:
        (tmp_path / folder / name).symlink_to("/dev/zero")
    given = tmp_path if folder == ".hydra" else tmp_path / folder
    with pytest.raises(lf.ReadError, match=f"{name}: expected a file, found a device or a pipe"):
        lf.read_log(given)


def test_a_run_whose_name_is_no_text(tmp_path):
    place = tmp_path / os.fsdecode(b"k1=\xe9")
    try:
        place.mkdir()
    except OSError:
        pytest.skip("this file system has names in UTF-8 alone")
    (place / "wandb-summary.json").write_text('{"AP": 0.5}')
    with pytest.raises(lf.ReadError, match="k1=\ufffd: expected a name in UTF-8, found other"):
        lf.read_log(tmp_path)


@pytest.mark.parametrize("values", ["0.75", {"0": 0.5}, 7, True, 0, ""])
def test_metrics_of_sacred_that_are_no_lists(tmp_path, values):
    metrics = {"nDCG": {"steps": [0], "values": [0.5]}, "AP": {"values": values}}
    for name, text in (SACRED | {"metrics.json": json.dumps(metrics)}).items():
        (tmp_path / name).write_text(text)
    with pytest.raises(
        lf.ReadError, match=r"metrics\.json: expected a list as values of AP, found"
    ):
        lf.read_log(tmp_path)


def test_broken_json_in_a_folder(tmp_path):
    (tmp_path / "wandb-summary.json").write_text('{"AP": 1, "AP": 2}')
    with pytest.raises(lf.ReadError, match=r"summary\.json: broken JSON \(two fields are named"):
        lf.read_log(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["lines", "list", "folder"])
def test_records_that_share_no_field(tmp_path, form):
    """A table of them has hardly any value, and as many cells as the square of their number."""
    records = [{"run": f"r{n}", f"own{n}": n} for n in range(1500)]
    path = tmp_path / "log.jsonl"
    if form == "lines":
        path.write_text("\n".join(map(json.dumps, records)))
    elif form == "list":
        path.write_text(json.dumps(records))
    else:
        path = tmp_path
        for n, record in enumerate(records):
            (tmp_path / str(n)).mkdir()
            (tmp_path / str(n) / "wandb-summary.json").write_text(json.dumps(record))
    found = "found 1,500 records with [34],[05]00 values of [13],[05]0[012] fields"
    with pytest.raises(lf.ReadError, match=f"expected records with fields in common, {found}"):
        lf.read_log(path)
    if form == "lines":
        path.write_text("\n".join(map(json.dumps, records[:900])))
        assert lf.read_log(path).shape == (900, 901)
