/**
 * The hosted pages for `createFlorin`: what was built, and what the operator decides about it.
 *
 * @example
 * const pages = await Pages.load({ termsUrl, privacyUrl })
 * const florin = createFlorin({ payLinkHost, chains, pages })
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import * as Site from "./Site.ts"

/** Reads the pages into memory. Rejects if they are not built. */
export const load = async (
  settings: Omit<HostedPage.Pages, "site">,
): Promise<HostedPage.Pages> => ({
  ...settings,
  site: Site.load(),
})
