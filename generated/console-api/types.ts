// Written by codegen/generate.ts from openapi/console.yaml (sha256 120f4fdd0582d4065a8e979db304439b6a1b63e8d377b35d88bd08b3782ac867). Do not edit.
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
    readonly "/settings/api/sign-in/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign in with a password
         * @description Opens a session of the member with this address and password. Attempts are counted by the address that they come
         *     from and by the e-mail address, right ones too. A browser that the member has used is counted by itself, so that
         *     nobody can lock its owner out of it; passkeys, the identity provider and one-time links always work.
         */
        readonly post: operations["signInWithPassword"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/sign-in/passkey": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign in with a passkey
         * @description Opens a session of the member whose passkey answered the question. With `email` it must be the passkey of that member.
         */
        readonly post: operations["signInWithPasskey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/sign-in/passkey/question": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ask for a passkey to sign in
         * @description What to give to `navigator.credentials.get`, and a cookie that only this browser has: its answer counts with it, once,
         *     within ten minutes. The question is the same for everybody, so nothing shows who is a member or has a passkey.
         */
        readonly post: operations["askForSignIn"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/sign-in/provider": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begin to sign in with the identity provider
         * @description Where to send the browser, and a cookie that only this browser has: what the provider sends back counts with it, once,
         *     within ten minutes.
         */
        readonly post: operations["startProviderSignIn"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/sign-in/provider/answer": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign in with what the identity provider sent back
         * @description Opens a session of the member for whom the identity provider vouches. The gateway redeems the code itself, and asks who
         *     it is; the configuration says which role that gives.
         */
        readonly post: operations["signInWithProvider"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/passkeys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List my passkeys
         * @description The passkeys of the member, oldest first.
         */
        readonly get: operations["listPasskeys"];
        readonly put?: never;
        /**
         * Add a passkey
         * @description Adds what the authenticator made for the last question of this session, within ten minutes. Each question is
         *     answered once.
         */
        readonly post: operations["addPasskey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/passkeys/question": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ask for a new passkey
         * @description What to give to `navigator.credentials.create`. Needs a session that was opened within the last hour, unless a link is
         *     the only way in that the member has.
         */
        readonly post: operations["askForPasskey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/passkeys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a passkey
         * @description Nobody signs in with it any more. Sessions that it opened go on; end them where they are listed.
         */
        readonly delete: operations["removePasskey"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Rename a passkey
         * @description Gives a passkey of the member another name.
         */
        readonly patch: operations["renamePasskey"];
        readonly trace?: never;
    };
    readonly "/settings/api/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Set my password
         * @description Sets the password of the member, or replaces it. `current_password` is needed where there is one, unless this session
         *     was opened with a one-time link within the last hour. All other sessions of the member end, and its link.
         */
        readonly put: operations["setPassword"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List my sessions
         * @description The open sessions of the member, newest first, so that one can find a browser that should not be signed in.
         */
        readonly get: operations["listSessions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/sessions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * End one of my sessions
         * @description Ends a session of the member at once. To end this one, sign out.
         */
        readonly delete: operations["revokeSession"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the keys
         * @description The active keys of the account, oldest first. No answer has a key itself, only what it begins and ends with.
         */
        readonly get: operations["listKeys"];
        readonly put?: never;
        /**
         * Create a key
         * @description Creates a key of the account. The answer has it, and no later one does. Without `scopes` it calls models and reads what it made.
         */
        readonly post: operations["createKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke a key
         * @description New requests with the key are refused from now on, and on other gateways within a second; orders that run or wait go on.
         */
        readonly delete: operations["revokeKey"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a key
         * @description Changes the settings that are given, of an active key. They hold for new requests at once, and on other gateways within a second.
         */
        readonly patch: operations["updateKey"];
        readonly trace?: never;
    };
    readonly "/settings/api/keys/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give a key a new secret
         * @description The secret of before is accepted for as long as the request says; one from before that, no longer. Everything else of the
         *     key stays: its id, budget, limits and what it spent. The answer has the new secret, and no later one does.
         */
        readonly post: operations["rotateKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/playground/key": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get a key for the playground
         * @description A key with which the page of this member sends requests to `/v1` for the next hour, so that nobody has to paste one.
         *     Each member has one, `Playground (E-MAIL)`, made by the first call: it ends with its member, may send requests and read
         *     its own orders, and is listed and limited like any other. Each call gives it a new secret; the one before is accepted
         *     for as long.
         */
        readonly post: operations["openPlayground"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the members
         * @description Who may sign in to the settings of the account, by e-mail.
         */
        readonly get: operations["listMembers"];
        readonly put?: never;
        /**
         * Invite a member
         * @description Makes an address a member of the account, or gives one that is a member this role, and a link that signs it in once
         *     within 24 hours. The answer has the link, and no later one does; an earlier one stops working. A member that has
         *     signed in before gets the role and no link: only the operator makes one. Nobody invites itself.
         *     An address belongs to one account: the answer for one that is a member elsewhere is the same, and its link is not valid.
         */
        readonly post: operations["inviteMember"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/members/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a member
         * @description Removes a member, ends its sessions at once and revokes the keys that it owns. Nobody removes itself.
         */
        readonly delete: operations["removeMember"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/balance": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the balance
         * @description What the account has, what of it is held for orders that run, what is free, and for how long that lasts at the pace of the
         *     last seven days.
         */
        readonly get: operations["getBalance"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/entries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the entries of the ledger
         * @description Every movement of money, the newest first: charges of orders, top-ups, refunds, and what refunds and disputes of payments
         *     took back. The sum of all entries is the balance.
         */
        readonly get: operations["listEntries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/statements/{month}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the statement of a month
         * @description The money of a calendar month in UTC: the balance before and after it, charges by day and model, and every other entry.
         *     404 for a month that has not begun.
         */
        readonly get: operations["getStatement"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/payments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the payments
         * @description The newest 100 payments by card of the account, newest first. `enabled` says whether this gateway takes payments; what
         *     the operator credits is no payment.
         */
        readonly get: operations["listPayments"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/payments/checkout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begin a payment
         * @description Begins a payment and answers with the page of the provider where it is paid. Nothing is credited by coming back from
         *     there: the provider notifies the gateway, usually within seconds. An account may begin 20 payments in 24 hours
         *     that it does not pay; beyond that 429.
         */
        readonly post: operations["startCheckout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/alerts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the alerts
         * @description The balances below which the settings show an alert, and since when each is crossed. Nothing is mailed: the settings
         *     show it.
         */
        readonly get: operations["listAlerts"];
        /**
         * Set the alerts
         * @description Replaces them. One that stays keeps the time at which it was crossed.
         */
        readonly put: operations["setAlerts"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/automatic-top-up": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show automatic top-up
         * @description What the owner decided, whether a card is saved, and why the gateway switched it off, if it did.
         */
        readonly get: operations["getAutomaticTopUp"];
        /**
         * Decide on automatic top-up
         * @description A balance below the threshold is topped up with the saved card, at most so often in 24 hours and so much in a month. It is
         *     off until an owner switches it on, which needs a card: begin a payment with `save_card`. A declined card is tried again
         *     after one hour and after six more, then the gateway switches it off; it does so at once when the bank requires its holder to
         *     confirm.
         */
        readonly put: operations["changeAutomaticTopUp"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/automatic-top-up/card": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove the saved card
         * @description Removes the card at the payment provider and switches automatic top-up off. No effect when there is none.
         */
        readonly delete: operations["forgetCard"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/payments/stripe/webhook": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take an event of Stripe
         * @description For Stripe alone: no session, but the signature of the exact bytes with the secret of the endpoint, at most five minutes
         *     old. An event may be delivered any number of times and in any order. 200 says that it needs no other delivery; one that
         *     does not fit its payment is 200 with the outcome `refused`, and the operator's audit reports it.
         */
        readonly post: operations["receiveStripeEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the webhooks
         * @description The webhook endpoints of the account, the oldest first. No answer has a secret.
         */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        /**
         * Create a webhook
         * @description Messages are sent as Standard Webhooks says, at least once each, those of one subject in their order. The answer has the
         *     secret that signs them, and no later one does.
         */
        readonly post: operations["createWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/webhooks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a webhook
         * @description Nothing more is sent to it, of what it is owed either.
         */
        readonly delete: operations["removeWebhook"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook
         * @description Changes the settings that are given. One that was disabled is sent what it is owed when it is enabled.
         */
        readonly patch: operations["updateWebhook"];
        readonly trace?: never;
    };
    readonly "/settings/api/webhooks/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give a webhook a new secret
         * @description Messages are signed with the secret of before, too, for as long as the request says. The answer has the new secret, and no
         *     later one does.
         */
        readonly post: operations["rotateWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/webhooks/{id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test
         * @description Sends a message of the type `webhook.test`, within a second or two; to a webhook that is disabled, when it is enabled.
         */
        readonly post: operations["testWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/webhooks/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List recent deliveries
         * @description The last 100 messages, the newest first, as far back as seven days.
         */
        readonly get: operations["listWebhookDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/webhooks/{id}/deliveries/{event_id}/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a message again
         * @description Sends one of the last 100 messages once more, within a second or two, whether it was delivered or not, and tries for three
         *     days again. Its `webhook-id` stays the same; it may come after later ones of its object.
         */
        readonly post: operations["resendWebhookDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/alert-rules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the alerts
         * @description The alerts of the account, the oldest first, and how each stands.
         */
        readonly get: operations["listAlertRules"];
        readonly put?: never;
        /**
         * Create an alert
         * @description Checked every 15 seconds. Its target gets a message when the condition begins to hold. A second one follows when it has
         *     not held for five minutes; only then may the alert begin again.
         */
        readonly post: operations["createAlertRule"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/alert-rules/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove an alert
         * @description Messages that wait are still sent.
         */
        readonly delete: operations["removeAlertRule"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Pause or resume an alert
         * @description A paused alert is not checked. When it is resumed, it begins as a new one.
         */
        readonly patch: operations["updateAlertRule"];
        readonly trace?: never;
    };
    readonly "/settings/api/alert-targets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List where alerts may go
         * @description Slack addresses, e-mail addresses, and the webhooks of an account; for members of the operator those that learn of pods.
         */
        readonly get: operations["listAlertTargets"];
        readonly put?: never;
        /**
         * Add a target
         * @description A Slack address is checked like that of a webhook, and is never shown whole again. An e-mail address gets one mail with a
         *     link, and nothing else until somebody confirms there; nobody may ask the same address twice a day. Targets of the operator
         *     learn of each pod that goes down or comes back.
         */
        readonly post: operations["createAlertTarget"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/alert-targets/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a target
         * @description Its alerts are removed with it, and nothing more is sent there.
         */
        readonly delete: operations["removeAlertTarget"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/alert-targets/{id}/renew": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Use a target again
         * @description Switches a target on that was disabled after failures. An e-mail address that is not confirmed gets its link again.
         */
        readonly post: operations["renewAlertTarget"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/alert-targets/{id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test to a target
         * @description Sends a test within a second or two. An e-mail address must be confirmed first.
         */
        readonly post: operations["testAlertTarget"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/alert-targets/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List recent messages to a target
         * @description The last 100, the newest first, as far back as seven days. `subject` is the id of the alert.
         */
        readonly get: operations["listAlertDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/mail-links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirm an e-mail address, or stop its mails
         * @description For the person who got the mail, without a session: the text of the link proves that. The link stays valid for both.
         */
        readonly post: operations["changeMailLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/storage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show what is kept
         * @description For how long results and files are kept, whether requests are logged, and how many bytes are stored now.
         */
        readonly get: operations["getStorage"];
        /**
         * Change what is kept
         * @description Absent fields stay as they are. What is stored already keeps the end that it was promised: only later orders follow. A
         *     retention of 0 days stores no results and no request log.
         */
        readonly put: operations["updateStorage"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/storage/clear": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Delete what is stored
         * @description Deletes results, the contents of files and logged requests of the account, at most 1,000 of each; `more` says whether to
         *     ask again. Orders, usage and the ledger stay. Refused while a batch runs, because its lines need what is stored.
         */
        readonly post: operations["clearStorage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/account/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Suspend the own keys
         * @description Refuses every key of the account with 403 `account_suspended` until an owner resumes them; orders that wait are canceled,
         *     orders that run end as usual. No effect when they are suspended already.
         */
        readonly post: operations["suspendKeys"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/account/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resume the own keys
         * @description Accepts the keys again. An account that the operator has suspended stays so: 403 `account_suspended`.
         */
        readonly post: operations["resumeKeys"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/account/close": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Close the account
         * @description Revokes every key and removes every member, the one who asks included; nobody signs in to it or calls with it any more.
         *     Its books stay with the operator of the gateway, who pays back what is left of the balance and can open it again. Refused
         *     while orders wait or run (409 `account_busy`), and with 404 when `name` is not the name of the account.
         */
        readonly post: operations["closeAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export everything
         * @description The data of the account as JSON Lines, sent while it is read: the account, its members, keys (by their hints), files,
         *     batches, payments, changes, entries of the ledger, and orders. Each line has `object`. Results and contents of files are
         *     at their own addresses. One export of an account at a time, and eight of all; beyond that 429.
         */
        readonly get: operations["exportAccount"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/orders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the orders
         * @description The orders of the account, newest first, as `GET /v1/orders` lists them to a key, and how each ran. With `charged_min` a page
         *     may have fewer orders than `limit`, also none, and still name a next page.
         */
        readonly get: operations["listMemberOrders"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/orders/price": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reprice queued orders
         * @description As `POST /v1/orders/price` does for a key, for up to 20 orders. The audit log gets a row for each that is queued, before it is
         *     repriced.
         */
        readonly post: operations["repriceMemberOrders"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/orders/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show an order
         * @description An order of the account with what is stored of its life, its money, and the tariff by which it was charged, which the model
         *     may have left since.
         */
        readonly get: operations["showMemberOrder"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/orders/{id}/receipt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show the signed receipt of an order
         * @description As `GET /v1/orders/{id}/receipt` does for a key. The page verifies it in the browser with the keys of
         *     `GET /.well-known/jwks.json`.
         */
        readonly get: operations["showMemberReceipt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/orders/{id}/request": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show what an order sent
         * @description What was sent to the model, where the account has its requests kept, for as long as its results. 404 where it is not kept.
         */
        readonly get: operations["showMemberRequest"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/orders/{id}/receipt-link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Make the receipt of an order public
         * @description Everybody with the token reads the receipt with `GET /v1/receipts/{token}`, until it is revoked. An order has one token: asking
         *     again gives the same. 409 `order_not_settled` for an order that is not done.
         */
        readonly put: operations["shareMemberReceipt"];
        readonly post?: never;
        /**
         * Revoke the public link to a receipt
         * @description From now on the token is unknown. Without a link nothing changes.
         */
        readonly delete: operations["revokeMemberReceipt"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/orders/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a queued order
         * @description As `POST /v1/orders/{id}/cancel` does for a key. The audit log gets its row before the order is canceled, so that nothing is
         *     canceled without one.
         */
        readonly post: operations["cancelMemberOrder"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/batches": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the batches
         * @description The batches of the account, newest first, as `GET /v1/batches` lists them to a key.
         */
        readonly get: operations["listMemberBatches"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/batches/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a batch
         * @description As `POST /v1/batches/{id}/cancel` does for a key: what runs is finished, the rest is not started.
         */
        readonly post: operations["cancelMemberBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/files/{id}/content": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download a file
         * @description The content of a file of the account, as `GET /v1/files/{id}/content` sends it to a key. It counts against the hourly
         *     download allowance of the account.
         */
        readonly get: operations["getMemberFile"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/order-sums": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Orders by time, model, key and status
         * @description How many orders were sent in each hour or day (UTC), the newest first, for each model, key, set of tags and status; what they were charged
         *     net of refunds, and what they would have been at their bids. An order counts when it was sent, so that each sum is that of the
         *     same filters in the list. Without `from` the last 24 hours. Of a period with more than 100,000 orders the newest are looked at.
         */
        readonly get: operations["sumMemberOrders"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/settings/api/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Usage by day, model and key
         * @description What was charged on each day (UTC), newest first, net of refunds, for each model and key: the sums behind the ledger. Without
         *     `from` the last 30 days.
         */
        readonly get: operations["listMemberUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The gateway at a glance
         * @description What it earns, what waits and runs, its pods and its journal. Where there are several gateways, orders, utilisation and journal are those of the one that answers.
         */
        readonly get: operations["getOverview"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The last hour, day or week
         * @description What the gateways did, in bins: the hour by the minute, the day by quarters of an hour, the week by the hour. The lists
         *     have a figure for each bin, null where no gateway recorded any. A gateway records once a minute, so the newest minute is
         *     missing. The answer takes as long however many orders there are.
         */
        readonly get: operations["getHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/book": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What waits and runs in a market
         * @description The book of one model, exactly and now. Where there are several gateways, the one that owns the market knows it.
         */
        readonly get: operations["getBook"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/book/what-if": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What the level would do with other slots
         * @description Plays the market of a model on from its live book, for ten simulated minutes or less, with the slots that it has and
         *     with as many as asked for, by the rules of the market itself. Orders arrive as often and bid as in the last minute, and
         *     run as long as lately; nobody leaves, reprices, or comes because of the price. The market itself is not touched.
         */
        readonly get: operations["foretellLevel"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the accounts
         * @description All accounts, by id and so by age, or those that a search finds.
         */
        readonly get: operations["listAccounts"];
        readonly put?: never;
        /**
         * Open an account
         * @description Opens an account with a balance of 0.
         */
        readonly post: operations["createAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show an account
         * @description One account.
         */
        readonly get: operations["showAccount"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/suspend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Suspend an account
         * @description New requests of its keys are refused, on other gateways within a second, and its waiting orders are canceled; orders that
         *     run go on. Suspending it again changes nothing.
         */
        readonly post: operations["suspendAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resume an account
         * @description Its keys work again, within a second.
         */
        readonly post: operations["resumeAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/credit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Top an account up
         * @description Adds money to the balance, once for each idempotency key.
         */
        readonly post: operations["creditAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/refund": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give money back
         * @description Gives money back, for one order or for none, once for each idempotency key.
         */
        readonly post: operations["refundAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/debit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take money back
         * @description Takes back money that was credited by mistake, at most what no running order holds, once for each idempotency key. It is
         *     an entry of the kind `reversal`.
         */
        readonly post: operations["debitAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the keys of an account
         * @description Its active keys, oldest first. No answer has a key itself.
         */
        readonly get: operations["listAccountKeys"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/keys/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke a key of an account
         * @description It stops working, on other gateways within a second. Its orders go on.
         */
        readonly delete: operations["revokeAccountKey"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the members of an account
         * @description Who may sign in to its settings, by e-mail.
         */
        readonly get: operations["listAccountMembers"];
        readonly put?: never;
        /**
         * Invite a member of an account
         * @description Makes a one-time link, which is shown once and works for 24 hours; pass it on, nothing is mailed. Inviting a member again
         *     replaces the link and the role. One that has signed in before sees at its next sign-in that a link was made, and the
         *     log of changes has it as `member.link`.
         */
        readonly post: operations["inviteAccountMember"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/members/{member}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a member of an account
         * @description Its sessions end at once, and the keys that it owns are revoked. This may leave an account without an owner until another is invited.
         */
        readonly delete: operations["removeAccountMember"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/orders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the orders of an account
         * @description The orders of one account, newest first, as `GET /v1/orders` lists them to its keys.
         */
        readonly get: operations["listAccountOrders"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/latest-orders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the orders of all accounts
         * @description The newest first, or those whose ids begin with `id`. A page looks at the newest few thousand orders behind its cursor, so
         *     it may have fewer than `limit`, also none, and still name a next page.
         */
        readonly get: operations["listSoldOrders"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/orders/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show an order
         * @description An order of any account, with its timeline, what was charged and its receipt. Its content is not here.
         */
        readonly get: operations["showOrder"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/orders/{id}/request": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show what an order sent
         * @description What was sent to the model, where the account has its requests kept, for as long as its results. Reading it leaves a row of
         *     the audit log.
         */
        readonly get: operations["showOrderRequest"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/audit-log": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List what was changed
         * @description What members and the command line changed in accounts, keys, members and sessions, the newest first. Nothing changes or deletes an entry.
         */
        readonly get: operations["listChanges"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/pods": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the pods
         * @description Every pod of the configuration, in its order, then those that were added while the gateway ran, then those that leave
         *     and still run orders; as the gateway that answers sees them: where several gateways share the pods, each knows the
         *     attempts that it sent itself. Counts begin with the start of the gateway.
         */
        readonly get: operations["listPods"];
        readonly put?: never;
        /**
         * Add a pod
         * @description Sends the pod two short requests first, as `sluice config check --connect` does, which may take a minute. If both are
         *     answered, it is stored in the database: it gets orders at once, on other gateways within a second, and after a restart
         *     as well. If not, 400 says what was tried and what to change, and nothing is stored. The id is new among all pods, and so
         *     are address and `served_model` together, otherwise 400; adding the same pod again changes nothing. When the file names
         *     its id, or its address and model, later, the pod of the file takes its place.
         */
        readonly post: operations["addPod"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/pod-history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The last hour, day or week of each pod
         * @description Whether each pod was healthy, in the bins of `GET /console/api/history`. Gateways look at their pods every ten seconds.
         */
        readonly get: operations["getPodHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/pods/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove an added pod
         * @description The pod gets no new orders, on other gateways within a second. Those that run there go on to their end, and until then
         *     the pod is listed as draining. No waiting order is canceled. Only a pod that `addPod` added: one of the configuration
         *     file is removed there, otherwise 400.
         */
        readonly delete: operations["removePod"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/pods/{id}/drain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Drain a pod
         * @description The pod gets no new orders; those that run there go on to their end, and no waiting order is canceled. Draining it
         *     again changes nothing. It lasts until `resume`, or until the gateway restarts; gateways that share a database tell
         *     each other, and 503 means that the one which decides about this pod may not have heard.
         */
        readonly post: operations["drainPod"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/pods/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resume a pod
         * @description Ends `drain`: the pod gets orders again. Resuming a pod that does not drain changes nothing.
         */
        readonly post: operations["resumePod"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/pods/{id}/slots": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Set the slots of a pod
         * @description Sets how many orders may run on the pod at once, until the gateway restarts. With fewer than run there now, these go
         *     on, and no new one starts before there is room. Like `drain` it is sent to the other gateways.
         */
        readonly post: operations["setPodSlots"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show the last audit
         * @description The last audit that came to its end, whichever gateway ran it, with its findings, and whether one runs. A gateway audits
         *     the ledger by itself once a day, unless `audit.daily` is off.
         */
        readonly get: operations["getAudit"];
        readonly put?: never;
        /**
         * Audit the ledger
         * @description Begins an audit of the whole ledger, as `npx sluice audit` does it: in one read snapshot and in a thread of its own, while
         *     orders go on. One runs at a time, in whichever gateway: while one runs this changes nothing.
         */
        readonly post: operations["runAudit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/audit/acknowledgements": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Acknowledge a finding
         * @description Records why a finding of the last audit is accepted: later audits leave it out, and pass in spite of it. When its figures
         *     change it is another finding. Acknowledging it again changes nothing.
         */
        readonly post: operations["acknowledgeFinding"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/money": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show what was sold
         * @description What was sold in the last 35 days, and what of it was estimated, refunded and written off, by day and by model, without the
         *     gateway's own probes. It is as of the last audit, which counts it: see `as_of`.
         */
        readonly get: operations["getMoney"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/transfers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List what was credited and given back
         * @description The entries of all accounts that are no charges, the newest first: top-ups, refunds, and what refunds and disputes of
         *     payments took back.
         */
        readonly get: operations["listTransfers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/entries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the entries of an account
         * @description Every movement of its money, the newest first. Their sum is the balance.
         */
        readonly get: operations["listAccountEntries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/accounts/{id}/days": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What an account was charged by day
         * @description The last 35 days, net of refunds.
         */
        readonly get: operations["listAccountDays"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/configuration": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Show the configuration
         * @description Every setting in force, and where the file now differs. Secrets are not shown: `set` stands for one that is
         *     set.
         */
        readonly get: operations["getConfiguration"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console/api/reload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Read the configuration file again
         * @description Reads and checks the whole file, and takes everything that may change while the gateway runs. No waiting order is
         *     canceled; what runs on a removed pod ends there. What needs a restart is named and stays as it is. A file that is wrong
         *     changes nothing. Each gateway reads its own file.
         */
        readonly post: operations["reloadConfiguration"];
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
        readonly SessionAccount: {
            readonly account_id: string;
            readonly name: string;
            /** @description `active`, `paused` (by its owner), `suspended` or `deleting`; unless it is active, it gets no new keys. */
            readonly status: string;
        } | null;
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
            /** @description Whether the member has a passkey. */
            readonly has_passkey: boolean;
            /** @description For the header `x-csrf-token`. */
            readonly csrf_token: string;
            /** @description Only after signing in with the identity provider, what was asked for then; null for nothing. */
            readonly return_to?: string | null;
            /** @description ISO 8601. */
            readonly opened_at: string;
            /** @description When the session ends at the latest; earlier when nothing comes for 12 hours. ISO 8601. */
            readonly ends_at: string;
            /**
             * @description When the operator last made a sign-in link for this member, which had signed in before. Anyone who has that link can
             *     be the member. Null for never. ISO 8601.
             */
            readonly link_made_at: string | null;
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
        };
        readonly SignInLink: {
            /** @description What follows the `#` of the link. */
            readonly token: string;
        };
        readonly SignInPassword: {
            readonly email: string;
            readonly password: string;
        };
        /** @description What `toJSON()` of the credential gives. */
        readonly UsedCredential: {
            readonly id: string;
            readonly rawId: string;
            readonly type: string;
            readonly response: {
                readonly clientDataJSON: string;
                readonly authenticatorData: string;
                readonly signature: string;
                readonly userHandle?: string | null;
            };
        };
        readonly SignInPasskey: {
            /** @description Who signs in. Absent, whose passkey it is. */
            readonly email?: string;
            readonly credential: components["schemas"]["UsedCredential"];
        };
        readonly PasskeyQuestion: {
            /** @description Always `passkey_question`. */
            readonly object: string;
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of the browser (WebAuthn). */
            readonly public_key: {
                readonly [key: string]: unknown;
            };
        };
        readonly NewProviderVisit: {
            /**
             * @description Where to go afterwards, a page of this gateway. Absent, where the member belongs.
             * @enum {string}
             */
            readonly return_to?: "/" | "/settings" | "/settings/billing" | "/console";
        };
        readonly ProviderVisit: {
            /** @description Always `provider_visit`. */
            readonly object: string;
            /** @description The page of the identity provider. */
            readonly url: string;
        };
        readonly ProviderAnswer: {
            /** @description What followed `?` in the address to which the provider led back. */
            readonly parameters: string;
        };
        readonly Passkey: {
            /** @description Always `passkey`. */
            readonly object: string;
            readonly passkey_id: string;
            readonly name: string;
            /** @description The only host at which it works. */
            readonly host: string;
            /** @description ISO 8601. */
            readonly created_at: string;
            /** @description ISO 8601; null for never. */
            readonly last_used_at: string | null;
        };
        readonly PasskeyList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Passkey"][];
            /** @description How many a member may have. */
            readonly passkeys_max: number;
        };
        /** @description What `toJSON()` of the credential gives. */
        readonly CreatedCredential: {
            readonly id: string;
            readonly rawId: string;
            readonly type: string;
            readonly response: {
                readonly clientDataJSON: string;
                readonly attestationObject: string;
            };
        };
        readonly NewPasskey: {
            readonly name: string;
            readonly credential: components["schemas"]["CreatedCredential"];
        };
        readonly PasskeyName: {
            readonly name: string;
        };
        readonly NewPassword: {
            /** @description Twelve characters or more, and not the e-mail address. */
            readonly password: string;
            readonly current_password?: string;
        };
        readonly ListedSession: {
            /** @description Always `session`. */
            readonly object: string;
            readonly session_id: string;
            /** @description Whether it is the session of this request. */
            readonly current: boolean;
            /** @description How it was opened, such as `link`. */
            readonly method: string;
            /** @description Where it was opened, an IPv4 address or an IPv6 network. */
            readonly address: string;
            /** @description What the browser called itself then. */
            readonly agent: string;
            /** @description ISO 8601. */
            readonly opened_at: string;
            /** @description Its last request, to the minute. ISO 8601. */
            readonly seen_at: string;
        };
        readonly SessionList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["ListedSession"][];
        };
        /** @description How much the orders of the key may cost in one period; null for any amount. */
        readonly BudgetOfKey: {
            readonly amount_usd: number;
            /** @description When it starts again, at midnight UTC, `week` on Monday; `day`, `week`, `month` or `never`. */
            readonly reset: string;
            /** @description What orders that were admitted in this period cost, net of refunds. */
            readonly spent_usd: number;
            /** @description The worst case of those of them that run. */
            readonly held_usd: number;
            /** @description What a new order may be admitted with; 0 when there is nothing. */
            readonly left_usd: number;
            /** @description When the next period begins, ISO 8601; null for never. */
            readonly renews_at: string | null;
        } | null;
        readonly ListedKey: {
            /** @description Always `key`. */
            readonly object: string;
            readonly key_id: string;
            readonly name: string;
            /** @description What the key begins and ends with. */
            readonly hint: string;
            /** @description ISO 8601. */
            readonly created_at: string;
            /** @description When the key last placed an order, ISO 8601; null for never. */
            readonly last_used_at: string | null;
            /** @description What the orders that were settled today (UTC) cost, net of refunds. */
            readonly spent_today_usd: number;
            /** @description The same of this month (UTC). */
            readonly spent_this_month_usd: number;
            readonly budget: components["schemas"]["BudgetOfKey"];
            /** @description From when on the key is refused, ISO 8601; null for never. */
            readonly expires_at: string | null;
            /** @description Whether that has come. */
            readonly expired: boolean;
            /** @description The models that it may use; null for all. */
            readonly models: readonly string[] | null;
            /** @description What it may do; of `inference`, `read_own`, `read_all` and `manage`. */
            readonly scopes: readonly string[];
            /** @description Whether no scopes were set, so that they follow budget and models. */
            readonly default_scopes: boolean;
            /** @description From where it may be used, addresses and networks; null for anywhere. */
            readonly addresses: readonly string[] | null;
            /** @description The e-mail of the member with whom it ends; null for none. */
            readonly member: string | null;
            /** @description What a request that names no limit gets as its own, by model, USD per 1M input tokens at the reference mix. */
            readonly price_limits: {
                readonly [key: string]: number;
            };
            /** @description Whether a request with a name that looks like a misspelt field or header of the gateway is refused, as with `X-Strict`. */
            readonly strict: boolean;
            /** @description Until when the secret before the last rotation is accepted, too, ISO 8601; null without one that is. */
            readonly previous_until: string | null;
        };
        readonly KeyList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["ListedKey"][];
            /** @description How many active keys the account may have. One that has expired does not count. */
            readonly active_max: number;
        };
        readonly NewKey: {
            /** @description For people, in lists. */
            readonly name: string;
            /** @description USD as a decimal, above 0 and at most 1,000,000; null or absent for none. */
            readonly budget_usd?: string | null;
            /**
             * @description When the budget starts again; `never` when absent. Only with a budget.
             * @enum {string}
             */
            readonly budget_reset?: "day" | "week" | "month" | "never";
            /** @description A moment in the future such as `2027-01-31T18:00:00Z`; null or absent for never. */
            readonly expires_at?: string | null;
            /** @description The models that it may use, by id or alias; null or absent for all. */
            readonly models?: readonly string[] | null;
            /**
             * @description What it may do: `inference` sends requests, and cancels, reprices and deletes what the key made; `read_own` reads what it made;
             *     `read_all` reads all of the account; `manage` changes the account's defaults, and what other keys made. Absent: `inference` and
             *     `read_own`. Null: all four, or those two for a key with a budget or a list of models.
             */
            readonly scopes?: readonly ("inference" | "read_own" | "read_all" | "manage")[] | null;
            /** @description The addresses and networks, such as `203.0.113.0/24`, from which it may be used; null or absent for anywhere. */
            readonly addresses?: readonly string[] | null;
            /** @description The e-mail of the member of the account with whom it ends; null or absent for none. */
            readonly member?: string | null;
            /** @description What a request that names no limit gets as its own, by market model, USD per 1M input tokens at the reference mix. */
            readonly price_limits?: {
                readonly [key: string]: number;
            };
            /** @description Refuses requests with names that look like misspelt fields or headers of the gateway; false when absent. */
            readonly strict?: boolean;
        };
        readonly CreatedKey: {
            /** @description Always `key`. */
            readonly object: string;
            readonly key_id: string;
            readonly name: string;
            readonly hint: string;
            /** @description ISO 8601. */
            readonly created_at: string;
            /** @description ISO 8601; null for never. */
            readonly expires_at: string | null;
            /** @description The key itself. It is stored nowhere and cannot be shown again. */
            readonly api_key: string;
        };
        /** @description What is absent stays as it is. */
        readonly KeySettings: {
            readonly name?: string;
            /** @description USD as a decimal, above 0 and at most 1,000,000; null for none. It counts what is submitted from now on. */
            readonly budget_usd?: string | null;
            /**
             * @description Takes effect at once. When the period that it gives began later than the present one, spending begins at 0.
             * @enum {string}
             */
            readonly budget_reset?: "day" | "week" | "month" | "never";
            /** @description A moment in the future; null for never. */
            readonly expires_at?: string | null;
            /** @description By id or alias; null for all. */
            readonly models?: readonly string[] | null;
            /**
             * @description What it may do: `inference` sends requests, and cancels, reprices and deletes what the key made; `read_own` reads what it made;
             *     `read_all` reads all of the account; `manage` changes the account's defaults, and what other keys made. Null: all four, or `inference` and `read_own` for a key with a budget or a list of models.
             */
            readonly scopes?: readonly ("inference" | "read_own" | "read_all" | "manage")[] | null;
            /** @description The addresses and networks, such as `203.0.113.0/24`, from which it may be used; null for anywhere. */
            readonly addresses?: readonly string[] | null;
            /** @description The e-mail of the member of the account with whom it ends; null for none. */
            readonly member?: string | null;
            /** @description Replaces all of those of before. */
            readonly price_limits?: {
                readonly [key: string]: number;
            };
            /** @description Refuses requests with names that look like misspelt fields or headers of the gateway. */
            readonly strict?: boolean;
        };
        readonly Rotation: {
            /** @description For how long the secret of before is accepted beside the new one; up to 30 days. */
            readonly overlap_seconds: number;
        };
        readonly RotatedKey: {
            /** @description Always `key`. */
            readonly object: string;
            readonly key_id: string;
            readonly name: string;
            readonly hint: string;
            /** @description Until when the secret of before is accepted, ISO 8601; null when it is not any more. */
            readonly previous_until: string | null;
            /** @description The new secret. It is stored nowhere and cannot be shown again. */
            readonly api_key: string;
        };
        readonly ListedMember: {
            /** @description Always `member`. */
            readonly object: string;
            readonly member_id: string;
            readonly email: string;
            /** @description `owner`, `developer` or `viewer`. */
            readonly role: string;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly MemberList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["ListedMember"][];
        };
        readonly NewMember: {
            readonly email: string;
            /** @enum {string} */
            readonly role: "owner" | "developer" | "viewer";
        };
        readonly InvitedMember: {
            /** @description Always `member`. */
            readonly object: string;
            readonly member_id: string;
            readonly email: string;
            readonly role: string;
            readonly created_at: string;
            /**
             * @description What signs the member in once. Nothing is mailed; pass it on. Null for a member that has signed in before, unless
             *     the operator invites it.
             */
            readonly link: string | null;
            /** @description ISO 8601; null without a link. */
            readonly expires_at: string | null;
        };
        readonly KnownKey: {
            readonly key_id: string;
            readonly name: string;
            /** @description What the key begins and ends with. */
            readonly hint: string;
        };
        readonly RemovedMember: {
            /** @description Always `removed_member`. */
            readonly object: string;
            readonly member_id: string;
            /**
             * @description Active keys that no member owns and that this one made or rotated, so that it was shown their secrets. They still
             *     work: revoke those that nobody else needs.
             */
            readonly keys: readonly components["schemas"]["KnownKey"][];
        };
        readonly Balance: {
            /** @description Always `balance`. */
            readonly object: string;
            /** Format: double */
            readonly balance_usd: number;
            /**
             * Format: double
             * @description The worst case of the orders that run.
             */
            readonly held_usd: number;
            /**
             * Format: double
             * @description The balance less what is held.
             */
            readonly free_usd: number;
            /**
             * Format: double
             * @description What refunds and disputes of payments are still to take; no order starts from it.
             */
            readonly owed_usd: number;
            /**
             * Format: double
             * @description Charged, less refunds, per day of the last seven; of a younger account per day that it exists, at least one.
             */
            readonly burn_usd_per_day: number;
            /**
             * Format: double
             * @description For how many days what is free lasts at this pace; null while nothing is charged.
             */
            readonly days_left: number | null;
        };
        /** @description A movement of money. */
        readonly Entry: {
            /** @description Always `entry`. */
            readonly object: string;
            readonly entry_id: string;
            /** @description `charge`, `top_up`, `refund`, or `reversal`: what a debit, or a refund or dispute of a payment, took or gave back. */
            readonly kind: string;
            /**
             * Format: double
             * @description What the balance changed by; below 0 for a charge.
             */
            readonly amount_usd: number;
            /** @description The order that was charged or refunded. */
            readonly order_id: string | null;
            /** @description Of a charge. */
            readonly model: string | null;
            /** @description What it was for, such as `payment 01980d3e-…`. */
            readonly reason: string | null;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly EntryList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Entry"][];
            readonly has_more: boolean;
            readonly next_cursor: string | null;
        };
        readonly StatementSums: {
            /** Format: double */
            readonly top_up_usd: number;
            /**
             * Format: double
             * @description At most 0.
             */
            readonly charge_usd: number;
            /** Format: double */
            readonly refund_usd: number;
            /** Format: double */
            readonly reversal_usd: number;
        };
        readonly ModelCharges: {
            readonly model: string;
            readonly requests: number;
            /**
             * Format: double
             * @description At most 0.
             */
            readonly amount_usd: number;
        };
        readonly DayCharges: {
            /** @description A UTC day such as `2026-11-23`. */
            readonly date: string;
            readonly model: string;
            readonly requests: number;
            /**
             * Format: double
             * @description At most 0.
             */
            readonly amount_usd: number;
        };
        readonly Statement: {
            /** @description Always `statement`. */
            readonly object: string;
            /** @description Such as `2026-11`, in UTC. */
            readonly month: string;
            /** @description The month and the end of the id of the account; no other statement has it. */
            readonly number: string;
            /** @description The first day, UTC. */
            readonly from: string;
            /** @description The last day, UTC. */
            readonly to: string;
            /** @description Who issues it, in lines; null where the configuration does not say. */
            readonly issuer: string | null;
            /** @description What the issuer says of tax; null where the configuration has nothing. */
            readonly tax: string | null;
            readonly account_id: string;
            /** @description Of the account. */
            readonly name: string;
            /** @description Whether the month is over. */
            readonly complete: boolean;
            /**
             * Format: double
             * @description The balance when the month began.
             */
            readonly opening_usd: number;
            /**
             * Format: double
             * @description The balance when it ended, or now. It is the opening balance and all sums.
             */
            readonly closing_usd: number;
            readonly sums: components["schemas"]["StatementSums"];
            readonly by_model: readonly components["schemas"]["ModelCharges"][];
            /** @description By day and model. */
            readonly charges: readonly components["schemas"]["DayCharges"][];
            /** @description Those that are no charges, the oldest first; at most 500. */
            readonly entries: readonly components["schemas"]["Entry"][];
            /** @description How many more there are. */
            readonly entries_left_out: number;
        };
        readonly Payment: {
            /** @description Always `payment`. */
            readonly object: string;
            readonly payment_id: string;
            /** @description Always `stripe`. */
            readonly provider: string;
            /** @description Whether automatic top-up began it. */
            readonly automatic: boolean;
            /** @description `open`, `paid`, `expired` or `failed`; only what is paid was credited. */
            readonly status: string;
            /** Format: double */
            readonly amount_usd: number;
            /**
             * Format: double
             * @description What refunds and disputes have taken back since.
             */
            readonly reversed_usd: number;
            /**
             * Format: double
             * @description The part of it that the balance has not covered yet.
             */
            readonly owed_usd: number;
            /** @description ISO 8601. */
            readonly created_at: string;
            /** @description ISO 8601; null until it is paid. */
            readonly paid_at: string | null;
        };
        readonly PaymentList: {
            /** @description Always `list`. */
            readonly object: string;
            /** @description Whether payments can be begun here. */
            readonly enabled: boolean;
            readonly data: readonly components["schemas"]["Payment"][];
        };
        readonly NewPayment: {
            /**
             * Format: double
             * @description In whole cents.
             */
            readonly amount_usd: number;
            /** @description Whether the payer is asked to let automatic top-up use the card; false when absent. */
            readonly save_card?: boolean;
        };
        readonly StartedPayment: {
            /** @description Always `checkout`. */
            readonly object: string;
            readonly payment_id: string;
            /** Format: double */
            readonly amount_usd: number;
            /** @description Where the browser goes next. */
            readonly url: string;
        };
        readonly Alert: {
            /** @description Always `alert`. */
            readonly object: string;
            /** Format: double */
            readonly below_usd: number;
            /** @description ISO 8601, to ten seconds; null while the balance is not below. */
            readonly crossed_at: string | null;
        };
        readonly AlertList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Alert"][];
        };
        readonly AlertsSet: {
            readonly below_usd: readonly number[];
        };
        readonly AutomaticTopUp: {
            /** @description Always `automatic_top_up`. */
            readonly object: string;
            readonly enabled: boolean;
            /**
             * Format: double
             * @description A balance below it begins a payment.
             */
            readonly threshold_usd: number;
            /** Format: double */
            readonly amount_usd: number;
            /** @description Payments in 24 hours. */
            readonly per_day_max: number;
            /**
             * Format: double
             * @description In a calendar month, UTC.
             */
            readonly month_max_usd: number;
            readonly card_saved: boolean;
            /**
             * Format: double
             * @description Automatic payments of this month that are paid or under way.
             */
            readonly used_this_month_usd: number;
            /** @description Why the gateway switched it off, a sentence; null when it did not. */
            readonly off_reason: string | null;
            /** @description ISO 8601. */
            readonly off_at: string | null;
        };
        readonly TopUpWishes: {
            readonly enabled: boolean;
            /**
             * Format: double
             * @description In whole cents.
             */
            readonly threshold_usd: number;
            /**
             * Format: double
             * @description In whole cents.
             */
            readonly amount_usd: number;
            readonly per_day_max: number;
            /**
             * Format: double
             * @description In whole cents; at least `amount_usd`.
             */
            readonly month_max_usd: number;
        };
        /** @description An event of Stripe's API, which describes it. */
        readonly StripeEvent: {
            readonly [key: string]: unknown;
        };
        readonly HandledEvent: {
            /** @description Always `payment_event`. */
            readonly object: string;
            /**
             * @description `credited`, `saved` (a card for automatic top-up), `ended` (the payment was not made), `taken` and `returned` (a refund or dispute), `waiting` (it is about
             *     a payment that is not known yet), `repeated`, `ignored` (nothing here is about it) or `refused`.
             */
            readonly outcome: string;
            readonly reason: string | null;
        };
        readonly WatchedPrice: {
            /** @description The id of a market. */
            readonly model: string;
            /**
             * Format: double
             * @description A level, USD per 1M input tokens at the reference mix.
             */
            readonly level_usd: number;
        };
        readonly Webhook: {
            /** @description Always `webhook`. */
            readonly object: string;
            readonly webhook_id: string;
            readonly url: string;
            readonly description: string;
            readonly events: readonly string[];
            readonly all_orders: boolean;
            readonly prices: readonly components["schemas"]["WatchedPrice"][];
            readonly enabled: boolean;
            /** @description Why the gateway disabled it, a sentence; null when it did not. */
            readonly disabled_reason: string | null;
            /** @description When it did, ISO 8601. */
            readonly disabled_at: string | null;
            /** @description Until when the secret of before signs, too, ISO 8601; null when there is none. */
            readonly previous_until: string | null;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly WebhookList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Webhook"][];
            /** @description How many the account may have. */
            readonly webhooks_max: number;
        };
        /** @enum {string} */
        readonly EventName: "order.done" | "order.error" | "order.expired" | "order.canceled" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "balance.low" | "key.budget_reached" | "price.crossed";
        readonly NewWebhook: {
            /** @description An `https://` address of the public internet, or one that the operator allows. */
            readonly url: string;
            readonly description?: string;
            /** @description The events that are sent; `price.crossed` for the levels in `prices`. */
            readonly events: readonly components["schemas"]["EventName"][];
            /**
             * @description Also tell of orders whose caller waits for the answer, and of lines of batches. Without it of detached orders and those
             *     with an Idempotency-Key. False by default.
             */
            readonly all_orders?: boolean;
            readonly prices?: readonly components["schemas"]["WatchedPrice"][];
        };
        readonly SecretWebhook: {
            /** @description Always `webhook_secret`. */
            readonly object: string;
            readonly webhook: components["schemas"]["Webhook"];
            /** @description Signs messages, `whsec_…`; shown only now. */
            readonly secret: string;
        };
        readonly WebhookSettings: {
            readonly url?: string;
            readonly description?: string;
            readonly events?: readonly components["schemas"]["EventName"][];
            readonly all_orders?: boolean;
            readonly prices?: readonly components["schemas"]["WatchedPrice"][];
            /** @description True after it was disabled sends its undelivered messages that are still kept. */
            readonly enabled?: boolean;
        };
        readonly WebhookRotation: {
            /** @description For how long the secret of before signs beside the new one; up to 30 days. */
            readonly overlap_seconds: number;
        };
        readonly WebhookDelivery: {
            /** @description Always `webhook_delivery`. */
            readonly object: string;
            /** @description The `webhook-id` of the message. */
            readonly event_id: string;
            readonly type: string;
            /** @description The id of the subject of the event. Messages of one subject are sent in their order. */
            readonly subject: string;
            /** @description What the message is about, by the name of its model, key or pod; null where that has only an id. */
            readonly about: string | null;
            /** @description `delivered`; `waiting`, for the first attempt or its turn; or `failing`, to be tried again. */
            readonly status: string;
            readonly attempts: number;
            /** @description ISO 8601, as the other times. */
            readonly created_at: string;
            readonly last_at: string | null;
            /** @description The status of the last answer; null where there was none. */
            readonly last_status: number | null;
            /** @description Why the last attempt does not count as delivered, a sentence. */
            readonly last_error: string | null;
            /** @description When it is tried next; null when it is delivered. */
            readonly next_at: string | null;
        };
        readonly DeliveryList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["WebhookDelivery"][];
        };
        readonly AlertRule: {
            /** @description Always `alert_rule`. */
            readonly object: string;
            readonly alert_id: string;
            /** @description `price`, `balance`, `budget` or `errors`. */
            readonly subject: string;
            /** @description The market of a price. */
            readonly model: string | null;
            /** @description The key of a budget. */
            readonly key_id: string | null;
            /** @description `above` or `below`. */
            readonly direction: string;
            /**
             * Format: double
             * @description USD for a price, per 1M input tokens at the reference mix, and for a balance; otherwise a share from 0 to 1.
             */
            readonly bound: number;
            readonly target_id: string;
            readonly paused: boolean;
            /** @description Whether the condition holds, or has not been over for five minutes. */
            readonly firing: boolean;
            /** @description When that changed last or was first found, ISO 8601; null until the first check. */
            readonly since: string | null;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly AlertRuleList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["AlertRule"][];
            /** @description How many the account may have. */
            readonly rules_max: number;
        };
        readonly NewAlertRule: {
            /**
             * @description The level of a market; the balance; the share of a key's budget that is spent; or the share of orders that fail, among
             *     the newest 1,000 of the last 15 minutes, where at least 10 have ended.
             * @enum {string}
             */
            readonly subject: "price" | "balance" | "budget" | "errors";
            /** @description The id of a market; for a price only. */
            readonly model?: string;
            /** @description A key with a budget; for a budget only. */
            readonly key_id?: string;
            /**
             * @description For a price only. A balance is watched below its bound, shares at or above it.
             * @enum {string}
             */
            readonly direction?: "above" | "below";
            /** Format: double */
            readonly bound: number;
            /** @description A target, or a webhook. */
            readonly target_id: string;
        };
        readonly AlertRuleSettings: {
            readonly paused: boolean;
        };
        readonly AlertTarget: {
            /** @description Always `alert_target`. */
            readonly object: string;
            /** @description Of a webhook its `webhook_id`. */
            readonly target_id: string;
            /** @description `webhook`, `slack` or `mail`. */
            readonly channel: string;
            /** @description Of a Slack address only the host and the last four characters. */
            readonly address: string;
            /** @description False for an e-mail address that nobody has confirmed, or whose mails were stopped. */
            readonly confirmed: boolean;
            readonly enabled: boolean;
            /** @description Why the gateway disabled it, a sentence; null when it did not. */
            readonly disabled_reason: string | null;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly AlertTargetList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["AlertTarget"][];
            /** @description Whether this gateway sends mail. */
            readonly mail: boolean;
        };
        readonly NewAlertTarget: {
            /** @enum {string} */
            readonly channel: "slack" | "mail";
            /** @description The address of an incoming webhook of Slack, or an e-mail address. */
            readonly address: string;
        };
        readonly MailLinkChange: {
            /** @description What follows `#/mail/` in the address that the mail names. */
            readonly link: string;
            readonly subscribed: boolean;
        };
        readonly MailLink: {
            /** @description Always `mail_link`. */
            readonly object: string;
            readonly subscribed: boolean;
        };
        readonly Storage: {
            /** @description Always `storage`. */
            readonly object: string;
            /** @description For how many days results are kept, 0 to 30; requests may ask for less. */
            readonly retention_days: number;
            /** @description Whether what is sent to the model is kept as long as results. The operator of the gateway can read it. */
            readonly log_payloads: boolean;
            /** Format: int64 */
            readonly stored_bytes: number;
            /**
             * Format: int64
             * @description Beyond it the oldest results and files are deleted.
             */
            readonly stored_bytes_max: number;
        };
        readonly StorageChange: {
            readonly retention_days?: number;
            readonly log_payloads?: boolean;
        };
        readonly Cleared: {
            /** @description Always `cleared`. */
            readonly object: string;
            readonly results: number;
            readonly files: number;
            /** @description Logged requests. */
            readonly requests: number;
            /** @description Whether there may be more to delete. */
            readonly more: boolean;
        };
        readonly OwnAccount: {
            /** @description Always `account`. */
            readonly object: string;
            readonly account_id: string;
            readonly name: string;
            /** @description `active`, or `paused` when its owner has suspended the keys. */
            readonly status: string;
        };
        readonly Closing: {
            /** @description The name of the account, so that it is not closed by mistake. */
            readonly name: string;
        };
        /**
         * Format: binary
         * @description JSON Lines, in UTF-8.
         */
        readonly ExportLines: string;
        /** @description How the market chooses `bid`; only on an order that was sent with a `deadline` to a market model. */
        readonly OrderStrategy: {
            /** @description deadline. New ones may come. */
            readonly kind: string;
            /**
             * @description When it is to have started, ISO 8601. A line of a batch may have an earlier one than its batch, to make room for
             *     other lines; it goes on waiting until `expires_at`.
             */
            readonly deadline: string;
            /**
             * Format: double
             * @description The most that it bids, USD per 1M input tokens at the reference mix.
             */
            readonly price_limit: number;
            /**
             * @description Whether it bids its price limit: then even that may not be enough, and only a higher limit could raise the chance
             *     that it starts in time.
             */
            readonly at_limit: boolean;
        };
        /** @description With `include=usage`; null without a usage record. The charge is net of refunds. */
        readonly OrderUsage: {
            /** Format: int64 */
            readonly prompt_tokens: number;
            /** Format: int64 */
            readonly cached_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** Format: double */
            readonly charged_usd: number;
        } | null;
        /** @description USD per 1M tokens of each kind. On a receipt, only for a fixed-price model. */
        readonly TokenPrices: {
            /**
             * Format: double
             * @description Input read from the cache.
             */
            readonly cached: number;
            /**
             * Format: double
             * @description Input that was not in the cache.
             */
            readonly uncached: number;
            /**
             * Format: double
             * @description Output, with reasoning.
             */
            readonly output: number;
        };
        /** @description One priced request. Times are ISO 8601. */
        readonly Order: {
            readonly id: string;
            /** @description queued, executing, done, error, canceled or expired. */
            readonly status: string;
            /**
             * Format: double
             * @description The price at which the order waits, USD per 1M input tokens at the reference mix: its price limit, or the lower
             *     of quote and limit when locked; with a deadline, what the market bids for it at the moment. On a fixed-price
             *     model, its prices at the reference mix.
             */
            readonly bid: number;
            /** @description The endpoint to which it was sent: chat, completion, responses or messages. */
            readonly kind: string;
            readonly model: string;
            readonly created_at: string;
            /** @description When it started to execute; null while queued, also after a requeue. */
            readonly admitted_at: string | null;
            /** @description When it reached its final status. */
            readonly finished_at: string | null;
            /** @description When it leaves the book if it has not started. */
            readonly expires_at: string;
            /**
             * Format: double
             * @description The price charged, the lower of the level at dispatch and the bid; null until admitted.
             */
            readonly level_at_execution: number | null;
            /**
             * Format: int64
             * @description Its position in the book, from 1, while it is queued on a market model; null otherwise.
             */
            readonly queue_position: number | null;
            /**
             * @description Why it ended as error, canceled or expired; null otherwise. client_closed (the caller's connection closed),
             *     gateway_draining, gateway_unavailable, gateway_restarted, account_suspended, order_canceled, order_expired,
             *     capacity_unavailable, insufficient_balance, key_budget_exceeded, context_length_exceeded, model_refused,
             *     model_not_found, prices_changed, input_unreadable, backend_error or internal_error (an error of the gateway).
             *     New ones may come.
             */
            readonly error: string | null;
            readonly strategy?: components["schemas"]["OrderStrategy"];
            /** @description Its tags, each once; absent where it has none. */
            readonly tags?: readonly string[];
            readonly usage?: components["schemas"]["OrderUsage"];
            /** @description With `include=usage`; true where the model reported no token counts and the gateway estimated them, else absent. */
            readonly usage_estimated?: boolean;
            /** @description With `include=pricing`. */
            readonly price_lock?: boolean;
            /** @description With `include=pricing`; market or fixed. */
            readonly pricing?: string;
            /**
             * Format: double
             * @description With `include=pricing`; the most that it is charged, null where the request named none.
             */
            readonly max_charge_usd?: number | null;
            readonly usd_per_million?: components["schemas"]["TokenPrices"];
            /** @description With `include=storage`. */
            readonly result_stored?: boolean;
            /** @description With `include=storage`. */
            readonly result_expires_at?: string | null;
            /** @description With `include=batch`; null outside any batch. */
            readonly batch_id?: string | null;
            /** @description With `include=batch`; null outside any batch. */
            readonly custom_id?: string | null;
        };
        /** @description Queued and executing orders of the filtered set, whatever the status filter. */
        readonly OrderCounts: {
            /** Format: int64 */
            readonly queued: number;
            /** Format: int64 */
            readonly executing: number;
            readonly oldest_queued_at: string | null;
        } | null;
        /**
         * @description A page of orders. The `total_` fields are filled with `include=totals` on the first page and null otherwise;
         *     `counts` is filled with `include=counts` and null otherwise.
         */
        readonly OrderList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Order"][];
            readonly has_more: boolean;
            readonly next_cursor: string | null;
            /** Format: int64 */
            readonly total_orders: number | null;
            /**
             * Format: int64
             * @description Orders that ended as error or expired.
             */
            readonly total_failed: number | null;
            /** Format: double */
            readonly total_charged_usd: number | null;
            /**
             * Format: double
             * @description What the market orders would have cost at their bids; null if there are orders but none of them is a market order.
             */
            readonly total_at_bid_usd: number | null;
            /**
             * Format: double
             * @description That sum less what they did cost; null in the same case.
             */
            readonly total_saved_usd: number | null;
            readonly counts: components["schemas"]["OrderCounts"];
        };
        /** @description What no key is shown of an order. */
        readonly OrderRun: {
            /** @description Null for an order of no key. */
            readonly key_id: string | null;
            /** @description As it is now, also of a key that was revoked. */
            readonly key_name: string | null;
            /** @description When its first token came, ISO 8601; null where none did, and for orders of older gateways. */
            readonly first_token_at: string | null;
            /** @description Net of refunds; null without a charge. */
            readonly charged_usd: number | null;
            /** @description What it would have been charged at its bid; null without a charge. */
            readonly at_bid_usd: number | null;
        };
        readonly MemberOrders: {
            /** @description Always `member_orders`. */
            readonly object: string;
            readonly list: components["schemas"]["OrderList"];
            /** @description How each order of the list ran, in its order. */
            readonly runs: readonly components["schemas"]["OrderRun"][];
        };
        readonly Repricing: {
            /** @description Order ids; duplicates count once. */
            readonly ids: readonly string[];
            /**
             * Format: double
             * @description USD per 1M input tokens at the reference mix.
             */
            readonly price_limit: number;
        };
        readonly RepricedOrder: {
            readonly id: string;
            readonly changed: boolean;
            /**
             * @description Null when changed; not_queued, price_locked, too_large (the balance does not cover its worst case at the lower
             *     of level and new price, as for a new order), max_charge_too_low (its `max_charge_usd` does not cover its input and one
             *     output token at the new price), fixed_price_model, or unavailable (still queued; try again).
             */
            readonly code: string | null;
            /** @description The code as a sentence. */
            readonly reason: string | null;
        };
        readonly RepriceResult: {
            /** @description Always `list`. */
            readonly object: string;
            /**
             * Format: double
             * @description The new price limit, rounded down to whole nano-dollars.
             */
            readonly price_limit: number;
            /** @description How many orders were changed. */
            readonly changed: number;
            readonly data: readonly components["schemas"]["RepricedOrder"][];
        };
        /** @description What it was charged by, as it was when the order was submitted. */
        readonly OrderTariff: {
            /** @description `market`: the numbers are weights; `fixed`: USD per 1M tokens. */
            readonly pricing: string;
            readonly cached: number;
            readonly uncached: number;
            readonly output: number;
        };
        readonly SoldOrderStep: {
            /** @description ISO 8601. */
            readonly at: string;
            /** @description `submitted`, `admitted`, `settled`, or the status in which it ended. */
            readonly what: string;
        };
        /** @description What was charged; null for an order that was not settled. */
        readonly SoldOrderSettlement: {
            readonly prompt_tokens: number;
            readonly cached_tokens: number;
            readonly output_tokens: number;
            /** @description Before refunds. */
            readonly charged_usd: number;
            readonly refunded_usd: number;
            /** @description What it cost above what was held, which nobody pays. */
            readonly written_off_usd: number;
            /** @description What it would have cost at its bid. */
            readonly at_bid_usd: number;
            /** @description Whether the gateway counted the tokens itself, because the pod did not say. */
            readonly estimated: boolean;
        } | null;
        readonly OrderDetails: {
            /** @description Always `order_details`. */
            readonly object: string;
            readonly order: components["schemas"]["Order"];
            readonly run: components["schemas"]["OrderRun"];
            /** @description Null on a fixed-price model. USD per 1M input tokens at the reference mix. */
            readonly price_limit: number | null;
            /** @description How often it was admitted. */
            readonly attempts: number;
            readonly error_message: string | null;
            /** @description What is set aside for it now. */
            readonly hold_usd: number;
            readonly tariff: components["schemas"]["OrderTariff"];
            /** @description What is stored of its life, the earliest first. Of several admissions only the last is. */
            readonly timeline: readonly components["schemas"]["SoldOrderStep"][];
            readonly settlement: components["schemas"]["SoldOrderSettlement"];
            /** @description The token of the public link to its receipt; null while there is none. */
            readonly receipt_token: string | null;
        };
        /** @description The published level at which the order was admitted; null on fixed prices, and when it is no longer kept. */
        readonly ReceiptLevel: {
            /**
             * Format: int64
             * @description Levels of a market are numbered from 1.
             */
            readonly number: number;
            /** Format: int64 */
            readonly level_nano_usd: number;
            /**
             * Format: int64
             * @description When it was published, in epoch milliseconds.
             */
            readonly at_ms: number;
            /** @description The hash of the row before; null when it is not known. */
            readonly previous: string | null;
            /** @description The hash of this row in `GET /v1/market/ledger`; null for a row of before there were hashes. */
            readonly hash: string | null;
        } | null;
        /** @description The quote that a lock relied on; null for any other order, and when it is no longer kept. */
        readonly ReceiptQuote: {
            /**
             * Format: int64
             * @description Quotes of a market are numbered from 1.
             */
            readonly number: number;
            /** Format: int64 */
            readonly price_nano_usd: number;
            /**
             * Format: int64
             * @description When its window began, in epoch milliseconds.
             */
            readonly from_ms: number;
            /**
             * Format: int64
             * @description When its window ended.
             */
            readonly until_ms: number;
            /** @description The hash of the row before; null when it is not known. */
            readonly previous: string | null;
            /** @description The hash of this row in `GET /v1/market/ledger`; null for a row of before there were hashes. */
            readonly hash: string | null;
        } | null;
        /**
         * @description The payload of the JWS. Amounts are whole nano-dollars (10⁻⁹ USD) and prices nano-dollars per 1M input tokens at the
         *     reference mix, so that the charge can be recomputed exactly.
         */
        readonly ReceiptClaims: {
            /** @description The issuer, as `GET /.well-known/jwks.json` names it. */
            readonly iss: string;
            /**
             * Format: int64
             * @description When the order was settled, in epoch seconds.
             */
            readonly iat: number;
            readonly order_id: string;
            /** @description chat, completion, responses or messages. */
            readonly kind: string;
            readonly model: string;
            readonly created_at: string;
            readonly admitted_at: string | null;
            readonly settled_at: string;
            /**
             * @description `market:CACHED:UNCACHED:OUTPUT` with the weights of the three kinds of token, or `fixed:…` with their prices in
             *     nano-dollars per 1M tokens, under which the order was submitted. Weights are in units of 10⁻⁹.
             */
            readonly tariff: string;
            /**
             * Format: int64
             * @description The price charged, `level_at_execution`.
             */
            readonly level_nano_usd: number;
            /** Format: int64 */
            readonly bid_nano_usd: number;
            /** Format: int64 */
            readonly prompt_tokens: number;
            /**
             * Format: int64
             * @description Part of `prompt_tokens`.
             */
            readonly cached_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** @description Whether the gateway counted the tokens, because the model reported none. */
            readonly estimated: boolean;
            /**
             * Format: int64
             * @description What was debited, before refunds.
             */
            readonly charged_nano_usd: number;
            /**
             * Format: int64
             * @description What the tokens cost beyond that, and nobody paid.
             */
            readonly written_off_nano_usd: number;
            /**
             * Format: int64
             * @description The most that the request was to be charged; null where it named none, absent in receipts of older gateways. What
             *     its tokens cost beyond it is written off.
             */
            readonly max_charge_nano_usd?: number | null;
            readonly level_row: components["schemas"]["ReceiptLevel"];
            readonly quote_window: components["schemas"]["ReceiptQuote"];
        };
        readonly SignedReceipt: {
            /** @description The order's id. */
            readonly id: string;
            /** @description order.receipt. */
            readonly object: string;
            /**
             * @description The JWS, in its compact form. Its header has `alg` EdDSA, `typ` sluice-receipt+jws and the `kid` of a key in
             *     `GET /.well-known/jwks.json`.
             */
            readonly jws: string;
            readonly receipt: components["schemas"]["ReceiptClaims"];
        };
        /** @description A logged request. */
        readonly SoldOrderRequest: {
            /** @description Always `order_request`. */
            readonly object: string;
            readonly order_id: string;
            readonly account_id: string;
            /** @description When it is deleted, ISO 8601. */
            readonly expires_at: string;
            /** @description What the model was sent, plus `user`, `metadata` and the like, which are not sent to it. */
            readonly body: {
                readonly [key: string]: unknown;
            };
        };
        readonly ReceiptLink: {
            /** @description Always `receipt_link`. */
            readonly object: string;
            /** @description What `GET /v1/receipts/{token}` takes. */
            readonly token: string;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly CanceledOrder: {
            readonly id: string;
            /** @description Always `canceled`. */
            readonly status: string;
        };
        readonly BatchError: {
            /** @description Always `batch_error`. */
            readonly code: string;
            /** @description Names the line where there is one. */
            readonly message: string;
        };
        /** @description Why validation failed; null otherwise. */
        readonly BatchErrors: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["BatchError"][];
        } | null;
        readonly BatchCounts: {
            readonly total: number;
            readonly completed: number;
            /** @description With expired and cancelled lines. */
            readonly failed: number;
        };
        /** @description As sent; null when absent. */
        readonly BatchMetadata: {
            readonly [key: string]: string;
        } | null;
        readonly BatchMarket: {
            /** @description Queued and executing lines. */
            readonly active: number;
            /** @description Finished lines that are not in a file yet. */
            readonly pending_result: number;
            readonly expired: number;
            readonly canceled: number;
            /**
             * Format: double
             * @description The batch's own price limit.
             */
            readonly bid: number | null;
            /**
             * Format: int64
             * @description When every line must have started, epoch seconds; null for a batch without a `deadline`.
             */
            readonly deadline: number | null;
        };
        /** @description How long the output file is kept. */
        readonly BatchRetention: {
            readonly output_days: number;
            /**
             * Format: int64
             * @description Epoch seconds; null until there is an output.
             */
            readonly output_expires_at: number | null;
            readonly output_deleted: boolean;
        };
        /** @description Times are epoch seconds, null for what has not happened yet. */
        readonly Batch: {
            /** @description `batch_` and 24 characters. */
            readonly id: string;
            /** @description Always `batch`. */
            readonly object: string;
            readonly endpoint: string;
            /** @description validating, in_progress, cancelling, completed, expired, cancelled or failed. */
            readonly status: string;
            readonly input_file_id: string;
            /** @description The file with the answers; null until the batch has finished, and when there are none. */
            readonly output_file_id: string | null;
            /** @description The file with the lines that have no answer; null in the same cases. */
            readonly error_file_id: string | null;
            readonly errors: components["schemas"]["BatchErrors"];
            /** @description Always `24h`; `expires_at` says when lines really expire. */
            readonly completion_window: string;
            /** Format: int64 */
            readonly created_at: number;
            /**
             * Format: int64
             * @description When its lines began to run, epoch seconds; null until then.
             */
            readonly in_progress_at: number | null;
            /**
             * Format: int64
             * @description When its last line ended, epoch seconds; null until then.
             */
            readonly finalizing_at: number | null;
            /** Format: int64 */
            readonly completed_at: number | null;
            /**
             * Format: int64
             * @description When its file was found to be wrong, epoch seconds; null until then.
             */
            readonly failed_at: number | null;
            /**
             * Format: int64
             * @description When its time was over, epoch seconds; null until then.
             */
            readonly expired_at: number | null;
            /**
             * Format: int64
             * @description When it was canceled, epoch seconds; null until then.
             */
            readonly cancelling_at: number | null;
            /**
             * Format: int64
             * @description When its last line had ended after that, epoch seconds; null until then.
             */
            readonly cancelled_at: number | null;
            /**
             * Format: int64
             * @description When lines that still wait expire; the `deadline` of a batch that has one.
             */
            readonly expires_at: number;
            readonly request_counts: components["schemas"]["BatchCounts"];
            readonly metadata: components["schemas"]["BatchMetadata"];
            /** @description The tags of lines that have none of their own; absent where the batch was created without. */
            readonly tags?: readonly string[];
            readonly x_market: components["schemas"]["BatchMarket"];
            readonly x_retention: components["schemas"]["BatchRetention"];
        };
        readonly BatchList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Batch"][];
            readonly first_id: string | null;
            readonly last_id: string | null;
            readonly has_more: boolean;
        };
        readonly OrderSum: {
            /** @description When the hour or day began, ISO 8601. */
            readonly at: string;
            readonly model: string;
            readonly key_id: string | null;
            /** @description As it is now, also of a key that was revoked. */
            readonly key_name: string | null;
            /** @description Those that each of the orders has. */
            readonly tags: readonly string[];
            /** @description queued, executing, done, error, canceled or expired. */
            readonly status: string;
            readonly orders: number;
            readonly charged_usd: number;
            readonly at_bid_usd: number;
        };
        readonly OrderSums: {
            /** @description Always `list`. */
            readonly object: string;
            /** @description Where the first hour or day begins, ISO 8601. */
            readonly from: string;
            /** @description Up to when orders were looked at, ISO 8601. */
            readonly to: string;
            /** @description How long each hour or day is, in seconds. */
            readonly step_s: number;
            /** @description Whether there are more; the oldest are left out. */
            readonly truncated: boolean;
            readonly data: readonly components["schemas"]["OrderSum"][];
        };
        readonly UsageDay: {
            /** @description Such as `2026-11-23`. */
            readonly day: string;
            readonly model: string;
            /** @description Null for orders of no key. */
            readonly key_id: string | null;
            /** @description As it is now, also of a key that was revoked. */
            readonly key_name: string | null;
            /** @description How many orders were charged. */
            readonly requests: number;
            readonly charged_usd: number;
        };
        readonly UsageDayList: {
            /** @description Always `list`. */
            readonly object: string;
            /** @description The first day (UTC) that was looked at. */
            readonly from: string;
            /** @description The last one. */
            readonly to: string;
            /** @description Whether there are more; the oldest are left out. */
            readonly truncated: boolean;
            readonly data: readonly components["schemas"]["UsageDay"][];
        };
        /** @description The orders of this gateway. */
        readonly OverviewOrders: {
            readonly queued: number;
            readonly executing: number;
        };
        /** @description A pod that gets no orders. */
        readonly OverviewPodOut: {
            readonly model: string;
            /** @description Its id among the pods of the model. */
            readonly pod: string;
            /** @description `unhealthy`, `draining` or `drained`. */
            readonly state: string;
            /** @description Why it is unhealthy; null before its first ping was answered or missed, and while it drains. */
            readonly reason: string | null;
            /** @description Since when, ISO 8601; null before its first ping was answered or missed. */
            readonly since: string | null;
            /**
             * @description What is not earned while it is out: what its model earned a minute in the last day, by the share of its slots in those
             *     that the model has.
             */
            readonly cost_usd_per_minute: number;
        };
        readonly OverviewPods: {
            readonly total: number;
            readonly healthy: number;
            /** @description Those that are healthy and not drained. `GET /console/api/pods` counts in the same way. */
            readonly taking_orders: number;
            /** @description Those that get no orders, in the order of the configuration. */
            readonly out: readonly components["schemas"]["OverviewPodOut"][];
        };
        /** @description What is written to the database. */
        readonly OverviewJournal: {
            /** @description Changes that are not known to be committed. */
            readonly pending: number;
            /** @description How long the commit of the oldest of them has been tried; 0 when nothing is being committed. */
            readonly lag_ms: number;
            /** @description Whether the database does not commit; nothing is admitted then. */
            readonly stalled: boolean;
        };
        readonly OverviewModel: {
            readonly model: string;
            /** @description `market` or `fixed`. */
            readonly pricing: string;
            /** @description Whether it takes no requests yet; its level is simulated. */
            readonly preview: boolean;
            /** @description USD per 1M input tokens at the reference mix; null on a fixed-price model. */
            readonly level: number | null;
            /** @description Whether it has no healthy pod. */
            readonly degraded: boolean;
            /** @description Its orders that wait, of this gateway. */
            readonly queued: number;
            /** @description Its orders that execute, of this gateway. */
            readonly executing: number;
            /** @description Settled since `revenue_from`. */
            readonly requests: number;
            /** @description Earned with them, net of refunds. */
            readonly earned_usd: number;
        };
        readonly OverviewRefusal: {
            /** @description As in the error. */
            readonly code: string;
            readonly requests: number;
        };
        /** @description The gateway that answers, now. */
        readonly Overview: {
            /** @description Always `overview`. */
            readonly object: string;
            readonly version: string;
            /** @description When this was true, ISO 8601. */
            readonly at: string;
            /** @description When this gateway started. */
            readonly started_at: string;
            /** @description What all gateways earned since `revenue_from`, net of refunds, divided by the minutes since. */
            readonly revenue_usd_per_minute: number;
            /** @description The start of the last whole bucket of the statistics. */
            readonly revenue_from: string;
            readonly orders: components["schemas"]["OverviewOrders"];
            readonly pods: components["schemas"]["OverviewPods"];
            /** @description The share of the slots of pods that get orders on which this gateway runs something, 0 to 1; null without such slots. */
            readonly utilisation: number | null;
            readonly journal: components["schemas"]["OverviewJournal"];
            /** @description Whether nothing new may be stored on the disk. */
            readonly disk_low: boolean;
            /** @description The models of the configuration, in its order. */
            readonly models: readonly components["schemas"]["OverviewModel"][];
            /**
             * @description Requests of the API that this gateway answered with an error since it started, by code, the most frequent first; null
             *     where metrics are off, since nothing counts them.
             */
            readonly refusals: readonly components["schemas"]["OverviewRefusal"][] | null;
        };
        /** @description From the admission of an order to its first token. Right to six per cent; null without orders. */
        readonly HistoryFirstToken: {
            readonly median: readonly (number | null)[];
            readonly p95: readonly (number | null)[];
        };
        readonly HistoryLevel: {
            readonly model: string;
            /** @description USD per 1M input tokens at the reference mix; null where no gateway ran. */
            readonly level: readonly (number | null)[];
        };
        readonly HistoryMark: {
            /** @description When it was, ISO 8601. */
            readonly at: string;
            /**
             * @description As the audit log calls it, such as `pod.drain` or `configuration.reload`; `gateway.start` for the start of a gateway,
             *     and `gateway.deploy` where its version is not that of the start before.
             */
            readonly what: string;
            /** @description The e-mail address of the member, or the command line; null for a start. */
            readonly who: string | null;
            /** @description The pod; of a start the version, null if that is not known. */
            readonly subject: string | null;
        };
        /** @description All gateways together. Bin `n`, from 0, begins at `from` plus `n` times `bin_seconds`. */
        readonly History: {
            /** @description Always `history`. */
            readonly object: string;
            /** @description As asked for; `24h` where another was. */
            readonly range: string;
            /** @description When this was true, ISO 8601. */
            readonly at: string;
            /** @description Where the first bin begins, in epoch seconds. */
            readonly from: number;
            readonly bin_seconds: number;
            /** @description How many there are. The last one contains `at`. */
            readonly bins: number;
            /**
             * @description What was earned a minute. In the day and the week it is net of refunds; in the hour it is what was charged, as each
             *     gateway counted it.
             */
            readonly revenue_usd_per_minute: readonly (number | null)[];
            /** @description The mean share of the slots of healthy pods on which something ran, 0 to 1; null without slots. */
            readonly utilisation: readonly (number | null)[];
            /** @description The mean number of orders that waited. */
            readonly queued: readonly (number | null)[];
            /** @description Orders that ended in an error. */
            readonly failed: readonly (number | null)[];
            readonly first_token_ms: components["schemas"]["HistoryFirstToken"];
            /** @description The mean levels of the markets that earned most in the range, at most five, the largest first. */
            readonly levels: readonly components["schemas"]["HistoryLevel"][];
            /** @description What may explain a change of the figures, oldest first; at most 200 changes and 100 starts. */
            readonly marks: readonly components["schemas"]["HistoryMark"][];
        };
        readonly BookBid: {
            /** @description USD per 1M input tokens at the reference mix. */
            readonly price: number;
            readonly orders: number;
        };
        readonly BookTurn: {
            readonly account_id: string;
            readonly waiting: number;
            readonly executing: number;
        };
        /** @description One market as it is now. Numbers are null while the gateway that answers does not own the market, and for a preview. */
        readonly Book: {
            /** @description Always `book`. */
            readonly object: string;
            readonly model: string;
            /** @description Orders that wait for a slot. */
            readonly waiting: number | null;
            /** @description Orders that hold one. */
            readonly executing: number | null;
            /** @description Orders of this gateway that wait for money of their account or key. */
            readonly parked: number | null;
            /** @description Slots of healthy pods. */
            readonly slots: number | null;
            /** @description What the first 1,000 waiting orders bid, the highest first. Empty on a fixed-price model, where accounts take turns. */
            readonly bids: readonly components["schemas"]["BookBid"][];
            /** @description Waiting orders below these. */
            readonly deeper: number | null;
            /**
             * @description On a fixed-price model the first 100 accounts with waiting orders, the one whose turn is next first; empty on a
             *     market.
             */
            readonly turns: readonly components["schemas"]["BookTurn"][];
        };
        /** @description How it ends. */
        readonly ForetoldEnd: {
            /** @description The mean of the last fifth of the time. */
            readonly level: number;
            /** @description Orders that would wait then. */
            readonly waiting: number;
        } | null;
        readonly ForetoldPoint: {
            readonly after_s: number;
            readonly as_it_is: number;
            readonly changed: number;
        };
        readonly ForetoldAssumed: {
            /** @description How long an order runs, on average. */
            readonly run_ms: number;
            /** @description How many orders arrive, of all bids. */
            readonly arrivals_per_minute: number;
        } | null;
        /** @description A market played on from its book, twice. `as_it_is`, `changed` and `assumed` are null while `unknown` says why. */
        readonly Foretold: {
            /** @description Always `foretold_level`. */
            readonly object: string;
            readonly model: string;
            /** @description The level now, USD per 1M input tokens at the reference mix. */
            readonly level: number | null;
            /** @description Slots of healthy pods now. */
            readonly slots: number | null;
            /** @description The slots that were asked about. */
            readonly other_slots: number;
            /**
             * @description `elsewhere` for a preview and while another gateway owns the market; `too_few_orders` while too few orders have ended
             *     to tell how long one runs; null otherwise.
             */
            readonly unknown: string | null;
            /** @description The simulated time; less than ten in a busy market. */
            readonly minutes: number | null;
            readonly as_it_is: components["schemas"]["ForetoldEnd"];
            readonly changed: components["schemas"]["ForetoldEnd"];
            /** @description The level on its way, the mean of several plays. */
            readonly points: readonly components["schemas"]["ForetoldPoint"][];
            readonly assumed: components["schemas"]["ForetoldAssumed"];
            /** @description Waiting orders that were left out, because they bid less than the first 5,000. */
            readonly deeper: number | null;
        };
        /** @description An account, as the operator sees it. */
        readonly SoldTo: {
            /** @description Always `account`. */
            readonly object: string;
            readonly account_id: string;
            readonly name: string;
            /** @description `active`, `suspended` or `deleting`. */
            readonly status: string;
            readonly balance_usd: number;
            /** @description What of the balance is set aside for orders that run. */
            readonly held_usd: number;
            /** @description For how long results are kept. */
            readonly retention_days: number;
            /** @description Whether its requests are kept for the operator. */
            readonly log_payloads: boolean;
            /** @description Whether it is the gateway's own account, for probes. */
            readonly house: boolean;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly SoldToList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["SoldTo"][];
            /**
             * @description Whether there may be more. A search by name looks through some thousand accounts for one page, so that a page can
             *     have few entries, or none, while there are more.
             */
            readonly has_more: boolean;
            readonly next_cursor: string | null;
        };
        readonly NewAccount: {
            /** @description For people. */
            readonly name: string;
            /** @description For how long results are kept; 30 when absent. */
            readonly retention_days?: number;
            /** @description Whether its requests are kept for the operator, for as long as its results; false when absent. */
            readonly log_payloads?: boolean;
        };
        readonly NewTopUp: {
            /** @description USD as a decimal with at most nine decimals, $10 to $10,000. */
            readonly amount_usd: string;
            /** @description Chosen by the caller, one for each intended transfer; a repetition with it moves nothing. */
            readonly idempotency_key: string;
            /** @description Kept with the entry. */
            readonly reason?: string;
            /** @description Allows any amount above 0. */
            readonly force?: boolean;
        };
        /** @description Money that was moved. */
        readonly Transfer: {
            /** @description Always `transfer`. */
            readonly object: string;
            readonly entry_id: string;
            readonly account_id: string;
            /** @description `top_up`, `refund`, or `reversal` for a debit. */
            readonly kind: string;
            readonly amount_usd: number;
            readonly order_id: string | null;
            /** @description After it. */
            readonly balance_usd: number;
            /** @description Whether the idempotency key had moved this before, so that nothing was moved now. */
            readonly repeated: boolean;
        };
        readonly NewRefund: {
            /** @description USD as a decimal with at most nine decimals, above 0. */
            readonly amount_usd: string;
            /** @description Chosen by the caller, one for each intended transfer; a repetition with it moves nothing. */
            readonly idempotency_key: string;
            /** @description Kept with the entry; required without an order. */
            readonly reason?: string;
            /**
             * @description The order that it is for. Its refunds never exceed its charge. Absent for none; the account's refunds never exceed its
             *     charges.
             */
            readonly order_id?: string;
        };
        readonly NewDebit: {
            /** @description USD as a decimal with at most nine decimals, above 0. */
            readonly amount_usd: string;
            /** @description Chosen by the caller, one for each intended transfer; a repetition with it moves nothing. */
            readonly idempotency_key: string;
            /** @description Kept with the entry. */
            readonly reason: string;
        };
        /** @description An order in a list of those of all accounts. */
        readonly ListedSoldOrder: {
            readonly id: string;
            readonly account_id: string;
            readonly account_name: string;
            readonly model: string;
            readonly kind: string;
            readonly status: string;
            readonly created_at: string;
            readonly finished_at: string | null;
            /** @description Net of refunds; null for an order that is not settled. */
            readonly charged_usd: number | null;
        };
        readonly SoldOrders: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["ListedSoldOrder"][];
            readonly has_more: boolean;
            readonly next_cursor: string | null;
        };
        /** @description The receipt, without the most that it was to be charged; null for an order that was not settled. */
        readonly SoldOrderReceipt: {
            readonly order_id: string;
            readonly pricing: string;
            readonly level_at_execution: number;
            readonly bid: number;
            readonly charged_usd: number;
            /** @description True where the gateway counted the tokens itself, else absent. */
            readonly usage_estimated?: boolean;
            readonly usd_per_million?: components["schemas"]["TokenPrices"];
        } | null;
        /** @description An order with everything that is stored about it but its content. Prices are USD per 1M input tokens at the reference mix. */
        readonly SoldOrder: {
            /** @description Always `order`. */
            readonly object: string;
            readonly id: string;
            readonly account_id: string;
            readonly key_id: string | null;
            readonly batch_id: string | null;
            readonly custom_id: string | null;
            /** @description The `x-request-id` of the request that it was; null for a line of a batch, a probe, and orders of earlier versions. */
            readonly request_id: string | null;
            /** @description Its tags; absent where it has none. */
            readonly tags?: readonly string[];
            readonly kind: string;
            readonly model: string;
            readonly status: string;
            /** @description The price at which it waits. */
            readonly bid: number;
            /** @description The caller's own; null on a fixed-price model. */
            readonly price_limit: number | null;
            readonly price_lock: boolean;
            readonly quote_at_submission: number | null;
            /** @description The most tokens that its prompt can have; the hold counts these. */
            readonly prompt_tokens_max: number;
            readonly output_tokens_max: number;
            /** @description What is set aside for it now. */
            readonly hold_usd: number;
            /** @description Where it runs, or ran last. */
            readonly pod: string | null;
            /** @description How often it was admitted. */
            readonly attempts: number;
            /** @description How many of these failed because of a pod. */
            readonly failures: number;
            readonly error: string | null;
            readonly error_message: string | null;
            readonly goes_on_without_caller: boolean;
            /** @description Whether it is a probe of the gateway. */
            readonly house: boolean;
            /** @description `none`, `promised`, `stored` or `deleted`. */
            readonly result: string;
            readonly result_expires_at: string | null;
            /** @description When it leaves the book if it has not started. */
            readonly expires_at: string;
            /** @description What is stored of its life, the earliest first. Of several admissions only the last is. */
            readonly timeline: readonly components["schemas"]["SoldOrderStep"][];
            readonly settlement: components["schemas"]["SoldOrderSettlement"];
            readonly receipt: components["schemas"]["SoldOrderReceipt"];
        };
        /** @description What somebody changed. It never holds a secret. */
        readonly Change: {
            /** @description Always `change`. */
            readonly object: string;
            readonly id: string;
            /** @description ISO 8601. */
            readonly at: string;
            /** @description The e-mail address of a member, or `command line`. */
            readonly who: string;
            /** @description An object and a verb, such as `account.credit`. */
            readonly what: string;
            /** @description The account that is concerned; null for a change that concerns none. */
            readonly account_id: string | null;
            /** @description As it is now. */
            readonly account_name: string | null;
            /** @description The id of what was changed. */
            readonly subject: string;
            /** @description Null for what did not exist. */
            readonly before: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Null for what does not exist any more. */
            readonly after: {
                readonly [key: string]: unknown;
            } | null;
        };
        readonly ChangeList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Change"][];
            readonly has_more: boolean;
            readonly next_cursor: string | null;
        };
        readonly PodSlots: {
            /** @description As an operator set them, or else as its engine allows, or as the file says. */
            readonly configured: number;
            /** @description What is offered now; fewer for a while after the pod answered that it has no room, none while it drains. */
            readonly allowed: number;
            /** @description Attempts of this gateway that run there now. */
            readonly busy: number;
            /** @description The bounds of slots that follow the engine of the pod; null for a fixed number. */
            readonly auto: {
                readonly min: number;
                readonly max: number;
                /** @description Whether its metrics cannot be read, so that it has the fewest slots; the log says why. */
                readonly blind: boolean;
            } | null;
        };
        /** @description Attempts that ended since the gateway started. */
        readonly PodAttempts: {
            readonly answered: number;
            /** @description No connection, a broken answer, or a timeout. */
            readonly failed: number;
            /** @description The pod had no room; the order waits on. */
            readonly full: number;
            /** @description The model refused the request. */
            readonly refused: number;
            /** @description The gateway stopped them, such as for a caller who left. */
            readonly aborted: number;
        };
        readonly Pod: {
            /** @description Always `pod`. */
            readonly object: string;
            readonly model: string;
            /** @description Its id among the pods of the model. */
            readonly pod: string;
            /** @description Where it is; null for a simulated pod. */
            readonly address: string | null;
            /** @description Whether an operator added it while the gateway ran. It is stored in the database, and not in the file. */
            readonly added: boolean;
            /** @description `healthy`, `unhealthy`, `draining`, or `drained` when nothing runs there any more. Only a healthy pod gets orders. */
            readonly state: string;
            /** @description Whether its pings and requests are answered. */
            readonly healthy: boolean;
            /** @description Whether an operator keeps new orders from it. It is drained when nothing runs there any more. */
            readonly draining: boolean;
            /** @description Since when, ISO 8601; null while it is not drained. */
            readonly draining_since: string | null;
            /** @description Why it is healthy or not, as in the log; null before its first ping was answered or missed. */
            readonly reason: string | null;
            /** @description Since when, ISO 8601. */
            readonly since: string | null;
            readonly slots: components["schemas"]["PodSlots"];
            /** @description From the start of an attempt to its first output, averaged over about the last 16 answers; null without any. */
            readonly first_token_ms: number | null;
            /** @description Of one answer from its first output on, averaged in the same way; null without any that reports its tokens. */
            readonly tokens_per_second: number | null;
            readonly attempts: components["schemas"]["PodAttempts"];
            /** @description What the last failed attempt failed of. */
            readonly last_failure: string | null;
        };
        readonly PodList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Pod"][];
        };
        /** @description A pod to add. The fields have the meaning, the bounds and the defaults of those of the configuration file. */
        readonly NewPod: {
            /** @description The id or an alias of the model that it serves. */
            readonly model: string;
            /** @description A name of its own among all pods. */
            readonly pod: string;
            /** @description Where it is, such as `http://10.0.0.5:8000/v1`; `url` in the file. */
            readonly address: string;
            /** @description How many requests it runs at once. */
            readonly slots: number;
            /**
             * @description For slots that follow the engine, the fewest; `slots` is the most. Null for a fixed number.
             * @default null
             */
            readonly slots_min?: number | null;
            /** @description The name of the model there, `model` in the file; the id of the model when absent. */
            readonly served_model?: string;
            /**
             * @description The key that it asks for, which is stored and never shown; null for none.
             * @default null
             */
            readonly api_key?: string | null;
            /**
             * @default merge_leading
             * @enum {string}
             */
            readonly system_policy?: "as_is" | "merge_leading" | "first_only" | "merge_all";
            /**
             * @default max_tokens
             * @enum {string}
             */
            readonly cap_field?: "max_tokens" | "max_completion_tokens";
            /**
             * @default auto
             * @enum {string}
             */
            readonly engine?: "auto" | "vllm" | "sglang" | "llama_cpp" | "mistral" | "kimi" | "deepseek" | "openai";
            /** @default 120000 */
            readonly first_token_timeout_ms?: number;
            /** @default 60000 */
            readonly idle_timeout_ms?: number;
            /** @default 1800000 */
            readonly total_timeout_ms?: number;
            /** @default false */
            readonly continuous_usage?: boolean;
            /** @default false */
            readonly token_per_chunk?: boolean;
        };
        readonly AddedPod: {
            /** @description Always `added_pod`. */
            readonly object: string;
            readonly pod: components["schemas"]["Pod"];
            /** @description Whether its answers to the test call had token counts; without these, charges are estimated. */
            readonly reports_usage: boolean;
            /** @description Whether the same prompt had cached tokens the second time. */
            readonly reports_cached_tokens: boolean;
        };
        readonly PastPod: {
            readonly model: string;
            readonly pod: string;
            /**
             * @description A letter for each bin: `u` up, `p` partly up, `d` down, `o` kept from orders by an operator, `-` not seen by any
             *     gateway.
             */
            readonly states: string;
        };
        /** @description The bins are those of `History`. */
        readonly PodHistory: {
            /** @description Always `pod_history`. */
            readonly object: string;
            readonly range: string;
            readonly at: string;
            /** @description Where the first bin begins, in epoch seconds. */
            readonly from: number;
            readonly bin_seconds: number;
            readonly bins: number;
            /** @description The pods that there are now, in the order of `GET /console/api/pods`. */
            readonly data: readonly components["schemas"]["PastPod"][];
        };
        readonly NewPodSlots: {
            /** @description The most orders at once; null for as many as the file says. */
            readonly slots: number | null;
        };
        /** @description The running audit; null for none. */
        readonly RunningAudit: {
            /** @description ISO 8601. */
            readonly started_at: string;
            /** @description The e-mail address of a member, or `daily`. */
            readonly by: string;
        } | null;
        /** @description Who has explained the finding since; null for nobody. */
        readonly Acknowledgement: {
            /** @description The e-mail address of a member, or `command line`. */
            readonly by: string;
            /** @description ISO 8601. */
            readonly at: string;
            readonly reason: string;
        } | null;
        readonly AuditFinding: {
            /** @description Always `finding`. */
            readonly object: string;
            /** @description The same for the same sentence, in every audit. */
            readonly finding_id: string;
            readonly sentence: string;
            readonly acknowledged: components["schemas"]["Acknowledgement"];
        };
        /** @description The newest completed audit; null before the first. */
        readonly LastAudit: {
            /** @description ISO 8601. */
            readonly started_at: string;
            readonly ended_at: string;
            /** @description The e-mail address of a member, or `daily`. */
            readonly by: string;
            /** @description Whether it had no findings. */
            readonly ok: boolean;
            /** @description How many were checked. */
            readonly accounts: number;
            readonly orders: number;
            /** @description How many findings it left out because they were acknowledged before. */
            readonly acknowledged: number;
            /** @description At most 1,001; the last then counts the others. */
            readonly findings: readonly components["schemas"]["AuditFinding"][];
        } | null;
        /** @description Where audits stand, in all gateways of the database. */
        readonly Audit: {
            /** @description Always `audit`. */
            readonly object: string;
            readonly running: components["schemas"]["RunningAudit"];
            readonly last: components["schemas"]["LastAudit"];
            /** @description When an audit after the last could not be finished, ISO 8601; the log of its gateway says why. */
            readonly failed_at: string | null;
        };
        readonly NewAcknowledgement: {
            readonly finding_id: string;
            /** @description Why it is accepted. It is kept with the finding. */
            readonly reason: string;
        };
        readonly SoldDay: {
            /** @description Such as `2026-11-23`, in UTC. */
            readonly day: string;
            /** @description How many were settled. */
            readonly orders: number;
            /** @description How many of them had their tokens counted by the gateway, because the pod did not say. */
            readonly estimated_orders: number;
            /** @description Before refunds. */
            readonly charged_usd: number;
            /** @description What of it was charged for the estimated ones. */
            readonly estimated_usd: number;
            /** @description What of it was given back since. */
            readonly refunded_usd: number;
            /** @description What the orders cost above what was held, which nobody pays. */
            readonly written_off_usd: number;
        };
        readonly SoldModel: {
            readonly model: string;
            /** @description How many were settled. */
            readonly orders: number;
            /** @description How many of them had their tokens counted by the gateway, because the pod did not say. */
            readonly estimated_orders: number;
            /** @description Before refunds. */
            readonly charged_usd: number;
            /** @description What of it was charged for the estimated ones. */
            readonly estimated_usd: number;
            /** @description What of it was given back since. */
            readonly refunded_usd: number;
            /** @description What the orders cost above what was held, which nobody pays. */
            readonly written_off_usd: number;
        };
        /** @description What was sold, as the last audit counted it. */
        readonly Money: {
            /** @description Always `money`. */
            readonly object: string;
            /** @description When that audit began, ISO 8601; null before the first. */
            readonly as_of: string | null;
            /** @description The last 35 days in UTC, with the one that is not over, the newest first. Days without orders are absent. */
            readonly days: readonly components["schemas"]["SoldDay"][];
            /** @description The same days together, by model. */
            readonly models: readonly components["schemas"]["SoldModel"][];
        };
        /** @description An entry of an account that is no charge. */
        readonly AccountTransfer: {
            /** @description Always `entry`. */
            readonly object: string;
            readonly entry_id: string;
            readonly account_id: string;
            readonly account_name: string;
            /** @description `top_up`, `refund`, or `reversal`: what a debit, or a refund or dispute of a payment, took or gave back. */
            readonly kind: string;
            /** @description What the balance changed by. */
            readonly amount_usd: number;
            /** @description The order that was refunded. */
            readonly order_id: string | null;
            readonly reason: string | null;
            /** @description ISO 8601. */
            readonly created_at: string;
        };
        readonly TransferList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["AccountTransfer"][];
            readonly has_more: boolean;
            readonly next_cursor: string | null;
        };
        readonly AccountDay: {
            /** @description A UTC day such as `2026-11-23`. */
            readonly day: string;
            readonly requests: number;
            /** @description Net of refunds. */
            readonly charged_usd: number;
        };
        readonly AccountDays: {
            /** @description Always `list`. */
            readonly object: string;
            readonly account_id: string;
            /** @description The oldest first; days without charges are left out. */
            readonly data: readonly components["schemas"]["AccountDay"][];
        };
        readonly ConfigurationFile: {
            readonly name: string;
            /** @description `same`, `different`, or `invalid` when a start would refuse it as it is now. */
            readonly state: string;
            /** @description Where an invalid file has its first fault; null where that is no line. */
            readonly line: number | null;
        };
        readonly ConfigurationSetting: {
            /** @description The key in the file, with the id of a model or a pod in brackets, or the variable of the environment. */
            readonly setting: string;
            /** @description As the file spells it; `set` for a secret; null for none. */
            readonly value: string | null;
            /** @description Whether it is what a file gives that does not name it; false for what every file must name. */
            readonly is_default: boolean;
        };
        readonly ConfigurationDifference: {
            readonly setting: string;
            /** @description Null for none, also for a model or a pod that is only in the file. */
            readonly in_force: string | null;
            /** @description Null for none, also for a model or a pod that is not in the file. */
            readonly in_file: string | null;
        };
        /** @description The configuration of one gateway. */
        readonly Configuration: {
            /** @description Always `configuration`. */
            readonly object: string;
            readonly version: string;
            /** @description When this was true, ISO 8601. */
            readonly at: string;
            /** @description When this gateway started. */
            readonly started_at: string;
            readonly file: components["schemas"]["ConfigurationFile"];
            /** @description Every setting in force, also those that the file leaves out. */
            readonly settings: readonly components["schemas"]["ConfigurationSetting"][];
            /** @description What would be another setting with the file as it is now; empty when the file cannot be read. */
            readonly differences: readonly components["schemas"]["ConfigurationDifference"][];
        };
        readonly SettingChange: {
            /** @description Its name in the file, with ids in place of positions, such as `models[tide-70b].floor`; a model or a pod that is new or gone is one setting. */
            readonly setting: string;
            /** @description As it is in force; null where there is none. */
            readonly before: string | null;
            /** @description As the file has it; null where there is none. Secrets are not shown. */
            readonly after: string | null;
        };
        readonly Reload: {
            /** @description Always `reload`. */
            readonly object: string;
            /** @description What the file changes in the running gateway. */
            readonly changed: readonly components["schemas"]["SettingChange"][];
            /** @description What the file says otherwise, and only a restart reads. */
            readonly needs_restart: readonly components["schemas"]["SettingChange"][];
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
         *     `missing_scope`: the operator token lacks the scope in the message.
         *     `identity_refused`: the identity provider says who somebody is, and that is no member here, or has no role.
         *     `account_suspended`: the account gets no new keys and begins no payment. `too_many_keys`: it has as many as it may.
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
        /** @description 429 `rate_limit_error`. Too many requests of this member, attempts from this address or for this e-mail, or pods that are being tried. */
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
        /** @description 401 `sign_in_failed`. The link, the password or the passkey is not valid; nothing says why. */
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
        /** @description 404 `not_found`. This gateway has no identity provider. */
        readonly NoProvider: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 503 `unavailable`. The database or the identity provider does not answer. */
        readonly ProviderOutOfReach: {
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
        /** @description 401 `sign_in_failed`. It is not the answer to what this browser began, or the provider says no. */
        readonly ProviderFailed: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 401 `not_signed_in`, or `sign_in_failed` for a wrong `current_password`, or for what needs a newer session. */
        readonly NotSignedInOrWrong: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 404 `not_found`. The id is malformed or unknown, gone already, or of somebody else. */
        readonly NotYours: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 404 `not_found`. The month has not begun, or is none. */
        readonly NoStatement: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 404 `not_found`. This gateway takes no payments by card. */
        readonly NoPayments: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 503 `unavailable`. The database or the payment provider does not answer. Nothing was charged. */
        readonly PaymentsOutOfReach: {
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
        /** @description 400 `invalid_request`. Not signed by Stripe for this endpoint, or over five minutes ago. */
        readonly BadEvent: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 413 `request_too_large`. A body over 256 KiB. */
        readonly EventTooLarge: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 409 `batch_in_progress`. A batch of the account runs. */
        readonly BatchRuns: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 409 `account_busy`. Orders of the account wait or run. */
        readonly AccountBusy: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 409 `order_not_cancelable` or `batch_not_cancelable`: it runs, or has ended already. `order_not_settled`: nothing was charged for it. */
        readonly NotNow: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 410 `result_unavailable`. The content has expired, or was deleted as the oldest of an account that stores too much. */
        readonly FileGone: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 404 `not_found`. There is nothing with this id. */
        readonly Unknown: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 409 `idempotency_error`. The idempotency key moved another amount, or in another way, before. */
        readonly KeyReused: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 400. A field is wrong, the id or the address is taken, or the pod did not answer; `detail` says what to change. Nothing is stored. */
        readonly WrongPod: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 400 `invalid_request`. The pod is in the configuration file, and removed there. */
        readonly PodOfFile: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotStored"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description 400 `invalid_request`. The configuration file is wrong; `detail` names the line, and nothing has changed. */
        readonly WrongFile: {
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
    parameters: {
        /**
         * @description The `passkey_id` of a passkey.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly PasskeyId: string;
        /**
         * @description The `session_id` of a session.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly SessionId: string;
        /**
         * @description The `key_id` of a key.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly KeyId: string;
        /**
         * @description The `member_id` of a member.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly MemberId: string;
        /**
         * @description `charges` of orders, or `transfers`: every other entry; both when absent.
         * @example transfers
         */
        readonly OnlyEntries: "charges" | "transfers";
        /**
         * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
         * @example 20
         */
        readonly PageLimit: number;
        /** @description The `next_cursor` of the previous page, with the same filters. */
        readonly Cursor: string;
        /**
         * @description A calendar month in UTC.
         * @example 2026-11
         */
        readonly StatementMonth: string;
        /**
         * @description The `webhook_id` of a webhook.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly WebhookId: string;
        /**
         * @description The `event_id` of a message.
         * @example evt_01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly WebhookEventId: string;
        /**
         * @description The `alert_id` of an alert.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly AlertRuleId: string;
        /**
         * @description The `target_id` of a target.
         * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
         */
        readonly AlertTargetId: string;
        /**
         * @description Only orders in one of these statuses. Comma-separated: queued, executing, done, error, canceled and expired.
         * @example queued,executing
         */
        readonly OrderStatus: string;
        /**
         * @description One model, by id or alias.
         * @example tide-70b
         */
        readonly OrderModel: string;
        /**
         * @description Only orders with this tag.
         * @example search
         */
        readonly OrderTag: string;
        /**
         * @description The endpoint to which the orders were sent.
         * @example chat
         */
        readonly OrderKind: "chat" | "completion" | "responses" | "messages";
        /**
         * @description The id of a batch for its lines, or `none` for requests outside any batch.
         * @example none
         */
        readonly OrderBatch: string;
        /**
         * @description An order id or its first characters, in upper or lower case.
         * @example 01980d3e
         */
        readonly OrderIdPrefix: string;
        /**
         * @description Only orders of the key with this `key_id`.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly OfKey: string;
        /**
         * @description Only orders that were charged at least this, in USD. From 0 to 1000000.
         * @example 0.001
         */
        readonly ChargedMin: string;
        /**
         * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
         * @example 2026-11-01
         */
        readonly From: string;
        /**
         * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
         * @example 2026-11-30
         */
        readonly To: string;
        /**
         * @description Additions. `totals` and `counts` fill the aggregates of the page, the others add fields to each order. Comma-separated: usage, pricing, storage, batch, totals and counts.
         * @example usage,totals
         */
        readonly OrderListInclude: string;
        /**
         * @description Orders per page. 100 by default. More than 500 becomes 500; less than 1 or a fraction is 400.
         * @example 100
         */
        readonly OrderLimit: number;
        /**
         * @description The id of an order.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly OrderId: string;
        /** @description The `last_id` of the previous page. The list begins again with the newest when it names nothing of this account that exists, so also when that was deleted since. */
        readonly After: string;
        /**
         * @description The id of a batch.
         * @example batch_6f2e8c1a9b3d5e7f0a1c2b4d
         */
        readonly BatchId: string;
        /**
         * @description The id of a file.
         * @example file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f
         */
        readonly FileId: string;
        /**
         * @description What is summed: `hour` or `day`, in UTC. hour or day. Anything else becomes hour, which the response shows.
         * @example hour
         */
        readonly SumStep: string;
        /**
         * @description The period. 1h, 24h or 7d. Anything else becomes 24h, which the response shows.
         * @example 24h
         */
        readonly PastRange: string;
        /**
         * @description A model by id or alias; the default model when absent.
         * @example tide-70b
         */
        readonly BookModel: string;
        /**
         * @description How many slots there would be in all.
         * @example 112
         */
        readonly OtherSlots: number;
        /**
         * @description The id of an account, the whole e-mail address of a member, or a part of the name in upper or lower case.
         * @example ada
         */
        readonly AccountSearch: string;
        /**
         * @description The `account_id` of an account.
         * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
         */
        readonly AccountId: string;
        /**
         * @description The `key_id` of a key of the account.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly KeyOfAccount: string;
        /**
         * @description The `member_id` of a member of the account.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly MemberOfAccount: string;
        /**
         * @description The `account_id` of an account.
         * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
         */
        readonly OrdersOf: string;
        /**
         * @description The whole id of an order, an `x-request-id`, or the id of a batch, a key or an account: only orders that have it.
         * @example batch_0198a1b2c3d4e5f60718293a
         */
        readonly AnyId: string;
        /**
         * @description The id of an order of any account.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly SoldOrderId: string;
        /**
         * @description The `account_id` of an account, for the changes that concern it; all changes when absent.
         * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
         */
        readonly ChangesOf: string;
        /**
         * @description The `pod` of a pod.
         * @example tide-70b-2
         */
        readonly PodId: string;
    };
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
         * @description What ties the answer to the browser that was asked; the answer must bring it.
         * @example sluice-attempt=3Rk0…; Path=/; HttpOnly; SameSite=Strict; Max-Age=600
         */
        readonly AttemptCookie: string;
        /**
         * @description The name under which a browser saves it.
         * @example attachment; filename="sluice-account.jsonl"
         */
        readonly SavedAs: string;
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
export type SignInPassword = components['schemas']['SignInPassword'];
export type UsedCredential = components['schemas']['UsedCredential'];
export type SignInPasskey = components['schemas']['SignInPasskey'];
export type PasskeyQuestion = components['schemas']['PasskeyQuestion'];
export type NewProviderVisit = components['schemas']['NewProviderVisit'];
export type ProviderVisit = components['schemas']['ProviderVisit'];
export type ProviderAnswer = components['schemas']['ProviderAnswer'];
export type Passkey = components['schemas']['Passkey'];
export type PasskeyList = components['schemas']['PasskeyList'];
export type CreatedCredential = components['schemas']['CreatedCredential'];
export type NewPasskey = components['schemas']['NewPasskey'];
export type PasskeyName = components['schemas']['PasskeyName'];
export type NewPassword = components['schemas']['NewPassword'];
export type ListedSession = components['schemas']['ListedSession'];
export type SessionList = components['schemas']['SessionList'];
export type BudgetOfKey = components['schemas']['BudgetOfKey'];
export type ListedKey = components['schemas']['ListedKey'];
export type KeyList = components['schemas']['KeyList'];
export type NewKey = components['schemas']['NewKey'];
export type CreatedKey = components['schemas']['CreatedKey'];
export type KeySettings = components['schemas']['KeySettings'];
export type Rotation = components['schemas']['Rotation'];
export type RotatedKey = components['schemas']['RotatedKey'];
export type ListedMember = components['schemas']['ListedMember'];
export type MemberList = components['schemas']['MemberList'];
export type NewMember = components['schemas']['NewMember'];
export type InvitedMember = components['schemas']['InvitedMember'];
export type KnownKey = components['schemas']['KnownKey'];
export type RemovedMember = components['schemas']['RemovedMember'];
export type Balance = components['schemas']['Balance'];
export type Entry = components['schemas']['Entry'];
export type EntryList = components['schemas']['EntryList'];
export type StatementSums = components['schemas']['StatementSums'];
export type ModelCharges = components['schemas']['ModelCharges'];
export type DayCharges = components['schemas']['DayCharges'];
export type Statement = components['schemas']['Statement'];
export type Payment = components['schemas']['Payment'];
export type PaymentList = components['schemas']['PaymentList'];
export type NewPayment = components['schemas']['NewPayment'];
export type StartedPayment = components['schemas']['StartedPayment'];
export type Alert = components['schemas']['Alert'];
export type AlertList = components['schemas']['AlertList'];
export type AlertsSet = components['schemas']['AlertsSet'];
export type AutomaticTopUp = components['schemas']['AutomaticTopUp'];
export type TopUpWishes = components['schemas']['TopUpWishes'];
export type StripeEvent = components['schemas']['StripeEvent'];
export type HandledEvent = components['schemas']['HandledEvent'];
export type WatchedPrice = components['schemas']['WatchedPrice'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookList = components['schemas']['WebhookList'];
export type EventName = components['schemas']['EventName'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type SecretWebhook = components['schemas']['SecretWebhook'];
export type WebhookSettings = components['schemas']['WebhookSettings'];
export type WebhookRotation = components['schemas']['WebhookRotation'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type DeliveryList = components['schemas']['DeliveryList'];
export type AlertRule = components['schemas']['AlertRule'];
export type AlertRuleList = components['schemas']['AlertRuleList'];
export type NewAlertRule = components['schemas']['NewAlertRule'];
export type AlertRuleSettings = components['schemas']['AlertRuleSettings'];
export type AlertTarget = components['schemas']['AlertTarget'];
export type AlertTargetList = components['schemas']['AlertTargetList'];
export type NewAlertTarget = components['schemas']['NewAlertTarget'];
export type MailLinkChange = components['schemas']['MailLinkChange'];
export type MailLink = components['schemas']['MailLink'];
export type Storage = components['schemas']['Storage'];
export type StorageChange = components['schemas']['StorageChange'];
export type Cleared = components['schemas']['Cleared'];
export type OwnAccount = components['schemas']['OwnAccount'];
export type Closing = components['schemas']['Closing'];
export type ExportLines = components['schemas']['ExportLines'];
export type OrderStrategy = components['schemas']['OrderStrategy'];
export type OrderUsage = components['schemas']['OrderUsage'];
export type TokenPrices = components['schemas']['TokenPrices'];
export type Order = components['schemas']['Order'];
export type OrderCounts = components['schemas']['OrderCounts'];
export type OrderList = components['schemas']['OrderList'];
export type OrderRun = components['schemas']['OrderRun'];
export type MemberOrders = components['schemas']['MemberOrders'];
export type Repricing = components['schemas']['Repricing'];
export type RepricedOrder = components['schemas']['RepricedOrder'];
export type RepriceResult = components['schemas']['RepriceResult'];
export type OrderTariff = components['schemas']['OrderTariff'];
export type SoldOrderStep = components['schemas']['SoldOrderStep'];
export type SoldOrderSettlement = components['schemas']['SoldOrderSettlement'];
export type OrderDetails = components['schemas']['OrderDetails'];
export type ReceiptLevel = components['schemas']['ReceiptLevel'];
export type ReceiptQuote = components['schemas']['ReceiptQuote'];
export type ReceiptClaims = components['schemas']['ReceiptClaims'];
export type SignedReceipt = components['schemas']['SignedReceipt'];
export type SoldOrderRequest = components['schemas']['SoldOrderRequest'];
export type ReceiptLink = components['schemas']['ReceiptLink'];
export type CanceledOrder = components['schemas']['CanceledOrder'];
export type BatchError = components['schemas']['BatchError'];
export type BatchErrors = components['schemas']['BatchErrors'];
export type BatchCounts = components['schemas']['BatchCounts'];
export type BatchMetadata = components['schemas']['BatchMetadata'];
export type BatchMarket = components['schemas']['BatchMarket'];
export type BatchRetention = components['schemas']['BatchRetention'];
export type Batch = components['schemas']['Batch'];
export type BatchList = components['schemas']['BatchList'];
export type OrderSum = components['schemas']['OrderSum'];
export type OrderSums = components['schemas']['OrderSums'];
export type UsageDay = components['schemas']['UsageDay'];
export type UsageDayList = components['schemas']['UsageDayList'];
export type OverviewOrders = components['schemas']['OverviewOrders'];
export type OverviewPodOut = components['schemas']['OverviewPodOut'];
export type OverviewPods = components['schemas']['OverviewPods'];
export type OverviewJournal = components['schemas']['OverviewJournal'];
export type OverviewModel = components['schemas']['OverviewModel'];
export type OverviewRefusal = components['schemas']['OverviewRefusal'];
export type Overview = components['schemas']['Overview'];
export type HistoryFirstToken = components['schemas']['HistoryFirstToken'];
export type HistoryLevel = components['schemas']['HistoryLevel'];
export type HistoryMark = components['schemas']['HistoryMark'];
export type History = components['schemas']['History'];
export type BookBid = components['schemas']['BookBid'];
export type BookTurn = components['schemas']['BookTurn'];
export type Book = components['schemas']['Book'];
export type ForetoldEnd = components['schemas']['ForetoldEnd'];
export type ForetoldPoint = components['schemas']['ForetoldPoint'];
export type ForetoldAssumed = components['schemas']['ForetoldAssumed'];
export type Foretold = components['schemas']['Foretold'];
export type SoldTo = components['schemas']['SoldTo'];
export type SoldToList = components['schemas']['SoldToList'];
export type NewAccount = components['schemas']['NewAccount'];
export type NewTopUp = components['schemas']['NewTopUp'];
export type Transfer = components['schemas']['Transfer'];
export type NewRefund = components['schemas']['NewRefund'];
export type NewDebit = components['schemas']['NewDebit'];
export type ListedSoldOrder = components['schemas']['ListedSoldOrder'];
export type SoldOrders = components['schemas']['SoldOrders'];
export type SoldOrderReceipt = components['schemas']['SoldOrderReceipt'];
export type SoldOrder = components['schemas']['SoldOrder'];
export type Change = components['schemas']['Change'];
export type ChangeList = components['schemas']['ChangeList'];
export type PodSlots = components['schemas']['PodSlots'];
export type PodAttempts = components['schemas']['PodAttempts'];
export type Pod = components['schemas']['Pod'];
export type PodList = components['schemas']['PodList'];
export type NewPod = components['schemas']['NewPod'];
export type AddedPod = components['schemas']['AddedPod'];
export type PastPod = components['schemas']['PastPod'];
export type PodHistory = components['schemas']['PodHistory'];
export type NewPodSlots = components['schemas']['NewPodSlots'];
export type RunningAudit = components['schemas']['RunningAudit'];
export type Acknowledgement = components['schemas']['Acknowledgement'];
export type AuditFinding = components['schemas']['AuditFinding'];
export type LastAudit = components['schemas']['LastAudit'];
export type Audit = components['schemas']['Audit'];
export type NewAcknowledgement = components['schemas']['NewAcknowledgement'];
export type SoldDay = components['schemas']['SoldDay'];
export type SoldModel = components['schemas']['SoldModel'];
export type Money = components['schemas']['Money'];
export type AccountTransfer = components['schemas']['AccountTransfer'];
export type TransferList = components['schemas']['TransferList'];
export type AccountDay = components['schemas']['AccountDay'];
export type AccountDays = components['schemas']['AccountDays'];
export type ConfigurationFile = components['schemas']['ConfigurationFile'];
export type ConfigurationSetting = components['schemas']['ConfigurationSetting'];
export type ConfigurationDifference = components['schemas']['ConfigurationDifference'];
export type Configuration = components['schemas']['Configuration'];
export type SettingChange = components['schemas']['SettingChange'];
export type Reload = components['schemas']['Reload'];
export type FreeObject = components['schemas']['FreeObject'];
export type OpenapiDocument = components['schemas']['OpenapiDocument'];
export type ResponseNotSignedIn = components['responses']['NotSignedIn'];
export type ResponseMemberForbidden = components['responses']['MemberForbidden'];
export type ResponseTooOften = components['responses']['TooOften'];
export type ResponseOutOfReach = components['responses']['OutOfReach'];
export type ResponseBadForm = components['responses']['BadForm'];
export type ResponseSignInFailed = components['responses']['SignInFailed'];
export type ResponseFormTooLarge = components['responses']['FormTooLarge'];
export type ResponseNoProvider = components['responses']['NoProvider'];
export type ResponseProviderOutOfReach = components['responses']['ProviderOutOfReach'];
export type ResponseProviderFailed = components['responses']['ProviderFailed'];
export type ResponseNotSignedInOrWrong = components['responses']['NotSignedInOrWrong'];
export type ResponseNotYours = components['responses']['NotYours'];
export type ResponseNoStatement = components['responses']['NoStatement'];
export type ResponseNoPayments = components['responses']['NoPayments'];
export type ResponsePaymentsOutOfReach = components['responses']['PaymentsOutOfReach'];
export type ResponseBadEvent = components['responses']['BadEvent'];
export type ResponseEventTooLarge = components['responses']['EventTooLarge'];
export type ResponseBatchRuns = components['responses']['BatchRuns'];
export type ResponseAccountBusy = components['responses']['AccountBusy'];
export type ResponseNotNow = components['responses']['NotNow'];
export type ResponseFileGone = components['responses']['FileGone'];
export type ResponseUnknown = components['responses']['Unknown'];
export type ResponseKeyReused = components['responses']['KeyReused'];
export type ResponseWrongPod = components['responses']['WrongPod'];
export type ResponsePodOfFile = components['responses']['PodOfFile'];
export type ResponseWrongFile = components['responses']['WrongFile'];
export type ParameterPasskeyId = components['parameters']['PasskeyId'];
export type ParameterSessionId = components['parameters']['SessionId'];
export type ParameterKeyId = components['parameters']['KeyId'];
export type ParameterMemberId = components['parameters']['MemberId'];
export type ParameterOnlyEntries = components['parameters']['OnlyEntries'];
export type ParameterPageLimit = components['parameters']['PageLimit'];
export type ParameterCursor = components['parameters']['Cursor'];
export type ParameterStatementMonth = components['parameters']['StatementMonth'];
export type ParameterWebhookId = components['parameters']['WebhookId'];
export type ParameterWebhookEventId = components['parameters']['WebhookEventId'];
export type ParameterAlertRuleId = components['parameters']['AlertRuleId'];
export type ParameterAlertTargetId = components['parameters']['AlertTargetId'];
export type ParameterOrderStatus = components['parameters']['OrderStatus'];
export type ParameterOrderModel = components['parameters']['OrderModel'];
export type ParameterOrderTag = components['parameters']['OrderTag'];
export type ParameterOrderKind = components['parameters']['OrderKind'];
export type ParameterOrderBatch = components['parameters']['OrderBatch'];
export type ParameterOrderIdPrefix = components['parameters']['OrderIdPrefix'];
export type ParameterOfKey = components['parameters']['OfKey'];
export type ParameterChargedMin = components['parameters']['ChargedMin'];
export type ParameterFrom = components['parameters']['From'];
export type ParameterTo = components['parameters']['To'];
export type ParameterOrderListInclude = components['parameters']['OrderListInclude'];
export type ParameterOrderLimit = components['parameters']['OrderLimit'];
export type ParameterOrderId = components['parameters']['OrderId'];
export type ParameterAfter = components['parameters']['After'];
export type ParameterBatchId = components['parameters']['BatchId'];
export type ParameterFileId = components['parameters']['FileId'];
export type ParameterSumStep = components['parameters']['SumStep'];
export type ParameterPastRange = components['parameters']['PastRange'];
export type ParameterBookModel = components['parameters']['BookModel'];
export type ParameterOtherSlots = components['parameters']['OtherSlots'];
export type ParameterAccountSearch = components['parameters']['AccountSearch'];
export type ParameterAccountId = components['parameters']['AccountId'];
export type ParameterKeyOfAccount = components['parameters']['KeyOfAccount'];
export type ParameterMemberOfAccount = components['parameters']['MemberOfAccount'];
export type ParameterOrdersOf = components['parameters']['OrdersOf'];
export type ParameterAnyId = components['parameters']['AnyId'];
export type ParameterSoldOrderId = components['parameters']['SoldOrderId'];
export type ParameterChangesOf = components['parameters']['ChangesOf'];
export type ParameterPodId = components['parameters']['PodId'];
export type HeaderNotStored = components['headers']['NotStored'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type HeaderSessionCookie = components['headers']['SessionCookie'];
export type HeaderAttemptCookie = components['headers']['AttemptCookie'];
export type HeaderSavedAs = components['headers']['SavedAs'];
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
    readonly signInWithPassword: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SignInPassword"];
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
    readonly signInWithPasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SignInPasskey"];
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
    readonly askForSignIn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The question. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "Set-Cookie": components["headers"]["AttemptCookie"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyQuestion"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly startProviderSignIn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewProviderVisit"];
            };
        };
        readonly responses: {
            /** @description Where to go. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "Set-Cookie": components["headers"]["AttemptCookie"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProviderVisit"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NoProvider"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["ProviderOutOfReach"];
        };
    };
    readonly signInWithProvider: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ProviderAnswer"];
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
            readonly 401: components["responses"]["ProviderFailed"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NoProvider"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["ProviderOutOfReach"];
        };
    };
    readonly listPasskeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The passkeys. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly addPasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPasskey"];
            };
        };
        readonly responses: {
            /** @description The passkey. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Passkey"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly askForPasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The question. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasskeyQuestion"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedInOrWrong"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly removePasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `passkey_id` of a passkey.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["PasskeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The passkey is gone. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly renamePasskey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `passkey_id` of a passkey.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["PasskeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PasskeyName"];
            };
        };
        readonly responses: {
            /** @description The passkey. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Passkey"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly setPassword: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPassword"];
            };
        };
        readonly responses: {
            /** @description The password is set. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedInOrWrong"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listSessions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The open sessions. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly revokeSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `session_id` of a session.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["SessionId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session is over. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The active keys. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly createKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewKey"];
            };
        };
        readonly responses: {
            /** @description The new key, shown only now. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedKey"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly revokeKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `key_id` of a key.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key is revoked. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly updateKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `key_id` of a key.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["KeySettings"];
            };
        };
        readonly responses: {
            /** @description The key is changed. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly rotateKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `key_id` of a key.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Rotation"];
            };
        };
        readonly responses: {
            /** @description The key with its new secret, shown only now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RotatedKey"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly openPlayground: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key, which the page keeps in memory only. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreatedKey"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listMembers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The members. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly inviteMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewMember"];
            };
        };
        readonly responses: {
            /** @description The member and its link, shown only now. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitedMember"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly removeMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `member_id` of a member.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["MemberId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The keys that the member knows and that still work. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RemovedMember"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getBalance: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The balance. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Balance"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listEntries: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `charges` of orders, or `transfers`: every other entry; both when absent.
                 * @example transfers
                 */
                readonly only?: components["parameters"]["OnlyEntries"];
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of entries. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EntryList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getStatement: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description A calendar month in UTC.
                 * @example 2026-11
                 */
                readonly month: components["parameters"]["StatementMonth"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The statement. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Statement"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NoStatement"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listPayments: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The payments. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly startCheckout: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPayment"];
            };
        };
        readonly responses: {
            /** @description The payment, and where to pay it. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StartedPayment"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NoPayments"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["PaymentsOutOfReach"];
        };
    };
    readonly listAlerts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alerts, the highest first. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly setAlerts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AlertsSet"];
            };
        };
        readonly responses: {
            /** @description The alerts, as they are now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getAutomaticTopUp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The settings. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AutomaticTopUp"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NoPayments"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly changeAutomaticTopUp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TopUpWishes"];
            };
        };
        readonly responses: {
            /** @description The settings, as they are now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AutomaticTopUp"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NoPayments"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly forgetCard: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is no card. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NoPayments"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["PaymentsOutOfReach"];
        };
    };
    readonly receiveStripeEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The time and the signatures, as Stripe sends them.
                 * @example t=1795426200,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                readonly "stripe-signature": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["StripeEvent"];
            };
        };
        readonly responses: {
            /** @description The outcome of the event. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HandledEvent"];
                };
            };
            readonly 400: components["responses"]["BadEvent"];
            readonly 404: components["responses"]["NoPayments"];
            readonly 413: components["responses"]["EventTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhooks. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewWebhook"];
            };
        };
        readonly responses: {
            /** @description The new webhook with its secret, shown only now. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SecretWebhook"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly removeWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `webhook_id` of a webhook.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["WebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhook is removed. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly updateWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `webhook_id` of a webhook.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["WebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookSettings"];
            };
        };
        readonly responses: {
            /** @description The webhook, as it is now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly rotateWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `webhook_id` of a webhook.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["WebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["WebhookRotation"];
            };
        };
        readonly responses: {
            /** @description The webhook with its new secret, shown only now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SecretWebhook"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly testWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `webhook_id` of a webhook.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["WebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message, as it waits. */
            readonly 202: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listWebhookDeliveries: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `webhook_id` of a webhook.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["WebhookId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The messages, and how they stand. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly resendWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `webhook_id` of a webhook.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["WebhookId"];
                /**
                 * @description The `event_id` of a message.
                 * @example evt_01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly event_id: components["parameters"]["WebhookEventId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message, as it waits. */
            readonly 202: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAlertRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alerts. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertRuleList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly createAlertRule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewAlertRule"];
            };
        };
        readonly responses: {
            /** @description The new alert. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertRule"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly removeAlertRule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `alert_id` of an alert.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AlertRuleId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The alert is removed. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly updateAlertRule: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `alert_id` of an alert.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AlertRuleId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AlertRuleSettings"];
            };
        };
        readonly responses: {
            /** @description The alert, as it is now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertRule"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAlertTargets: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The targets. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertTargetList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly createAlertTarget: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewAlertTarget"];
            };
        };
        readonly responses: {
            /** @description The new target. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertTarget"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly removeAlertTarget: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `target_id` of a target.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AlertTargetId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The target is removed. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly renewAlertTarget: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `target_id` of a target.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AlertTargetId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The target, as it is now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AlertTarget"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly testAlertTarget: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `target_id` of a target.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AlertTargetId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The message, as it waits. */
            readonly 202: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAlertDeliveries: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `target_id` of a target.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AlertTargetId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The messages, and how they stand. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeliveryList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly changeMailLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MailLinkChange"];
            };
        };
        readonly responses: {
            /** @description Whether alerts are sent to the address from now on. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailLink"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getStorage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The settings, and what is stored. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Storage"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly updateStorage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["StorageChange"];
            };
        };
        readonly responses: {
            /** @description The settings, as they are now. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Storage"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly clearStorage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was deleted. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Cleared"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 409: components["responses"]["BatchRuns"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly suspendKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The account. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnAccount"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly resumeKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The account. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnAccount"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly closeAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Closing"];
            };
        };
        readonly responses: {
            /** @description The account is closed, and the session is over. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "Set-Cookie": components["headers"]["SessionCookie"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 409: components["responses"]["AccountBusy"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly exportAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The lines. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "Content-Disposition": components["headers"]["SavedAs"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["ExportLines"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listMemberOrders: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only orders in one of these statuses. Comma-separated: queued, executing, done, error, canceled and expired.
                 * @example queued,executing
                 */
                readonly status?: components["parameters"]["OrderStatus"];
                /**
                 * @description One model, by id or alias.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["OrderModel"];
                /**
                 * @description Only orders with this tag.
                 * @example search
                 */
                readonly tag?: components["parameters"]["OrderTag"];
                /**
                 * @description The endpoint to which the orders were sent.
                 * @example chat
                 */
                readonly kind?: components["parameters"]["OrderKind"];
                /**
                 * @description The id of a batch for its lines, or `none` for requests outside any batch.
                 * @example none
                 */
                readonly batch?: components["parameters"]["OrderBatch"];
                /**
                 * @description An order id or its first characters, in upper or lower case.
                 * @example 01980d3e
                 */
                readonly id?: components["parameters"]["OrderIdPrefix"];
                /**
                 * @description Only orders of the key with this `key_id`.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly key?: components["parameters"]["OfKey"];
                /**
                 * @description Only orders that were charged at least this, in USD. From 0 to 1000000.
                 * @example 0.001
                 */
                readonly charged_min?: components["parameters"]["ChargedMin"];
                /**
                 * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-01
                 */
                readonly from?: components["parameters"]["From"];
                /**
                 * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-30
                 */
                readonly to?: components["parameters"]["To"];
                /**
                 * @description Additions. `totals` and `counts` fill the aggregates of the page, the others add fields to each order. Comma-separated: usage, pricing, storage, batch, totals and counts.
                 * @example usage,totals
                 */
                readonly include?: components["parameters"]["OrderListInclude"];
                /**
                 * @description Orders per page. 100 by default. More than 500 becomes 500; less than 1 or a fraction is 400.
                 * @example 100
                 */
                readonly limit?: components["parameters"]["OrderLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of orders. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberOrders"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly repriceMemberOrders: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Repricing"];
            };
        };
        readonly responses: {
            /** @description The outcome for each order. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RepriceResult"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly showMemberOrder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The order. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrderDetails"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly showMemberReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt, signed and to be read. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedReceipt"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 409: components["responses"]["NotNow"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly showMemberRequest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldOrderRequest"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly shareMemberReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The link. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReceiptLink"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 409: components["responses"]["NotNow"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly revokeMemberReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There is no link. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly cancelMemberOrder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The order is canceled. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CanceledOrder"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 409: components["responses"]["NotNow"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listMemberBatches: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `last_id` of the previous page. The list begins again with the newest when it names nothing of this account that exists, so also when that was deleted since. */
                readonly after?: components["parameters"]["After"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of batches. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BatchList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly cancelMemberBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a batch.
                 * @example batch_6f2e8c1a9b3d5e7f0a1c2b4d
                 */
                readonly id: components["parameters"]["BatchId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The batch, which is being canceled. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Batch"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 409: components["responses"]["NotNow"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getMemberFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a file.
                 * @example file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["FileId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The content, one JSON value per line. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "Content-Disposition": components["headers"]["SavedAs"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/jsonl": string;
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["NotYours"];
            readonly 410: components["responses"]["FileGone"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly sumMemberOrders: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-01
                 */
                readonly from?: components["parameters"]["From"];
                /**
                 * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-30
                 */
                readonly to?: components["parameters"]["To"];
                /**
                 * @description What is summed: `hour` or `day`, in UTC. hour or day. Anything else becomes hour, which the response shows.
                 * @example hour
                 */
                readonly step?: components["parameters"]["SumStep"];
                /**
                 * @description Only orders in one of these statuses. Comma-separated: queued, executing, done, error, canceled and expired.
                 * @example queued,executing
                 */
                readonly status?: components["parameters"]["OrderStatus"];
                /**
                 * @description One model, by id or alias.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["OrderModel"];
                /**
                 * @description Only orders with this tag.
                 * @example search
                 */
                readonly tag?: components["parameters"]["OrderTag"];
                /**
                 * @description Only orders of the key with this `key_id`.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly key?: components["parameters"]["OfKey"];
                /**
                 * @description Only orders that were charged at least this, in USD. From 0 to 1000000.
                 * @example 0.001
                 */
                readonly charged_min?: components["parameters"]["ChargedMin"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description At most 5,000 sums. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrderSums"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listMemberUsage: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-01
                 */
                readonly from?: components["parameters"]["From"];
                /**
                 * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-30
                 */
                readonly to?: components["parameters"]["To"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description At most 5,000 sums. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UsageDayList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getOverview: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The overview. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Overview"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getHistory: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The period. 1h, 24h or 7d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["PastRange"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The figures of each bin, and what was changed meanwhile. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["History"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getBook: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["BookModel"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The book. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Book"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly foretellLevel: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description A model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["BookModel"];
                /**
                 * @description How many slots there would be in all.
                 * @example 112
                 */
                readonly slots: components["parameters"]["OtherSlots"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What would happen. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Foretold"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAccounts: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The id of an account, the whole e-mail address of a member, or a part of the name in upper or lower case.
                 * @example ada
                 */
                readonly search?: components["parameters"]["AccountSearch"];
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of accounts. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldToList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly createAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewAccount"];
            };
        };
        readonly responses: {
            /** @description The new account. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldTo"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly showAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The account. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldTo"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly suspendAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The suspended account. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldTo"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly resumeAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The account. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldTo"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly creditAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewTopUp"];
            };
        };
        readonly responses: {
            /** @description The entry and the balance after it. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transfer"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 409: components["responses"]["KeyReused"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly refundAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewRefund"];
            };
        };
        readonly responses: {
            /** @description The entry and the balance after it. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transfer"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 409: components["responses"]["KeyReused"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly debitAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewDebit"];
            };
        };
        readonly responses: {
            /** @description The entry and the balance after it. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Transfer"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 409: components["responses"]["KeyReused"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAccountKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The active keys. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly revokeAccountKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
                /**
                 * @description The `key_id` of a key of the account.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly key: components["parameters"]["KeyOfAccount"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is revoked. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAccountMembers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The members. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly inviteAccountMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewMember"];
            };
        };
        readonly responses: {
            /** @description The member and its link. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitedMember"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly removeAccountMember: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
                /**
                 * @description The `member_id` of a member of the account.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly member: components["parameters"]["MemberOfAccount"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The keys that the member knows and that still work. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RemovedMember"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAccountOrders: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly account: components["parameters"]["OrdersOf"];
                /**
                 * @description Only orders in one of these statuses. Comma-separated: queued, executing, done, error, canceled and expired.
                 * @example queued,executing
                 */
                readonly status?: components["parameters"]["OrderStatus"];
                /**
                 * @description One model, by id or alias.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["OrderModel"];
                /**
                 * @description Only orders with this tag.
                 * @example search
                 */
                readonly tag?: components["parameters"]["OrderTag"];
                /**
                 * @description The endpoint to which the orders were sent.
                 * @example chat
                 */
                readonly kind?: components["parameters"]["OrderKind"];
                /**
                 * @description The id of a batch for its lines, or `none` for requests outside any batch.
                 * @example none
                 */
                readonly batch?: components["parameters"]["OrderBatch"];
                /**
                 * @description An order id or its first characters, in upper or lower case.
                 * @example 01980d3e
                 */
                readonly id?: components["parameters"]["OrderIdPrefix"];
                /**
                 * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-01
                 */
                readonly from?: components["parameters"]["From"];
                /**
                 * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-30
                 */
                readonly to?: components["parameters"]["To"];
                /**
                 * @description Additions. `totals` and `counts` fill the aggregates of the page, the others add fields to each order. Comma-separated: usage, pricing, storage, batch, totals and counts.
                 * @example usage,totals
                 */
                readonly include?: components["parameters"]["OrderListInclude"];
                /**
                 * @description Orders per page. 100 by default. More than 500 becomes 500; less than 1 or a fraction is 400.
                 * @example 100
                 */
                readonly limit?: components["parameters"]["OrderLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of orders. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrderList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listSoldOrders: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only orders in one of these statuses. Comma-separated: queued, executing, done, error, canceled and expired.
                 * @example queued,executing
                 */
                readonly status?: components["parameters"]["OrderStatus"];
                /**
                 * @description One model, by id or alias.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["OrderModel"];
                /**
                 * @description Only orders with this tag.
                 * @example search
                 */
                readonly tag?: components["parameters"]["OrderTag"];
                /**
                 * @description An order id or its first characters, in upper or lower case.
                 * @example 01980d3e
                 */
                readonly id?: components["parameters"]["OrderIdPrefix"];
                /**
                 * @description The whole id of an order, an `x-request-id`, or the id of a batch, a key or an account: only orders that have it.
                 * @example batch_0198a1b2c3d4e5f60718293a
                 */
                readonly any_id?: components["parameters"]["AnyId"];
                /**
                 * @description Orders per page. 100 by default. More than 500 becomes 500; less than 1 or a fraction is 400.
                 * @example 100
                 */
                readonly limit?: components["parameters"]["OrderLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of orders. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldOrders"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly showOrder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order of any account.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["SoldOrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The order. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldOrder"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly showOrderRequest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order of any account.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["SoldOrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The request. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SoldOrderRequest"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listChanges: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The `account_id` of an account, for the changes that concern it; all changes when absent.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly account?: components["parameters"]["ChangesOf"];
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of changes. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChangeList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listPods: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The pods. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PodList"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly addPod: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPod"];
            };
        };
        readonly responses: {
            /** @description The pod, and what the requests showed. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AddedPod"];
                };
            };
            readonly 400: components["responses"]["WrongPod"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getPodHistory: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The period. 1h, 24h or 7d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["PastRange"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One letter for each bin of each pod. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PodHistory"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly removePod: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `pod` of a pod.
                 * @example tide-70b-2
                 */
                readonly id: components["parameters"]["PodId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is removed. */
            readonly 204: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["PodOfFile"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly drainPod: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `pod` of a pod.
                 * @example tide-70b-2
                 */
                readonly id: components["parameters"]["PodId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The pod. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Pod"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly resumePod: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `pod` of a pod.
                 * @example tide-70b-2
                 */
                readonly id: components["parameters"]["PodId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The pod. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Pod"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly setPodSlots: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `pod` of a pod.
                 * @example tide-70b-2
                 */
                readonly id: components["parameters"]["PodId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewPodSlots"];
            };
        };
        readonly responses: {
            /** @description The pod. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Pod"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getAudit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Where audits stand. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Audit"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly runAudit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One runs now. */
            readonly 202: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Audit"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly acknowledgeFinding: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewAcknowledgement"];
            };
        };
        readonly responses: {
            /** @description The finding. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditFinding"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 413: components["responses"]["FormTooLarge"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getMoney: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The figures. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Money"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listTransfers: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of entries. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TransferList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAccountEntries: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `charges` of orders, or `transfers`: every other entry; both when absent.
                 * @example transfers
                 */
                readonly only?: components["parameters"]["OnlyEntries"];
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of entries. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EntryList"];
                };
            };
            readonly 400: components["responses"]["BadForm"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly listAccountDays: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The `account_id` of an account.
                 * @example 01980d3e-7c5a-7000-8d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["AccountId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The days with charges. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AccountDays"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 404: components["responses"]["Unknown"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly getConfiguration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The configuration of the gateway that answers. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Configuration"];
                };
            };
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
            readonly 429: components["responses"]["TooOften"];
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
    readonly reloadConfiguration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What has changed. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NotStored"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Reload"];
                };
            };
            readonly 400: components["responses"]["WrongFile"];
            readonly 401: components["responses"]["NotSignedIn"];
            readonly 403: components["responses"]["MemberForbidden"];
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
            readonly 503: components["responses"]["OutOfReach"];
        };
    };
}
