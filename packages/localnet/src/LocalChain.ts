/**
 * A local chain: anvil, with the tokens of the imitated chain and Permit2 at their real addresses. The tokens respond
 * as the real ones do, quirks included; see `contracts/`.
 *
 * Changes from outside (funding, blocking) take no transaction and no block, and a reorganisation does not undo them.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
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
  /** The catalog whose tokens are on the chain (default: the built-in ones). */
  readonly catalog?: Catalog.Catalog | undefined
  /** When blocks are made: only by `mine`, or at an interval. */
  readonly blocks: "byHand" | { readonly everyInMs: number }
  /**
   * The tag `safe` is this many blocks behind the newest, and `finalized` twice as many (default: 1). With 0 every
   * block is final immediately.
   */
  readonly epochBlocks?: number | undefined
  /** The rules of the chain; `osaka` brings the precompile for passkeys (P-256) that all our networks have. */
  readonly hardfork?: "prague" | "osaka" | undefined
  /**
   * The file that keeps the chain between runs. Without it a restarted chain begins empty. Transactions that wait for a
   * block are not kept.
   */
  readonly stateFile?: string | undefined
}

export interface LocalChain extends Anvil.Anvil {
  readonly chainId: Caip.ChainId

  /** Adds to an account's balance of a token. */
  readonly fund: (token: Caip.Address, owner: Caip.Address, quantity: bigint) => Done
  /** Adds to an account's balance of the chain's own coin. */
  readonly fundGas: (owner: Caip.Address, wei: bigint) => Done
  /** Adds an account to a token's blocklist, or removes it. */
  readonly block: (token: Caip.Address, account: Caip.Address, blocked: boolean) => Done
  readonly pause: (token: Caip.Address, paused: boolean) => Done
  /** Ethereum's USDT keeps a part of each transfer: at most `maximum`. */
  readonly setTransferFee: (token: Caip.Address, basisPoints: bigint, maximum: bigint) => Done
  /** Lets a token pay for gas, as USDC does on Celo: its transactions have more Transfer logs. */
  readonly setTakesGas: (token: Caip.Address, takesGas: boolean) => Done

  /** Deploys a contract at an empty address; the values are written to its storage from slot 0 on. */
  readonly deploy: (
    name: Contracts.Name,
    ...values: ReadonlyArray<bigint | Caip.Address>
  ) => Effect.Effect<Caip.Address, Anvil.LocalChainFailed>
  readonly setCode: (address: Caip.Address, code: Hex) => Done

  readonly mine: (count: number) => Done
  /** The time that a block would have now. */
  readonly nowInS: Effect.Effect<number, Anvil.LocalChainFailed>
  /** Advances the chain's time; the next block shows it. */
  readonly pass: (seconds: number) => Done
  /**
   * Replaces the newest blocks by as many empty ones with the same times. Their transactions are forgotten, or wait
   * again for the next block; those that waited before still do. Only blocks since the node's start can be replaced,
   * and only signed transactions can wait: a transaction of an impersonated account makes it fail.
   */
  readonly reorg: (depth: number, orphans: "forgotten" | "waiting") => Done
}

type Done = Effect.Effect<void, Anvil.LocalChainFailed>

