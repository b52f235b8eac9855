/**
 * The evidence of a cycle, from outside: what callers got, what partners read over HTTP, what receivers accepted, the
 * ledger, and the chain itself, asked past the nodes that lie.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Ledger from "@florin/core/domain/money/Ledger"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as Books from "@florin/testing/oracle/Books"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Reading from "@florin/testing/oracle/Reading"
import { Effect, Schema } from "effect"
import * as Cluster from "./Cluster.ts"
import type * as Load from "./Load.ts"

/** A partner's GET, from the first process that responds. */
export const get = async (
  { members }: Cluster.Cluster,
  key: string,
  path: string,
  merchantId: string | null,
): Promise<Evidence.Json> => {
  for (let tries = 0; tries < 30; tries++) {
    const member = members[tries % 3]
    try {
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      const response = await fetch(`${member?.url}${path}`, {
        headers: { "api-key": key, ...(merchantId !== null && { "merchant-id": merchantId }) },
        signal: AbortSignal.timeout(10_000),
      })
      // oxlint-disable-next-line no-await-in-loop
      const body: Evidence.Json = JSON.parse(await response.text())
      if (response.status < 500) return response.status === 200 ? body : null
    } catch {
      // The next one may respond.
    }
    // oxlint-disable-next-line no-await-in-loop
    await Effect.runPromise(Effect.sleep(200))
  }
  throw new Error(`no process responds to GET ${path}`)
}

const readHex = Schema.decodeUnknownSync(Schema.String)
const readLogs = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      address: Schema.String,
      topics: Schema.Array(Schema.String),
      data: Schema.String,
      transactionHash: Schema.String,
      blockNumber: Schema.String,
    }),
  ),
)
/** `Transfer(address,address,uint256)` */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const addressIn = (word: string | undefined): string => `0x${(word ?? "").slice(-40).toLowerCase()}`
const caip19 = (address: string): string =>
  Eip155.formatToken({
    chainId: Cluster.chainId,
    address: Caip.Address.make(address.toLowerCase()),
  }).toLowerCase()

const chainEvidence = async ({ ask, relayers }: Cluster.Cluster) => {
  const head = Number(readHex(await ask("eth_blockNumber")))
  const logs = readLogs(
    await ask("eth_getLogs", [
      { fromBlock: "0x0", toBlock: `0x${head.toString(16)}`, topics: [transferTopic] },
    ]),
  )
  const byHash = Reading.groupBy(logs, ({ transactionHash }) => transactionHash)
  const balances: Array<Evidence.Balance> = []
  for (const address of relayers) {
    for (const token of Object.values(Cluster.tokens)) {
      const data = `0x70a08231${address.slice(2).padStart(64, "0")}`
      // oxlint-disable-next-line no-await-in-loop -- There are eight.
      const held = await ask("eth_call", [{ to: token.address, data }, "latest"])
      balances.push({ token: caip19(token.address), address, quantity: BigInt(readHex(held)) })
    }
  }
  const evidence: Evidence.Evidence["chain"] = {
    transactions: Array.from(byHash, ([hash, its]) => ({
      hash,
      isFinal: Number(its[0]?.blockNumber) + Cluster.finality <= head,
      transfers: its.map(({ address, data, topics }) => ({
        token: caip19(address),
        from: addressIn(topics[1]),
        to: addressIn(topics[2]),
        quantity: BigInt(data),
      })),
    })),
    before: () => 0n,
    balances,
    own: new Set<string>(relayers),
  }
  return evidence
}

/** The nonces that each relayer used on the chain are those that its lane knows, from 0 on and without a gap. */
export const nonceFaults = async (cluster: Cluster.Cluster): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const sender of cluster.relayers) {
    // oxlint-disable-next-line no-await-in-loop -- There are two.
    const lane = await cluster.operate(
      Effect.flatMap(LaneStore, (lanes) =>
        lanes.laneTransactions({ chainId: Cluster.chainId, sender }, 0),
      ),
    )
    // oxlint-disable-next-line no-await-in-loop
    const used = await cluster.ask("eth_getTransactionCount", [sender, "latest"])
    const gap = lane.findIndex(({ nonce }, index) => nonce !== index)
    if (gap !== -1) faults.push(`the lane of ${sender} has a gap at nonce ${gap}`)
    if (Number(readHex(used)) !== lane.length) {
      faults.push(`${sender} used ${Number(used)} nonces, and its lane has ${lane.length}`)
    }
  }
  return faults
}

export const gather = async (
  cluster: Cluster.Cluster,
  known: ReadonlyArray<Load.Known>,
): Promise<Evidence.Evidence> => {
  const exchanges = [...cluster.exchanges]
  const byKey = Reading.groupBy(cluster.shops, ({ key }) => key)
  const books: Array<Evidence.Books> = []
  for (const [key, [shop]] of byKey) {
    // oxlint-disable-next-line no-await-in-loop -- There are two.
    const read = await Effect.runPromise(
      Books.read({
        key,
        get: (path, merchantId) => Effect.promise(() => get(cluster, key, path, merchantId)),
        network: Cluster.chainId,
        known: known.flatMap(({ id, shop: its }) =>
          its.key === key ? [[id, its.merchantId] as const] : [],
        ),
        attempted: cluster.receiver.attempted.get(shop?.hook ?? "") ?? [],
        delivered: cluster.receiver.delivered.get(shop?.hook ?? "") ?? [],
        concurrency: 8,
      }),
    )
    books.push(read)
  }
  const balances = await cluster.operate(
    Effect.flatMap(LedgerStore, (ledger) => ledger.balances("test", null)),
  )
  return {
    exchanges,
    books,
    ledger: [...balances.values()].map(({ account, balance, token }) => ({
      account: Ledger.accountKey(account),
      holds: account._tag === "Collecting" ? account.address : null,
      token: Eip155.formatToken(token).toLowerCase(),
      quantity: balance,
    })),
    chain: await chainEvidence(cluster),
  }
}
