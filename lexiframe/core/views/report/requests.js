// A request: both rankings as strips of positions, with the items and levels that decide.

// What is found at a place: documents at ranks, or nuggets in the sentences of answers.
const NUGGETS = {
  item: "nugget", items: "nuggets", rank: "sentence", found: "stated", grade: (g) => (g > 1 ? "vital" : "okay"),
};
const ITEMS = {
  item: "item", items: "relevant items", rank: "rank", found: "retrieved", grade: (g) => `grade ${g}`,
};
let words = null;

function showRequest(state) {
  const { pair, request: q } = state;
  if (!pair || q === null) return show("request");
  const [run, other] = pair;
  const id = facts.queries.ids[q];
  const text = facts.queries.texts[id];
  show("request",
    title("request-title", `Request ${id}`),
    text && make("blockquote", {}, text),
    make("p", { class: "buttons" },
      make("button", { type: "button", class: "quiet", onclick: () => close({ request: null }, "requests-title") }, "Close")),
    table("request-measures", `Request ${id} by all measures`, columnsOfRequest(run, other), measuresOfRequest(q, run, other), { filter: false }),
    facts.positions ? rankings(q, run, other) : note(facts.why_none || "The rankings are not known."));
}

function measuresOfRequest(q, run, other) {
  return facts.measures
    .map(({ name }) => ({ name, ...contrast(name, q, run, other), chance: chancesOf(name, q, run, other) }))
    .filter((row) => row.preference !== null);
}

function columnsOfRequest(run, other) {
  return [
    { title: "measure", side: "left", isHead: true, value: (row) => row.name },
    { title: run, value: (row) => row.a, show: (row) => number(row.a) },
    { title: other, value: (row) => row.b, show: (row) => number(row.b) },
    { title: "difference", value: (row) => row.preference, show: (row) => number(row.preference) },
    {
      title: "better", side: "left", value: (row) => row.preference,
      show: (row) => (row.preference === 0 ? "tie" : isCount(row.name) ? NONE : row.preference > 0 ? run : other),
    },
    ...columnsOfChances(facts.measures.some(({ cells }) => cells?.chances), run, other),
  ];
}

// The chances over all orders of equal scores, where a measure has them.
function columnsOfChances(areThere, run, other) {
  const column = (side, name) => ({
    title: `chance of ${side}`, help: `How often ${name} is better, over all orders of equal scores`,
    value: (row) => row.chance[side], show: (row) => number(row.chance[side]),
  });
  return areThere ? [column("first", run), column("second", other)] : [];
}

// The lexicographic measures, with the level at which each tells the two rankings apart.
function decisions(q, run, other) {
  return facts.measures.filter((measure) => measure.decides).map(({ name, decides }) => ({
    name, decides, level: decidingLevel(decides, itemsOf(q, run), itemsOf(q, other)),
  }));
}

function rankings(q, run, other) {
  const [of_run, of_other] = [levelsOf(itemsOf(q, run)), levelsOf(itemsOf(q, other))];
  if (!of_run.length) return note("No item is relevant to this request.");
  const decided = decisions(q, run, other);
  const said = decided.map(({ name, level, decides }) =>
    (level === null ? `${name}: a tie` : `${name} is decided at recall level ${level}${short(decides)}`));
  return make("div", {},
    title("strips-title", `Where the ${words.items} are`, "h3"),
    note(`Each mark is one of the ${words.items} at its ${words.rank} (top: ${run}, bottom: ${other}); lines join the same ${words.item}. `
      + `What was not ${words.found} stands behind the dashed line. ${said.join("; ")}${said.length ? ". " : ""}${facts.notes.ranks}`),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Strips of positions" },
      strips(q, run, other, of_run, of_other, decided)),
    title("levels-title", "Recall level by recall level", "h3"),
    table("levels", `The ${words.items} by recall level`, columnsOfLevels(run, other), levelRows(of_run, of_other, decided), {
      sort: { title: "level", falling: false }, most: 25, rowClass: (row) => (row.decides ? "chosen" : null),
    }),
    facts.nuggets ? null : tried(q, run, other)); // a sentence has several nuggets: no list of them
}

