/**
 * A small town for the properties of money: one partner with shops, payers, an operator, and a service of several
 * processes. Everything that is done goes through the HTTP interface or the operator's use cases, and everything that is
 * judged is on the wire, in the ledger or on the chain. Nothing here knows how the service keeps its records.
 *
 * @module
 */
import { randomInt } from "node:crypto"
import { env, stdout } from "node:process"
import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import type { Settings } from "@florin/core/ports/Settings"
import * as Collector from "@florin/core/workers/Collector"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Counts from "@florin/testing/Counts"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Reading from "@florin/testing/oracle/Reading"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Cause, Context, Effect, Exit } from "effect"
import type * as Operation from "../../src/operations/Operation.ts"
import * as Operator from "../../src/operator/Client.ts"
import * as Drawing from "../../test-support/drawing.ts"
import * as Actors from "../simulation/Actors.ts"
import * as Steps from "../simulation/Steps.ts"
import * as World from "../simulation/World.ts"

type Json = Evidence.Json

export const minute = 60_000
export const day = 24 * 60 * minute

/** Far more than all payments of a town. */
const plenty = 10n ** 12n

/** A property of money in a town that follows from a seed, with a part of the service replaced by a faulty one. */
export type Property = (seed: number, replace?: World.Replacing) => Effect.Effect<void>

/** Of a test that holds a property to many towns. */
export const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

/** Holds a property to towns of one seed after another, which are printed. `pnpm accept` takes many more. */
export const holds = Effect.fnUntraced(function* (
  property: Property,
  usual: number,
  full = 10 * usual,
) {
  const first = Number(env["FLORIN_SEED"] ?? randomInt(1_000_000_000))
  const last = first + Counts.of({ usual, full }) - 1
  for (let seed = first; seed <= last; seed++) {
    yield* Effect.catchCause(property(seed), (cause) =>
      Effect.die(
        new Error(`it does not hold in the town of seed ${seed}: FLORIN_SEED=${seed}`, {
          cause: Cause.squash(cause),
        }),
      ),
    )
  }
  stdout.write(`seeds ${first} to ${last}\n`)
})

const seedsMax = 30

/**
 * Fails unless some seed shows that a fault breaks a property, for this reason. Without the fault the property holds for
 * that seed.
 */
export const isSeen = Effect.fnUntraced(function* (
  property: Property,
  fault: World.Replacing,
  reason: string,
) {
  for (let seed = 1; seed <= seedsMax; seed++) {
    const exit = yield* Effect.exit(property(seed, fault))
    if (Exit.isSuccess(exit)) continue
    assert.include(`${Cause.squash(exit.cause)}`, reason)
    return yield* property(seed)
  }
  return assert.fail(`none of ${seedsMax} seeds shows the fault`)
})

export interface Shop {
  readonly id: string
  /** Where it is paid first. */
  readonly treasury: Caip.Address
  /** The id of its destination. */
  readonly destinationId: string
}

/** A payment that was created, and what it brings: partners here pay no fees. */
export interface Paid {
  readonly id: string
  readonly shop: Shop
  readonly quantity: bigint
}

export interface Options {
  readonly replace?: World.Replacing | undefined
  readonly settings?: Partial<Settings["Service"]>
  readonly mode?: Mode.Mode
  readonly payouts?: PayoutPolicy.PayoutPolicy | undefined
  readonly shops?: number
  /** Whether all shops are paid at one account. */
  readonly isShared?: boolean
  /** Tokens to pay with: by default one that is drawn. */
  readonly tokens?: ReadonlyArray<Caip.Token>
}

export const oneOf = <A>(draw: Drawing.Draw, items: ReadonlyArray<A>): A =>
  items[draw(items.length)] ?? assert.fail("there is nothing to choose from")

/** A list in a drawn order. */
export const shuffled = <A>(draw: Drawing.Draw, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => ({ item, rank: draw(2 ** 31) }))
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ item }) => item)

export const sum = (quantities: ReadonlyArray<bigint>): bigint =>
  quantities.reduce((all, each) => all + each, 0n)

/** The sums of items by a key, without those of zero. */
export const tally = <A>(
  items: ReadonlyArray<A>,
  of: (item: A) => readonly [key: string, quantity: bigint],
): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const item of items) {
    const [key, quantity] = of(item)
    sums.set(key, (sums.get(key) ?? 0n) + quantity)
  }
  return new Map([...sums].filter(([, quantity]) => quantity !== 0n).toSorted())
}

