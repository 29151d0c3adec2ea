
// Where a box of words has room: in the window, near a place, and beside what the words are about.
const EDGE = 8;
const GAP = 12;

// The left upper corner, in pixels of the window. Of all places that cover least of the boxes, the nearest.
function placeBeside(size, near, boxes) {
  const places = placesAround(size, near, boxes).map(({ x, y }) => {
    const place = { left: x, top: y, right: x + size.width, bottom: y + size.height };
    const covers = boxes.reduce((sum, box) => sum + overlapOf(place, box), 0);
    return { x, y, covers, far: distanceTo(place, near) };
  });
  return places.reduce((best, one) =>
    one.covers < best.covers || (one.covers === best.covers && one.far < best.far) ? one : best,
  );
}

// Right, left, below and above the place, all boxes together, and the window's edges.
function placesAround(size, near, boxes) {
  const ends = (low, high, length, most) => [high + GAP, low - GAP - length, EDGE, most - EDGE - length];
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.right));
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  const across = [...ends(near.x, near.x, size.width, innerWidth), ...ends(left, right, size.width, innerWidth)];
  const down = [...ends(near.y, near.y, size.height, innerHeight), ...ends(top, bottom, size.height, innerHeight)];
  return across.flatMap((x) => down.map((y) => ({
    x: within(x, innerWidth - size.width), y: within(y, innerHeight - size.height),
  })));
}

function within(start, most) {
  return Math.max(EDGE, Math.min(Number.isFinite(start) ? start : EDGE, most - EDGE));
}

function overlapOf(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(0, width) * Math.max(0, height);
}

function distanceTo(box, { x, y }) {
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
}
