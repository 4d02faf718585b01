// Several collections: a menu of them, an overview, and the page that each has alone.

const MOST_IN_PANELS = 10; // of more runs, the panels have those with the best mean ranks

const OVERVIEW = {
  firsts: [showFirsts, ["measure", "group"]],
  cells: [showCells, ["measure", "group"]],
  panels: [showPanels, ["measure", "group"]],
  each: [showEach, ["measure", "group"]],
};

const addressOf = (name) => `#${new URLSearchParams([["collection", name], ...unusual()])}`;
const linkTo = (name) => make("a", { href: addressOf(name) }, name);
const inCollections = (n) => counted(n, "collection");

function showFirsts({ measure, group }) {
  const n = pick("collections", { measure, group }).length;
  show("firsts",
    title("firsts-title", "Verdict"),
    make("p", { class: "headline" }, firstsInWords(measure, group, n)),
    facts.said[measure] && make("p", { id: "over-sentence" }, facts.said[measure]));
}

// What is said of each collection.
function showEach({ measure, group }) {
  const rows = pick("collections", { measure, group });
  const columns = [
    { title: "collection", side: "left", isHead: true, value: (row) => row.collection, show: (row) => linkTo(row.collection) },
    { title: "size", side: "left", show: (row) => `${counted(row.n_runs, "run")}, ${counted(row.n, "request")}` },
    { title: "first", side: "left", show: (row) => names(row.best ?? [], row.is_best ? "strong" : "span") },
    { title: "significant pairs", show: (row) => row.told || NONE },
    { title: "verdict", side: "left", show: (row) => row.sentence || NONE },
  ];
  show("each",
    title("each-title", `Each collection by ${measure}`),
    table("of-collections", `The verdict of each collection by ${measure}`, columns, rows, { filter: false, kind: "stacked" }),
    note("A run that differs significantly from all others is bold. Choose a collection to see more of it."));
}

// Which run is first in how many collections.
function firstsInWords(measure, group, n) {
  if (isCount(measure)) return `More is not better by ${measure}: nothing is ranked by a count.`;
  const firsts = pick("over", { measure, group }).filter((row) => row.first);
  if (facts.runs.length === 1 || !firsts.length) return `By ${measure} no run is first of several.`;
  const alike = new Map(); // how often: the runs that are first as often
  for (const { run, first } of [...firsts].sort((x, y) => y.first - x.first)) {
    alike.set(first, [...(alike.get(first) ?? []), run]);
  }
  const [[most, leading], ...others] = alike;
  const all = most === n && n > 1 ? `all ${inCollections(n)}` : `${most} of ${inCollections(n)}`;
  const rest = others.map(([first, runs]) => `; ${listed(runs)} in ${first}`).join("");
  return `By ${measure}${facts.by.length ? ` for ${group}` : ""}, ${listed(leading)} ${leading.length > 1 ? "are each" : "is"} first in ${all}${rest}.`;
}

// Runs × collections: the means by a measure, the best of each collection marked.
function showCells({ measure, group }) {
  const rows = pick("over", { measure, group });
  const shown = pick("collections", { measure, group }).map((row) => row.collection);
  const means = new Map(shown.map((collection) => [collection, byRun(pick("means", { collection, measure, group }))]));
  const isRanked = !isCount(measure) && facts.runs.length > 1;
  const columns = [
    { title: "run", side: "left", isHead: true, value: (row) => row.run, show: (row) => row.run },
    { title: "mean", help: "The mean over the collections, each once", value: (row) => row.mean, show: (row) => number(row.mean) },
    isRanked && { title: "mean rank", value: (row) => row.rank, show: (row) => number(row.rank, 2), rising: true },
    isRanked && { title: "first in", value: (row) => row.first, show: (row) => whole(row.first) },
    ...shown.map((name) => ({
      title: name,
      value: ({ run }) => means.get(name).get(run)?.mean ?? null,
      show: ({ run }) => meanAndRank(means.get(name).get(run), null, means.get(name).get(run)),
    })),
  ].filter(Boolean);
  const lacking = rows.filter((row) => row.n < shown.length).length;
  const isShare = measureOf(measure).cells?.kind !== "scores";
  show("cells",
    title("cells-title", `Runs in collections by ${measure}`),
    note(`${isShare ? "Shares of requests won against the other runs" : "Means over the requests"} of each collection. ${legend([measure])}`
      + (lacking ? ` ${counted(lacking, "run")} without results in some collections: no mean over all.` : "")),
    table("cells", `Means of runs in collections by ${measure}`, columns, rows, { sort: { title: "mean rank", falling: false } }));
}

