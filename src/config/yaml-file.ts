/**
 * A YAML file as plain values that remember where they are written. Whatever a schema or a reader refuses is one sentence
 * that names the file, the line, the key and the fix, so that a newcomer's first mistake costs a minute, not an hour. A
 * running gateway reads it too, so it is a plain file of bounded size.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml';
import { nearest } from '#base/nearest.ts';
import type { SchemaError, SchemaValidator } from '#generated/schemas/configuration.js';
import { ConfigError } from './environment.ts';

/** Values of a file once its aliases are written out; a file without aliases cannot have as many. */
const VALUES_MAX = 1_000_000;

/** As written in the file. */
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/;

type Mapping = Readonly<Record<string, unknown>>;

/** A mapping of the file, and its name, such as `models[0]`. */
interface Origin {
  readonly map: YAMLMap;
  readonly name: string;
}

/** Throws ConfigError, as all its methods do. */
export class YamlFile {
  /** The top mapping. A key without a value is there, and its value is undefined. */
  readonly top: Mapping;
  readonly #fileName: string;
  readonly #lines = new LineCounter();
  readonly #origins = new Map<unknown, Origin>();
  readonly #targets = new Map<unknown, Node>();
  #size = 0;

  /** Refuses a text that is not YAML or not a mapping, and keys that appear twice. */
  constructor(text: string, fileName: string) {
    this.#fileName = fileName;
    const document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false });
    const [fault] = document.errors;
    if (fault) {
      const [reason = ''] = fault.message.split('\n');
      const { line } = this.#lines.linePos(fault.pos[0]);
      throw new ConfigError(`${fileName}:${line}: this is not valid YAML (${reason.replace(/[.:]$/, '')}).`);
    }
    if (!isMap(document.contents))
      throw new ConfigError(`${fileName}:1: the file is empty or not a mapping; begin with default_model.`);
    this.#resolveAliases(document);
    this.top = this.#valueOf(document.contents, '') as Mapping;
  }

  /** The whole file, or what is under `key`, once it fits its schema; absent keys have their defaults. */
  checked<Shape>(fits: SchemaValidator<Shape>, key?: string): Shape {
    const value = key === undefined ? this.top : (this.top[key] ?? {});
    if (fits(value)) return value;
    const [error] = fits.errors ?? [];
    if (!error) throw new Error('A validator refused a value without an error.');
    const pointer = key === undefined ? error.instancePath : `/${key}${error.instancePath}`;
    throw new ConfigError(
      this.#sentence(
        error,
        pointer
          .split('/')
          .slice(1)
          .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
      ),
    );
  }

  /** The decimal under `key` as it is written, because a double would change it. `bounds` is a part of the schema. */
  decimal<Entry extends object>(entry: Entry, key: keyof Entry & string, bounds: SchemaPart): string {
    const origin = this.#origins.get(entry);
    const node = this.#nodeUnder(origin, key);
    const text = isScalar(node) && node.value !== null ? (node.source ?? '') : String(entry[key]);
    const isWithin = Number(text) >= Number(bounds.minimum) && Number(text) <= Number(bounds.maximum);
    if (isWithin && DECIMAL.test(text)) return text;
    throw new ConfigError(`${this.#label(origin, key, node)} is ${shown(node)}; ${correctionOf(bounds, node)}.`);
  }

  /** Keys and values in the order of the file, which an object does not keep for keys that are numbers. */
  entries<Value>(mapping: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
    const names = this.#origins.get(mapping)?.map.items.map(nameOf) ?? [];
    return names.map((name) => [name, mapping[name] as Value]);
  }

  /** Refuses what `entry` has under `key` for a reason that no schema knows. `fix` says what to do. */
  refuse<Entry extends object>(entry: Entry, key: keyof Entry & string, fault: string, fix: string): never {
    throw new ConfigError(`${this.#label(this.#origins.get(entry), key)} ${fault}; ${fix}.`);
  }

  #sentence({ keyword, params, parentSchema }: SchemaError, path: readonly string[]): string {
    const { value, origin, key, isEntry } = this.#find(path);
    const inside = this.#origins.get(value);
    if (keyword === 'required') return this.#missing(inside, String(params.missingProperty), parentSchema);
    if (keyword === 'additionalProperties') {
      const unknown = String(params.additionalProperty);
      const known = Object.keys(parentSchema.properties ?? {});
      const near = nearest(unknown, known, 2);
      const fix = near ? `did you mean ${near}?` : `remove it, or use one of ${known.sort().join(', ')}.`;
      return `${this.#label(inside, unknown)} is not a setting here; ${fix}`;
    }
    if (keyword === 'not' || keyword === 'minItems')
      return `${this.#label(origin, key)} ${String(parentSchema.errorMessage)}.`;
    const node = this.#nodeUnder(origin, key);
    const fix = isEntry ? correctionOfEntries(parentSchema) : correctionOf(parentSchema, node);
    return `${this.#label(origin, key, node)} is ${shown(node)}; ${fix}.`;
  }

  /** If an unknown key differs from the missing one by one letter, reports that instead. */
  #missing(origin: Origin | undefined, key: string, { properties }: SchemaPart): string {
    const known = properties as Readonly<Record<string, SchemaPart>>;
    const unknown = (origin?.map.items ?? []).map(nameOf).filter((name) => !Object.hasOwn(known, name));
    const near = nearest(key, unknown, 1);
    if (near !== null) return `${this.#label(origin, near)} is not a setting here; did you mean ${key}?`;
    const label = this.#label(origin, key, origin?.map);
    return `${label} is missing; add a line${suchAs(`${key}: `, known[key] ?? {})}.`;
  }

  /** What is at the end of a path, and the mapping and key that it is under; an entry of a list is under the list's key. */
  #find(path: readonly string[]) {
    let value: unknown = this.top;
    let [origin, key, isEntry] = [this.#origins.get(value), '', false];
    for (const step of path) {
      isEntry = Array.isArray(value);
      if (!isEntry) [origin, key] = [this.#origins.get(value), step];
      value = (value as Mapping)[step];
    }
    return { value, origin, key, isEntry };
  }

  /** `sluice.yaml:11: models[0].ceiling`, with the line of the key or of `at`. */
  #label(origin: Origin | undefined, key: string, at?: Node | null): string {
    const node = at ?? origin?.map.items.find((pair) => nameOf(pair) === key)?.key ?? origin?.map;
    return `${this.#place(node as Node | undefined)}: ${nameBelow(origin?.name ?? '', key)}`;
  }

  #place(node: Node | undefined): string {
    return `${this.#fileName}:${this.#lines.linePos(node?.range?.[0] ?? 0).line}`;
  }

  #nodeUnder(origin: Origin | undefined, key: string): Node | null {
    const node = origin?.map.items.find((pair) => nameOf(pair) === key)?.value;
    return this.#targets.get(node) ?? (node as Node | null | undefined) ?? null;
  }

  /** An alias means the last anchor of that name before it. Inside of its anchor it is null, which no schema takes. */
  #resolveAliases(document: Document): void {
    const anchors = new Map<string, Node>();
    visit(document, {
      Value: (_, node) => {
        if (node.anchor) anchors.set(node.anchor, node);
      },
      Alias: (_, alias, path) => {
        const target = anchors.get(alias.source);
        if (!target)
          throw new ConfigError(
            `${this.#place(alias)}: *${alias.source} has no anchor before it; write the value here.`,
          );
        if (!path.includes(target)) this.#targets.set(alias, target);
      },
    });
  }

  #valueOf(node: unknown, name: string): unknown {
    if (++this.#size > VALUES_MAX)
      throw new ConfigError(`${this.#place(node as Node)}: aliases repeat more than ${VALUES_MAX} values; use fewer.`);
    if (!isAlias(node)) return this.#plain(node, name);
    const target = this.#targets.get(node);
    return target ? this.#valueOf(target, name) : null;
  }

  #plain(node: unknown, name: string): unknown {
    if (isSeq(node)) return node.items.map((item, index) => this.#valueOf(item, `${name}[${index}]`));
    if (!isMap(node)) return isScalar(node) ? (node.value ?? undefined) : undefined;
    this.#refuseTwice(node);
    const value = Object.fromEntries(
      node.items.map((pair) => {
        const key = nameOf(pair);
        return [key, this.#valueOf(pair.value, nameBelow(name, key))];
      }),
    );
    this.#origins.set(value, { map: node, name });
    return value;
  }

  /** The parser would compare each key with all before it, which takes minutes for a file of nothing but keys. */
  #refuseTwice({ items }: YAMLMap): void {
    const seen = new Set<string>();
    for (const pair of items) {
      const name = nameOf(pair);
      if (seen.has(name))
        throw new ConfigError(`${this.#place(pair.key as Node)}: ${name} appears here a second time; keep only one.`);
      seen.add(name);
    }
  }
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '?';
}

