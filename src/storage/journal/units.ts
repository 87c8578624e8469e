/** All units of the journal, and how each is applied. */
import type { OutcomeOf, UnitOf } from '#base/journal.ts';
import type { BatchUnits } from '#batches/units.ts';
import type { MarketUnits } from '#market/units.ts';
import type { LevelUnits, StatisticsUnits } from '#observe/ports.ts';
import type { OrderUnits } from '#orders/units.ts';
import type { ResultUnits } from '#results/ports.ts';
import { accept, admit } from './accept.ts';
import { adopt } from './adopt.ts';
import { batchChecked, batchCreated, batchEnded, batchMoved, lineFailed, linesPlaced } from './batches.ts';
import type { UnitKind } from './context.ts';
import { type DownloadUnits, download } from './downloads.ts';
import { type FileUnits, fileAdded, fileEmptied, fileRemoved } from './files.ts';
import { gatewayLoad } from './gateway-load.ts';
import { level, levelBlocks } from './level.ts';
import { locks, quote } from './quote.ts';
import { close, reprice } from './resting.ts';
import { resultRemoved, resultStored } from './results.ts';
import { runHours } from './run-hours.ts';
import { fail, requeue, settle } from './settle.ts';
import { type WebhookUnits, webhookTried } from './webhooks.ts';

/** The units of every subject. */
export interface JournalUnits
  extends OrderUnits,
    ResultUnits,
    BatchUnits,
    FileUnits,
    MarketUnits,
    LevelUnits,
    StatisticsUnits,
    DownloadUnits,
    WebhookUnits {}

export type JournalUnit = UnitOf<JournalUnits>;
/** The outcome of a unit. */
export type JournalOutcome<Unit extends JournalUnit = JournalUnit> = OutcomeOf<JournalUnits, Unit['kind']>;

const KINDS: {
  readonly [Kind in keyof JournalUnits]: UnitKind<JournalUnits[Kind]['unit'], JournalUnits[Kind]['outcome']>;
} = {
  accept,
  admit,
  settle,
  fail,
  requeue,
  close,
  reprice,
  adopt,
  'result-stored': resultStored,
  'result-removed': resultRemoved,
  'file-added': fileAdded,
  'file-removed': fileRemoved,
  'file-emptied': fileEmptied,
  'batch-created': batchCreated,
  'batch-checked': batchChecked,
  'batch-moved': batchMoved,
  'batch-ended': batchEnded,
  'line-failed': lineFailed,
  'lines-placed': linesPlaced,
  download,
  level,
  quote,
  locks,
  'level-blocks': levelBlocks,
  'run-hours': runHours,
  'gateway-load': gatewayLoad,
  'webhook-tried': webhookTried,
};

/** How a unit is applied. */
export function kindOf(unit: JournalUnit): UnitKind<JournalUnit, JournalOutcome> {
  return KINDS[unit.kind] as UnitKind<JournalUnit, JournalOutcome>;
}

/** The account whose row a unit reads or changes; null for none. */
export function accountOf(unit: JournalUnit): string | null {
  if (unit.kind === 'accept') return unit.admission || unit.idempotency ? unit.order.accountId : null;
  return 'accountId' in unit ? unit.accountId : null;
}
