/**
 * Reading a YAML file strictly. A `Section` is one mapping of the file; every key is read by a method that says its type
 * and bounds, and `finish` refuses the keys that nobody asked for. Every refusal is one sentence that names file, line,
 * key and mend, so the first thing a newcomer gets wrong costs a minute and not an hour.
 *
 * Decimals are taken from the text of the file and never pass through a double: a ratio of 0.1 is a tenth.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, YAMLMap } from 'yaml';
import { nearest } from './nearest.ts';

/** A setting that cannot be used. Its message is the whole sentence for the operator. */
export class ConfigError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'ConfigError';
  }
}

/** What every getter takes: the value when the key is absent (required when left out), and an example for the mend. */
interface Wanted<Absent> {
  readonly default?: Absent;
  readonly example?: string;
}

interface Range<Absent> extends Wanted<Absent> {
  readonly min: number;
  readonly max: number;
}

interface TextShape {
  readonly pattern?: RegExp;
  /** What the pattern asks for, in words. */
  readonly what?: string;
}

interface Source {
  readonly fileName: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** The top of a YAML file. Throws ConfigError when it is not YAML or not a mapping. */
export function readYaml(text: string, fileName: string): Section {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [fault] = document.errors;
  if (fault) {
    const { line } = lines.linePos(fault.pos[0]);
    const sentence =
      fault.code === 'DUPLICATE_KEY'
        ? `${wordAt(text, fault.pos[0])} stands here a second time; keep one of the two.`
        : `this is not valid YAML (${firstLine(fault.message)}).`;
    throw new ConfigError(`${fileName}:${line}: ${sentence}`);
  }
  const source = { fileName, document, lines };
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
  readonly #asked = new Set<string>();

  constructor(source: Source, map: YAMLMap, path: string) {
    this.#source = source;
    this.#map = map;
    this.#path = path;
  }

  /** Every key, in the order of the file; for mappings whose keys the operator chooses. */
  names(): readonly string[] {
    return this.#keys().map(({ name }) => name);
  }

  /** Whether the key is there with a value. */
  has(key: string): boolean {
    return this.#value(key) !== null;
  }

  /** Whether the value of the key is a list. */
  isList(key: string): boolean {
    return isSeq(this.#value(key));
  }

  /** Text that matches `pattern`; `what` says in words what that is. */
  text<Absent = never>(key: string, wanted: Wanted<Absent> & TextShape = {}): string | Absent {
    return this.#read(key, wanted, (node) => {
      return textOf(node, wanted) ?? this.#refuse(key, node, `make it ${wanted.what ?? 'a text'}`);
    });
  }

