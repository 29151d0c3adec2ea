
// Which gang the keyboard is at. It is kept by name, so that a new picture does not move it.
const STEPS_OF_KEYS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

// The number of the gang that a key leads to; null where it leads nowhere.
function gangAfter(view, key) {
  const { order } = view.scene;
  const last = order.length - 1;
  if (last < 0) return null;
  if (key === "Home") return order[0];
  if (key === "End") return order[last];
  const step = STEPS_OF_KEYS[key];
  if (step === undefined) return null;
  const place = order.findIndex((number) => idOf(view.picture.gangs[number]) === view.chosen);
  if (place < 0) return order[step > 0 ? 0 : last];
  return order[Math.min(last, Math.max(0, place + step))];
}

function bringIntoSight(view, number) {
  const line = view.scene.lineOf.get(number);
  const bottom = line.top + line.height + axis.offsetHeight;
  if (line.top < chart.scrollTop) chart.scrollTop = line.top;
  if (bottom > chart.scrollTop + chart.clientHeight) chart.scrollTop = bottom - chart.clientHeight;
}
