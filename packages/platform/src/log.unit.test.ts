import { expect, it } from "vitest";
import { createLog } from "./log.ts";

it("writes JSON lines and conceals secrets and customers' data, however deep", () => {
  const lines: string[] = [];
  const log = createLog("gateway", "info", { write: (line) => void lines.push(line) });
  log.info(
    { secret: "sk_test_planted", request: { authorization: "planted", phone: "planted" } },
    "hello",
  );
  log.debug("below the level");
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("planted");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "info",
    service: "gateway",
    msg: "hello",
    secret: "[concealed]",
  });
});
