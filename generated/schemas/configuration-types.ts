// Written by codegen/generate.ts from src/config/schema.yaml (sha256 9c8b71f0758ed3097dca74227cd74c75158f6510c37e5d8a713903d32a6e5fc7). Do not edit.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * The configuration of Sluice
         * @description docs/sell/configuration.md explains every key; `sluice config check` also knows what depends on several.
         */
        readonly Configuration: {
            /**
             * @description The model of a request that names none.
             * @example tide-70b
             */
            readonly default_model: string;
            /**
             * @description What is sold.
             * @example [
             *       {
             *         "id": "tide-70b",
             *         "type": "market"
             *       }
             *     ]
             */
            readonly models: readonly components["schemas"]["Model"][];
            /** @default {} */
            readonly market: components["schemas"]["Market"];
            /** @default {} */
            readonly probes: components["schemas"]["Probes"];
            /** @default {} */
            readonly audit: components["schemas"]["Audit"];
            /** @default {} */
            readonly limits: components["schemas"]["Limits"];
            /** @default {} */
            readonly console: components["schemas"]["Console"];
            /** @default {} */
            readonly payments: components["schemas"]["Payments"];
            /** @default {} */
            readonly billing: components["schemas"]["Billing"];
            /** @default {} */
            readonly webhooks: components["schemas"]["Webhooks"];
            readonly mail?: components["schemas"]["Mail"];
            /** @default {} */
            readonly responses: components["schemas"]["Responses"];
            /**
             * @description For how long after a failed attempt the same request joins its order, or gets its 502 again, instead of a new order. 0 turns this off.
             * @default 0
             */
            readonly repeat_guard_ms: number;
            /**
             * @description Where the partner catalog is served.
             * @default /partner
             */
            readonly partner_prefix: string;
            /**
             * @description The number of proxies in front of the gateway, or a list of their addresses.
             * @default 0
             * @example 1
             * @example [
             *       "10.0.0.0/8"
             *     ]
             */
            readonly trust_proxy: number | readonly string[];
            /**
             * @description How long a caller waits for the database before the answer is 503.
             * @default 5000
             */
            readonly database_deadline_ms: number;
            /**
             * @description How long a caller waits for the disk or the bucket of SLUICE_DATA before the answer is 503.
             * @default 5000
             */
            readonly disk_deadline_ms: number;
            /**
             * @description How much of the disk of SLUICE_DATA stays free. Below it nothing new is stored; 0 turns this off.
             * @default 1073741824
             */
            readonly disk_reserve_bytes: number;
            /**
             * @description How long one of several gateways takes requests after SIGTERM, while /healthz reports that it drains.
             * @default 5000
             */
            readonly drain_announce_ms: number;
            /**
             * @description How long running requests have to finish after SIGTERM.
             * @default 30000
             */
            readonly drain_timeout_ms: number;
            /**
             * @description Counts before the variable LOG_LEVEL, which is the default.
             * @enum {unknown}
             */
            readonly log_level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
        };
        readonly Price: number | string;
        readonly AccountShare: number | string;
        readonly StartRate: number | string;
        readonly Model: {
            /**
             * @description Sold at a market price or at fixed prices.
             * @example market
             * @enum {unknown}
             */
            readonly type: "market" | "fixed";
        } & (components["schemas"]["FixedModel"] | components["schemas"]["MarketModel"]);
        readonly FixedModel: {
            /**
             * @description The name that requests use.
             * @example tide-70b
             */
            readonly id: string;
            /** @description Shown by GET /v1/models; the id when absent. */
            readonly display_name?: string;
            /**
             * @description Shown by GET /v1/models.
             * @default sluice
             */
            readonly owned_by: string;
            /**
             * @description Shown by GET /v1/models.
             * @default 2026-01-01
             */
            readonly created: string;
            /**
             * @description Other names that requests may use.
             * @default []
             */
            readonly aliases: readonly string[];
            /**
             * @description Tokens of prompt and output together.
             * @example 131072
             */
            readonly context_length: number;
            /**
             * @description Tokens of output, at most context_length.
             * @example 32768
             */
            readonly max_output_length: number;
            /**
             * @description A larger answer counts as a failure of its pod and costs nothing.
             * @default 16777216
             */
            readonly max_answer_bytes: number;
            /**
             * @description Still described, but takes no requests.
             * @default false
             */
            readonly deprecated: boolean;
            /** @description The largest share of slots that one account may hold while others wait; none when absent. */
            readonly max_account_share?: components["schemas"]["AccountShare"];
            /**
             * @description The values of output_config.effort in messages that are forwarded.
             * @default []
             */
            readonly reasoning_efforts: readonly string[];
            /**
             * @description Whether images in messages are passed on to the pods. Chat and responses always pass them on.
             * @default false
             */
            readonly accepts_images: boolean;
            /**
             * @description What happens to custom tools of responses, such as apply_patch of Codex.
             * @default drop
             * @enum {unknown}
             */
            readonly custom_tools: "drop" | "as_functions";
            /**
             * @description Tokens of one image in the worst case.
             * @default 1500
             */
            readonly image_tokens: number;
            /**
             * @description Tokens of one audio part in the worst case.
             * @default 5000
             */
            readonly audio_tokens: number;
            /**
             * @description Tokens of one video part in the worst case.
             * @default 25000
             */
            readonly video_tokens: number;
            /**
             * @description Tokens of one file part in the worst case.
             * @default 30000
             */
            readonly file_tokens: number;
            /**
             * @description The share of a prompt that is charged as cached where a pod reports no tokens.
             * @default 0
             */
            readonly estimated_cached_share: number;
            readonly catalog?: components["schemas"]["Catalog"];
            /**
             * @description The backends of the model.
             * @default []
             */
            readonly pods: readonly components["schemas"]["Pod"][];
            /** @constant */
            readonly type: "fixed";
            /** @description The three prices, USD per 1M tokens. */
            readonly usd_per_million: components["schemas"]["Prices"];
        };
        readonly MarketModel: {
            /**
             * @description The name that requests use.
             * @example tide-70b
             */
            readonly id: string;
            /** @description Shown by GET /v1/models; the id when absent. */
            readonly display_name?: string;
            /**
             * @description Shown by GET /v1/models.
             * @default sluice
             */
            readonly owned_by: string;
            /**
             * @description Shown by GET /v1/models.
             * @default 2026-01-01
             */
            readonly created: string;
            /**
             * @description Other names that requests may use.
             * @default []
             */
            readonly aliases: readonly string[];
            /**
             * @description Tokens of prompt and output together.
             * @example 131072
             */
            readonly context_length: number;
            /**
             * @description Tokens of output, at most context_length.
             * @example 32768
             */
            readonly max_output_length: number;
            /**
             * @description A larger answer counts as a failure of its pod and costs nothing.
             * @default 16777216
             */
            readonly max_answer_bytes: number;
            /**
             * @description Still described, but takes no requests.
             * @default false
             */
            readonly deprecated: boolean;
            /** @description The largest share of slots that one account may hold while others wait; none when absent. */
            readonly max_account_share?: components["schemas"]["AccountShare"];
            /**
             * @description The values of output_config.effort in messages that are forwarded.
             * @default []
             */
            readonly reasoning_efforts: readonly string[];
            /**
             * @description Whether images in messages are passed on to the pods. Chat and responses always pass them on.
             * @default false
             */
            readonly accepts_images: boolean;
            /**
             * @description What happens to custom tools of responses, such as apply_patch of Codex.
             * @default drop
             * @enum {unknown}
             */
            readonly custom_tools: "drop" | "as_functions";
            /**
             * @description Tokens of one image in the worst case.
             * @default 1500
             */
            readonly image_tokens: number;
            /**
             * @description Tokens of one audio part in the worst case.
             * @default 5000
             */
            readonly audio_tokens: number;
            /**
             * @description Tokens of one video part in the worst case.
             * @default 25000
             */
            readonly video_tokens: number;
            /**
             * @description Tokens of one file part in the worst case.
             * @default 30000
             */
            readonly file_tokens: number;
            /**
             * @description The share of a prompt that is charged as cached where a pod reports no tokens.
             * @default 0
             */
            readonly estimated_cached_share: number;
            readonly catalog?: components["schemas"]["Catalog"];
            /**
             * @description The backends of the model.
             * @default []
             */
            readonly pods: readonly components["schemas"]["Pod"][];
            /** @constant */
            readonly type: "market";
            /**
             * @description The lowest published level.
             * @default 0
             */
            readonly floor: components["schemas"]["Price"];
            /**
             * @description The highest published level, USD per 1M input tokens at the reference mix.
             * @example 100
             */
            readonly ceiling: components["schemas"]["Price"];
            /**
             * @description The lowest bid that runs, at most the ceiling. Level and quote are never below it.
             * @default 0
             */
            readonly reserve: components["schemas"]["Price"];
            /** @description Weights that distribute a level over cached input, uncached input and output. */
            readonly pricing_ratio: components["schemas"]["Prices"];
            /**
             * @description Shows simulated prices and takes no requests.
             * @default false
             */
            readonly preview: boolean;
        };
        /**
         * @example {
         *       "cached": 0.1,
         *       "uncached": 1,
         *       "output": 4
         *     }
         */
        readonly Prices: {
            /** @example 1 */
            readonly cached: components["schemas"]["Price"];
            /** @example 1 */
            readonly uncached: components["schemas"]["Price"];
            /** @example 1 */
            readonly output: components["schemas"]["Price"];
        };
        /** @description Facts for the partner catalog. */
        readonly Catalog: {
            readonly hugging_face_id?: string;
            /**
             * @description The format of the weights.
             * @enum {unknown}
             */
            readonly quantization?: "int4" | "int8" | "fp4" | "mxfp4" | "nvfp4" | "fp6" | "fp8" | "mxfp8" | "fp16" | "bf16" | "fp32";
            /** @default [] */
            readonly datacenters: readonly components["schemas"]["Datacenter"][];
            /** @default {} */
            readonly compliance: components["schemas"]["Compliance"];
            /** @description By name; those that the gateway itself checks when absent. */
            readonly supported_parameters?: {
                readonly [key: string]: components["schemas"]["Parameter"];
            };
            /** @description The day, UTC, from which the model may take no more requests. */
            readonly deprecation_date?: string;
        };
        readonly Datacenter: {
            /** @example DE */
            readonly country_code: string;
            readonly region?: string;
        };
        readonly Compliance: {
            /**
             * @description Zero data retention.
             * @default false
             */
            readonly zdr: boolean;
            readonly hipaa?: boolean;
        };
        /**
         * @example {
         *       "type": "integer"
         *     }
         */
        readonly Parameter: {
            /**
             * @example range
             * @enum {unknown}
             */
            readonly type: "range" | "integer" | "boolean" | "enum" | "array" | "object" | "unknown";
        } & (components["schemas"]["NumberParameter"] | (components["schemas"]["EnumParameter"] | (components["schemas"]["ArrayParameter"] | components["schemas"]["PlainParameter"])));
        readonly NumberParameter: {
            /** @enum {unknown} */
            readonly type: "range" | "integer";
            readonly min?: number;
            readonly max?: number;
        };
        readonly EnumParameter: {
            /** @constant */
            readonly type: "enum";
            /**
             * @description The values that the model accepts.
             * @default []
             */
            readonly values: readonly string[];
        };
        readonly ArrayParameter: {
            /** @constant */
            readonly type: "array";
            readonly max_items?: number;
        };
        readonly PlainParameter: {
            /** @enum {unknown} */
            readonly type: "boolean" | "object" | "unknown";
        };
        readonly Pod: {
            /** @description A built-in backend with made-up text. */
            readonly simulated?: boolean;
        } & (components["schemas"]["SimulatedPod"] | components["schemas"]["BackendPod"]);
        readonly BackendPod: {
            /**
             * @description A name of its own among all pods.
             * @example gpu-1
             */
            readonly id: string;
            /**
             * @description How many requests run at once, or auto to follow the engine within bounds.
             * @example 8
             * @example {
             *       "auto": {
             *         "min": 4,
             *         "max": 64
             *       }
             *     }
             */
            readonly slots: number | {
                readonly auto: components["schemas"]["SlotBounds"];
            };
            /**
             * @default false
             * @constant
             */
            readonly simulated: false;
            /**
             * @description Where the backend is; /chat/completions is appended.
             * @example http://10.0.0.5:8000/v1
             */
            readonly url: string;
            /** @description The name of the model there; the id of the model when absent. */
            readonly model?: string;
            /** @description The environment variable that holds the key of the backend. */
            readonly api_key_env?: string;
            /** @description A file that holds the key of the backend, read again at each reload. */
            readonly api_key_file?: string;
            /**
             * @description What to do with system messages that the chat template of the model does not take.
             * @default merge_leading
             * @enum {unknown}
             */
            readonly system_policy: "as_is" | "merge_leading" | "first_only" | "merge_all";
            /**
             * @description The only name under which the backend takes an output cap.
             * @default max_tokens
             * @enum {unknown}
             */
            readonly cap_field: "max_tokens" | "max_completion_tokens";
            /**
             * @description What answers there; auto guesses it from the list of models.
             * @default auto
             * @enum {unknown}
             */
            readonly engine: "auto" | "vllm" | "sglang" | "llama_cpp" | "mistral" | "kimi" | "deepseek" | "openai";
            /**
             * @description Without a first token, the pod has failed. All attempts of an order take at most twice as long without one.
             * @default 120000
             */
            readonly first_token_timeout_ms: number;
            /**
             * @description Without a next token, the pod has failed.
             * @default 60000
             */
            readonly idle_timeout_ms: number;
            /**
             * @description Without an end, the pod has failed.
             * @default 1800000
             */
            readonly total_timeout_ms: number;
            /**
             * @description The backend sends usage with every chunk when asked to.
             * @default false
             */
            readonly continuous_usage: boolean;
            /**
             * @description Each chunk holds one token. Chunks are charged where usage never comes.
             * @default false
             */
            readonly token_per_chunk: boolean;
        };
        readonly SimulatedPod: {
            /**
             * @description A name of its own among all pods.
             * @example gpu-1
             */
            readonly id: string;
            /**
             * @description How many requests run at once, or auto to follow the engine within bounds.
             * @example 8
             * @example {
             *       "auto": {
             *         "min": 4,
             *         "max": 64
             *       }
             *     }
             */
            readonly slots: number | {
                readonly auto: components["schemas"]["SlotBounds"];
            };
            /** @constant */
            readonly simulated: true;
            /** @default 1 */
            readonly seed: number;
            readonly url?: unknown;
        };
        /**
         * @example {
         *       "min": 4,
         *       "max": 64
         *     }
         */
        readonly SlotBounds: {
            /** @example 4 */
            readonly min: number;
            /** @example 64 */
            readonly max: number;
        };
        readonly Market: {
            /**
             * @description How fast the published level moves. With 20 seconds it falls by 5 % a second while nobody asks for a slot.
             * @default 20000
             */
            readonly level_time_constant_ms: number;
            /** @default {} */
            readonly quote: components["schemas"]["Quote"];
            /** @description A folder for records of every message into and out of the exchange, for `sluice replay`. */
            readonly recording?: string;
        };
        readonly Quote: {
            /**
             * @description How long a quote holds.
             * @default 10000
             */
            readonly interval_ms: number;
            /**
             * @description Which share of the locks should start in time.
             * @default 0.95
             */
            readonly target_start_rate: components["schemas"]["StartRate"];
        };
        /**
         * @description Real completions that measure uptime.
         * @example {
         *       "enabled": false
         *     }
         */
        readonly Probes: {
            /** @default true */
            readonly enabled: boolean;
            /** @default 60000 */
            readonly interval_ms: number;
        };
        /**
         * @example {
         *       "daily": false
         *     }
         */
        readonly Audit: {
            /**
             * @description Audits the ledger once a day.
             * @default true
             */
            readonly daily: boolean;
        };
        /** @description Limits for callers. Spec 8. */
        readonly Limits: {
            /** @default 1200 */
            readonly inference_requests_per_minute_per_key: number;
            /** @default 1200 */
            readonly batch_submissions_per_minute_per_account: number;
            /** @default 2400 */
            readonly account_operations_per_minute_per_account: number;
            /** @default 1200 */
            readonly file_operations_per_minute_per_account: number;
            /** @default 600 */
            readonly public_requests_per_minute_per_address: number;
            /** @default 600 */
            readonly partner_requests_per_minute_per_address: number;
            /** @default 5 */
            readonly streams_per_address: number;
            /** @default 2000 */
            readonly queued_orders_per_account: number;
            /** @default 5000 */
            readonly queued_batch_orders_per_account: number;
            /** @default 8000 */
            readonly queued_orders: number;
            /** @default 20000 */
            readonly queued_batch_orders: number;
            /** @default 4294967296 */
            readonly queued_bytes_per_account: number;
            /** @default 8589934592 */
            readonly queued_bytes: number;
            /** @default 134217728 */
            readonly queued_bytes_in_memory: number;
            /** @default 5 */
            readonly running_batches_per_account: number;
            /** @default 10000 */
            readonly batch_requests_per_file: number;
            /** @default 50 */
            readonly active_keys_per_account: number;
            /** @default 8388608 */
            readonly request_body_bytes: number;
            /** @default 67108864 */
            readonly request_bytes_at_once: number;
            /** @default 134217728 */
            readonly unread_bytes: number;
            /** @default 52428800 */
            readonly batch_file_bytes: number;
            /** @default 4294967296 */
            readonly download_bytes_per_hour_per_account: number;
            /** @default 107374182400 */
            readonly stored_bytes_per_account: number;
        };
        /**
         * @example {
         *       "background": true
         *     }
         */
        readonly Responses: {
            /**
             * @description Takes background true in responses, an extension; refused with 400 otherwise.
             * @default false
             */
            readonly background: boolean;
        };
        /**
         * @example {
         *       "enabled": false
         *     }
         */
        readonly Console: {
            /**
             * @description Whether there are pages.
             * @default true
             */
            readonly enabled: boolean;
            /**
             * @description Lets people sign in over plain HTTP from other machines.
             * @default false
             */
            readonly insecure: boolean;
            readonly oidc?: components["schemas"]["Oidc"];
        };
        /** @description The identity provider with which people may sign in. */
        readonly Oidc: {
            /** @example https://id.example.com */
            readonly issuer: string;
            /**
             * @description What the provider calls this gateway.
             * @example sluice
             */
            readonly client_id: string;
            /** @description What people read on the button; the host of the issuer when absent. */
            readonly name?: string;
            /** @default openid email profile */
            readonly scope: string;
            /**
             * @description Accepts an e-mail address if the provider does not say whether it is verified. Entra ID never says it.
             * @default false
             */
            readonly trust_email: boolean;
            /** @description The claim that gives the role, such as groups, or a path such as realm_access.roles. */
            readonly role_claim?: string;
            /**
             * @description A place for each value of the claim. The first that fits counts; who has none is refused.
             * @example {
             *       "admins": {
             *         "operator": "operator"
             *       }
             *     }
             */
            readonly roles?: {
                readonly [key: string]: components["schemas"]["RolePlace"];
            };
        };
        /**
         * @example {
         *       "operator": "viewer"
         *     }
         */
        readonly RolePlace: components["schemas"]["OperatorPlace"] | components["schemas"]["AccountPlace"];
        readonly OperatorPlace: {
            /** @enum {unknown} */
            readonly operator: "operator" | "finance" | "viewer";
        };
        readonly AccountPlace: {
            readonly operator?: unknown;
            /**
             * @description The id of the account.
             * @example 0198aaaa-0000-7000-8000-000000000000
             */
            readonly account: string;
            /**
             * @example developer
             * @enum {unknown}
             */
            readonly role: "owner" | "developer" | "viewer";
        };
        readonly Payments: {
            readonly stripe?: components["schemas"]["Stripe"];
        };
        /** @description Payments by card; without it only the operator credits accounts. */
        readonly Stripe: {
            /**
             * @description Where a browser goes after paying.
             * @example https://example.com/settings/billing
             */
            readonly success_url: string;
            /**
             * @description Where a browser goes after turning back.
             * @example https://example.com/settings/billing
             */
            readonly cancel_url: string;
            /** @default https://api.stripe.com */
            readonly api_url: string;
        };
        /**
         * @example {
         *       "issuer": "Example Ltd, 1 Mill Lane, Exampleton",
         *       "tax": "No tax is included."
         *     }
         */
        readonly Billing: {
            /** @description Who issues statements: name, address and tax number, in lines. */
            readonly issuer?: string;
            /** @description What statements say of tax. */
            readonly tax?: string;
        };
        /**
         * @example {
         *       "allow": [
         *         "hooks.internal"
         *       ]
         *     }
         */
        readonly Webhooks: {
            /**
             * @description Hosts that webhooks may go to although they are not of the public internet, and without TLS.
             * @default []
             */
            readonly allow: readonly string[];
        };
        /** @description The server that mail of alerts goes out through; without it none is sent. */
        readonly Mail: {
            /** @example smtps://mail.example.com */
            readonly server: string;
            /**
             * @description The user name at the server; none when absent.
             * @example alerts
             */
            readonly user?: string;
            /**
             * @description The address of the sender.
             * @example alerts@example.com
             */
            readonly from: string;
            /**
             * @description Where readers of mails find the pages of this gateway.
             * @example https://gateway.example.com
             */
            readonly pages_url: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Configuration = components['schemas']['Configuration'];
export type Price = components['schemas']['Price'];
export type AccountShare = components['schemas']['AccountShare'];
export type StartRate = components['schemas']['StartRate'];
export type Model = components['schemas']['Model'];
export type FixedModel = components['schemas']['FixedModel'];
export type MarketModel = components['schemas']['MarketModel'];
export type Prices = components['schemas']['Prices'];
export type Catalog = components['schemas']['Catalog'];
export type Datacenter = components['schemas']['Datacenter'];
export type Compliance = components['schemas']['Compliance'];
export type Parameter = components['schemas']['Parameter'];
export type NumberParameter = components['schemas']['NumberParameter'];
export type EnumParameter = components['schemas']['EnumParameter'];
export type ArrayParameter = components['schemas']['ArrayParameter'];
export type PlainParameter = components['schemas']['PlainParameter'];
export type Pod = components['schemas']['Pod'];
export type BackendPod = components['schemas']['BackendPod'];
export type SimulatedPod = components['schemas']['SimulatedPod'];
export type SlotBounds = components['schemas']['SlotBounds'];
export type Market = components['schemas']['Market'];
export type Quote = components['schemas']['Quote'];
export type Probes = components['schemas']['Probes'];
export type Audit = components['schemas']['Audit'];
export type Limits = components['schemas']['Limits'];
export type Responses = components['schemas']['Responses'];
export type Console = components['schemas']['Console'];
export type Oidc = components['schemas']['Oidc'];
export type RolePlace = components['schemas']['RolePlace'];
export type OperatorPlace = components['schemas']['OperatorPlace'];
export type AccountPlace = components['schemas']['AccountPlace'];
export type Payments = components['schemas']['Payments'];
export type Stripe = components['schemas']['Stripe'];
export type Billing = components['schemas']['Billing'];
export type Webhooks = components['schemas']['Webhooks'];
export type Mail = components['schemas']['Mail'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
