/** Which steps a unit takes. */
import type { JournalOutcomes, JournalUnit } from '#orders/journal-port.ts';
import { accept, admit } from './accept.ts';
import type { BatchCounts } from './batch-counts.ts';
import { batchChecked, batchCreated, batchEnded, batchMoved, lineFailed, linesPlaced } from './batches.ts';
import { download } from './downloads.ts';
import { fileAdded, fileEmptied, fileRemoved } from './files.ts';
import { level } from './level.ts';
import { levelBlocks } from './level-blocks.ts';
import type { ModelTokens } from './model-tokens.ts';
import type { OrderDays } from './order-days.ts';
import { locks, quote } from './quote.ts';
import { close, reprice } from './resting.ts';
import { resultRemoved, resultStored } from './results.ts';
import { fail, requeue, settle } from './settle.ts';
import type { Steps } from './steps.ts';
import type { Till } from './till.ts';

/** What the units of one transaction share. `again`: this unit may have been applied before. */
export interface Context {
  readonly till: Till;
  readonly orderDays: OrderDays;
  readonly batchCounts: BatchCounts;
  readonly modelTokens: ModelTokens;
  readonly again: boolean;
}

export type JournalOutcome = JournalOutcomes[JournalUnit['kind']];

/** The steps of one unit; its account, if it names one, is open in the till. */
export function stepsOf(unit: JournalUnit, context: Context): Steps<JournalOutcome> {
  switch (unit.kind) {
    case 'accept':
      return accept(unit, context);
    case 'admit':
      return admit(unit, context);
    case 'settle':
      return settle(unit, context);
    case 'fail':
      return fail(unit, context);
    case 'requeue':
      return requeue(unit, context);
    case 'close':
      return close(unit, context);
    case 'reprice':
      return reprice(unit);
    case 'result-stored':
      return resultStored(unit, context);
    case 'result-removed':
      return resultRemoved(unit, context);
    case 'file-added':
      return fileAdded(unit, context);
    case 'file-removed':
      return fileRemoved(unit, context);
    case 'file-emptied':
      return fileEmptied(unit, context);
    case 'batch-created':
      return batchCreated(unit);
    case 'batch-checked':
      return batchChecked(unit);
    case 'batch-moved':
      return batchMoved(unit);
    case 'batch-ended':
      return batchEnded(unit, context);
    case 'line-failed':
      return lineFailed(unit, context);
    case 'lines-placed':
      return linesPlaced(unit);
    case 'download':
      return download(unit);
    case 'level':
      return level(unit, context);
    case 'quote':
      return quote(unit, context);
    case 'locks':
      return locks(unit);
    case 'level-blocks':
      return levelBlocks(unit);
  }
}

/** The account whose row a unit reads or changes; null for none. */
export function accountOf(unit: JournalUnit): string | null {
  if (unit.kind === 'accept') return unit.admission || unit.idempotency ? unit.order.accountId : null;
  return 'accountId' in unit ? unit.accountId : null;
}
