import { allRoutes, type Route } from "@malipo/contracts";
import fc from "fast-check";

/** A malicious or broken request, as it is sent. */
export interface HostileRequest {
  readonly surface: "public" | "operator";
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /**
   * Sent by fetch; as a whole over a socket; over a socket and broken off in the middle; or noise
   * that is no request.
   */
  readonly how: "fetch" | "whole" | "broken off" | "noise";
}

/** Replaced by the secret of the surface when the request is sent. */
export const secretMark = "<the secret>";

const prototypeNames = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
const hugeNumbers = [
  "1e400",
  "-1e400",
  "-0",
  "1e-400",
  "9007199254740993",
  "0x10",
  "1".repeat(400),
];
const oddTexts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\uFEFF",
  "\u202Eabc",
  "é",
  "ключ",
  "💸".repeat(50),
  "'; drop table x; --",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "../../../../etc/passwd",
  "$where",
  "a".repeat(5_000),
];
const someId = "507f1f77bcf86cd799439011";

const pathPart = fc.oneof(
  fc.constantFrom(
    someId,
    someId.toUpperCase(),
    `${someId}0`,
    "%",
    "%00",
    "%FF%FE",
    "%2e%2e%2f%2e%2e",
    "..",
    ".",
    "%F0%9F%92%B8",
    "%u0041",
    "*",
    ":id",
    "a".repeat(3_000),
    ...prototypeNames,
  ),
  fc.constantFrom(...oddTexts).map((text) => encodeURIComponent(text).slice(0, 5_000)),
);

interface Target {
  readonly surface: HostileRequest["surface"];
  readonly method: string;
  readonly path: string;
}

function targetOf([route, part]: readonly [Route, string]): Target {
  const surface = route.audience === "operator" ? "operator" : "public";
  return {
    surface,
    method: route.method,
    path: route.path.replace(/:(id|code|attempt)\b/g, () => part),
  };
}

function targetAt(path: string): Target {
  return { surface: "public", method: "GET", path };
}

/** Mostly existing routes, so that many requests reach a handler. */
const target: fc.Arbitrary<Target> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...allRoutes), fc.constant(someId)).map(targetOf),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...allRoutes), pathPart).map(targetOf) },
  {
    weight: 1,
    arbitrary: fc.array(pathPart, { maxLength: 4 }).map((parts) => targetAt(`/${parts.join("/")}`)),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("/", "//", "/./business/../", "/business//product/list", "/?", "/openapi.json")
      .map(targetAt),
  },
);

const queryName = fc.constantFrom("page", "limit", "page[$gt]", "page[]", "q", ...prototypeNames);
const queryValue = fc.oneof(
  fc.constantFrom("", "0", "1", "-1", "1e3", "%", "%00", "%FF", "NaN", "null", ...hugeNumbers),
  pathPart,
);
const query = fc
  .array(fc.tuple(queryName, queryValue), { maxLength: 5 })
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.join("=")).join("&")}`));

/** JSON as text, because an object cannot express most hostile values. */
const jsonValue: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "null",
    "true",
    "{}",
    "[]",
    '""',
    "NaN",
    "undefined",
    "1.",
    "'a'",
    ...hugeNumbers,
  ),
  fc.constantFrom(...oddTexts).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\x"', '"a', '{"$gt":""}'),
  fc.integer({ min: 100, max: 60_000 }).map((depth) => "[".repeat(depth)),
  fc.integer({ min: 100, max: 60_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc
    .integer({ min: 100, max: 20_000 })
    .map((depth) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth)),
  fc.integer({ min: 100, max: 9_000 }).map((length) => `[${"0,".repeat(length)}0]`),
);

const fields = ["title", "price", "name", "phone", "email", "description", "duedays", "feefixed"];
const oddFields = ["$set", "a.b", "_id", "businessid", "", ...prototypeNames];
const fieldName = fc.constantFrom(...fields, ...oddFields);

const jsonObject = fc
  .array(fc.tuple(fieldName, jsonValue), { minLength: 1, maxLength: 6 })
  .map(
    (fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`,
  );

const body: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: jsonObject.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: jsonValue.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Uint8Array>(
      Buffer.alloc(0),
      Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
      Buffer.concat([Buffer.from('{"title":"a'), Buffer.of(0xc3, 0x28), Buffer.from('"}')]),
      Buffer.from("\uFEFF{}"),
      Buffer.from(`{"title":"${"x".repeat(262_000)}"}`),
      Buffer.alloc(262_145, "x"),
    ),
  },
);

