/** The section `payments`: Stripe, with its secrets from STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET. */
import type { StripeSettings } from '#accounts/payments/stripe.ts';
import type { Environment } from './environment.ts';
import { secretOf } from './secrets.ts';
import { ConfigError, type Section } from './section.ts';

const STRIPE_API = 'https://api.stripe.com';
/** Stripe's own limit for these addresses is 5,000 characters. */
const PAGE = { pattern: /^https?:\/\/[^\s]{1,2000}$/, example: 'https://example.com/settings/billing' };

/** The settings of Stripe; null without the section. Throws ConfigError, which never repeats a secret. */
export function readPayments(root: Section, environment: Environment): StripeSettings | null {
  if (!root.has('payments')) return null;
  const payments = root.section('payments');
  if (!payments.has('stripe')) {
    payments.finish();
    return null;
  }
  const stripe = payments.section('stripe');
  const page = { ...PAGE, expected: 'an address with http:// or https://' };
  const settings = {
    successUrl: stripe.text('success_url', page),
    cancelUrl: stripe.text('cancel_url', page),
    apiUrl: stripe.text('api_url', {
      pattern: /^https?:\/\/[^\s/]+\/?$/,
      expected: `the address of Stripe's API, or of a stand-in for tests`,
      default: STRIPE_API,
    }),
    secretKey: secret('STRIPE_SECRET_KEY', /^(sk|rk)_\S+$/, environment),
    webhookSecret: secret('STRIPE_WEBHOOK_SECRET', /^whsec_\S+$/, environment),
  };
  stripe.finish();
  payments.finish();
  return settings;
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
