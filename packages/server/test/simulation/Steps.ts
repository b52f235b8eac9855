/**
 * Everything that may happen in a simulated world, as one table: how often each step is drawn, and which kind of trouble
 * it belongs to. A seed turns some troubles on and others off.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { Assets } from "@florin/core/ports/Assets"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Auditor from "@florin/core/workers/Auditor"
import * as Cleaner from "@florin/core/workers/Cleaner"
import * as Collector from "@florin/core/workers/Collector"
import * as Expirer from "@florin/core/workers/Expirer"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Payer from "@florin/core/workers/Payer"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Sender from "@florin/core/workers/Sender"
import * as WebhookSender from "@florin/core/workers/WebhookSender"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Reading from "@florin/testing/oracle/Reading"
import * as Delivery from "@florin/testing/simulated/Delivery"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import { Context, Effect } from "effect"
import * as WebhookBody from "../../src/WebhookBody.ts"
import * as Drawing from "../../test-support/drawing.ts"
import * as Actors from "./Actors.ts"
import type * as World from "./World.ts"

/** What may be on in a world. */
const troubles = [
  "deaths",
  "sleeps",
  "storage",
  "responses",
  "pauses",
  "nodes",
  "lag",
  "reorganisations",
  "strangers",
  "screening",
  "blocklists",
  "pausedTokens",
  "halts",
  "bids",
  "nonces",
  "clocks",
  "policies",
  "freezes",
  "destinations",
  "limits",
  "forms",
  "deletions",
] as const
export type Trouble = (typeof troubles)[number]

/** One thing that happens. Everything that it draws follows from its seed. */
export interface Step {
  readonly name: string
  readonly seed: number
}

/** A world's whole life, which can be played again, and made shorter. */
export interface Plan {
  readonly seed: number
  readonly processes: number
  readonly finalityDepth: number
  readonly troubles: ReadonlyArray<Trouble>
  readonly steps: ReadonlyArray<Step>
}

export interface Stage {
  readonly world: World.World
  readonly partners: ReadonlyArray<Actors.Partner>
  readonly walletKey: string
  readonly known: Array<Actors.Known>
  /** The orders that were numbered. */
  readonly orders: { count: number }
}

const oneOf = <A>(draw: Drawing.Draw, items: ReadonlyArray<A>): A =>
  items[draw(items.length)] ?? Actors.raise("there is nothing to choose from")

const chainOf = ({ world }: Stage) => Context.get(world.shared, SimulatedChain)

type Play = (stage: Stage, draw: Drawing.Draw) => void

/** Somebody outside does this; nobody waits for it. */
const outside =
  (script: (stage: Stage, draw: Drawing.Draw) => Effect.Effect<unknown>): Play =>
  (stage, draw) =>
    stage.world.outside.run(script(stage, draw))

/** About a payment that was asked for. */
const about = (
  script: (known: Actors.Known, stage: Stage, draw: Drawing.Draw) => Effect.Effect<unknown>,
): Play =>
  outside((stage, draw) =>
    stage.known.length === 0 ? Effect.void : script(oneOf(draw, stage.known), stage, draw),
  )

const onChain = (
  change: (
    chain: SimulatedChain["Service"],
    draw: Drawing.Draw,
    stage: Stage,
  ) => Effect.Effect<unknown, unknown>,
): Play => outside((stage, draw) => Effect.ignore(change(chainOf(stage), draw, stage)))

const confirm = (known: Actors.Known, stage: Stage) =>
  known.signed === null
    ? Effect.void
    : Actors.persist(stage.world, {
        path: `/v1/gateway/payment/${known.id}/confirm`,
        key: stage.walletKey,
        body: known.signed.body,
      })

const pay = Effect.fnUntraced(function* (known: Actors.Known, stage: Stage, draw: Drawing.Draw) {
  const wallet = oneOf(draw, Actors.payers)
  const signed = yield* Actors.sign(stage.world, stage.walletKey, known.id, wallet, draw)
  if (signed === null) return
  known.signed = signed
  yield* Effect.sleep(draw(2000))
  if (draw(6) === 0) return
  yield* confirm(known, stage)
  if (draw(5) === 0) yield* confirm(known, stage)
})

