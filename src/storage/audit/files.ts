/** Every readable file must have its content. Content without a row is deleted at the next start. */
import type { Knex } from 'knex';
import type { FileContents } from '#batches/file.ts';
import type { Database } from '../database/database.ts';
import { inPages } from '../database/keyset.ts';
import { text } from '../database/values.ts';
import type { Findings } from './findings.ts';

const ROWS_PER_READ = 500;

/** Checks the disk against the rows of the snapshot; faults are read again, since the gateway may be running. */
export async function auditFiles(
  parts: { trx: Knex.Transaction; db: Database; contents: Pick<FileContents, 'read'> },
  findings: Findings,
): Promise<void> {
  const { trx, db, contents } = parts;
  for await (const rows of inPages(() => trx('files').where({ content_gone: 0 }).select('id'), ROWS_PER_READ))
    for (const id of rows.map((row) => text(row.id)))
      if (!(await isReadable(contents, id)) && (await isStillKept(db, id)))
        findings.add(`File ${id}: its content is promised and is not there.`);
}

async function isReadable(contents: Pick<FileContents, 'read'>, id: string): Promise<boolean> {
  try {
    await Array.fromAsync(contents.read(id, { end: 1 }));
    return true;
  } catch {
    return false;
  }
}

async function isStillKept({ knex }: Database, id: string): Promise<boolean> {
  return (await knex('files').where({ id, content_gone: 0 }).first('id')) !== undefined;
}
