/** A small number that fits a JSON Schema: 1, or otherwise one of few that are near a bound. */

type Schema = Readonly<Record<string, unknown>>;

/** Where an integer must be a multiple of a fraction, how many multiples of it are tried to find one that is whole. */
const FRACTIONS_MAX = 100;

/** A number for a schema of type `number`, or an integer for one of type `integer`. 1 if the bounds allow none. */
export function sampleNumber(schema: Schema, type: 'number' | 'integer'): number {
  const low = Math.max(numberOr(schema.minimum, -Infinity), numberOr(schema.exclusiveMinimum, -Infinity));
  const high = Math.min(numberOr(schema.maximum, Infinity), numberOr(schema.exclusiveMaximum, Infinity));
  const fits = (value: number) =>
    value >= low && value <= high && value !== schema.exclusiveMinimum && value !== schema.exclusiveMaximum;
  const step = stepOf(schema, type);
  if (fits(step ?? 1)) return step ?? 1;
  const choices = step === null ? [low, high, low + 1, high - 1, (low + high) / 2] : multiples(step, low, high);
  const fitting = choices.filter((value) => Number.isFinite(value) && fits(value));
  return fitting.sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 1;
}

/** Between the values; null when there is any value between any two. */
function stepOf({ multipleOf }: Schema, type: 'number' | 'integer'): number | null {
  const step = numberOr(multipleOf, 0);
  if (step <= 0) return type === 'integer' ? 1 : null;
  if (type === 'number') return step;
  const multiples = Array.from({ length: FRACTIONS_MAX }, (_, more) => step * (more + 1));
  return multiples.find(Number.isInteger) ?? 1;
}

/** The multiples of `step` next to a bound. Never -0. */
function multiples(step: number, low: number, high: number): number[] {
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  return [first, last, first + 1, last - 1].map((times) => times * step + 0);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
