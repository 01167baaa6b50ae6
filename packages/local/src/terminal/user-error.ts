/** An error that the user can correct. The terminal shows its message without a stack. */
export class UserError extends Error {
  override readonly name = "UserError";
}
