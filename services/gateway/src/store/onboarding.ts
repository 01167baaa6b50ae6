import type { Service } from "@malipo/platform";

interface OnboardingDocument {
  readonly _id: string;
  readonly firstproductat: Date;
}

export type Onboarding = ReturnType<typeof openOnboarding>;

/** How businesses get going, told by the events of other services. */
export function openOnboarding({ store }: Service) {
  const collection = store.db.collection<OnboardingDocument>("onboarding");

  return {
    /** The earliest moment stands, in whatever order and however often the news comes. */
    async noteFirstProducts(moments: readonly { businessid: string; at: Date }[]): Promise<void> {
      await collection.bulkWrite(
        moments.map(({ businessid, at }) => ({
          updateOne: {
            filter: { _id: businessid },
            update: { $min: { firstproductat: at } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },

    async firstProductOf(businessid: string): Promise<Date | null> {
      const found = await collection.findOne({ _id: businessid });
      return found?.firstproductat ?? null;
    },
  };
}
