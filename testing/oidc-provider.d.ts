/** The part of oidc-provider that tests use; the package has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Account {
    readonly accountId: string;
    claims(): Promise<Readonly<Record<string, unknown>>>;
  }

  interface Configuration {
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly scopes: readonly string[];
    readonly cookies: { readonly keys: readonly string[] };
    readonly jwks: { readonly keys: readonly object[] };
    readonly ttl: Readonly<Record<string, number>>;
    findAccount(context: unknown, id: string): Promise<Account | undefined>;
  }

  class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }

  export = Provider;
}
