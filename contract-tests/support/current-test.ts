/**
 * Which test is running, for what happens outside its own calls: a gateway does not know which test calls it. Importing
 * this marks a process as one of tests, so a gateway in a process of its own must not import it.
 */
import { relative } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TEST_FILE, type TestPlace } from './run-record.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const file = relative(ROOT, process.argv[1] ?? '');
// Gateways started by a test report its file.
process.env[TEST_FILE] = file;

/** Empty before the first test, after the last and between tests. The tests of a file run one by one. */
let title = '';

beforeEach((context) => {
  title = context.fullName;
});
afterEach(() => {
  title = '';
});

/** The running test; its title is empty while none runs. */
export function currentTest(): TestPlace {
  return { file, title };
}
