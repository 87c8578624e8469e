/**
 * Better types for the client generators than the document has: times, lists, exact money and, in TypeScript, unions and
 * names of states. The document itself cannot have them (docs/decisions/0001-openapi-3.0.3.md), and each generator makes
 * something else of a union: Python wraps each value in a class, Go and Java need a setter per member. So those three keep
 * `any` for unions. They also keep strings for states in responses, because their enums fail on a state of a later version.
 */
import type { Json } from '../document.ts';
import type { Language } from './toolchains.ts';

/** A type for money that each generator maps to an exact one: Decimal, BigDecimal, and in Go the Money of money.go. */
const DECIMAL: Json = { type: 'string', format: 'number' };
/** In TypeScript money and unions are types of hand-written files. */
const MONEY_TYPE: Json = { allOf: [{ $ref: '#/components/schemas/Money' }] };

/** Fields of amounts and prices in USD. Shares, seconds and settings of the model are numbers. */
const MONEY = /_usd(_m(ax|in))?$|^(level|level_at_execution|bid|price|previous_price|reserve|price_limit(_max)?)$/;
const MONEY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Account: ['default_price_limit{}'],
  AccountUpdate: ['default_price_limit{}'],
  Candle: ['open', 'high', 'low', 'close', 'mean'],
  LockPoint: ['high', 'low'],
  MarketCandles: ['current'],
  MarketHistory: ['current'],
  MarketSummaryRow: ['sparkline[]'],
  TokenPrices: ['uncached', 'cached', 'output'],
};
const MONEY_HEADERS = ['X-Price-Limit', 'X-Max-Price', 'X-Max-Charge-USD'];
/** Schemas that are themselves an amount. */
const MONEY_SCHEMAS = ['PriceLimit', 'MaxChargeUsd'];

const TIME = /(_at|_until)$/;
const TIME_FIELDS: Readonly<Record<string, readonly string[]>> = { OrderStrategy: ['deadline'] };

/**
 * Unions of TypeScript, each with the fields that have it; `[]` stands for the items of a list. The types are in
 * codegen/sdks/unions.ts. Fields with `x-takes` and without a type need no line here.
 */
export const UNIONS: Readonly<Record<string, readonly string[]>> = {
  Money: [],
  StopStrings: [],
  Deadline: [],
  Prompt: [],
  SystemText: [],
  ChatContent: [],
  ChatTool: ['ChatCompletionRequest.tools[]'],
  ChatToolChoice: ['ChatCompletionRequest.tool_choice'],
  ChatResponseFormat: ['ChatCompletionRequest.response_format'],
  ChatToolCall: ['ChatMessage.tool_calls[]', 'ChatAnswer.tool_calls[]'],
  ChatDelta: ['ChatChunkChoice.delta'],
  MessageContent: [],
  MessageBlock: ['Message.content[]'],
  ResponseInput: [],
  ResponseInstructions: [],
  ResponseTool: ['ResponseRequest.tools[]'],
  ResponseToolChoice: [],
  ResponseTextFormat: ['ResponseTextOptions.format'],
  ResponseOutputItem: ['ResponseObject.output[]'],
  ResultBody: ['OrderResult.body'],
};

/** States in responses, as the descriptions list them. A later version may add some. */
export const STATES: Readonly<
  Record<string, { readonly values: readonly string[]; readonly fields: readonly string[] }>
> = {
  OrderStatus: {
    values: ['queued', 'executing', 'done', 'error', 'canceled', 'expired'],
    fields: ['Order.status', 'OrderResult.status', 'AcceptedOrder.status', 'CanceledOrder.status'],
  },
  OrderKind: {
    values: ['chat', 'completion', 'responses', 'messages'],
    fields: ['Order.kind', 'OrderResult.kind', 'ReceiptClaims.kind'],
  },
  PricingType: {
    values: ['market', 'fixed'],
    fields: [
      ...['ModelPricing.type', 'Order.pricing', 'Receipt.pricing', 'UsageRecord.pricing'],
      ...['MarketSummaryRow.pricing', 'ModelStatisticsRow.pricing'],
    ],
  },
  BatchStatus: {
    values: ['validating', 'in_progress', 'completed', 'failed', 'expired', 'cancelling', 'cancelled'],
    fields: ['Batch.status'],
  },
  ChatFinishReason: {
    values: ['stop', 'length', 'tool_calls', 'content_filter'],
    fields: ['ChatChoice.finish_reason', 'ChatChunkChoice.finish_reason', 'TextChoice.finish_reason'],
  },
};

type Schemas = Readonly<Record<string, Json>>;
type Field = (place: string, field: Json) => Json;

/** The document with these types. */
export function withTypes(root: Json, language: Language): Json {
  const { components, ...others } = root as { components: { schemas?: Schemas; parameters?: Schemas } };
  const unions = language === 'typescript';
  const money = unions ? MONEY_TYPE : DECIMAL;
  const changes: Field[] = [timeOf, (place, field) => moneyOf(place, field, money)];
  if (unions) changes.push(unionOf);
  const schemas = Object.entries(components.schemas ?? {})
    .filter(([name]) => !(unions && name in UNIONS) && !MONEY_SCHEMAS.includes(name))
    .map(([name, schema]) => [name, withFields(name, schema, changes)]);
  const parameters = Object.entries(components.parameters ?? {}).map(([name, each]) => [name, withRead(each, money)]);
  return {
    ...others,
    components: {
      ...components,
      schemas: { ...Object.fromEntries(schemas), ...(unions ? named() : {}) },
      parameters: Object.fromEntries(parameters),
    },
  };
}

