/** The levels of a history, carried on by the stream while they are shown. */
import { useEffect, useState } from 'preact/hooks';
import type { MarketHistory } from '#generated/types.ts';
import { markets } from '../data/live.ts';
import { grown, type LevelPoint } from './since.ts';

/** What the stream has brought since the answer. */
export function useSince(value: MarketHistory): readonly LevelPoint[] {
  const [since, set] = useState<readonly LevelPoint[]>([]);
  const live = markets.value.get(value.model);
  useEffect(() => set((points) => grown(value.points, points, live)), [value, live]);
  return since;
}
