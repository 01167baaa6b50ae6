import { hash } from "node:crypto";

/**
 * The id of a delivery is made from its event and its endpoint, so an endpoint has one record of an
 * event however often the event comes. The id begins with the event's second and the last two digits
 * of its counter. So deliveries of one time are neighbours in the index, and a write changes few of
 * its pages.
 */
export function deliveryIdOf(eventid: string, endpointid: string): string {
  const key = hash("sha256", `${endpointid} ${eventid}`);
  const [, second, count] = /^evt_([0-9a-f]{8})[0-9a-f]{14}([0-9a-f]{2})$/.exec(eventid) ?? [];
  if (second === undefined || count === undefined) return key.slice(0, 24);
  return second + count + key.slice(0, 14);
}