/** What a wallet signed for one payment is handed in for another one, too. */
const reuse = Effect.fnUntraced(function* (known: Actors.Known, stage: Stage, draw: Drawing.Draw) {
  const { signed } = oneOf(draw, stage.known)
  const other = yield* Actors.sign(
    stage.world,
    stage.walletKey,
    known.id,
    oneOf(draw, Actors.payers),
    draw,
    (option) =>
      signed !== null &&
      Reading.text(option, "amount", "unit") === Reading.text(signed.option, "amount", "unit"),
  )
  if (signed === null || other === null) return
  known.signed = {
    ...other,
    outputs: signed.outputs,
    body: Actors.confirmOf(other.option, signed.outputs),
  }
  yield* confirm(known, stage)
})

const amounts: ReadonlyArray<(draw: Drawing.Draw) => Evidence.Json> = [
  (draw) => ({ unit: "iso4217/USD", value: `${100 + draw(2000)}` }),
  (draw) => ({ unit: "iso4217/USD", value: `${1 + draw(90)}` }),
  // Many cost the same, so that one transfer could stand for another.
  () => ({ unit: "iso4217/USD", value: "500" }),
  () => ({ unit: "iso4217/USD", value: "500" }),
]

const open = Effect.fnUntraced(function* (stage: Stage, draw: Drawing.Draw) {
  const partner = oneOf(draw, stage.partners)
  const { id: merchantId } = oneOf(draw, partner.shops)
  // Some are asked for again, with the same key or by mistake for something else.
  const number = draw(6) === 0 ? draw(stage.orders.count + 1) : stage.orders.count++
  const request: World.Request = {
    path: "/v1/payments",
    key: partner.key,
    merchantId,
    idempotencyKey: `order ${number}`,
    body: {
      referenceId: `ORDER-${number}`,
      amount: oneOf(draw, amounts)(Drawing.make(number)),
      ...(draw(4) === 0 && {
        expiresAt: Math.floor(stage.world.machine.now() / 1000) + 60 + draw(600),
      }),
    },
  }
  // The same request may be on its way twice.
  const both = draw(6) === 0 ? [request, request] : [request]
  const [response] = yield* Effect.forEach(both, (each) => Actors.persist(stage.world, each), {
    concurrency: "unbounded",
  })
  const id = Reading.text(response?.body, "paymentId")
  if (id === "") return
  const earlier = stage.known.find((each) => each.id === id)
  const known: Actors.Known = earlier ?? { id, partner, merchantId, signed: null }
  if (earlier === undefined) stage.known.push(known)
  if (draw(5) > 0) yield* pay(known, stage, draw)
})

/** Of the whole payment, or of a few cents or dollars of it. */
const refund = ({ id, merchantId, partner }: Actors.Known, stage: Stage, draw: Drawing.Draw) => {
  const value = draw(3) === 0 ? (1 + draw(draw(2) === 0 ? 10 : 500)).toString() : null
  return Actors.persist(stage.world, {
    path: "/v1/refunds",
    key: partner.key,
    merchantId,
    idempotencyKey: `refund ${value ?? "all"} of ${id} ${draw(3)}`,
    body: {
      paymentId: id,
      ...(value !== null && { amount: { unit: "iso4217/USD", value }, reason: `seed ${value}` }),
    },
  })
}

/** Mostly of those that were signed some time ago: the others are refused. */
const refundSome = (stage: Stage, draw: Drawing.Draw) => {
  const signed = stage.known.filter((each) => each.signed !== null)
  const older = signed.slice(0, Math.ceil(signed.length / 2))
  const [first, ...rest] = draw(4) === 0 ? stage.known : older
  return first === undefined ? Effect.void : refund(oneOf(draw, [first, ...rest]), stage, draw)
}

/** Where payers want refunds, if not on the account that paid. */
const elsewhere = "0x00000000000000000000000000000000005afe01"

