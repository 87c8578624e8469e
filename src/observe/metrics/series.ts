/**
 * The series of the metrics that are counted. Labels become text once, when a series is made, so that counting is an
 * addition or a search through a dozen bounds: the client library takes microseconds for the same, because it makes the
 * text each time.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type Metric, type MetricName, metricCatalogue } from './catalogue.ts';

/** One series of a counter. `value` is in units; `perUnit` of them make one of the metric's. */
export class Counter {
  value = 0;
  readonly #name: string;
  readonly #labels: string;
  readonly #perUnit: number;

  constructor(name: string, labels: string, perUnit: number) {
    this.#name = name;
    this.#labels = labels;
    this.#perUnit = perUnit;
  }

  text(): string {
    return sampleLine(this.#name, this.#labels, this.value / this.#perUnit);
  }
}

/** One series of a histogram: counts of values by upper bound, and their sum. */
export class Histogram {
  readonly #name: string;
  readonly #labels: string;
  readonly #bounds: readonly number[];
  /** How many values are in each bucket alone; the last has those above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** `bounds` ascend, without infinity. `labels` is what `labelText` returns. */
  constructor(name: string, labels: string, bounds: readonly number[]) {
    this.#name = name;
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let at = 0;
    for (const bound of this.#bounds) {
      if (value <= bound) break;
      at++;
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  text(): string {
    const [name, labels] = [this.#name, this.#labels];
    const before = labels === '' ? '' : `${labels},`;
    let count = 0;
    let text = '';
    for (const [at, own] of this.#counts.entries()) {
      count += own;
      text += sampleLine(`${name}_bucket`, `${before}le="${this.#bounds[at] ?? '+Inf'}"`, count);
    }
    return `${text}${sampleLine(`${name}_sum`, labels, this.#sum)}${sampleLine(`${name}_count`, labels, count)}`;
  }
}

type HistogramName = {
  [Name in MetricName]: (typeof metricCatalogue)[Name] extends { readonly buckets: readonly number[] } ? Name : never;
}[MetricName];

/** All series, by metric. Each is there from when it is made. */
export class SeriesTable {
  readonly #series = new Map<MetricName, (Counter | Histogram)[]>();

  /** A new series; `perUnit` as of `Counter`. */
  counter(name: MetricName, labels: Labels, perUnit = 1): Counter {
    return this.#add(name, new Counter(name, labelText(labels), perUnit));
  }

  /** A new series. */
  histogram(name: HistogramName, labels: Labels): Histogram {
    return this.#add(name, new Histogram(name, labelText(labels), metricCatalogue[name].buckets));
  }

  /** The lines of one metric, counted when they are read; none for one that has no series. */
  *lines(name: MetricName): Iterable<string> {
    for (const series of this.#series.get(name) ?? []) yield series.text();
  }

  #add<Series extends Counter | Histogram>(name: MetricName, series: Series): Series {
    const all = this.#series.get(name);
    if (all) all.push(series);
    else this.#series.set(name, [series]);
    return series;
  }
}

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
