/**
 * Simulates in memory every chain that we serve: tokens with their quirks, blocks, finality, reorganisations and
 * faults.
 *
 * It is deterministic: it has no randomness of its own, and takes the time only from Effect's Clock. One layer provides
 * the `Chain` port and {@link SimulatedChain}, with which a test or a demo controls the world that the port shows.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as Remembered from "@florin/core/domain/ground/Remembered"
import type * as GasCost from "@florin/core/domain/money/GasCost"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import type * as OptionRouting from "@florin/core/domain/payment/OptionRouting"
import {
  type Funds,
  AttemptRefused,
  Chain,
  Chains,
  ChainUnavailable,
  InFlightLimit,
  type OfferedAsset,
  type Progress,
} from "@florin/core/ports/Chain"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Eip155Kit from "./Eip155Kit.ts"
import { roleOf, type SimulatedKit } from "./Kit.ts"
import * as Blockchain from "./simulated/Blockchain.ts"
import type * as Call from "./simulated/Call.ts"
import * as Delivery from "./simulated/Delivery.ts"
import * as Faults from "./simulated/Faults.ts"
import * as Judge from "./simulated/Judge.ts"
import * as Observation from "./simulated/Observation.ts"
import * as Tokens from "./simulated/Tokens.ts"
import * as Transaction from "./simulated/Transaction.ts"
import * as Wallet from "./Wallet.ts"

export interface Options {
  /** When blocks are made. Default: one for each second of the Clock, counted at each call. */
  readonly blocks?: Blockchain.Blocks
  /** How many blocks on top make a block final (default: 1). */
  readonly finalityDepth?: number
  /** What an untouched account holds of every token, in whole standard units (default: 0). */
  readonly unseenBalance?: number
  /** Default: two test wallets per chain. They never hold an unseen balance. */
  readonly collectingAccounts?: (chainId: Caip.ChainId) => ReadonlyArray<Caip.Address>
  /** The flow that takes each token. Default: as in the asset table. */
  readonly flow?: (asset: Asset.Asset) => PaymentOption.Flow | PaymentOption.Flows
  /** Default: 0. */
  readonly minimum?: (asset: Asset.Asset) => Money.Quantity
  /** What transactions cost (default: nothing). */
  readonly gasCost?: GasCost.GasCost
  /** A transaction that waits for this long is signed again with a higher fee (default: none is). */
  readonly outbidAfterInMs?: number
  readonly style?: Delivery.Style
  /** Default: the built-in tokens and networks. */
  readonly catalog?: Catalog.Catalog
  /** One for each family of the catalog's networks. Default: the kit of EVM chains. */
  readonly kits?: ReadonlyArray<SimulatedKit>
}

/** What one account holds of one token. */
export interface Balance {
  readonly token: Caip.Token
  readonly address: Caip.Address
  readonly quantity: Money.Quantity
}

/** The transactions of one lane, counted. */
export interface LaneCount {
  readonly lane: Lane.Lane
  /** Different transactions that were broadcast. */
  readonly broadcast: number
  /** Of these, how many are on the canonical chain, and how many of those did nothing. */
  readonly mined: number
  readonly reverted: number
}

export interface Reorg {
  /** Hashes of orphaned or waiting transactions to forget; the others wait again. */
  readonly drop?: ReadonlyArray<string> | "all"
  /** Transactions at the start of the new branch. */
  readonly conflicting?: ReadonlyArray<Lane.Transaction>
}

const collectingSeeds = [1_000_001, 1_000_002]
/** The default collecting accounts of every EVM chain. */
export const collectingWallets: ReadonlyArray<Wallet.Wallet> = collectingSeeds.map(Wallet.make)
/** Derived once for each kit: an address costs more than most calls of the chain. */
const collectingAddresses = Remembered.memoize((kit: SimulatedKit) =>
  collectingSeeds.map((seed) => kit.wallet(seed).address),
)

/** What a transaction of a payer costs, in the smallest unit of a coin that has 10^18 of them. */
export const payersTransactionCost = 10n ** 14n

const defaultFlow = (asset: Asset.Asset): PaymentOption.Flow => asset.flow
const noMinimum = (): Money.Quantity => Money.zero
/** After this many accounts whose signatures were checked, the list is cleared. */
const remembered = 10_000

const clamped = (value: bigint): Money.Quantity =>
  Money.clamp(value, Money.Quantity.make(Limits.maxQuantity))

