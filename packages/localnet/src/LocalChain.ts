/**
 * A chain of one's own: anvil, with the tokens of that chain and Permit2 at their real addresses. The tokens answer as
 * the real ones do, quirks included; see `contracts/`.
 *
 * What is done to it from outside (funding, blocking) takes no transaction and no block, and a reorganisation does not
 * undo it.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import * as Catalog from "@florin/core/domain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Hex } from "viem"
import { hexToBigInt, hexToNumber, toHex } from "viem/utils"
import * as Anvil from "./Anvil.ts"
import * as Contracts from "./Contracts.ts"

export interface Options {
  readonly chainId: Caip.ChainId
  /** Whose tokens are on the chain: those that are built in by default. */
  readonly catalog?: Catalog.Catalog | undefined
  /** When blocks come: only by `mine`, one with each transaction, or in time. */
  readonly blocks: "byHand" | "atOnce" | { readonly everyInMs: number }
  /**
   * The tag `safe` is this many blocks behind the newest, and `finalized` twice as many; 1 by default. With 0 every block
   * is final as soon as it comes.
   */
  readonly epochBlocks?: number | undefined
  /** The rules of the chain; `osaka` brings the precompile for passkeys (P-256) that all our networks have. */
  readonly hardfork?: "prague" | "osaka" | undefined
  /** Any that is free by default. */
  readonly port?: number | undefined
  /**
   * Where the chain is kept between runs. Without it a chain that is started again begins anew. What waits for a block is
   * not kept.
   */
  readonly stateFile?: string | undefined
}

export interface LocalChain {
  readonly chainId: Caip.ChainId
  readonly rpcUrl: string
  /** Any call of a node's JSON-RPC, those of anvil among them. */
  readonly request: (
    method: string,
    params?: ReadonlyArray<unknown>,
  ) => Effect.Effect<unknown, Anvil.LocalChainFailed>

  /** Adds to what an account holds of a token. */
  readonly fund: (token: Caip.Address, owner: Caip.Address, quantity: bigint) => Done
  /** Adds to what an account holds of the chain's own coin. */
  readonly fundGas: (owner: Caip.Address, wei: bigint) => Done
  /** Puts an account on a token's blocklist, or takes it off. */
  readonly block: (token: Caip.Address, account: Caip.Address, blocked: boolean) => Done
  readonly pause: (token: Caip.Address, paused: boolean) => Done
  /** Ethereum's USDT keeps a part of each transfer: at most `maximum`. */
  readonly setTransferFee: (token: Caip.Address, basisPoints: bigint, maximum: bigint) => Done
  /** Lets a token pay for gas, as USDC does on Celo: its transactions have more Transfer logs. */
  readonly setTakesGas: (token: Caip.Address, takesGas: boolean) => Done

  /** Puts a contract where none is; the values are written to its storage from slot 0 on. */
  readonly deploy: (
    name: Contracts.Name,
    ...values: ReadonlyArray<bigint | Caip.Address>
  ) => Effect.Effect<Caip.Address, Anvil.LocalChainFailed>
  readonly setCode: (address: Caip.Address, code: Hex) => Done

  readonly mine: (count: number) => Done
  /** The time that a block would have now. */
  readonly nowInS: Effect.Effect<number, Anvil.LocalChainFailed>
  /** Moves the chain's time on; the next block shows it. */
  readonly pass: (seconds: number) => Done
  /**
   * Replaces the newest blocks by as many empty ones with the same times. What was in them is forgotten, or waits again
   * for the next block; what waited before still does. Only blocks since the node's start can be replaced, and only
   * what was signed can wait: a transaction of an impersonated account fails it.
   */
  readonly reorg: (depth: number, orphans: "forgotten" | "waiting") => Done

  /** Ends the node. */
  readonly stop: Effect.Effect<void>
  /** Starts the node anew, at the same address. */
  readonly start: Done
}

type Done = Effect.Effect<void, Anvil.LocalChainFailed>

/** How many blocks can be looked back at, or replaced. */
const blocksKept = 128

/** Within so long a block is there that was begun. */
const quietInMs = 20

const Transactions = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.Struct({ hash: Schema.String })),
)
const Pool = Schema.Struct({ pending: Transactions, queued: Transactions })
const Block = Schema.Struct({
  timestamp: Contracts.HexText,
  transactions: Schema.Array(Schema.String),
})

const fail = (message: string) => Effect.fail(new Anvil.LocalChainFailed({ message }))

