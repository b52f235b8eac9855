/**
 * S9 and S10: what a payment and a webhook feel of neighbours that hang. One process serves two chains on PostgreSQL. On
 * one of them payments wait; by turns its node answers and hangs. By turns the receivers of two other partners answer, and
 * one hangs while the other fails. Only ratios of one run count.
 *
 * @example
 * node bench/Neighbours.bench.ts
 *
 * @module
 */
import process, { stdout } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { makeWallet, pay } from "@florin/client"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Redacted } from "effect"
import * as Locals from "../../evm/test-support/locals.ts"
import * as Node from "../../evm/test-support/node.ts"
import * as Server from "../../postgres/test-support/server.ts"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Program from "../test/program.ts"
import * as Receiver from "../test/receiver.ts"
import * as Serving from "../test/serving.ts"

const [stuck, well] = [8453, 10]
const rounds = Number(process.env["ROUNDS"] ?? 5)
const perRound = 60
const betweenInMs = 100
/** How many payments wait on the other chain, and how many events at each of the other receivers. */
const waiting = 150
/** How long a neighbour hangs before what it does to others is measured. */
const settlesInMs = 3000

const relayer = Wallet.make(160)

const sorted = (values: ReadonlyArray<number>) => values.toSorted((left, right) => left - right)
const quantile = (values: ReadonlyArray<number>, part: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN
const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** Of a measure, the milliseconds of each round alone, and of each beside a neighbour that hangs. */
interface Rounds {
  readonly alone: Array<ReadonlyArray<number>>
  readonly beside: Array<ReadonlyArray<number>>
}

const line = (what: string, { alone, beside }: Rounds): string => {
  const of = (all: ReadonlyArray<ReadonlyArray<number>>, part: number) =>
    median(all.map((each) => quantile(each, part)))
  const cells = [0.5, 0.99].flatMap((part) => {
    const [mine, theirs] = [of(alone, part), of(beside, part)]
    return [mine.toFixed(0), theirs.toFixed(0), (theirs / mine).toFixed(2)]
  })
  return `${what.padEnd(34)}${cells.map((cell) => cell.padStart(9)).join("")}\n`
}

/** Begins so many, one after the other, whatever becomes of those before. */
const paced = <A>(count: number, begin: (index: number) => Promise<A>): Promise<Array<A>> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await sleep(index * betweenInMs)
      return begin(index)
    }),
  )

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const bench = async (
  chains: ReadonlyArray<LocalChains.Reached>,
  node: { readonly url: string; readonly hang: (hangs: boolean) => void },
  database: string,
): Promise<void> => {
  await Promise.all(chains.map((each) => Serving.giveGas(each, relayer.address)))
  const variables = {
    ...Serving.variables(database, chains),
    // What is sent on the one chain waits there until the end.
    FLORIN_CHAINS: `${stuck}.finality=10000 ${well}.finality=2`,
    FLORIN_TEST_RPC: `${stuck}=${node.url} ${chains
      .filter(({ chainId }) => chainId === well)
      .map(({ chainId, rpcUrl }) => `${chainId}=${rpcUrl}`)
      .join(" ")}`,
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
    FLORIN_PRIVATE_WEBHOOKS: "true",
    FLORIN_RATE_LIMIT: "0",
  }
  const served = await Serving.serve(variables, "--port", "0")
  const baseUrl = served.url
  const receivers = await Promise.all([200, 200, 200].map((status) => Receiver.make(status)))
  const [own, hanging, failing] = receivers
  if (own === undefined || hanging === undefined || failing === undefined) return
  const partnerOf = (receiver: Receiver.Receiver) =>
    Receiver.partnerOf(receiver, database, baseUrl, variables)
  const { client, walletKey } = await partnerOf(own)
  const others = [await partnerOf(hanging), await partnerOf(failing)]
  const wallet = makeWallet({ baseUrl, apiKey: walletKey })

  let orders = 0
  const create = (of: typeof client) =>
    of.payments.create({
      referenceId: `order ${++orders}`,
      amount: { unit: "iso4217/USD", value: "125" },
    })
  const payerAt = (index: number): Wallet.Wallet => {
    const found = LocalChains.wallets[index % LocalChains.wallets.length]
    if (found === undefined) throw new Error("nobody pays")
    return found
  }
  const accountsOf = (by: Wallet.Wallet, ...ids: ReadonlyArray<number>) =>
    ids.map((id) => Eip155.formatAccount(by.account(id)))

  /** A payment up to what its payer signed. */
  const signed = async (index: number) => {
    const { paymentId } = await create(client)
    const by = payerAt(index)
    const { options } = await wallet.options(paymentId, { accounts: accountsOf(by, well) })
    const [option] = options ?? []
    const [action] = option?.actions ?? []
    if (option === undefined || action?.type !== "walletRpc") throw new Error("no option")
    const signature = await by.request({
      chainId: Caip.ChainId.make(action.data.chain_id),
      method: "eth_signTypedData_v4",
      params: action.data.params,
    })
    return { paymentId, optionId: option.id, signature }
  }
  const succeeds = async (paymentId: string): Promise<void> => {
    const { isFinal, status } = await wallet.status(paymentId, { maxPollMs: 20_000 })
    if (!isFinal) return succeeds(paymentId)
    if (status !== "succeeded") throw new Error(`${paymentId} is ${status}`)
    return undefined
  }
  const payments = async (): Promise<ReadonlyArray<number>> => {
    const made = await paced(perRound, signed)
    return paced(perRound, (index) =>
      timed(async () => {
        const order = made[index]
        if (order === undefined) return
        const { optionId, paymentId, signature } = order
        const results = [{ type: "walletRpc" as const, data: [signature] }]
        await wallet.confirm(paymentId, { optionId, results })
        await succeeds(paymentId)
      }),
    )
  }
  /** A wallet asks with its accounts on both chains. */
  const options = async (): Promise<ReadonlyArray<number>> => {
    const { paymentId } = await create(client)
    return paced(perRound, (index) =>
      timed(() => wallet.options(paymentId, { accounts: accountsOf(payerAt(index), stuck, well) })),
    )
  }
  const webhooks = async (): Promise<ReadonlyArray<number>> => {
    const made = new Set(
      (await paced(perRound, () => create(client))).map(({ paymentId }) => paymentId),
    )
    const told = () =>
      new Map(
        own.received
          .filter(({ paymentId, type }) => type === "payment.created" && made.has(paymentId))
          .map(({ lagInMs, paymentId }) => [paymentId, lagInMs]),
      )
    await Serving.until(() => told().size === made.size)
    return [...told().values()]
  }

  const none = (): Rounds => ({ alone: [], beside: [] })
  const measured = {
    "confirm to succeeded": none(),
    "options, accounts on both chains": none(),
    "event to webhook": none(),
  }
  // oxlint-disable no-await-in-loop -- by turns is the point
  // The first ones warm up.
  for (const measure of [payments, options, webhooks]) await measure()

  await paced(waiting, async (index) => {
    const { gatewayUrl, paymentId } = await create(client)
    const by = payerAt(index)
    pay(gatewayUrl, {
      baseUrl,
      payLinkHost: Serving.payLinkHost,
      apiKey: walletKey,
      accounts: accountsOf(by, stuck),
      signer: by,
      maxPollMs: 1000,
    }).catch(() => undefined)
    await Serving.until(async () => (await client.payments.get(paymentId)).status === "processing")
  })
  for (let round = 0; round < rounds; round++) {
    measured["confirm to succeeded"].alone.push(await payments())
    measured["options, accounts on both chains"].alone.push(await options())
    node.hang(true)
    await sleep(settlesInMs)
    measured["confirm to succeeded"].beside.push(await payments())
    measured["options, accounts on both chains"].beside.push(await options())
    node.hang(false)
    await sleep(settlesInMs)
    measured["event to webhook"].alone.push(await webhooks())
    hanging.behave("hang")
    failing.behave(500)
    await paced(waiting, () => Promise.all(others.map((each) => create(each.client))))
    await sleep(settlesInMs)
    measured["event to webhook"].beside.push(await webhooks())
    for (const receiver of [hanging, failing]) receiver.behave(200)
    stdout.write(`round ${round + 1} of ${rounds}\n`)
  }
  // oxlint-enable no-await-in-loop
  await Serving.end(served, "SIGKILL")
  for (const receiver of receivers) receiver.close()
  stdout.write(
    `\nmedians of ${rounds} rounds of ${perRound}, in ms: alone, beside neighbours that hang, ratio\n\n`,
  )
  stdout.write(`${" ".repeat(34)}      p50   beside    ratio      p99   beside    ratio\n`)
  for (const [what, each] of Object.entries(measured)) stdout.write(line(what, each))
}

await Effect.runPromise(
  Effect.gen(function* () {
    const chains = yield* LocalChains.start([stuck, well].map(Eip155.chainId), null)
    const [first] = chains
    if (first === undefined) return
    let hangs = false
    const node = yield* Node.make(async (_, body) =>
      hangs ? "hang" : { body: await Locals.passOn(first, body) },
    )
    const { url: database } = yield* Server.make
    const hang = (is: boolean) => {
      hangs = is
    }
    yield* Effect.promise(() =>
      Program.inDirectory(() => bench(chains, { url: Redacted.value(node.url), hang }, database)),
    )
  }).pipe(Effect.scoped),
)