// The two rankings to be tried out: how would measures change if documents stood elsewhere?
function tried(q, run, other) {
  const runs = [run, other];
  const items = runs.map((name) => itemsOf(q, name));
  const lists = items.map((found, n) => {
    const list = Array(Math.max(depthOf(q, runs[n]), ...found.map((item) => item.rank ?? 0))).fill(null);
    for (const { doc, rank } of found) if (rank !== null) list[rank - 1] = doc;
    return [...list, END, ...found.filter((item) => item.rank === null).map((item) => item.doc)];
  });
  const grades = new Map(items[0].map(({ doc, grade }) => [doc, grade]));
  const scale = [0, ...new Set([...grades.values()].sort((x, y) => x - y))];
  const titles = runs.map((name, n) => `${NAMES[n]}: ${name}`);
  const label = (doc) => facts.texts[doc]?.title ?? doc;
  const details = make("details", { id: "tried", ontoggle: () => {
    if (details.open && details.children.length === 1) details.append(twoRankings({ titles, lists, grades, scale, label }));
  } }, make("summary", {}, "Try it: move and mark the documents, and see what measures say"));
  return details;
}

const short = ({ rel, cutoff }) =>
  (rel === null ? "" : ` of grades from ${rel}`) + (cutoff === null ? "" : ` within rank ${cutoff}`);

const isWhole = ({ rel, cutoff }) => rel === null && cutoff === null;

function levelRows(of_run, of_other, decided) {
  return of_run.map((item, n) => ({
    level: n + 1, a: item, b: of_other[n],
    decides: decided.filter((one) => one.level === n + 1 && isWhole(one.decides)).map((one) => one.name).join(", "),
  }));
}

function columnsOfLevels(run, other) {
  const better = ({ a, b }) => Math.sign((b.rank ?? Infinity) - (a.rank ?? Infinity)) || 0;
  return [
    { title: "level", value: (row) => row.level, show: (row) => whole(row.level), rising: true },
    { title: `${words.rank} in ${run}`, value: (row) => row.a.rank, show: (row) => whole(row.a.rank), rising: true },
    { title: `${words.item} in ${run}`, side: "left", value: (row) => row.a.doc, also: (row) => facts.texts[row.a.doc]?.title, show: (row) => documentOf(row.a) },
    { title: "better", side: "left", value: better, show: (row) => (better(row) > 0 ? "◀ first" : better(row) < 0 ? "second ▶" : "=") },
    { title: `${words.rank} in ${other}`, value: (row) => row.b.rank, show: (row) => whole(row.b.rank), rising: true },
    { title: `${words.item} in ${other}`, side: "left", value: (row) => row.b.doc, also: (row) => facts.texts[row.b.doc]?.title, show: (row) => documentOf(row.b) },
    { title: "decides", side: "left", value: (row) => row.decides, show: (row) => row.decides || "" },
  ];
}

function documentOf({ doc, grade }) {
  const known = facts.texts[doc] ?? {};
  return make("span", { class: "document" },
    known.image ? make("img", { src: known.image, alt: known.title ?? doc, loading: "lazy" }) : null,
    known.title ? make("span", {}, known.title, " ") : null,
    make("span", { class: known.title ? "soft" : null }, doc),
    make("span", { class: "soft" }, ` ${words.grade(grade)}`),
    known.link ? make("a", { href: known.link, target: "_blank", rel: "noopener noreferrer" }, " image") : null);
}

const STRIP = { width: 860, height: 250, top: 70, bottom: 175, left: 20, right: 70 };

