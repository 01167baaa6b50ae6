import { type MetadataItem, writeCallback } from "../daraja/callback.ts";
import { createMerchantRequestId } from "../daraja/ids.ts";
import type { CallbackBody } from "./behaviour.ts";

/** Bodies of callbacks that differ from the plain one: seen in real traffic, or possible forgeries. */

function changeItems(change: (items: readonly MetadataItem[]) => MetadataItem[]): CallbackBody {
  return (callback) => {
    const { CallbackMetadata } = callback;
    if (!CallbackMetadata) return writeCallback(callback);
    return writeCallback({
      ...callback,
      CallbackMetadata: { Item: change(CallbackMetadata.Item) },
    });
  };
}

export function withValue(name: string, change: (value: unknown) => unknown): CallbackBody {
  return changeItems((items) =>
    items.map((item) => (item.Name === name ? { Name: name, Value: change(item.Value) } : item)),
  );
}

export function withoutItem(name: string): CallbackBody {
  return changeItems((items) => items.filter((item) => item.Name !== name));
}

export const withoutMetadata: CallbackBody = ({ CallbackMetadata: _removed, ...callback }) =>
  writeCallback(callback);

export const withStringCode: CallbackBody = (callback) =>
  writeCallback({ ...callback, ResultCode: String(callback.ResultCode) });

export const withStrings: CallbackBody = (callback, facts) =>
  changeItems((items) =>
    items.map(({ Name, Value }) =>
      Value === undefined ? { Name } : { Name, Value: String(Value as number) },
    ),
  )({ ...callback, ResultCode: String(callback.ResultCode) }, facts);

export const withPrefix: CallbackBody = (callback) =>
  writeCallback({ ...callback, ResultDesc: `[STK_CB - ]${callback.ResultDesc}` });

export const withMaskedPhone: CallbackBody = (callback, facts) =>
  withValue("PhoneNumber", () => `${facts.phone.slice(0, 4)} ***** ${facts.phone.slice(-3)}`)(
    callback,
    facts,
  );

export const withReversedAndUnknownItems: CallbackBody = changeItems((items) => [
  { Name: "B2CUtilityAccountAvailableFunds", Value: "" },
  ...items.toReversed(),
  { Name: "Remark", Value: null },
]);

export const withOtherIds: CallbackBody = (callback) =>
  writeCallback({
    ...callback,
    MerchantRequestID: createMerchantRequestId("current"),
    // As long as a real id, but no prompt has it: there is no day 99.
    CheckoutRequestID: callback.CheckoutRequestID.replace(/\d{5}/, "99999"),
  });

export const withOtherMerchantRequestId: CallbackBody = (callback) =>
  writeCallback({ ...callback, MerchantRequestID: createMerchantRequestId("current") });

export const notJson: CallbackBody = () => "ResultCode=0&ResultDesc=Success";

export const otherJson: CallbackBody = () =>
  JSON.stringify({ Result: { ResultType: 0, ResultCode: 0 } });

export const emptyBody: CallbackBody = () => "";

/** Replaces the last character of the path, so that the token in it is not valid. */
export function alterAddress(url: string): string {
  const altered = new URL(url);
  const { pathname } = altered;
  altered.pathname = pathname.slice(0, -1) + (pathname.endsWith("A") ? "B" : "A");
  return altered.href;
}
