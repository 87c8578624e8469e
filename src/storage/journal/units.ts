/** All units of the journal, and the steps of each. */
import type { OutcomeOf, UnitOf } from '#base/journal.ts';
import type { BatchUnits } from '#batches/units.ts';
import type { MarketUnits } from '#market/units.ts';
import type { OrderUnits } from '#orders/units.ts';
import type { ResultUnits } from '#results/units.ts';
import { accept, admit } from './accept.ts';
import { batchChecked, batchCreated, batchEnded, batchMoved, lineFailed, linesPlaced } from './batches.ts';
import type { Context } from './context.ts';
import { type DownloadUnits, download } from './downloads.ts';
import { type FileUnits, fileAdded, fileEmptied, fileRemoved } from './files.ts';
import { level, levelBlocks } from './level.ts';
import { locks, quote } from './quote.ts';
import { close, reprice } from './resting.ts';
import { resultRemoved, resultStored } from './results.ts';
import { fail, requeue, settle } from './settle.ts';
import type { Steps } from './steps.ts';

/** The units of every subject. */
export interface JournalUnits extends OrderUnits, ResultUnits, BatchUnits, FileUnits, MarketUnits, DownloadUnits {}

export type JournalUnit = UnitOf<JournalUnits>;
/** The outcome of a unit. */
export type JournalOutcome<Unit extends JournalUnit = JournalUnit> = OutcomeOf<JournalUnits, Unit['kind']>;

/** The steps of one unit; its account, if it names one, has been opened in the balances. */
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
      return reprice(unit, context);
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
