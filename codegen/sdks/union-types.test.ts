import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { UNIONS } from './document-types.ts';
import { readTypes, type Type } from './union-types.ts';

/** The type of an alias with this text. */
function typeOf(text: string): Type | undefined {
  return readTypes(`/** A type. */\nexport type Thing = ${text};\n`)[0]?.type;
}

const name = (text: string) => ({ kind: 'name', text }) as const;
const literal = (text: string) => ({ kind: 'literal', text }) as const;

describe('the reader of unions.ts', () => {
  it('reads names, literals, lists and unions of them, a leading bar or not', () => {
    assert.deepEqual(typeOf('string'), name('string'));
    assert.deepEqual(typeOf("'none' | 'auto'"), { kind: 'union', of: [literal('none'), literal('auto')] });
    assert.deepEqual(typeOf('\n  | string\n  | Date[]'), {
      kind: 'union',
      of: [name('string'), { kind: 'list', of: name('Date') }],
    });
  });

  it('reads a list of a union in parentheses, and a tuple of one as a list', () => {
    const union = { kind: 'union', of: [name('A'), name('B')] } as const;
    assert.deepEqual(typeOf('(A | B)[]'), { kind: 'list', of: union });
    assert.deepEqual(typeOf('[string]'), { kind: 'list', of: name('string') });
  });

  it('reads objects with optional fields, in one another, and those with any field', () => {
    assert.deepEqual(typeOf("{ type: 'a'; inner?: { any: { [key: string]: unknown } } }"), {
      kind: 'object',
      fields: [
        { name: 'type', optional: false, type: literal('a') },
        {
          name: 'inner',
          optional: true,
          type: { kind: 'object', fields: [{ name: 'any', optional: false, type: { kind: 'map' } }] },
        },
      ],
    });
  });

  it('reads interfaces, comments and several declarations, in order', () => {
    const source =
      '/** First. */\nexport interface One {\n  a: string;\n}\n\n/** Second. */\nexport type Two = One[];\n';
    assert.deepEqual(
      readTypes(source).map(({ name, comment, type }) => [name, comment, type.kind]),
      [
        ['One', 'First.', 'object'],
        ['Two', 'Second.', 'list'],
      ],
    );
  });

  it('refuses what is not of its part of TypeScript, and says where', () => {
    assert.throws(() => typeOf('(a: string) => void'), /Expected "\)" before ": string/);
    assert.throws(() => typeOf('string | &'), /"&" is no type/);
    assert.throws(() => typeOf('{ a string }'), /Expected ":" before "string/);
  });

  it('knows every union of the document, and no type of unions.ts gets lost', async () => {
    const source = await readFile(new URL('unions.ts', import.meta.url), 'utf8');
    const names = readTypes(source).map((each) => each.name);
    assert.deepEqual(
      names,
      Array.from(source.matchAll(/^export (?:type|interface) (\w+)/gm), ([, each]) => each),
    );
    // Money is a type of its own in each language.
    for (const union of Object.keys(UNIONS)) assert.ok(union === 'Money' || names.includes(union), union);
  });
});
