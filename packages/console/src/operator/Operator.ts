/**
 * The face of the console for the operator.
 *
 * @module
 */
import { type Face, screensOf } from "../shell/Face.ts"
import * as Path from "../shell/Path.ts"
import * as Texts from "./Texts.ts"

export const face: Face = {
  texts: Texts.texts,
  screens: screensOf(Texts.texts, [
    ["/", async () => (await import("./Now.tsx")).Screen, "now", "n"],
    ["/stuck", async () => (await import("./Stuck.tsx")).Screen],
    ["/outflows", async () => (await import("./Outflows.tsx")).All, "outflows", "o"],
    ["/outflows/short", async () => (await import("./Outflows.tsx")).Short],
    ["/outflows/:outflowId", async () => (await import("./Outflows.tsx")).One],
    ["/unclaimed", async () => (await import("./Unclaimed.tsx")).Screen, "unclaimed", "u"],
    ["/accounts", async () => (await import("./Accounts.tsx")).All, "accounts", "a"],
    ["/chains", async () => (await import("./Chains.tsx")).Screen, "chains", "c"],
    ["/relayers", async () => (await import("./Relayers.tsx")).Screen, "relayers", "r"],
    ["/partners", async () => (await import("./Partners.tsx")).All, "partners", "p"],
    ["/partners/:partnerId", async () => (await import("./Partners.tsx")).One],
    ["/approvals", async () => (await import("./Merchants.tsx")).Waiting],
    ["/merchants", async () => (await import("./Merchants.tsx")).All, "merchants", "m"],
    ["/merchants/:merchantId", async () => (await import("./Merchants.tsx")).One],
    ["/keys", async () => (await import("../screens/Keys.tsx")).Screen, "access", "k"],
    [
      Path.approvals,
      async () => (await import("../screens/SecondPerson.tsx")).Screen,
      "secondPerson",
      "y",
    ],
    ["/audit", async () => (await import("../screens/Audit.tsx")).Screen, "audit", "l"],
    ["/checks", async () => (await import("./Checks.tsx")).Screen, "checks", "d"],
    ["/payments/:paymentId", async () => (await import("./PaymentScreen.tsx")).Screen],
  ]),
}