function strips(q, run, other, of_run, of_other, decided) {
  const { width, height, top, bottom, left, right } = STRIP;
  const deepest = Math.max(depthOf(q, run), depthOf(q, other), 10);
  const end = width - right;
  // The first ranks need more room than the last: the axis is logarithmic.
  const at = (place) => left + (Math.log(place) / Math.log(deepest)) * (end - left);
  const missed = (n) => end + 18 + Math.min(n, 4) * 8;
  const place = (levels) => {
    let n = 0;
    return new Map(levels.map((item) => [item.doc, item.rank === null ? missed(n++) : at(item.rank)]));
  };
  const [x_run, x_other] = [place(of_run), place(of_other)];
  const lines = of_run.filter((item) => item.rank !== null || of_other.find((one) => one.doc === item.doc).rank !== null)
    .map((item) => drawn("line", {
      class: "joint", x1: x_run.get(item.doc), y1: top, x2: x_other.get(item.doc), y2: bottom,
    }));
  const missing = (name) => `${(name === run ? of_run : of_other).filter((item) => item.rank === null).length} not ${words.found}`;
  const ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000, 1000000].filter((p) => p <= deepest);
  const svg = drawn("svg", {
    id: "strips", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Places of the ${words.items} in ${run} and ${other}; the table below has them all`,
  },
  drawn("line", { class: "beyond", x1: end + 8, x2: end + 8, y1: top - 12, y2: bottom + 12 }),
  [[run, top, depthOf(q, run)], [other, bottom, depthOf(q, other)]].map(([name, y, depth]) => [
    drawn("line", { class: "strip", x1: left, x2: at(Math.max(depth, 1)), y1: y, y2: y }),
    drawn("text", { x: left, y: y === top ? 18 : height - 8, class: "label" }, nameOnStrip(name)),
    drawn("text", { x: width, y: y === top ? 18 : height - 8, class: "tick", "text-anchor": "end" }, missing(name)),
  ]),
  ticks.map((p) => drawn("text", { x: at(p), y: (top + bottom) / 2 + 4, class: "tick", "text-anchor": "middle" }, String(p))),
  lines,
  marksOf(of_run, x_run, top, "first"), marksOf(of_other, x_other, bottom, "second"),
  together(decided).map((one, n) => rings(one, n, q, [[run, x_run, top], [other, x_other, bottom]])),
  );
  return svg;
}

const nameOnStrip = (name) => (name.length > 90 ? `${name.slice(0, 90)}…` : name);

function marksOf(levels, x, y, side) {
  return levels.map((item, n) => {
    const known = facts.texts[item.doc]?.title;
    const where = item.rank === null ? `not ${words.found}` : `${words.rank} ${item.rank}`;
    return drawn("circle", {
      class: item.rank === null ? `${side} item missed` : `${side} item`, cx: x.get(item.doc), cy: y, r: 5,
    }, drawn("title", {}, `${known ? `${known} (${item.doc})` : item.doc}: ${where}, level ${n + 1} of ${levels.length}, ${words.grade(item.grade)}`));
  });
}

// Measures that the same level decides share a ring.
function together(decided) {
  const rings = new Map();
  for (const one of decided.filter(({ level }) => level !== null)) {
    const key = JSON.stringify([one.level, one.decides.rel, one.decides.cutoff]);
    rings.set(key, { ...one, name: [rings.get(key)?.name, one.name].filter(Boolean).join(", ") });
  }
  return [...rings.values()];
}

// A ring round the items of the level that decides, and the measure's name beside it.
function rings({ name, level, decides }, n, q, sides) {
  return sides.map(([run, x, y], side) => {
    const item = levelsOf(itemsOf(q, run), decides)[level - 1];
    const at = x.get(item.doc);
    return [
      drawn("circle", { class: "ring", cx: at, cy: y, r: 9 + 3 * n }),
      drawn("text", { x: at, y: side === 0 ? y - 14 - 12 * n : y + 24 + 12 * n, class: "label small", "text-anchor": "middle" }, name),
    ];
  });
}
