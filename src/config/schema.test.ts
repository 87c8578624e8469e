/**
 * The JSON Schema for editors says what the gateway says. `judged-config.ts` compares both on every configuration of the
 * tests; here are the files of the repository, and files with one value changed.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { parseConfig } from '#testing/judged-config.ts';
import { configSchema } from './config.ts';
import { ConfigError } from './environment.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const lengths = 'context_length: 4096, max_output_length: 1024';
const catalog = `{
  datacenters: [{country_code: DE}],
  compliance: {hipaa: true},
  supported_parameters: {
    a: {type: range}, b: {type: integer}, c: {type: boolean}, d: {type: enum, values: [x]}, e: {type: array},
    f: {type: array, max_items: 1}, g: {type: object}, h: {type: unknown}
  }
}`.replaceAll(/\s+/g, ' ');
const pods = (id: string) =>
  `[{id: ${id}-1, slots: 1, simulated: true}, {id: ${id}-2, slots: 1, url: "http://127.0.0.1/v1"}, {id: ${id}-3, slots: {auto: {min: 1, max: 1}}, url: "http://127.0.0.1/v1"}]`;

/** Each type of a model, of a pod and of a parameter, each place of a member, with and without what is optional. */
const everyWay = {
  environment: {
    OIDC_CLIENT_SECRET: 'secret',
    STRIPE_SECRET_KEY: 'sk_sample',
    STRIPE_WEBHOOK_SECRET: 'whsec_sample',
  },
  files: [
    `
default_model: tide
models:
  - {id: tide, type: market, ${lengths}, ceiling: 1, pricing_ratio: {cached: 1, uncached: 1, output: 1}, catalog: ${catalog}, pods: ${pods('tide')}}
  - {id: harbor, type: fixed, ${lengths}, usd_per_million: {cached: 1, uncached: 1, output: 1}, catalog: ${catalog}, pods: ${pods('harbor')}}
console:
  oidc:
    issuer: https://id.example.com
    client_id: sluice
    role_claim: groups
    roles: {admins: {operator: viewer}, others: {account: acme, role: viewer}}
payments: {stripe: {success_url: "https://a.example/", cancel_url: "https://a.example/"}}
mail: {server: "smtps://mail.example.com", from: a@example.com, pages_url: "https://a.example"}
trust_proxy: 1
`,
    `
default_model: tide
models:
  - {id: tide, type: market, ${lengths}, ceiling: 1, pricing_ratio: {cached: 1, uncached: 1, output: 1}}
trust_proxy: [10.0.0.0/8]
`,
  ],
} as const;

/** Wrong for most keys, and right for some. */
const VALUES = [null, true, 'text', '', 0, 0.5, 2 ** 60, [], ['text'], {}, 'viewer'];

test('the schema in the repository is the one that the gateway prints', () => {
  assert.deepEqual(JSON.parse(read('deploy/configuration.schema.json')), configSchema);
});

test('the files of the repository name it, and are right', () => {
  for (const file of ['sluice.yaml', 'deploy/compose/sluice.yaml']) {
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(read(file)) ?? [];
    assert.equal(join(file, '..', schema), 'deploy/configuration.schema.json');
    parseConfig(read(file), file, {});
  }
});

test('gateway and schema judge alike when one value of a file is another, or missing', () => {
  const judged = { taken: 0, refused: 0 };
  for (const text of everyWay.files) {
    const file: unknown = parse(text);
    for (const path of pathsOf(file))
      for (const value of [undefined, ...VALUES]) {
        const changed = structuredClone(file);
        put(changed, path, value);
        judged[judge(changed)]++;
      }
  }
  assert.ok(judged.taken > 80 && judged.refused > 1000, JSON.stringify(judged));
});

test('gateway and schema judge alike when a key is unknown, anywhere', () => {
  for (const text of everyWay.files) {
    const file: unknown = parse(text);
    for (const path of [[], ...pathsOf(file)].map((found) => [...found, 'unknown_key'])) {
      const changed = structuredClone(file);
      const parent = at(changed, path.slice(0, -1));
      if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) continue;
      put(changed, path, { type: 'boolean' });
      judge(changed);
    }
  }
});

test('docs/sell/configuration.md has every key of the schema', () => {
  const page = read('docs/sell/configuration.md');
  assert.deepEqual(
    keysOf(configSchema).filter((key) => !page.includes(key)),
    [],
  );
});

function judge(file: unknown): 'taken' | 'refused' {
  try {
    parseConfig(JSON.stringify(file), 'changed.yaml', everyWay.environment);
    return 'taken';
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return 'refused';
  }
}

/** Each value below the top, by the keys that lead to it. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])]);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value);
}

/** Undefined removes it. */
function put(file: unknown, path: readonly string[], value: unknown): void {
  const parent = at(file, path.slice(0, -1)) as Record<string, unknown>;
  const key = path.at(-1) ?? '';
  if (value === undefined) delete parent[key];
  else parent[key] = value;
}

/** Every key that a schema describes, at any depth. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([word, inner]) => [
    ...(word === 'properties' ? Object.keys(inner) : []),
    ...keysOf(inner),
  ]);
}
