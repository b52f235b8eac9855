/**
 * What every service needs before it takes a payment: a partner with keys, and a merchant who says where its money goes.
 *
 * @module
 */
import { makePartner, type Partner } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Fees from "@florin/core/domain/Fees"
import type * as Merchant from "@florin/core/domain/Merchant"
import type * as Mode from "@florin/core/domain/Mode"
import * as Money from "@florin/core/domain/Money"
import * as Version from "@florin/core/domain/Version"
import * as Keys from "@florin/core/engine/Keys"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Effect from "effect/Effect"
import * as Asked from "../access/Asked.ts"
import type * as Failure from "../Failure.ts"
import type * as IssuedKeys from "./IssuedKeys.ts"
import * as LocalChains from "./LocalChains.ts"

const merchantName = "Blue Door Coffee"

/** A merchant with a destination for every token; answers its id. */
export const merchant = (client: Partner): Effect.Effect<string, Failure.CommandFailed> =>
  Effect.gen(function* () {
    const created = yield* Asked.ask("creating a merchant", () =>
      client.merchants.create({
        merchantName,
        merchantEmail: "till@bluedoor.example",
      }),
    )
    const { id } = created.merchant
    const settlements = BuiltIn.catalog.assets.map(({ token }) => ({
      asset: Eip155.formatToken(token),
      destination: Eip155.formatAccount(LocalChains.treasury.account(token.chainId)),
    }))
    yield* Asked.ask("registering destinations", () =>
      client.settlements.create(id, { settlements }),
    )
    return id
  })

const inMode = Effect.fnUntraced(function* (
  baseUrl: string,
  partnerId: Merchant.PartnerId,
  mode: Mode.Mode,
) {
  const common = { mode, name: "florin dev", expiresAt: null } as const
  const partnerKey = yield* Keys.issue({ ...common, owner: { _tag: "Partner", partnerId } })
  const walletKey = yield* Keys.issue({
    ...common,
    owner: {
      _tag: "Wallet",
      name: "Pocket Wallet",
      iconUrl: null,
      versionPin: Version.newestStable,
    },
  })
  const client = makePartner({ baseUrl, apiKey: partnerKey.text })
  const merchantId = yield* merchant(client)
  // One of an earlier start has the same name, and would keep this one waiting.
  yield* Merchants.approve({ partnerId, mode }, merchantId, { name: merchantName, iconUrl: null })
  const issued: IssuedKeys.Issued = {
    partnerKey: partnerKey.text,
    walletKey: walletKey.text,
    merchantId,
  }
  return issued
})

/** Makes them, with a merchant for each mode that has a destination for every token. */
export const register = Effect.fn("FirstPartner.register")(function* (baseUrl: string) {
  const partner = yield* Keys.createPartner({
    name: "Corner Payments",
    feeTerms: {
      fixed: { currency: "USD", quantity: Money.Quantity.make(10n) },
      percentage: yield* Effect.fromResult(Fees.parsePercentage("0.4")),
    },
  })
  const both: IssuedKeys.Both = {
    test: yield* inMode(baseUrl, partner.id, "test"),
    live: yield* inMode(baseUrl, partner.id, "live"),
  }
  return both
})
