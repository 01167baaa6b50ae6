import { z } from "zod";
import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import { jsonReply } from "../daraja/replies.ts";
import { parseJson } from "../http/parse-json.ts";
import { changeSettings, type Settings } from "../settings.ts";

export interface SettingsStore {
  readonly get: () => Settings;
  readonly set: (settings: Settings) => void;
  readonly reset: () => void;
}

export function showFaults(store: SettingsStore): Handler {
  return () => answerWith(jsonReply(200, store.get()));
}

export function putFaults(store: SettingsStore): Handler {
  return ({ body }): Answer => {
    const changed = changeSettings(store.get(), parseJson(body));
    if (!changed.success) {
      return answerWith(jsonReply(400, { error: z.prettifyError(changed.error) }));
    }
    store.set(changed.data);
    return answerWith(jsonReply(200, changed.data));
  };
}

export function resetFaults(store: SettingsStore): Handler {
  return () => {
    store.reset();
    return answerWith(jsonReply(200, store.get()));
  };
}
