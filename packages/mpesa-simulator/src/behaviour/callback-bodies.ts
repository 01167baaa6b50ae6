import { callbackText, type MetadataItem } from "../daraja/callback.ts";
import { merchantRequestId } from "../daraja/ids.ts";
import type { CallbackWriter } from "./behaviour.ts";

/** Callbacks as they have been seen, or as somebody might forge them. */

function withItems(change: (items: readonly MetadataItem[]) => MetadataItem[]): CallbackWriter {
  return (callback) => {
    const { CallbackMetadata } = callback;
    if (!CallbackMetadata) return callbackText(callback);
    return callbackText({ ...callback, CallbackMetadata: { Item: change(CallbackMetadata.Item) } });
  };
}

export function withValue(name: string, change: (value: unknown) => unknown): CallbackWriter {
  return withItems((items) =>
    items.map((item) => (item.Name === name ? { Name: name, Value: change(item.Value) } : item)),
  );
}

export function withoutItem(name: string): CallbackWriter {
  return withItems((items) => items.filter((item) => item.Name !== name));
}

export const withoutMetadata: CallbackWriter = ({ CallbackMetadata: _left, ...callback }) =>
  callbackText(callback);

export const withStringCode: CallbackWriter = (callback) =>
  callbackText({ ...callback, ResultCode: String(callback.ResultCode) });

export const withStrings: CallbackWriter = (callback, facts) =>
  withItems((items) =>
    items.map(({ Name, Value }) =>
      Value === undefined ? { Name } : { Name, Value: String(Value as number) },
    ),
  )({ ...callback, ResultCode: String(callback.ResultCode) }, facts);

export const withPrefix: CallbackWriter = (callback) =>
  callbackText({ ...callback, ResultDesc: `[STK_CB - ]${callback.ResultDesc}` });

export const withMaskedPhone: CallbackWriter = (callback, facts) =>
  withValue("PhoneNumber", () => `${facts.phone.slice(0, 4)} ***** ${facts.phone.slice(-3)}`)(
    callback,
    facts,
  );

export const amongUnknownItems: CallbackWriter = withItems((items) => [
  { Name: "B2CUtilityAccountAvailableFunds", Value: "" },
  ...items.toReversed(),
  { Name: "Remark", Value: null },
]);

export const withOtherIds: CallbackWriter = (callback) =>
  callbackText({
    ...callback,
    MerchantRequestID: merchantRequestId("current"),
    // As long as a real one, and nobody's.
    CheckoutRequestID: callback.CheckoutRequestID.replace(/\d{5}/, "99999"),
  });

export const withOtherMerchantRequest: CallbackWriter = (callback) =>
  callbackText({ ...callback, MerchantRequestID: merchantRequestId("current") });

export const notJson: CallbackWriter = () => "ResultCode=0&ResultDesc=Success";

export const anotherJson: CallbackWriter = () =>
  JSON.stringify({ Result: { ResultType: 0, ResultCode: 0 } });

export const nothing: CallbackWriter = () => "";

/** Somebody else's address, or nobody's: the path's last character is another one. */
export function alteredAddress(url: string): string {
  const altered = new URL(url);
  const { pathname } = altered;
  altered.pathname = pathname.slice(0, -1) + (pathname.endsWith("A") ? "B" : "A");
  return altered.href;
}
