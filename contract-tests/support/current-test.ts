/**
 * Which test is running, for what happens outside its own calls: a gateway does not know who asks. Importing this makes
 * a process one of tests, so that a gateway in a process of its own must not.
 */
import { relative } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TEST_FILE, type TestPlace } from './seen.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const file = relative(ROOT, process.argv[1] ?? '');
// Gateways that a test starts say who started them.
process.env[TEST_FILE] = file;

/** Empty before the first test, after the last and between two. The tests of a file run one by one. */
let title = '';

beforeEach((context) => {
  title = context.fullName;
});
afterEach(() => {
  title = '';
});

/** The test that runs now; its title is empty while none does. */
export function currentTest(): TestPlace {
  return { file, title };
}
