"""What the documentation is made of: pages, names, links. `make docs` looks at the whole site."""

import importlib
import inspect
import re
import shlex
import sys
import warnings
from pathlib import Path

import polars as pl
import pytest
import yaml

import lexiframe as lf
from lexiframe import theory
from lexiframe.core.base.face import user_names
from lexiframe.core.cli import app as cli
from lexiframe.core.metrics.catalogues.papers import LEXIPRECISION, LEXIRECALL, RECALL_PAIRED
from tests.conftest import SHARED
from tests.test_readme import blocks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path.name for path in (ROOT / ".docs").glob("*.md"))

WHOLE = {name for name in lf.__all__ if inspect.ismodule(getattr(lf, name))}
"""The names that are modules or folders of functions."""
ROOMS = [getattr(lf, name) for name in sorted(WHOLE - {"spark", "theory", "views"})]
"""Those with a group of names for users, among others."""


@pytest.fixture(scope="module")
def docs():
    """Import a module of .docs, and forget it afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.syspath_prepend(ROOT / ".docs")
        yield importlib.import_module
    for path in (ROOT / ".docs").glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.fixture(scope="module")
def measure_pages(docs):
    """The text of the page of each measure."""
    return docs("measure_pages").measure_pages()


def test_each_measure_has_a_page_with_all_that_is_known_of_it(measure_pages):
    rows = list(lf.measures().iter_rows(named=True))
    assert len(measure_pages) == len(rows) + 2  # the list, and the conventions
    for row in rows:
        text = next(t for t in measure_pages.values() if t.startswith(f"{row['name']}\n"))
        assert row["formula"] in text
        assert row["range"] in text
        assert row["source"].partition(",")[0] in text
        assert ">>> lf." in text, "an example"
        assert "│" in text, "what it prints"
        assert "Other libraries" in text


def test_the_page_of_a_measure_shows_its_value(measure_pages):
    text = measure_pages["AP.rst"]
    first = (1 / 1 + 2 / 3 + 3 / 5) / 4  # a x b u c, and d is missing
    assert f"{first:.6f}" in text
    assert "``map_cut_k``" in text
    assert "min(m, length of the list)" in text  # LensKit's denominator


def test_names_of_other_libraries_are_theirs(docs):
    ir_measures = pytest.importorskip("ir_measures")
    pytrec_eval = pytest.importorskip("pytrec_eval")
    pages = docs("measure_pages")
    ours = {*lf.measures()["name"]}
    assert {*pages.SAME_IN_IR_MEASURES} == ours & {*ir_measures.measures.registry}
    known = {*pytrec_eval.supported_measures, "yaap"}  # which pytrec_eval leaves out
    renamed = {name for name, _ in pages._TREC_EVAL if name not in pages.SAME_IN_TREC_EVAL}
    assert {*pages.SAME_IN_TREC_EVAL} | {n.removesuffix("_{}") for n in renamed} >= ours & known
    assert {*pages.SAME_IN_TREC_EVAL} <= known


def test_every_public_name_is_in_the_reference(docs, measure_pages):
    reference = docs("reference_pages").reference_pages()
    text = "\n".join([*reference.values(), *measure_pages.values()])
    modules = (lf, theory, lf.spark, lf.views.charts, lf.views.display)
    names = [name for module in modules for name in module.__all__]
    for name in [*names, *(name for room in ROOMS for name in user_names(room))]:
        kinds = ("autofunction", "autoclass", "py:data")
        is_folder = name in WHOLE
        assert is_folder or any(f".. {kind}:: {name}\n" in text for kind in kinds), name
    assert ".. py:module:: lexiframe.theory\n" in text
    assert "Tables to look at in notebooks" in reference["group-display-tables.rst"]


def test_what_reads_a_form_is_public_and_lists_it_on_its_page(docs):
    listed, written = docs("listed"), docs("written")
    calls = [row["call"] for rows in listed.FORMS.values() for row in rows]
    names = {name for call in calls for name in re.findall(r"`lf\.(\w+)\(", call)}
    assert names >= {"read_runs", "read_qrels", "read_scores", "read_preferences", "read_log"}
    pages = docs("reference_pages").reference_pages()
    assert all(hasattr(lf, name) for name in names)
    assert "\n- snapshot, ratings, case (Quepid)\n" in pages["read_qrels.rst"]
    assert "Lexicographic precision: figure 4." in pages["charts-ranking_chart.rst"]
    for name, of in (("papers", listed.papers_page), ("what-can-be-read", listed.forms_page)):
        text = written._moved(ROOT / f".docs/{name}.md")
        assert not listed.MARK.search(of(text))


def test_the_groups_are_those_of_help(docs):
    groups = [*docs("reference_pages")._groups()]
    assert {name for group in groups for name in group.names} >= {*lf.__all__} - WHOLE
    assert [group.title for group in groups[:2]] == [title for title, _, _ in lf._GROUPS[:2]]
    assert {"Theory", "Charts", "Display tables", "Spark"} <= {group.title for group in groups}


def test_each_chart_has_a_picture_and_the_lines_that_draw_it(docs, monkeypatch):
    gallery = docs("gallery")
    assert {*gallery.PICTURES} == {*gallery.every_chart()} >= {*lf.views.charts.__all__}
    for one in gallery.PICTURES.values():
        lines = one["code"].strip().split("\n")
        assert len(lines) <= 3
        assert max(map(len, lines)) <= 100
        assert 50 < len(one["alt"]) < 250
    monkeypatch.delitem(gallery.PICTURES, "tie_chart")
    with pytest.raises(ValueError, match=r"a picture of each chart, found not so: \['tie_chart'\]"):
        gallery.picture_files()


def test_pictures_are_drawn_as_they_say_and_shown_where_they_belong(
    docs, monkeypatch, measure_pages
):
    pytest.importorskip("vl_convert")
    gallery, reference = docs("gallery"), docs("reference_pages").reference_pages()
    page, shown = gallery.gallery_page(), "_static/win_rate_chart.dark.svg"
    assert page.count('<figure id="') == page.count("<div popover") == len(gallery.PICTURES) > 45
    assert page.count(shown) == 2
    assert shown in reference["charts-win_rate_chart.rst"]
    assert shown in measure_pages["RPP.rst"]
    assert shown not in measure_pages["AP.rst"]
    assert "_static/tie_profile_chart.light.svg" in reference["tie_profile.rst"]
    assert "_static/Leaderboard.plot.cells.light.svg" in reference["Leaderboard.rst"]
    monkeypatch.setattr(gallery, "every_chart", lambda: ["win_rate_chart"])
    monkeypatch.setattr(gallery, "PICTURES", {"win_rate_chart": gallery.PICTURES["win_rate_chart"]})
    light, dark = gallery.picture_files().values()
    assert "pca16_cosine" in light
    assert "#131416" in dark
    assert "#131416" not in light


PAGE = """<html><head><link rel="stylesheet" href="style.css"></head><body>
<a name="here"></a><a href="#here">fine</a> <a href="https://doi.org/10.1145/3728373">fine</a>
{}</body></html>"""


@pytest.mark.parametrize(
    "element, problem",
    [
        ('<a href="nowhere.html">x</a>', "index.html: a link leads nowhere: nowhere.html"),
        ('<a href="#nowhere">x</a>', "index.html: a link leads nowhere: #nowhere"),
        ('<img src="nowhere.png">', "index.html: a link leads nowhere: nowhere.png"),
        (
            '<script src="https://example.org/x.js"></script>',
            "index.html: loads from a network: https://example.org/x.js",
        ),
    ],
)
def test_the_built_site_is_looked_at(docs, tmp_path, element, problem):
    built = docs("built")
    names = "".join(f'<i id="{name}"></i>' for name in built.public_names())
    (tmp_path / "style.css").write_text("p { color: black }")
    (tmp_path / "index.html").write_text(PAGE.format(names))
    assert built.problems(tmp_path) == []
    (tmp_path / "index.html").write_text(PAGE.format(names + element))
    assert built.problems(tmp_path) == [problem]
    (tmp_path / "index.html").write_text(PAGE.format(names.replace('"lexiframe.evaluate"', '"x"')))
    assert built.problems(tmp_path) == ["the reference lacks lexiframe.evaluate"]
    (tmp_path / "style.css").write_text("@import url(https://example.org/x.css);")
    assert "style.css: may load from a network" in built.problems(tmp_path)


def run_page(name):
    """Run the code of a page; return the names that it gives."""
    names = {}
    for block in blocks((ROOT / f".docs/{name}.md").read_text(encoding="utf-8")):
        exec(compile(block, f"{name}.md", "exec"), names)
    return names


def test_the_code_for_those_who_come_from_elsewhere_runs():
    names = run_page("coming-from")
    assert names["trec"]["measure"].unique().sort().to_list() == ["AP", "P@10", "RR", "nDCG@10"]
    assert {*names["c"]["correction"]} == {"none", "holm"}
    assert names["h"].height == names["c"].filter(pl.col("correction") == "holm").height
    assert names["values"].height == 6


def test_the_code_about_recommenders_runs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lf.LexiframeWarning)
        names = run_page("recommenders")
    assert names["e"].means["segment"].unique().sort().to_list() == ["new", "old"]
    by_hit = lf.scores(lf.positions(names["lists"], names["held_out"], rel=4), ["HR@2", "R@2"])
    assert (
        by_hit.pivot("measure", values="value").select(pl.nth(-2) == pl.nth(-1)).to_series().all()
    )


def test_the_code_about_learning_to_rank_runs():
    pytest.importorskip("lightgbm")
    means = run_page("learning-to-rank")["e"].means
    assert {*means.filter(rank=1)["run"]} == {"learned"}


def test_the_code_about_who_is_served_worst_runs(capsys):
    names = run_page("worst")
    assert names["found"].height == 33
    said = capsys.readouterr().out
    assert "In the tenth of the requests that each run serves worst, isomap8_euclidean has" in said
    assert "AP, worst 0.1" in said
    assert "WorstIntents(AP, share=0.5)" in said


def test_the_code_about_models_runs_and_says_what_the_page_does():
    names = run_page("models")
    hit = names["hits"].groupby("features")["value"].mean()
    assert hit.max() < 1
    assert names["mixed"].converged
    assert names["logistic"].mle_retvals["converged"]
    sources = names["effects"]["source"].unique(maintain_order=True).to_list()
    assert sources == ["features", "distance", "query_id", "features:distance", "residual"]
    data = names["s"].filter(measure="AP").to_pandas()  # standard errors are those of two ways
    mixed = names["smf"].mixedlm("value ~ C(run)", data, groups="query_id").fit()
    for run in mixed.bse.index[1:-1]:
        assert mixed.bse[run] == pytest.approx(names["fit"].bse[run], rel=1e-5)


def test_the_code_about_large_data_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks((ROOT / ".docs/large.md").read_text(encoding="utf-8")):
        exec(compile(block, "large.md", "exec"), names)
    assert [*tmp_path.joinpath("results").iterdir()] == [tmp_path / "results/preferences"]
    whole = lf.evaluate(names["folder"] / "runs", names["folder"] / "qrels.txt", ["RPP", "AP"])
    assert names["e"].comparisons.equals(whole.comparisons)
    assert names["d"].collect().height == whole.preferences.height


def test_the_code_about_nuggets_runs_and_its_session_is_what_is_printed(
    tmp_path, monkeypatch, lexiframe
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    text = (ROOT / ".docs/nuggets.md").read_text(encoding="utf-8")
    names = run_page("nuggets")
    recorded = text.partition("    $ lexiframe ")[2].partition("\nThe same in Python")[0]
    command, *lines = recorded.rstrip().split("\n")
    printed = lexiframe(*shlex.split(command)).out.rstrip()
    assert printed.split("\n") == [line.removeprefix("    ") for line in lines]
    assert "hybrid is best" in " ".join(str(names["e"].verdict).split())
    assert "auto" in str(names["j"].verdict)
    s, margin = names["s"], {"NuggetRecall(strict)": 0.05}
    decision = lf.gate(s, margin, baseline="sparse", candidate="hybrid")
    assert decision["outcome"].to_list() == ["pass"]
    assert len(text.split()) <= 500


def test_the_code_about_judges_runs_and_its_sessions_are_what_is_printed(
    tmp_path, monkeypatch, lexiframe
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = run_page("judges")
    text = (ROOT / ".docs/judges.md").read_text(encoding="utf-8")
    sessions = [part.split("\n\n`")[0] for part in text.split("    $ lexiframe ")[1:]]
    assert len(sessions) == 2
    for recorded in sessions:
        command, *lines = recorded.partition("\n\nFrom the runs")[0].split("\n")
        printed = lexiframe(*shlex.split(command)).out.rstrip()
        assert printed.split("\n") == [line.removeprefix("    ") for line in lines]
    assert names["found"].left_out.is_empty()
    assert names["favour"]["p_value"].item() < 0.001
    prose = [line for line in text.split("\n") if line[:4] != "    "]
    assert len(" ".join(prose).split()) <= 250


def test_the_code_about_votes_runs():
    names = {}
    for block in blocks((ROOT / ".docs/votes.md").read_text(encoding="utf-8")):
        exec(compile(block, "votes.md", "exec"), names)
    assert names["b"].groups["group"].n_unique() == 2
    before = lf.bradley_terry(names["v"]).strengths["run"].to_list()
    after = names["fair"].strengths["run"].to_list()
    assert (before.index("pca8_euclidean"), after.index("pca8_euclidean")) == (0, 2)


@pytest.mark.conformance
def test_the_page_about_votes_has_the_numbers_that_its_function_prints(capsys):
    text = (ROOT / ".docs/votes.md").read_text(encoding="utf-8")
    names = {"lf": lf}
    function = next(block for block in blocks(text) if "def show" in block)
    exec(compile(function, "votes.md", "exec"), names)
    names["show"](SHARED / "data" / "llmfao" / "votes.csv")
    printed = capsys.readouterr().out
    rows = [row.split("|")[2:4] for row in text.split("| judgments that are")[1].splitlines()[2:6]]
    for (se, first), line in zip(rows, printed.splitlines()[:4], strict=True):
        assert f"error {se.strip()}, {first.strip()} may be" in line
    loglik, nu, run = printed.splitlines()[4].split(maxsplit=2)
    assert f"{run} is the strongest. The log-likelihood is −{-float(loglik):.2f}" in text
    assert f"ν is {float(nu):.2f}" in text
    said = "0.091 in log odds (95 % interval −0.011 to 0.193)"
    assert said in " ".join(text.split())
    assert all(number in printed for number in ("0.09088", "-0.011276", "0.193037"))


def test_what_the_page_about_the_gate_shows(monkeypatch, capsys):
    """Its first command prints what follows it, and its workflow is YAML."""
    text = (ROOT / ".docs/gate.md").read_text(encoding="utf-8")
    command, printed = text.split("    $ lexiframe ")[1].split("\n\n", 1)
    words = command.replace("\\\n", " ").split()
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["lexiframe", *words])
    with pytest.raises(SystemExit) as exited:
        cli.main()
    assert exited.value.code == 3
    assert capsys.readouterr().out.split() == printed.partition("    $ echo")[0].split()
    workflow = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    steps = workflow["jobs"]["gate"]["steps"]
    assert any("lexiframe gate" in step.get("run", "") for step in steps)


def shown(text):
    """The blocks of a page that show what is printed, with single blanks between the words."""
    parts = [part.split("\n\n")[0] for part in text.split("\n\n    ")[1:]]
    return [" ".join(part.split()) for part in parts]


def test_what_the_page_about_measures_shows():
    text = (ROOT / ".docs/which-measure.md").read_text(encoding="utf-8")
    names = {}
    for block in blocks(text):
        exec(compile(block, "which-measure.md", "exec"), names)
    said = " ".join(lf.verdict(names["found"])["sentence"])
    assert said == shown(text)[0]
    ties = dict(names["found"].measures.select("measure", "ties").rows())
    assert f"RR ties {ties['RR']:,} and P@10 {ties['P@10']:,}" in " ".join(text.split())
    assert " ".join(lf.verdict(names["parts"])["sentence"]) == shown(text)[1]
    agree = names["composed"].measures.filter(measure="P@10>AP")["concordance"].item()
    alone = names["found"].measures.filter(measure="P@10")["concordance"].item()
    assert f"in {100 * alone:.1f} % of their judgments, and P@10>AP in {100 * agree:.1f} %" in text
    first = names["v"].position["win_rate_both_orders"][0]
    assert f"here it wins {100 * first:.1f} % of the judgments" in text


def test_what_the_page_about_tests_shows(capsys):
    text = (ROOT / ".docs/which-test.md").read_text(encoding="utf-8")
    for block in blocks(text):
        exec(compile(block, "which-test.md", "exec"), {"lf": lf})
    assert " ".join(capsys.readouterr().out.split()) == shown(text)[0]


def test_what_the_page_about_ties_shows(capsys):
    text = (ROOT / ".docs/ties.md").read_text(encoding="utf-8")
    with warnings.catch_warnings(action="ignore", category=lf.LexiframeWarning):
        names = run_page("ties")
    assert " ".join(capsys.readouterr().out.split()) == " ".join(shown(text))
    (value,) = lf.scores(names["p"], "RR")["value"]
    assert names["mean"] == pytest.approx(value)
    assert names["chances"]["chance"].sum() == pytest.approx(1)
    assert f"from 1 to 1/{names['chances'].height}" in text
    prose = re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL)
    assert len(prose.split()) <= 550


def test_what_the_page_about_weights_shows(capsys):
    text = (ROOT / ".docs/weights.md").read_text(encoding="utf-8")
    names = run_page("weights")
    assert " ".join(capsys.readouterr().out.split()) == " ".join(shown(text))
    last = names["chart"].data.values[-1]
    mean = names["e"].means.filter(run=last["run"])["mean"].item()
    assert (last["share"], last["mean"]) == pytest.approx((1, mean))
    prose = re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL)
    assert len(prose.split()) <= 500


@pytest.mark.conformance
def test_what_the_page_about_measures_says_of_real_judgments():
    text = (ROOT / ".docs/votes.md").read_text(encoding="utf-8")
    v = lf.read_preferences(SHARED / "data" / "llmfao" / "votes.csv")
    assert " ".join(lf.verdict(lf.bradley_terry(v))["sentence"]) == shown(text)[-1]
    single = len(lf.bradley_terry(v, by="judgment").may_be_first())
    assert f"| {single} |" in text


def test_the_code_of_the_page_about_the_gate_runs(tmp_path, monkeypatch):
    """On runs of three seeds, requests of users, and judgments of a model."""
    monkeypatch.chdir(tmp_path)
    digits = lf.bundled("digits")
    qrels = pl.DataFrame(lf.read_qrels(digits / "qrels.parquet"))
    queries = qrels["query_id"].unique().sort()
    users = pl.DataFrame({"query_id": queries, "user": [n // 3 for n in range(len(queries))]})
    users.write_csv("requests.csv")
    lf.write_trec(qrels, "model.txt")
    lf.write_trec(qrels, "qrels.txt")
    lf.write_trec(qrels.filter(pl.col("query_id").is_in(queries[::2].implode())), "people.txt")
    Path("runs").mkdir()
    for name, of in (("old", "pixels_euclidean"), ("new", "pca16_cosine")):
        run = pl.DataFrame(lf.read_runs(digits / f"runs/{of}.parquet")).drop("rank", strict=False)
        noise = (run["score"].hash(7) % 1000 / 1e5).cast(pl.Float64)
        lf.write_trec(run.with_columns(run=pl.lit(name)), f"runs/{name}.run")
        for seed in range(3):
            lf.write_trec(
                run.with_columns(score=run["score"] + seed * noise), f"runs/{name}-{seed}.run"
            )
    names = {}
    for block in blocks((ROOT / ".docs/gate.md").read_text(encoding="utf-8")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lf.LexiframeWarning)
            exec(compile(block, "gate.md", "exec"), names)
    assert {*names["decided"]["outcome"]} == {"pass", "undecided"}
    assert names["v"].height == 5
    assert names["g"].height == 9
    names["test_the_new_ranker_is_not_worse"]()
    names["test_my_measure_is_never_negative"]()


@pytest.mark.parametrize("page", ["what-can-be-read", "what-is-doubted"])
def test_the_code_of_a_page_runs_by_itself(page):
    run_page(page)


def test_the_code_of_the_page_on_ir_measures_runs(capsys):
    ir_measures = pytest.importorskip("ir_measures")
    pipeline = ir_measures.DefaultPipeline.providers
    before = [*pipeline]
    names = {"qrels": {"q": {"a": 2, "b": 1}}, "run": {"q": {"b": 2.0, "a": 1.0}}}
    try:
        for block in blocks((ROOT / ".docs/in-ir-measures.md").read_text(encoding="utf-8")):
            exec(compile(block, "in-ir-measures.md", "exec"), names)
    finally:
        pipeline[:] = before
    assert "INST(max_rel=3)" in capsys.readouterr().out


def test_pages_stand_in_the_contents(docs):
    written = docs("written")
    assert sorted(f"{name}.md" for name in [*written.GUIDE, *written.NEIGHBOURS]) == PAGES


def test_the_citation_is_of_this_version_and_of_the_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == lf.__version__
    dois = {paper["doi"] for paper in citation["references"]}
    assert dois == {
        of.partition("doi:")[2].partition(",")[0]
        for of in (RECALL_PAIRED, LEXIPRECISION, LEXIRECALL)
    }
