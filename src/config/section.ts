/**
 * Strict reading of a YAML file. A `Section` is one mapping of the file. Each key is read by a method that checks its
 * type and bounds, and `finish` refuses unknown keys. Every refusal is one sentence that names the file, the line, the
 * key and the fix, so that a newcomer's first mistake costs a minute, not an hour.
 *
 * Decimals are taken from the text of the file and never pass through a double: a ratio of 0.1 is exactly a tenth.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, YAMLMap } from 'yaml';
import { nearest } from './nearest.ts';
import { firstLine, orList, patternsOf, shown, type TextShape, textOf } from './scalars.ts';
import type { AskedShapes, AskedValue, MappingShape } from './shapes.ts';

/** An invalid setting. The message is a complete sentence for the operator. */
export class ConfigError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'ConfigError';
  }
}

/** Options of every getter: the default of an absent key (without one it is required), and an example for the fix. */
interface ValueOptions<Absent> {
  readonly default?: Absent;
  readonly example?: string;
}

interface Range<Absent> extends ValueOptions<Absent> {
  readonly min: number;
  readonly max: number;
}

/** As written in the file. */
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/;

interface Source {
  readonly fileName: string;
  readonly document: Document;
  readonly lines: LineCounter;
  /** Notes what is asked of the file, for the schema; null on every other reading. */
  readonly shapes: AskedShapes | null;
}

/** The top mapping of a YAML file; `shapes` notes what is asked of it. Throws ConfigError if the text is not YAML or not a mapping. */
export function readYaml(text: string, fileName: string, shapes: AskedShapes | null = null): Section {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const [fault] = document.errors;
  if (fault) {
    const { line } = lines.linePos(fault.pos[0]);
    throw new ConfigError(`${fileName}:${line}: this is not valid YAML (${firstLine(fault.message)}).`);
  }
  const source = { fileName, document, lines, shapes };
  const top = document.contents;
  if (!isMap(top))
    throw new ConfigError(`${fileName}:1: the file is empty or not a mapping; begin with default_model.`);
  return new Section(source, top, '');
}

/** One mapping of the file. Getters throw ConfigError. */
export class Section {
  readonly #source: Source;
  readonly #map: YAMLMap;
  readonly #path: string;
  readonly #readKeys = new Set<string>();
  readonly #shape: MappingShape | null;

  constructor(source: Source, map: YAMLMap, path: string) {
    this.#source = source;
    this.#map = map;
    this.#path = path;
    this.#shape = source.shapes?.open(path) ?? null;
    this.#refuseTwice();
  }

  /** All keys in the order of the file, for mappings with keys that the operator chooses. */
  names(): readonly string[] {
    this.#shape?.namesAreFree();
    return this.#keys().map(({ name }) => name);
  }

  /** Whether the key has a value. */
  has(key: string): boolean {
    const has = this.#value(key) !== null;
    if (!has) this.#shape?.lacks(key);
    return has;
  }

  /** Whether the value of the key is a list. */
  isList(key: string): boolean {
    return isSeq(this.#value(key));
  }

  /** Whether the value of the key is a mapping. */
  isSection(key: string): boolean {
    return isMap(this.#value(key));
  }

  /** A string that matches `pattern`; `expected` describes it in words. */
  text<Absent = never>(key: string, options: ValueOptions<Absent> & TextShape = {}): string | Absent {
    this.#asks(key, { type: 'string', ...patternsOf(options) }, options);
    return this.#read(key, options, (node) => {
      return textOf(node, options) ?? this.#refuse(key, node, `make it ${options.expected ?? 'a string'}`);
    });
  }

