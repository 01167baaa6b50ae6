/** Something the person at the terminal can put right; the message alone is shown, without a stack. */
export class UserError extends Error {
  override readonly name = "Refusal";
}
