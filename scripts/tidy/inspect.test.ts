import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from './inspect.ts';
import type { SourceFile } from './source.ts';

const OPENING = '/** A file. */\n';

function source(path: string, code: string): SourceFile {
  return { path, text: `${OPENING}${code}\n` };
}

const GLOSSARY = `
## Market

- **floor, ceiling**: The bounds of the published level.

## Pods

- **simulated pod**: A built-in pod.
`;

/** Without a plan, what is said about the plan is left out. */
function faultsOf(files: readonly SourceFile[], glossary = GLOSSARY, plan?: string) {
  const page = (path: string, text: string) => ({ path, text });
  const findings = inspect(files, {
    glossary: page('docs/change/glossary.md', glossary),
    architecture: page('docs/change/architecture.md', plan ?? ''),
  });
  return plan === undefined ? findings.filter(({ path }) => path !== 'docs/change/architecture.md') : findings;
}

function sentences(...files: SourceFile[]): string[] {
  return faultsOf(files).map(({ path, line, sentence }) => `${path}:${line}: ${sentence}`);
}

test('a file that keeps the rules has no finding', () => {
  const code = "import { x } from '#base/clock.ts';\nimport { y } from './level.ts';\nimport fs from 'node:fs';";
  assert.deepEqual(sentences(source('src/market/price/quote.ts', code)), []);
});

test('a folder may not import a folder that is not in its row of the table', () => {
  assert.deepEqual(
    sentences(source('src/market/price/quote.ts', "import { orderService } from '#orders/order-service.ts';")),
    ['src/market/price/quote.ts:2: imports #orders/order-service.ts: market may import base, ledger/tariff.ts'],
  );
});

test('a type import is an import', () => {
  assert.match(
    sentences(source('src/base/id.ts', "import type { Book } from '#market/book.ts';"))[0] ?? '',
    /nothing of/,
  );
});

test('the table may allow a single file of a folder', () => {
  assert.deepEqual(sentences(source('src/market/a.ts', "import { t } from '#ledger/tariff.ts';")), []);
  assert.equal(sentences(source('src/market/a.ts', "import { t } from '#ledger/usage.ts';")).length, 1);
});

test('an import over several lines, an export from, a bare import and a dynamic import all count', () => {
  const forms = [
    "import {\n  a,\n  b,\n} from '#orders/order-service.ts';",
    "export { a } from '#orders/order-service.ts';",
    "import '#orders/order-service.ts';",
    "const a = await import('#orders/order-service.ts');",
  ];
  for (const form of forms) assert.equal(sentences(source('src/market/a.ts', form)).length, 1, form);
});

test('the composition root may import anything of the product, in either form', () => {
  const code = "import { a } from '#http/app.ts';\nimport { b } from './orders/order-service.ts';";
  assert.deepEqual(sentences(source('src/service/service.ts', code)), []);
  assert.equal(sentences(source('src/service/service.ts', "import { a } from '#testing/pods.ts';")).length, 1);
});

test('generated input has a seed', () => {
  const code = 'fc.assert(fc.property(fc.integer(), (n) => n === n)';
  assert.match(
    sentences(source('src/base/a.test.ts', `${code}); // seed`))[0] ?? '',
    /a\.test\.ts:1: .* without a seed/,
  );
  assert.deepEqual(sentences(source('src/base/a.test.ts', `${code}, { seed: 1 });`)), []);
});

test('the product may not import tests, benchmarks or scripts', () => {
  for (const path of ['src/cli/simulate.ts', 'src/market/a.ts', 'simulations/floor.ts']) {
    for (const target of ['#testing/listings.ts', '../../benchmarks/machine.ts', '../../scripts/soak.ts']) {
      assert.equal(sentences(source(path, `import { a } from '${target}';`)).length, 1, `${path} → ${target}`);
    }
  }
  assert.deepEqual(sentences(source('src/cli/simulate.ts', "import { a } from '#simulations/run.ts';")), []);
});

