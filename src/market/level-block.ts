/**
 * Slots as they are stored: sixty of one width, side by side, make a block, so that a month of minutes is 744 rows and
 * not 44,640. Integers are big-endian and of fixed size, which SQL can write too: a migration made the first ones.
 */
import { type LevelSpan, meanOf } from './level-slots.ts';

/** How many slots share a block. */
export const SLOTS_A_BLOCK = 60;

/** When the block began that holds this moment. */
export function blockBegin(widthMs: number, atMs: number): number {
  return atMs - (atMs % (widthMs * SLOTS_A_BLOCK));
}

/** Place and milliseconds covered in two bytes each; open, high, low, close and mean in eight each. */
const RECORD_BYTES = 44;
const UPPER = 2 ** 32;

/** A slot, and its place in its block, from 0. */
export type Placed = readonly [place: number, span: LevelSpan];

/** The bytes of a block; slots of which nothing is known are not in it. A span covers at most 65,535 ms. */
export function packed(slots: readonly Placed[]): Uint8Array {
  const bytes = new Uint8Array(slots.length * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [place, span] of slots) {
    view.setUint16(at, place);
    view.setUint16(at + 2, span.coveredMs);
    putWhole(view, at + 4, span.open);
    putWhole(view, at + 12, span.high);
    putWhole(view, at + 20, span.low);
    putWhole(view, at + 28, span.close);
    putWhole(view, at + 36, meanOf(span));
    at += RECORD_BYTES;
  }
  return bytes;
}

/**
 * Shows what `packed` was given; of the level over time it is the mean, in whole nano-dollars, that was kept. The span is
 * one object that the next slot changes.
 */
export function unpack(bytes: Uint8Array, see: (place: number, span: LevelSpan) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const span = { open: 0, high: 0, low: 0, close: 0, area: 0, coveredMs: 0 };
  for (let at = 0; at < bytes.byteLength; at += RECORD_BYTES) {
    span.coveredMs = view.getUint16(at + 2);
    span.open = wholeAt(view, at + 4);
    span.high = wholeAt(view, at + 12);
    span.low = wholeAt(view, at + 20);
    span.close = wholeAt(view, at + 28);
    span.area = wholeAt(view, at + 36) * span.coveredMs;
    see(view.getUint16(at), span);
  }
}

function putWhole(view: DataView, at: number, value: number): void {
  view.setUint32(at, Math.floor(value / UPPER));
  view.setUint32(at + 4, value % UPPER);
}

function wholeAt(view: DataView, at: number): number {
  return view.getUint32(at) * UPPER + view.getUint32(at + 4);
}