const headerOf = (name: string, ...values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => [name, value] as const);

/** Headers that fetch can send. */
const header = fc.oneof(
  headerOf("authorization", "", "Bearer", "Bearer x", "sk_test_x", "Basic eA==", "a".repeat(4_000)),
  headerOf(
    "content-type",
    "text/plain",
    "application/json;charset=utf-16",
    "application/json; charset=\u00ff",
    "APPLICATION/JSON",
    "application/jsonx",
    "multipart/form-data; boundary=x",
    ";",
    "",
  ),
  headerOf("content-encoding", "gzip", "identity", "x".repeat(500)),
  headerOf("x-request-id", "", "a".repeat(101), "<script>", "\u00e9".repeat(20), "__proto__"),
  headerOf("idempotency-key", "", "a".repeat(256), "\u00ff", '"', "__proto__", "ordinary-key"),
  headerOf("traceparent", "00-x", `00-${"0".repeat(32)}-${"0".repeat(16)}-00`, "a".repeat(999)),
  headerOf("x-forwarded-for", "", "nonsense", "::1", "1.2.3.4, 5.6.7.8", ",,,", "a".repeat(2_000)),
  headerOf("x-forwarded-host", "evil.example", "\u00ff"),
  headerOf("x-http-method-override", "DELETE"),
  headerOf("accept", "text/html", "image/png", "*/*;q=x"),
  headerOf("accept-encoding", "br;q=9", "\u00ff"),
  headerOf("cookie", "a=b; ".repeat(500)),
  headerOf("range", "bytes=0-"),
  headerOf("if-none-match", "*"),
  headerOf("upgrade-insecure-requests", "1"),
);

/** Headers that only a socket can send. */
const rawHeader = fc.oneof(
  { weight: 6, arbitrary: header },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly [string, string]>(
      ["host", "evil.example"],
      ["host", "a b"],
      ["x-note", "a\u0000b"],
      ["x-note", "a\r\n folded"],
      ["x-note", "a\rb"],
      ["x-note", "a".repeat(17_000)],
      ["x note", "a"],
      ["", "a"],
      ["__proto__", "a"],
      ["transfer-encoding", "identity"],
      ["transfer-encoding", "gzip, chunked"],
      ["content-length", "0"],
      ["content-length", "-1"],
      ["content-length", "1e3"],
      ["upgrade", "websocket"],
      ["te", "trailers"],
      ["http2-settings", "AAMAAABkAAQAAP__"],
    ),
  },
);

const otherMethod = fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS");
const rawMethod = fc.oneof(
  otherMethod,
  fc.constantFrom("TRACE", "PROPFIND", "PURGE", "QUERY", "get", "G\u0000T", "", "X".repeat(99)),
);

/** Most requests have the right secret, so that they pass authentication. */
const baseHeaders = fc.constantFrom<readonly (readonly [string, string])[]>(
  [
    ["authorization", secretMark],
    ["content-type", "application/json"],
  ],
  [
    ["content-type", "application/json"],
    ["authorization", secretMark],
    ["idempotency-key", "the same for all"],
  ],
  [["authorization", secretMark]],
  [["content-type", "application/json"]],
);

function rarely<Value>(some: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: some });
}

function requestOf(
  how: HostileRequest["how"],
  methods: fc.Arbitrary<string>,
  headers: fc.Arbitrary<readonly [string, string]>,
): fc.Arbitrary<HostileRequest> {
  const odd = fc.array(headers, { maxLength: 3 });
  return fc
    .record({ target, query, base: baseHeaders, odd, body, other: rarely(methods) })
    .map(({ target, query, base, odd, body, other }) => ({
      how,
      surface: target.surface,
      method: other ?? target.method,
      path: target.path + query,
      headers: [...base, ...odd],
      body,
    }));
}

const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  { weight: 4, arbitrary: requestOf("fetch", otherMethod, header) },
  { weight: 4, arbitrary: requestOf("whole", rawMethod, rawHeader) },
  { weight: 1, arbitrary: requestOf("broken off", rawMethod, rawHeader) },
  { weight: 1, arbitrary: requestOf("noise", rawMethod, rawHeader) },
);

export function hostileRequests(count: number, seed: number): readonly HostileRequest[] {
  return fc.sample(hostileRequest, { numRuns: count, seed });
}
