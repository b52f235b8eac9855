/**
 * The face of the console for partners and their shops.
 *
 * @module
 */
import * as Local from "@florin/api/wire/Local"
import { type Face, screensOf } from "../shell/Face.ts"
import type { Page } from "../shell/Page.ts"
import * as Path from "../shell/Path.ts"
import * as Texts from "./Texts.ts"

/** On a developer's machine the first tab is for trying things. Elsewhere it does not exist. */
export const faceOf = ({ isLocal }: Page): Face => ({
  texts: Texts.texts,
  screens: screensOf(Texts.texts, [
    ...(isLocal === true
      ? [[Local.screen, async () => (await import("./TryIt.tsx")).Screen, "try", "t"] as const]
      : []),
    ["/", async () => (await import("./Overview.tsx")).Screen, "overview", "o"],
    ["/payments", async () => (await import("./Payments.tsx")).Screen, "payments", "p"],
    ["/payments/new", async () => (await import("./Create.tsx")).Screen],
    ["/payments/:id", async () => (await import("./PaymentScreen.tsx")).Screen],
    ["/balances", async () => (await import("./Balances.tsx")).Screen, "balances", "b"],
    ["/payouts", async () => (await import("./Payouts.tsx")).All, "payouts", "u"],
    ["/payouts/:id", async () => (await import("./Payouts.tsx")).One],
    ["/merchants", async () => (await import("./Merchants.tsx")).All, "merchants", "m"],
    ["/merchants/:id", async () => (await import("./Merchants.tsx")).One],
    ["/merchants/:id/statement", async () => (await import("./StatementScreen.tsx")).Screen],
    ["/webhooks", async () => (await import("./Webhooks.tsx")).All, "webhooks", "w", "webhooks"],
    ["/webhooks/:id", async () => (await import("./Webhooks.tsx")).One],
    ["/keys", async () => (await import("../screens/Keys.tsx")).Screen, "access", "k", "keys"],
    [
      Path.approvals,
      async () => (await import("../screens/SecondPerson.tsx")).Screen,
      "secondPerson",
      "y",
    ],
    ["/audit", async () => (await import("../screens/Audit.tsx")).Screen, "audit", "a"],
  ]),
})
