/**
 * Plays a plan: a world with faults recovers and comes to rest, and returns what everybody saw.
 *
 * @module
 */
import { createHash } from "node:crypto"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Contradictions from "@florin/core/engine/books/Contradictions"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Books from "@florin/testing/oracle/Books"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Oracle from "@florin/testing/oracle/Oracle"
import * as Reading from "@florin/testing/oracle/Reading"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import { Context, Effect } from "effect"
import * as Drawing from "../../test-support/drawing.ts"
import * as Actors from "./Actors.ts"
import * as Steps from "./Steps.ts"
import * as World from "./World.ts"

const unseen = 1_000_000n
/** What operators add, so that refunds do not wait for other people's money. */
const added = 10n ** 12n

const stepsBetweenLooks = 20

/** How much of each trouble there is while it is on. */
const ratesOf = ({ troubles }: Steps.Plan): World.Rates => ({
  pause: troubles.includes("pauses") ? 250 : 20,
  storage: troubles.includes("storage") ? 15 : 0,
  response: troubles.includes("responses") ? 60 : 0,
  bid: troubles.includes("bids") ? 200 : 0,
})

const begin = (plan: Steps.Plan, options: Pick<World.Options, "replace" | "tell">): Steps.Stage => {
  const driftInMs = plan.troubles.includes("clocks") ? 450 : 0
  const world = World.make({
    ...plan,
    ...options,
    driftInMs,
    asksForData: plan.troubles.includes("forms"),
  })
  const stage: Steps.Stage = { world, ...Actors.begin(world), known: [], orders: { count: 0 } }
  // The scanner sees what comes after its first look.
  const chain = Context.get(world.shared, SimulatedChain)
  world.outside.run(Effect.forEach(Actors.chainIds, (each) => chain.settle(each)))
  world.machine.rest()
  world.work(Steps.scan)
  world.machine.rest()
  world.setRates(ratesOf(plan))
  return stage
}

/** One step, and then others get a while. */
const take = (stage: Steps.Stage, { troubles }: Steps.Plan, { name, seed }: Steps.Step) => {
  const { machine } = stage.world
  const draw = Drawing.make(seed)
  const [, trouble, play] = Steps.table[name] ?? Actors.raise(`there is no step ${name}`)
  if (trouble !== null && !troubles.includes(trouble)) return
  stage.world.tell(() => `step: ${name}`)
  play(stage, draw)
  // Mostly a few turns, so that much is on its way at the same time.
  const turns = draw(4) === 0 ? Infinity : draw(60)
  if (turns === Infinity) machine.runUntil(machine.now() + draw(1500))
  else machine.take(turns)
}

const inService = (world: World.World) => Effect.runSyncWith(world.shared)

