/**
 * What the readers ask of the file, noted while they read it: the one description of the configuration is the code that
 * reads it, and its JSON Schema is made of these notes (`schema.ts`). Mappings in the same place of the file share a path:
 * `models[0]` and `models[1]` are `models[]`, and where the operator chooses the names, `roles.admins` is `roles.*`.
 */

/** A part of a JSON Schema, as a reader asks for it. `mapping` is replaced by the schema of the mapping under that key. */
export interface AskedValue {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly items?: AskedValue;
  readonly mapping?: string;
  readonly default?: unknown;
}

/** One key, as one reading asked for it. */
export interface AskedKey {
  readonly value: AskedValue;
  readonly required: boolean;
}

/** Every mapping of every noted reading, by its path. */
export class AskedShapes {
  readonly #shapes = new Map<string, MappingShape[]>();

  /** Notes that the mapping at `path`, such as `models[0].pods[1]`, is read. */
  open(path: string): MappingShape {
    const shared = this.#sharedPath(path);
    const shape = new MappingShape(shared);
    this.#shapes.set(shared, [...(this.#shapes.get(shared) ?? []), shape]);
    return shape;
  }

  /** How mappings at a shared path were read, each once. */
  at(path: string): readonly MappingShape[] {
    return this.#shapes.get(path) ?? [];
  }

  /** The shared path of what is under `key` in the mapping at the shared path `parent`. */
  below(parent: string, key: string): string {
    if (this.at(parent).some((shape) => shape.hasFreeNames)) return `${parent}.*`;
    return `${parent === '' ? '' : `${parent}.`}${key}`.replaceAll(/\[\d+\]/g, '[]');
  }

  #sharedPath(path: string): string {
    let shared = '';
    for (const key of path.split('.')) shared = path === '' ? '' : this.below(shared, key);
    return shared;
  }
}

/** What one reading asked of one mapping. */
export class MappingShape {
  readonly path: string;
  readonly #asked = new Map<string, AskedKey>();
  readonly #values = new Map<string, unknown>();
  #hasFreeNames = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Notes what a key may be; without a default it is required. Returns who is told its value in this reading. */
  asks(key: string, value: AskedValue, absent: unknown): (value: unknown) => void {
    const shown = ['number', 'boolean'].includes(typeof absent) ? { default: absent } : {};
    this.#asked.set(key, { value: { ...value, ...shown }, required: absent === undefined });
    const isNamed = value.enum !== undefined || value.type === 'boolean';
    if (isNamed) this.#values.set(key, absent);
    return (found) => {
      if (isNamed) this.#values.set(key, found);
    };
  }

  /** Notes that a reader looked for the key and found nothing, so that it has no value in such a mapping. */
  lacks(key: string): void {
    if (!this.#asked.has(key)) this.#asked.set(key, { value: { type: 'null' }, required: false });
  }

  /** Notes that the operator chooses the keys. */
  namesAreFree(): void {
    this.#hasFreeNames = true;
  }

  get hasFreeNames(): boolean {
    return this.#hasFreeNames;
  }

  /** The keys, in the order in which they were asked for. */
  get asked(): ReadonlyMap<string, AskedKey> {
    return this.#asked;
  }

  /** The values of flags and choices: other keys may depend on them. */
  get values(): ReadonlyMap<string, unknown> {
    return this.#values;
  }
}
