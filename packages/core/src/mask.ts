/** Enough for its owner to know it again, and for nobody else to use it. */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 4)}${"•".repeat(Math.max(0, phone.length - 7))}${phone.slice(-3)}`;
}

export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return `${first}•••${email.slice(at)}`;
}
