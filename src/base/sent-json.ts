/** What a server sends of a documented type, which is not always what a reader of it finds. */

/** A number whose digits are given (`JSON.rawJSON`), as `UsdJson` may be one. */
type RawNumber = ReturnType<typeof JSON.rawJSON>;

/** JSON of a documented type: a number may be a raw one. */
export type LaxJson<Json> = Json extends number
  ? Json | RawNumber
  : Json extends object
    ? { readonly [Name in keyof Json]: LaxJson<Json[Name]> }
    : Json;

/** The same with every documented field, undefined where it is absent: no field can be forgotten or misspelt. */
export type SentJson<Json> = Json extends number
  ? Json | RawNumber
  : Json extends readonly (infer Item)[]
    ? readonly SentJson<Item>[]
    : Json extends object
      ? {
          readonly [Name in keyof Json]-?: object extends Pick<Json, Name>
            ? SentJson<Json[Name]> | undefined
            : SentJson<Json[Name]>;
        }
      : Json;
