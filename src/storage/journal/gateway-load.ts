/** What a boot did in each minute and quarter of an hour. Rows are whole, so writing them is idempotent. */
import type { PlainOutcome } from '#base/journal.ts';
import type { GatewayLoadUnit, LoadSpan } from '#observe/ports.ts';
import type { UnitKind } from './context.ts';
import { upsert } from './operations.ts';

const REPLACE_SPAN = upsert(
  'replace',
  'gateway_load',
  ['width_ms', 'at_ms', 'boot'],
  ['looks', 'queued', 'busy_slots', 'slots', 'failed', 'charged', 'first_tokens', 'pods'],
);

/** Writes every span. */
export const gatewayLoad: UnitKind<GatewayLoadUnit, PlainOutcome> = {
  apply({ boot, spans }, { picture }) {
    for (const span of spans) picture.write(REPLACE_SPAN, valuesOf(boot, span));
    return { result: 'changed' };
  },
};

function valuesOf(boot: number, { widthMs, atMs, looks, queued, busySlots, slots, failed, ...span }: LoadSpan) {
  const { buffer, byteOffset, byteLength } = span.firstTokens;
  const counts = [widthMs, atMs, boot, looks, queued, busySlots, slots, failed];
  return [...counts, span.charged, Buffer.from(buffer, byteOffset, byteLength), JSON.stringify(span.pods)];
}
