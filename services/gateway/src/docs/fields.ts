import type { JsonSchema } from "@malipo/contract-tools";
import { type Html, html, type HtmlValue } from "@malipo/core";

/** Fields of a request are shown with their rules; those of an answer only with their type. */
type Side = "request" | "answer";

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly description?: string;
}

export function fieldList(fields: readonly Field[], side: Side): Html {
  return html`<ul class="fields">
    ${fields.map((field) => fieldItem(field, side))}
  </ul>`;
}

export function fieldsOf(schema: JsonSchema): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    required: schema.required?.includes(name) ?? false,
  }));
}

function fieldItem({ name, schema, required, description }: Field, side: Side): Html {
  const subfields = fieldsOf(contentOf(schema));
  const text = description ?? schema.description;
  const rules = side === "request" ? rulesOf(schema, text) : [];
  return html`<li>
    <p class="field">
      <code class="name">${name}</code> <span class="type">${typeTextOf(schema)}</span>${
        side === "request" && required ? html` <span class="required">required</span>` : undefined
      }${rules.map((rule) => html` <span class="rule">${rule}</span>`)}
    </p>
    ${paragraph(text)}${choices(schema)}${subfields.length > 0 ? fieldList(subfields, side) : undefined}
  </li> `;
}

function paragraph(text: string | undefined): HtmlValue {
  return text === undefined ? undefined : html`<p>${text}</p>`;
}

function choices(schema: JsonSchema): HtmlValue {
  const values = contentOf(schema).enum ?? [];
  if (values.length === 0) return undefined;
  return html`<p class="choices">
    ${values.map((value) => html`<code>${String(value)}</code> `)}
  </p>`;
}

/** The schema without `null` and without lists around it. */
function contentOf(schema: JsonSchema): JsonSchema {
  const notNull = schema.anyOf?.find(({ type }) => type !== "null");
  if (notNull) return contentOf(notNull);
  return schema.items ? contentOf(schema.items) : schema;
}

function typeTextOf(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(typeTextOf).join(" or ");
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => typeTextOf({ ...schema, type })).join(" or ");
  }
  if (schema.type === "array") return `list of ${pluralOf(typeTextOf(schema.items ?? {}))}`;
  if (schema.type === "string" && schema.enum?.length) return "one of";
  return schema.format ?? String(schema.type ?? "anything");
}

function pluralOf(typeText: string): string {
  return typeText === "one of" ? "any of" : `${typeText}s`;
}

/** Bounds from here on are technical, so they are not shown. */
const technicalBound = Number.MAX_SAFE_INTEGER;

function rulesOf(schema: JsonSchema, description: string | undefined): string[] {
  const notNull = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  const { pattern } = notNull;
  return [
    ...range(notNull.minLength, notNull.maxLength, " characters"),
    ...range(notNull.minimum, notNull.maximum, ""),
    ...range(notNull.minItems, notNull.maxItems, " entries"),
    // A pattern is shown only if no description says the same in words.
    ...(pattern !== undefined && description === undefined ? [`matches ${pattern}`] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  const least = from === undefined || from <= -technicalBound ? undefined : formatNumber(from);
  const most = to === undefined || to >= technicalBound ? undefined : formatNumber(to);
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

function formatNumber(amount: number): string {
  return amount.toLocaleString("en");
}