  /** One of the given words. */
  choice<const Choice extends string, Absent = never>(
    key: string,
    choices: readonly Choice[],
    options: ValueOptions<Absent> = {},
  ): Choice | Absent {
    const taken = this.#asks(key, { enum: choices }, options);
    return this.#read(key, options, (node) => {
      const value = isScalar(node) ? node.value : null;
      taken?.(value);
      return choices.find((choice) => choice === value) ?? this.#refuse(key, node, `make it ${orList(choices)}`);
    });
  }

  /** `true` or `false`. */
  flag(key: string, absent: boolean): boolean {
    const taken = this.#asks(key, { type: 'boolean' }, { default: absent });
    return this.#read(key, { default: absent }, (node) => {
      const value = isScalar(node) ? node.value : null;
      taken?.(value);
      return typeof value === 'boolean' ? value : this.#refuse(key, node, 'make it true or false');
    });
  }

  /** A whole number within inclusive bounds; `or` describes an alternative. */
  wholeNumber<Absent = never>(key: string, options: Range<Absent> & { readonly or?: string }): number | Absent {
    this.#asks(key, { type: 'integer', minimum: options.min, maximum: options.max }, options);
    return this.#read(key, options, (node) => {
      const value = isScalar(node) ? node.value : null;
      if (typeof value === 'number' && Number.isInteger(value) && value >= options.min && value <= options.max)
        return value;
      const or = options.or === undefined ? '' : `, or ${options.or}`;
      const unquoted = typeof value === 'string' && /^\d+$/.test(value) ? ' without quotes' : '';
      return this.#refuse(key, node, `make it a whole number${unquoted} from ${options.min} to ${options.max}${or}`);
    });
  }

  /** Any number within inclusive bounds. */
  number<Absent = never>(key: string, options: Range<Absent>): number | Absent {
    this.#asks(key, { type: 'number', minimum: options.min, maximum: options.max }, options);
    return this.#read(key, options, (node) => {
      const value = isScalar(node) ? node.value : null;
      if (typeof value === 'number' && value >= options.min && value <= options.max) return value;
      return this.#refuse(key, node, `make it a number from ${options.min} to ${options.max}`);
    });
  }

  /** A decimal with at most nine decimals, as written in the file, within inclusive bounds. */
  decimal<Absent = never>(key: string, options: Range<Absent>): string | Absent {
    const { min: minimum, max: maximum } = options;
    this.#asks(key, { type: ['number', 'string'], minimum, maximum, pattern: DECIMAL.source }, options);
    return this.#read(key, options, (node) => {
      const text = isScalar(node) ? (node.source ?? String(node.value)) : '';
      const value = Number(text);
      if (DECIMAL.test(text) && value >= options.min && value <= options.max) return text;
      const range = `from ${options.min} to ${options.max}`;
      return this.#refuse(key, node, `make it a plain decimal ${range} with at most nine decimals, such as 0.25`);
    });
  }

  /** A list of strings that match `pattern`; empty if the key is absent. */
  texts(key: string, options: TextShape = {}): readonly string[] {
    this.#asks(key, { type: 'array', items: { type: 'string', ...patternsOf(options) } }, { default: [] });
    return this.#read(key, { default: [] }, (node) => {
      if (!isSeq(node)) return this.#refuse(key, node, 'make it a list such as [one, two]');
      return node.items.map((item) => {
        return textOf(item, options) ?? this.#refuse(key, node, `make every entry ${options.expected ?? 'a string'}`);
      });
    });
  }

  /** The mapping under the key; empty if the key is absent, unless it is required. */
  section(
    key: string,
    { example, required = false }: { readonly example?: string; readonly required?: boolean } = {},
  ): Section {
    this.#asks(key, { mapping: key }, required ? {} : { default: null });
    if (required) this.#read(key, example === undefined ? {} : { example }, () => null);
    const node = this.#value(key) ?? new YAMLMap();
    const suffix = example === undefined ? '' : ` such as ${example}`;
    if (!isMap(node)) return this.#refuse(key, node, `make it a mapping of settings${suffix}`);
    return new Section(this.#source, node, this.#name(key));
  }

  /** The mappings in the list under the key; empty if the key is absent. */
  sections(key: string): readonly Section[] {
    this.#asks(key, { type: 'array', items: { mapping: `${key}[0]` } }, { default: [] });
    return this.#read(key, { default: [] }, (node) => {
      if (!isSeq(node)) return this.#refuse(key, node, 'make it a list, each entry beginning with "- "');
      return node.items.map((item, index) => {
        const entry = this.#resolve(item as Node | null);
        if (!isMap(entry)) return this.#refuse(key, node, 'make every entry of the list a mapping of settings');
        return new Section(this.#source, entry, `${this.#name(key)}[${index}]`);
      });
    });
  }

  /** Refuses the value of `key` for a reason beyond its type. `fix` says what to do. */
  refuse(key: string, fault: string, fix: string): never {
    throw new ConfigError(`${this.#place(this.#keyNode(key))}: ${this.#name(key)} ${fault}; ${fix}.`);
  }

  /** Refuses all keys that were not read. Call it last. */
  finish(): void {
    for (const { node, name } of this.#keys()) {
      if (this.#readKeys.has(name)) continue;
      const known = [...this.#readKeys];
      const near = nearest(name, known, 2);
      const fix = near ? `did you mean ${near}?` : `remove it, or use one of ${known.sort().join(', ')}.`;
      throw new ConfigError(`${this.#place(node)}: ${this.#name(name)} is not a setting here; ${fix}`);
    }
  }

  /** The parser would compare each key with all before it, which takes minutes for a file of nothing but keys. */
  #refuseTwice(): void {
    const seen = new Set<string>();
    for (const { node, name } of this.#keys()) {
      if (seen.has(name))
        throw new ConfigError(`${this.#place(node)}: ${name} appears here a second time; keep only one.`);
      seen.add(name);
    }
  }

  /** If `key` is missing and an unread key differs by one letter, reports that instead. */
  #refuseMisspelt(key: string): void {
    const unread = this.#keys().filter(({ name }) => !this.#readKeys.has(name));
    const near = nearest(
      key,
      unread.map(({ name }) => name),
      1,
    );
    const found = unread.find(({ name }) => name === near);
    if (!found) return;
    throw new ConfigError(
      `${this.#place(found.node)}: ${this.#name(found.name)} is not a setting here; did you mean ${key}?`,
    );
  }

  /** Notes for the schema what a key may be. Returns who is told its value, where others may depend on it. */
  #asks(key: string, value: AskedValue, { default: absent }: ValueOptions<unknown>): ((value: unknown) => void) | null {
    return this.#shape?.asks(key, value, absent) ?? null;
  }

  #keys(): { node: Node | null; name: string }[] {
    return this.#map.items.map(({ key }) =>
      isScalar(key) ? { node: key, name: String(key.value) } : { node: null, name: '?' },
    );
  }

  #read<Value, Absent>(key: string, options: ValueOptions<Absent>, take: (node: Node) => Value): Value | Absent {
    const node = this.#value(key);
    if (node) return take(node);
    if (options.default !== undefined) return options.default;
    this.#refuseMisspelt(key);
    const example = options.example ? ` such as ${key}: ${options.example}` : '';
    throw new ConfigError(`${this.#place(this.#map)}: ${this.#name(key)} is missing; add a line${example}.`);
  }

  /** The node under `key`, with aliases resolved; null if the key is absent or has no value. */
  #value(key: string): Node | null {
    this.#readKeys.add(key);
    const node = this.#resolve(this.#map.get(key, true) as Node | undefined);
    return isScalar(node) && node.value === null ? null : node;
  }

  #resolve(node: Node | null | undefined): Node | null {
    if (isAlias(node)) return node.resolve(this.#source.document) ?? null;
    return node ?? null;
  }

  #refuse(key: string, node: Node, fix: string): never {
    throw new ConfigError(`${this.#place(node)}: ${this.#name(key)} is ${shown(node)}; ${fix}.`);
  }

  #name(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }

  #keyNode(key: string): Node {
    return this.#keys().find(({ name }) => name === key)?.node ?? this.#map;
  }

  #place(node: Node | null): string {
    const { line } = this.#source.lines.linePos(node?.range?.[0] ?? 0);
    return `${this.#source.fileName}:${line}`;
  }
}
