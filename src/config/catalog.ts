/** The `catalog:` block of a model: its facts for the partner catalog. */
import { type CatalogFacts, noFacts, type ParameterDescriptor, quantizations } from '#market/catalog-facts.ts';
import type { Section } from './section.ts';

const COUNTRY = { pattern: /^[A-Z]{2}$/, expected: 'a country code of two capital letters, such as DE' };
const HUGGING_FACE = { pattern: /^[\w.-]+\/[\w.-]+$/, expected: 'an owner and a name, such as meta-llama/Llama-3-70B' };
const DATE = { pattern: /^\d{4}-\d{2}-\d{2}$/, expected: 'a date such as 2026-01-31' };
const TYPES = ['range', 'integer', 'boolean', 'enum', 'array', 'object', 'unknown'] as const;
const BOUNDS = { min: -1_000_000_000, max: 1_000_000_000 };

/** Reads the `catalog` block of a model's entry; without one there are no facts. Throws ConfigError. */
export function readCatalog(entry: Section): CatalogFacts {
  if (!entry.has('catalog')) return noFacts;
  const catalog = entry.section('catalog');
  const compliance = catalog.section('compliance');
  const facts: CatalogFacts = {
    huggingFaceId: catalog.text('hugging_face_id', { ...HUGGING_FACE, default: null }),
    quantization: catalog.choice('quantization', quantizations, { default: null }),
    datacenters: catalog.sections('datacenters').map(readDatacenter),
    zdr: compliance.flag('zdr', false),
    hipaa: compliance.has('hipaa') ? compliance.flag('hipaa', false) : null,
    supportedParameters: catalog.has('supported_parameters')
      ? readParameters(catalog.section('supported_parameters'))
      : null,
    deprecationDate: readDate(catalog),
  };
  compliance.finish();
  catalog.finish();
  return facts;
}

function readDatacenter(datacenter: Section): CatalogFacts['datacenters'][number] {
  const countryCode = datacenter.text('country_code', { ...COUNTRY, example: 'DE' });
  const region = datacenter.text('region', { default: null });
  datacenter.finish();
  return { countryCode, region };
}

function readDate(catalog: Section): string | null {
  const date = catalog.text('deprecation_date', { ...DATE, default: null });
  if (date !== null && !isDay(date))
    catalog.refuse('deprecation_date', 'is not a valid date', 'make it a date such as 2026-01-31');
  return date;
}

/** Needed because `Date.parse` reads February 30 as a day in March. */
function isDay(date: string): boolean {
  const atMs = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(date);
}

function readParameters(parameters: Section): Readonly<Record<string, ParameterDescriptor>> {
  return Object.fromEntries(parameters.names().map((name) => [name, readDescriptor(parameters.section(name))]));
}

/** Numbers have bounds, enums `values`, arrays `max_items`; any other key is refused. */
function readDescriptor(parameter: Section): ParameterDescriptor {
  const type = parameter.choice('type', TYPES, { example: 'range' });
  const descriptor = { type, ...detailsOf(type, parameter) };
  parameter.finish();
  return descriptor;
}

function detailsOf(type: ParameterDescriptor['type'], parameter: Section): Omit<ParameterDescriptor, 'type'> {
  if (type === 'range' || type === 'integer') return readBounds(parameter);
  if (type === 'enum') {
    const values = parameter.texts('values');
    if (values.length === 0) parameter.refuse('values', 'is empty', 'list the values that the model accepts');
    return { values };
  }
  if (type === 'array' && parameter.has('max_items'))
    return { max_items: parameter.wholeNumber('max_items', { min: 1, max: BOUNDS.max }) };
  return {};
}

function readBounds(parameter: Section): { min?: number; max?: number } {
  const min = parameter.number('min', { ...BOUNDS, default: null });
  const max = parameter.number('max', { ...BOUNDS, default: null });
  if (min !== null && max !== null && min > max) parameter.refuse('min', 'is above max', 'make it at most max');
  return { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) };
}
