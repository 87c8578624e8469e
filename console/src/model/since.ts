/** The levels that the stream brought since an answer, so that a chart ends at the level of now without asking again. */

/** A level and since when it holds, as the API writes it. */
export interface LevelPoint {
  readonly t: string;
  readonly level: number;
}

/** More than come between two answers while the chart is near the view; the oldest are dropped, and the line is straight there. */
const POINTS_MAX = 500;

/** `since` with the level of now, without those that `asked` has meanwhile; the same list where nothing changed. */
export function grown(
  asked: readonly LevelPoint[],
  since: readonly LevelPoint[],
  now: { readonly level: number; readonly updated_at?: string } | undefined,
): readonly LevelPoint[] {
  const newest = asked.at(-1);
  if (!newest) return since;
  const left = since.filter(({ t }) => isAfter(t, newest.t));
  const t = now?.updated_at;
  if (!t || !isAfter(t, (left.at(-1) ?? newest).t)) return left.length === since.length ? since : left;
  return [...left, { t, level: now.level }].slice(-POINTS_MAX);
}

function isAfter(time: string, other: string): boolean {
  return Date.parse(time) > Date.parse(other);
}
