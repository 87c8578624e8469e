/** Opens the traces. The packages of OpenTelemetry are loaded here, and only where a collector is configured. */
import { readFileSync } from 'node:fs';
import type { Traces } from '#observe/traces/traces.ts';
import type { Outside } from './storage.ts';

/** How long the end of a process waits for spans to be exported. */
export const TRACES_CLOSE_MS = 3_000;

/** Null where no collector is configured. */
export async function openTraces({ config, clock, ids, log }: Outside): Promise<Traces | null> {
  if (!config.traces) return null;
  const { otlpTraces } = await import('#observe/traces/otlp.ts');
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return otlpTraces(config.traces, { clock, log, version, instanceId: ids.uuid() });
}