/** A chain, and the view of it. */
interface Node {
  readonly chain: Blockchain.Blockchain
  readonly delivery: Delivery.Delivery
  /** How far the chain's clock is ahead of ours. */
  skewInMs: number
}

const make = (options: Options) => {
  const finalityDepth = options.finalityDepth ?? 1
  const catalog = options.catalog ?? BuiltIn.catalog
  const flowOf = options.flow ?? defaultFlow
  const minimumOf = options.minimum ?? noMinimum
  const kits = options.kits ?? [Eip155Kit.kit]
  const kitOf = (chainId: Caip.ChainId): SimulatedKit => {
    const kit = kits.find(({ family }) => family === Family.of(catalog, chainId))
    if (kit === undefined) throw new TypeError(`no kit is there for ${chainId}: name one in kits`)
    return kit
  }
  const collecting =
    options.collectingAccounts ?? ((chainId) => collectingAddresses(kitOf(chainId)))
  const blocks = options.blocks ?? { everyInMs: 1000 }
  const unseenUnits = BigInt(options.unseenBalance ?? 0)

  const blocked = new Set<string>()
  const paused = new Set<string>()
  const fees = new Map<string, bigint>()
  const faults = Faults.make()
  /** Hashes that were submitted through the port, by chain. */
  const relayed = new Map<Caip.ChainId, Set<string>>()

  const checked = new Map<string, boolean>()
  const isAuthorized: Tokens.IsAuthorized = (option, signature) => {
    const nonce = option.permitNonce ?? PaymentOption.authorizationNonce(option)
    const key = `${option.flow}:${PaymentOption.authorizationNonce(option)}:${nonce}:${signature}`
    const earlier = checked.get(key)
    if (earlier !== undefined) return earlier
    if (checked.size >= remembered) checked.clear()
    const asset = catalog.find(option.token)
    const kit = kitOf(option.token.chainId)
    const result = asset !== undefined && Tokens.isAuthorizedBy(kit, { asset, option }, signature)
    checked.set(key, result)
    return result
  }

  const nodes = new Map<Caip.ChainId, Node>(
    catalog.networks.map(({ chainId }) => {
      const own = new Set(collecting(chainId))
      const chain = Blockchain.make({
        chainId,
        blocks,
        finalityDepth,
        rules: { catalog, kit: kitOf(chainId), blocked, paused, fees },
        unseen: (address, owner) => {
          const asset = catalog.find({ chainId, address })
          return asset === undefined || own.has(owner)
            ? 0n
            : unseenUnits * 10n ** BigInt(asset.decimals)
        },
        isAuthorized,
      })
      const delivery = Delivery.make(finalityDepth)
      delivery.deliver(options.style ?? "whole")
      return [chainId, { chain, delivery, skewInMs: 0 }] as const
    }),
  )

  // The port

  /** One call to one chain: it sees the blocks that are due by now, and may fail if a fault is set. */
  const call = <A>(
    kind: Faults.Kind,
    chainId: Caip.ChainId,
    answer: (node: Node, nowInMs: number) => A,
  ): Effect.Effect<A, ChainUnavailable> =>
    Effect.flatMap(Clock.currentTimeMillis, (ourNowInMs) => {
      const node = nodes.get(chainId)
      if (node === undefined) {
        return new ChainUnavailable({ chainId, message: "this chain is not simulated" })
      }
      const fault = faults.draw(kind, chainId)
      const unavailable = () =>
        new ChainUnavailable({ chainId, message: "the chain did not respond" })
      if (fault === "before") return unavailable()
      const nowInMs = ourNowInMs + node.skewInMs
      node.chain.advance(nowInMs)
      const responded = answer(node, nowInMs)
      return fault === "after" ? unavailable() : Effect.succeed(responded)
    })

  const heldOn = (
    chainId: Caip.ChainId,
    accounts: ReadonlyArray<{ readonly account: Caip.Account; readonly accountText: string }>,
    assets: ReadonlyArray<OfferedAsset>,
  ) =>
    call("holdings", chainId, ({ chain, delivery }) => {
      const memory = chain.memory(delivery.height(chain.head()))
      return accounts.flatMap(({ account, accountText }) =>
        assets.map(({ asset: { token }, collectingAccounts, flows }): OptionRouting.Holding => {
          const { address } = account
          const isApproved = Tokens.isApproved(memory, token, address, collectingAccounts)
          return {
            account,
            accountText,
            token,
            balance: clamped(memory.balance(token.address, address)),
            allowance: clamped(memory.allowance(token.address, address)),
            ...(flows.some((flow) => roleOf(kitOf(chainId), flow) === "permitted") &&
              !isApproved && {
                permitNonce: clamped(memory.permitNonce(token.address, address)),
              }),
          }
        }),
      )
    })

  const judge = (node: Node, nowInMs: number) =>
    Judge.make(node.chain, isAuthorized, collecting, Math.floor(nowInMs / 1000))

  const chainPort = Chain.of({
    catalog,
    chainIds: [...nodes.keys()],
    accounts: [...nodes.keys()].flatMap((chainId) =>
      collecting(chainId).map((address) => ({ chainId, address })),
    ),
    keyless: [],
    finalCheckpoint: Effect.fn("Chain.finalCheckpoint")((chainId) =>
      call("finalCheckpoint", chainId, ({ chain, delivery }) => {
        const number = delivery.height(chain.head()) - finalityDepth
        return number < 0 ? null : { number, hash: chain.header(number).hash }
      }),
    ),
    stands: Effect.fn("Chain.stands")((chainId, checkpoint) =>
      call("stands", chainId, ({ chain, delivery }) =>
        checkpoint.number <= delivery.height(chain.head())
          ? Result.succeed(chain.header(checkpoint.number).hash === checkpoint.hash)
          : Result.fail(
              new ChainUnavailable({ chainId, message: "the chain is behind the checkpoint" }),
            ),
      ).pipe(Effect.flatMap(Effect.fromResult)),
    ),
    offered: Effect.succeed(
      catalog.assets
        .filter(({ token }) => catalog.served(token) !== undefined)
        .map((asset) => ({
          asset,
          flows: PaymentOption.flowsOf(flowOf(asset)),
          minimum: minimumOf(asset),
          etaInS: catalog.network(asset.token.chainId)?.etaInS ?? 0,
          collectingAccounts: collecting(asset.token.chainId),
        })),
    ),
    faults: Effect.succeed([]),
    lacks: Effect.succeed([]),
    nodes: Effect.fn("Chain.nodes")((chainId) =>
      call("nodes", chainId, ({ chain, delivery }) => {
        const { at } = chain.header(delivery.height(chain.head()))
        return [{ newestBlockAt: at * 1000 }]
      }).pipe(Effect.orElseSucceed(() => [{ newestBlockAt: null }])),
    ),
    holdings: Effect.fnUntraced(function* (accounts, assets) {
      const chainIds = [...new Set(accounts.map(({ account }) => account.chainId))].filter(
        (chainId) => assets.some(({ asset }) => asset.token.chainId === chainId),
      )
      const responses = yield* Effect.forEach(chainIds, (chainId) =>
        Effect.result(
          heldOn(
            chainId,
            accounts.filter(({ account }) => account.chainId === chainId),
            assets.filter(({ asset }) => asset.token.chainId === chainId),
          ),
        ),
      )
      const silent = responses.find(Result.isFailure)
      if (silent !== undefined && !responses.some(Result.isSuccess)) return yield* silent.failure
      return responses.flatMap((answer) => (Result.isSuccess(answer) ? answer.success : []))
    }),
    actions: Effect.fn("Chain.actions")((chosen, committed) => {
      const { account, flow, token } = chosen.option
      return call("actions", token.chainId, ({ chain, delivery }) => {
        const memory = chain.memory(delivery.height(chain.head()))
        const allowance = clamped(memory.allowance(token.address, account.address))
        const { executable, family } = chain.rules.kit
        return family.isOpen(chosen, [flow], allowance, committed)
          ? Result.succeed(executable(chosen, allowance, committed))
          : Result.fail(
              new AttemptRefused({ message: "what is allowed is for an earlier payment" }),
            )
      }).pipe(Effect.flatMap(Effect.fromResult))
    }),
    funds: Effect.fn("Chain.funds")(({ option }, others) =>
      call("funds", option.token.chainId, ({ chain, delivery }): Funds => {
        const { kit } = chain.rules
        const height = delivery.height(chain.head())
        const memory = chain.memory(height)
        const isSpent = (each: PaymentOption.PaymentOption): boolean => {
          const mined = chain.minedByAuthorization(Tokens.authorizationKey(kit, each))
          return mined !== undefined && mined.blockNumber <= height
        }
        const taken = others.flatMap((each) => (isSpent(each) ? [each.paymentId] : []))
        const { account, token } = option
        return isSpent(option)
          ? { balance: Money.largest, allowance: Money.largest, taken }
          : {
              balance: clamped(memory.balance(token.address, account.address)),
              allowance:
                option.flow === kit.flows.allowed
                  ? clamped(memory.allowance(token.address, account.address))
                  : Money.largest,
              taken,
            }
      }),
    ),
    balance: Effect.fn("Chain.balance")((token, address) =>
      call("balance", token.chainId, ({ chain, delivery }) =>
        clamped(chain.memory(delivery.height(chain.head())).balance(token.address, address)),
      ),
    ),
    verify: Effect.fn("Chain.verify")((attempt) =>
      call("verify", attempt.option.token.chainId, (node, nowInMs) =>
        judge(node, nowInMs).verify(attempt),
      ).pipe(Effect.flatMap(Effect.fromResult)),
    ),
    isSignedBy: Effect.fn("Chain.isSignedBy")(({ address, chainId }, text, signature) =>
      call("isSignedBy", chainId, () => kitOf(chainId).isTextSigned(address, text, signature)),
    ),
    rehearse: Effect.fn("Chain.rehearse")((order) => {
      const token = order._tag === "Send" ? order.movement.token : order.attempt.option.token
      return call("rehearse", token.chainId, (node, nowInMs) =>
        judge(node, nowInMs).rehearse(order),
      ).pipe(Effect.flatMap(Effect.fromResult))
    }),
    nonceFloor: Effect.fn("Chain.nonceFloor")((lane) =>
      call("nonceFloor", lane.chainId, ({ chain, delivery }) =>
        chain.rules.kit.isNumbered
          ? chain.nonceOf(lane.sender, delivery.height(chain.head()))
          : null,
      ),
    ),
    sign: Effect.fn("Chain.sign")((lane, nonce, order) =>
      call("sign", lane.chainId, ({ chain, skewInMs }, nowInMs) => {
        const memory = chain.memory(chain.head())
        const step = order._tag === "Send" ? "permit" : Tokens.stepOf(memory, order.attempt.option)
        const { kit } = chain.rules
        const isPermit =
          order._tag === "Collect" && roleOf(kit, order.attempt.option.flow) === "permitted"
        if (isPermit && (step === "none" || step === "early")) {
          const { chainId } = lane
          return Result.fail(new ChainUnavailable({ chainId, message: "the permit is not due" }))
        }
        const signed: Lane.Transaction = {
          lane,
          nonce,
          ...Transaction.encode(kit, {
            ...lane,
            nonce,
            call: Transaction.ofOrder(kit, order, step === "take"),
          }),
          signedAt: nowInMs - skewInMs,
        }
        return Result.succeed(signed)
      }).pipe(Effect.flatMap(Effect.fromResult)),
    ),
    fill: Effect.fn("Chain.fill")((lane, nonce) =>
      call("sign", lane.chainId, ({ chain, skewInMs }, nowInMs): Lane.Transaction => ({
        lane,
        nonce,
        ...Transaction.encode(chain.rules.kit, {
          ...lane,
          nonce,
          call: { _tag: "Other", data: "0x" },
        }),
        signedAt: nowInMs - skewInMs,
      })),
    ),
    outbid: (last) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        now - last.signedAt < (options.outbidAfterInMs ?? Number.POSITIVE_INFINITY)
          ? null
          : Transaction.outbid(kitOf(last.lane.chainId), last, now),
      ),
    // A transaction costs nothing here.
    coins: () => Effect.succeed(0n),
    gasCost: () => options.gasCost ?? null,
    // It needs no reading: every transaction of a payer costs the same.
    payerCost: ({ option }, stepCount) => ({
      coin: catalog.network(option.token.chainId)?.coin ?? "",
      unitsPerCoin: 10n ** 18n,
      quantity: BigInt(stepCount - 1) * payersTransactionCost,
    }),
    spendPerHour: () => null,
    broadcast: Effect.fn("Chain.broadcast")((sent) =>
      call("broadcast", sent.lane.chainId, ({ chain }, nowInMs) =>
        Result.flatMap(Transaction.decode(chain.rules.kit, sent.raw), ({ transaction, hash }) => {
          const { chainId } = chain
          if (transaction.chainId !== chainId) return Result.void
          if (chain.isHeldBack(hash, transaction)) {
            const message = "nodes take one transaction of this account at a time"
            return Result.fail(new InFlightLimit({ chainId, message }))
          }
          const hashes = relayed.get(chainId) ?? new Set()
          relayed.set(chainId, hashes.add(hash))
          chain.submit(hash, transaction, nowInMs)
          return Result.void
        }),
      ).pipe(
        Effect.flatMap(Effect.fromResult),
        Effect.catchTag(
          "InvalidTransaction",
          ({ message }) => new ChainUnavailable({ chainId: sent.lane.chainId, message }),
        ),
      ),
    ),
    look: Effect.fn("Chain.look")((sought) =>
      call("look", sought.movement.token.chainId, ({ chain, delivery }) => {
        const { movement, relayed: own, attempt } = sought
        const { token, from, to, quantity } = movement
        const question = [token.address, from, to, quantity, own?.hash]
          .concat(attempt === null ? [] : PaymentOption.authorizationNonce(attempt.option))
          .join(":")
        return delivery.look(question, chain.head(), (view) =>
          Observation.make(chain, view, sought.except).look(sought),
        )
      }),
    ),
    progress: Effect.fn("Chain.progress")(({ hashes, token }) =>
      call("progress", token.chainId, ({ chain, delivery }): Progress => {
        const head = delivery.height(chain.head())
        const mined = hashes
          .flatMap((hash) => chain.mined(hash) ?? [])
          .find(({ blockNumber }) => blockNumber <= head)
        if (mined === undefined) return { hash: hashes[0], blocks: null }
        const confirmed = Math.min(finalityDepth, head - mined.blockNumber)
        return { hash: mined.hash, blocks: { confirmed, needed: finalityDepth } }
      }),
    ),
    outgoing: Effect.fn("Chain.outgoing")(function* (txHash) {
      const found = yield* Effect.forEach(nodes.keys(), (chainId) =>
        call("outgoing", chainId, ({ chain }) => {
          const ours = collecting(chainId)
          const mined = chain.mined(txHash)
          return mined === undefined || !ours.includes(mined.transaction.sender)
            ? []
            : mined.logs.filter(({ from }) => ours.includes(from))
        }),
      )
      return found.flat().map(({ from, to, token }) => ({ from, to, token }))
    }),
    arrivals: Effect.fn("Chain.arrivals")((chainId, { fromBlock, toBlock }) =>
      call("arrivals", chainId, ({ chain, delivery }) => {
        const ours = collecting(chainId)
        if (toBlock > delivery.height(chain.head())) {
          return Result.fail(new ChainUnavailable({ chainId, message: "the chain is behind" }))
        }
        const logs = chain
          .minedIn(fromBlock, toBlock)
          .flatMap((mined) => mined.logs.map((log) => Observation.locate(mined, log)))
          .filter(
            ({ movement: { from, quantity, to, token } }) =>
              ours.includes(to) &&
              !ours.includes(from) &&
              quantity > 0n &&
              catalog.served(token) !== undefined,
          )
        return Result.succeed(logs)
      }).pipe(Effect.flatMap(Effect.fromResult)),
    ),
    shows: Effect.fn("Chain.shows")(({ blockHash, logIndex, movement, txHash }) =>
      call("shows", movement.token.chainId, ({ chain, delivery }) => {
        const mined = chain.mined(txHash)
        return (
          mined !== undefined &&
          mined.blockHash === blockHash &&
          mined.blockNumber <= delivery.height(chain.head()) - finalityDepth &&
          mined.logs.some(
            (log) => log.logIndex === logIndex && Observation.isMovement(movement)(log),
          )
        )
      }),
    ),
    lookLate: Effect.fn("Chain.lookLate")((late) =>
      call("lookLate", late.option.token.chainId, ({ chain, delivery }) =>
        delivery.look(`late:${late.txHash}:${late.option.account.address}`, chain.head(), (view) =>
          Observation.make(chain, view, late.except).lookLate(late),
        ),
      ),
    ),
  })

  // The control interface

  /** Changes one chain in its current state; does nothing for a chain that is not simulated. */
  const change = (
    chainId: Caip.ChainId | number,
    body: (node: Node, nowInMs: number) => void,
  ): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (ourNowInMs) => {
      const node = nodes.get(Wallet.chainIdOf(chainId))
      if (node === undefined) return
      const nowInMs = ourNowInMs + node.skewInMs
      node.chain.advance(nowInMs)
      body(node, nowInMs)
    })

  const everywhere = (body: (node: Node) => void): Effect.Effect<void> =>
    Effect.sync(() => {
      for (const node of nodes.values()) body(node)
    })

  const submit = (
    chainId: Caip.ChainId,
    sender: Caip.Address,
    calls: Call.Call,
  ): Effect.Effect<string, Wallet.WalletRefused> =>
    Effect.flatMap(Clock.currentTimeMillis, (ourNowInMs) => {
      const node = nodes.get(chainId)
      if (node === undefined) {
        return new Wallet.WalletRefused({ message: "this chain is not simulated" })
      }
      const nowInMs = ourNowInMs + node.skewInMs
      node.chain.advance(nowInMs)
      const nonce = node.chain.nextNonce(sender)
      const transaction = { chainId, sender, nonce, call: calls }
      const { hash } = Transaction.encode(node.chain.rules.kit, transaction)
      node.chain.submit(hash, transaction, nowInMs)
      return Effect.succeed(hash)
    })

  const balanceOf = (token: Caip.Token, address: Caip.Address): Money.Quantity => {
    const chain = nodes.get(token.chainId)?.chain
    return chain === undefined
      ? Money.zero
      : clamped(chain.memory(chain.head()).balance(token.address, address))
  }

  const touched = (): ReadonlyArray<Balance> =>
    [...nodes.values()].flatMap(({ chain }) =>
      chain.touched().map(({ key, quantity }) => {
        const [token = "", owner = ""] = key.split(":")
        return {
          token: { chainId: chain.chainId, address: Caip.Address.make(token) },
          address: Caip.Address.make(owner),
          quantity: clamped(quantity),
        }
      }),
    )

  const laneCounts = (): ReadonlyArray<LaneCount> => {
    const lanes = new Map<string, LaneCount>()
    for (const [chainId, hashes] of relayed) {
      for (const hash of hashes) {
        const chain = nodes.get(chainId)?.chain
        const sender = chain?.transaction(hash)?.sender
        if (chain === undefined || sender === undefined) continue
        const mined = chain.mined(hash)
        const lane = lanes.get(`${chainId}:${sender}`) ?? {
          lane: { chainId, sender },
          broadcast: 0,
          mined: 0,
          reverted: 0,
        }
        lanes.set(`${chainId}:${sender}`, {
          lane: lane.lane,
          broadcast: lane.broadcast + 1,
          mined: lane.mined + (mined === undefined ? 0 : 1),
          reverted: lane.reverted + (mined?.succeeded === false ? 1 : 0),
        })
      }
    }
    return [...lanes.values()]
  }

  const control = SimulatedChain.of({
    finalityDepth,
    node: {
      send: ({ chainId, from, to, data }) => submit(chainId, from, kitOf(chainId).callOf(to, data)),
    },
    mint: (token, address, quantity) =>
      change(token.chainId, ({ chain }) => chain.mint(token.address, address, quantity)),
    setAllowance: (token, owner, quantity) =>
      change(token.chainId, ({ chain }) => chain.setAllowance(token.address, owner, quantity)),
    block: (address, token) =>
      Effect.sync(() => {
        blocked.add(token === undefined ? address : Tokens.blockKey(token, address))
      }),
    unblock: (address, token) =>
      Effect.sync(() => {
        blocked.delete(token === undefined ? address : Tokens.blockKey(token, address))
      }),
    pause: (token) => Effect.sync(() => void paused.add(Caip.tokenKey(token))),
    unpause: (token) => Effect.sync(() => void paused.delete(Caip.tokenKey(token))),
    setTransferFee: (token, basisPoints) =>
      Effect.sync(() => void fees.set(Caip.tokenKey(token), BigInt(basisPoints))),
    mine: (chainId, count = 1) =>
      change(chainId, ({ chain }, nowInMs) => chain.mine(count, nowInMs, 0)),
    settle: (chainId) =>
      change(chainId, ({ chain }, nowInMs) => chain.mine(1 + finalityDepth, nowInMs, 0)),
    halt: (chainId) => change(chainId, ({ chain }) => chain.halt(true)),
    resume: (chainId) => change(chainId, ({ chain }) => chain.halt(false)),
    reorg: (chainId, depth, { drop = [], conflicting = [] } = {}) =>
      change(chainId, ({ chain }, nowInMs) => {
        const hashes = conflicting.flatMap(({ raw }) => {
          const decoded = Transaction.decode(chain.rules.kit, raw)
          if (Result.isFailure(decoded)) return []
          chain.learn(decoded.success.hash, decoded.success.transaction)
          return [decoded.success.hash]
        })
        chain.reorg(depth, drop === "all" ? "all" : new Set(drop), hashes)
        if (blocks === "instant") chain.mine(1 + finalityDepth, nowInMs, 0)
      }),
    skew: (chainId, aheadInMs) =>
      change(chainId, (node, nowInMs) => {
        const now = nowInMs - node.skewInMs + aheadInMs
        node.skewInMs = aheadInMs
        node.chain.advance(now)
      }),
    now: (chainId) =>
      Effect.map(
        Clock.currentTimeMillis,
        (nowInMs) => nowInMs + (nodes.get(Wallet.chainIdOf(chainId))?.skewInMs ?? 0),
      ),
    delegate: (chainId, address, delegates) =>
      change(chainId, ({ chain }) => chain.delegate(address, delegates)),
    forget: (chainId, hash) => change(chainId, ({ chain }) => chain.forget(hash)),
    submitAuthorization: (option, signature, by) =>
      submit(
        option.token.chainId,
        by,
        roleOf(kitOf(option.token.chainId), option.flow) === "permitted"
          ? { _tag: "Permit", option, signature }
          : { _tag: "Collect", option, signature, by: "anyone" },
      ),
    cancelAuthorization: (option) =>
      submit(option.token.chainId, option.account.address, { _tag: "Cancel", option }),
    transfer: (from, token, to, quantity) =>
      submit(token.chainId, from, { _tag: "Transfer", token: token.address, to, quantity }),
    batch: (from, token, to, quantities) =>
      submit(token.chainId, from, {
        _tag: "Batch",
        transfers: quantities.map((quantity) => ({ token: token.address, to, quantity })),
      }),
    fail: (failure) => Effect.sync(() => faults.fail(failure)),
    disturb: (plan) => Effect.sync(() => faults.disturb(plan)),
    lag: (chainId, behind) => change(chainId, ({ delivery }) => delivery.lag(behind)),
    deliver: (style) => everywhere(({ delivery }) => delivery.deliver(style)),
    heal: Effect.andThen(
      Effect.sync(() => faults.clear()),
      everywhere(({ chain, delivery }) => {
        delivery.lag(0)
        chain.halt(false)
      }),
    ),
    calls: (kind) => Effect.sync(() => faults.count(kind)),
    lanes: Effect.sync(laneCounts),
    balanceOf: (token, address) => Effect.sync(() => balanceOf(token, address)),
    balances: Effect.sync(touched),
    history: (chainId) =>
      Effect.sync(() => nodes.get(Wallet.chainIdOf(chainId))?.chain.history() ?? []),
    pending: (chainId) =>
      Effect.sync(() => nodes.get(Wallet.chainIdOf(chainId))?.chain.pending() ?? []),
    head: (chainId) =>
      Effect.andThen(
        change(chainId, () => undefined),
        Effect.sync(() => {
          const chain = nodes.get(Wallet.chainIdOf(chainId))?.chain
          return chain?.header(chain.head())
        }),
      ),
  })

  return Context.make(Chain, chainPort).pipe(Context.add(SimulatedChain, control))
}

