/** `sluice member …`: who may sign in to the settings of an account or to the console of the operator. */
import assert from 'node:assert';
import {
  type AccountRole,
  accountRoles,
  COMMAND_LINE,
  type ConsoleMember,
  type MemberPlace,
  type OperatorRole,
  operatorRoles,
} from '#access/member.ts';
import { type LoggedChange, newestChanges } from '#accounts/change-log.ts';
import { systemClock } from '#base/clock.ts';
import { findRequestLog } from '#storage/orders/store.ts';
import type { OperatorStore } from './operator-store.ts';
import { type CommandResult, faint, strong, table, timeText, WrongValue } from './output.ts';

/** The arguments of `member invite`. */
interface NewMember {
  readonly email: string;
  /** The account; absent for a member of the operator. */
  readonly account?: string;
  /** The role in the account; `owner` when absent. */
  readonly role?: string;
  /** The role with the operator; absent for a member of an account. */
  readonly operator?: string;
  /** Where browsers reach the gateway. */
  readonly url: string;
}

/** `member invite`: the link is shown only now; an earlier one of the same member stops working. */
export async function inviteMember({ members }: OperatorStore, request: NewMember): Promise<CommandResult> {
  const { member, link: made } = await members.invite(request.email, placeOf(request), COMMAND_LINE);
  assert(made, 'the operator makes links for everybody');
  const { token, expiresAtMs } = made;
  const link = signInLink(request.url, token);
  const { accountId } = member;
  const lines = [
    strong(link),
    `${faint('This is the only time the link is shown.')} It works once, until ${timeText(expiresAtMs)}.`,
    `It signs ${member.email} in as ${member.role} ${accountId === null ? 'with the operator' : `of account ${accountId}`}.`,
    ...(member.linkMadeAtMs === null
      ? []
      : ['It has signed in before, and sees at its next sign-in that you made this link.']),
  ];
  return {
    json: { ...wireMember(member), link, token, expires_at: new Date(expiresAtMs).toISOString() },
    text: lines.join('\n'),
  };
}

/** `member list`: all members, or those of an account. */
export async function listMembers({ members }: OperatorStore, accountId?: string): Promise<CommandResult> {
  const all = await members.list(accountId);
  const rows = all.map((member) => [member.email, member.role, member.accountId ?? '', timeText(member.createdAtMs)]);
  return {
    json: { members: all.map(wireMember) },
    text: all.length === 0 ? 'There is no member yet.' : table(['MEMBER', 'ROLE', 'ACCOUNT', 'SINCE'], rows),
  };
}

/** `member remove`: the member's sessions and keys end at once; keys that it was shown and does not own are listed. */
export async function removeMember({ members }: OperatorStore, email: string): Promise<CommandResult> {
  const { member, keys } = await members.remove(email, COMMAND_LINE);
  const lines = [`${strong(member.email)} is no member any more.`];
  if (keys.length > 0) {
    const rows = keys.map(({ id, name, hint }) => [id, name, hint]);
    lines.push(
      'It knows these keys, which still work; sluice key revoke KEY ends one:',
      table(['KEY', 'NAME', 'HINT'], rows),
    );
  }
  const known = keys.map(({ id, name, hint }) => ({ key_id: id, name, hint }));
  return { json: { ...wireMember(member), keys: known }, text: lines.join('\n') };
}

/** `member log`: what people changed, the newest first. */
export async function showChanges(
  { db }: OperatorStore,
  { account, limit }: { readonly account?: string; readonly limit: string },
): Promise<CommandResult> {
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw new WrongValue('--limit takes a whole number from 1 to 9999.');
  const changes = await newestChanges(db, { accountId: account ?? null, limit: Number(limit) });
  const rows = changes.map(({ atMs, who, what, subject, before, after }) => [
    ...[timeText(atMs), who, what, subject],
    ...[before, after].map((value) => (value === null ? '' : JSON.stringify(value))),
  ]);
  return {
    json: { changes: changes.map(wireChange) },
    text:
      changes.length === 0 ? 'Nothing was changed yet.' : table(['AT', 'WHO', 'WHAT', 'ID', 'BEFORE', 'AFTER'], rows),
  };
}

/**
 * The address at which the token of a link is entered. The part after # is never sent to a server, so no server logs
 * it.
 */
export function signInLink(url: string, token: string): string {
  return `${url.replace(/\/+$/, '')}/settings/sign-in#${token}`;
}

function placeOf({ account, operator, role = 'owner' }: NewMember): MemberPlace {
  if ((account === undefined) === (operator === undefined))
    throw new WrongValue('Say where: --account ID for an account, or --operator ROLE for the operator.');
  if (account !== undefined) return { accountId: account, role: choice<AccountRole>(accountRoles, role, '--role') };
  return { accountId: null, role: choice<OperatorRole>(operatorRoles, operator ?? '', '--operator') };
}

function choice<Role extends string>(roles: readonly Role[], text: string, option: string): Role {
  const role = roles.find((known) => known === text);
  if (role === undefined) throw new WrongValue(`${option} takes ${roles.join(', ')}.`);
  return role;
}

function wireChange({ id, atMs, accountId, who, what, subject, before, after }: LoggedChange): Record<string, unknown> {
  const at = new Date(atMs).toISOString();
  return { change_id: id, at, account_id: accountId, who, what, subject, before, after };
}

function wireMember({ id, email, accountId, role, createdAtMs }: ConsoleMember): Record<string, unknown> {
  return { member_id: id, email, account_id: accountId, role, created_at: new Date(createdAtMs).toISOString() };
}

/** `order request`: what was sent to the model. Kept for accounts with log_payloads, for as long as their results. */
export async function showRequest(
  { db }: OperatorStore,
  orderId: string,
  nowMs = systemClock.nowMs(),
): Promise<CommandResult> {
  const log = await findRequestLog(db, orderId.toLowerCase(), nowMs);
  if (!log) {
    throw new WrongValue(
      `No request of order ${JSON.stringify(orderId)} is kept: its account needs log_payloads, and its retention must not be over.`,
    );
  }
  return {
    json: {
      order_id: log.orderId,
      account_id: log.accountId,
      expires_at: new Date(log.expiresAtMs).toISOString(),
      request: log.body,
    },
    text: `${JSON.stringify(log.body, null, 2)}\n${faint(`Kept until ${timeText(log.expiresAtMs)}.`)}`,
  };
}
