/** The webhooks of an account: the endpoints, a new one with its secret, and the deliveries. Loaded when it is opened. */
import { useEffect, useState } from 'preact/hooks';
import { polled, sentenceOf } from '../data/polled.ts';
import { priceWholeText } from '../format.ts';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { Copy } from '../parts/source.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { Confirmed } from './confirmed.tsx';
import { Deliveries } from './deliveries.tsx';
import { granted, type Schemas, settings } from './session.ts';
import { WebhookForm } from './webhook-form.tsx';

const EVERY_MS = 10_000;
type Webhook = Schemas['Webhook'];

const webhooks = polled(() => granted(settings.GET('/settings/api/webhooks')), EVERY_MS);

const again = () => webhooks.again();

/** The screen at `#/webhooks`. */
export function WebhooksView({ role }: { readonly role: string }) {
  useEffect(() => webhooks.start(), []);
  const [made, setMade] = useState<Schemas['SecretWebhook'] | null>(null);
  const mayChange = role !== 'viewer';
  const onMade = (one: Schemas['SecretWebhook']) => {
    setMade(one);
    void again();
  };
  /** The secret of one that is gone signs nothing. */
  const onRemoved = (id: string) => {
    if (made?.webhook.webhook_id === id) setMade(null);
    void again();
  };
  return (
    <>
      <Heading title="Webhooks" />
      {made && <Secret of={made} onDone={() => setMade(null)} />}
      {mayChange && (
        <WebhookForm
          submit="Add"
          onSubmit={async (body) => onMade(await granted(settings.POST('/settings/api/webhooks', { body })))}
        />
      )}
      <Shown source={webhooks} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>
              No endpoints yet. An address that is added here gets a signed message when an order or a batch ends, a
              balance is low or a level crosses a price.{!mayChange && ' Owners and developers add one.'}
            </Empty>
          ) : (
            data.map((one) => (
              <Endpoint
                key={one.webhook_id}
                of={one}
                {...{ mayChange, onMade }}
                onRemoved={() => onRemoved(one.webhook_id)}
              />
            ))
          )
        }
      </Shown>
    </>
  );
}

function Secret({ of: { secret, webhook }, onDone }: { of: Schemas['SecretWebhook']; onDone: () => void }) {
  return (
    <section class="panel made" aria-label="New secret">
      <p>This secret signs what {webhook.url} gets. It is not shown again.</p>
      <p>
        <code class="secret">{secret}</code> <Copy text={secret} label="Copy the secret" />
      </p>
      <button type="button" class="button" onClick={onDone}>
        Done
      </button>
    </section>
  );
}

interface EndpointProps {
  readonly of: Webhook;
  readonly mayChange: boolean;
  readonly onMade: (made: Schemas['SecretWebhook']) => void;
  readonly onRemoved: () => void;
}

function Endpoint({ of, mayChange, onMade, onRemoved }: EndpointProps) {
  const { webhook_id: id, url, enabled, disabled_reason: reason } = of;
  const path = { params: { path: { id } } } as const;
  const [sent, setSent] = useState(0);
  const [changing, setChanging] = useState(false);
  const [failure, setFailure] = useState('');
  const act = (work: () => Promise<unknown>) => async () => {
    setFailure('');
    await work().catch((error) => setFailure(sentenceOf(error)));
  };
  const test = act(async () => {
    await granted(settings.POST('/settings/api/webhooks/{id}/test', path));
    setSent(sent + 1);
  });
  const enable = act(async () => {
    await granted(settings.PATCH('/settings/api/webhooks/{id}', { ...path, body: { enabled: true } }));
    await again();
  });
  const change = async (body: Schemas['NewWebhook']) => {
    await granted(settings.PATCH('/settings/api/webhooks/{id}', { ...path, body }));
    setChanging(false);
    await again();
  };
  const rotate = act(async () =>
    onMade(
      await granted(
        settings.POST('/settings/api/webhooks/{id}/rotate', { ...path, body: { overlap_seconds: 86_400 } }),
      ),
    ),
  );
  const resend = (event_id: string) =>
    granted(
      settings.POST('/settings/api/webhooks/{id}/deliveries/{event_id}/resend', { params: { path: { id, event_id } } }),
    );
  const remove = async () => {
    await granted(settings.DELETE('/settings/api/webhooks/{id}', path));
    onRemoved();
  };
  return (
    <section class="panel" aria-label={url}>
      <h2>{url}</h2>
      <p class="faint small">{toldOf(of)}</p>
      {!enabled && <p class="fall">It is off. {reason}</p>}
      {mayChange && (
        <p class="row">
          <button type="button" class="button" onClick={() => void test()}>
            Send a test
          </button>
          {!enabled && (
            <button type="button" class="button" onClick={() => void enable()}>
              Switch it on
            </button>
          )}
          <button type="button" class="button" aria-expanded={changing} onClick={() => setChanging(!changing)}>
            Change
          </button>
          <button type="button" class="button" onClick={() => void rotate()}>
            New secret
          </button>
          <Confirmed
            text="Remove"
            label={`Remove ${url}`}
            warning="Nothing more is sent there."
            yes="Remove it"
            no="Keep it"
            act={remove}
          />
        </p>
      )}
      {changing && <WebhookForm submit="Save" of={of} onSubmit={change} />}
      {failure && <Failure sentence={failure} />}
      <Deliveries
        key={sent}
        load={() => granted(settings.GET('/settings/api/webhooks/{id}/deliveries', path))}
        {...(mayChange ? { resend } : {})}
      />
    </section>
  );
}

/** The events, whether of all orders, and the levels. */
function toldOf({ events, all_orders: allOrders, prices }: Webhook): string {
  const levels = prices.map(({ model, level_usd }) => `${model} at ${priceWholeText(level_usd)}`);
  return [...events, ...(allOrders ? ['all orders'] : []), ...levels].join(', ');
}
