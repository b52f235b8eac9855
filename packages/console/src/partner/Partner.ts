/**
 * The face of the console for partners and their shops.
 *
 * @module
 */
import * as Local from "@florin/api/wire/Local"
import * as Places from "../screens/Places.ts"
import { type Face, tabsOf } from "../shell/Face.ts"
import type { Page } from "../shell/Page.ts"
import icons from "./icons.json" with { type: "json" }
import * as Texts from "./Texts.ts"

/** On a developer's machine the first tab is for trying things. Elsewhere it does not exist. */
export const faceOf = ({ isLocal }: Page): Face => ({
  load: Texts.load,
  tabs: tabsOf(Texts.texts.tabs, icons, [
    ...(isLocal === true ? [["try", Local.screen, "t"] as const] : []),
    ["overview", "/", "o"],
    ["payments", "/payments", "p"],
    ["balances", "/balances", "b"],
    ["payouts", "/payouts", "u"],
    ["merchants", "/merchants", "m"],
    ["webhooks", "/webhooks", "w"],
    ["keys", "/keys", "k"],
    ["secondPerson", "/second-person", "y"],
    ["audit", "/audit", "a"],
  ]),
  screens: [
    ...(isLocal === true ? [{ path: Local.screen, load: () => import("./TryIt.tsx") }] : []),
    { path: "/", load: () => import("./Overview.tsx") },
    { path: "/payments", load: () => import("./Payments.tsx") },
    { path: "/payments/new", load: () => import("./Create.tsx") },
    { path: "/payments/:id", load: () => import("./PaymentScreen.tsx") },
    { path: "/balances", load: () => import("./Balances.tsx") },
    { path: "/payouts", load: () => import("./Payouts.tsx") },
    { path: "/payouts/:id", load: () => import("./PayoutScreen.tsx") },
    { path: "/merchants", load: () => import("./Merchants.tsx") },
    { path: "/merchants/:id", load: () => import("./MerchantScreen.tsx") },
    { path: "/merchants/:id/statement", load: () => import("./StatementScreen.tsx") },
    { path: "/webhooks", load: () => import("./Webhooks.tsx") },
    { path: "/webhooks/:id", load: () => import("./WebhookScreen.tsx") },
    { path: "/keys", load: () => import("../screens/Keys.tsx") },
    { path: "/second-person", load: () => import("../screens/SecondPerson.tsx") },
    { path: "/audit", load: () => import("../screens/Audit.tsx") },
  ],
  searchName: () => Texts.texts.search,
  search: (text) => Places.search("partner", text),
})
