// The verdict: which runs are first, in a sentence and a line for each measure; one that is told
// apart from all others is bold. With a baseline, also which runs are better and worse than it.

function showVerdict(state) {
  const { group, test, correction, measure, baseline } = state;
  const rows = pick("conclusions", { group, test, correction });
  const said = rows.find((row) => row.measure === measure);
  const isAlone = facts.runs.length === 1;
  const hasNear = rows.some((row) => row.near.length || row.too_few);
  const columns = [
    {
      title: "measure", side: "left", isHead: true,
      show: (row) => measureButton(row.measure, row.measure === measure),
    },
    { title: "first", side: "left", show: (row) => names(row.best, row.is_best ? "strong" : "span") },
    { title: "significant pairs", show: (row) => row.told.replace(/\d+/g, (n) => whole(Number(n))) },
    baseline !== null && {
      title: `against ${baseline}`, side: "left", show: (row) => countedAgainst({ ...state, measure: row.measure }),
    },
    hasNear && { title: "not significantly worse", side: "left", show: (row) => (row.too_few ? "too few to tell" : names(row.near)) },
  ].filter(Boolean);
  const ordered = facts.measures.flatMap(({ name }) => rows.filter((row) => row.measure === name));
  show("verdict",
    title("verdict-title", "Verdict"),
    isAlone ? rows.map((row) => make("p", { class: "headline second" }, row.sentence)) : headline(group),
    !isAlone && againstBaseline(state),
    !isAlone && said && make("p", { id: "sentence" }, said.sentence),
    !isAlone && rows.length > 0 && table("verdicts", "The verdict by each measure", columns, ordered, {
      filter: false, kind: "stacked", rowClass: (row) => (row.measure === measure ? "chosen" : null),
    }),
    !isAlone && rows.length > 0 && note("The runs in a line are in the order of that measure. Choose a measure to see more of it below."));
}

function headline(group) {
  const [first = "", ...others] = facts.headlines[facts.groups.indexOf(group)];
  const within = facts.by.length ? `For ${group}: ` : "";
  return [make("p", { class: "headline" }, within, first), others.map((said) => make("p", { class: "headline second" }, said))];
}

function measureButton(name, isChosen) {
  return make("button", {
    type: "button", class: "link", "aria-pressed": String(isChosen),
    id: `verdict-of-${facts.measures.indexOf(measureOf(name))}`, // by which it has the focus again
    onclick: () => change({ measure: name }),
  }, name);
}

function names(runs, tag = "span") {
  return runs.length ? make(tag, { title: runs.join(", ") }, listed(runs)) : NONE;
}

// The other runs by what the test says of them and the baseline.
function sidesOf(state) {
  const sides = { better: [], worse: [], undecided: [], untested: [] };
  for (const run of facts.runs.filter((one) => one !== state.baseline)) {
    const c = comparisonOf(run, state.baseline, state);
    const gain = c?.turned ? minus(c.gain) : c?.gain;
    const side = !c || c.n === 0 ? "untested" : !c.reject ? "undecided" : gain > 0 ? "better" : "worse";
    sides[side].push(run);
  }
  return sides;
}

// A sentence on a baseline that was chosen here; that of the evaluation has its own sentence.
function againstBaseline(state) {
  const { baseline, measure } = state;
  if (baseline === null || baseline === facts.inference.baseline || isCount(measure)) return null;
  const { better, worse, undecided, untested } = sidesOf(state);
  const are = (runs) => `${listed(runs)} ${runs.length === 1 ? "is" : "are"}`;
  const said = [
    better.length && `${are(better)} significantly better`,
    worse.length && `${are(worse)} significantly worse`,
    undecided.length && `${are(undecided)} not significantly different from it`,
    untested.length && `${are(untested)} not compared with it`,
  ].filter(Boolean);
  return make("p", { id: "baseline-sentence" }, `Against ${baseline} by ${measure}: ${said.join("; ")}.`);
}

function countedAgainst(state) {
  const { better, worse, undecided, untested } = sidesOf(state);
  return [
    [better, "better"], [worse, "worse"], [undecided, "not significantly different"], [untested, "not compared"],
  ].filter(([runs]) => runs.length).map(([runs, said]) => `${whole(runs.length)} ${said}`).join(", ");
}