test('each folder beside the source has a row of its own', () => {
  const rows: [path: string, allowed: string, forbidden: string][] = [
    ['simulations/floor.ts', '#market/exchange.ts', '#pods/pool.ts'],
    ['testing/pods.ts', '#pods/pool.ts', '#simulations/floor.ts'],
    ['benchmarks/a.bench.ts', '#testing/pods.ts', '#codegen/document.ts'],
    ['scripts/soak.ts', '#codegen/document.ts', '#orders/order-service.ts'],
    ['codegen/sdks/document.ts', '../document.ts', '#base/clock.ts'],
    ['contract-tests/support/client.ts', '#testing/mock-backend.ts', '#base/clock.ts'],
  ];
  for (const [path, allowed, forbidden] of rows) {
    assert.deepEqual(sentences(source(path, `import { a } from '${allowed}';`)), [], path);
    assert.equal(sentences(source(path, `import { a } from '${forbidden}';`)).length, 1, path);
  }
});

test('a contract test may not import the product, except the files with a reason', () => {
  const code = "import { a } from '#service/service.ts';";
  assert.equal(sentences(source('contract-tests/getOrder.test.ts', code)).length, 1);
  assert.deepEqual(sentences(source('contract-tests/support/gateway.ts', code)), []);
});

test('a test of the product may import all of the product and what tests share, but no scripts', () => {
  const code = "import { a } from '#http/app.ts';\nimport { b } from '#testing/pods.ts';";
  assert.deepEqual(sentences(source('src/market/a.test.ts', code)), []);
  assert.equal(sentences(source('src/market/a.test.ts', "import { a } from '../../scripts/soak.ts';")).length, 1);
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

test('the clock, chance, the environment and the console are used only at home', () => {
  const lines = ['Date.now();', 'setTimeout(f, 1);', 'Math.random();', 'process.env.PORT;', "console.log('a');"];
  for (const line of lines) {
    assert.equal(sentences(source('src/market/a.ts', line)).length, 1, line);
  }
  assert.deepEqual(sentences(source('src/base/clock.ts', 'Date.now();')), []);
  assert.deepEqual(sentences(source('src/config/config.ts', 'process.env;')), []);
});

test('a word in a comment is not a breach, and an address in quotes hides nothing', () => {
  assert.deepEqual(sentences(source('src/market/a.ts', '// Date.now() is not used.\n/* setTimeout( */')), []);
  assert.equal(sentences(source('src/market/a.ts', "const a = 'http://x'; Date.now();")).length, 1);
});

test('tests and scripts may use the clock and every package, but no unseeded randomness', () => {
  const code = "import express from 'express';\nDate.now();";
  assert.deepEqual(sentences(source('src/market/a.test.ts', code), source('scripts/soak.ts', code)), []);
  assert.equal(sentences(source('scripts/soak.ts', 'Math.random();')).length, 1);
  assert.equal(sentences(source('simulations/floor.ts', 'Date.now();')).length, 1);
});

test('a file opens with a comment, unless it is a test', () => {
  const text = 'export const a = 1;\n';
  for (const path of ['src/market/a.ts', 'testing/a.ts', 'scripts/a.ts']) {
    assert.equal(faultsOf([{ path, text }])[0]?.line, 1, path);
  }
  assert.deepEqual(faultsOf([{ path: 'src/market/a.test.ts', text }]), []);
});

test('the glossary has each word once', () => {
  const twice = `${GLOSSARY}- **ceiling**: The roof.\n`;
  assert.deepEqual(faultsOf([]), []);
  assert.equal(faultsOf([], twice)[0]?.sentence, 'explains ceiling a second time');
});

test('a name is exported by one file of the product', () => {
  const [one, two] = [
    source('src/market/a.ts', 'export class Fan {}'),
    source('src/pods/b.ts', 'export type Fan = 1;'),
  ];
  assert.deepEqual(sentences(one, two), [
    'src/pods/b.ts:2: exports Fan, and so does src/market/a.ts: one name, one thing',
  ]);
  assert.deepEqual(sentences(one, source('testing/b.ts', 'export class Fan {}')), []);
});

test('overloads are one name, and the wire shapes may share theirs', () => {
  const overloads = 'export function read(a: 1): 1;\nexport function read(a: 2): 2;';
  const twin = (shape: string) => source(`src/adapters/${shape}/tools.ts`, 'export function tools() {}');
  assert.deepEqual(sentences(source('src/market/a.ts', overloads), twin('messages'), twin('responses')), []);
});

test('a word of the glossary names a type only at its home', () => {
  const code = 'export interface Ceiling {}';
  assert.deepEqual(sentences(source('src/market/a.ts', code)), []);
  assert.deepEqual(sentences(source('src/cli/a.ts', code)), [
    'src/cli/a.ts:2: exports Ceiling, a word that the glossary keeps for market: say which',
  ]);
  assert.equal(sentences(source('simulations/a.ts', 'export class SimulatedPod {}')).length, 1);
});

test('a retired word must not return in an exported name or a file name', () => {
  const names = ['export class FanOut {}', 'export const FAN_OUT_MS = 1;', 'export function openDesk() {}'];
  for (const code of names) assert.equal(sentences(source('testing/a.ts', code)).length, 1, code);
  assert.equal(sentences(source('scripts/desk-bench.ts', '')).length, 1);
  assert.deepEqual(sentences(source('src/market/gateway.ts', 'export class GatewayRun {}\nconst desk = 1;')), []);
});

test('folders that import each other are a fault, at any depth', () => {
  const files = [
    source('src/storage/journal/a.ts', "import { b } from '../orders/b.ts';"),
    source('src/storage/orders/b.ts', 'export const b = 1;'),
    source('src/storage/orders/c.ts', "import { d } from '../journal/d.ts';"),
    source('src/storage/journal/d.ts', 'export const d = 1;'),
  ];
  assert.deepEqual(sentences(...files), [
    'src/storage/journal:1: imports itself in a circle of folders: src/storage/journal → src/storage/orders → src/storage/journal',
  ]);
});

test('a folder and its subfolder that import each other are a fault', () => {
  const files = [
    source('src/market/a.ts', "import { b } from './price/b.ts';"),
    source('src/market/price/b.ts', 'export const b = 1;'),
    source('src/market/price/c.ts', "import { d } from '../d.ts';"),
    source('src/market/d.ts', 'export const d = 1;'),
  ];
  assert.equal(sentences(...files).length, 1);
});

test('a folder that only imports another is no fault, whatever is inside', () => {
  const files = [
    source('src/market/a.ts', 'export const a = 1;'),
    source('src/market/price/b.ts', "import { a } from '../a.ts';"),
    source('src/market/exchange/c.ts', "import { b } from '../price/b.ts';\nimport { a } from '../a.ts';"),
  ];
  assert.deepEqual(sentences(...files), []);
});

test('the floor plan draws each room one floor above the highest that it imports', () => {
  const files = [
    source('src/base/id.ts', 'export const a = 1;'),
    source('src/market/a.ts', "import { a } from '#base/id.ts';"),
    source('src/orders/b.ts', "import { b } from '#market/listing.ts';"),
  ];
  const about = (plan: string) => faultsOf(files, GLOSSARY, plan).map(({ line, sentence }) => `${line}: ${sentence}`);
  assert.deepEqual(about('  3   orders    x\n  2   market\n  1   base'), []);
  assert.deepEqual(about('  3   orders · market\n  1   base\n  2   pods'), [
    '3: draws pods, which is no folder of src',
    '1: draws market on floor 3, not 2',
  ]);
  assert.deepEqual(about('  3   orders\n  1   base'), ['1: does not draw market, on floor 2']);
});
