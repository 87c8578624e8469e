import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect, type SourceFile } from './inspect.ts';

const OPENING = '/** A file. */\n';

function source(path: string, code: string): SourceFile {
  return { path, text: `${OPENING}${code}\n` };
}

function sentences(...files: SourceFile[]): string[] {
  return inspect(files).map((finding) => `${finding.path}:${finding.line}: ${finding.sentence}`);
}

test('a file that keeps the rules has no finding', () => {
  const code = "import { x } from '#base/clock.ts';\nimport { y } from './level.ts';\nimport fs from 'node:fs';";
  assert.deepEqual(sentences(source('src/market/quote.ts', code)), []);
});

test('a folder may not import a folder that the table does not give it', () => {
  assert.deepEqual(sentences(source('src/market/quote.ts', "import { desk } from '#orders/desk.ts';")), [
    'src/market/quote.ts:2: imports #orders/desk.ts: market may import base, ledger/tariff.ts',
  ]);
});

test('a type import is an import', () => {
  assert.match(
    sentences(source('src/base/id.ts', "import type { Book } from '#market/book.ts';"))[0] ?? '',
    /nothing of/,
  );
});

test('a single file of a folder may be allowed without the others', () => {
  assert.deepEqual(sentences(source('src/market/a.ts', "import { t } from '#ledger/tariff.ts';")), []);
  assert.equal(sentences(source('src/market/a.ts', "import { t } from '#ledger/usage.ts';")).length, 1);
});

test('an import over several lines, an export from, a bare import and a dynamic import all count', () => {
  const forms = [
    "import {\n  a,\n  b,\n} from '#orders/desk.ts';",
    "export { a } from '#orders/desk.ts';",
    "import '#orders/desk.ts';",
    "const a = await import('#orders/desk.ts');",
  ];
  for (const form of forms) assert.equal(sentences(source('src/market/a.ts', form)).length, 1, form);
});

test('the composition root may import anything', () => {
  assert.deepEqual(sentences(source('src/service.ts', "import { a } from '#http/app.ts';")), []);
});

test('a folder without a row in the table is a fault', () => {
  assert.match(sentences(source('src/utils/a.ts', "import { a } from '#base/id.ts';"))[0] ?? '', /does not name/);
});

test('a path written across folders, or with # inside a folder, is a fault', () => {
  assert.match(sentences(source('src/market/a.ts', "import { a } from '../base/id.ts';"))[0] ?? '', /write #/);
  assert.match(sentences(source('src/market/a.ts', "import { a } from '#market/b.ts';"))[0] ?? '', /write \.\//);
});

test('a package has one home', () => {
  assert.deepEqual(sentences(source('src/http/app.ts', "import express from 'express';")), []);
  assert.equal(sentences(source('src/handlers/a.ts', "import express from 'express';")).length, 1);
  assert.equal(sentences(source('src/handlers/a.ts', "import mysql from 'mysql2/promise';")).length, 1);
});

test('the clock, chance, the environment and the console are reached only at home', () => {
  const lines = ['Date.now();', 'setTimeout(f, 1);', 'Math.random();', 'process.env.PORT;', "console.log('a');"];
  for (const line of lines) {
    assert.equal(sentences(source('src/market/a.ts', line)).length, 1, line);
  }
  assert.deepEqual(sentences(source('src/base/clock.ts', 'Date.now();')), []);
  assert.deepEqual(sentences(source('src/config.ts', 'process.env;')), []);
});

test('a word inside a comment is no breach, and an address inside quotes hides nothing', () => {
  assert.deepEqual(sentences(source('src/market/a.ts', '// Date.now() is not used.\n/* setTimeout( */')), []);
  assert.equal(sentences(source('src/market/a.ts', "const a = 'http://x'; Date.now();")).length, 1);
});

test('tests are free to use what they like', () => {
  assert.deepEqual(
    inspect([{ path: 'src/market/a.test.ts', text: "import x from '#http/app.ts';\nDate.now();\n" }]),
    [],
  );
});

test('a source file opens with a comment', () => {
  assert.equal(inspect([{ path: 'src/market/a.ts', text: 'export const a = 1;\n' }])[0]?.line, 1);
});

test('a file over 300 lines is warned of, one over 400 is a fault', () => {
  const lines = (count: number) => source('src/market/a.ts', 'x;\n'.repeat(count));
  assert.equal(inspect([lines(310)])[0]?.severity, 'warning');
  assert.equal(inspect([lines(410)])[0]?.severity, 'fault');
});

test('an import circle is a fault that shows the way around', () => {
  const files = [
    source('src/market/a.ts', "import { b } from './b.ts';"),
    source('src/market/b.ts', "import { c, type D } from './c.ts';"),
    source('src/market/c.ts', "import { a } from './a.ts';"),
  ];
  assert.deepEqual(sentences(...files), [
    'src/market/a.ts:1: imports itself in a circle: src/market/a.ts → src/market/b.ts → src/market/c.ts → src/market/a.ts',
  ]);
});

test('a circle that only types close is none', () => {
  const files = [
    source('src/market/a.ts', "import { b } from './b.ts';"),
    source('src/market/b.ts', "import type { A } from './a.ts';\nexport const b = 1;"),
  ];
  assert.deepEqual(sentences(...files), []);
});
