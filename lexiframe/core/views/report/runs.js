// The runs: means with their intervals and marks, ranks with how stable they are, a baseline.

function showMeans(state) {
  const { group, measure, test, correction } = state;
  const only = { group, measure };
  const means = pick("means", only);
  const rows = means.length ? joined(means, only, { test, correction }) : [];
  const [least, most] = [Math.min, Math.max].map((end) => end(...rows.map((row) => row.n)));
  const over = least < most ? `${whole(least)} to ${counted(most, "request")}` : counted(rows[0]?.n, "request");
  const isShare = measureOf(measure).cells?.kind !== "scores";
  const { byWeight } = facts.notes;
  const what = isShare ? `shares of ${byWeight ? "weight" : "requests"} won against the other runs` : "means";
  show("means",
    title("means-title", `Runs by ${measure}`),
    note(`${what[0].toUpperCase()}${what.slice(1)} over ${over}${byWeight}, with `
      + `${level()} intervals. ${intervalNotes("means", only)}${orderedBy(rows)}${legend([measure])}`),
    rows.length
      ? table("of-measure", `Means and ranks by ${measure}`, columnsOfMeans(rows, state), rows, {
        sort: { title: "rank", falling: false },
      })
      : note("No request counts for this measure."),
    isCount(measure) ? null : stabilityNote(most),
    title("all-title", "All measures", "h3"),
    note(facts.runs.length > 1 ? "Means, and behind each the rank by that measure. " : "Means. ",
      legend(facts.measures.map(({ name }) => name))),
    allMeasures(state));
}

function orderedBy(rows) {
  const method = rows[0]?.method ?? "mean";
  if (method.startsWith("mean(")) return "Each run is ranked by the requests that it has. ";
  return method === "mean" ? "" : `Ranks are those of ${method}, whose value stands behind the run. `;
}

// What is to be said of the intervals of a table: that some are cut, and that requests are few.
const intervalNotes = (name, { group, measure }) =>
  pick("interval_notes", { table: name, group, measure }).map(({ said }) => `${said} `).join("");

const level = () => `${number(100 * (1 - facts.inference.alpha), 1).replace(/\.0$/, "")} %`;

function legend(measures) {
  const { baseline, alternative } = facts.inference;
  if (facts.runs.length === 1) return "";
  const sides = {
    greater: `▲ significantly better than ${baseline}`, less: `▼ significantly worse than ${baseline}`,
  };
  const marks = baseline !== null
    ? `* the best mean; ${sides[alternative] ?? `${sides.greater}, ▼ worse`}.`
    : `* the best mean${alternative === "two-sided" ? "; ~ not significantly different from any run with *" : ""}.`;
  const ranked = measures.filter((name) => !isCount(name)
    && pick("means", { measure: name }).some((row) => row.rank !== null)); // else runs lack requests
  const smaller = ranked.filter((name) => measureOf(name).cells?.smaller);
  const counts = measures.filter(isCount);
  const isUntested = measures.some((measure) => pick("marks", { measure }).some(({ mark }) => mark.includes("?")));
  const untested = `? not tested against ${baseline ?? "a run with *"}: fewer than two requests in common.`;
  return [ranked.length && marks, isUntested && untested, smaller.length && `Smaller is better by ${smaller.join(", ")}.`,
    counts.length && `More is not better by ${counts.join(", ")}: nothing is ranked by a count.`].filter(Boolean).join(" ");
}

function stabilityNote(n) {
  if (!facts.notes.stability.length || facts.runs.length === 1) return null;
  if (n === 1) return note("One request does not show how stable the ranks are.");
  return note("Ranks in samples: the requests are drawn anew with replacement, and the runs ordered "
    + `again. ${facts.notes.stability.join("; ")}.`);
}

function joined(means, only, how) {
  const ranks = byRun(pick("orderings", only));
  const marks = byRun(pick("marks", { ...only, ...how }));
  const stable = ranksByRun(pick("rank_distributions", only));
  const byName = [...means].sort((x, y) => numberOf.get(x.run) - numberOf.get(y.run));
  return byName.map((row) => ({
    ...row,
    ...(ranks.get(row.run) ?? { value: null, rank: row.rank, method: "mean" }),
    mark: marks.get(row.run)?.mark ?? "",
    stable: row.n > 1 ? stable.get(row.run) : [], // samples of one request are all the same
  }));
}

function ranksByRun(rows) {
  const ranks = new Map(facts.runs.map((run) => [run, []]));
  for (const row of rows) ranks.get(row.run).push(row);
  return ranks;
}