function nameBelow(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}

import schema from '#generated/schemas/configuration.json' with { type: 'json' };

/** A part of `schema.yaml`. */
type SchemaPart = Readonly<Record<string, unknown>>;

/** The correction of a value that does not fit `part`. */
function correctionOf(part: SchemaPart, node: Node | null): string {
  const [type, other] = [part.type].flat();
  const { minimum, maximum, errorMessage } = part;
  if (Array.isArray(part.enum)) return `make it ${OR.format(part.enum)}`;
  if (type === 'boolean') return 'make it true or false';
  if (type === 'number' && other === 'string')
    return `make it a plain decimal from ${minimum} to ${maximum} with at most nine decimals, such as 0.25`;
  if (type === 'number') return `make it a number from ${minimum} to ${maximum}`;
  if (type === 'integer')
    return `make it a whole number${withoutQuotes(node)} from ${minimum} to ${maximum}${alternative(part)}`;
  if (type === 'array')
    return `make it a list${isOfMappings(part) ? ', each entry beginning with "- "' : ' such as [one, two]'}`;
  if (type === 'object') return `make it a mapping of settings${suchAs('', part)}`;
  return `make it ${errorMessage ?? 'a string'}`;
}

/** The correction of a list with an entry that does not fit `part`. */
function correctionOfEntries(part: SchemaPart): string {
  if (part.type === 'object') return 'make every entry of the list a mapping of settings';
  return `make every entry ${part.errorMessage ?? 'a string'}`;
}

