/** Holds the floor plan of docs/change/architecture.md against the imports of `src`. */
import { targetsOf } from './imports.ts';
import { type Finding, fault, placeOf, type SourceFile } from './source.ts';

/** A line of the plan: its number, two or more spaces, and rooms between middle dots. */
const FLOOR = /^ *(\d+) {2,}([a-z]+(?: · [a-z]+)*)/;

/** Rooms that are not drawn, or on another floor than one above the highest room that they import. */
export function checkFloorPlan(files: readonly SourceFile[], { path, text }: SourceFile): Finding[] {
  const drawn = new Map<string, { readonly floor: number; readonly line: number }>();
  for (const [index, content] of text.split('\n').entries()) {
    const [, floor = '', rooms = ''] = FLOOR.exec(content) ?? [];
    for (const room of rooms.split(' · ').filter(Boolean)) drawn.set(room, { floor: Number(floor), line: index + 1 });
  }
  const built = floorsOf(files);
  const missing = [...drawn].filter(([room]) => !built.has(room));
  return [
    ...missing.map(([room, { line }]) => fault(path, line, `draws ${room}, which is no folder of src`)),
    ...[...built].flatMap(([room, floor]) => {
      const place = drawn.get(room);
      if (!place) return [fault(path, 1, `does not draw ${room}, on floor ${floor}`)];
      return place.floor === floor
        ? []
        : [fault(path, place.line, `draws ${room} on floor ${place.floor}, not ${floor}`)];
    }),
  ];
}

/** The floor of each room: one that imports no other stands on floor 1. */
function floorsOf(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const room = placeOf(file.path);
    if (room === 'src') continue;
    const targets = targetsOf(file).filter((target) => target.startsWith('src/'));
    imports.set(room, new Set([...(imports.get(room) ?? []), ...targets.map(placeOf)]));
  }
  const floors = new Map<string, number>();
  const floorOf = (room: string): number => {
    const known = floors.get(room);
    if (known !== undefined) return known;
    floors.set(room, 0); // Where rooms import each other, which is reported as a circle.
    const below = [...(imports.get(room) ?? [])].filter((other) => other !== room && other !== 'src');
    const floor = 1 + Math.max(0, ...below.map(floorOf));
    floors.set(room, floor);
    return floor;
  };
  for (const room of imports.keys()) floorOf(room);
  return floors;
}
