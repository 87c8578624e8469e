/** `sluice migrate`: opening the store has brought the tables up to date; this reports what was applied. */
import type { OperatorStore } from './operator-store.ts';
import type { CommandResult } from './output.ts';

/** Reports the migrations that were applied just now. */
export async function migrateTables({ migrated }: OperatorStore): Promise<CommandResult> {
  const text = migrated.length === 0 ? 'The tables are up to date.' : `Applied ${migrated.join(', ')}.`;
  return { json: { applied: migrated }, text };
}
