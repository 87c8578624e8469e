/** What a reader is changing, once it rests: what is asked for follows a slider without a request at every step. */
import { useEffect, useState } from 'preact/hooks';
import { after } from '../clock.ts';

const RESTED_MS = 250;

/** `value` after it has not changed for a quarter of a second; at first at once. */
export function useSettled<T>(value: T): T {
  const [settled, set] = useState(value);
  useEffect(() => after(RESTED_MS, () => set(value)), [value]);
  return settled;
}