/** All troubles end, operators do what is theirs, and time passes until nothing is left to do. */
const comeToRest = (stage: Steps.Stage, plan: Steps.Plan): ReadonlyArray<string> => {
  const hasDeletions = plan.troubles.includes("deletions")
  const { known, partners, walletKey, world } = stage
  const { machine } = world
  const chain = Context.get(world.shared, SimulatedChain)
  world.setRates(World.calm)
  world.tellAhead(0)
  world.denied.clear()
  for (const server of world.servers) {
    server.dies = null
    server.life.sleepUntil(0)
  }
  machine.rest()
  world.outside.run(
    Effect.gen(function* () {
      yield* chain.disturb(null)
      yield* chain.heal
      yield* chain.deliver("whole")
      yield* Effect.forEach(Actors.payers, ({ address }) => chain.unblock(address))
      yield* Effect.forEach(Actors.tokens, chain.unpause)
      for (const token of Actors.tokens) {
        for (const { address } of collectingWallets) yield* chain.mint(token, address, added)
      }
      if (hasDeletions) yield* Steps.registerAll(stage)
      // Wallets that sent something say so in the end, in time or late.
      for (const { id, signed } of known) {
        if (signed === null) continue
        yield* Actors.persist(world, {
          path: `/v1/gateway/payment/${id}/confirm`,
          key: walletKey,
          body: signed.body,
        })
      }
    }),
  )
  machine.rest()
  const halted = inService(world)(
    Effect.gen(function* () {
      const ledger = yield* LedgerStore
      for (const token of Actors.tokens) {
        for (const { address } of collectingWallets) {
          const quantity = Money.Quantity.make(added)
          const key = Idempotency.IdempotencyKey.make(`float ${token.chainId} ${address}`)
          const funding = Ledger.funding({ token, collecting: address, quantity })
          yield* Effect.orDie(ledger.post("test", key, funding))
        }
      }
      const stopped = yield* Effect.orDie(Lanes.listHalted("test"))
      yield* Steps.resumeAll
      yield* Steps.trustAll(partners)
      return stopped
    }),
  )
  /** What moves while something is left to do. */
  const progress = (): string => {
    const heard = [...world.delivered.values()].map((events) => events.length)
    const mined = Actors.chainIds.map((chainId) => inService(world)(chain.history(chainId)).length)
    return [...heard, ...mined].join()
  }
  /** Passes rounds of that length until nothing moves any more. */
  const pass = (pauseInMs: number) => {
    for (let still = 0, round = 0; still < 2 && round < 12; round++) {
      const before = progress()
      world.work(Steps.everything)
      machine.runUntil(machine.now() + pauseInMs)
      world.outside.run(Effect.forEach(Actors.chainIds, (each) => chain.settle(each)))
      machine.rest()
      still = progress() === before ? still + 1 : 0
    }
  }
  pass(30_000)
  // Long enough that every payment has expired, and every lease.
  pass(1_200_000)
  if (hasDeletions) world.outside.run(Steps.refundUnaccounted(stage))
  machine.runUntil(machine.now() + 60_000)
  inService(world)(
    Effect.gen(function* () {
      for (const { id } of known) {
        const paymentId = PaymentId.PaymentId.make(id)
        yield* Effect.ignore(Settlements.retry(paymentId))
        yield* Effect.ignore(Refunds.retryHeld(paymentId))
        const inflows = yield* Effect.orDie(
          (yield* InflowStore).inflows({ _tag: "Payment", paymentId }),
        )
        for (const each of inflows) yield* Effect.ignore(Inflows.giveBack(each.id))
      }
    }),
  )
  pass(60_000)
  return halted.map((each) => `it stopped ${JSON.stringify(each)}`)
}

/** A world, and what of its payments and partners is known outside. */
interface Seen extends Pick<Steps.Stage, "world"> {
  readonly partners: ReadonlyArray<Pick<Actors.Partner, "hook" | "key">>
  readonly known: ReadonlyArray<
    Pick<Actors.Known, "id" | "merchantId"> & { readonly partner: Pick<Actors.Partner, "key"> }
  >
}

const booksOf = (
  { known, world }: Seen,
  { hook, key }: Seen["partners"][number],
): Effect.Effect<Evidence.Books> =>
  Books.read({
    key,
    get: (path, merchantId) =>
      Effect.map(
        world.call({ path, key, ...(merchantId !== null && { merchantId }) }),
        (response) => (response?.status === 200 ? response.body : null),
      ),
    network: "eip155:8453",
    known: known.flatMap(({ id, merchantId, partner }) =>
      partner.key === key ? [[id, merchantId] as const] : [],
    ),
    // Its receivers accept everything.
    attempted: world.delivered.get(hook) ?? [],
    delivered: world.delivered.get(hook) ?? [],
  })

/** What `florin reconcile --deep` finds at rest. It looks again after a second at what it finds. */
export const contradictionsIn = ({
  machine,
  outside,
  shared,
}: World.World): ReadonlyArray<string> => {
  const found: Array<string> = []
  const ends: Array<unknown> = []
  const look = Contradictions.find("test", {
    found: ({ subject, what }) => found.push(`${subject}: ${what}`),
    progressed: () => {},
  })
  outside.run(Effect.provideContext(Effect.orDie(look), shared), (exit) => ends.push(exit))
  while (ends.length === 0) machine.runUntil(machine.now() + 1000)
  return found
}

/** The same for each payment, in the middle of everything: no two writes belong together. */
const contradictionsBetween = ({ known, world }: Steps.Stage): ReadonlyArray<string> =>
  inService(world)(
    Effect.forEach(known, ({ id }) =>
      Effect.flatMap(PaymentStore, (payments) =>
        payments.payment(PaymentId.PaymentId.make(id)),
      ).pipe(Effect.flatMap(Contradictions.ofPayment), Effect.orDie),
    ),
  ).flat()

