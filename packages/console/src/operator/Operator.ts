import * as Places from "../screens/Places.ts"
/**
 * The face of the console for the operator.
 *
 * @module
 */
import type { Face } from "../shell/Face.ts"
import * as Texts from "./Texts.ts"

const tab = (name: keyof typeof Texts.texts.tabs) => () => Texts.texts.tabs[name]

export const face: Face = {
  load: Texts.load,
  tabs: [
    {
      to: "/",
      key: "n",
      name: tab("now"),
      icon: "M10 3a5 5 0 0 1 5 5v3l2 3H3l2-3V8a5 5 0 0 1 5-5zM8 17h4",
    },
    { to: "/outflows", key: "o", name: tab("outflows"), icon: "M3 10h13M11 5l5 5-5 5" },
    {
      to: "/unclaimed",
      key: "u",
      name: tab("unclaimed"),
      icon: "M10 2a8 8 0 1 0 .01 0zM8 8a2 2 0 1 1 2 2v2M10 14.5v.01",
    },
    {
      to: "/accounts",
      key: "a",
      name: tab("accounts"),
      icon: "M3 6h14v11H3zM3 6l3-3h8l3 3M13 11h4",
    },
    { to: "/chains", key: "c", name: tab("chains"), icon: "M3 3h6v6H3zM11 11h6v6h-6zM9 6h5v5" },
    {
      to: "/relayers",
      key: "r",
      name: tab("relayers"),
      icon: "M4 17V4h7v13zM11 9h3v5a1.5 1.5 0 0 0 3 0V7l-3-3M6 7h3",
    },
    {
      to: "/partners",
      key: "p",
      name: tab("partners"),
      icon: "M7 9a3 3 0 1 0-.01 0zM2 17c0-4 10-4 10 0M13 9a2.5 2.5 0 1 0-.01 0M14 12c3 0 4 2 4 4",
    },
    {
      to: "/keys",
      key: "k",
      name: tab("keys"),
      icon: "M13 3a4 4 0 1 1-3 6l-6 6v2h3v-2h2v-2l2-2M14 6v.01",
    },
    { to: "/audit", key: "l", name: tab("audit"), icon: "M5 2h10v16H5zM8 6h4M8 10h4M8 14h2" },
    { to: "/checks", key: "d", name: tab("checks"), icon: "M10 2a8 8 0 1 0 .01 0zM6 10l3 3 5-6" },
  ],
  screens: [
    { path: "/", load: () => import("./Now.tsx") },
    { path: "/stuck", load: () => import("./Stuck.tsx") },
    { path: "/outflows", load: () => import("./Outflows.tsx") },
    { path: "/outflows/short", load: () => import("./Short.tsx") },
    { path: "/outflows/:outflowId", load: () => import("./OutflowScreen.tsx") },
    { path: "/unclaimed", load: () => import("./Unclaimed.tsx") },
    { path: "/accounts", load: () => import("./Accounts.tsx") },
    { path: "/accounts/:movement", load: () => import("./Float.tsx") },
    { path: "/chains", load: () => import("./Chains.tsx") },
    { path: "/relayers", load: () => import("./Relayers.tsx") },
    { path: "/partners", load: () => import("./Partners.tsx") },
    { path: "/partners/:partnerId", load: () => import("./PartnerScreen.tsx") },
    { path: "/approvals", load: () => import("./Approvals.tsx") },
    { path: "/merchants/:merchantId", load: () => import("./MerchantScreen.tsx") },
    { path: "/keys", load: () => import("../screens/Keys.tsx") },
    { path: "/audit", load: () => import("../screens/Audit.tsx") },
    { path: "/checks", load: () => import("./Checks.tsx") },
    { path: "/payments/:paymentId", load: () => import("./PaymentScreen.tsx") },
  ],
  searchName: () => Texts.texts.search,
  search: (text) => Places.search("operator", text),
}
