/** Whether times are shown in UTC: a choice that this browser remembers for all pages. */
import { signal } from '@preact/signals';

const NAME = 'sluice-utc';

/** In UTC, else in the time zone of the browser. */
export const isUtc = signal(read());

/** Shows times in the other zone, and remembers that. */
export function switchZone(): void {
  isUtc.value = !isUtc.value;
  localStorage.setItem(NAME, isUtc.value ? 'yes' : '');
}

/** How far the reader's clock is ahead of UTC at a moment. */
export function offsetMs(ms: number): number {
  return isUtc.value ? 0 : -60_000 * new Date(ms).getTimezoneOffset();
}

function read(): boolean {
  try {
    return localStorage.getItem(NAME) === 'yes';
  } catch {
    return false;
  }
}
