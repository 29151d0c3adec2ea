
// Draws what of a scene can be seen. Names are tenants' words: they are only ever set as text.
const MARGIN = 600;
const chart = document.getElementById("chart");
const axis = document.getElementById("axis");
const rows = document.getElementById("rows");
const grid = document.getElementById("grid");
const lines = document.getElementById("lines");
let drawn = { from: 0, to: -1 };

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function at(element, share) {
  element.style.setProperty("--at", percent(share));
  return element;
}

function drawChart(view) {
  rows.style.height = `${view.scene.height}px`;
  drawAxis(view);
  drawLines(view);
}

function drawAxis(view) {
  const ticks = ticksOf(view.span, axis.clientWidth);
  const present = shareOf(view.span, view.present);
  const shown = ticks.filter((tick) => !isUnderNow(view, tick));
  axis.replaceChildren(...shown.map((tick) => at(make("span", "", tick.text), shareOf(view.span, tick.time))));
  axis.append(at(make("span", "now", "now"), present));
  grid.replaceChildren(...ticks.map((tick) => at(make("i"), shareOf(view.span, tick.time))));
  grid.append(at(make("i", "now"), present));
}

// Whether its words would be where those of now are.
function isUnderNow(view, tick) {
  const pixels = (shareOf(view.span, view.present) - shareOf(view.span, tick.time)) * axis.clientWidth;
  return pixels > -25 && pixels < 60;
}

function drawLines(view) {
  drawn = { from: chart.scrollTop - MARGIN, to: chart.scrollTop + chart.clientHeight + MARGIN };
  const seen = view.scene.lines.filter((line) => line.top + line.height >= drawn.from && line.top <= drawn.to);
  lines.replaceChildren(...seen.map((line) => (line.kind ? kindLine(line) : rowLine(view, line))));
}

// Whether scrolling has gone beyond what is drawn.
function isDrawn() {
  const missesAbove = chart.scrollTop > 0 && chart.scrollTop - drawn.from < MARGIN / 3;
  return !missesAbove && drawn.to - (chart.scrollTop + chart.clientHeight) >= MARGIN / 3;
}

function kindLine(line) {
  return placed(make("div", "kind", `Speed ${line.kind.speed}: ${counted(nodeCount(line.kind.rows), "node")}`), line);
}

function rowLine(view, line) {
  const made = placed(make("div", "row"), line);
  made.append(nameOf(line.row), trackOf(view, line.row));
  return made;
}

function placed(element, line) {
  element.style.top = `${line.top}px`;
  element.style.height = `${line.height}px`;
  return element;
}

function nameOf(row) {
  const name = make("span", "", row.nodes);
  const notes = [row.count > 1 ? counted(row.count, "node") : "", row.shut].filter(Boolean).join(", ");
  if (notes) name.append(make("em", "", ` (${notes})`));
  name.title = name.textContent;
  return name;
}

function trackOf(view, row) {
  const track = make("div", "track");
  track.append(...shutTimes(row, view.span).map(([from, to]) => stretch(make("div", "shut"), view.span, from, to)));
  for (const [number, lane, members, start = null, finish = null] of row.bars) {
    const gang = view.picture.gangs[number];
    const top = 2 + lane * LANE_HEIGHT;
    const span = { start: start ?? gang.start, finish: finish ?? gang.finish };
    track.append(barOf(view, gang, number, members, span, top));
    if (gang.promised !== null) track.append(promiseOf(view, gang, number, top));
  }
  return track;
}

function shutTimes(row, span) {
  if (row.shut) return [[span.from, span.to]];
  const times = [];
  if (row.opens !== null && row.opens > span.from) times.push([span.from, row.opens]);
  if (row.closes !== null && row.closes < span.to) times.push([row.closes, span.to]);
  return times;
}

// A gang whose members change has other times on some nodes.
function barOf(view, gang, number, members, span, top) {
  const bar = make("div", `bar ${gang.stage}`, members > 1 ? `${gang.name} ×${members}` : gang.name);
  bar.dataset.gang = number;
  bar.classList.toggle("open", span.finish === null);
  bar.classList.toggle("chosen", idOf(gang) === view.chosen);
  bar.style.setProperty("--hue", hueOf(gang));
  bar.style.top = `${top}px`;
  bar.style.height = `${LANE_HEIGHT - 1}px`;
  bar.hidden = (span.finish ?? Infinity) < view.span.from || span.start > view.span.to;
  return stretch(bar, view.span, span.start, span.finish ?? view.span.to);
}

function promiseOf(view, gang, number, top) {
  const mark = make("div", "promise");
  mark.dataset.gang = number;
  mark.style.top = `${top}px`;
  mark.style.left = percent(shareOf(view.span, gang.promised));
  return mark;
}

function stretch(element, span, from, to) {
  const left = Math.max(0, shareOf(span, from));
  element.style.left = percent(left);
  element.style.width = percent(Math.max(0, Math.min(1, shareOf(span, to)) - left));
  return element;
}