/** To another account, for which the payer signs, or a stranger. */
const refundElsewhere = Effect.fnUntraced(function* (
  { id, merchantId, partner: { key }, signed }: Actors.Known,
  { world }: Stage,
  draw: Drawing.Draw,
) {
  if (signed === null) return
  const chainId = Reading.text(signed.option, "account").split(":").slice(0, 2).join(":")
  const request = {
    paymentId: id,
    destination: `${chainId}:${elsewhere}`,
    ...(draw(3) > 0 && { amount: { unit: "iso4217/USD", value: `${1 + draw(300)}` } }),
  }
  const path = "/v1/refunds/destination"
  const asked = yield* Actors.persist(world, { path, key, merchantId, body: request })
  const statement = Reading.text(asked?.body, "statement")
  const proof = (draw(3) === 0 ? Actors.stranger : signed.by).signMessage(statement)
  yield* Effect.sleep(draw(2) === 0 ? 0 : draw(60_000))
  yield* Actors.persist(world, {
    path: "/v1/refunds",
    key,
    merchantId,
    idempotencyKey: `refund elsewhere ${proof.slice(0, 40)}`,
    body: { ...request, statement, proof },
  })
})

const cancel = ({ id, merchantId, partner }: Actors.Known, stage: Stage, draw: Drawing.Draw) =>
  stage.world.call(
    draw(2) === 0
      ? { path: `/v1/gateway/payment/${id}/cancel`, key: stage.walletKey, body: {} }
      : { path: `/v1/payments/${id}/cancel`, key: partner.key, merchantId, body: {} },
  )

const look = ({ id, merchantId, partner }: Actors.Known, stage: Stage, draw: Drawing.Draw) =>
  stage.world.call(
    oneOf(draw, [
      { path: `/v1/gateway/payment/${id}/status`, key: stage.walletKey },
      { path: `/v1/payments/${id}`, key: partner.key, merchantId },
      { path: `/v1/payments/${id}/status`, key: partner.key, merchantId },
      { path: "/v1/payments?limit=5", key: partner.key },
      { path: "/v1/events?limit=10", key: partner.key },
    ]),
  )

/** What the workers of one process do in one round; where one fails, the next ones still go on. */
export const round = Effect.gen(function* () {
  const render = WebhookBody.render(yield* Assets)
  const exits = [
    yield* Effect.exit(Expirer.drain),
    yield* Effect.exit(Collector.drain),
    yield* Effect.exit(Payer.drain),
    yield* Effect.exit(Sender.drain),
    yield* Effect.exit(LateWatcher.drain),
    yield* Effect.exit(Auditor.drain),
    yield* Effect.exit(WebhookSender.drain(render)),
  ]
  for (const exit of exits) yield* exit
})
export const scan = Effect.andThen(Scanner.drain, Cleaner.drain)
/** Both, one after the other: a process that works already takes nothing more. */
export const everything = Effect.gen(function* () {
  const exits = [yield* Effect.exit(round), yield* Effect.exit(scan)]
  for (const exit of exits) yield* exit
})

/** What our transaction for a payment shows to everybody while it waits for a block. */
const shown = Effect.fnUntraced(function* ({ known, world }: Stage, draw: Drawing.Draw) {
  if (known.length === 0) return null
  const { id, signed } = oneOf(draw, known)
  const payment = yield* Context.get(world.shared, PaymentStore).payment(
    PaymentId.PaymentId.make(id),
  )
  const { state } = payment
  return state._tag === "Processing" && state.slot !== null && signed !== null
    ? { option: state.attempt.option, signature: signed.outputs[0] ?? "" }
    : null
})

/** A stranger copies what our transaction shows, and is in a block first. */
const frontRun = onChain((chain, draw, stage) =>
  Effect.flatMap(shown(stage, draw), (seen) =>
    seen === null || seen.option.flow !== "eip3009"
      ? Effect.void
      : chain.submitAuthorization(seen.option, seen.signature, Actors.stranger.address),
  ),
)

/** A payer takes an authorization back that is on its way. */
const revoke = onChain((chain, draw, stage) =>
  Effect.flatMap(shown(stage, draw), (seen) =>
    seen === null || seen.option.flow !== "eip3009"
      ? Effect.void
      : chain.cancelAuthorization(seen.option),
  ),
)

