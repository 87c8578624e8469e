/** Alerts of the member's account, where they go, and the links in mails. Members of the operator have targets, too, for pods. */
import { domainToASCII } from 'node:url';
import { invalidRequest } from '#base/fault.ts';
import { nanoToUsd, parseUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountActorOf, accountIdOf, handlersOf } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { operatorEvents } from '#storage/journal/webhook-event.ts';
import { refusalOf } from '../webhooks/address.ts';
import { type Endpoint, EndpointStore, shownAddress } from '../webhooks/endpoint-store.ts';
import { deliveryObject, type WebhookChecks } from '../webhooks/handlers.ts';
import { channels } from '../webhooks/outbox-store.ts';
import { type AlertRule, type NewRule, RULES_MAX, RuleStore } from './rule-store.ts';

type Schemas = components['schemas'];

/** What stands before the @: no list, and nothing that a header gives a meaning. */
const LOCAL_PART = /^[^\s@<>()[\]\\,;:"\p{C}]+$/u;
/** The name of a host of the public internet, as DNS has it. */
const DOMAIN = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]*[a-z0-9])$/;
/** A longer address does not exist (RFC 5321, 4.5.3.1.3). */
const MAILBOX_LENGTH_MAX = 254;

/** The operations of `/settings/api/alert-rules`. */
export function alertRulesHandlers(database: OperatorOptions, { listings }: Pick<WebhookChecks, 'listings'>) {
  const rules = new RuleStore(database);
  return handlersOf({
    async listAlertRules(call) {
      const data = (await rules.list(accountIdOf(call))).map(ruleObject);
      return { status: 200, json: { object: 'list', data, rules_max: RULES_MAX } };
    },

    async createAlertRule(call) {
      const rule = await rules.create(accountActorOf(call), newRule(call.call.body, listings));
      return { status: 201, json: ruleObject(rule) };
    },

    async updateAlertRule(call) {
      const { params, body } = call.call;
      return { status: 200, json: ruleObject(await rules.pause(accountActorOf(call), params.id, body.paused)) };
    },

    async removeAlertRule(call) {
      await rules.remove(accountActorOf(call), call.call.params.id);
      return { status: 204 };
    },
  });
}

/** The operations of `/settings/api/alert-targets` and `/settings/api/mail-links`. `mail`: whether mail is sent. */
export function alertTargetsHandlers(
  database: OperatorOptions,
  { allow, mail }: Pick<WebhookChecks, 'allow'> & { readonly mail: boolean },
) {
  const endpoints = new EndpointStore(database);
  return handlersOf({
    async listAlertTargets({ signedIn: { member } }) {
      const data = (await endpoints.list(member.accountId ?? '', channels)).map(targetObject);
      return { status: 200, json: { object: 'list', data, mail } };
    },

    async createAlertTarget({ signedIn: { member }, call: { body } }) {
      const events = member.accountId === null ? operatorEvents : [];
      const url = addressOf(body, { allow, mail });
      const settings = { url, events, description: '', allOrders: false, prices: [], enabled: true };
      const { endpoint } = await endpoints.create(member, settings, body.channel);
      return { status: 201, json: targetObject(endpoint) };
    },

    async removeAlertTarget({ signedIn: { member }, call: { params } }) {
      await endpoints.remove(member, params.id);
      return { status: 204 };
    },

    async renewAlertTarget({ signedIn: { member }, call: { params } }) {
      return { status: 200, json: targetObject(await endpoints.renew(member, params.id)) };
    },

    async testAlertTarget({ signedIn: { member }, call: { params } }) {
      return { status: 202, json: deliveryObject(await endpoints.test(member, params.id)) };
    },

    async listAlertDeliveries({ signedIn: { member }, call: { params } }) {
      const data = (await endpoints.deliveries(member.accountId ?? '', params.id)).map(deliveryObject);
      return { status: 200, json: { object: 'list', data } };
    },

    async changeMailLink({ call: { body } }) {
      await endpoints.answerMail(body.link, body.subscribed);
      return { status: 200, json: { object: 'mail_link', subscribed: body.subscribed } };
    },
  });
}

/** Where a new target is. Throws Fault invalid_request. */
function addressOf(
  { channel, address }: Schemas['NewAlertTarget'],
  { allow, mail }: { readonly allow: readonly string[]; readonly mail: boolean },
): string {
  if (channel === 'slack') {
    const refusal = refusalOf(address, allow);
    if (refusal !== null) throw invalidRequest('address', refusal);
    return address;
  }
  if (!mail) throw invalidRequest('channel', 'This gateway sends no mail; its operator can set mail in sluice.yaml.');
  const email = mailboxOf(address);
  if (email === null) throw invalidRequest('address', 'This is not an e-mail address such as ada@example.com.');
  return email;
}

/** One mailbox, in the only spelling that it is known by: its reader is asked once, however it is written. */
function mailboxOf(address: string): string | null {
  const [local = '', domain = '', ...others] = address.trim().toLowerCase().split('@');
  const host = domainToASCII(domain);
  const email = `${local}@${host}`;
  const isMailbox = LOCAL_PART.test(local) && DOMAIN.test(host) && others.length === 0;
  return isMailbox && email.length <= MAILBOX_LENGTH_MAX ? email : null;
}

/** What each subject needs, and nothing else. Throws Fault invalid_request. */
function newRule(body: Schemas['NewAlertRule'], listings: WebhookChecks['listings']): NewRule {
  const { subject, direction, target_id: endpointId } = body;
  const bound = parseUsd(String(body.bound));
  if (bound === null) throw invalidRequest('bound', 'bound takes at most nine decimals.');
  const isShare = subject === 'budget' || subject === 'errors';
  if (isShare && body.bound > 1) throw invalidRequest('bound', 'A share is a number from 0 to 1, such as 0.9.');
  if ((subject === 'price') !== (direction !== undefined))
    throw invalidRequest('direction', 'direction is for a price, which needs it: above or below.');
  if ((subject === 'price') !== (body.model !== undefined))
    throw invalidRequest('model', 'model is for a price, which needs it.');
  if ((subject === 'budget') !== (body.key_id !== undefined))
    throw invalidRequest('key_id', 'key_id is for a budget, which needs it.');
  const model = body.model === undefined ? null : marketOf(body.model, listings);
  return { endpointId, subject, model, keyId: body.key_id ?? null, above: isShare || direction === 'above', bound };
}

function marketOf(model: string, listings: WebhookChecks['listings']): string {
  const listing = listings.find(model);
  if (listing?.type !== 'market') throw invalidRequest('model', `${JSON.stringify(model)} is not a market here.`);
  return listing.id;
}

function ruleObject(rule: AlertRule) {
  return {
    object: 'alert_rule',
    alert_id: rule.id,
    subject: rule.subject,
    model: rule.model,
    key_id: rule.keyId,
    direction: rule.above ? 'above' : 'below',
    bound: nanoToUsd(rule.bound),
    target_id: rule.endpointId,
    paused: rule.paused,
    firing: rule.firing,
    since: isoOrNull(rule.sinceMs),
    created_at: iso(rule.createdAtMs),
  };
}

function targetObject(endpoint: Endpoint) {
  const { id, channel, confirmed, enabled, disabledReason, createdAtMs } = endpoint;
  return {
    object: 'alert_target',
    target_id: id,
    channel,
    address: shownAddress(endpoint),
    confirmed,
    enabled,
    disabled_reason: disabledReason,
    created_at: iso(createdAtMs),
  };
}
