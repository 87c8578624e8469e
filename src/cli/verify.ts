/**
 * `sluice verify`: verifies what a gateway signed, with nothing but its saved public keys, and recomputes the charge.
 * Exits 1 when something is wrong with it, and 2 when it could not be read.
 */
import { isDeepStrictEqual } from 'node:util';
import { dayStartOf, momentOf } from '#base/moment.ts';
import { formatUsd } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import { checkReceipt, type ReceiptClaims } from '#ledger/receipt-claims.ts';
import { NotVerified, readKeySet, verifyStatement } from '#signing/verify.ts';
import { CommandError, type CommandResult, facts, good, wrong } from './output.ts';
import { comparison, readSource, type StatedRow, Unreadable, verifyChains } from './verify-chain.ts';

/** What is verified, and with what. */
export interface VerifyOptions {
  /** The public keys: a file or an address. Needed for a receipt or a head. */
  readonly jwks?: string;
  /** Absent: the issuer that the key set names. */
  readonly issuer?: string;
  /** The address of a gateway whose ledger is followed, or compared with what was signed. */
  readonly chain?: string;
  readonly model?: string;
  /** Times that `Date` can read; a day until now when absent. */
  readonly from?: string;
  readonly to?: string;
}

/**
 * Verifies the receipt or head in the file `source`: a JWS, or the JSON of GET /v1/orders/{id}/receipt or of GET
 * /v1/market/ledger/head. Without one, follows the chains at `chain`. Throws CommandError when nothing is given.
 */
export async function verify(
  source: string | undefined,
  options: VerifyOptions,
  nowMs: number,
): Promise<CommandResult> {
  const { jwks, chain } = options;
  if (source !== undefined && jwks === undefined)
    throw new CommandError('Name the public keys with --jwks: a saved /.well-known/jwks.json, or its address.');
  if (source === undefined && chain === undefined)
    throw new CommandError('Name a receipt, or with --chain the gateway whose prices are to be verified.');
  try {
    if (source === undefined) return await verifyChains({ url: chain ?? '', ...stretchOf(options, nowMs) });
    return await verifyStated(source, { ...options, jwks: jwks ?? '' });
  } catch (error) {
    if (error instanceof Unreadable) return failed(error.message, wrong(error.message), 2);
    if (error instanceof NotVerified) return failed(error.message, wrong(`Not verified. ${error.message}`), 1);
    throw error;
  }
}

function failed(fault: string, text: string, exitCode: number): CommandResult {
  return { json: { ok: false, faults: [fault] }, text, exitCode };
}

function stretchOf({ model, from, to }: VerifyOptions, nowMs: number) {
  const time = (name: string, text: string | undefined, otherwise: number) => {
    const ms = text === undefined ? otherwise : (dayStartOf(text) ?? momentOf(text));
    if (ms === null) throw new CommandError(`${name} is no time such as 2026-01-31 or 2026-01-31T12:00:00Z.`);
    return ms;
  };
  const toMs = time('--to', to, nowMs);
  return { model: model ?? null, fromMs: time('--from', from, toMs - DAY_MS), toMs };
}

async function verifyStated(
  source: string,
  { jwks, issuer, chain }: VerifyOptions & { readonly jwks: string },
): Promise<CommandResult> {
  const [text, keys] = await Promise.all([readSource(source), readSource(jwks)]);
  const { jws, beside } = received(text);
  const { kid, type, claims } = await verifyStatement(jws, readKeySet(keys), issuer);
  if (beside !== undefined && !isDeepStrictEqual(beside, claims))
    throw new NotVerified('The readable part beside the signature differs from what was signed.');
  const result = type === 'head' ? headResult(kid, claims) : receiptResult(kid, claims);
  if (chain === undefined || result.exitCode) return result;
  const stated = type === 'head' ? [claims as unknown as StatedRow] : rowsOf(claims as unknown as ReceiptClaims);
  let compared = 0;
  for (const row of stated) {
    const answer = await comparison(chain, row);
    if (answer === 'agrees') compared++;
    else if (answer !== 'gone') {
      const { fault } = answer;
      return { json: { ...result.json, ok: false, faults: [fault] }, text: wrong(fault), exitCode: 1 };
    }
  }
  const said = { ...result.json, rows_named: stated.length, rows_compared: compared };
  return { ...result, json: said, text: `${result.text}\n${comparedSentence(stated.length, compared)}` };
}