  /** One of a few words. */
  choice<const Choice extends string, Absent = never>(
    key: string,
    choices: readonly Choice[],
    wanted: Wanted<Absent> = {},
  ): Choice | Absent {
    return this.#read(key, wanted, (node) => {
      const value = isScalar(node) ? node.value : null;
      return choices.find((choice) => choice === value) ?? this.#refuse(key, node, `make it ${orList(choices)}`);
    });
  }

  /** `true` or `false`. */
  flag(key: string, absent: boolean): boolean {
    return this.#read(key, { default: absent }, (node) => {
      const value = isScalar(node) ? node.value : null;
      return typeof value === 'boolean' ? value : this.#refuse(key, node, 'make it true or false');
    });
  }

  /** A whole number within bounds, both included; `or` says what else the setting may be. */
  wholeNumber<Absent = never>(key: string, wanted: Range<Absent> & { readonly or?: string }): number | Absent {
    return this.#read(key, wanted, (node) => {
      const value = isScalar(node) ? node.value : null;
      if (typeof value === 'number' && Number.isInteger(value) && value >= wanted.min && value <= wanted.max)
        return value;
      const or = wanted.or === undefined ? '' : `, or ${wanted.or}`;
      const unquoted = typeof value === 'string' && /^\d+$/.test(value) ? ' without quotes' : '';
      return this.#refuse(key, node, `make it a whole number${unquoted} from ${wanted.min} to ${wanted.max}${or}`);
    });
  }

  /** Any number within bounds, both included. */
  number<Absent = never>(key: string, wanted: Range<Absent>): number | Absent {
    return this.#read(key, wanted, (node) => {
      const value = isScalar(node) ? node.value : null;
      if (typeof value === 'number' && value >= wanted.min && value <= wanted.max) return value;
      return this.#refuse(key, node, `make it a number from ${wanted.min} to ${wanted.max}`);
    });
  }

  /** A decimal with at most nine decimals, as it is written in the file, within bounds, both included. */
  decimal<Absent = never>(key: string, wanted: Range<Absent>): string | Absent {
    return this.#read(key, wanted, (node) => {
      const text = isScalar(node) ? (node.source ?? String(node.value)) : '';
      const value = Number(text);
      if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && value >= wanted.min && value <= wanted.max) return text;
      const range = `from ${wanted.min} to ${wanted.max}`;
      return this.#refuse(key, node, `make it a plain decimal ${range} with at most nine decimals, such as 0.25`);
    });
  }

  /** A list of texts that match `pattern`; empty when the key is absent. */
  texts(key: string, wanted: TextShape = {}): readonly string[] {
    return this.#read(key, { default: [] }, (node) => {
      if (!isSeq(node)) return this.#refuse(key, node, 'make it a list such as [one, two]');
      return node.items.map((item) => {
        return textOf(item, wanted) ?? this.#refuse(key, node, `make every entry ${wanted.what ?? 'a text'}`);
      });
    });
  }

  /** The mapping under the key; an empty one when the key is absent. */
  section(key: string, { example }: { readonly example?: string } = {}): Section {
    const node = this.#value(key) ?? new YAMLMap();
    const such = example === undefined ? '' : ` such as ${example}`;
    if (!isMap(node)) return this.#refuse(key, node, `make it a mapping of settings${such}`);
    return new Section(this.#source, node, this.#name(key));
  }

  /** The mappings of the list under the key; empty when the key is absent. */
  sections(key: string): readonly Section[] {
    return this.#read(key, { default: [] }, (node) => {
      if (!isSeq(node)) return this.#refuse(key, node, 'make it a list, each entry beginning with "- "');
      return node.items.map((item, index) => {
        const entry = this.#resolve(item as Node | null);
        if (!isMap(entry)) return this.#refuse(key, node, 'make every entry of the list a mapping of settings');
        return new Section(this.#source, entry, `${this.#name(key)}[${index}]`);
      });
    });
  }

  /** Refuses the value of `key` for a reason that its type does not tell; `mend` says what to do. */
  refuse(key: string, fault: string, mend: string): never {
    throw new ConfigError(`${this.#place(this.#keyNode(key))}: ${this.#name(key)} ${fault}; ${mend}.`);
  }

  /** Refuses every key that was not read. Call it last. */
  finish(): void {
    for (const { node, name } of this.#keys()) {
      if (this.#asked.has(name)) continue;
      const known = [...this.#asked];
      const near = nearest(name, known, 2);
      const mend = near ? `did you mean ${near}?` : `remove it, or use one of ${known.sort().join(', ')}.`;
      throw new ConfigError(`${this.#place(node)}: ${this.#name(name)} is not a setting here; ${mend}`);
    }
  }

  /** When `key` is missing and stands there with one letter wrong, that is what the operator is told. */
  #refuseMisspelt(key: string): void {
    const unread = this.#keys().filter(({ name }) => !this.#asked.has(name));
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

  #keys(): { node: Node | null; name: string }[] {
    return this.#map.items.map(({ key }) =>
      isScalar(key) ? { node: key, name: String(key.value) } : { node: null, name: '?' },
    );
  }

  #read<Value, Absent>(key: string, wanted: Wanted<Absent>, take: (node: Node) => Value): Value | Absent {
    const node = this.#value(key);
    if (node) return take(node);
    if (wanted.default !== undefined) return wanted.default;
    this.#refuseMisspelt(key);
    const example = wanted.example ? ` such as ${key}: ${wanted.example}` : '';
    throw new ConfigError(`${this.#place(this.#map)}: ${this.#name(key)} is missing; add a line${example}.`);
  }

  /** The node under `key`, aliases followed; null when the key is absent or has no value. */
  #value(key: string): Node | null {
    this.#asked.add(key);
    const node = this.#resolve(this.#map.get(key, true) as Node | undefined);
    return isScalar(node) && node.value === null ? null : node;
  }

  #resolve(node: Node | null | undefined): Node | null {
    if (isAlias(node)) return node.resolve(this.#source.document) ?? null;
    return node ?? null;
  }

  #refuse(key: string, node: Node, mend: string): never {
    throw new ConfigError(`${this.#place(node)}: ${this.#name(key)} is ${shown(node)}; ${mend}.`);
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

/** The text of a scalar when it is one, is not blank and matches; null otherwise. */
function textOf(node: unknown, { pattern }: TextShape): string | null {
  const value = isScalar(node) ? node.value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  return pattern === undefined || pattern.test(value) ? value : null;
}

function shown(node: Node): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  const text = isScalar(node) ? (node.source ?? String(node.value)) : '';
  return text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text);
}

/** The key that begins at `index`, without its quotes. */
function wordAt(text: string, index: number): string {
  return /^["']?([^"':\s]+)/.exec(text.slice(index))?.[1] ?? 'this key';
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/[.:]$/, '');
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
