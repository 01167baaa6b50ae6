import { type Html, html, type HtmlValue } from "@malipo/core";
import type { JsonSchema } from "@malipo/contract-tools";

/** A request's fields have rules; of an answer's only the kind is of interest. */
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
  const inside = fieldsOf(contentOf(schema));
  const words = description ?? schema.description;
  const rules = side === "request" ? rulesOf(schema, words) : [];
  return html`<li>
    <p class="field">
      <code class="name">${name}</code> <span class="type">${kindOf(schema)}</span>${
        side === "request" && required ? html` <span class="required">required</span>` : undefined
      }${rules.map((rule) => html` <span class="rule">${rule}</span>`)}
    </p>
    ${paragraph(words)}${choices(schema)}${inside.length > 0 ? fieldList(inside, side) : undefined}
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

/** What is left of a schema when null and the list around it are taken away. */
function contentOf(schema: JsonSchema): JsonSchema {
  const some = schema.anyOf?.find(({ type }) => type !== "null");
  if (some) return contentOf(some);
  return schema.items ? contentOf(schema.items) : schema;
}

function kindOf(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(" or ");
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => kindOf({ ...schema, type })).join(" or ");
  }
  if (schema.type === "array") return `list of ${pluralOf(kindOf(schema.items ?? {}))}`;
  if (schema.type === "string" && schema.enum?.length) return "one of";
  return schema.format ?? String(schema.type ?? "anything");
}

function pluralOf(kind: string): string {
  return kind === "one of" ? "any of" : `${kind}s`;
}

const beyondInterest = Number.MAX_SAFE_INTEGER;

function rulesOf(schema: JsonSchema, description: string | undefined): string[] {
  const some = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  const { pattern } = some;
  return [
    ...span(some.minLength, some.maxLength, " characters"),
    ...span(some.minimum, some.maximum, ""),
    ...span(some.minItems, some.maxItems, " entries"),
    // A pattern is for programs; people have the description.
    ...(pattern !== undefined && description === undefined ? [`matches ${pattern}`] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function span(from: number | undefined, to: number | undefined, unit: string): string[] {
  const least = from === undefined || from <= -beyondInterest ? undefined : shown(from);
  const most = to === undefined || to >= beyondInterest ? undefined : shown(to);
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

function shown(amount: number): string {
  return amount.toLocaleString("en");
}
