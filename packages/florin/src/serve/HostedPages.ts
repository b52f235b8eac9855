/**
 * The pages that payers see in a browser, if they are built.
 *
 * @module
 */
import * as Pages from "@florin/pages"
import * as Effect from "effect/Effect"

/** Without them everything else still works, but links lead nowhere. */
export const load = (told: Parameters<typeof Pages.load>[0]) =>
  Effect.tryPromise(() => Pages.load(told)).pipe(
    Effect.catch(() =>
      Effect.as(
        Effect.logWarning(
          "the checkout pages are not built, so payment links do not work: run pnpm --filter @florin/pages build:site",
        ),
        null,
      ),
    ),
  )
