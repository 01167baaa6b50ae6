import { expect, test } from "vitest";
import { parseWrk } from "./wrk.ts";

const output = `Running 4s test @ http://127.0.0.1:41069/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.98ms    2.93ms  38.38ms   90.55%
    Req/Sec    17.62k     5.48k   28.67k    65.00%
  Latency Distribution
     50%  500.00us
     75%    4.68ms
     90%    6.73ms
     99%    1.02s
  70221 requests in 4.01s, 37.57MB read
Requests/sec:  17508.35
Transfer/sec:      9.37MB
`;

test("parseWrk reads requests, time and latencies in their units", () => {
  expect(parseWrk(output)).toEqual({
    operations: 70_221,
    elapsedMs: 4_010,
    latencyMs: { p50: 0.5, p99: 1_020 },
  });
});

test("parseWrk fails when answers were refused or connections broke", () => {
  const refused = output.replace("Requests/sec", "  Non-2xx or 3xx responses: 12\nRequests/sec");
  expect(() => parseWrk(refused)).toThrow(/12 answers were not a success/);
  const broken = `${output}  Socket errors: connect 0, read 3, write 0, timeout 0`;
  expect(() => parseWrk(broken)).toThrow(/connections failed: connect 0, read 3/);
  expect(() => parseWrk("unable to connect")).toThrow(/unexpected/);
});
