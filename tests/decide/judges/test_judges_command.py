"""The command ``lexiframe judges``: what it prints, writes and refuses."""

import json
import random
from functools import partial
from shutil import copytree

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # what it prints has quicker tests

EXAMPLE = lf.bundled("example")
RUNS = EXAMPLE / "runs"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The options that name two judges, of whom the second does not know the first request."""
    folder = tmp_path_factory.mktemp("judges")
    lines = (EXAMPLE / "qrels.txt").read_text().splitlines()
    first = lines[0].split()[0]
    judged = [line for n, line in enumerate(lines) if n % 5 and line.split()[0] != first]
    (folder / "llm.txt").write_text("".join(f"{line}\n" for line in judged))
    return ["--qrels", f"people={EXAMPLE / 'qrels.txt'}", "--qrels", f"llm={folder / 'llm.txt'}"]


@pytest.fixture
def judges(monkeypatch, lexiframe):
    monkeypatch.setenv("COLUMNS", "100")
    return partial(lexiframe, "judges")


def tables_of(files):
    return dict(text.split("=", 1) for text in files[1::2])


def test_grades_alone(judges, files, tmp_path):
    status, out, err = judges(*files)
    assert (status, err) == (0, "")
    assert "people and llm give " in out
    assert "have a grade by people alone." in out
    status, out, _ = judges(*files, "--format", "json")
    table = lf.judge_agreement(tables_of(files))
    assert json.loads(out) == table.to_dicts()
    status, out, err = judges(*files, "--rel", 1, "--format", "csv", "-o", tmp_path / "out")
    assert out.startswith("judge_a,judge_b,n,")
    assert "wrote 2 tables" in err
    written = pl.read_parquet(tmp_path / "out" / "judge_confusion.parquet")
    assert written.equals(lf.judge_confusion(tables_of(files)))


def test_runs(judges, files, tmp_path):
    how = ["-m", "AP,LP", "--samples", 20, "--test", "sign", "--correction", "none"]
    status, out, err = judges(RUNS, *files, *how, "--all", "-o", tmp_path / "out")
    assert status == 0
    assert "requests left out, which a judge did not judge" in err.replace("\n", " ")
    assert "Order of the runs, and conclusions about pairs, against people" in out
    assert "By LP (sign, none), people finds no significant difference in 3 pairs" in out
    with pytest.warns(lf.LexiframeWarning):
        found = lf.compare_judges(RUNS, tables_of(files), "AP LP", samples=20, test="sign",
                                  correction="none")  # fmt: skip
    for name, table in found.tables().items():
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(table), name
    _, out, _ = judges(RUNS, *files, *how, "--format", "json")
    assert json.loads(out)["rank_shifts"] == found.rank_shifts.to_dicts()
    _, out, _ = judges(RUNS, *files, *how, "--format", "markdown")
    assert out.startswith("| name\\_a | name\\_b |")


def test_groups_of_requests(judges, files, tmp_path):
    queries = pl.DataFrame(lf.read_qrels(EXAMPLE / "qrels.txt"))["query_id"].unique().sort()
    kinds = pl.DataFrame({"query_id": queries, "kind": [*"xyxyx"]})
    kinds.write_csv(tmp_path / "kinds.csv")
    by = ["--requests", tmp_path / "kinds.csv", "--by", "kind"]
    status, out, _ = judges(*files, *by)
    assert status == 0
    assert "For kind = x, people and llm give" in out


WRONG = {
    "no name": (["--qrels", "qrels.txt"], 2, "--qrels: expected NAME=FILE"),
    "twice": (["--qrels", "people=x"], 2, "expected each judge once, found 'people' twice"),
    "one": (None, 1, "expected at least two judges, found 1"),
    "no runs": (["--test", "sign"], 2, "--test says how runs are compared, and no run is given"),
    "no run to measure": (["-m", "AP"], 2, "--measure says how runs are compared"),
    "no file": (["--qrels", "b=nowhere.txt"], 1, "nowhere.txt"),
    "a measure": (["P@5"], 1, "P@5: expected files, found measures"),
    "two from standard input": (["-", "--qrels", "b=-"], 1, "standard input holds one file, not s"),
    "by alone": (["--by", "kind"], 1, "expected attributes of requests, found none"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(judges, files, name):
    more, expected, said = WRONG[name]
    given = files[:2] if more is None else [*files, *more]
    outcome = judges(*given)
    assert (outcome.status, outcome.out) == (expected, "")
    assert said in outcome.said


def test_no_input_is_replaced(judges, files, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    mine = out / "judge_agreement.parquet"
    lf.write_parquet(lf.read_qrels(EXAMPLE / "qrels.txt"), mine)
    before = mine.read_bytes()
    status, _, err = judges(*files, "--qrels", f"c={mine}", "-o", out)
    assert status == 1
    assert "would replace the file that is read" in " ".join(err.split())
    assert mine.read_bytes() == before


def test_judgments_with_names_of_columns(judges, tmp_path):
    """The options of judgments hold for all judges."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("topic,doc,mine\n1,x,1\n1,y,0\n")
    files = [f"--qrels={name}={tmp_path / name}.csv" for name in "ab"]
    status, out, _ = judges(*files, "--qrels-column", "relevance=mine", "--format", "csv")
    assert status == 0
    assert out.splitlines()[1].startswith("a,b,2,0,0,1.0,1.0")


