// How far the measures agree, how often they tie, and what the runs answered.

function showAgreement({ group }) {
  const correlations = pick("correlations", { group });
  if (!correlations.length) return show("agreement");
  const signs = pick("sign_agreement", { group });
  show("agreement",
    title("agreement-title", "Agreement of the measures"),
    title("tau-title", "Kendall’s τ between the orderings of the runs", "h3"),
    note("1: the same order; 0: unrelated orders; −1: the reverse order."),
    matrix("tau", "Kendall’s τ", (a, b) =>
      (correlations.find((row) => row.ordering_a === a && row.ordering_b === b)
        ?? correlations.find((row) => row.ordering_a === b && row.ordering_b === a))?.correlation ?? null),
    title("signs-title", "Agreement on pairs of rankings", "h3"),
    note("Of the pairs of rankings that the measure of the row does not tie: the share of which the "
      + "measure of the column prefers the same. ", facts.notes.once),
    matrix("signs", "Agreement on pairs of rankings", (a, b) =>
      signs.find((row) => row.measure_a === a && row.measure_b === b)?.agreement ?? null));
}

function matrix(id, caption, value) {
  const measures = facts.measures.map(({ name }) => name);
  const cell = (a, b) => {
    if (a === b) return make("td", { class: "same" }, "");
    const found = value(a, b);
    return make("td", { class: "right", style: found === null ? {} : shade(found) }, found === null ? NONE : fixed(found, 3));
  };
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", { id: `${id}-table`, class: "matrix" },
      make("caption", { class: "unseen" }, caption),
      make("thead", {}, make("tr", {}, make("td", {}), measures.map((name) => make("th", { scope: "col", class: "right" }, name)))),
      make("tbody", {}, measures.map((a) => make("tr", {}, make("th", { scope: "row", class: "left" }, a), measures.map((b) => cell(a, b)))))));
}

function showTies({ group, test, correction }) {
  const power = new Map(pick("power", { group, test, correction }).map((row) => [row.measure, row]));
  const ties = new Map(pick("tie_rates", { group }).map((row) => [row.measure, row]));
  const rows = facts.measures.filter(({ name }) => ties.has(name))
    .map(({ name }) => ({ name, ...ties.get(name), power: power.get(name) }));
  if (!rows.length) return show("ties");
  const columns = [
    { title: "measure", side: "left", isHead: true, value: (row) => row.name },
    { title: "pairs of rankings", value: (row) => row.n, show: (row) => whole(row.n) },
    { title: "tied", value: (row) => row.ties, show: (row) => whole(row.ties) },
    { title: "tie rate", value: (row) => row.tie_rate, show: (row) => number(row.tie_rate, 3) },
    { title: "", side: "left", show: (row) => shareBar(row.tie_rate) },
    { title: "pairs of runs", value: (row) => row.power?.n_pairs ?? null, show: (row) => whole(row.power?.n_pairs) },
    { title: "significant pairs", value: (row) => row.power?.n_significant ?? null, show: (row) => whole(row.power?.n_significant) },
    { title: "power", help: "Share of the pairs of runs that differ significantly", value: (row) => row.power?.power ?? null, show: (row) => number(row.power?.power ?? null, 3) },
  ];
  show("ties",
    title("ties-title", "Ties and power"),
    note("How often two rankings of one request tie by a measure, and how many pairs of runs differ "
      + `significantly (${test} test, ${correction}). ${facts.notes.once && `Ties are ${facts.notes.once.toLowerCase()}`}`),
    table("tie-rates", "Ties and power by measure", columns, rows, { filter: false }));
}

function showCoverage() {
  const rows = rowsOf("coverage");
  const ofTies = (name) => /_(min|max)$|^tied|^largest_tie|^one_score/.test(name);
  // Mostly no grade is below 0 and no ranking of one score: a column of zeros would only take room.
  const isShown = (name) => name !== "group" && name !== "run"
    && (!["negative", "one_score", "own_first"].includes(name) || rows.some((row) => row[name]));
  const named = rows.length ? Object.keys(rows[0]).filter(isShown) : [];
  const columns = (names) => [
    { title: "run", side: "left", isHead: true, value: (row) => row.run },
    ...names.map((name) => ({
      title: name.replaceAll("_", " "), value: (row) => row[name],
      show: (row) => (/_(min|max|share)$|_at_/.test(name) ? number(row[name]) : whole(row[name])),
    })),
  ];
  // All columns in one table would be wider than most windows.
  show("coverage",
    title("coverage-title", "Coverage"),
    facts.notes.coverage.map((said) => note(said)),
    facts.notes.once && note(facts.notes.once),
    rows.length && [
      table("coverage", "What the runs answered", columns(named.filter((name) => !ofTies(name))), rows),
      title("tied-title", "Documents of equal score", "h3"),
      note("Relevant documents that share their score with others, and means with these at their worst and at their best ranks."),
      named.includes("tied_share") && note("Tied: all documents that share their score with another one of their list, and their share of "
        + "all places; largest tie: the documents of the greatest such group."),
      table("tied", "What ties could change", columns(named.filter(ofTies)), rows),
    ]);
}