/** How many old blocks can be read, or replaced. */
const blocksKept = 128

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
  "--no-mining",
  ...(options.stateFile === undefined
    ? []
    : [
        "--state",
        options.stateFile,
        "--preserve-historical-states",
        // By default they go to the home directory.
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
  const anvil = yield* Anvil.make(parameters(options))
  const { request } = anvil
  const semaphore = yield* Semaphore.make(1)

  const ask = <A>(
    schema: Schema.Codec<A, unknown>,
    method: string,
    ...params: ReadonlyArray<unknown>
  ) =>
    Effect.flatMap(request(method, params), (response) =>
      Effect.mapError(
        Schema.decodeUnknownEffect(schema)(response),
        () => new Anvil.LocalChainFailed({ message: `${method}: the response cannot be read` }),
      ),
    )
  const command = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.asVoid(request(method, params))
  const head = Effect.map(ask(Contracts.HexText, "eth_blockNumber"), hexToNumber)
  const blockAt = (block: string) => ask(Block, "eth_getBlockByNumber", block, false)
  const nowInS = Effect.map(blockAt("pending"), ({ timestamp }) => hexToNumber(timestamp))
  const codeOf = (address: Caip.Address) => ask(Contracts.HexText, "eth_getCode", address, "latest")
  const put = (address: Caip.Address, code: Hex) => command("anvil_setCode", address, code)
  const write = (address: Caip.Address, words: ReadonlyArray<Contracts.Word>) =>
    Effect.forEach(
      words,
      ({ slot, value }) => command("anvil_setStorageAt", address, slot, value),
      {
        discard: true,
      },
    )

  const mine = (count: number) => command("anvil_mine", toHex(count))

  /** Runs effects one after another, each as a whole, and without a block in between. */
  const alone = <A, E>(effect: Effect.Effect<A, E>) =>
    semaphore.withPermit(Effect.uninterruptible(effect))

  /**
   * The changes from outside, and the block on which each was made: a reorganisation below it makes the change again.
   */
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

  /** Installs the tokens and Permit2, and makes a block that has them. */
  const install = Effect.gen(function* () {
    for (const asset of Catalog.assetsOf(catalog, chainId)) {
      yield* put(asset.token.address, Contracts.code(Contracts.standIn(asset)))
      yield* write(asset.token.address, Contracts.identity(asset))
    }
    yield* put(Eip155.permit2Address, Contracts.code("Permit2"))
    // On the very first block anvil responds to calls as if it were 1970.
    yield* mine(1)
  })

  /** The first block of this run: anvil loses all code when it goes back to a block that it read from a file. */
  let floor = 0
  const begin = Effect.gen(function* () {
    yield* command("anvil_setLoggingEnabled", false)
    if ((yield* codeOf(Eip155.permit2Address)) === "0x") yield* install
    changes = []
    floor = yield* head
  })
  yield* begin

  if (typeof blocks === "object") {
    yield* alone(mine(1)).pipe(
      // A stopped node makes no blocks until it is started again.
      Effect.ignore,
      Effect.delay(blocks.everyInMs),
      Effect.forever,
      Effect.forkScoped,
    )
  }

  /** The bytes of transactions, to submit them again. */
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

    yield* command("anvil_dropAllTransactions")
    yield* command("anvil_rollback", depth)
    const undone = changes.filter((each) => each.head > cut)
    changes = changes.filter((each) => each.head <= cut)
    yield* Effect.forEach(undone, ({ apply }) => record(apply))
    for (const { timestamp } of replaced) {
      yield* command("evm_setNextBlockTimestamp", timestamp)
      yield* mine(1)
    }
    yield* command("evm_increaseTime", Math.max(0, at - (yield* nowInS)))
    yield* Effect.forEach(waiting, (raw) => command("eth_sendRawTransaction", raw))
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
    ...anvil,
    chainId,

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
    fundGas: (owner, wei) => change(command("anvil_addBalance", owner, toHex(wei))),
    block: (token, account, blocked) =>
      changeToken(token, "blocks", Contracts.blockedWord(account, blocked)),
    pause: (token, paused) => changeToken(token, "pauses", Contracts.pausedWord(paused)),
    setTransferFee: (token, basisPoints, maximum) =>
      changeToken(token, "takes a fee", ...Contracts.transferFee(basisPoints, maximum)),
    setTakesGas: (token, takesGas) =>
      changeToken(token, "takes gas", Contracts.takesGasWord(takesGas)),

    deploy,
    setCode: (address, code) => change(put(address, code)),

    mine: (count) => alone(mine(count)),
    nowInS,
    pass: (seconds) => command("evm_increaseTime", seconds),
    reorg: (depth, orphans) => alone(reorg(depth, orphans)),

    start: anvil.start.pipe(Effect.andThen(begin), semaphore.withPermit),
  }
})
