/** `sluice webhook …`: the webhooks of the operator, for pods that go down and come back. Accounts have their own in the settings. */
import { COMMAND_LINE } from '#access/member.ts';
import { refusalOf } from '#accounts/webhooks/address.ts';
import {
  type Delivery,
  type Endpoint,
  EndpointStore,
  type EndpointWithSecret,
} from '#accounts/webhooks/endpoint-store.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { loadConfig } from '#config/config.ts';
import { operatorEvents } from '#storage/journal/webhook-event.ts';
import { type OperatorStore, stored } from './operator-store.ts';
import { type CommandResult, faint, strong, table, timeText, WrongValue } from './output.ts';
import type { CommandLine } from './proof-commands.ts';

const OVERLAP_MS = 86_400_000;
const DELIVERIES = 20;

const ACTIONS = ['list', 'add', 'remove', 'enable', 'rotate', 'test', 'deliveries'] as const;
type Action = (typeof ACTIONS)[number];

/** Adds the command. */
export function addWebhookCommand({ program, leaf }: Pick<CommandLine, 'program' | 'leaf'>): void {
  leaf(program, 'webhook <action> [which]', `manage operator webhooks for pod events: ${ACTIONS.join(', ')}`).action(
    stored((store, action, which) => webhookCommand(store, { action, which, allow: loadConfig().webhooks.allow })),
  );
}

/** `webhook ACTION [URL or ID]`. `allow`: hosts that need not be public. Throws WrongValue, Fault not_found. */
export async function webhookCommand(
  { db }: Pick<OperatorStore, 'db'>,
  {
    action,
    which = '',
    allow,
  }: { readonly action: string; readonly which?: string; readonly allow: readonly string[] },
): Promise<CommandResult> {
  const store = new EndpointStore({ db, clock: systemClock, ids: idSource(systemClock) });
  switch (actionOf(action, which)) {
    case 'list':
      return listed(await store.list(''));
    case 'add': {
      const refusal = refusalOf(which, allow);
      if (refusal !== null) throw new WrongValue(refusal);
      const settings = { url: which, events: operatorEvents, description: '', allOrders: false, prices: [] };
      return withSecret(await store.create(COMMAND_LINE, { ...settings, enabled: true }));
    }
    case 'remove':
      await store.remove(COMMAND_LINE, which);
      return { json: { webhook_id: which }, text: `${strong(which)} is removed.` };
    case 'enable':
      return listed([await store.change(COMMAND_LINE, which, { enabled: true })]);
    case 'rotate':
      return withSecret(await store.rotate(COMMAND_LINE, which, OVERLAP_MS));
    case 'test':
      return delivered([await store.test(COMMAND_LINE, which)]);
    case 'deliveries':
      return delivered(await store.deliveries('', which, DELIVERIES));
  }
}

function actionOf(action: string, which: string): Action {
  const known = ACTIONS.find((one) => one === action);
  if (!known) throw new WrongValue(`${action} is none of ${ACTIONS.join(', ')}.`);
  if (known !== 'list' && which === '')
    throw new WrongValue(`webhook ${known} needs ${known === 'add' ? 'an https:// address' : 'the id of a webhook'}.`);
  return known;
}

function withSecret({ endpoint, secret }: EndpointWithSecret): CommandResult {
  const lines = [
    strong(secret),
    `${faint('This is the only time the secret is shown.')} It signs what ${endpoint.url} gets.`,
  ];
  return { json: { ...wire(endpoint), secret }, text: lines.join('\n') };
}

function listed(endpoints: readonly Endpoint[]): CommandResult {
  const rows = endpoints.map(({ id, url, enabled, disabledReason }) => [
    id,
    url,
    enabled ? 'on' : (disabledReason ?? 'off'),
  ]);
  const text = rows.length === 0 ? 'The operator has no webhooks yet.' : table(['WEBHOOK', 'ADDRESS', 'STATE'], rows);
  return { json: { webhooks: endpoints.map(wire) }, text };
}

function delivered(deliveries: readonly Delivery[]): CommandResult {
  const state = ({ deliveredAtMs, lastError }: Delivery) =>
    deliveredAtMs === null ? (lastError ?? 'waits') : `delivered ${timeText(deliveredAtMs)}`;
  const rows = deliveries.map((one) => [one.type, one.objectId, String(one.attempts), state(one)]);
  const json = deliveries.map((one) => ({
    event_id: one.eventId,
    type: one.type,
    attempts: one.attempts,
    error: one.lastError,
    delivered: one.deliveredAtMs !== null,
  }));
  return {
    json: { deliveries: json },
    text: rows.length === 0 ? 'Nothing was sent in seven days.' : table(['EVENT', 'OF', 'ATTEMPTS', 'STATE'], rows),
  };
}

function wire({ id, url, events, enabled, disabledReason }: Endpoint) {
  return { webhook_id: id, url, events, enabled, disabled_reason: disabledReason };
}
