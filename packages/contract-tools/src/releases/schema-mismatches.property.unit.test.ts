import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import { findMismatches } from "./schema-mismatches.ts";

const names = ["a", "b", "c"] as const;
const bound = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });

const within = (low: string, high: string) =>
  fc.tuple(bound, bound).map(([min, max]) => ({
    ...(min !== undefined && { [low]: min }),
    ...(max !== undefined && { [high]: Math.max(max, min ?? 0) }),
  }));

const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonSchema>({ type: "null" }, { type: "boolean" }, {}),
    fc.subarray(["x", "y", 1], { minLength: 1 }).map((values): JsonSchema => ({ enum: values })),
    within("minLength", "maxLength").map((bounds): JsonSchema => ({ type: "string", ...bounds })),
    fc
      .tuple(fc.constantFrom("integer", "number"), within("minimum", "maximum"))
      .map(([type, bounds]): JsonSchema => ({ type, ...bounds })),
    fc
      .tuple(tie("schema"), within("minItems", "maxItems"))
      .map(([items, bounds]): JsonSchema => ({ type: "array", items, ...bounds })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((anyOf): JsonSchema => ({ anyOf })),
    fc
      .tuple(
        fc.dictionary(fc.constantFrom(...names), tie("schema"), { maxKeys: 3 }),
        fc.subarray([...names]),
      )
      .map(([properties, requested]): JsonSchema => {
        const required = requested.filter((name) => name in properties);
        return { type: "object", properties, required };
      }),
  ),
}));

/** Arbitrary values that match the schema. */
function valueOf(described: JsonSchema): fc.Arbitrary<unknown> {
  if (described.anyOf) return fc.oneof(...described.anyOf.map(valueOf));
  if (described.enum) return fc.constantFrom(...described.enum);
  const { minimum: min = -2, maximum: max = 9 } = described;
  switch (described.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "string":
      return fc.string({
        minLength: described.minLength ?? 0,
        maxLength: described.maxLength ?? 7,
      });
    case "integer":
      return fc.integer({ min, max });
    case "number":
      return fc.double({ min, max, noNaN: true });
    case "array":
      return fc.array(valueOf(described.items ?? {}), {
        minLength: described.minItems ?? 0,
        maxLength: described.maxItems ?? 5,
      });
    case "object": {
      const { properties = {}, required = [] } = described;
      const values = Object.entries(properties).map(([name, of]) => [name, valueOf(of)] as const);
      return fc.record(Object.fromEntries(values), { requiredKeys: [...required] });
    }
    default:
      return fc.constantFrom("anything", 7, null, {}, []);
  }
}

const ajv = new Ajv2020({ strict: false });
const accepts = (described: JsonSchema, value: unknown) => ajv.validate(described, value);
const sentAndExpected = fc
  .tuple(schema, schema)
  .chain(([sent, expected]) => fc.tuple(fc.constant(sent), fc.constant(expected), valueOf(sent)));

it.each(["sent", "expected"] as const)(
  "a sent value matches the expected schema when no mismatch is found (older schema: %s)",
  (older) => {
    let matching = 0;
    fc.assert(
      fc.property(sentAndExpected, ([sent, expected, value]) => {
        if (findMismatches(sent, expected, older).length > 0) return;
        matching += 1;
        expect(accepts(expected, value)).toBe(true);
      }),
      { numRuns: 1_500, seed: 20_261_121 },
    );
    expect(matching).toBeGreaterThan(100);
  },
);

it("a schema has no mismatch with itself", () => {
  fc.assert(
    fc.property(schema, (same) => {
      expect(findMismatches(same, same, "sent")).toEqual([]);
    }),
    { numRuns: 1_000, seed: 20_261_121 },
  );
});
