import { writeFileSync } from "node:fs"
import * as Wallet from "@florin/testing/Wallet"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { setTimeout } from "node:timers/promises"
import * as Service from "./test/browser/Service.ts"
import * as OperatorConsole from "./test/browser/OperatorConsole.ts"
const s = await Service.start({ merchantName: "Blue Door Coffee" })
const { florin, partner, simulated } = s
const asset = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const token = Result.getOrThrow(Eip155.parseToken(asset))
const payee = "0x2222222222222222222222222222222222222222"
const [m] = (await partner.merchants.list()).merchants
await partner.settlements.create(m!.id, { settlements: [{ asset, destination: `eip155:8453:${payee}` }] })
const run = Effect.runPromise
await florin.operator.partners.change({ partnerId: s.partnerId, payouts: "immediate" })
const ids: string[] = []
for (let i = 0; i < 6; i++) {
  const order = await s.order({ referenceId: `ORDER-10${i}`, amount: { unit: "iso4217/USD", value: `${1250 + i * 317}` } })
  await s.payBy(order, Wallet.make(1 + i)).catch((e: unknown) => console.log(String(e)))
  ids.push(order.id)
}
await setTimeout(8000)
const payeeAddr = Result.getOrThrow(Eip155.parseAccount(`eip155:8453:${payee}`)).address
await run(simulated.block(payeeAddr))
for (let i = 0; i < 2; i++) {
  const order = await s.order({ referenceId: `HELD-10${i}`, amount: { unit: "iso4217/USD", value: `${4250 + i * 317}` } })
  await s.payBy(order, Wallet.make(11 + i)).catch((e: unknown) => console.log(String(e)))
  ids.push(order.id)
}
await setTimeout(8000)
await run(simulated.unblock(payeeAddr))
await run(simulated.setTransferFee(token, 100))
{ const order = await s.order({ referenceId: `MOVED-1`, amount: { unit: "iso4217/USD", value: `9900` } })
  await s.payBy(order, Wallet.make(14)).catch((e: unknown) => console.log(String(e))) }
await setTimeout(8000)
await run(simulated.setTransferFee(token, 0))
await run(simulated.transfer(Wallet.make(3).address, token, collectingWallets[0]!.address, Fixtures.quantity(7_250_000n)))
await partner.refunds.create({ paymentId: ids[0]!, amount: { unit: "iso4217/USD", value: "500" }, reason: "One bag was returned" }).catch((e: unknown) => console.log(String(e)))
await florin.operator.partners.create({ name: "Corner <img src=x onerror=window.florinTrap> & مقهى" })
const two = await florin.operator.partners.create({ name: "Blue D00r Payments", fees: { percentage: "1.2", fixed: [{ unit: "iso4217/USD", value: "10" }] }, payouts: "60m/500" })
await florin.operator.partners.freeze({ partnerId: two.id })
await florin.run(Lanes.stop("live", Eip155.chainId(137), "blocks that were final are gone: block 61234567 had another hash"))
await setTimeout(3000)
const o = await OperatorConsole.start(s)
writeFileSync("/tmp/florin/opcon-urls", JSON.stringify({ url: o.url, ids, links: [await o.link("Ada", ["read", "support", "treasury", "admin"]), await o.link("Ada", ["read", "support", "treasury", "admin"]), await o.link("Vic", ["read"])] }))
console.log("ready", o.url)
