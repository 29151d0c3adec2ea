
// Where everything of a picture stands on the page, from top to bottom, in pixels.
const ROW_HEIGHT = 22;
const LANE_HEIGHT = 15;
const KIND_HEIGHT = 26;

function sceneOf(picture) {
  const scene = { lines: [], height: 0, lineOf: new Map(), order: [] };
  for (const kind of picture.kinds) {
    addLine(scene, { kind, height: KIND_HEIGHT });
    for (const row of kind.rows) addRow(scene, row);
  }
  const top = (gang) => scene.lineOf.get(gang).top;
  const named = [...scene.lineOf.keys()].filter((one) => picture.gangs[one].stage !== "others");
  scene.order = named.sort(
    (one, other) => top(one) - top(other) || picture.gangs[one].start - picture.gangs[other].start || one - other,
  );
  return scene;
}

function addRow(scene, row) {
  const line = addLine(scene, { row, height: Math.max(ROW_HEIGHT, row.lanes * LANE_HEIGHT + 4) });
  for (const [gang] of row.bars) {
    if (!scene.lineOf.has(gang)) scene.lineOf.set(gang, line);
  }
}

function addLine(scene, line) {
  line.top = scene.height;
  scene.height += line.height;
  scene.lines.push(line);
  return line;
}

function idOf(gang) {
  return gang.namespace ? `${gang.namespace}/${gang.name}` : "other namespaces";
}

// The same gang has the same colour in every picture.
function hueOf(gang) {
  let hash = 0;
  for (const letter of idOf(gang)) hash = (hash * 31 + letter.codePointAt(0)) % 104729;
  return (hash % 24) * 15;
}

function nodeCount(rows) {
  return rows.reduce((sum, row) => sum + row.count, 0);
}
