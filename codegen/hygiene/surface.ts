/**
 * What callers rely on, one line per fact: operations, parameters, statuses, headers, and the fields of every schema
 * that is sent or received. Descriptions and examples are omitted, so two documents can be compared line by line.
 *
 *   out getOrder: GET /v1/orders/{id} key
 *   in  getOrder query include: string
 *   out getOrder 200 application/json: Order required
 *   out #Order /status: string required
 */
import { type ApiDocument, formsOf, type Json, operationsOf, resolve, schemasOf } from '../document.ts';
import { type Body, bodiesOf, operationAt } from './bodies.ts';

/** One fact that callers rely on. */
export interface Fact {
  /** `in` when callers send it, which must not become narrower; `out` when they read it, which must not widen. */
  readonly direction: 'in' | 'out';
  /** A JSON type, the name of a component, or `any`. */
  readonly type: string;
  readonly required: boolean;
  readonly nullable: boolean;
  /** The values that a request may have; null when they are not enumerated. */
  readonly values: readonly string[] | null;
}

/** Facts by place, parents before parts: `getOrder 200`, `#Order /status`. What is sent and read has two facts. */
export type Surface = ReadonlyMap<string, Fact>;

/** The surface of a document. */
export function surfaceOf(document: ApiDocument): Surface {
  const surface = new Map<string, Fact>();
  const add = (place: string, fact: Fact) => void surface.set(`${fact.direction.padEnd(3)} ${place}`, fact);
  for (const { id, method, path, security } of operationsOf(document)) {
    add(id, { ...PLAIN, direction: 'out', type: `${method.toUpperCase()} ${path} ${security}` });
    const operation = operationAt(document, path, method);
    addParameters(document, id, operation, add);
    addAnswers(document, id, operation, add);
  }
  const walk = { document, add, reached: { in: new Set<string>(), out: new Set<string>() } };
  for (const body of bodiesOf(document)) addBody(walk, body);
  return surface;
}

/** The text of a surface, one line per fact, for people and for `readSurface`. */
export function writeSurface(surface: Surface): string {
  return [...surface].map(([place, fact]) => `${place}: ${textOf(fact)}\n`).join('');
}

/** Parses the text that `writeSurface` wrote. Throws on any other line. */
export function readSurface(text: string): Surface {
  const lines = text.split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const found = /^((in|out) +.*?): (.*?)( required)?( nullable)?(?: \[(.*)\])?$/.exec(line);
      if (!found) throw new Error(`Not a line of a surface: ${line}`);
      const [, place = '', direction = '', type = '', required, nullable, values] = found;
      const fact: Fact = {
        direction: direction === 'in' ? 'in' : 'out',
        type,
        required: required !== undefined,
        nullable: nullable !== undefined,
        values: values?.split(', ') ?? null,
      };
      return [place, fact];
    }),
  );
}

type Add = (place: string, fact: Fact) => void;

/** What a walk through the schemas of a document carries; `reached`: the components that were added. */
interface Walk {
  readonly document: ApiDocument;
  readonly add: Add;
  readonly reached: Readonly<Record<Fact['direction'], Set<string>>>;
}

const PLAIN = { required: false, nullable: false, values: null } as const;

function addParameters({ root }: ApiDocument, id: string, operation: Json, add: Add): void {
  for (const written of (operation.parameters ?? []) as Json[]) {
    const { name, in: where, required, schema } = resolve(root, written);
    add(`${id} ${where} ${name}`, factOf('in', schema as Json, required === true));
  }
}

function addAnswers({ root }: ApiDocument, id: string, operation: Json, add: Add): void {
  for (const [status, written] of Object.entries(operation.responses as Json)) {
    add(`${id} ${status}`, { ...PLAIN, direction: 'out', type: 'status' });
    const headers = (resolve(root, written as Json).headers ?? {}) as Json;
    for (const [name, header] of Object.entries(headers)) {
      const { schema, required } = resolve(root, header as Json);
      add(`${id} ${status} header ${name.toLowerCase()}`, factOf('out', schema as Json, required === true));
    }
  }
}

function addBody(walk: Walk, { place, direction, media }: Body): void {
  const { document, add } = walk;
  add(place, factOf(direction, media.schema as Json, true));
  for (const schema of [...formsOf(document.root, media), ...((media['x-line-schema'] ?? []) as Json[])]) {
    addFields(walk, place, direction, schema);
  }
}

/** Adds the fields of a schema under `place`; those of a component once, under its own name. */
function addFields(walk: Walk, place: string, direction: Fact['direction'], schema: Json): void {
  const { document, add, reached } = walk;
  const name = componentOf(schema);
  if (name !== null) {
    if (reached[direction].has(name)) return;
    reached[direction].add(name);
    addFields(walk, `#${name}`, direction, schemasOf(document)[name] ?? {});
    return;
  }
  for (const form of schema['x-chooses-form'] === true ? (schema.oneOf as Json[]) : []) {
    addFields(walk, place, direction, form);
  }
  const required = (schema.required ?? []) as string[];
  for (const [field, part] of Object.entries((schema.properties ?? {}) as Json)) {
    const at = `${place}${place.includes(' /') ? '' : ' '}/${field}`;
    add(at, factOf(direction, part as Json, required.includes(field)));
    addFields(walk, at, direction, part as Json);
  }
  for (const inner of [schema.items, schema.additionalProperties]) {
    if (typeof inner !== 'object' || inner === null) continue;
    const at = `${place}${place.includes(' /') ? '' : ' '}/*`;
    add(at, factOf(direction, inner as Json, false));
    addFields(walk, at, direction, inner as Json);
  }
}

function factOf(direction: Fact['direction'], schema: Json, required: boolean): Fact {
  const values = direction === 'in' && Array.isArray(schema.enum) ? schema.enum.map(String) : null;
  return { direction, type: typeOf(schema), required, nullable: schema.nullable === true, values };
}

/** Of a union whose form a parameter chooses the first counts, because callers get it by default. */
function typeOf(schema: Json): string {
  if (schema['x-chooses-form'] === true) return typeOf((schema.oneOf as Json[])[0] ?? {});
  return componentOf(schema) ?? (typeof schema.type === 'string' ? schema.type : 'any');
}

function componentOf({ $ref }: Json): string | null {
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null;
}

function textOf({ type, required, nullable, values }: Fact): string {
  return `${type}${required ? ' required' : ''}${nullable ? ' nullable' : ''}${values ? ` [${values.join(', ')}]` : ''}`;
}