def test_repeated_judgments_are_removed_when_asked(judges, tmp_path):
    (tmp_path / "once.txt").write_text("q1 0 d1 2\nq1 0 d2 0\n")
    (tmp_path / "twice.txt").write_text("q1 0 d1 1\nq1 0 d1 2\nq1 0 d2 0\n")
    files = [f"--qrels={name}={tmp_path / name}.txt" for name in ("once", "twice")]
    status, _, err = judges(*files)
    assert status == 1
    assert "--duplicates best" in " ".join(err.split())
    status, out, err = judges(*files, "--duplicates", "best", "--format", "json")
    assert status == 0
    assert "removed: 1" in err
    assert json.loads(out)[0]["agreement"] == 1


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_people_and_a_model_together(judges, files, tmp_path):
    digits = lf.bundled("digits")
    qrels = pl.DataFrame(lf.read_qrels(digits / "qrels.parquet"))
    some = qrels["query_id"].unique().sort()[:25]
    people = tmp_path / "people.parquet"
    qrels.filter(pl.col("query_id").is_in(some.implode())).write_parquet(people)
    runs = [digits / f"runs/{name}.parquet" for name in ("pixels_euclidean", "pca16_cosine")]
    asked = [*runs, "--qrels", f"people={people}", "--qrels", f"llm={digits / 'qrels.parquet'}"]
    how = ["-m", "AP,RPP", "--human", "people"]
    status, out, _ = judges(*asked, *how, "--format", "json", "-o", tmp_path / "out")
    assert status == 0
    s = [lf.scores(lf.positions(runs, path), "AP") for path in (people, digits / "qrels.parquet")]
    of = lf.significance.prediction_powered(*s)
    table = pl.DataFrame(json.loads(out))
    assert table["judge"].unique().to_list() == ["llm"]
    assert table["mean"].to_list() == of["mean"].to_list()
    assert pl.read_parquet(tmp_path / "out" / "prediction_powered.parquet").height == 2
    other = judges(*asked, "--human", "nist")
    assert other.status == 1
    assert "unknown judge 'nist'" in other.err
    assert judges(*asked[2:], "--human", "people").status == 2


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """The files of people's and a classifier's scores, and of the families of runs."""
    folder, digits = tmp_path_factory.mktemp("scores"), lf.bundled("digits")
    runs = [*sorted((digits / "runs").iterdir())][:8]
    for judge in ("people", "classifier"):
        p = lf.positions(runs, lf.read_qrels(digits / f"judges/{judge}.parquet"))
        lf.scores(p, ["AP", "RR"]).write_csv(folder / f"{judge}.csv")
    names = pl.Series("run", [path.stem for path in runs])
    families = names.to_frame().with_columns(family=pl.Series([*"aaabbccc"]))
    families.write_csv(folder / "families.csv")
    return folder, runs


def test_scores_of_judges(judges, scores, tmp_path):
    folder, _ = scores
    files = [f"{judge}={folder / judge}.csv" for judge in ("people", "classifier")]
    how = ["--samples", 20, "--top", 4, "-m", "AP"]
    status, out, err = judges("--scores", *files, *how, "-o", tmp_path / "out")
    assert (status, err.partition(" to ")[0]) == (0, "wrote 10 tables")
    assert "Order of the runs, and conclusions about pairs, against people" in out
    paths = {judge: folder / f"{judge}.csv" for judge in ("people", "classifier")}
    found = lf.compare_judges(None, paths, "AP", samples=20, top=4)
    for name, table in found.tables().items():
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(table), name
    named = ["-m", "people=AP", "-m", "classifier=RR"]
    _, out, _ = judges("--scores", *files, "--samples", 5, *named, "--format", "json")
    assert json.loads(out)["conclusions"][0]["measure"] == "AP/RR"
    _, out, _ = judges("--scores", *[folder / f"{judge}.csv" for judge in paths], "--format", "csv")
    assert out.splitlines()[1].startswith("people,classifier,AP")
    status, out, _ = judges("--scores", *files, "--column", "value=value", "--format", "csv")
    assert status == 0


