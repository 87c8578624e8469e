/** Payments by card, where the configuration has them; a gateway without them does not load their code. */
import type { Payments } from '#accounts/payments/payments.ts';
import type { Parts } from './parts.ts';

/** The payments of the configuration; null without any. The caller closes them. */
export async function paymentsOf({ outside, storage }: Pick<Parts, 'outside' | 'storage'>): Promise<Payments | null> {
  const { config, clock, ids, log } = outside;
  if (config.payments === null) return null;
  const [{ Payments }, { stripeProvider }, { PaymentStore }, { TopUpStore }] = await Promise.all([
    import('#accounts/payments/payments.ts'),
    import('#accounts/payments/stripe.ts'),
    import('#accounts/payments/payment-store.ts'),
    import('#accounts/payments/top-up-store.ts'),
  ]);
  const database = { db: storage.db, clock, ids };
  return new Payments({
    provider: stripeProvider(config.payments, clock),
    store: new PaymentStore(database),
    topUps: new TopUpStore(database),
    clock,
    log,
  });
}