const parameters = (options: Options): ReadonlyArray<string> => [
  "--chain-id",
  String(Eip155.numberOf(options.chainId)),
  "--hardfork",
  options.hardfork ?? "prague",
  "--slots-in-an-epoch",
  String(options.epochBlocks ?? 1),
  "--prune-history",
  String(blocksKept),
  ...(options.blocks === "atOnce" ? [] : ["--no-mining"]),
  ...(options.stateFile === undefined
    ? []
    : [
        "--state",
        options.stateFile,
        "--preserve-historical-states",
        // Otherwise they go to the home directory.
        "--cache-path",
        `${options.stateFile}.cache`,
      ]),
]

/**
 * Starts a chain; it ends with its scope.
 *
 * @example
 * const chain = yield* LocalChain.make({ chainId: Eip155.chainId(8453), blocks: "byHand" })
 * yield* chain.fund(usdc, payer, 10_000_000n)
 */
export const make = Effect.fn("LocalChain.make")(function* (
  options: Options,
): Effect.fn.Return<LocalChain, Anvil.LocalChainFailed, Scope.Scope> {
  const { blocks, catalog = BuiltIn.catalog, chainId } = options
  const anvil = yield* Anvil.make({ port: options.port ?? 0, parameters: parameters(options) })
  const { request, rpcUrl } = anvil
  const semaphore = yield* Semaphore.make(1)

  const ask = <A>(
    schema: Schema.Codec<A, unknown>,
    method: string,
    ...params: ReadonlyArray<unknown>
  ) =>
    Effect.flatMap(request(method, params), (answer) =>
      Effect.mapError(
        Schema.decodeUnknownEffect(schema)(answer),
        () => new Anvil.LocalChainFailed({ message: `${method}: the answer cannot be read` }),
      ),
    )
  const tell = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.asVoid(request(method, params))
  const head = Effect.map(ask(Contracts.HexText, "eth_blockNumber"), hexToNumber)
  const blockAt = (block: string) => ask(Block, "eth_getBlockByNumber", block, false)
  const nowInS = Effect.map(blockAt("pending"), ({ timestamp }) => hexToNumber(timestamp))
  const codeOf = (address: Caip.Address) => ask(Contracts.HexText, "eth_getCode", address, "latest")
  const put = (address: Caip.Address, code: Hex) => tell("anvil_setCode", address, code)
  const write = (address: Caip.Address, words: ReadonlyArray<Contracts.Word>) =>
    Effect.forEach(words, ({ slot, value }) => tell("anvil_setStorageAt", address, slot, value), {
      discard: true,
    })

  const mine = (count: number) => tell("anvil_mine", toHex(count))

  /** A block that was begun before comes yet, though no more are begun: until none has come for a moment. */
  const quiet = Effect.gen(function* () {
    for (let last = -1; ;) {
      const now = yield* head
      if (now === last) return
      last = now
      yield* Effect.sleep(quietInMs)
    }
  })

  /** One after another, as a whole, and no block meanwhile. */
  const alone = <A, E>(effect: Effect.Effect<A, E>) =>
    (blocks === "atOnce"
      ? Effect.acquireUseRelease(
          Effect.andThen(request("evm_setAutomine", [false]), quiet),
          () => effect,
          () => Effect.ignore(request("evm_setAutomine", [true])),
        )
      : effect
    ).pipe(Effect.uninterruptible, semaphore.withPermit)

  /** What was done from outside, and on top of which block: a reorganisation below it does it again. */
  let changes: ReadonlyArray<{ readonly head: number; readonly apply: Done }> = []
  const record = Effect.fnUntraced(function* (apply: Done) {
    const top = yield* head
    yield* apply
    changes = [...changes.filter((each) => each.head > top - blocksKept), { head: top, apply }]
  })
  const change = (apply: Done) => alone(record(apply))
  const changeToken = (
    address: Caip.Address,
    ability: Contracts.Ability,
    ...words: ReadonlyArray<Contracts.Word>
  ) => {
    const token = { chainId, address }
    const asset = catalog.find(token)
    return asset !== undefined && Contracts.can(asset, ability)
      ? change(write(address, words))
      : fail(`${Eip155.formatToken(token)} is no token that ${ability}.`)
  }

  /** The tokens and Permit2, and a block that has them. */
  const install = Effect.gen(function* () {
    for (const asset of Catalog.onChain(catalog, chainId)) {
      yield* put(asset.token.address, Contracts.code(Contracts.standIn(asset)))
      yield* write(asset.token.address, Contracts.identity(asset))
    }
    yield* put(Eip155.permit2Address, Contracts.code("Permit2"))
    // On the very first block anvil answers calls as if it were 1970.
    yield* mine(1)
  })

  /** Where this run begins: anvil loses all code when it goes back to a block that it read from a file. */
  let floor = 0
  const begin = Effect.gen(function* () {
    yield* tell("anvil_setLoggingEnabled", false)
    if ((yield* codeOf(Eip155.permit2Address)) === "0x") yield* install
    changes = []
    floor = yield* head
  })
  yield* begin

  if (typeof blocks === "object") {
    yield* alone(mine(1)).pipe(
      // A node that was stopped makes no blocks until it is started again.
      Effect.ignore,
      Effect.delay(blocks.everyInMs),
      Effect.forever,
      Effect.forkScoped,
    )
  }

  /** The bytes of transactions, to hand them in again. */
  const rawOf = (hashes: ReadonlyArray<string>) =>
    Effect.forEach(hashes, (hash) => ask(Contracts.HexText, "eth_getRawTransactionByHash", hash))
  const pooled = Effect.map(ask(Pool, "txpool_content"), ({ pending, queued }) =>
    [pending, queued].flatMap((part) =>
      Object.values(part).flatMap((each) => Object.values(each).map(({ hash }) => hash)),
    ),
  )

  const reorg = Effect.fnUntraced(function* (depth: number, orphans: "forgotten" | "waiting") {
    const top = yield* head
    const cut = top - depth
    const most = Math.min(top - floor, blocksKept)
    if (depth > most) {
      return yield* fail(`Only the newest ${most} blocks can be replaced, not ${depth}.`)
    }
    const at = yield* nowInS
    const replaced = yield* Effect.forEach(
      Array.from({ length: depth }, (_, index) => cut + 1 + index),
      (number) => blockAt(toHex(number)),
    )
    const orphaned = replaced.flatMap(({ transactions }) => transactions)
    const waiting = [
      ...(yield* rawOf(orphans === "waiting" ? orphaned : [])),
      ...(yield* rawOf(yield* pooled)),
    ]

    yield* tell("anvil_dropAllTransactions")
    yield* tell("anvil_rollback", depth)
    const undone = changes.filter((each) => each.head > cut)
    changes = changes.filter((each) => each.head <= cut)
    yield* Effect.forEach(undone, ({ apply }) => record(apply))
    for (const { timestamp } of replaced) {
      yield* tell("evm_setNextBlockTimestamp", timestamp)
      yield* mine(1)
    }
    yield* tell("evm_increaseTime", Math.max(0, at - (yield* nowInS)))
    yield* Effect.forEach(waiting, (raw) => tell("eth_sendRawTransaction", raw))
  })

  let deployed = 0
  const deploy = Effect.fnUntraced(function* (
    name: Contracts.Name,
    ...values: ReadonlyArray<bigint | Caip.Address>
  ) {
    while ((yield* codeOf(Contracts.address(deployed))) !== "0x") deployed += 1
    const address = Contracts.address(deployed)
    const words = Contracts.values(values)
    yield* record(put(address, Contracts.code(name)).pipe(Effect.andThen(write(address, words))))
    return address
  }, alone)

  return {
    chainId,
    rpcUrl,
    request,

    fund: (token, owner, quantity) =>
      change(
        ask(
          Contracts.HexText,
          "eth_getStorageAt",
          token,
          Contracts.balanceSlot(owner),
          "latest",
        ).pipe(
          Effect.map((held) => Contracts.balance(owner, hexToBigInt(held) + quantity)),
          Effect.flatMap((word) => write(token, [word])),
        ),
      ),
    fundGas: (owner, wei) => change(tell("anvil_addBalance", owner, toHex(wei))),
    block: (token, account, blocked) =>
      changeToken(token, "blocks", Contracts.blocked(account, blocked)),
    pause: (token, paused) => changeToken(token, "pauses", Contracts.paused(paused)),
    setTransferFee: (token, basisPoints, maximum) =>
      changeToken(token, "takes a fee", ...Contracts.transferFee(basisPoints, maximum)),
    setTakesGas: (token, takesGas) => changeToken(token, "takes gas", Contracts.takesGas(takesGas)),

    deploy,
    setCode: (address, code) => change(put(address, code)),

    mine: (count) => alone(mine(count)),
    nowInS,
    pass: (seconds) => tell("evm_increaseTime", seconds),
    reorg: (depth, orphans) => alone(reorg(depth, orphans)),

    stop: anvil.stop,
    start: anvil.start.pipe(Effect.andThen(begin), semaphore.withPermit),
  }
})
