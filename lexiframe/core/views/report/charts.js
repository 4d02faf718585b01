// Small pictures inside tables, and the strips of two rankings.

const SMALL = { width: 190, height: 22 };

function scale(low, high, width, inset = 6) {
  const span = high - low || 1;
  return (x) => inset + ((x - low) / span) * (width - 2 * inset);
}

function picture(label, width, height, ...shapes) {
  return drawn("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label,
  }, drawn("title", {}, label), shapes);
}

// A mean and its interval: a dot on a line. The best one is a diamond.
function whisker({ mean, low, high, zero = null, isBest = false }, x, label) {
  const { width, height } = SMALL;
  const middle = height / 2;
  const shapes = [];
  if (zero !== null) shapes.push(drawn("line", { class: "axis", x1: x(zero), x2: x(zero), y1: 1, y2: height - 1 }));
  if (low !== null && high !== null) {
    const at = (end) => (Number.isFinite(end) ? x(end) : end > 0 ? width : 0); // of one-sided tests
    shapes.push(drawn("line", { class: "whisker", x1: at(low), x2: at(high), y1: middle, y2: middle }));
    for (const end of [low, high].filter(Number.isFinite)) {
      shapes.push(drawn("line", { class: "whisker", x1: at(end), x2: at(end), y1: middle - 4, y2: middle + 4 }));
    }
  }
  if (Number.isFinite(mean)) {
    const at = x(mean);
    shapes.push(isBest
      ? drawn("path", { class: "dot", d: `M${at} ${middle - 6}l6 6l-6 6l-6 -6z` })
      : drawn("circle", { class: "dot", cx: at, cy: middle, r: 4 }));
  }
  return picture(label, width, height, shapes);
}

// How often a run had each rank: a bar for each rank, the best on the left.
function rankBars(probabilities, n) {
  const { width, height } = SMALL;
  const step = (width - 8) / n;
  const thick = Math.max(2, Math.min(14, step * 0.8));
  const bars = probabilities.map(({ rank: at, probability: p }) => {
    const tall = Math.max(1, p * (height - 3));
    return drawn("rect", {
      class: "bar", x: 4 + (at - 0.5) * step - thick / 2, y: height - 2 - tall, width: thick, height: tall,
    });
  });
  const line = drawn("line", { class: "axis", x1: 2, x2: width - 2, y1: height - 1.5, y2: height - 1.5 });
  const likely = [...probabilities].sort((a, b) => b.probability - a.probability).slice(0, 4);
  const label = likely.map((one) => `rank ${one.rank}: ${percent(one.probability)}`).join(", ");
  return picture(label, width, height, line, bars);
}

// A bar to the right (blue) for a preference for the first run, to the left (orange) for the other.
function gainBar(value, greatest) {
  const { width, height } = SMALL;
  const middle = width / 2;
  const long = greatest ? (Math.abs(value ?? 0) / greatest) * (middle - 4) : 0;
  const shapes = [drawn("line", { class: "axis", x1: middle, x2: middle, y1: 1, y2: height - 1 })];
  if (value) {
    const x = value > 0 ? middle : middle - long;
    shapes.push(drawn("rect", {
      class: value > 0 ? "first" : "second", x, y: 5, width: Math.max(1, long), height: height - 10,
    }));
  }
  const svg = picture(number(value), width, height, shapes);
  svg.setAttribute("aria-hidden", "true"); // the number stands beside it
  return svg;
}

function shareBar(share) {
  const { width, height } = SMALL;
  const bar = drawn("rect", { class: "bar", x: 2, y: 6, width: (share ?? 0) * (width - 4), height: height - 12 });
  const frame = drawn("rect", { class: "frame", x: 2, y: 6, width: width - 4, height: height - 12 });
  const svg = picture(percent(share), width, height, bar, frame);
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

const BLUE = [11, 79, 138];
const ORANGE = [163, 71, 0];

// The colours of a cell from all lost (orange) over even (white) to all won (blue).
function heat(share) {
  const side = share >= 0.5 ? BLUE : ORANGE;
  const strength = Math.min(1, Math.abs(share - 0.5) * 2);
  return onto(side, strength);
}

function shade(strength) {
  return onto(BLUE, 0.75 * Math.max(0, Math.min(1, strength)));
}

// A colour between white and the given one, with the text on it that has the greater contrast.
function onto(side, strength) {
  const mixed = side.map((channel) => Math.round(255 + (channel - 255) * strength));
  const linear = mixed.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  const isDark = 1.05 / (light + 0.05) > (light + 0.05) / 0.05;
  return { background: `rgb(${mixed.join(" ")})`, color: isDark ? "#fff" : "#000" };
}
