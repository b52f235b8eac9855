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

/** Loads what was built; null, and a warning, if it was not. */
const loaded = <A>(read: () => A | Promise<A>, warning: string): Effect.Effect<A | null> =>
  Effect.tryPromise(async () => read()).pipe(
    Effect.catch(() => Effect.as(Effect.logWarning(warning), null)),
  )

/** Without them everything else still works, but links lead nowhere. */
export const load = ({ walletConnect, ...options }: Options) =>
  loaded(
    () =>
      Pages.load({
        ...options,
        ...(walletConnect !== undefined && { walletConnect: WalletConnect.load(walletConnect) }),
      }),
    "the checkout pages are not built, so payment links do not work: run pnpm --filter @florin/pages --filter @florin/walletconnect build:site",
  )

/** Without it the API still does everything that the console shows. */
export const loadConsole = loaded(
  () => ({ ...Console.load(), version: Release.version() }),
  "the console is not built, so nobody can open it: run pnpm --filter @florin/console build:site",
)
