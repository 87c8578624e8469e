/** A connection for leases and beats. A beat never waits for the transactions of the journal, so it has its own. */
import { type Connection, createConnection } from 'mysql2/promise';
import { mysqlSettings, unlessSilent } from '../database/database.ts';

/** Opens a connection whose NOW() is UTC: the time of a server may jump by an hour twice a year. */
export async function openLeaseSession(url: string): Promise<Connection> {
  const connection = await createConnection(mysqlSettings(url));
  // The next use notices a lost connection by itself; without a listener the event would end the process.
  connection.on('error', () => {});
  try {
    await unlessSilent(connection.query("SET SESSION time_zone = '+00:00'"));
    await unlessSilent(connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'));
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return connection;
}

/** Runs `work` in a transaction. */
export async function together<Answer>(connection: Connection, work: () => Promise<Answer>): Promise<Answer> {
  await connection.query('START TRANSACTION');
  try {
    const answer = await work();
    await connection.query('COMMIT');
    return answer;
  } catch (error) {
    // Fails when the connection is gone, and the transaction with it.
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
