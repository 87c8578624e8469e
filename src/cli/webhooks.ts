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

/** The usage and the description of each command. */
const ACTIONS = {
  list: ['list', 'list the webhooks'],
  add: ['add <url>', 'send pod events to an address; the secret that signs them is shown only once'],
  remove: ['remove <webhook>', 'remove a webhook'],
  enable: ['enable <webhook>', 'send events again to a webhook that was disabled after failures'],
  rotate: ['rotate <webhook>', 'make a new secret, shown only once; the former signs for a day more'],
  test: ['test <webhook>', 'send a test event'],
  deliveries: ['deliveries <webhook>', `list the newest ${DELIVERIES} deliveries`],
} as const;
type Action = keyof typeof ACTIONS;

/** Adds the commands. */
export function addWebhookCommands({ group, leaf }: Pick<CommandLine, 'group' | 'leaf'>): void {
  const webhook = group('webhook', 'webhooks of the operator, for pod events');
  for (const [action, [usage, description]] of Object.entries(ACTIONS) as [Action, readonly [string, string]][]) {
    const run = (store: OperatorStore, which?: string) =>
      webhookCommand(store, { action, ...(which === undefined ? {} : { which }), allow: loadConfig().webhooks.allow });
    leaf(webhook, usage, description).action(
      stored((store, which) => (action === 'list' ? run(store) : run(store, which))),
    );
  }
}

/** `webhook ACTION [URL or ID]`. `allow`: hosts that need not be public. Throws WrongValue, Fault not_found. */
export async function webhookCommand(
  { db }: Pick<OperatorStore, 'db'>,
  {
    action,
    which = '',
    allow,
  }: { readonly action: Action; readonly which?: string; readonly allow: readonly string[] },
): Promise<CommandResult> {
  const store = new EndpointStore({ db, clock: systemClock, ids: idSource(systemClock) });
  switch (action) {
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
