/**
 * The face of the console for the operator.
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
    ["now", "/", "n"],
    ["outflows", "/outflows", "o"],
    ["unclaimed", "/unclaimed", "u"],
    ["accounts", "/accounts", "a"],
    ["chains", "/chains", "c"],
    ["relayers", "/relayers", "r"],
    ["partners", "/partners", "p"],
    ["merchants", "/merchants", "m"],
    ["keys", "/keys", "k"],
    ["secondPerson", "/second-person", "y"],
    ["audit", "/audit", "l"],
    ["checks", "/checks", "d"],
  ]),
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
    { path: "/merchants", load: () => import("./Merchants.tsx") },
    { path: "/merchants/:merchantId", load: () => import("./MerchantScreen.tsx") },
    { path: "/keys", load: () => import("../screens/Keys.tsx") },
    { path: "/second-person", load: () => import("../screens/SecondPerson.tsx") },
    { path: "/audit", load: () => import("../screens/Audit.tsx") },
    { path: "/checks", load: () => import("./Checks.tsx") },
    { path: "/payments/:paymentId", load: () => import("./PaymentScreen.tsx") },
  ],
  searchName: () => Texts.texts.search,
  search: (text) => Places.search("operator", text),
}