function comparedSentence(named: number, compared: number): string {
  if (named === 0) return 'It names no row of a ledger.';
  if (compared === named) return good('The ledger says the same.');
  const rest = `${named - compared} of the ${named} rows that it names are no longer kept there: not compared.`;
  return compared === 0 ? rest : `${rest} Of the others ${good('the ledger says the same.')}`;
}

/** The rows of the ledger that a receipt names. */
function rowsOf({ model, level_row, quote_window }: ReceiptClaims): StatedRow[] {
  const rows = [
    { chain: 'levels' as const, row: level_row },
    { chain: 'quotes' as const, row: quote_window },
  ];
  return rows.flatMap(({ chain, row }) => (row?.hash ? [{ model, chain, number: row.number, hash: row.hash }] : []));
}

function headResult(kid: string, claims: Readonly<Record<string, unknown>>): CommandResult {
  const { model, chain, number, hash } = claims;
  const lines = facts([
    ['market', `${model}, ${chain}`],
    ['number', String(number)],
    ['hash', String(hash)],
    ['issuer', String(claims.iss)],
    ['key', kid],
  ]);
  return {
    json: { ok: true, kid, faults: [], head: claims },
    text: `${good('Verified: the signature is right.')}\n${lines}`,
  };
}

function receiptResult(kid: string, claims: Readonly<Record<string, unknown>>): CommandResult {
  const { due, faults } = checkReceipt(claims);
  const json = {
    ok: faults.length === 0,
    kid,
    due_nano_usd: due === null ? null : Number(due),
    faults,
    receipt: claims,
  };
  if (faults.length > 0)
    return {
      json,
      text: wrong(['The signature is right, and the receipt is wrong.', ...faults].join('\n')),
      exitCode: 1,
    };
  return {
    json,
    text: `${good('Verified: the signature is right, and the charge follows from the receipt.')}\n${factsOf(claims as unknown as ReceiptClaims, kid)}`,
  };
}

function factsOf(receipt: ReceiptClaims, kid: string): string {
  const { prompt_tokens, cached_tokens, output_tokens, level_row, quote_window } = receipt;
  const at = (ms: number) => new Date(ms).toISOString();
  return facts([
    ['order', receipt.order_id],
    ['model', receipt.model],
    ['settled', receipt.settled_at],
    ['tokens', `${prompt_tokens} in, ${cached_tokens} of them cached, ${output_tokens} out`],
    [
      'price',
      `${usd(receipt.level_nano_usd)} per 1M input tokens at the reference mix, bid ${usd(receipt.bid_nano_usd)}`,
    ],
    ['charged', usd(receipt.charged_nano_usd)],
    ...(level_row
      ? ([
          ['level', `number ${level_row.number}, ${usd(level_row.level_nano_usd)} from ${at(level_row.at_ms)}`],
        ] as const)
      : []),
    ...(quote_window
      ? ([
          [
            'quote',
            `number ${quote_window.number}, ${usd(quote_window.price_nano_usd)} until ${at(quote_window.until_ms)}`,
          ],
        ] as const)
      : []),
    ['issuer', receipt.iss],
    ['key', kid],
  ]);
}

function usd(nano: number): string {
  return `$${formatUsd(BigInt(nano))}`;
}

/** A statement as the gateway sends it, with what is to be read beside its JWS, or a JWS alone. */
function received(text: string): { readonly jws: string; readonly beside?: unknown } {
  try {
    const json = JSON.parse(text) as { readonly [name in 'jws' | 'receipt' | 'head']?: unknown } | null;
    if (typeof json?.jws === 'string') return { jws: json.jws, beside: json.receipt ?? json.head };
  } catch {
    // A JWS is no JSON.
  }
  return { jws: text.trim() };
}
