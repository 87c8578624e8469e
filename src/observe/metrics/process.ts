/**
 * The metrics of the process, by the client library of Prometheus: processor time, memory, files, and how late the event
 * loop is. Loaded by the first scrape, since it takes 60 ms of processor time and 20 MB.
 */
import type { Registry } from '@prometheus-io/client';

/** Of those that the library has. */
const WANTED = /^(?:process_|nodejs_(?:eventloop_lag_|heap_size_|external_memory_|gc_|version_))/;
const LAG = /^nodejs_eventloop_lag_/;

/** The metrics of this process. */
export class ProcessMetrics {
  #registry: Promise<Registry> | null = null;
  #measuresLag = false;

  /** Their text. The lag is missing in the first: it is that since the text before. */
  async text(): Promise<string> {
    this.#registry ??= load();
    const registry = await this.#registry;
    let text = '';
    for (const { name } of registry.getMetricsAsArray()) {
      if (!this.#measuresLag && LAG.test(name)) continue;
      text += `${await registry.getSingleMetricAsString(name)}\n`;
    }
    this.#measuresLag = true;
    return text;
  }
}

async function load(): Promise<Registry> {
  const { Registry, collectDefaultMetrics } = await import('@prometheus-io/client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (!WANTED.test(name)) registry.removeSingleMetric(name);
  return registry;
}