export const open = Effect.fnUntraced(function* (seed: number, options: Options = {}) {
  const draw = Drawing.make(seed)
  const { mode = "test", replace, settings } = options
  const world = World.make({
    seed,
    processes: 2 + draw(2),
    finalityDepth: 1 + draw(2),
    ...(replace !== undefined && { replace }),
    ...(settings !== undefined && { settings }),
  })
  const { machine, outside } = world
  const chain = Context.get(world.shared, SimulatedChain)
  const tokens = options.tokens ?? [oneOf(draw, Actors.tokens)]
  const [token = assert.fail()] = tokens
  const own = new Set<string>(collectingWallets.map(({ address }) => address))

  /** The operator's use cases, run by some process. */
  const operator = Operator.make(
    <A, E>(effect: Effect.Effect<A, E, Operation.Ports>) =>
      new Promise<A>((resolve, reject) => {
        const { life, ports } = world.anyServer()
        life.run(Effect.provideContext(effect, ports), (exit) => {
          if (Exit.isSuccess(exit)) resolve(exit.value)
          else reject(new Error(`${exit.cause}`))
        })
      }),
    { publicUrl: "https://pay.example.com", console: null, operatorUrl: () => null },
  )
  /** Lets what was begun go on until it needs more time. */
  const rest = () => machine.rest()
  const done = <A>(begun: Promise<A>): Effect.Effect<A> =>
    Effect.promise(() => {
      rest()
      return begun
    })
  /** What somebody outside does, to its end. */
  const act = <A>(effect: Effect.Effect<A, unknown>): A => {
    let ended: { readonly value: A } | undefined
    outside.run(effect, (exit) => {
      if (Exit.isSuccess(exit)) ended = { value: exit.value }
      else assert.fail(`${exit.cause}`)
    })
    rest()
    return ended === undefined ? assert.fail("nothing came of it") : ended.value
  }
  const ask = (request: World.Request) => act(world.call(request)) ?? assert.fail("no response")
  const expect = (status: number, request: World.Request): Json => {
    const response = ask(request)
    assert.strictEqual(response.status, status, JSON.stringify(response.body))
    return response.body
  }

  const { id: partnerId } = yield* done(operator.partners.create({ name: "Partner" }))
  const issue = Effect.fnUntraced(function* (of: Mode.Mode) {
    const partner = yield* done(
      operator.keys.issue({ partnerId, mode: of, name: of, scopes: ApiKey.PartnerScope.literals }),
    )
    const wallet = yield* done(operator.keys.issue({ mode: of, wallet: `${of} wallet` }))
    return { key: partner.secret, walletKey: wallet.secret }
  })
  const keys = { test: yield* issue("test"), live: yield* issue("live") }
  if (options.payouts !== undefined) {
    yield* done(
      operator.partners.change({ partnerId, payouts: PayoutPolicy.format(options.payouts) }),
    )
  }

  let names = 0
  const fresh = () => `key ${names++}`
  const treasuryOf = (index: number) => Wallet.make(100 + (options.isShared ? 0 : index)).address
  const openShop = (index: number, of: Mode.Mode = mode): Shop => {
    const { key } = keys[of]
    const created = expect(201, {
      path: "/v1/merchants",
      key,
      idempotencyKey: fresh(),
      body: { merchantName: `Shop ${index}`, merchantEmail: "shop@example.com" },
    })
    const id = Reading.text(created, "merchant", "id")
    const treasury = treasuryOf(index)
    const registered = expect(201, {
      path: `/v1/merchants/${id}/settlements/crypto`,
      key,
      idempotencyKey: fresh(),
      body: {
        settlements: tokens.map((each) => ({
          asset: Eip155.formatToken(each),
          destination: `${each.chainId}:${treasury}`,
        })),
      },
    })
    return { id, treasury, destinationId: Reading.text(registered, "settlements", 0, "id") }
  }
  const shops = Array.from({ length: options.shops ?? 1 }, (_, index) => openShop(index))

  let tested: Shop | undefined
  /** A shop in test mode, next to those of the town. */
  const testShop = () => (tested ??= openShop(shops.length, "test"))

  const settle = () =>
    outside.run(
      Effect.forEach(new Set(tokens.map(({ chainId }) => chainId)), (each) => chain.settle(each)),
    )

  /** All processes do what is due, and then blocks are made. */
  const round = (pauseInMs = 0) => {
    for (const _ of world.servers) world.work(Steps.round)
    machine.runUntil(machine.now() + pauseInMs)
    settle()
    rest()
  }
  /** Time passes until nothing is left to do. */
  const quiet = (rounds = 5, pauseInMs = minute) => {
    world.setRates(World.calm)
    for (let each = 0; each < rounds; each++) round(pauseInMs)
    rest()
  }

  /** The details of a payment, as its shop reads them. */
  const details = ({ id, shop }: Pick<Paid, "id" | "shop">, of: Mode.Mode = mode): Json =>
    expect(200, { path: `/v1/payments/${id}`, key: keys[of].key, merchantId: shop.id })
  const statusOf = (paid: Paid): string => Reading.text(details(paid), "status")

  /** Creates a payment; `extra` are more members of the request. */
  const create = (
    shop: Shop,
    cents: number,
    extra: { readonly [name: string]: Json } = {},
    of: Mode.Mode = mode,
  ): Paid => {
    const created = expect(201, {
      path: "/v1/payments",
      key: keys[of].key,
      merchantId: shop.id,
      idempotencyKey: fresh(),
      body: {
        referenceId: fresh(),
        amount: { unit: "iso4217/USD", value: `${cents}` },
        expiresAt: Math.floor(machine.now() / 1000) + 3600,
        ...extra,
      },
    })
    // Every token of a town is at par and has six decimals.
    return { id: Reading.text(created, "paymentId"), shop, quantity: BigInt(cents) * 10_000n }
  }
  /** A payer signs for a payment, and confirms it. */
  const confirm = ({ id }: Paid, of: Mode.Mode = mode, with_ = token) => {
    const { walletKey } = keys[of]
    // Nobody pays in both modes: what an account approved on a chain is one sum for all that it pays.
    const wallet = of === mode ? oneOf(draw, Actors.payers) : Wallet.make(200 + names)
    const unit = `caip19/${Eip155.formatToken(with_)}`
    const signed = act(
      Actors.sign(
        world,
        walletKey,
        id,
        wallet,
        draw,
        (option) => Reading.text(option, "amount", "unit") === unit,
      ),
    )
    if (signed === null) return assert.fail("nothing was offered")
    expect(200, {
      path: `/v1/gateway/payment/${id}/confirm`,
      key: walletKey,
      body: signed.body,
    })
    return signed
  }
  /** Money of payers comes in; nothing goes out meanwhile. */
  const bringIn = (all: ReadonlyArray<Paid>) => {
    for (let tries = 0; tries < 20; tries++) {
      world.work(Collector.drain)
      machine.runUntil(machine.now() + 1000)
      settle()
      rest()
      if (all.every((each) => statusOf(each) === "succeeded")) return
    }
    assert.fail("the money does not come")
  }
  /** Payments that succeeded, and of which nothing went out yet. */
  const take = (
    shop: Shop,
    count: number,
    centsOf: (index: number) => number = () => 100 + draw(2000),
    with_ = token,
  ): ReadonlyArray<Paid> =>
    Array.from({ length: count }, (_, index) => {
      const paid = create(shop, centsOf(index))
      confirm(paid, mode, with_)
      // An approval that a wallet gave covers one payment at a time.
      bringIn([paid])
      return paid
    })

  const refunding = ({ id, shop }: Paid): World.Request => ({
    path: "/v1/refunds",
    key: keys[mode].key,
    merchantId: shop.id,
    idempotencyKey: `refund ${id}`,
    body: { paymentId: id },
  })
  const refund = (paid: Paid) => expect(200, refunding(paid))

  /** Changes where a shop is paid in the first token. */
  const moving = (shop: Shop, to: string): World.Request => ({
    method: "PUT",
    path: `/v1/merchants/${shop.id}/settlements/crypto/${shop.destinationId}`,
    key: keys[mode].key,
    body: { destination: `${token.chainId}:${to}` },
  })

  /** The operator's money on all of the service's accounts. */
  const fund = Effect.fnUntraced(function* (quantity = plenty) {
    for (const each of tokens) {
      for (const { address: collecting } of collectingWallets) {
        act(chain.mint(each, collecting, quantity))
        const account = Eip155.formatAccount({ chainId: each.chainId, address: collecting })
        const amount = { unit: `caip19/${Eip155.formatToken(each)}`, value: String(quantity) }
        yield* done(operator.float.put({ mode, key: fresh(), account, amount }))
      }
    }
  })

  /** Requests and work that meet, with pauses at so many of a thousand calls of ports. */
  const meet = (
    requests: ReadonlyArray<World.Request>,
    work = true,
    pause = oneOf(draw, [200, 500, 1000]),
  ) => {
    world.setRates({ ...World.calm, pause })
    const responses: Array<World.Response> = []
    for (const request of requests) {
      outside.run(Actors.persist(world, request), (exit) => {
        if (Exit.isSuccess(exit)) responses.push(exit.value)
      })
      if (draw(2) === 0) machine.take(draw(40))
    }
    if (work) for (const _ of world.servers) world.work(Steps.round)
    // A request that a process died of is repeated after a while.
    machine.runUntil(machine.now() + 5000)
    world.setRates(World.calm)
    return responses
  }

  // What is judged

  const transfers = (of = token) =>
    act(chain.history(of.chainId)).flatMap(({ hash, logs }) =>
      logs.flatMap(({ from, quantity, to, token: { address } }) =>
        address === of.address ? [{ from, to, quantity, hash }] : [],
      ),
    )
  /** What accounts were sent by the service, and how often. */
  const sentTo = (address: string, of = token) =>
    transfers(of).filter(({ from, to }) => own.has(from) && to === address)
  const receivedBy = (address: string, of = token): bigint =>
    sum(sentTo(address, of).map(({ quantity }) => quantity))

  const listed = (path: string, cursor = ""): ReadonlyArray<Json> => {
    const page = expect(200, { path: `${path}?limit=200${cursor}`, key: keys[mode].key })
    const next = Reading.text(page, "nextCursor")
    const rows = Reading.list(page, "data")
    return next === "" ? rows : [...rows, ...listed(path, `&cursor=${encodeURIComponent(next)}`)]
  }
  /** The payouts of the partner, with the payments in each. */
  const payouts = (): ReadonlyArray<Json> =>
    listed("/v1/payouts").map((each) =>
      expect(200, { path: `/v1/payouts/${Reading.text(each, "id")}`, key: keys[mode].key }),
    )

  const inLedger = Effect.runSyncWith(world.shared)
  const balances = (of: Mode.Mode = mode) => [
    ...inLedger(Effect.flatMap(LedgerStore, (ledger) => ledger.balances(of, null))).values(),
  ]
  /** What the ledger says of a shop: what it is owed, what of that is kept for its refunds, and what it owes. */
  const bookOf = ({ id }: Shop) => {
    const of = { Owed: 0n, Kept: 0n, Debt: 0n }
    for (const { account, balance } of balances()) {
      if (account._tag !== "Owed" && account._tag !== "Kept" && account._tag !== "Debt") continue
      if (account.merchantId === id)
        of[account._tag] += account._tag === "Debt" ? balance : -balance
    }
    return { owed: of.Owed, kept: of.Kept, debt: of.Debt }
  }
  /** What each account of the service holds by the ledger is what it holds on the chain. */
  const agrees = () => {
    const held = new Map<string, bigint>()
    for (const of of ["test", "live"] as const) {
      for (const { account, balance, token: each } of balances(of)) {
        if (account._tag !== "Collecting") continue
        const key = `${Eip155.formatToken(each)} ${account.address}`
        held.set(key, (held.get(key) ?? 0n) + balance)
      }
    }
    for (const each of tokens) {
      for (const { address } of collectingWallets) {
        const booked = held.get(`${Eip155.formatToken(each)} ${address}`) ?? 0n
        assert.strictEqual(booked, act(chain.balanceOf(each, address)), "ledger and chain")
      }
    }
  }
  /** Whether money of a payment was paid back, by the wire. */
  const isRefunded = (paid: Paid): boolean =>
    Reading.text(details(paid), "refund", "status") === "succeeded"
  /**
   * The law of a shop's money: what it received, is owed or had kept for refunds is what its payments brought, less what
   * was paid back of them, and more by what it owes.
   */
  const isLawful = (shop: Shop, all: ReadonlyArray<Paid>, received: bigint) => {
    const { debt, kept, owed } = bookOf(shop)
    const ours = all.filter((each) => each.shop.id === shop.id)
    const brought = sum(ours.map(({ quantity }) => quantity))
    const back = sum(ours.filter(isRefunded).map(({ quantity }) => quantity))
    assert.strictEqual(received + owed + kept, brought - back + debt, "the law of a shop's money")
  }

  return {
    act,
    agrees,
    ask,
    assetOf: Eip155.formatToken,
    balances,
    bookOf,
    bringIn,
    chain,
    confirm,
    create,
    details,
    done,
    draw,
    expect,
    fund,
    isLawful,
    isRefunded,
    keys,
    machine,
    meet,
    moving,
    openShop,
    operator,
    own,
    partnerId,
    payouts,
    quiet,
    receivedBy,
    refund,
    refunding,
    rest,
    round,
    sentTo,
    settle,
    shops,
    statusOf,
    take,
    testShop,
    token,
    tokens,
    transfers,
    /** Some process compares the blocks that it knows with those that the chains show. */
    watch: () => {
      world.work(Sentinel.round)
      rest()
    },
    world,
  }
})

export type Town = Effect.Success<ReturnType<typeof open>>
