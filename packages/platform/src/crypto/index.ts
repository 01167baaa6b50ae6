export { callbackKeys, callbackToken, transactionOfToken } from "./callback-token.ts";
export { type Cipher, createCipher, type KeyRing, parseKeyRing } from "./cipher.ts";
export { fewRandomBytes } from "./random-bytes.ts";
