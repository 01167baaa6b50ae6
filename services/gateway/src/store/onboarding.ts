import type { Service } from "@malipo/platform";

interface OnboardingDocument {
  readonly _id: string;
  readonly firstproductat: Date;
}

export type Onboarding = ReturnType<typeof openOnboarding>;

/** First steps of businesses, learned from the events of other services. */
export function openOnboarding({ store }: Pick<Service, "store">) {
  const collection = store.db.collection<OnboardingDocument>("onboarding");

  return {
    /** Keeps the earliest time, so events may come in any order and any number of times. */
    async recordFirstProducts(
      products: readonly { businessid: string; at: Date }[],
    ): Promise<void> {
      await collection.bulkWrite(
        products.map(({ businessid, at }) => ({
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
