/**
 * The pages that payers see in a browser, if they are built.
 *
 * @module
 */
import * as Pages from "@florin/pages"
import * as WalletConnect from "@florin/walletconnect"
import * as Effect from "effect/Effect"

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