/** Somebody sends money that no payment asked for, or that repeats one. */
const giveMore = onChain((chain, draw) => {
  const token = oneOf(draw, Actors.tokens)
  const { address: to } = oneOf(draw, collectingWallets)
  const quantity = Money.Quantity.make(BigInt(1 + draw(20)) * 10n ** 6n)
  return chain.transfer(oneOf(draw, Actors.payers).address, token, to, quantity)
})

const addresses = Actors.payers.map(({ address }) => address)

/** The chains that were stopped are let go on, as an operator does who has looked. */
export const resumeAll = Effect.forEach(Actors.chainIds, (each) =>
  Effect.ignore(Lanes.resume("test", each)),
)

/** What an operator does, by a command or from a program: in some process, beside its other work. */
const operate =
  (
    change: (stage: Stage, draw: Drawing.Draw) => Effect.Effect<unknown, unknown, World.Ports>,
  ): Play =>
  (stage, draw) => {
    const { ports, life } = stage.world.anyServer()
    life.run(Effect.provideContext(Effect.ignore(change(stage, draw)), ports))
  }

const policies: ReadonlyArray<PayoutPolicy.PayoutPolicy> = [
  PayoutPolicy.immediate,
  { _tag: "Batched", everyInMs: 60_000 },
  { _tag: "Batched", everyInMs: 600_000, atUnits: 10 },
]
const tenantOf = ({ id }: Actors.Partner) => ({ partnerId: id, mode: "test" }) as const

const setPolicy = operate(({ partners }, draw) => {
  const partner = oneOf(draw, partners)
  const policy = oneOf(draw, policies)
  return draw(2) === 0
    ? Merchants.changePartner(partner.id, { payouts: policy })
    : Merchants.changeAsOperator(tenantOf(partner), oneOf(draw, partner.shops).id, {
        payouts: policy,
      })
})

const measure = operate(({ partners }, draw) => {
  const partner = oneOf(draw, partners)
  const taken = oneOf(draw, Merchant.measures)
  return draw(3) === 0
    ? Merchants.takeOfPartner(partner.id, taken)
    : Merchants.take(tenantOf(partner), oneOf(draw, partner.shops).id, taken)
})

const limit = operate(({ partners }, draw) => {
  const { id } = oneOf(draw, partners)
  const quantity = Money.Quantity.make(BigInt(500 + draw(2000)))
  const some: Credit.Credit = { _tag: "Limited", amounts: [{ currency: "USD", quantity }] }
  const isNone = draw(2) === 0
  return oneOf(draw, [
    Merchants.changePartner(id, { credit: { test: isNone ? Credit.none : some } }),
    Merchants.changePartner(id, { limits: { test: { payoutsPerDay: isNone ? null : some } } }),
    Merchants.changePartner(id, { limits: { test: { refundsPerDay: isNone ? null : some } } }),
    Merchants.changePartner(id, { limits: { test: { payoutDelayInMs: isNone ? null : 60_000 } } }),
    Merchants.changePartner(id, { limits: { test: { netsMerchants: isNone } } }),
  ])
})

/** A partner sends a shop's money to another account from now on. */
const redirect = outside(({ partners, world }, draw) => {
  const { key, shops } = oneOf(draw, partners)
  const { destinations, id } = oneOf(draw, shops)
  const which = draw(destinations.length)
  const chainId = Actors.tokens[which]?.chainId ?? Actors.raise("there is no such token")
  return world.call({
    method: "PUT",
    path: `/v1/merchants/${id}/settlements/crypto/${destinations[which]}`,
    key,
    body: { destination: `${chainId}:${Actors.treasury(draw(6))}` },
  })
})

/** A partner has nothing more paid to an account, or closes a shop; what is owed is still paid. */
const remove = outside(({ partners, world }, draw) => {
  const { key, shops } = oneOf(draw, partners)
  const { destinations, id } = oneOf(draw, shops)
  const path = `/v1/merchants/${id}`
  return world.call({
    method: "DELETE",
    path: draw(6) === 0 ? path : `${path}/settlements/crypto/${oneOf(draw, destinations)}`,
    key,
  })
})

