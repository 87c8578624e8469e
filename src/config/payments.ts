/** The section `payments`: Stripe, with its secrets from STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET. */

import type { StripeSettings } from '#accounts/payments/stripe.ts';
import type { Payments } from '#generated/schemas/configuration-types.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { secretOf } from './secrets.ts';

/** The settings of Stripe; null without the section. Throws ConfigError, which never repeats a secret. */
export function readPayments({ stripe }: Payments, environment: Environment): StripeSettings | null {
  if (stripe === undefined) return null;
  return {
    successUrl: stripe.success_url,
    cancelUrl: stripe.cancel_url,
    apiUrl: stripe.api_url,
    secretKey: secret('STRIPE_SECRET_KEY', /^(sk|rk)_\S+$/, environment),
    webhookSecret: secret('STRIPE_WEBHOOK_SECRET', /^whsec_\S+$/, environment),
  };
}

function secret(name: string, pattern: RegExp, environment: Environment): string {
  const value = secretOf(environment, name);
  if (!value)
    throw new ConfigError(`payments.stripe is set and ${name} is not; set it to the one in Stripe's dashboard.`);
  if (!pattern.test(value))
    throw new ConfigError(
      `${name} is not what Stripe's dashboard shows under that name; it begins with ${name === 'STRIPE_SECRET_KEY' ? 'sk_ or rk_' : 'whsec_'}.`,
    );
  return value;
}
