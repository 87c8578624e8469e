/** All the lanes of a hostile soak. */
import type { AccountName, SoakAccount } from './accounts.ts';
import { runBatch } from './batches.ts';
import { chance } from './chance.ts';
import { sendDetached } from './detached-orders.ts';
import { keyedOrders } from './keyed-orders.ts';
import { type Field, type Lane, runLanes } from './lane.ts';
import { sendPlain } from './plain-orders.ts';
import { readSomething } from './readers.ts';

/** Runs them until the soak is over; resolves when everything that was begun has ended. */
export async function runLoad(field: Field, accounts: Readonly<Record<AccountName, SoakAccount>>): Promise<void> {
  const { kept, unkept, keyed, detached, batches, tiny, rotating, suspended } = accounts;
  const lanes = (
    name: string,
    count: number,
    caller: SoakAccount,
    pauseMs: number,
    once: (lane: Lane) => Promise<void>,
  ) => runLanes(field, { name, count, caller, pauseMs }, once);
  await Promise.all([
    lanes('kept', 6, kept, 600, sendPlain),
    lanes('unkept', 5, unkept, 600, sendPlain),
    lanes('unkept by request', 2, kept, 600, (lane) => sendPlain(lane, { unkept: true })),
    lanes('patient', 3, kept, 700, (lane) => sendPlain(lane, { model: 'ebb' })),
    lanes('keyed', 8, keyed, 600, keyedOrders()),
    lanes('detached', 6, detached, 1500, sendDetached),
    lanes('batches', 2, batches, 6000, runBatch),
    lanes('tiny', 2, tiny, 600, sendPlain),
    lanes('rotating', 2, rotating, 600, (lane) => sendPlain(lane, {}, ['401 invalid_api_key'])),
    lanes('suspended', 3, suspended, 800, sendSuspended),
    lanes('suspended batches', 1, suspended, 8000, runBatch),
    lanes('readers', 4, kept, 800, readSomething),
  ]);
}

function sendSuspended(lane: Lane): Promise<void> {
  const allowed = ['403 account_suspended'];
  return chance(lane.random, 1 / 3) ? sendDetached(lane, allowed) : sendPlain(lane, {}, allowed);
}