/** It names an account again. */
const registerAt = (
  { partner: { key }, shop: { id }, world }: ShopOf,
  token: Caip.Token,
  treasury: string,
  idempotencyKey: string,
) =>
  Actors.persist(world, {
    path: `/v1/merchants/${id}/settlements/crypto`,
    key,
    idempotencyKey,
    body: {
      settlements: [
        { asset: Eip155.formatToken(token), destination: `${token.chainId}:${treasury}` },
      ],
    },
  })
interface ShopOf {
  readonly world: World.World
  readonly partner: Actors.Partner
  readonly shop: Actors.Shop
}

const register = outside(({ partners, world }, draw) => {
  const partner = oneOf(draw, partners)
  const shop = oneOf(draw, partner.shops)
  const treasury = Actors.treasury(draw(6))
  return registerAt(
    { partner, shop, world },
    oneOf(draw, Actors.tokens),
    treasury,
    `register ${draw(1000)}`,
  )
})

/** Every shop that is open names an account for each token, where it has none. */
export const registerAll = ({ partners, world }: Stage) =>
  Effect.forEach(partners, (partner) =>
    Effect.forEach(partner.shops, (shop) =>
      Effect.forEach(Actors.tokens, (token) =>
        registerAt(
          { partner, shop, world },
          token,
          Actors.treasury(0),
          `register ${shop.id} ${token.chainId}`,
        ),
      ),
    ),
  )

/** What a closed shop has no account for can only go back to its payers: all that is left of it. */
export const refundUnaccounted = ({ known, world }: Stage) =>
  Effect.forEach(known, ({ id, merchantId, partner: { key } }) =>
    Effect.gen(function* () {
      const details = yield* Actors.persist(world, { path: `/v1/payments/${id}`, key, merchantId })
      if (Reading.text(details?.body, "payout", "reason") !== "destination") return
      const before = Reading.list(details?.body, "refunds")
      const unit = Reading.text(details?.body, "amount", "unit")
      const left = before.reduce<bigint>(
        (rest, each) => rest - BigInt(Reading.text(each, "requested", "value")),
        BigInt(Reading.text(details?.body, "amount", "value")),
      )
      yield* Actors.persist(world, {
        path: "/v1/refunds",
        key,
        merchantId,
        idempotencyKey: `unaccounted ${id}`,
        body: {
          paymentId: id,
          ...(before.length > 0 && { amount: { unit, value: left.toString() } }),
        },
      })
    }),
  )

/** Everything is allowed again. */
export const trustAll = (partners: ReadonlyArray<Actors.Partner>) =>
  Effect.forEach(partners, (partner) =>
    Effect.orDie(
      Effect.gen(function* () {
        const { id, shops } = partner
        yield* Merchants.takeOfPartner(id, "resume")
        yield* Merchants.takeOfPartner(id, "unfreeze")
        yield* Merchants.changePartner(id, { payouts: PayoutPolicy.immediate })
        yield* Merchants.changePartner(id, { credit: { test: null } })
        yield* Merchants.changePartner(id, {
          limits: {
            test: {
              payoutsPerDay: null,
              refundsPerDay: null,
              payoutDelayInMs: null,
            },
          },
        })
        for (const shop of shops) {
          const tenant = tenantOf(partner)
          yield* Merchants.take(tenant, shop.id, "resume")
          yield* Merchants.take(tenant, shop.id, "unfreeze")
          // Nobody sets what a closed shop is paid by.
          yield* Effect.ignore(Merchants.changeAsOperator(tenant, shop.id, { payouts: null }))
        }
      }),
    ),
  )

