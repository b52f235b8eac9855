/**
 * The pages that people see in a browser, if they are built: the checkout of payers, and the console.
 *
 * @module
 */
import * as Console from "@florin/console"
import * as Pages from "@florin/pages"
import * as WalletConnect from "@florin/walletconnect"
import * as Effect from "effect/Effect"
import * as Release from "../terminal/Release.ts"

type Options = Omit<Parameters<typeof Pages.load>[0], "walletConnect"> & {
  readonly walletConnect?: WalletConnect.Settings | undefined
}

/** Without them everything else still works, but links lead nowhere. */
export const load = ({ walletConnect, ...options }: Options) =>
  Effect.tryPromise(async () =>
    Pages.load({
      ...options,
      ...(walletConnect !== undefined && { walletConnect: WalletConnect.load(walletConnect) }),
    }),
  ).pipe(
    Effect.catch(() =>
      Effect.as(
        Effect.logWarning(
          "the checkout pages are not built, so payment links do not work: run pnpm --filter @florin/pages --filter @florin/walletconnect build:site",
        ),
        null,
      ),
    ),
  )

/** Without it the API still does everything that the console shows. */
export const loadConsole = Effect.try(() => ({
  ...Console.load(),
  version: Release.version(),
})).pipe(
  Effect.catch(() =>
    Effect.as(
      Effect.logWarning(
        "the console is not built, so nobody can open it: run pnpm --filter @florin/console build:site",
      ),
      null,
    ),
  ),
)
