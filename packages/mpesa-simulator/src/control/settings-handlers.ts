import { z } from "zod";
import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import { parseJson } from "../http/parse-json.ts";
import { jsonReply } from "../http/reply.ts";
import { changeSettings, type Settings } from "../settings.ts";

export interface SettingsStore {
  readonly get: () => Settings;
  readonly set: (settings: Settings) => void;
  readonly reset: () => void;
}

/** `/faults` shows and changes all settings, not only the random faults. */
export function showFaults(store: SettingsStore): Handler {
  return () => answerWith(jsonReply(200, store.get()));
}

export function changeFaults(store: SettingsStore): Handler {
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
