/** Which models have ever completed an answer, from what settlements left. Read once at the start. Spec 4.9. */
import { HOUSE_ID } from '#access/principal.ts';
import type { Database } from '../database/database.ts';

/**
 * The models that answered a probe at any time, or a customer within the time that statistics are kept. The days of the
 * house are kept for ever, so that a model which was down for months still counts as down.
 */
export async function answeredModels({ knex }: Database): Promise<ReadonlySet<string>> {
  const models: string[][] = await Promise.all([
    knex('usage_days').where({ account_id: HOUSE_ID }).distinct().pluck('model'),
    knex('model_tokens').distinct().pluck('model'),
  ]);
  return new Set(models.flat());
}
