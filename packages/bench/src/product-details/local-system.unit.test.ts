import { expect, test } from "vitest";
import { partName } from "./local-system.ts";

test.each([
  ["/usr/sbin/nats-server -c /tmp/x/nats.conf", "nats"],
  ["node --conditions=x /w/packages/embedded-mongo/src/main.ts --port 1", "store"],
  ["node --conditions=x /w/packages/mpesa-simulator/src/main.ts", "simulator"],
  ["node --conditions=x /w/services/gateway/src/main.ts", "gateway"],
  ["node --conditions=x /w/services/invoice/src/main.ts", "service"],
  ["node --conditions=x /w/services/webhook/src/main.ts", "webhook"],
  ["node /w/packages/local/src/main.ts", "supervisor"],
])("%s is the %s", (commandLine, part) => {
  expect(partName(commandLine)).toBe(part);
});
