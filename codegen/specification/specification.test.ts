import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { departuresOf } from './departures.ts';
import { departuresPage, mapPage } from './pages.ts';
import { proofsIn } from './proofs.ts';
import { sentencesOf } from './sentences.ts';

const SPECIFICATION = readFileSync(new URL('../../docs/specification.md', import.meta.url), 'utf8');
const SMALL = `# A service

All of it. Every word.

## 1. Prices

1. A price is a number; it is never negative (see {a; b. C}).

### 1.1 Rows

| Field | Rule |
|---|---|
| name | A text. Up to 9 signs. |
`;

describe('the sentences of the specification', () => {
  it('are the parts that full stops and semicolons end, named by section', () => {
    assert.deepEqual(sentencesOf(SMALL), [
      { id: '0-1', of: null, text: 'All of it.' },
      { id: '0-2', of: null, text: 'Every word.' },
      { id: '1-1', of: null, text: 'A price is a number;' },
      { id: '1-2', of: null, text: 'it is never negative (see {a; b. C}).' },
      { id: '1.1-1', of: null, text: 'name | A text.' },
      { id: '1.1-2', of: 'name', text: 'Up to 9 signs.' },
    ]);
  });

  it('have every word outside headings and the heads of tables, once and in order', () => {
    const words = (text: string) => text.split(/[\s|]+/).filter(Boolean);
    const lines = SPECIFICATION.split('\n');
    const isHead = (line: string, next = '') => /^#|^\|[-|: ]+\|$/.test(line) || /^\|[-|: ]+\|$/.test(next);
    const body = lines.filter((line, at) => !isHead(line, lines[at + 1]));
    const written = body.flatMap((line) => words(line.trim().replace(/^(?:[-*]|\d+\.) /, '')));
    assert.deepEqual(
      sentencesOf(SPECIFICATION).flatMap(({ text }) => words(text)),
      written,
    );
  });

  it('keep their ids when others come, go or change', () => {
    const known = sentencesOf(SMALL);
    const edited = SMALL.replace('A price is a number;', 'A price is text; that is long;').replace('All of it. ', '');
    assert.deepEqual(
      sentencesOf(edited, known).map(({ id, text }) => [id, text]),
      [
        ['0-2', 'Every word.'],
        ['1-3', 'A price is text;'],
        ['1-4', 'that is long;'],
        ['1-2', 'it is never negative (see {a; b. C}).'],
        ['1.1-1', 'name | A text.'],
        ['1.1-2', 'Up to 9 signs.'],
      ],
    );
  });
});

describe('the proofs', () => {
  it('are the tests below a mark, whose title may be on the next line, in a loop or computed', () => {
    const text = [
      '  // Spec 1-1, 1.1-2',
      "  it('holds', () => {});",
      '  // Spec 1-2',
      '  it(',
      '    `also this`,',
      '// Spec 1-3',
      'for (const each of all)',
      '  test(each, () => {});',
      '// Spec 4.6 says so: no mark.',
    ].join('\n');
    assert.deepEqual(
      proofsIn('a.test.ts', text).map(({ name, sentences }) => [name, sentences]),
      [
        ['holds', ['1-1', '1.1-2']],
        ['also this', ['1-2']],
        ['test(each, () => {});', ['1-3']],
      ],
    );
    assert.throws(() => proofsIn('a.test.ts', '// Spec 1-1\nconst x = 1;'), /a.test.ts:1: no test follows/);
  });

  it('are the checks of conformance, by their first argument', () => {
    const [proof] = proofsIn('src/conformance/checks/x.ts', "marketCheck(\n  '1-1 1-2',\n  'holds',\n  run)");
    assert.deepEqual([proof?.name, proof?.sentences, proof?.isCheck], ['holds', ['1-1', '1-2'], true]);
  });
});

describe('the pages', () => {
  const document = JSON.stringify({
    paths: { '/v1/more': { get: { 'x-extension': true, summary: 'More' } } },
    components: {
      headers: { Own: { 'x-extension': true, description: 'Ours. Not theirs.' } },
      responses: { Good: { headers: { 'x-own': { $ref: '#/components/headers/Own' } } } },
      schemas: { Thing: { properties: { extra: { 'x-departure': { sentence: '1-2', what: 'It may be.' } } } } },
    },
  });
  const configuration = `
properties: {models: {type: array, items: {$ref: '#/definitions/Model'}}}
definitions: {Model: {properties: {odd: {x-extension: true, description: A switch.}}}}`;
  const marks = `{departures: [], extensions: [{name: Pages, what: For people.}], choices: {0-1: We do.}, nothing: {0-2: It is no rule.}}`;
  const found = departuresOf(document, configuration, marks);
  const sentences = sentencesOf(SMALL);

  it('have each mark once, with its place', () => {
    assert.deepEqual(found.departures, [{ sentence: '1-2', what: 'It may be.', where: 'extra of Thing' }]);
    assert.deepEqual(
      found.extensions.map(({ kind, name, what }) => `${kind} ${name}: ${what}`),
      [
        'operation GET /v1/more: More.',
        'parameter x-own: Ours.',
        'setting models[].odd: A switch.',
        'other Pages: For people.',
      ],
    );
    const page = departuresPage({ ...found, sentences, proofs: [] });
    assert.match(page, /\| 1-2 \| it is never negative .* \| It may be\. \(`extra of Thing`\) \|/);
  });

  it('say which sentences nothing proves', () => {
    const proofs = proofsIn('contract-tests/a.test.ts', "// Spec 1-1\nit('is a number', () => {});");
    const page = mapPage({ ...found, sentences, proofs });
    assert.match(page, /Of 6 sentences, 1 name a check or a test.*1 ask for nothing.*\*\*4 name none yet\*\*/s);
    assert.match(page, /\| 0-2 \| .* \| nothing to prove: It is no rule\. \|/);
    assert.match(page, /\| 1-1 \| A price is a number; \| a: is a number \| {2}\|/);
    assert.match(page, /\| 1-2 \| .* \| \*\*none named\*\* \| \[yes\]/);
  });
});
