/**
 * Collects where this gateway goes beyond or departs from the specification. The marks stand where the thing is described:
 * `x-extension: true` and `x-departure` in openapi/ and in src/config/schema.yaml; what is described in neither is in
 * `marks.yaml` beside this file.
 */
import { parse } from 'yaml';

type Json = Readonly<Record<string, unknown>>;

/** Something that the specification does not have. */
export interface Extension {
  /** `operation`, `parameter`, `field`, `setting` or `other`. */
  readonly kind: string;
  readonly name: string;
  /** A clause, or a sentence or two. */
  readonly what: string;
}

/** A sentence that this gateway does not keep to the letter, or keeps in a way of its own where the sentence leaves one. */
export interface Departure {
  readonly sentence: string;
  readonly what: string;
  /** The operation, field or setting that has the mark. */
  readonly where: string;
}

/** All of both, what this gateway does where the specification does not say, and which sentences ask for nothing. */
export interface Departures {
  readonly departures: readonly Departure[];
  readonly extensions: readonly Extension[];
  readonly choices: readonly Departure[];
  /** Why a sentence asks for nothing, by its id. */
  readonly nothing: Readonly<Record<string, string>>;
}

interface Marks {
  readonly departures: readonly Departure[];
  readonly extensions: readonly Omit<Extension, 'kind'>[];
  readonly choices: Readonly<Record<string, string>>;
  readonly nothing: Readonly<Record<string, string>>;
}

/** Those of the interface document as it is published, of the schema of the configuration, and of `marks.yaml`. */
export function departuresOf(document: string, configuration: string, marks: string): Departures {
  const found: Found = { departures: [], extensions: [] };
  walk(JSON.parse(document) as Json, [], found);
  found.extensions = found.extensions.map((each) => ({ ...each, name: headerIn(document, each.name) ?? each.name }));
  const settings = parse(configuration, { merge: true, maxAliasCount: -1 }) as Json;
  walkSettings(settings, [], found, settings);
  const { departures, extensions, choices, nothing } = parse(marks) as Marks;
  return {
    departures: [
      ...new Map([...found.departures, ...departures].map((each) => [`${each.sentence} ${each.where}`, each])).values(),
    ],
    extensions: [...unique(found.extensions), ...extensions.map((extension) => ({ kind: 'other', ...extension }))],
    choices: Object.entries(choices).map(([sentence, what]) => ({ sentence, what, where: '' })),
    nothing,
  };
}

interface Found {
  readonly departures: Departure[];
  extensions: Extension[];
}

/** The name on the wire of a header that is a component. */
function headerIn(document: string, component: string): string | undefined {
  return new RegExp(`"([\\w-]+)":\\s*\\{\\s*"\\$ref":\\s*"#/components/headers/${component}"`).exec(document)?.[1];
}

function walk(part: unknown, path: readonly string[], found: Found): void {
  if (typeof part !== 'object' || part === null) return;
  const json = part as Json;
  if (json['x-extension'] === true) found.extensions.push({ ...named(json, path), what: firstClause(json) });
  take(json, named(json, path).name, found);
  for (const [name, child] of Object.entries(json)) {
    if (!/^x-|^examples?$/.test(name)) walk(child, [...path, name], found);
  }
}

/** Settings by their address in the file, such as `models[].reserve`. `root` has the definitions. */
function walkSettings(part: unknown, path: readonly string[], found: Found, root: Json): void {
  if (typeof part !== 'object' || part === null) return;
  const json = part as Json;
  const name = path.join('.').replaceAll('.[]', '[]');
  if (json['x-extension'] === true) found.extensions.push({ kind: 'setting', name, what: firstClause(json) });
  take(json, name, found);
  const { $ref, properties = {}, items, definitions, ...others } = json;
  for (const [own, each] of Object.entries(properties as Json)) walkSettings(each, [...path, own], found, root);
  walkSettings(items, [...path, '[]'], found, root);
  if (typeof $ref === 'string')
    walkSettings((root.definitions as Json)[$ref.split('/').pop() ?? ''], path, found, root);
  for (const [key, each] of Object.entries(others)) {
    if (/^(?:oneOf|anyOf|allOf|if|then|else)$/.test(key))
      for (const one of [each].flat()) walkSettings(one, path, found, root);
  }
}

function take(json: Json, where: string, { departures }: Found): void {
  for (const { sentence, what } of [json['x-departure'] ?? []].flat() as Departure[])
    departures.push({ sentence, what, where });
}

const METHODS = ['get', 'post', 'patch', 'put', 'delete', 'head'];

/** What a part of the document is called: `GET /v1/market/depth`, `X-Deadline`, `max_charge_usd of ChatCompletionRequest`. */
function named(json: Json, path: readonly string[]): Omit<Extension, 'what'> {
  const [kind = '', place = '', ...rest] = path;
  const last = path.at(-1) ?? '';
  if (kind === 'paths' && METHODS.includes(rest[0] ?? ''))
    return { kind: 'operation', name: `${rest[0]?.toUpperCase()} ${place}` };
  if (place === 'parameters') return { kind: 'parameter', name: String(json.name) };
  if (place === 'headers' || place === 'responses') return { kind: 'parameter', name: last };
  return { kind: 'field', name: rest.includes('properties') ? `${last} of ${rest[0]}` : last };
}

/** What a reader needs to find it; the interface document has the rest. */
function firstClause({ summary, description }: Json): string {
  const text = String(summary ?? description ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const [clause = text] = /^.*?(?=[;:] |[.](?: [A-Z`0-9]|$))/.exec(text) ?? [];
  return `${clause}.`;
}

/** A field of several schemas once: `deadline of ChatCompletionRequest, CompletionRequest`. */
function unique(extensions: readonly Extension[]): Extension[] {
  const groups = Map.groupBy(extensions, ({ kind, name }) => `${kind} ${name.split(' of ')[0]}`);
  return [...groups.values()].map((same) => {
    const [first] = same as [Extension];
    const owners = [...new Set(same.flatMap(({ name }) => name.split(' of ').slice(1)))];
    return owners.length < 2 ? first : { ...first, name: `${first.name.split(' of ')[0]} of ${owners.join(', ')}` };
  });
}
