/**
 * The pages that payers see in a browser, where they are built.
 *
 * @module
 */
import { load as loadSite } from "@florin/pages"
import type { EdgeSettings } from "@florin/server/EdgeSettings"
import * as Effect from "effect/Effect"

type Pages = NonNullable<EdgeSettings["Service"]["pages"]>

/** Without them everything else still works, and links lead nowhere. */
export const load = (told: Omit<Pages, "site">): Effect.Effect<Pages | null> =>
  Effect.try(() => loadSite()).pipe(
    Effect.map((site) => ({ ...told, site })),
    Effect.catch(() =>
      Effect.as(
        Effect.logWarning(
          "the checkout pages are not built, so payment links do not work: run pnpm --filter @florin/pages build:site",
        ),
        null,
      ),
    ),
  )
