/**
 * Phone numbers that make a sandbox payment end, or fail, in a certain way. Each number always does the
 * same; any other number pays.
 */
export interface SandboxNumberGroup {
  readonly id: string;
  readonly title: string;
  /** The numbers of the group, with X for any digit. */
  readonly range: string;
  readonly about: string;
  readonly numbers: readonly { readonly number: string; readonly what: string }[];
}

export const sandboxNumbers = [
  {
    id: "outcome",
    title: "How the prompt ends",
    range: "2547000XXXXX",
    about:
      "The last five digits are the M-Pesa result code the prompt ends in, after about a second; any code will do, these are the known ones.",
    numbers: [
      { number: "254700000000", what: "Pays" },
      { number: "254700000001", what: "Has not enough money" },
      { number: "254700000002", what: "The amount is under the minimum" },
      { number: "254700000003", what: "The amount is over the maximum" },
      { number: "254700000004", what: "The payer's daily limit is reached" },
      { number: "254700000008", what: "The business's account is full" },
      { number: "254700000017", what: "The same amount was paid less than two minutes ago" },
      { number: "254700000026", what: "M-Pesa is busy" },
      { number: "254700001001", what: "The phone has another prompt open" },
      { number: "254700001019", what: "The transaction expired" },
      { number: "254700001025", what: "The prompt could not be sent" },
      { number: "254700001032", what: "Cancels" },
      { number: "254700001036", what: "The message centre did not acknowledge the prompt" },
      { number: "254700001037", what: "Cannot be reached, or does not answer" },
      { number: "254700001101", what: "The prompt's text is too long" },
      { number: "254700002001", what: "Types a wrong PIN" },
      { number: "254700002028", what: "The business may not receive this kind of payment" },
      { number: "254700008006", what: "The PIN is locked" },
      { number: "254700009999", what: "The prompt could not be sent, for another reason" },
    ],
  },
  {
    id: "refused",
    title: "The request is refused",
    range: "2547001000XX",
    about: "M-Pesa answers with response code XX; the phone is never prompted.",
    numbers: [
      { number: "254700100001", what: "Insufficient balance" },
      { number: "254700100002", what: "Less than the minimum amount" },
      { number: "254700100003", what: "More than the maximum amount" },
      { number: "254700100004", what: "Would exceed the daily limit" },
      { number: "254700100005", what: "Would exceed the minimum balance" },
      { number: "254700100006", what: "Unresolved primary party" },
      { number: "254700100007", what: "Unresolved receiver party" },
      { number: "254700100008", what: "Would exceed the maximum balance" },
      { number: "254700100011", what: "Debit party name mismatch" },
      { number: "254700100012", what: "Credit party name mismatch" },
    ],
  },
  {
    id: "provider-errors",
    title: "M-Pesa has a fault",
    range: "2547001001XX",
    about: "The request gets an error, and the phone is not prompted.",
    numbers: [
      { number: "254700100100", what: "503 with an HTML page" },
      { number: "254700100101", what: "500, internal server error" },
      { number: "254700100102", what: "500, spike arrest: too many requests" },
      { number: "254700100103", what: "500, the system is busy" },
      { number: "254700100104", what: "500, quota used up" },
      { number: "254700100105", what: "500, the subscriber is locked by another transaction" },
      { number: "254700100106", what: "500, wrong credentials, with a prefix to the text" },
      { number: "254700100107", what: "500, the merchant does not exist" },
      { number: "254700100108", what: "500 from the gateway in front, in its own shape" },
      { number: "254700100109", what: "429 from the gateway in front, in its own shape" },
      {
        number: "254700100110",
        what: "404, invalid access token; every second request gets through",
      },
      {
        number: "254700100111",
        what: "401, invalid access token; every second request gets through",
      },
      {
        number: "254700100112",
        what: "400, invalid access token; every second request gets through",
      },
      {
        number: "254700100113",
        what: "401, invalid access token in the gateway's shape, likewise",
      },
      { number: "254700100114", what: "404, invalid access token, every time" },
      { number: "254700100115", what: "200 with an HTML page" },
      { number: "254700100116", what: "200 with nothing" },
      { number: "254700100117", what: "400, the request has an invalid field" },
    ],
  },
  {
    id: "lost-answers",
    title: "The answer to the request gets lost or is slow",
    range: "2547001002XX",
    about: "Whether the phone was prompted cannot be known from the answer. It pays unless said.",
    numbers: [
      { number: "254700100200", what: "The connection is cut; not prompted" },
      { number: "254700100201", what: "Never answers; not prompted" },
      { number: "254700100202", what: "Never answers; prompted" },
      { number: "254700100203", what: "The connection is cut; prompted" },
      { number: "254700100204", what: "503 with an HTML page; prompted" },
      { number: "254700100205", what: "500, internal server error; prompted" },
      { number: "254700100206", what: "The answer stops in the middle; prompted" },
      { number: "254700100207", what: "Never answers; prompted, and the payer cancels" },
      { number: "254700100208", what: "Never answers; prompted, and the callback is lost too" },
      { number: "254700100209", what: "200 with an HTML page; prompted" },
      { number: "254700100210", what: "The answer is slow" },
      { number: "254700100211", what: "The answer is slow; the payer cancels" },
    ],
  },
  {
    id: "callbacks",
    title: "The callback comes at the wrong time, or not once",
    range: "2547001003XX",
    about: "The payer pays unless said.",
    numbers: [
      { number: "254700100300", what: "The callback is lost" },
      { number: "254700100301", what: "The payer cancels; the callback is lost" },
      { number: "254700100302", what: "The callback is late" },
      { number: "254700100303", what: "The payer cancels; the callback is late" },
      { number: "254700100304", what: "The callback comes three times at once" },
      { number: "254700100305", what: "The callback comes at once, and again late" },
      { number: "254700100306", what: "The callback comes before the request is answered" },
      {
        number: "254700100307",
        what: "Cancelled; the callback comes before the request is answered",
      },
      { number: "254700100308", what: "The callback comes after the next prompt's" },
      { number: "254700100310", what: "Says paid, then cancelled" },
      { number: "254700100311", what: "Says cancelled, then paid" },
      { number: "254700100312", what: "Says not reached, and paid much later" },
      { number: "254700100313", what: "Says paid and cancelled at the same moment" },
    ],
  },
  {
    id: "queries",
    title: "The status query errs",
    range: "2547001004XX",
    about: "The payer pays; the callback is lost unless said.",
    numbers: [
      { number: "254700100400", what: "The callback says paid, the query cancelled" },
      { number: "254700100401", what: "The callback says cancelled, the query paid" },
      { number: "254700100402", what: "Still being processed, for ever" },
      { number: "254700100403", what: "Still being processed for a while, then paid" },
      { number: "254700100404", what: "For a while result 4999, under processing; then paid" },
      { number: "254700100405", what: "500, spike arrest, every time" },
      { number: "254700100406", what: "503 with an HTML page, every time" },
      { number: "254700100407", what: "Never answers" },
      {
        number: "254700100408",
        what: "404, invalid access token; every second query gets through",
      },
      { number: "254700100409", what: "The checkout id is not known" },
      {
        number: "254700100410",
        what: "At first says not reached, then paid; the callback is late",
      },
    ],
  },
  {
    id: "contents",
    title: "The callback's contents vary",
    range: "2547001005XX",
    about: "The payer pays unless said.",
    numbers: [
      { number: "254700100500", what: "One shilling less than was asked" },
      { number: "254700100501", what: "One shilling more than was asked" },
      { number: "254700100502", what: "No receipt number" },
      { number: "254700100503", what: "No details at all" },
      { number: "254700100504", what: "The same receipt number every time" },
      { number: "254700100505", what: "The result code is a string" },
      { number: "254700100506", what: "All numbers are strings" },
      { number: "254700100507", what: "The payer's number is masked" },
      { number: "254700100508", what: "No payer's number" },
      { number: "254700100509", what: "Another payer's number" },
      { number: "254700100510", what: "No balance item" },
      { number: "254700100511", what: "A prefix to the text of the result" },
      { number: "254700100512", what: "Fails with SFC_IC0003, a result code that is no number" },
      { number: "254700100513", what: "Fails with an empty result code" },
      { number: "254700100514", what: "Fails with a result code nobody knows" },
      { number: "254700100515", what: "Items in another order, among unknown ones" },
      { number: "254700100516", what: "The amount has cents" },
    ],
  },
  {
    id: "forged",
    title: "Somebody else sends a callback",
    range: "2547001006XX",
    about:
      "A false callback that says paid comes first; then the payer cancels, and the true one says so.",
    numbers: [
      { number: "254700100600", what: "Both request ids are made up" },
      { number: "254700100601", what: "The callback address is altered" },
      { number: "254700100602", what: "The merchant request id is made up" },
      { number: "254700100603", what: "The body is no JSON" },
      { number: "254700100604", what: "The body is JSON of another kind" },
      { number: "254700100605", what: "The body is empty" },
    ],
  },
] as const satisfies readonly SandboxNumberGroup[];

const sandboxPatterns = sandboxNumbers.map(
  ({ range }) => new RegExp(`^${range.replaceAll("X", String.raw`\d`)}$`),
);

/** The number belongs to nobody: the simulator decides what it does. */
export function isSandboxNumber(phone: string): boolean {
  return sandboxPatterns.some((pattern) => pattern.test(phone));
}

export type SandboxNumber = (typeof sandboxNumbers)[number]["numbers"][number]["number"];
