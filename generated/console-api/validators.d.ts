// Written by codegen/generate.ts from openapi/console.yaml (sha256 120f4fdd0582d4065a8e979db304439b6a1b63e8d377b35d88bd08b3782ac867). Do not edit.
import type { operations } from './types.ts';

/** An error of ajv; `instancePath` is a JSON pointer into the value. */
export interface ValidationError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Whether a value has the documented shape. After a failure `errors` has the first error. */
export interface Validator<Shape> {
  (value: unknown): value is Shape;
  errors?: readonly ValidationError[] | null;
}

/** Validators of JSON request bodies, by operationId. */
export declare const requestBodies: {
  readonly "signInWithLink": Validator<NonNullable<operations['signInWithLink']['requestBody']>['content']['application/json']>;
  readonly "signInWithPassword": Validator<NonNullable<operations['signInWithPassword']['requestBody']>['content']['application/json']>;
  readonly "signInWithPasskey": Validator<NonNullable<operations['signInWithPasskey']['requestBody']>['content']['application/json']>;
  readonly "startProviderSignIn": Validator<NonNullable<operations['startProviderSignIn']['requestBody']>['content']['application/json']>;
  readonly "signInWithProvider": Validator<NonNullable<operations['signInWithProvider']['requestBody']>['content']['application/json']>;
  readonly "addPasskey": Validator<NonNullable<operations['addPasskey']['requestBody']>['content']['application/json']>;
  readonly "renamePasskey": Validator<NonNullable<operations['renamePasskey']['requestBody']>['content']['application/json']>;
  readonly "setPassword": Validator<NonNullable<operations['setPassword']['requestBody']>['content']['application/json']>;
  readonly "createKey": Validator<NonNullable<operations['createKey']['requestBody']>['content']['application/json']>;
  readonly "updateKey": Validator<NonNullable<operations['updateKey']['requestBody']>['content']['application/json']>;
  readonly "rotateKey": Validator<NonNullable<operations['rotateKey']['requestBody']>['content']['application/json']>;
  readonly "inviteMember": Validator<NonNullable<operations['inviteMember']['requestBody']>['content']['application/json']>;
  readonly "startCheckout": Validator<NonNullable<operations['startCheckout']['requestBody']>['content']['application/json']>;
  readonly "setAlerts": Validator<NonNullable<operations['setAlerts']['requestBody']>['content']['application/json']>;
  readonly "changeAutomaticTopUp": Validator<NonNullable<operations['changeAutomaticTopUp']['requestBody']>['content']['application/json']>;
  readonly "receiveStripeEvent": Validator<NonNullable<operations['receiveStripeEvent']['requestBody']>['content']['application/json']>;
  readonly "createWebhook": Validator<NonNullable<operations['createWebhook']['requestBody']>['content']['application/json']>;
  readonly "updateWebhook": Validator<NonNullable<operations['updateWebhook']['requestBody']>['content']['application/json']>;
  readonly "rotateWebhook": Validator<NonNullable<operations['rotateWebhook']['requestBody']>['content']['application/json']>;
  readonly "createAlertRule": Validator<NonNullable<operations['createAlertRule']['requestBody']>['content']['application/json']>;
  readonly "updateAlertRule": Validator<NonNullable<operations['updateAlertRule']['requestBody']>['content']['application/json']>;
  readonly "createAlertTarget": Validator<NonNullable<operations['createAlertTarget']['requestBody']>['content']['application/json']>;
  readonly "changeMailLink": Validator<NonNullable<operations['changeMailLink']['requestBody']>['content']['application/json']>;
  readonly "updateStorage": Validator<NonNullable<operations['updateStorage']['requestBody']>['content']['application/json']>;
  readonly "closeAccount": Validator<NonNullable<operations['closeAccount']['requestBody']>['content']['application/json']>;
  readonly "repriceMemberOrders": Validator<NonNullable<operations['repriceMemberOrders']['requestBody']>['content']['application/json']>;
  readonly "createAccount": Validator<NonNullable<operations['createAccount']['requestBody']>['content']['application/json']>;
  readonly "creditAccount": Validator<NonNullable<operations['creditAccount']['requestBody']>['content']['application/json']>;
  readonly "refundAccount": Validator<NonNullable<operations['refundAccount']['requestBody']>['content']['application/json']>;
  readonly "debitAccount": Validator<NonNullable<operations['debitAccount']['requestBody']>['content']['application/json']>;
  readonly "inviteAccountMember": Validator<NonNullable<operations['inviteAccountMember']['requestBody']>['content']['application/json']>;
  readonly "addPod": Validator<NonNullable<operations['addPod']['requestBody']>['content']['application/json']>;
  readonly "setPodSlots": Validator<NonNullable<operations['setPodSlots']['requestBody']>['content']['application/json']>;
  readonly "acknowledgeFinding": Validator<NonNullable<operations['acknowledgeFinding']['requestBody']>['content']['application/json']>;
};
