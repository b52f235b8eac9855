/**
 * The face of the console for partners and their shops.
 *
 * @module
 */
import type { Face } from "../shell/Face.ts"
import * as Texts from "./Texts.ts"

const tab = (name: keyof ReturnType<typeof Texts.texts>["tabs"]) => () => Texts.texts().tabs[name]

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
  ],
  screens: [
    { path: "/", load: () => import("./Overview.tsx") },
    { path: "/payments", load: () => import("./Payments.tsx") },
    { path: "/payments/new", load: () => import("./Create.tsx") },
    { path: "/payments/:id", load: () => import("./PaymentScreen.tsx") },
  ],
  searchName: () => Texts.texts().search,
  search: (text) =>
    text.startsWith("pay_")
      ? `/payments/${encodeURIComponent(text)}`
      : `/payments?referenceId=${encodeURIComponent(text)}`,
}
