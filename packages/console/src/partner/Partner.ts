/**
 * The face of the console for partners and their shops.
 *
 * @module
 */
import * as Places from "../screens/Places.ts"
import { type Face, tabsOf } from "../shell/Face.ts"
import icons from "./icons.json" with { type: "json" }
import * as Texts from "./Texts.ts"

export const face: Face = {
  load: Texts.load,
  tabs: tabsOf(Texts.texts.tabs, icons, [
    ["overview", "/", "o"],
    ["payments", "/payments", "p"],
    ["payouts", "/payouts", "u"],
    ["merchants", "/merchants", "m"],
    ["webhooks", "/webhooks", "w"],
    ["keys", "/keys", "k"],
    ["secondPerson", "/second-person", "y"],
    ["audit", "/audit", "a"],
  ]),
  screens: [
    { path: "/", load: () => import("./Overview.tsx") },
    { path: "/payments", load: () => import("./Payments.tsx") },
    { path: "/payments/new", load: () => import("./Create.tsx") },
    { path: "/payments/:id", load: () => import("./PaymentScreen.tsx") },
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
}
