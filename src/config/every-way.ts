/**
 * Configurations that together take each way through the readers, for the JSON Schema: each type of a model, of a pod and
 * of a parameter, each place of a member, with and without what is optional. A reader with a new way needs an entry here;
 * `schema.test.ts` and every other test of the configuration find a way that is missing.
 */

const lengths = 'context_length: 4096, max_output_length: 1024';
const catalog = `{
  datacenters: [{country_code: DE}],
  compliance: {hipaa: true},
  supported_parameters: {
    a: {type: range}, b: {type: integer}, c: {type: boolean}, d: {type: enum, values: [x]}, e: {type: array},
    f: {type: array, max_items: 1}, g: {type: object}, h: {type: unknown}
  }
}`.replaceAll(/\s+/g, ' ');
const pods = (id: string) =>
  `[{id: ${id}-1, slots: 1, simulated: true}, {id: ${id}-2, slots: 1, url: "http://127.0.0.1/v1"}, {id: ${id}-3, slots: {auto: {min: 1, max: 1}}, url: "http://127.0.0.1/v1"}]`;

export const everyWay = {
  environment: {
    OIDC_CLIENT_SECRET: 'secret',
    STRIPE_SECRET_KEY: 'sk_sample',
    STRIPE_WEBHOOK_SECRET: 'whsec_sample',
  },
  files: [
    `
default_model: tide
models:
  - {id: tide, type: market, ${lengths}, ceiling: 1, pricing_ratio: {cached: 1, uncached: 1, output: 1}, catalog: ${catalog}, pods: ${pods('tide')}}
  - {id: harbor, type: fixed, ${lengths}, usd_per_million: {cached: 1, uncached: 1, output: 1}, catalog: ${catalog}, pods: ${pods('harbor')}}
console:
  oidc:
    issuer: https://id.example.com
    client_id: sluice
    role_claim: groups
    roles: {admins: {operator: viewer}, others: {account: acme, role: viewer}}
payments: {stripe: {success_url: "https://a.example/", cancel_url: "https://a.example/"}}
trust_proxy: 1
`,
    `
default_model: tide
models:
  - {id: tide, type: market, ${lengths}, ceiling: 1, pricing_ratio: {cached: 1, uncached: 1, output: 1}}
trust_proxy: [10.0.0.0/8]
`,
  ],
} as const;
