/** A stream did not take events, or did not say that it did. */
export class NotOnStream extends Error {
  override readonly name = "NotOnStream";
}