/** Weight, trouble (null: always), and what happens. */
export const table: { readonly [name: string]: readonly [number, Trouble | null, Play] } = {
  open: [26, null, outside(open)],
  pay: [6, null, about(pay)],
  confirm: [6, null, about(confirm)],
  reuse: [3, "strangers", about(reuse)],
  cancel: [3, null, about(cancel)],
  refund: [8, null, outside(refundSome)],
  refundElsewhere: [3, null, about(refundElsewhere)],
  look: [8, null, about(look)],
  work: [50, null, ({ world }) => world.work(round)],
  scan: [4, null, ({ world }) => world.work(scan)],
  mine: [24, null, onChain((chain, draw) => chain.mine(oneOf(draw, Actors.chainIds), 1 + draw(3)))],
  pass: [12, null, ({ world }, draw) => world.machine.runUntil(world.machine.now() + draw(20_000))],
  leap: [2, null, ({ world }, draw) => world.machine.runUntil(world.machine.now() + draw(300_000))],
  die: [
    6,
    "deaths",
    ({ world }, draw) => {
      world.anyServer().dies = { calls: draw(60), isCarriedOut: draw(2) === 0 }
    },
  ],
  kill: [1, "deaths", ({ world }) => world.kill(world.anyServer())],
  sleep: [
    3,
    "sleeps",
    ({ world }, draw) => world.anyServer().life.sleepUntil(world.machine.now() + draw(180_000)),
  ],
  disturb: [
    4,
    "nodes",
    onChain((chain, draw) => chain.disturb({ seed: draw(1000), perMille: draw(300) })),
  ],
  calm: [4, "nodes", onChain((chain) => chain.disturb(null))],
  lag: [4, "lag", onChain((chain, draw) => chain.lag(oneOf(draw, Actors.chainIds), draw(3)))],
  deliver: [3, "lag", onChain((chain, draw) => chain.deliver(oneOf(draw, Delivery.styles)))],
  reorg: [
    8,
    "reorganisations",
    onChain((chain, draw, { world }) =>
      Effect.gen(function* () {
        const lanes = yield* chain.lanes
        const stores = Context.get(world.shared, LaneStore)
        // Only ours may be forgotten: nobody but a wallet sends its transaction again.
        const sent = yield* Effect.forEach(lanes, ({ lane }) => stores.laneTransactions(lane, 0))
        const drop = draw(2) === 0 ? sent.flat().map(({ hash }) => hash) : []
        yield* chain.reorg(oneOf(draw, Actors.chainIds), 1 + draw(chain.finalityDepth), { drop })
      }),
    ),
  ],
  frontRun: [4, "strangers", frontRun],
  revoke: [2, "strangers", revoke],
  giveMore: [2, "strangers", giveMore],
  deny: [1, "screening", ({ world }, draw) => void world.denied.add(oneOf(draw, addresses))],
  allow: [2, "screening", ({ world }) => world.denied.clear()],
  block: [1, "blocklists", onChain((chain, draw) => chain.block(oneOf(draw, addresses)))],
  unblock: [
    2,
    "blocklists",
    onChain((chain) => Effect.forEach(addresses, (each) => chain.unblock(each))),
  ],
  pause: [1, "pausedTokens", onChain((chain, draw) => chain.pause(oneOf(draw, Actors.tokens)))],
  unpause: [
    2,
    "pausedTokens",
    onChain((chain) => Effect.forEach(Actors.tokens, (each) => chain.unpause(each))),
  ],
  halt: [1, "halts", onChain((chain, draw) => chain.halt(oneOf(draw, Actors.chainIds)))],
  setPolicy: [3, "policies", setPolicy],
  measure: [4, "freezes", measure],
  redirect: [3, "destinations", redirect],
  limit: [4, "limits", limit],
  remove: [2, "deletions", remove],
  register: [4, "deletions", register],
  tellAhead: [2, "nonces", ({ world }, draw) => world.tellAhead(draw(4))],
  tellTruly: [2, "nonces", ({ world }) => world.tellAhead(0)],
  letGoOn: [3, "nonces", ({ world }) => world.work(resumeAll)],
  resume: [
    3,
    "halts",
    onChain((chain) => Effect.forEach(Actors.chainIds, (each) => chain.resume(each))),
  ],
}

/** The plan that follows from a seed. */
export const planOf = (seed: number, stepCount: number): Plan => {
  const draw = Drawing.make(seed)
  const on = troubles.filter(() => draw(2) === 0)
  const choices = Object.entries(table).flatMap(([name, [weight, trouble]]) =>
    trouble === null || on.includes(trouble) ? Array.from({ length: weight }, () => name) : [],
  )
  return {
    seed,
    processes: 2 + draw(3),
    finalityDepth: 1 + draw(3),
    troubles: on,
    steps: Array.from({ length: stepCount }, () => ({
      name: oneOf(draw, choices),
      seed: draw(2 ** 31),
    })),
  }
}
