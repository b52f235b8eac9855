/**
 * The records that every service needs before it accepts a payment: a partner with keys, and a merchant with payout
 * destinations.
 *
 * @module
 */
import { makePartner, type Partner } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Version from "@florin/core/domain/ground/Version"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Effect from "effect/Effect"
import * as Asked from "../access/Asked.ts"
import type * as ReadyFile from "../access/ReadyFile.ts"
import type * as Failure from "../terminal/Failure.ts"
import * as LocalChains from "./LocalChains.ts"

/** Creates a merchant with a destination for every token; returns its id. */
export const merchant = (client: Partner): Effect.Effect<string, Failure.CommandFailed> =>
  Effect.gen(function* () {
    const created = yield* Asked.ask("creating a merchant", () =>
      client.merchants.create({
        merchantName: "Blue Door Coffee",
        merchantEmail: "till@bluedoor.example",
        brandColor: "#1f4e8c",
        supportEmail: "help@bluedoor.example",
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
  partnerId: PartnerId.PartnerId,
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
  const issued: ReadyFile.Issued = {
    partnerKey: partnerKey.text,
    walletKey: walletKey.text,
    merchantId: yield* merchant(client),
  }
  return issued
})

/** Creates a partner with keys, and for each mode a merchant with a destination for every token. */
export const register = Effect.fn("FirstPartner.register")(function* (baseUrl: string) {
  const partner = yield* Keys.createPartner({
    name: "Corner Payments",
    feeTerms: {
      fixed: yield* Effect.fromResult(Fees.parseFixed("0.10 USD, 0.09 EUR")),
      percentage: yield* Effect.fromResult(Fees.parsePercentage("0.4")),
    },
  })
  return {
    test: yield* inMode(baseUrl, partner.id, "test"),
    live: yield* inMode(baseUrl, partner.id, "live"),
  }
})
