/**
 * Preloaded into every test file by scripts/run-tests.ts: when the tests of a file are over, its process has to end by
 * itself. If something keeps it alive (a server, a connection, a timer), it is ended here and fails, and says what it
 * was. Node's own --test-force-exit ends such a file silently, and drops reports that are not written yet.
 */
import { after } from 'node:test';

/** What closing down may take on a busy machine; the environment can shorten it, so that its own test need not wait. */
const graceMs = Number(process.env.SLUICE_TEST_GRACE_MS ?? 15_000);

after(() => {
  setTimeout(() => {
    const holders = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap');
    console.error(`${process.argv[1]} does not end by itself; still open: ${holders.join(', ') || 'pipes'}`);
    process.exit(1);
  }, graceMs).unref();
});
