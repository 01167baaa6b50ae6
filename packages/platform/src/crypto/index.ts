export { callbackKeys, createCallbackToken, verifyCallbackToken } from "./callback-token.ts";
export { type Cipher, createCipher, type KeyRing, parseKeyRing } from "./cipher.ts";
export { drawRandomBytes } from "./random-bytes.ts";
