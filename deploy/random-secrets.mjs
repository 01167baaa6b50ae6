import { randomBytes } from "node:crypto";

export const services = ["gateway", "subscription", "invoice", "payment", "webhook", "scheduler"];

/** The users of NATS: services, operators, and the system account's user. */
export const natsUsers = [...services, "ops", "sys"];

/** Begins with a letter, because nats-server can read a value that begins with a digit as a number. */
export const generatePassword = () => `p${randomBytes(32).toString("hex")}`;

export const generateEncryptionKey = () => randomBytes(32).toString("base64");
