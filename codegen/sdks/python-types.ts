/**
 * Types of the Python client that its generator has no words for: sluice/unions.py with the unions of unions.ts as typed
 * dicts, and what a program passes to place a chat. In models the unions are for type checkers only: at run time their
 * fields take any value, so that a part of a later version passes through.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../document.ts';
import { resolve } from '../document.ts';
import { unionPlaces } from './document-types.ts';
import { type Declaration, readTypes, type Type } from './union-types.ts';

const HEAD = `"""Fields that take values of several types, as the endpoints read them."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, List, Literal, Optional, Union

from typing_extensions import NotRequired, TypedDict

Money = Union[Decimal, str, int]
"""An amount or price in USD: never a float, which cannot hold every amount."""
`;
const PLAIN: Readonly<Record<string, string>> = {
  ...{ string: 'str', number: 'int', integer: 'int', boolean: 'bool', null: 'None', Date: 'datetime' },
  ...{ unknown: 'Any', any: 'Any', object: 'Dict[str, Any]' },
};
/** What a program passes as dicts: the schema, the name, and the fields that are parameters of their own. */
const PARAMS = [
  ['ChatMessage', 'ChatMessageParams', []],
  ['ChatCompletionRequest', 'ChatParams', ['messages']],
] as const;

/** Writes unions.py, and puts the unions into the models. `root` is the document, `folder` the package. */
export async function writePythonTypes(root: Json, source: string, folder: string): Promise<void> {
  const places = unionPlaces(root);
  const params = PARAMS.map(([schema, name, without]) => paramsOf(root, places, { schema, name, without }));
  await writeFile(join(folder, 'unions.py'), [HEAD, ...readTypes(source).map(declared), ...params].join('\n\n'));
  for (const schema of new Set(places.map((each) => each.schema))) {
    const path = join(folder, 'models', `${snakeOf(schema)}.py`);
    const fields = places.filter((each) => each.schema === schema && each.union !== 'ResultBody');
    await writeFile(path, withUnions(await readFile(path, 'utf8'), fields));
  }
}

type Place = ReturnType<typeof unionPlaces>[number];

function declared({ name, comment, type }: Declaration): string {
  const classes: string[] = [];
  const written = typeOf(name, type, classes);
  if (type.kind === 'object') return classes.join('\n\n').replace('):\n', `):\n    """${comment}"""\n\n`);
  return [...classes, `${name} = ${written}\n"""${comment}"""\n`].join('\n\n');
}

/** How Python writes a type; the classes of its objects are added to `classes`. */
function typeOf(name: string, type: Type, classes: string[]): string {
  if (type.kind === 'list') return `List[${typeOf(name, type.of, classes)}]`;
  if (type.kind === 'map') return 'Dict[str, Any]';
  if (type.kind === 'union') return unionOf(name, type.of, classes);
  if (type.kind !== 'object') return type.kind === 'name' ? (PLAIN[type.text] ?? type.text) : `Literal["${type.text}"]`;
  const fields = type.fields.map(({ name: field, optional, type: inner }) => {
    const written = typeOf(`${name}${pascalOf(field)}`, inner, classes);
    return `    ${field}: ${optional ? `NotRequired[${written}]` : written}\n`;
  });
  classes.push(`class ${name}(TypedDict):\n${fields.join('')}`);
  return name;
}

function unionOf(name: string, types: readonly Type[], classes: string[]): string {
  const words = types.flatMap((each) => (each.kind === 'literal' ? [`"${each.text}"`] : []));
  const others = types.flatMap((each, at) => {
    if (each.kind === 'literal') return [];
    return [typeOf(each.kind === 'object' ? `${name}${markOf(each) || at + 1}` : name, each, classes)];
  });
  const all = [...(words.length > 0 ? [`Literal[${words.join(', ')}]`] : []), ...others];
  return all.length === 1 ? (all[0] ?? '') : `Union[${all.join(', ')}]`;
}

/** The value that distinguishes an object from the others of its union. */
function markOf(type: Type): string {
  const mark = type.kind === 'object' ? type.fields.find(({ name }) => name === 'type')?.type : undefined;
  const first = mark?.kind === 'union' ? mark.of[0] : mark;
  return first?.kind === 'literal' ? pascalOf(first.text) : '';
}

interface Params {
  readonly schema: string;
  readonly name: string;
  readonly without: readonly string[];
}

function paramsOf(root: Json, places: readonly Place[], { schema, name, without }: Params): string {
  const whole = resolve(root, { $ref: `#/components/schemas/${schema}` });
  const required = (whole.required ?? []) as readonly string[];
  const fields = Object.entries(whole.properties as Readonly<Record<string, Json>>).flatMap(([key, part]) => {
    const field = resolve(root, part);
    if (without.some((each) => each === key)) return [];
    const union = places.find((each) => each.schema === schema && each.field === key);
    const type = union ? (union.isItem ? `List[${union.union}]` : union.union) : plainOf(field);
    const whole = field.nullable === true && !union ? `Optional[${type}]` : type;
    return [`    ${key}: ${required.includes(key) ? whole : `NotRequired[${whole}]`}\n${docOf(field)}`];
  });
  return `class ${name}(TypedDict):\n    """${firstOf(whole)}"""\n\n${fields.join('')}`;
}

/** A request has no other types at its top. */
function plainOf(field: Json): string {
  if (field.format === 'number') return 'Money';
  if (field.enum) return `Literal[${(field.enum as readonly string[]).map((word) => `"${word}"`).join(', ')}]`;
  if (field.type === 'array') return `List[${plainOf((field.items ?? {}) as Json)}]`;
  if (field.type === 'number') return 'float';
  if (field.format === 'date-time') return 'datetime';
  return PLAIN[String(field.type ?? 'object')] ?? 'Any';
}

function docOf(field: Json): string {
  const text = firstOf(field);
  return text ? `    """${text}"""\n` : '';
}

function firstOf({ description = '' }: Json): string {
  const [first = ''] = String(description).split(/(?<=\.)\s/);
  return first.replaceAll('\n', ' ').replaceAll('\\', '\\\\').trim();
}

/** The source of a model with the names of unions, which are what stood there before when the program runs. */
function withUnions(source: string, places: readonly Place[]): string {
  const aliases: string[] = [];
  const changed = places.reduce((text, { field, union, isModel }) => {
    const line = new RegExp(
      `^(    ${field}: .*?)(Dict\\[str, Any\\]|Any)(?=\\]*(?:, Field\\(.*?\\))?\\]* (?:= |$))`,
      'm',
    );
    const found = line.exec(text)?.[2];
    if (!found && !isModel) throw new Error(`The Python model has no field ${field} for ${union}.`);
    if (!found) return text;
    aliases.push(`if TYPE_CHECKING:\n    from sluice.unions import ${union}\nelse:\n    ${union} = ${found}\n`);
    return text.replace(line, `$1${union}`);
  }, source);
  const imports = `from typing import TYPE_CHECKING\n${[...new Set(aliases)].join('')}\n`;
  return changed.replace(/^class /m, `${imports}class `);
}

function snakeOf(name: string): string {
  return name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();
}

function pascalOf(word: string): string {
  return word.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