/** ` such as `, `prefix` and an example of a value that fits `part`; nothing without an example. */
function suchAs(prefix: string, part: SchemaPart): string {
  const [example] = examplesOf(part);
  return example === undefined ? '' : ` such as ${prefix}${inline(example)}`;
}

/** A value in the words of a refusal, cut. */
function shown(node: Node | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  const text = isScalar(node) ? (node.source ?? String(node.value)) : '';
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text);
}

function withoutQuotes(node: Node | null): string {
  return isScalar(node) && typeof node.value === 'string' && /^\d+$/.test(node.value) ? ' without quotes' : '';
}

/** The second example of a part that also takes something other than a whole number. */
function alternative(part: SchemaPart): string {
  const [, other] = examplesOf(part);
  if (!Array.isArray(part.type) || other === undefined) return '';
  return `, or ${Array.isArray(other) ? 'a list such as ' : ''}${inline(other)}`;
}

function isOfMappings({ items }: SchemaPart): boolean {
  return typeof items === 'object' && items !== null && '$ref' in items;
}

function examplesOf({ examples, $ref }: SchemaPart): readonly unknown[] {
  if (Array.isArray(examples)) return examples;
  const name = String($ref).replace('#/definitions/', '');
  const definition = (schema.definitions as Readonly<Record<string, SchemaPart>>)[name];
  return definition ? examplesOf(definition) : [];
}

/** As YAML in one line. */
function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}

/** `one, two or three`. */
const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** A hundred times what a hundred models take. */
const BYTES_MAX = 1024 * 1024;
/** The most brackets that may be open at once: with more, the parser takes seconds before it gives up. */
const DEPTH_MAX = 1_000;
const LINE_FEED = 10;

/**
 * The text of a file. Throws ConfigError for one that is not there, is no regular file, is over 1 MiB, is not UTF-8, or opens
 * a thousand brackets.
 */
export function configText(fileName: string): string {
  let bytes: Buffer;
  try {
    const file = statSync(fileName);
    if (!file.isFile()) throw new ConfigError(`${fileName} is not a regular file; set SLUICE_CONFIG to one.`);
    if (file.size > BYTES_MAX) throw new ConfigError(`${fileName} is larger than 1 MiB; is it the right file?`);
    bytes = readFileSync(fileName);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const reason =
      code === 'ENOENT'
        ? 'does not exist'
        : code === 'ELOOP'
          ? 'is a link that leads back to itself'
          : 'cannot be read';
    throw new ConfigError(`${fileName} ${reason}; set SLUICE_CONFIG to the path of a configuration file.`);
  }
  if (!isUtf8(bytes))
    throw new ConfigError(`${fileName}:${lineOfFault(bytes)}: this line is not UTF-8; save the file as UTF-8.`);
  const deepAt = lineOfDepth(bytes);
  if (deepAt !== null)
    throw new ConfigError(`${fileName}:${deepAt}: more than ${DEPTH_MAX} brackets are open here; close them.`);
  return bytes.toString();
}

/** The first line that is not UTF-8, from 1: no byte of a longer character is a line feed. */
function lineOfFault(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, start);
    const next = end < 0 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(start, next))) return line;
    start = next;
  }
  return line;
}

/** The first line in which more brackets are open than may be; null for none. */
function lineOfDepth(bytes: Buffer): number | null {
  let [line, depth] = [1, 0];
  for (const byte of bytes) {
    if (byte === LINE_FEED) line++;
    else if (byte === 0x5b || byte === 0x7b) depth++;
    else if ((byte === 0x5d || byte === 0x7d) && depth > 0) depth--;
    if (depth > DEPTH_MAX) return line;
  }
  return null;
}
