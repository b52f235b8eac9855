/**
 * The face of the console for partners and their shops.
 *
 * @module
 */
import * as Places from "../screens/Places.ts"
import type { Face } from "../shell/Face.ts"
import * as Texts from "./Texts.ts"

const tab = (name: keyof typeof Texts.texts.tabs) => () => Texts.texts.tabs[name]

export const face: Face = {
  load: Texts.load,
  tabs: [
    {
      to: "/",
      key: "o",
      name: tab("overview"),
      icon: "M3 10h5V3H3zM3 17h5v-4H3zM12 17h5v-7h-5zM12 3v4h5V3z",
    },
    { to: "/payments", key: "p", name: tab("payments"), icon: "M2 5h16v10H2zM2 8h16M5 12h3" },
    { to: "/payouts", key: "u", name: tab("payouts"), icon: "M10 13V3M6 7l4-4 4 4M3 13v4h14v-4" },
    {
      to: "/merchants",
      key: "m",
      name: tab("merchants"),
      icon: "M3 8l1-5h12l1 5M3 8a2 2 0 0 0 4.7 0 2 2 0 0 0 4.6 0A2 2 0 0 0 17 8M4 10v7h12v-7",
    },
    { to: "/webhooks", key: "w", name: tab("webhooks"), icon: "M11 2L4 11h5l-1 7 8-10h-5z" },
    {
      to: "/keys",
      key: "k",
      name: tab("keys"),
      icon: "M7 16a4 4 0 1 1 3.5-6H18v3h-2v2h-3v-2h-2.5A4 4 0 0 1 7 16zM6.5 12h.01",
    },
    { to: "/audit", key: "a", name: tab("audit"), icon: "M5 2h7l4 4v12H5zM8 9h5M8 12h5M8 15h3" },
  ],
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
    { path: "/audit", load: () => import("../screens/Audit.tsx") },
  ],
  searchName: () => Texts.texts.search,
  search: (text) => Places.search("partner", text),
}
