import type { Document } from "../document-codec.ts";
import { MongoError } from "../errors.ts";
import { numberOf } from "../bson/number-of.ts";
import type { InjectedFault, FaultInjector } from "./injected-fault.ts";

type FailPoint = {
  readonly name: string;
  readonly data: Document;
  skip: number;
  times: number;
};

const names = ["failCommand", "onPrimaryTransactionalWrite"];

/** The failures that a test has requested with `configureFailPoint`. */
export class FailPoints {
  private readonly active = new Map<string, FailPoint>();

  configure(name: string, mode: unknown, data: Document): void {
    if (!names.includes(name)) throw new MongoError("BadValue", `${name} is not a fail point`);
    if (mode === "off") {
      this.active.delete(name);
      return;
    }
    const given = (typeof mode === "object" && mode !== null ? mode : {}) as Document;
    const times = numberOf(given["times"]);
    const skip = numberOf(given["skip"]);
    if (mode !== "alwaysOn" && times === undefined && skip === undefined) {
      throw new MongoError("FailedToParse", "unknown fail point mode");
    }
    this.active.set(name, { name, data, skip: skip ?? 0, times: times ?? Infinity });
  }

  readonly inject: FaultInjector = ({ command, body, inTransaction }, connection) => {
    const failPoint = this.active.get("failCommand");
    if (failPoint !== undefined) {
      const { data } = failPoint;
      const listed = (data["failCommands"] as unknown[] | undefined)?.some(
        (name) => name === command.name || name === body.path,
      );
      const appName = data["appName"];
      const applies = appName === undefined || appName === connection.client.appName;
      if (listed === true && applies && this.consume(failPoint)) return failCommand(data);
    }
    const write = this.active.get("onPrimaryTransactionalWrite");
    const transactional = command.retryable === true && (inTransaction || body.has("txnNumber"));
    if (write !== undefined && transactional && this.consume(write)) return failWrite(write.data);
    return undefined;
  };

  private consume(failPoint: FailPoint): boolean {
    if (failPoint.skip > 0) {
      failPoint.skip--;
      return false;
    }
    failPoint.times--;
    if (failPoint.times <= 0) this.active.delete(failPoint.name);
    return true;
  }
}

function failCommand(data: Document): InjectedFault {
  const labels = data["errorLabels"] as string[] | undefined;
  const code = numberOf(data["errorCode"]);
  const blockTime = data["blockConnection"] === true ? numberOf(data["blockTimeMS"]) : undefined;
  const concern = data["writeConcernError"] as Document | undefined;
  const delay = blockTime === undefined ? {} : { delayMs: blockTime };
  if (data["closeConnection"] === true) return { ...delay, closeConnection: "before" };
  if (code !== undefined) {
    const message = `Failing command via 'failCommand' failpoint`;
    const extra = labels === undefined || labels.length === 0 ? {} : { errorLabels: labels };
    const error = new MongoError(code, message, extra);
    return { ...delay, error, hasFinalLabels: labels !== undefined };
  }
  if (concern === undefined) return delay;
  return {
    ...delay,
    writeConcernError: concern,
    ...(labels === undefined ? {} : { errorLabels: labels }),
  };
}

function failWrite(data: Document): InjectedFault {
  const code = numberOf(data["failBeforeCommitExceptionCode"]);
  const closes = data["closeConnection"] !== false;
  if (code === undefined) return closes ? { closeConnection: "after" } : {};
  if (closes) return { closeConnection: "before" };
  return { error: new MongoError(code, "Failing write via 'onPrimaryTransactionalWrite'") };
}
