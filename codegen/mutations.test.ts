/**
 * Proves that the documents drive the handlers: a handler that no longer says what its document says, or a document that
 * no longer says what its handlers do, fails the type check. Works on a copy of the sources.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleOf } from './bundle.ts';
import { readDocument } from './document.ts';
import { documents } from './documents.ts';
import { wireTypes } from './wire-types.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TSC = join(ROOT, 'node_modules/.bin/tsc');

/** What is changed in the file that declares `of`, wherever that is. */
interface Mutation {
  readonly title: string;
  readonly of: string;
  readonly text: string;
  readonly becomes: string;
}

/** Each in a file of its own, so that one type check shows the errors of all. */
const handlerMutations: readonly Mutation[] = [
  {
    title: 'a misspelt reply field, in openapi.yaml',
    of: 'function accountHandlers(',
    text: 'balance_usd: nanoToUsd(account.balance)',
    becomes: 'balance_us: nanoToUsd(account.balance)',
  },
  {
    title: 'a misspelt reply field that is sometimes absent',
    of: 'function marketDepthHandlers(',
    text: 'preview: preview',
    becomes: 'previews: preview',
  },
  {
    title: 'a misspelt reply field, in openapi/console.yaml',
    of: 'function ledgerHandlers(',
    text: 'held_usd: nanoToUsd(held)',
    becomes: 'held_us: nanoToUsd(held)',
  },
  {
    title: 'a field that the body does not have, in openapi.yaml',
    of: 'function batchesHandlers(',
    text: 'body.input_file_id',
    becomes: 'body.input_file',
  },
  {
    title: 'a field that the body does not have, in openapi/console.yaml',
    of: 'function alertsHandlers(',
    text: 'const { below_usd } = ',
    becomes: 'const { below_us: below_usd } = ',
  },
  {
    title: 'an undocumented status, in openapi.yaml',
    of: 'function usageHandlers(',
    text: 'status: 200,',
    becomes: 'status: 201,',
  },
  {
    title: 'an undocumented status, in openapi/console.yaml',
    of: 'function keysHandlers(',
    text: 'return { status: 204 };',
    becomes: 'return { status: 202 };',
  },
  {
    title: 'a query parameter that is not documented',
    of: 'function statisticsHandlers(',
    text: 'const { range } = query;',
    becomes: 'const { ranges: range } = query;',
  },
  {
    title: 'a stream where none is documented',
    of: 'function systemHandlers(',
    text: "json: { service: 'sluice', version }",
    becomes: 'open: () => {}',
  },
];

/** The same in a part of a document; `of` declares the handler that no longer agrees with it. */
const documentMutations: readonly (Mutation & { readonly part: string })[] = [
  {
    title: 'a renamed reply field, in openapi.yaml',
    part: 'openapi/schemas/account.yaml',
    of: 'function accountHandlers(',
    text: 'balance_usd',
    becomes: 'funds_usd',
  },
  {
    title: 'a renamed body field, in openapi.yaml',
    part: 'openapi/schemas/reprice.yaml',
    of: 'function repriceHandlers(',
    text: 'ids',
    becomes: 'order_ids',
  },
  {
    title: 'a renamed reply field, in openapi/console.yaml',
    part: 'openapi/console/schemas/balance.yaml',
    of: 'function ledgerHandlers(',
    text: 'held_usd',
    becomes: 'on_hold_usd',
  },
];

describe('the type check', () => {
  let copy: string;
  /** The text of every source that is not a test, by its place in the copy. */
  const sources = new Map<string, string>();

  const fileOf = (declaration: string) => {
    const [found, ...more] = [...sources].filter(([, text]) => text.includes(declaration)).map(([file]) => file);
    assert.ok(found && more.length === 0, `${declaration} is in one file`);
    return found;
  };
  const mutate = async (file: string, { text, becomes }: Mutation) => {
    const original = await readFile(join(copy, file), 'utf8');
    assert.ok(original.includes(text), `${file} has ${text}`);
    await writeFile(join(copy, file), original.replaceAll(text, becomes));
  };
  /** The files in which the type check of the handlers finds an error. */
  const wrongFiles = () => {
    const { stdout, error } = spawnSync(TSC, ['--noEmit', '--pretty', 'false', '-p', copy], { encoding: 'utf8' });
    assert.ifError(error);
    return new Set([...stdout.matchAll(/^(\S.*?)\(\d+,\d+\): error /gm)].map(([, file = '']) => relative(copy, file)));
  };

  before(async () => {
    await mkdir(join(ROOT, 'data'), { recursive: true });
    copy = await mkdtemp(join(ROOT, 'data/mutations-test-'));
    for (const name of await readdir(join(ROOT, 'src'), { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const file = join('src', name);
      sources.set(file, await readFile(join(ROOT, file), 'utf8'));
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await writeFile(join(copy, file), sources.get(file) ?? '');
    }
    for (const name of ['openapi', 'openapi.yaml', 'package.json']) {
      await cp(join(ROOT, name), join(copy, name), { recursive: true });
    }
    for (const { folder } of documents) {
      const into = join(copy, relative(ROOT, folder));
      await mkdir(into, { recursive: true });
      for (const name of ['operations.ts', 'queries.ts', 'types.ts', 'validators.d.ts', 'validators.js'])
        await cp(join(folder, name), join(into, name));
    }
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const files = new Set([...handlerMutations, ...documentMutations].map(({ of }) => fileOf(of)));
    const { compilerOptions } = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8')) as object & {
      readonly compilerOptions: object;
    };
    await writeFile(
      join(copy, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: [...files, 'tables.ts', 'stray.ts'] }),
    );
    await writeFile(join(copy, 'tables.ts'), tables('Handlers'));
    await writeFile(join(copy, 'stray.ts'), '');
  });
  after(() => rm(copy, { recursive: true }));

  it('passes as the handlers are', () => {
    assert.deepEqual([...wrongFiles()], []);
  });

  it('fails for every handler that does not do what its document says', async () => {
    for (const mutation of handlerMutations) await mutate(fileOf(mutation.of), mutation);
    await writeFile(join(copy, 'tables.ts'), tables("Omit<Handlers, 'getOrder'>"));
    await writeFile(join(copy, 'stray.ts'), STRAY);
    const wrong = wrongFiles();
    for (const { title, of } of handlerMutations) assert.ok(wrong.has(fileOf(of)), title);
    assert.ok(wrong.has('tables.ts'), 'a missing handler');
    assert.ok(wrong.has('stray.ts'), 'a handler of no operation');
    for (const { of } of handlerMutations) await writeFile(join(copy, fileOf(of)), sources.get(fileOf(of)) ?? '');
    await writeFile(join(copy, 'tables.ts'), tables('Handlers'));
    await writeFile(join(copy, 'stray.ts'), '');
  });

  it('fails for every handler whose document changes', async () => {
    for (const mutation of documentMutations) await mutate(mutation.part, mutation);
    for (const { name, folder } of documents) {
      const { json } = await bundleOf(join(copy, name));
      await writeFile(join(copy, relative(ROOT, folder), 'types.ts'), await wireTypes(readDocument(json, name)));
    }
    const wrong = wrongFiles();
    for (const { title, of } of documentMutations) assert.ok(wrong.has(fileOf(of)), title);
  });
});

/** A file that takes a table of this type for that of all handlers. */
function tables(type: string): string {
  return `import type { Handlers } from '#contract/call.ts';
declare const known: ${type};
export const all: Handlers = known;
`;
}

/** A handler of an operation that no document has. */
const STRAY = `import type { HandlersFor } from '#contract/call.ts';
export type Stray = HandlersFor<'getNothing'>;
`;
