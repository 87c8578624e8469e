/**
 * The text format of Prometheus, version 0.0.4, written in slices: a large scrape must not hold up orders, which share
 * the thread. https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type Metric, type MetricName, metricCatalogue } from './catalogue.ts';

/** The media type of what `metricsText` returns. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Labels of a series; those that are null are left out. */
export type Labels = Readonly<Record<string, string | null>>;

const NAMES = Object.keys(metricCatalogue) as MetricName[];
/** Written in a millisecond or less. */
const SLICE_CHARACTERS = 32_768;

/**
 * The text of all metrics. `linesOf` returns the lines of one, each with its end; a line may hold several. Other work
 * runs between the slices.
 */
export async function metricsText(linesOf: (name: MetricName) => Iterable<string>): Promise<string> {
  const slices: string[] = [];
  let slice = '';
  for (const name of NAMES) {
    slice += headOf(name, metricCatalogue[name]);
    for (const line of linesOf(name)) {
      slice += line;
      if (slice.length < SLICE_CHARACTERS) continue;
      slices.push(slice);
      slice = '';
      await yieldToOthers();
    }
  }
  return `${slices.join('')}${slice}`;
}

function headOf(name: string, { help, type }: Metric): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
}

/** One line. `labels` is what `labelText` returns. */
export function sampleLine(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${numberText(value)}\n` : `${name}{${labels}} ${numberText(value)}\n`;
}

/** Labels as they stand between the braces. Values may hold anything: line breaks and quotes are escaped. */
export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === null ? [] : [`${name}="${escaped(value)}"`],
  );
  return pairs.join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
