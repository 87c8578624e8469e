// Written by codegen/generate.ts from src/cluster/messages.schema.yaml (sha256 1d8c3cbf84d16040e2e952351c33fe8b2ded3e2834dc4751059cd10569858064). Do not edit.
/** Whether a value is a message of a gateway: its type and its required fields. */
export declare const isPeerMessage: (value: unknown) => boolean;
/** Whether a value is what a gateway says first when it dials another one. */
export declare const isGreeting: (value: unknown) => boolean;
/** Whether a value is the next message of both. */
export declare const isHello: (value: unknown) => boolean;