/** The control interface: a test uses it to change the world that the `Chain` port shows. */
export class SimulatedChain extends Context.Service<
  SimulatedChain,
  {
    readonly finalityDepth: number
    /** The node through which wallets send their own transactions. */
    readonly node: Wallet.Node

    /** Adds to an account's balance; a reorganisation does not undo it. */
    readonly mint: (
      token: Caip.Token,
      address: Caip.Address,
      quantity: bigint,
    ) => Effect.Effect<void>
    /** Sets what an owner lets us take, as with Permit2; a reorganisation does not undo it. */
    readonly setAllowance: (
      token: Caip.Token,
      owner: Caip.Address,
      quantity: bigint,
    ) => Effect.Effect<void>
    /** Adds an address to one token's blocklist, or to every token's. */
    readonly block: (address: Caip.Address, token?: Caip.Token) => Effect.Effect<void>
    readonly unblock: (address: Caip.Address, token?: Caip.Token) => Effect.Effect<void>
    readonly pause: (token: Caip.Token) => Effect.Effect<void>
    readonly unpause: (token: Caip.Token) => Effect.Effect<void>
    /** The token keeps this many hundredths of a percent of each transfer. */
    readonly setTransferFee: (token: Caip.Token, basisPoints: number) => Effect.Effect<void>

    /** Makes blocks immediately; the first includes the waiting transactions. */
    readonly mine: (chainId: Caip.ChainId | number, count?: number) => Effect.Effect<void>
    /** Makes waiting transactions final. */
    readonly settle: (chainId: Caip.ChainId | number) => Effect.Effect<void>
    /** Makes no more blocks, not even by hand, until the chain is resumed. */
    readonly halt: (chainId: Caip.ChainId | number) => Effect.Effect<void>
    readonly resume: (chainId: Caip.ChainId | number) => Effect.Effect<void>
    /** Sets the chain's clock ahead of ours, or behind it. */
    readonly skew: (chainId: Caip.ChainId | number, aheadInMs: number) => Effect.Effect<void>
    /** The chain's own time, in epoch milliseconds. */
    readonly now: (chainId: Caip.ChainId | number) => Effect.Effect<number>
    /** Replaces the newest blocks with as many others. */
    readonly reorg: (
      chainId: Caip.ChainId | number,
      depth: number,
      how?: Reorg,
    ) => Effect.Effect<void>
    /** Nodes take one transaction of this account at a time, as if it delegated (EIP-7702), or again any number. */
    readonly delegate: (
      chainId: Caip.ChainId | number,
      address: Caip.Address,
      delegates: boolean,
    ) => Effect.Effect<void>
    /** Forgets a transaction that waits for a block, as nodes do. */
    readonly forget: (chainId: Caip.ChainId | number, hash: string) => Effect.Effect<void>
    /** A stranger submits a payer's EIP-3009 authorization or permit first; returns the transaction hash. */
    readonly submitAuthorization: (
      option: PaymentOption.PaymentOption,
      signature: string,
      by: Caip.Address,
    ) => Effect.Effect<string, Wallet.WalletRefused>
    /** The payer revokes an authorization, or uses the nonce of a permit for something else. */
    readonly cancelAuthorization: (
      option: PaymentOption.PaymentOption,
    ) => Effect.Effect<string, Wallet.WalletRefused>
    /** An account sends tokens; returns the transaction hash. */
    readonly transfer: (
      from: Caip.Address,
      token: Caip.Token,
      to: Caip.Address,
      quantity: Money.Quantity,
    ) => Effect.Effect<string, Wallet.WalletRefused>

    /** The same with several quantities in one transaction, as contracts send them. */
    readonly batch: (
      from: Caip.Address,
      token: Caip.Token,
      to: Caip.Address,
      quantities: ReadonlyArray<Money.Quantity>,
    ) => Effect.Effect<string, Wallet.WalletRefused>

    /** Makes the next calls fail. */
    readonly fail: (failure: Faults.Failure) => Effect.Effect<void>
    /** Makes some calls fail from now on, by a seed; null stops it. */
    readonly disturb: (plan: Faults.Plan | null) => Effect.Effect<void>
    /** Reads of one chain show its state some blocks ago; signatures and orders are still judged by the newest. */
    readonly lag: (chainId: Caip.ChainId | number, blocks: number) => Effect.Effect<void>
    readonly deliver: (style: Delivery.Style) => Effect.Effect<void>
    /** Ends faults, lags and halts. */
    readonly heal: Effect.Effect<void>

    /** How often a call of the port was made, including failed calls. */
    readonly calls: (kind: Faults.Kind) => Effect.Effect<number>
    readonly lanes: Effect.Effect<ReadonlyArray<LaneCount>>
    readonly balanceOf: (token: Caip.Token, address: Caip.Address) => Effect.Effect<Money.Quantity>
    /** The balance of every account that was ever touched. */
    readonly balances: Effect.Effect<ReadonlyArray<Balance>>
    /** Every transaction on the canonical chain, oldest first. */
    readonly history: (
      chainId: Caip.ChainId | number,
    ) => Effect.Effect<ReadonlyArray<Blockchain.Mined>>
    /** Hashes of transactions that wait for a block. */
    readonly pending: (chainId: Caip.ChainId | number) => Effect.Effect<ReadonlyArray<string>>
    /** The newest block; undefined for a chain that is not simulated. */
    readonly head: (chainId: Caip.ChainId | number) => Effect.Effect<Blockchain.Header | undefined>
  }
>()("@florin/testing/SimulatedChain") {
  /** The simulated chains, as the `Chain` port and as their control interface. */
  static readonly layer = (options: Options = {}): Layer.Layer<SimulatedChain | Chain> =>
    Layer.effectContext(Effect.sync(() => make(options)))

  /**
   * The simulated chains for both modes, without the control interface.
   *
   * @example
   * const chains = SimulatedChain.layerChains({ unseenBalance: 1000 })
   * createFlorin({ payLinkHost: "localhost:3000", chains, pages: false })
   */
  static readonly layerChains = (options: Options = {}): Layer.Layer<Chains> =>
    Layer.provide(Chains.layerShared, SimulatedChain.layer(options))
}