def test_families(judges, scores, tmp_path):
    folder, runs = scores
    families = ["--families", folder / "families.csv"]
    files = [f"{judge}={folder / judge}.csv" for judge in ("people", "classifier")]
    own = ["--own", "a", "-m", "RR"]
    status, out, err = judges("--scores", *files, *families, *own, "-o", tmp_path / "out")
    assert (status, err.split()[0]) == (0, "wrote")
    assert " ".join(out.split()).startswith("By RR, classifier gives the 3 runs of a 0.")
    table = pl.read_parquet(tmp_path / "out/own_family.parquet")
    judged = {"classifier": folder / "classifier.csv"}
    how = {"own": "a", "measures": "RR"}
    expected = lf.own_family(folder / "people.csv", judged, folder / "families.csv", **how)
    assert table.equals(expected)
    own[1] = "classifier=a"
    _, out, _ = judges("--scores", *files, *families, *own, "--format", "json")
    assert json.loads(out) == expected.to_dicts()
    named = ["-m", "people=RR", "-m", "classifier=AP", "--own", "a"]
    _, out, _ = judges("--scores", *files, *families, *named, "--format", "json")
    assert [row["measure"] for row in json.loads(out)] == ["RR/AP"]
    qrels = [f"{j}={lf.bundled('digits') / 'judges' / j}.parquet" for j in ("people", "classifier")]
    _, out, _ = judges(*qrels, *runs, *families, *own, "--format", "json")
    of_runs = pl.DataFrame(json.loads(out))
    numbers = ["bias", "se", "p_value"]
    assert of_runs.select(numbers).row(0) == pytest.approx(expected.select(numbers).row(0))


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """The folders of two judges' assignments of nuggets to the answers of six runs."""
    folder, chance = tmp_path_factory.mktemp("answers"), random.Random(3)
    grades = ["support", "partial_support", "not_support"]
    for judge in ("people", "auto"):
        (folder / judge).mkdir()
        for run in ("a1", "a2", "b1", "b2", "c1", "c2"):
            nuggets = [
                [{"text": f"{q} {n}", "assignment": chance.choice(grades)} for n in range(4)]
                for q in range(9)
            ]
            records = [{"qid": f"q{q}", "nuggets": one} for q, one in enumerate(nuggets)]
            text = "\n".join(map(json.dumps, records))
            (folder / judge / f"{run}.jsonl").write_text(text)
    families = pl.DataFrame({"run": ["a1", "a2", "b1", "b2", "c1", "c2"], "family": [*"aabbcc"]})
    families.write_csv(folder / "families.csv")
    return folder


def test_nuggets_of_judges(judges, answers, tmp_path):
    files = [f"{judge}={answers / judge}" for judge in ("people", "auto")]
    how = ["--samples", 20, "-m", "strict_all_score"]
    status, out, err = judges("--nuggets", *files, *how, "-o", tmp_path / "out", "--all")
    assert (status, err.partition(" to ")[0]) == (0, "wrote 10 tables")
    assert "Agreement with people about credits of nuggets" in out
    read = {judge: lf.read_nuggets(answers / judge) for judge in ("people", "auto")}
    found = lf.compare_judges(None, read, "NuggetRecall(strict)", samples=20)
    assert found.agreement.equals(lf.judge_agreement(read))
    for name, table in found.tables().items():
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(table), name
    families = ["--families", answers / "families.csv", "--own", "a", "-m", "all_score"]
    _, out, _ = judges("--nuggets", *files, *families, "--format", "json")
    scores = {judge: lf.nugget_scores(n, "NuggetRecall") for judge, n in read.items()}
    by_auto = {"auto": scores["auto"]}
    expected = lf.own_family(scores["people"], by_auto, answers / "families.csv", own="a")
    assert json.loads(out) == expected.to_dicts()
    copytree(answers / "auto", tmp_path / "auto")
    lines = (answers / "auto" / "c2.jsonl").read_text().splitlines()
    (tmp_path / "auto" / "c2.jsonl").write_text("\n".join(lines[1:]))
    err = judges("--nuggets", files[0], f"auto={tmp_path / 'auto'}", *how).err
    assert "warning: judge 'auto': Runs without an answer to some request" in " ".join(err.split())
    assert "--failed is for --nuggets" in judges("a=a", "b=b", "--scores", "--failed=zero").said
    assert "--depth says how" in judges("--nuggets", *files, "--depth", 3).said


REFUSED = {
    "own alone": (["--own", "a"], "--families and --own: expected both"),
    "no own": (["--families", "families.csv"], "--families and --own: expected both"),
    "own twice": (
        ["--families", "families.csv", "--own", "a", "--own", "b"],
        "expected one family, or JUDGE=NAME for each of b, found a, b",
    ),
    "human": (["--families", "f.csv", "--own", "a", "--human", "a"], "leave --human out"),
    "groups": (["--families", "f.csv", "--own", "a", "--requests=r", "--by=k"], "leave --by out"),
    "rel": (["--rel", 2], "--rel says how judgments and runs are read"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_of_scores(judges, name):
    more, said = REFUSED[name]
    outcome = judges("--scores", "a=a.csv", "b=b.csv", *more)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.said


def test_gaps_and_families_need_scores(judges, files):
    assert "--missing is for --scores; leave it out" in judges(*files, "--missing", "own").said
    alone = judges(*files, "--families", "families.csv", "--own", "a")
    assert "--families needs runs, and metrics to take the means of" in alone.said
