import fc from "fast-check";
import { expect, it } from "vitest";
import { newPublisherId } from "./outbox-position.ts";
import { beyondWatermark, positionOf, storedPosition } from "./stored-outbox.ts";

const id = newPublisherId(new Date("2026-11-21T08:00:00Z"));

it("a stored position is beyond a watermark exactly if its sequence is higher", () => {
  const sequence = fc.integer({ min: 0, max: 0xffff_fffe });
  fc.assert(
    fc.property(sequence, sequence, (watermark, other) => {
      const position = { publisherId: id, sequence: other };
      const stored = storedPosition(position);
      expect(positionOf(stored)).toEqual(position);
      const { $gt, $lte } = beyondWatermark({ id, watermark }).ticket;
      const hex = stored.ticket?.toHexString() ?? "";
      const isBeyond = hex > $gt.toHexString() && hex <= $lte.toHexString();
      expect(isBeyond).toBe(other > watermark);
    }),
  );
});
