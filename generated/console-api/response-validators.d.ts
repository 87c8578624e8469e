// Written by codegen/generate.ts from openapi/console.yaml (sha256 a6d05461bf24a1ce3b739d1a86711bf8d7ca75e16aad52299909140a5d0e5d1c). Do not edit.
import type { components, operations } from './types.ts';
import type { Validator } from './validators.js';

/** Validators of JSON responses, by `operationId status`. */
export declare const responseBodies: {
  readonly "getSession 200": Validator<operations['getSession']['responses'][200]['content']['application/json']>;
  readonly "getSession 401": Validator<operations['getSession']['responses'][401]['content']['application/problem+json']>;
  readonly "getSession 403": Validator<operations['getSession']['responses'][403]['content']['application/problem+json']>;
  readonly "getSession 429": Validator<operations['getSession']['responses'][429]['content']['application/problem+json']>;
  readonly "getSession 503": Validator<operations['getSession']['responses'][503]['content']['application/problem+json']>;
  readonly "signOut 401": Validator<operations['signOut']['responses'][401]['content']['application/problem+json']>;
  readonly "signOut 403": Validator<operations['signOut']['responses'][403]['content']['application/problem+json']>;
  readonly "signOut 429": Validator<operations['signOut']['responses'][429]['content']['application/problem+json']>;
  readonly "signOut 503": Validator<operations['signOut']['responses'][503]['content']['application/problem+json']>;
  readonly "signInWithLink 200": Validator<operations['signInWithLink']['responses'][200]['content']['application/json']>;
  readonly "signInWithLink 400": Validator<operations['signInWithLink']['responses'][400]['content']['application/problem+json']>;
  readonly "signInWithLink 401": Validator<operations['signInWithLink']['responses'][401]['content']['application/problem+json']>;
  readonly "signInWithLink 403": Validator<operations['signInWithLink']['responses'][403]['content']['application/problem+json']>;
  readonly "signInWithLink 413": Validator<operations['signInWithLink']['responses'][413]['content']['application/problem+json']>;
  readonly "signInWithLink 429": Validator<operations['signInWithLink']['responses'][429]['content']['application/problem+json']>;
  readonly "signInWithLink 503": Validator<operations['signInWithLink']['responses'][503]['content']['application/problem+json']>;
  readonly "signInWithPassword 200": Validator<operations['signInWithPassword']['responses'][200]['content']['application/json']>;
  readonly "signInWithPassword 400": Validator<operations['signInWithPassword']['responses'][400]['content']['application/problem+json']>;
  readonly "signInWithPassword 401": Validator<operations['signInWithPassword']['responses'][401]['content']['application/problem+json']>;
  readonly "signInWithPassword 403": Validator<operations['signInWithPassword']['responses'][403]['content']['application/problem+json']>;
  readonly "signInWithPassword 413": Validator<operations['signInWithPassword']['responses'][413]['content']['application/problem+json']>;
  readonly "signInWithPassword 429": Validator<operations['signInWithPassword']['responses'][429]['content']['application/problem+json']>;
  readonly "signInWithPassword 503": Validator<operations['signInWithPassword']['responses'][503]['content']['application/problem+json']>;
  readonly "setPassword 400": Validator<operations['setPassword']['responses'][400]['content']['application/problem+json']>;
  readonly "setPassword 401": Validator<operations['setPassword']['responses'][401]['content']['application/problem+json']>;
  readonly "setPassword 403": Validator<operations['setPassword']['responses'][403]['content']['application/problem+json']>;
  readonly "setPassword 413": Validator<operations['setPassword']['responses'][413]['content']['application/problem+json']>;
  readonly "setPassword 429": Validator<operations['setPassword']['responses'][429]['content']['application/problem+json']>;
  readonly "setPassword 503": Validator<operations['setPassword']['responses'][503]['content']['application/problem+json']>;
  readonly "listSessions 200": Validator<operations['listSessions']['responses'][200]['content']['application/json']>;
  readonly "listSessions 401": Validator<operations['listSessions']['responses'][401]['content']['application/problem+json']>;
  readonly "listSessions 403": Validator<operations['listSessions']['responses'][403]['content']['application/problem+json']>;
  readonly "listSessions 429": Validator<operations['listSessions']['responses'][429]['content']['application/problem+json']>;
  readonly "listSessions 503": Validator<operations['listSessions']['responses'][503]['content']['application/problem+json']>;
  readonly "revokeSession 401": Validator<operations['revokeSession']['responses'][401]['content']['application/problem+json']>;
  readonly "revokeSession 403": Validator<operations['revokeSession']['responses'][403]['content']['application/problem+json']>;
  readonly "revokeSession 404": Validator<operations['revokeSession']['responses'][404]['content']['application/problem+json']>;
  readonly "revokeSession 429": Validator<operations['revokeSession']['responses'][429]['content']['application/problem+json']>;
  readonly "revokeSession 503": Validator<operations['revokeSession']['responses'][503]['content']['application/problem+json']>;
  readonly "listKeys 200": Validator<operations['listKeys']['responses'][200]['content']['application/json']>;
  readonly "listKeys 401": Validator<operations['listKeys']['responses'][401]['content']['application/problem+json']>;
  readonly "listKeys 403": Validator<operations['listKeys']['responses'][403]['content']['application/problem+json']>;
  readonly "listKeys 429": Validator<operations['listKeys']['responses'][429]['content']['application/problem+json']>;
  readonly "listKeys 503": Validator<operations['listKeys']['responses'][503]['content']['application/problem+json']>;
  readonly "createKey 201": Validator<operations['createKey']['responses'][201]['content']['application/json']>;
  readonly "createKey 400": Validator<operations['createKey']['responses'][400]['content']['application/problem+json']>;
  readonly "createKey 401": Validator<operations['createKey']['responses'][401]['content']['application/problem+json']>;
  readonly "createKey 403": Validator<operations['createKey']['responses'][403]['content']['application/problem+json']>;
  readonly "createKey 413": Validator<operations['createKey']['responses'][413]['content']['application/problem+json']>;
  readonly "createKey 429": Validator<operations['createKey']['responses'][429]['content']['application/problem+json']>;
  readonly "createKey 503": Validator<operations['createKey']['responses'][503]['content']['application/problem+json']>;
  readonly "revokeKey 401": Validator<operations['revokeKey']['responses'][401]['content']['application/problem+json']>;
  readonly "revokeKey 403": Validator<operations['revokeKey']['responses'][403]['content']['application/problem+json']>;
  readonly "revokeKey 404": Validator<operations['revokeKey']['responses'][404]['content']['application/problem+json']>;
  readonly "revokeKey 429": Validator<operations['revokeKey']['responses'][429]['content']['application/problem+json']>;
  readonly "revokeKey 503": Validator<operations['revokeKey']['responses'][503]['content']['application/problem+json']>;
  readonly "getBalance 200": Validator<operations['getBalance']['responses'][200]['content']['application/json']>;
  readonly "getBalance 401": Validator<operations['getBalance']['responses'][401]['content']['application/problem+json']>;
  readonly "getBalance 403": Validator<operations['getBalance']['responses'][403]['content']['application/problem+json']>;
  readonly "getBalance 429": Validator<operations['getBalance']['responses'][429]['content']['application/problem+json']>;
  readonly "getBalance 503": Validator<operations['getBalance']['responses'][503]['content']['application/problem+json']>;
  readonly "listMemberOrders 200": Validator<operations['listMemberOrders']['responses'][200]['content']['application/json']>;
  readonly "listMemberOrders 400": Validator<operations['listMemberOrders']['responses'][400]['content']['application/problem+json']>;
  readonly "listMemberOrders 401": Validator<operations['listMemberOrders']['responses'][401]['content']['application/problem+json']>;
  readonly "listMemberOrders 403": Validator<operations['listMemberOrders']['responses'][403]['content']['application/problem+json']>;
  readonly "listMemberOrders 429": Validator<operations['listMemberOrders']['responses'][429]['content']['application/problem+json']>;
  readonly "listMemberOrders 503": Validator<operations['listMemberOrders']['responses'][503]['content']['application/problem+json']>;
  readonly "listPods 200": Validator<operations['listPods']['responses'][200]['content']['application/json']>;
  readonly "listPods 401": Validator<operations['listPods']['responses'][401]['content']['application/problem+json']>;
  readonly "listPods 403": Validator<operations['listPods']['responses'][403]['content']['application/problem+json']>;
  readonly "listPods 429": Validator<operations['listPods']['responses'][429]['content']['application/problem+json']>;
  readonly "listPods 503": Validator<operations['listPods']['responses'][503]['content']['application/problem+json']>;
  readonly "getConsoleOpenapi 200": Validator<operations['getConsoleOpenapi']['responses'][200]['content']['application/json']>;
  readonly "getConsoleOpenapi 429": Validator<operations['getConsoleOpenapi']['responses'][429]['content']['application/problem+json']>;
};

/** Validators of the JSON in one frame of a stream, by operationId. */
export declare const streamFrames: {

};
