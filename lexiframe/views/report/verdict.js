// The verdict: which runs are first, in a sentence and a line for each measure; one that is told
// apart from all others is bold.

function showVerdict(state) {
  const { group, test, correction, measure } = state;
  const rows = pick("conclusions", { group, test, correction });
  const said = rows.find((row) => row.measure === measure);
  const isAlone = facts.runs.length === 1;
  const hasNear = rows.some((row) => row.near.length);
  const columns = [
    {
      title: "measure", side: "left", isHead: true,
      show: (row) => measureButton(row.measure, row.measure === measure),
    },
    { title: "first", side: "left", show: (row) => names(row.best, row.is_best ? "strong" : "span") },
    { title: "pairs told apart", show: (row) => row.told.replace(/\d+/g, (n) => whole(Number(n))) },
    hasNear && { title: "not significantly worse", side: "left", show: (row) => names(row.near) },
  ].filter(Boolean);
  const ordered = facts.measures.flatMap(({ name }) => rows.filter((row) => row.measure === name));
  show("verdict",
    title("verdict-title", "Verdict"),
    isAlone ? rows.map((row) => make("p", { class: "headline second" }, row.sentence)) : headline(group),
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
