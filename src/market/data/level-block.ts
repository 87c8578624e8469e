/**
 * The storage format of chart slots. Sixty adjacent slots of one width make a block, so a month of minutes is 744 rows
 * instead of 44,640. Integers are big-endian and of fixed size.
 */
import { type LevelSpan, meanOf } from './level-slots.ts';

/** The number of slots in a block. */
export const SLOTS_PER_BLOCK = 60;

/** The start of the block that contains this moment. */
export function blockBegin(widthMs: number, atMs: number): number {
  return atMs - (atMs % (widthMs * SLOTS_PER_BLOCK));
}

/** Two bytes each for index and covered milliseconds; eight each for open, high, low, close and mean. */
const RECORD_BYTES = 44;
const UPPER = 2 ** 32;

/** A slot with its index in its block, from 0. */
export type PlacedSpan = readonly [place: number, span: LevelSpan];

/** The bytes of a block. Slots without data are left out. A span covers at most 65,535 ms. */
export function packed(slots: readonly PlacedSpan[]): Uint8Array {
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
 * Visits each slot of a packed block. Of the level over time only the mean was stored, in whole nano-dollars. All
 * visits get the same object, which the next one overwrites.
 */
export function unpack(bytes: Uint8Array, visit: (place: number, span: LevelSpan) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const span = { open: 0, high: 0, low: 0, close: 0, area: 0, coveredMs: 0 };
  for (let at = 0; at < bytes.byteLength; at += RECORD_BYTES) {
    span.coveredMs = view.getUint16(at + 2);
    span.open = wholeAt(view, at + 4);
    span.high = wholeAt(view, at + 12);
    span.low = wholeAt(view, at + 20);
    span.close = wholeAt(view, at + 28);
    span.area = wholeAt(view, at + 36) * span.coveredMs;
    visit(view.getUint16(at), span);
  }
}

function putWhole(view: DataView, at: number, value: number): void {
  view.setUint32(at, Math.floor(value / UPPER));
  view.setUint32(at + 4, value % UPPER);
}

function wholeAt(view: DataView, at: number): number {
  return view.getUint32(at) * UPPER + view.getUint32(at + 4);
}