/** What `unions.ts` is written over, and the states. A schema without a field would become a plain object. */
function named(): Schemas {
  const placeholder = { type: 'object', properties: { placeholder: {} } };
  return {
    ...Object.fromEntries(Object.keys(UNIONS).map((name) => [name, placeholder])),
    ...Object.fromEntries(Object.entries(STATES).map(([name, { values }]) => [name, { type: 'string', enum: values }])),
  };
}

function withFields(name: string, schema: Json, changes: readonly Field[]): Json {
  const properties = schema.properties as Schemas | undefined;
  if (!properties) return schema;
  const change = (place: string, field: Json) => changes.reduce((changed, each) => each(place, changed), field);
  const changed = Object.entries(properties).map(([key, field]) => {
    const { items, additionalProperties: values } = field as { readonly items?: Json; readonly additionalProperties?: Json };
    const item = items && change(`${name}.${key}[]`, items);
    const value = values?.type ? change(`${name}.${key}{}`, values) : values;
    const { 'x-takes': takes, ...list } = field;
    const inner = withFields(`${name}.${key}`, value === values ? field : { ...field, additionalProperties: value }, changes);
    return [key, change(`${name}.${key}`, item && item !== items ? { ...list, items: item } : inner)];
  });
  return { ...schema, properties: Object.fromEntries(changed) };
}

function timeOf(place: string, field: Json): Json {
  return field.type === 'string' && isIn(place, TIME, TIME_FIELDS) ? { ...field, format: 'date-time' } : field;
}

function moneyOf(place: string, field: Json, money: Json): Json {
  const named = /(\w+)$/.exec(String(field.$ref ?? ''))?.[1] ?? '';
  const isMoney = field.type === 'number' ? isIn(place, MONEY, MONEY_FIELDS) : MONEY_SCHEMAS.includes(named);
  return isMoney ? { ...described(field), ...(named ? { nullable: true } : {}), ...money } : field;
}

function unionOf(place: string, field: Json): Json {
  const union = unionAt(place, field);
  const state = Object.entries(STATES).find(([, { fields }]) => fields.includes(place))?.[0];
  const name = union ?? state;
  if (!name) return field;
  const isTaken = union !== undefined && !UNIONS[union]?.includes(place);
  const nullable = field.nullable === true || isTaken;
  return { ...described(field), ...(nullable ? { nullable } : {}), allOf: [{ $ref: `#/components/schemas/${name}` }] };
}

/** The union of a field or of the items of a list: the one that names it, or the one that the field takes. */
function unionAt(place: string, field: Json): string | undefined {
  const takes = /(\w+)$/.exec(String((field['x-takes'] as Json | undefined)?.$ref ?? ''))?.[1] ?? '';
  const named = Object.entries(UNIONS).find(([, fields]) => fields.includes(place))?.[0];
  return named ?? (field.type === undefined && takes in UNIONS ? takes : undefined);
}

/** Every field with a union, by schema. `isModel` is of those that name a schema, which some languages have as a model. */
export function unionPlaces(root: Json) {
  const { schemas = {} } = root.components as { readonly schemas?: Schemas };
  return Object.entries(schemas).flatMap(([schema, { properties }]) =>
    Object.entries((properties ?? {}) as Schemas).flatMap(([field, whole]) => {
      const item = whole.items ? unionAt(`${schema}.${field}[]`, whole.items as Json) : undefined;
      const union = item ?? unionAt(`${schema}.${field}`, whole);
      const isModel = '$ref' in (item ? (whole.items as Json) : whole);
      return union ? [{ schema, field, union, isItem: item !== undefined, isModel }] : [];
    }),
  );
}

/** Only what a reader sees: bounds of the old type mean nothing to the new one. */
function described({ description, nullable }: Json): Json {
  return { ...(description ? { description } : {}), ...(nullable ? { nullable } : {}) };
}

/** A parameter as it is read: an amount, a list of words instead of words with commas, a whole number, a time, one of a few words. */
function withRead(parameter: Json, money: Json): Json {
  const { pattern, 'x-reads': reads, ...schema } = (parameter.schema ?? {}) as Json & { readonly 'x-reads'?: Json };
  if (parameter.name === 'from' || parameter.name === 'to')
    return { ...parameter, schema: { type: 'string', format: 'date-time' } };
  if (MONEY_HEADERS.includes(String(parameter.name)))
    return { ...parameter, example: String(parameter.example), schema: money };
  if (reads?.type === 'array')
    return {
      ...parameter,
      style: 'form',
      explode: false,
      example: undefined,
      schema: { type: 'array', items: { type: 'string', ...(reads.items as Json) } },
    };
  if (reads?.type === 'integer')
    return { ...parameter, example: Number(parameter.example), schema: { type: 'integer', enum: reads.enum } };
  if (reads?.enum) return { ...parameter, schema: { ...schema, enum: reads.enum } };
  return parameter;
}

function isIn(place: string, names: RegExp, fields: Readonly<Record<string, readonly string[]>>): boolean {
  const [key = '', schema = ''] = place.split('.').reverse();
  return names.test(key) || (fields[schema]?.includes(key) ?? false);
}
