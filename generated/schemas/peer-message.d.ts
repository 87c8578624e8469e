// Written by codegen/generate.ts from src/cluster/messages.schema.yaml (sha256 853065c7527cc813a42f62f9b75c294e1c54512075de83a51f353fc5e063522d). Do not edit.
/** Whether a value is a message of a gateway: its type and its required fields. */
export declare const isPeerMessage: (value: unknown) => boolean;
