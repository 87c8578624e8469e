// Written by codegen/generate.ts from src/cluster/messages.schema.yaml (sha256 398ef946b0c0c065def78ee5b69a4921a5ee4e5cf437716caffb8c638df329c0). Do not edit.
/** Whether a value is a message of a gateway: its type and its required fields. */
export declare const isPeerMessage: (value: unknown) => boolean;
