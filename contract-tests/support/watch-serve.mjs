/**
 * Preloaded, by NODE_OPTIONS of scripts/run-tests.ts, into every process that a test run starts: a gateway in a process
 * of its own is watched like the others, and a broken promise fails the run. Plain JavaScript, because an older Node
 * may load it too.
 */
if (process.argv.includes('serve')) {
  const [{ watchReplies }, { operations }, { TEST_FILE }] = await Promise.all([
    import('./watch.ts'),
    import('./operations.ts'),
    import('./run-record.ts'),
  ]);
  const place = { file: process.env[TEST_FILE] ?? 'a gateway of its own', title: '' };
  watchReplies({ operations, asker: () => place });
}
