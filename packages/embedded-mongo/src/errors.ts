/** MongoDB's error codes that this server uses, by name. */
export const codes = {
  InternalError: 1,
  BadValue: 2,
  UnknownError: 8,
  HostUnreachable: 6,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  LockTimeout: 24,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidIndexSpecificationOption: 197,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  ShutdownInProgress: 91,
  OperationFailed: 96,
  WriteConflict: 112,
  CommandNotSupported: 115,
  NoSuchTransaction: 251,
  TransactionTooOld: 225,
  TransactionCommitted: 256,
  TransactionTooLarge: 257,
  OperationNotSupportedInTransaction: 263,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  NotWritablePrimary: 10107,
  BSONObjectTooLarge: 10334,
  MechanismUnavailable: 334,
  DuplicateKey: 11000,
  Interrupted: 11601,
  InterruptedAtShutdown: 11600,
  InterruptedDueToReplStateChange: 11602,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  PrimarySteppedDown: 189,
} as const;

export type CodeName = keyof typeof codes;

const nameOfCode = new Map<number, string>(
  Object.entries(codes).map(([name, code]) => [code, name]),
);

export type ErrorExtra = { readonly [field: string]: unknown };

/**
 * An error as MongoDB answers it: `code`, `codeName`, `errmsg` and the fields that some codes add
 * (`keyPattern`, `keyValue`, `errorLabels`, …).
 */
export class MongoError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly extra: ErrorExtra;

  constructor(code: CodeName | number, message: string, extra: ErrorExtra = {}) {
    super(message);
    this.name = "MongoError";
    this.code = typeof code === "number" ? code : codes[code];
    // MongoDB names a code without a name after its location in the source.
    this.codeName = nameOfCode.get(this.code) ?? `Location${this.code}`;
    this.extra = extra;
  }

  get labels(): readonly string[] {
    const labels = this.extra["errorLabels"];
    return Array.isArray(labels) ? (labels as string[]) : [];
  }
}