const byRun = (rows) => new Map(rows.map((row) => [row.run, row]));

function columnsOfMeans(rows, state) {
  const ends = rows.flatMap((row) => [row.ci_low, row.ci_high, row.mean]).filter(Number.isFinite);
  const x = scale(Math.min(...ends), Math.max(...ends), SMALL.width);
  const isRanked = rows.length > 1 && !isCount(state.measure) && rows.some((row) => row.rank !== null);
  const method = rows[0].method;
  const label = (row) => `${row.run}: ${number(row.mean)} (${number(row.ci_low)} to ${number(row.ci_high)})`;
  const ofMethod = !/^mean(\(|$)/.test(method) && { title: method, value: (row) => row.value, show: (row) => number(row.value) };
  return [
    isRanked && { title: "rank", value: (row) => row.rank, show: (row) => rank(row.rank), rising: true },
    { title: "run", side: "left", isHead: true, value: (row) => row.run, show: (row) => nameOf(row.run, state) },
    ofMethod,
    { title: "mean", value: (row) => row.mean, show: (row) => marked(row.mean, row.mark) },
    {
      title: "interval", side: "left",
      show: (row) => whisker({ mean: row.mean, low: row.ci_low, high: row.ci_high, isBest: row.mark.includes("*") }, x, label(row)),
    },
    { title: "low", value: (row) => row.ci_low, show: (row) => number(row.ci_low) },
    { title: "high", value: (row) => row.ci_high, show: (row) => number(row.ci_high) },
    state.baseline !== null && rows.length > 1 && {
      title: `against ${state.baseline}`, side: "left", help: "The mean difference to the baseline, positive where the run is better",
      value: (row) => comparisonOf(row.run, state.baseline, state)?.mean_difference ?? null,
      show: (row) => differenceTo(state.baseline, row.run, state),
    },
    isRanked && {
      title: "ranks in samples", side: "left",
      show: (row) => (row.stable.length ? rankBars(row.stable, facts.runs.length) : NONE),
    },
    isRanked && {
      title: "most often", help: "The rank that the run has in most samples",
      value: (row) => likeliest(row)?.probability ?? null,
      show: (row) => (likeliest(row) ? `${rank(likeliest(row).rank)} (${percent(likeliest(row).probability)})` : NONE),
    },
    { title: "n", value: (row) => row.n, show: (row) => whole(row.n) },
    facts.notes.byWeight && {
      title: "n*", help: "So many requests that count alike tell as much",
      value: (row) => row.n_effective, show: (row) => number(row.n_effective, 1),
    },
  ].filter(Boolean);
}

// The mean difference to the baseline, and what the test says of it.
function differenceTo(baseline, run, state) {
  if (run === baseline) return NONE;
  const c = comparisonOf(run, baseline, state);
  return c ? `${number(c.mean_difference)} ${toldApart(c)}` : "not compared";
}

function likeliest(row) {
  return row.stable.reduce((most, one) => (!most || one.probability > most.probability ? one : most), null);
}

const marked = (mean, mark) => [number(mean), make("span", { class: "mark" }, facts.runs.length > 1 ? mark : "")];

function nameOf(run, { baseline }) {
  return run === baseline ? [run, " ", make("span", { class: "tag" }, "baseline")] : run;
}

function allMeasures(state) {
  const { group, test, correction } = state;
  const measures = facts.measures.map(({ name }) => name);
  const means = new Map(measures.map((name) => [name, byRun(pick("means", { group, measure: name }))]));
  const isRanked = (name) => facts.runs.length > 1 && !isCount(name);
  const ranks = new Map(measures.map((name) =>
    [name, byRun(isRanked(name) ? pick("orderings", { group, measure: name }) : [])]));
  const marks = new Map(measures.map((name) =>
    [name, byRun(pick("marks", { group, measure: name, test, correction }))]));
  const columns = [
    { title: "run", side: "left", isHead: true, value: (run) => run, show: (run) => nameOf(run, state) },
    ...measures.map((name) => ({
      title: name,
      help: "Sort by the mean",
      value: (run) => means.get(name).get(run)?.mean ?? null,
      show: (run) => meanAndRank(means.get(name).get(run), ranks.get(name).get(run), marks.get(name).get(run)),
    })),
  ];
  const first = (run) => ranks.get(state.measure).get(run)?.rank ?? Infinity;
  const runs = [...facts.runs].sort((a, b) => first(a) - first(b));
  return table("all-measures", "Means of all runs by all measures", columns, runs);
}

function meanAndRank(mean, ordered, mark) {
  if (!mean) return NONE;
  const said = marked(mean.mean, mark?.mark ?? "");
  const best = mark?.mark.includes("*");
  const place = ordered ? make("span", { class: "place" }, rank(ordered.rank)) : "";
  return make(best ? "strong" : "span", {}, ...said, place);
}

// All runs against one of them, in the order of what the test compares.
function showBaseline(state) {
  const { baseline, measure } = state;
  if (baseline === null) return show("baseline");
  const others = facts.runs.filter((run) => run !== baseline);
  const rows = others
    .map((run) => ({ run, ...winsOf(run, baseline, state), c: comparisonOf(run, baseline, state) }))
    .filter((row) => row.c !== null);
  show("baseline",
    title("baseline-title", `Against ${baseline} by ${measure}`),
    note(familyOf(state)),
    rows.length < others.length && note(`${counted(others.length - rows.length, "other run")} not compared with `
      + `${baseline}: the comparisons of this evaluation are those with ${facts.inference.baseline ?? "other runs"}. `
      + "Evaluate again with this baseline, or without one, to compare all."),
    rows.length > 0 && table("against", `Runs against ${baseline}`, columnsAgainst(rows), rows, {
      sort: { title: "mean difference", falling: true },
    }));
}

function familyOf(state) {
  const { correction, test, measure } = state;
  const cut = intervalNotes("comparisons", state).trimEnd();
  const { alternative, baseline, family, alpha } = facts.inference;
  const all = family === "all" ? " of all measures" + (facts.by.length ? " and groups" : "") : " of a measure";
  const pairs = baseline === null ? `all pairs of runs${all}, not only these` : `the comparisons with ${baseline}${all}`;
  const corrected = correction === "none" ? "p-values are not corrected" : `p-values are corrected (${correction}) over ${pairs}`;
  const side = alternative === "two-sided" ? "" : " The test is one-sided: it asks about the run whose "
    + "name comes first in the table of comparisons; p-values are not turned.";
  const more = isCount(measure) ? "has more" : "is better";
  return `Differences are positive where the run ${more}. ${test} test; ${corrected}; `
    + `significant below α = ${alpha}; ${level()} intervals of single comparisons.${cut && " "}${cut}${side}`;
}

function columnsAgainst(rows) {
  const ends = rows.flatMap(({ c }) => [c.ci_low, c.ci_high, c.mean_difference, 0]).filter(Number.isFinite);
  const x = scale(Math.min(...ends), Math.max(...ends), SMALL.width);
  const of = (name, decimals = 4) => ({
    value: (row) => row.c[name], show: (row) => number(row.c[name], decimals),
  });
  return [
    { title: "run", side: "left", isHead: true, value: (row) => row.run },
    { title: "mean difference", ...of("mean_difference") },
    { title: "verdict", side: "left", value: (row) => toldApart(row.c), show: (row) => toldApart(row.c) },
    {
      title: "interval", side: "left",
      show: ({ run, c }) => whisker({ mean: c.mean_difference, low: c.ci_low, high: c.ci_high, zero: 0 }, x,
        `${run}: ${number(c.mean_difference)} (${number(c.ci_low)} to ${number(c.ci_high)})`),
    },
    { title: "low", ...of("ci_low") },
    { title: "high", ...of("ci_high") },
    { title: "effect size", ...of("effect_size", 3) },
    { title: "p", value: (row) => row.c.p_value, show: (row) => probability(row.c.p_value), rising: true },
    { title: "corrected p", value: (row) => row.c.p_adjusted, show: (row) => probability(row.c.p_adjusted), rising: true },
    { title: "won", value: (row) => row.wins, show: (row) => whole(row.wins) },
    { title: "lost", value: (row) => row.losses, show: (row) => whole(row.losses) },
    { title: "tied", value: (row) => row.ties, show: (row) => whole(row.ties) },
    { title: "n", value: (row) => row.c.n, show: (row) => whole(row.c.n) },
  ];
}

// ▲ and ▼ are significantly better and worse, by what the test compares.
function toldApart(c) {
  if (c.n === 0) return "no request in common";
  if (!c.reject) return "not significantly different";
  const gain = c.turned ? minus(c.gain) : c.gain;
  if (isCount(c.measure)) return gain > 0 ? "▲ more" : "▼ fewer";
  return gain > 0 ? "▲ better" : "▼ worse";
}
