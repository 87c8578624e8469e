// Written by codegen/generate.ts from openapi/console.yaml (sha256 16b7487cccc14e28ec7da88a71cf2d107eb659c3867296e8fb16cc4b41b6803a). Do not edit.
export interface paths {
    readonly "/settings/api/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who am I
         * @description The member of this session, what it may do, and the CSRF token for whatever changes something.
         */
        readonly get: operations["getSession"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Sign out
         * @description Ends this session.
         */
        readonly delete: operations["signOut"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/sign-in/link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign in with a one-time link
         * @description Opens a session with the token of a link, which works once and for 24 hours. A cookie that was sent is not taken
         *     over: the session always has a new id, and an earlier session of this browser ends.
         */
        readonly post: operations["signInWithLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * This document
         * @description This document as JSON.
         */
        readonly get: operations["getConsoleOpenapi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The account of the member; null for members of the operator. */
        readonly SessionAccount: ({
            readonly account_id: string;
            readonly name: string;
            /** @description `active`, `suspended` or `deleting`; unless it is active, nothing can be changed. */
            readonly status: string;
        } & {
            readonly [key: string]: unknown;
        }) | null;
        readonly Session: {
            /** @description Always `session`. */
            readonly object: string;
            /** @description Its name among the sessions of the member; not what the cookie holds. */
            readonly session_id: string;
            readonly email: string;
            /** @description In an account `owner`, `developer` or `viewer`; with the operator `operator`, `finance` or `viewer`. */
            readonly role: string;
            readonly account: components["schemas"]["SessionAccount"];
            /** @description Whether the member can sign in with a password, too. */
            readonly has_password: boolean;
            /** @description For the header `x-csrf-token`. */
            readonly csrf_token: string;
            /** @description ISO 8601. */
            readonly opened_at: string;
            /** @description When the session ends at the latest; earlier when nothing comes for 12 hours. ISO 8601. */
            readonly ends_at: string;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description A problem document of RFC 9457. */
        readonly Problem: {
            /** @description Always `about:blank`; `code` tells problems apart. */
            readonly type: string;
            /** @description The name of the status. */
            readonly title: string;
            readonly status: number;
            /** @description A sentence for people. Its wording may change. */
            readonly detail: string;
            /** @description The stable code for programs, such as `not_signed_in`. */
            readonly code: string;
            /** @description The field, parameter or header that is wrong; null when there is none. */
            readonly param: string | null;
            /** @description The same as the header `x-request-id`. */
            readonly request_id: string;
        } & {
            readonly [key: string]: unknown;
        };
        readonly SignInLink: {
            /** @description What follows the `#` of the link. */
            readonly token: string;
        };
        /** @description An object whose keys depend on the shape of the endpoint. */
        readonly FreeObject: {
            readonly [key: string]: unknown;
        };
        readonly OpenapiDocument: {
            /** @description The generator, and the hash of its source. */
            readonly "x-generated"?: string;
            readonly openapi: string;
            readonly info: {
                readonly [key: string]: unknown;
            };
            readonly servers?: readonly components["schemas"]["FreeObject"][];
            readonly tags?: readonly components["schemas"]["FreeObject"][];
            readonly paths: {
                readonly [key: string]: unknown;
            };
            readonly components?: components["schemas"]["FreeObject"];
        } & {
            readonly [key: string]: unknown;
        };
    };
    responses: {
        /** @description 401 `not_signed_in`. No session, an unknown one, or one that has ended. */
        readonly NotSignedIn: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description 403. `needs_tls`: the connection is neither encrypted nor from this machine. `forged_request`: another site sent it, or
         *     the CSRF token is missing or of another session. `role_refused`: the role of the member does not allow it.
         *     `account_suspended`: nothing can be changed in this account.
         */
        readonly MemberForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 429 `rate_limit_error`. Too many requests of this member, or attempts from this address or for this e-mail. */
        readonly TooOften: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 503 `unavailable`. The database does not answer. */
        readonly OutOfReach: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 400. Malformed JSON, or an invalid field or parameter. */
        readonly BadForm: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 401 `sign_in_failed`. The link or the password is not valid; nothing says why. */
        readonly SignInFailed: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 413 `request_too_large`. A body over 64 KiB. */
        readonly FormTooLarge: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Nothing of this may be kept by a cache.
         * @example no-store
         */
        readonly NotStored: string;
        /**
         * @description The id of this request in the gateway's log; quote it when you report a problem. Your own `x-request-id` is kept
         *     when it has up to 128 letters, digits, dots, colons, hyphens and underscores.
         * @example 01980d3e-7c58-7a00-8d00-2e4f60718293
         */
        readonly RequestId: string;
        /**
         * @description Seconds until a retry is useful.
         * @example 2
         */
        readonly RetryAfter: number;
        /**
         * @description The new session, or nothing in its place when it ended.
         * @example sluice-session=3Rk0…; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800
         */
        readonly SessionCookie: string;
        /**
         * @description The document may be cached for five minutes; it changes only with the gateway.
         * @example public, max-age=300
         */
        readonly DocumentCacheControl: string;
    };
    pathItems: never;
}
export type SessionAccount = components['schemas']['SessionAccount'];
export type Session = components['schemas']['Session'];
export type Problem = components['schemas']['Problem'];
export type SignInLink = components['schemas']['SignInLink'];
export type FreeObject = components['schemas']['FreeObject'];
export type OpenapiDocument = components['schemas']['OpenapiDocument'];
export type ResponseNotSignedIn = components['responses']['NotSignedIn'];
export type ResponseMemberForbidden = components['responses']['MemberForbidden'];
export type ResponseTooOften = components['responses']['TooOften'];
export type ResponseOutOfReach = components['responses']['OutOfReach'];
export type ResponseBadForm = components['responses']['BadForm'];
export type ResponseSignInFailed = components['responses']['SignInFailed'];
export type ResponseFormTooLarge = components['responses']['FormTooLarge'];
export type HeaderNotStored = components['headers']['NotStored'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type HeaderSessionCookie = components['headers']['SessionCookie'];
export type HeaderDocumentCacheControl = components['headers']['DocumentCacheControl'];
export type $defs = Record<string, never>;
export interface operations {
    readonly getSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly signOut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session is over. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "Set-Cookie": components["headers"]["SessionCookie"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly signInWithLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SignInLink"];
            };
        };
        readonly responses: {
            /** @description The new session. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "Set-Cookie": components["headers"]["SessionCookie"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["SignInFailed"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getConsoleOpenapi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An OpenAPI 3.0.3 document. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["DocumentCacheControl"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OpenapiDocument"];
                };
            };
            readonly 429: components["responses"]["TooOften"];
        };
    };
}
