/** Webhooks of the member's account: where they go, what they tell, their secrets, and what became of messages. */

import { invalidRequest } from '#base/fault.ts';
import { parseUsd, priceToUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountIdOf, type MemberVisit } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { TaggedId } from '#contract/operation.ts';
import type { components } from '#generated/console-api/types.ts';
import { refusalOf } from './address.ts';
import type { Delivery, Endpoint, EndpointOwner, EndpointSettings, EndpointStore } from './ports.ts';

/** What these handlers need. */
export interface WebhooksOptions {
  readonly webhookEndpoints: EndpointStore;
  /** How many an account may have. */
  readonly webhooksMax: number;
  /** Hosts that need not be public. */
  readonly webhooksAllowed: readonly string[];
  readonly listings: { find(name: string): { readonly id: string; readonly type: string } | null };
}

type Schemas = components['schemas'];
const DELIVERIES = 100;

/** The operations of `/settings/api/webhooks`. */
export function webhooksHandlers(options: WebhooksOptions): HandlersFor<TaggedId<'webhooks'>> {
  const { webhookEndpoints: endpoints, webhooksMax } = options;
  return {
    async listWebhooks(call) {
      const data = (await endpoints.list(accountIdOf(call))).map(webhookObject);
      return { status: 200, json: { object: 'list', data, webhooks_max: webhooksMax } };
    },

    async createWebhook(call) {
      const wanted = settingsOf(call.call.body, options);
      const none = { url: '', events: [], description: '', allOrders: false, prices: [], enabled: true };
      return { status: 201, json: secretObject(await endpoints.create(by(call), { ...none, ...wanted })) };
    },

    async updateWebhook(call) {
      const wanted = settingsOf(call.call.body, options);
      return { status: 200, json: webhookObject(await endpoints.change(by(call), call.call.params.id, wanted)) };
    },

    async removeWebhook(call) {
      await endpoints.remove(by(call), call.call.params.id);
      return { status: 204 };
    },

    async rotateWebhook(call) {
      const { overlap_seconds: overlapS } = call.call.body;
      return {
        status: 200,
        json: secretObject(await endpoints.rotate(by(call), call.call.params.id, overlapS * 1000)),
      };
    },

    async testWebhook(call) {
      return { status: 202, json: deliveryObject(await endpoints.test(by(call), call.call.params.id)) };
    },

    async resendWebhookDelivery(call) {
      const eventId = call.call.params.event_id;
      return {
        status: 202,
        json: deliveryObject(await endpoints.resend(by(call), call.call.params.id, eventId, DELIVERIES)),
      };
    },

    async listWebhookDeliveries(call) {
      const data = (await endpoints.deliveries(accountIdOf(call), call.call.params.id, DELIVERIES)).map(deliveryObject);
      return { status: 200, json: { object: 'list', data } };
    },
  };
}

function by(call: MemberVisit): EndpointOwner {
  return { who: call.signedIn.member.email, accountId: accountIdOf(call) };
}

/** What is given, checked. */
function settingsOf(
  { all_orders: allOrders, prices, ...given }: Schemas['NewWebhook'] | Schemas['WebhookSettings'],
  { listings, webhooksAllowed }: WebhooksOptions,
): Partial<EndpointSettings> {
  const refusal = given.url === undefined ? null : refusalOf(given.url, webhooksAllowed);
  if (refusal !== null) throw invalidRequest('url', refusal);
  return {
    ...given,
    ...(allOrders === undefined ? {} : { allOrders }),
    ...(prices === undefined ? {} : { prices: prices.map((watched) => watchedPrice(watched, listings)) }),
  };
}

function watchedPrice({ model, level_usd }: Schemas['WatchedPrice'], listings: WebhooksOptions['listings']) {
  const listing = listings.find(model);
  if (listing?.type !== 'market') throw invalidRequest('prices', `${JSON.stringify(model)} is not a market here.`);
  const price = parseUsd(String(level_usd));
  if (price === null) throw invalidRequest('prices', 'level_usd takes at most nine decimals.');
  return { model: listing.id, price: Number(price) };
}

function secretObject({ endpoint, secret }: { readonly endpoint: Endpoint; readonly secret: string }) {
  return { object: 'webhook_secret', webhook: webhookObject(endpoint), secret };
}

function webhookObject(endpoint: Endpoint) {
  const { id, url, description, events, allOrders, prices, enabled, disabledReason, disabledAtMs } = endpoint;
  return {
    ...{ object: 'webhook', webhook_id: id, url, description, events: [...events], all_orders: allOrders },
    prices: prices.map(({ model, price }) => ({ model, level_usd: priceToUsd(price) })),
    enabled,
    disabled_reason: disabledReason,
    disabled_at: isoOrNull(disabledAtMs),
    previous_until: isoOrNull(endpoint.previousUntilMs),
    created_at: iso(endpoint.createdAtMs),
  };
}

function deliveryObject({ eventId, type, objectId, attempts, createdAtMs, nextAtMs, ...last }: Delivery) {
  return {
    ...{ object: 'webhook_delivery', event_id: eventId, type, subject: objectId },
    status: nextAtMs === null ? 'delivered' : attempts === 0 ? 'waiting' : 'failing',
    attempts,
    created_at: iso(createdAtMs),
    last_at: isoOrNull(last.lastAtMs),
    last_status: last.lastStatus,
    last_error: last.lastError,
    next_at: isoOrNull(nextAtMs),
  };
}
