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
import type * as Settings from "./Settings.ts"

/** Loads what was built; null, and a warning, if it was not. */
const loaded = <A>(read: () => A | Promise<A>, warning: string): Effect.Effect<A | null> =>
  Effect.tryPromise(async () => read()).pipe(
    Effect.catch(() => Effect.as(Effect.logWarning(warning), null)),
  )

/** Without them everything else still works, but links lead nowhere. */
export const load = (values: Settings.Values, publicUrl: string) => {
  const { walletConnectProject: projectId, walletConnectRelay: relayUrl } = values
  const name = new URL(publicUrl).host
  return loaded(
    () =>
      Pages.load({
        // If no data is collected, nobody has to accept any terms.
        termsUrl: values.termsUrl ?? publicUrl,
        privacyUrl: values.privacyUrl ?? publicUrl,
        frameAncestors: values.frameAncestor,
        explorers: values.explorer,
        allowPrivateLogos: values.privateLogos,
        ...(projectId !== null && {
          walletConnect: WalletConnect.load({
            projectId,
            name,
            ...(relayUrl !== null && { relayUrl }),
          }),
        }),
      }),
    "the checkout pages are not built, so payment links do not work: run pnpm --filter @florin/pages --filter @florin/walletconnect build:site",
  )
}

/** Without it the API still does everything that the console shows. */
export const loadConsole = loaded(
  () => ({ ...Console.load(), version: Release.version() }),
  "the console is not built, so nobody can open it: run pnpm --filter @florin/console build:site",
)
