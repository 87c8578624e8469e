/** The `catalog:` block of a model: its facts for the partner catalog. */
import type { Catalog, Parameter } from '#generated/schemas/configuration-types.ts';
import { type CatalogFacts, noFacts } from '#market/catalog-facts.ts';
import type { YamlFile } from './yaml-file.ts';

/** The facts in the `catalog` block of a model; without one there are none. Throws ConfigError. */
export function readCatalog(catalog: Catalog | undefined, file: YamlFile): CatalogFacts {
  if (catalog === undefined) return noFacts;
  const { compliance, datacenters, deprecation_date: deprecationDate, supported_parameters: parameters } = catalog;
  if (deprecationDate !== undefined && !isDay(deprecationDate))
    file.refuse(catalog, 'deprecation_date', 'is not a valid date', 'make it a date such as 2026-01-31');
  for (const parameter of Object.values(parameters ?? {})) checkParameter(parameter, file);
  return {
    huggingFaceId: catalog.hugging_face_id ?? null,
    quantization: catalog.quantization ?? null,
    datacenters: datacenters.map(({ country_code, region }) => ({ countryCode: country_code, region: region ?? null })),
    zdr: compliance.zdr,
    hipaa: compliance.hipaa ?? null,
    supportedParameters: parameters ?? null,
    deprecationDate: deprecationDate ?? null,
  };
}

/** Needed because `Date.parse` reads February 30 as a day in March. */
function isDay(date: string): boolean {
  const atMs = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(date);
}

function checkParameter(parameter: Parameter, file: YamlFile): void {
  if (parameter.type === 'enum' && parameter.values.length === 0)
    file.refuse(parameter, 'values', 'is empty', 'list the values that the model accepts');
  if (!('min' in parameter)) return;
  const { min, max } = parameter;
  if (min !== undefined && max !== undefined && min > max)
    file.refuse(parameter, 'min', 'is above max', 'make it at most max');
}
