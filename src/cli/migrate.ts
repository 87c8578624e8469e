/** `sluice migrate`: opening the books brings the tables up to date, so all that is left is to say what was done. */
import type { Books } from './books.ts';
import type { Result } from './output.ts';

/** Which migrations were applied just now. */
export async function migrateBooks({ migrated }: Books): Promise<Result> {
  const text = migrated.length === 0 ? 'The tables are up to date.' : `Applied ${migrated.join(', ')}.`;
  return { json: { applied: migrated }, text };
}
