/**
 * Preloaded into every process that a run of the tests starts, which scripts/run-tests.ts asks for in NODE_OPTIONS: a
 * gateway in a process of its own is watched like the others, and what it breaks fails the run. Plain JavaScript,
 * because an older Node may load it too.
 */
if (process.argv.includes('serve')) {
  const [{ watchReplies }, { operations }, { TEST_FILE }] = await Promise.all([
    import('./watch.ts'),
    import('#generated/operations.ts'),
    import('./seen.ts'),
  ]);
  const place = { file: process.env[TEST_FILE] ?? 'a gateway of its own', title: '' };
  watchReplies({ operations, asker: () => place });
}
