/**
 * The metrics of the process, by the client library of Prometheus: processor time, memory, files, and how late the event
 * loop is. Loaded by the first scrape, since it takes 60 ms of processor time and 20 MB.
 */
import type { Registry } from '@prometheus-io/client';

/** The names of the library's metrics that are kept. */
const WANTED = /^(?:process_|nodejs_(?:eventloop_lag_|heap_size_|external_memory_|gc_|version_))/;
const LAG = /^nodejs_eventloop_lag_/;

/** The metrics of this process as text. The lag is missing in the first: it is that since the text before. */
export function processReader(): () => Promise<string> {
  let loading: Promise<Registry> | null = null;
  let measuresLag = false;
  return async () => {
    loading ??= load();
    const registry = await loading;
    let text = '';
    for (const { name } of registry.getMetricsAsArray()) {
      if (!measuresLag && LAG.test(name)) continue;
      text += `${await registry.getSingleMetricAsString(name)}\n`;
    }
    measuresLag = true;
    return text;
  };
}

async function load(): Promise<Registry> {
  const { Registry, collectDefaultMetrics } = await import('@prometheus-io/client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (!WANTED.test(name)) registry.removeSingleMetric(name);
  return registry;
}