// A small picture for each collection: the means of the runs and their intervals, with one scale.
function showPanels({ measure, group }) {
  const over = pick("over", { measure, group });
  const rows = pick("means", { measure, group });
  const ends = rows.flatMap((row) => [row.ci_low, row.ci_high, row.mean]).filter(Number.isFinite);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const x = scale(low, high, SMALL.width);
  const runs = over.slice(0, MOST_IN_PANELS).map((row) => row.run);
  const order = over.some((row) => row.rank !== null) ? "mean ranks" : "names";
  show("panels",
    title("panels-title", `Means in each collection by ${measure}`),
    note(`All pictures have one scale, from ${number(low)} to ${number(high)}, and the runs in the order of their ${order}; `
      + `${level()} intervals, a diamond is the best of a collection.${runs.length < over.length ? ` Shown are the first ${runs.length} of ${over.length} runs.` : ""}`),
    make("div", { class: "panels" }, pick("collections", { measure, group }).map(({ collection }) =>
      panel(collection, runs, byRun(pick("means", { collection, measure, group })), x, [low, high]))));
}

function panel(collection, runs, means, x, ends) {
  const drawRow = (run) => {
    const row = means.get(run);
    const label = () => `${run}: ${number(row.mean)} (${number(row.ci_low)} to ${number(row.ci_high)})`;
    return make("tr", {}, make("th", { scope: "row", title: run }, run), make("td", {}, row
      ? whisker({ mean: row.mean, low: row.ci_low, high: row.ci_high, isBest: row.mark?.includes("*") }, x, label())
      : NONE));
  };
  const { width, height } = SMALL;
  const axis = picture(`from ${number(ends[0])} to ${number(ends[1])}`, width, height,
    drawn("line", { class: "axis", x1: x(ends[0]), x2: x(ends[1]), y1: 2, y2: 2 }),
    ends.map((end, n) => drawn("text", { class: "tick", x: x(end), y: 16, "text-anchor": n ? "end" : "start" }, number(end, 3))));
  return make("figure", {}, make("figcaption", {}, linkTo(collection)),
    make("table", {}, make("caption", { class: "unseen" }, `Means in ${collection}`),
      make("tbody", {}, runs.map(drawRow)), make("tfoot", {}, make("tr", {}, make("td"), make("td", {}, axis)))));
}

async function startOverview() {
  startTheme();
  const of = (id) => document.getElementById(id);
  const overview = await unpacked();
  const collections = overview.facts.collections;
  const whole = { title: document.title, provenance: of("provenance").lastElementChild.textContent };
  const place = (name) => collections.findIndex((one) => one.name === name);
  const asked = () => place(new URLSearchParams(location.hash.slice(1)).get("collection"));
  several = {
    shown: null, // the place of the collection, and −1 for the overview
    address: () => (several.shown < 0 ? [] : [["collection", collections[several.shown].name]]),
    menu: () => choice("collection", "Collection",
      [{ value: "", label: `All ${inCollections(collections.length)}` }, ...plainly(collections.map(({ name }) => name))],
      collections[several.shown]?.name ?? "", (name) => { location.hash = addressOf(name); }),
  };
  async function open(n) {
    several.asked = n;
    const data = n < 0 ? overview : await unpacked(`-${n}`);
    if (several.asked !== n) return; // another one was chosen meanwhile
    const [focused, isFirst] = [document.activeElement?.id, several.shown === null];
    several.shown = n;
    sections = n < 0 ? OVERVIEW : SECTIONS;
    take(data);
    of("catalogue").replaceChildren(...(n < 0 ? [] : [of(`catalogue-${n}`).content.cloneNode(true)]));
    of("provenance").lastElementChild.textContent = n < 0 ? whole.provenance : of(`provenance-${n}`).content.textContent;
    document.title = n < 0 ? whole.title : `${collections[n].name}: ${collections[n].title}`;
    document.querySelector("h1").textContent = document.title;
    drawAll();
    writeAddress();
    of("overview").hidden = n >= 0;
    of("report").hidden = n < 0;
    if (isFirst) return;
    scrollTo(0, 0);
    (of(focused) ?? of(n < 0 ? "firsts-title" : "verdict-title")).focus();
  }
  await open(asked());
  addEventListener("hashchange", () => {
    if (location.hash && !location.hash.includes("=")) return; // a place on the page
    if (asked() === several.asked) change(fromAddress());
    else open(asked()).catch(failed);
  });
}
