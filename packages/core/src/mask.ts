/** Shows enough for the owner to recognise the number, and too little for others to use it. */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 4)}${"•".repeat(Math.max(0, phone.length - 7))}${phone.slice(-3)}`;
}

export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return `${first}•••${email.slice(at)}`;
}
