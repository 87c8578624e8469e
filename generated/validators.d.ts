// Written by codegen/generate.ts from openapi.yaml (sha256 0acba5877be8dfc4497e2ba039b3d6c5f8856c29f93610249e4c014f12d85efb). Do not edit.
import type { operations } from './types.ts';

/** What was wrong, in ajv's words; `instancePath` is a JSON pointer into the value. */
export interface ValidationError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Tells whether a value has the documented shape. After a refusal `errors` holds what was found first. */
export interface Validator<Shape> {
  (value: unknown): value is Shape;
  errors?: readonly ValidationError[] | null;
}

/** Validators of JSON request bodies, by operationId. */
export declare const requestBodies: {
  readonly "createChatCompletion": Validator<NonNullable<operations['createChatCompletion']['requestBody']>['content']['application/json']>;
  readonly "createCompletion": Validator<NonNullable<operations['createCompletion']['requestBody']>['content']['application/json']>;
  readonly "createResponse": Validator<NonNullable<operations['createResponse']['requestBody']>['content']['application/json']>;
  readonly "createMessage": Validator<NonNullable<operations['createMessage']['requestBody']>['content']['application/json']>;
  readonly "countMessageTokens": Validator<NonNullable<operations['countMessageTokens']['requestBody']>['content']['application/json']>;
  readonly "repriceOrders": Validator<NonNullable<operations['repriceOrders']['requestBody']>['content']['application/json']>;
  readonly "updateAccount": Validator<NonNullable<operations['updateAccount']['requestBody']>['content']['application/json']>;
  readonly "createBatch": Validator<NonNullable<operations['createBatch']['requestBody']>['content']['application/json']>;
};
