
// The span of time that is shown, and where a time is in it.
const SHORTEST_SPAN = 120;
const TICK_PIXELS = 90;
const DAY = 86400;
const STEPS = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY, 28 * DAY];

// What began long ago is cut off, so that what is ahead has most of the room.
const FITS = -1;

// A range of 0 has all that is known, and a negative one is the past.
function spanOf(picture, range, present) {
  if (range > 0) return { from: present - range / 6, to: present + (range * 5) / 6 };
  if (range < FITS) return { from: present + range, to: present - range / 12 };
  const times = picture.gangs.flatMap((gang) => [gang.start, gang.finish, gang.promised]);
  const ahead = Math.max(SHORTEST_SPAN, ...times.map((time) => (time ?? present) - present));
  const earliest = range === FITS ? present - ahead / 5 : -Infinity;
  const known = [present, ...times.filter((time) => time !== null).map((time) => Math.max(time, earliest))];
  const from = known.reduce((one, other) => Math.min(one, other));
  const to = known.reduce((one, other) => Math.max(one, other));
  const room = Math.max(SHORTEST_SPAN, to - from) * 0.03;
  return { from: from - room, to: Math.max(to, from + SHORTEST_SPAN) + room };
}

// 0 at the left end of the span, 1 at its right end.
function shareOf(span, time) {
  return (time - span.from) / (span.to - span.from);
}

function percent(share) {
  return `${(100 * share).toFixed(3)}%`;
}

// Round local times, as many as there is room for.
function ticksOf(span, pixels) {
  const most = Math.max(1, pixels / TICK_PIXELS);
  const step = STEPS.find((one) => (span.to - span.from) / one <= most) ?? STEPS[STEPS.length - 1];
  const ticks = [];
  for (let tick = firstTick(span.from, step); tick < span.to; tick = nextTick(tick, step)) {
    if (tick >= span.from) ticks.push({ time: tick, text: formatTick(tick, step) });
  }
  return ticks;
}

function firstTick(from, step) {
  const midnight = new Date(from * 1000).setHours(0, 0, 0, 0) / 1000;
  return step >= DAY ? midnight : midnight + Math.floor((from - midnight) / step) * step;
}

// Days are not all as long.
function nextTick(tick, step) {
  if (step < DAY) return tick + step;
  const day = new Date(tick * 1000);
  return day.setDate(day.getDate() + step / DAY) / 1000;
}

function formatTick(tick, step) {
  const time = new Date(tick * 1000);
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0;
  if (isMidnight) return time.toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" });
  const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (step < 60) parts.second = "2-digit";
  return time.toLocaleTimeString([], parts);
}
