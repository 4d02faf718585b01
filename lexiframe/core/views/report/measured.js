// What measures say of two rankings of one request. Each ranking is given by its relevant items, with
// grade and rank (null: not retrieved). The library defines all of this, and a test compares.

// The relevant items by recall level: in the order of their ranks, those not retrieved last. Those
// beyond the cut-off share a place, and are in the order of their ranks as well.
function levelsOf(items, { rel = null, cutoff = null } = {}) {
  const place = (item) =>
    item.rank === null || (cutoff !== null && item.rank > cutoff) ? Infinity : item.rank;
  return items
    .filter((item) => rel === null || item.grade >= rel)
    .map((item) => ({ ...item, place: place(item) }))
    .sort((x, y) => x.place - y.place || (x.rank ?? Infinity) - (y.rank ?? Infinity) || 0);
}

// Who is ahead at each recall level: 1 the first ranking, −1 the second, 0 none.
function signsOf(items, others, of) {
  const against = levelsOf(others, of);
  return levelsOf(items, of).map(({ place }, n) => Math.sign(against[n].place - place) || 0);
}

// The recall level, from 1, at which a lexicographic preference tells two rankings apart, or null.
function decidingLevel(decides, items, others) {
  const differs = signsOf(items, others, decides).map(Boolean);
  const level = decides.direction === "recall" ? differs.lastIndexOf(true) : differs.indexOf(true);
  return level < 0 ? null : level + 1;
}

// By how much the first of two values is greater; a difference that rounding may have made is none.
function apart(of_a, of_b, tie) {
  const gain = of_a - of_b;
  return Math.abs(gain) <= tie * Math.max(1, Math.abs(of_a), Math.abs(of_b)) ? 0 : gain;
}

const TIE = 1e-12;
const sum = (values) => values.reduce((x, y) => x + y, 0);
const discounted = (grade, place) => grade / Math.log2(place + 1); // 0 at an infinite place

// Metrics of the relevant items by recall level, which have their ranks as places.
const METRICS = {
  AP: (levels) => sum(levels.map(({ place }, n) => (n + 1) / place)) / levels.length,
  "nDCG@10": (levels) => {
    const ideal = levels.map(({ grade }) => grade).sort((x, y) => y - x).slice(0, 10);
    const found = levels.filter(({ place }) => place <= 10);
    return sum(found.map(({ grade, place }) => discounted(grade, place)))
      / sum(ideal.map((grade, n) => discounted(grade, n + 1)));
  },
  RR: (levels) => 1 / levels[0].place,
  "R@5": (levels) => levels.filter(({ place }) => place <= 5).length / levels.length,
  "TSE(AP)": (levels) => 1 / levels.at(-1).place,
};

// All that is shown of two rankings that have one relevant item or more: the levels of each grade
// threshold, and for each measure the values, the preference and what it rests on.
function measured(items, others) {
  const grades = [...new Set(items.map(({ grade }) => grade))].sort((x, y) => x - y);
  const thresholds = grades.map((rel) => ({
    rel, a: levelsOf(items, { rel }), b: levelsOf(others, { rel }), signs: signsOf(items, others, { rel }),
  }));
  const signs = thresholds.flatMap((one) => one.signs);
  const [ahead, behind] = [1, -1].map((side) => signs.filter((sign) => sign === side).length);
  const lexicographic = { LP: "precision", LR: "recall" };
  const [{ a, b }] = thresholds;
  return {
    thresholds,
    measures: [
      { name: "RPP", preference: (ahead - behind) / signs.length, ahead, behind, n: signs.length },
      ...Object.entries(lexicographic).map(([name, direction]) => {
        const level = decidingLevel({ direction }, items, others);
        return { name, preference: level === null ? 0 : thresholds[0].signs[level - 1], level };
      }),
      ...Object.entries(METRICS).map(([name, metric]) =>
        ({ name, a: metric(a), b: metric(b), preference: apart(metric(a), metric(b), TIE) })),
    ],
  };
}