/** What everybody saw. */
export const gather = (stage: Seen): Evidence.Evidence => {
  const { partners, world } = stage
  const chain = Context.get(world.shared, SimulatedChain)
  let books: ReadonlyArray<Evidence.Books> = []
  const exchanges = [...world.exchanges]
  world.outside.run(
    Effect.forEach(partners, (partner) => booksOf(stage, partner)),
    (exit) => {
      if (exit._tag === "Failure") Actors.raise(`nothing could be read: ${exit.cause}`)
      else books = exit.value
    },
  )
  world.machine.rest()
  return inService(world)(
    Effect.gen(function* () {
      const balances = yield* Effect.orDie((yield* LedgerStore).balances("test", null))
      const histories = yield* Effect.forEach(Actors.chainIds, (chainId) =>
        Effect.all([chain.history(chainId), chain.head(chainId)]),
      )
      const own = new Set<string>(collectingWallets.map(({ address }) => address))
      const evidence: Evidence.Evidence = {
        exchanges,
        books,
        ledger: [...balances.values()].map(({ account, balance, token }) => ({
          account: Ledger.accountKey(account),
          holds: account._tag === "Collecting" ? account.address : null,
          token: Eip155.formatToken(token).toLowerCase(),
          quantity: balance,
        })),
        chain: {
          transactions: histories.flatMap(([history, head]) =>
            history.map(({ blockNumber, hash, logs }) => ({
              hash,
              isFinal: blockNumber + chain.finalityDepth <= (head?.number ?? 0),
              transfers: logs.map(({ from, quantity, to, token }) => ({
                token: Eip155.formatToken(token).toLowerCase(),
                from,
                to,
                quantity,
              })),
            })),
          ),
          before: (_, address) => (own.has(address) ? added : unseen * 10n ** 6n),
          balances: (yield* chain.balances).map(({ address, quantity, token }) => ({
            token: Eip155.formatToken(token).toLowerCase(),
            address,
            quantity,
          })),
          own,
        },
      }
      return evidence
    }),
  )
}

export interface Played {
  readonly evidence: Evidence.Evidence
  readonly violations: ReadonlyArray<Evidence.Violation>
  /** How many payments were asked for, of which so many were paid, and of these so many refunded. */
  readonly payments: number
  readonly paid: number
  readonly refunded: number
}

type Options = Pick<World.Options, "replace" | "tell">

const live = (plan: Steps.Plan, options: Options): Played => {
  const stage = begin(plan, options)
  const contradictions: Array<string> = []
  for (const [index, step] of plan.steps.entries()) {
    take(stage, plan, step)
    if (index % stepsBetweenLooks === 0) contradictions.push(...contradictionsBetween(stage))
  }
  const halted = comeToRest(stage, plan)
  stage.world.hush()
  contradictions.push(...contradictionsIn(stage.world))
  const evidence = gather(stage)
  const bugs = stage.world.defects.map((what) => ({
    rule: "the service meets no bug of its own",
    what,
  }))
  // Nobody sends from our accounts but us.
  const stops = plan.troubles.includes("nonces")
    ? []
    : halted.map((what) => ({ rule: "no chain is stopped for no reason", what }))
  const details = evidence.books.flatMap((each) => each.details)
  const count = (...path: ReadonlyArray<string>) =>
    details.filter((payment) => Reading.text(payment, ...path) === "succeeded").length
  return {
    evidence,
    paid: count("status"),
    refunded: count("refund", "status"),
    violations: [
      ...contradictions.map((what) => ({ rule: "records never contradict each other", what })),
      ...bugs,
      ...stops,
      ...Oracle.judge(evidence),
    ],
    payments: stage.known.length,
  }
}

/** Plays a plan to its end, and has it judged. */
export const play = (plan: Steps.Plan, options: Options = {}): Played => {
  const { stackTraceLimit } = Error
  // Nobody reads the stacks of refusals.
  if (options.tell === undefined) Error.stackTraceLimit = 0
  try {
    return live(plan, options)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** All that was seen, as one number: equal for equal plans. */
export const digest = ({ evidence }: Played): string => {
  const { books, chain, exchanges, ledger } = evidence
  const all = { books, exchanges, ledger, balances: chain.balances, mined: chain.transactions }
  const written = JSON.stringify(all, (_, value: unknown) =>
    typeof value === "bigint" ? `${value}` : value,
  )
  return createHash("sha256").update(written).digest("hex")
}
