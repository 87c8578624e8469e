/** Webhooks of the member's account: where they go, what they report, their secrets, and their deliveries. */

import { invalidRequest } from '#base/fault.ts';
import { parseUsd, priceToUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountActorOf, accountIdOf, handlersOf } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { refusalOf } from './address.ts';
import {
  type Delivery,
  ENDPOINTS_MAX,
  type Endpoint,
  type EndpointSettings,
  EndpointStore,
  type EndpointWithSecret,
} from './endpoint-store.ts';
import { aboutOf } from './words.ts';

/** What the settings of an endpoint are checked against. */
export interface WebhookChecks {
  /** Hosts that need not be public. */
  readonly allow: readonly string[];
  readonly listings: { find(name: string): { readonly id: string; readonly type: string } | null };
}

type Schemas = components['schemas'];
/** The operations of `/settings/api/webhooks`. */
export function webhooksHandlers(database: OperatorOptions, checks: WebhookChecks) {
  const endpoints = new EndpointStore(database);
  return handlersOf({
    async listWebhooks(call) {
      const data = (await endpoints.list(accountIdOf(call))).map(webhookObject);
      return { status: 200, json: { object: 'list', data, webhooks_max: ENDPOINTS_MAX } };
    },

    async createWebhook(call) {
      const wanted = settingsOf(call.call.body, checks);
      const none = { url: '', events: [], description: '', allOrders: false, prices: [], enabled: true };
      return { status: 201, json: secretObject(await endpoints.create(accountActorOf(call), { ...none, ...wanted })) };
    },

    async updateWebhook(call) {
      const wanted = settingsOf(call.call.body, checks);
      return {
        status: 200,
        json: webhookObject(await endpoints.change(accountActorOf(call), call.call.params.id, wanted)),
      };
    },

    async removeWebhook(call) {
      await endpoints.remove(accountActorOf(call), call.call.params.id);
      return { status: 204 };
    },

    async rotateWebhook(call) {
      const { params, body } = call.call;
      const rotated = await endpoints.rotate(accountActorOf(call), params.id, body.overlap_seconds * 1000);
      return { status: 200, json: secretObject(rotated) };
    },

    async testWebhook(call) {
      return { status: 202, json: deliveryObject(await endpoints.test(accountActorOf(call), call.call.params.id)) };
    },

    async resendWebhookDelivery(call) {
      const { id, event_id: eventId } = call.call.params;
      return { status: 202, json: deliveryObject(await endpoints.resend(accountActorOf(call), id, eventId)) };
    },

    async listWebhookDeliveries(call) {
      const data = (await endpoints.deliveries(accountIdOf(call), call.call.params.id)).map(deliveryObject);
      return { status: 200, json: { object: 'list', data } };
    },
  });
}

/** What is given, checked. */
function settingsOf(
  { all_orders: allOrders, prices, ...given }: Schemas['NewWebhook'] | Schemas['WebhookSettings'],
  { listings, allow }: WebhookChecks,
): Partial<EndpointSettings> {
  const refusal = given.url === undefined ? null : refusalOf(given.url, allow);
  if (refusal !== null) throw invalidRequest('url', refusal);
  return {
    ...given,
    ...(allOrders === undefined ? {} : { allOrders }),
    ...(prices === undefined ? {} : { prices: prices.map((watched) => watchedPrice(watched, listings)) }),
  };
}

function watchedPrice({ model, level_usd }: Schemas['WatchedPrice'], listings: WebhookChecks['listings']) {
  const listing = listings.find(model);
  if (listing?.type !== 'market') throw invalidRequest('prices', `${JSON.stringify(model)} is not a market here.`);
  const price = parseUsd(String(level_usd));
  if (price === null) throw invalidRequest('prices', 'level_usd takes at most nine decimals.');
  return { model: listing.id, price: Number(price) };
}

function secretObject({ endpoint, secret }: EndpointWithSecret) {
  return { object: 'webhook_secret', webhook: webhookObject(endpoint), secret };
}

function webhookObject(endpoint: Endpoint) {
  const { id, url, description, events, allOrders, prices, enabled, disabledReason, disabledAtMs } = endpoint;
  return {
    object: 'webhook',
    webhook_id: id,
    url,
    description,
    events: [...events],
    all_orders: allOrders,
    prices: prices.map(({ model, price }) => ({ model, level_usd: priceToUsd(price) })),
    enabled,
    disabled_reason: disabledReason,
    disabled_at: isoOrNull(disabledAtMs),
    previous_until: isoOrNull(endpoint.previousUntilMs),
    created_at: iso(endpoint.createdAtMs),
  };
}

/** A delivery as the API shows it. */
export function deliveryObject({ eventId, type, objectId, body, attempts, createdAtMs, nextAtMs, ...last }: Delivery) {
  return {
    object: 'webhook_delivery',
    event_id: eventId,
    type,
    subject: objectId,
    about: aboutOf(body),
    status: nextAtMs === null ? 'delivered' : attempts === 0 ? 'waiting' : 'failing',
    attempts,
    created_at: iso(createdAtMs),
    last_at: isoOrNull(last.lastAtMs),
    last_status: last.lastStatus,
    last_error: last.lastError,
    next_at: isoOrNull(nextAtMs),
  };
}
