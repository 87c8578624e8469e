/** Payments by card, where the configuration has them; a gateway without them does not load their code. */
import type { Payments } from '#accounts/payments/payments.ts';
import type { BuiltStorage, Outside } from './storage.ts';

type Parts = Pick<Outside & BuiltStorage, 'config' | 'clock' | 'ids' | 'log' | 'db'>;

/** The payments of the configuration; null without any. The caller closes them. */
export async function paymentsOf(parts: Parts): Promise<Payments | null> {
  const { config, clock, log } = parts;
  if (config.payments === null) return null;
  const [{ Payments }, { stripeProvider }, { createPaymentStore }, { createTopUpStore }] = await Promise.all([
    import('#accounts/payments/payments.ts'),
    import('#accounts/payments/stripe.ts'),
    import('#accounts/payments/payment-store.ts'),
    import('#accounts/payments/top-up-store.ts'),
  ]);
  const provider = stripeProvider(config.payments, clock);
  return new Payments({ provider, store: createPaymentStore(parts), topUps: createTopUpStore(parts), clock, log });
}
