/** `sluice operator-token …`: tokens with which scripts use the console's API, without a browser. */
import { COMMAND_LINE, type OperatorToken, tokenScopes } from '#access/member.ts';
import { OperatorTokens } from '#accounts/members/operator-tokens.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { readMoment } from './argument-values.ts';
import { type OperatorStore, stored } from './operator-store.ts';
import { type CommandResult, faint, strong, table, timeText, WrongValue } from './output.ts';
import type { CommandLine } from './proof-commands.ts';

/** Adds the commands. */
export function addOperatorTokenCommands({ group, leaf }: CommandLine): void {
  const token = group('operator-token', 'tokens for scripts that use /console/api');
  leaf(token, 'create <name>', 'make a token; it is shown only once')
    .requiredOption('--scopes <scopes>', `what it may do: ${tokenScopes.join(', ')}, separated by commas`)
    .option('--expires <when>', 'when it stops working: 2027-01-31, a time, or 90d from now, at most a year', '90d')
    .action(stored(createToken));
  leaf(token, 'list', 'list the tokens').action(stored(listTokens));
  leaf(token, 'revoke <token>', 'end a token, named by its name or id, for good').action(stored(revokeToken));
}

async function createToken(
  store: OperatorStore,
  name: string,
  { scopes, expires }: { readonly scopes: string; readonly expires: string },
): Promise<CommandResult> {
  const asked = scopes.split(',').map((typed) => {
    const scope = tokenScopes.find((known) => known === typed.trim());
    if (scope) return scope;
    throw new WrongValue(`${typed.trim()} is not a scope; write some of ${tokenScopes.join(', ')}.`);
  });
  const wanted = { name, scopes: asked, expiresAtMs: readMoment(expires, systemClock) };
  const { token, secret } = await tokensOf(store).create(wanted, COMMAND_LINE);
  const text = [
    strong(secret),
    `${faint('This is the only time the token is shown.')} It may ${token.scopes.join(', ')}, until ${timeText(token.expiresAtMs)}.`,
    'Send it to /console/api as Authorization: Bearer TOKEN.',
  ].join('\n');
  return { json: { ...wireToken(token), token: secret }, text };
}

async function listTokens(store: OperatorStore): Promise<CommandResult> {
  const tokens = await tokensOf(store).list();
  const nowMs = systemClock.nowMs();
  const rows = tokens.map((token) => [
    token.name,
    token.scopes.join(', '),
    timeText(token.expiresAtMs),
    token.revokedAtMs !== null ? 'revoked' : token.expiresAtMs <= nowMs ? 'ended' : 'works',
  ]);
  const text = rows.length === 0 ? 'There is no token yet.' : table(['TOKEN', 'SCOPES', 'ENDS', ''], rows);
  return { json: { tokens: tokens.map(wireToken) }, text };
}

async function revokeToken(store: OperatorStore, named: string): Promise<CommandResult> {
  const token = await tokensOf(store).revoke(named, COMMAND_LINE);
  return { json: wireToken(token), text: `Token ${strong(token.name)} is revoked.` };
}

function tokensOf({ db }: OperatorStore): OperatorTokens {
  return new OperatorTokens({ db, clock: systemClock, ids: idSource(systemClock) });
}

function wireToken({
  id,
  name,
  scopes,
  expiresAtMs,
  createdAtMs,
  revokedAtMs,
}: OperatorToken): Record<string, unknown> {
  const times = { expires_at: iso(expiresAtMs), created_at: iso(createdAtMs), revoked_at: isoOrNull(revokedAtMs) };
  return { token_id: id, name, scopes, ...times };
}
