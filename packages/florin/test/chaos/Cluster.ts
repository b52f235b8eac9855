/**
 * A service as it is run: three processes that serve calls and two that work, on one PostgreSQL and one chain, which
 * they reach by two nodes. Partners, their webhooks' receiver, and an operator are there, too.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { env, execPath } from "node:process"
import { fileURLToPath } from "node:url"
import * as WireStatus from "@florin/api/wire/Status"
import { makePartner, type Partner } from "@florin/client"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import type * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Postgres from "@florin/postgres/Postgres"
import * as Confusables from "@florin/server/Confusables"
import type * as Evidence from "@florin/testing/oracle/Evidence"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import * as Programs from "../../../../scripts/vitest-programs.ts"
import * as Faults from "../../../evm/test-support/faults.ts"
import * as Drawing from "../../../server/test-support/drawing.ts"
import * as Listening from "../listening.ts"
import * as Serving from "../serving.ts"
import * as Member from "./Member.ts"

const chainNumber = 1
export const chainId = Eip155.chainId(chainNumber)
export const finality = 3
const coin = 10n ** 18n
/** What the operator adds, so that refunds do not wait for other people's money. */
const added = 10n ** 12n
const relayers = [Wallet.make(3_100_001), Wallet.make(3_100_002)]
/** How much of all that a bad node is asked is befallen by something. */
const faultShare = 0.15

const tokenOf = (symbol: string): Caip.Token =>
  Catalog.assetsOf(BuiltIn.catalog, chainId).find((each) => each.symbol === symbol)?.token ??
  raise(`there is no ${symbol}`)

const raise = (message: string): never => {
  throw new Error(message)
}

/** One token for each way to pay, all of them worth a dollar. */
export const tokens: { readonly [F in Eip155.Flow]: Caip.Token } = {
  eip3009: tokenOf("USDC"),
  permit2: tokenOf("USDT"),
  transfer: tokenOf("PYUSD"),
  permit: tokenOf("USDG"),
}
const flowOf = (token: Caip.Token): Eip155.Flow =>
  Eip155.flows.find((flow) => Caip.sameToken(token, tokens[flow])) ?? "eip3009"

/** Some merchants are paid soon, and some many payments at a time. */
const policies: ReadonlyArray<PayoutPolicy.PayoutPolicy> = [
  { _tag: "Batched", everyInMs: 4000 },
  { _tag: "Batched", everyInMs: 10_000, atUnits: 60 },
]

export interface Shop {
  readonly partner: Partner
  readonly key: string
  /** The path of its webhook, and its id. */
  readonly hook: string
  readonly webhookId: string
  readonly merchantId: string
}

interface Response {
  readonly status: number
  readonly body: Evidence.Json
}

const parse = (text: string): Evidence.Json => {
  const read = Result.try((): Evidence.Json => JSON.parse(text))
  return Result.isSuccess(read) ? read.success : null
}

/** What a receiver of webhooks does with a call. */
type Manner = "accepts" | "refuses" | "hangs"

const receive = async () => {
  let manner: Manner = "accepts"
  /** By path. */
  const attempted = new Map<string, Array<Evidence.Json>>()
  const delivered = new Map<string, Array<Evidence.Json>>()
  const note = (calls: Map<string, Array<Evidence.Json>>, path: string, event: Evidence.Json) =>
    calls.set(path, [...(calls.get(path) ?? []), event])
  const { close, url } = await Listening.start(({ body, path }, response) => {
    const event = parse(body)
    note(attempted, path, event)
    if (manner === "hangs") return
    if (manner === "accepts") note(delivered, path, event)
    response.writeHead(manner === "accepts" ? 200 : 500).end()
  })
  return {
    url,
    close,
    attempted,
    delivered,
    behave: (next: Manner) => {
      manner = next
    },
  }
}

/** Who calls never waits as long as a stopped process would have them wait. */
const timeoutInMs = 8000
/** Where the clients think that they call. */
const baseUrl = `https://${Serving.payLinkHost}`

const decodeStuck = Schema.decodeUnknownSync(Schema.fromJsonString(WireStatus.Stuck))

/** What an operator's own program has of the service. */
const inside = (url: string) =>
  Layer.mergeAll(Postgres.layer({ url: Redacted.make(url) }), Identifiers.layer, Confusables.layer)
type Inside = Layer.Success<ReturnType<typeof inside>>

const run = <A, E>(work: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(work)

export interface Options {
  readonly seed: number
  /** Where processes and operators reach PostgreSQL. */
  readonly databaseUrl: string
  /** For logs. */
  readonly directory: string
}

export const make = Effect.fnUntraced(function* ({ databaseUrl, directory, seed }: Options) {
  mkdirSync(directory, { recursive: true })
  const programs = yield* Effect.promise(Programs.make)
  const program =
    programs[fileURLToPath(new URL("../../src/main.ts", import.meta.url))] ??
    raise("the program was not bundled")
  const chain = yield* LocalChain.make({ chainId, blocks: { everyInMs: 1000 } })
  const nodes = yield* Effect.forEach([seed, seed + 1], (plan) =>
    Faults.make(chain, plan, faultShare),
  )
  for (const { address } of relayers) {
    yield* chain.fundGas(address, 1000n * coin)
    for (const token of Object.values(tokens)) yield* chain.fund(token.address, address, added)
  }
  yield* chain.mine(finality + 1)
  const receiver = yield* Effect.acquireRelease(Effect.promise(receive), ({ close }) =>
    Effect.sync(close),
  )

  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
  const assets = Catalog.assetsOf(BuiltIn.catalog, chainId)
  const variables = {
    DATABASE_URL: databaseUrl,
    FLORIN_CHAINS: `${chainNumber}.finality=${finality} ${chainNumber}.minimum=0 ${chainNumber}.gasAllowance=${coin}`,
    FLORIN_FAILURE_BUDGETS: ["account", "merchant", "partner", "key", "refund"]
      .map((subject) => `${subject}=1000`)
      .join(" "),
    FLORIN_FLOW: assets
      .map(({ token }) => `${Eip155.formatToken(token)}=${flowOf(token)}`)
      .filter((_, index) =>
        Object.values(tokens).some((token) => Caip.sameToken(token, assets[index]?.token ?? token)),
      )
      .join(" "),
    FLORIN_PAY_LINK_HOST: Serving.payLinkHost,
    FLORIN_PRIVATE_WEBHOOKS: "true",
    FLORIN_RATE_LIMIT: "0",
    FLORIN_SEAL_KEY: key(1),
    FLORIN_VAULT_KEY: key(2),
    FLORIN_TEST_RELAYER_KEYS: relayers.map(({ privateKey }) => privateKey).join(" "),
    FLORIN_TEST_RPC: nodes.map(({ url }) => `${chainNumber}=${url}`).join(" "),
  }

  /** What happened that nobody asked for. */
  const mishaps: Array<string> = []
  const roles: ReadonlyArray<Member.Role> = ["api", "api", "api", "worker", "worker"]
  const members = yield* Effect.forEach(roles, (role, index) =>
    Effect.acquireRelease(
      Effect.promise(() =>
        Member.make({
          name: `${role} ${1 + (index % 3)}`,
          role,
          program,
          variables,
          directory,
          report: (what) => void mishaps.push(what),
        }),
      ),
      (member) => Effect.promise(member.kill),
    ),
  )
  const [first = raise("there is no process"), ...others] = members
  // The first one makes the tables.
  yield* Effect.promise(() => first.start())
  yield* Effect.promise(() => Promise.all(others.map((each) => each.start())))

  /** Runs in this process what an operator does. */
  const operate = <A, E>(work: Effect.Effect<A, E, Inside>): Promise<A> =>
    run(Effect.provide(work, inside(databaseUrl)))

  const exchanges: Array<Evidence.Exchange> = []
  let moments = 0
  const apis = members.filter(({ role }) => role === "api")
  const draw = Drawing.make(seed)
  /** Calls a process, and writes down what was said. */
  const callAt = async (
    { name, url: at }: Member.Member,
    url: string,
    init: RequestInit,
  ): Promise<globalThis.Response> => {
    const startedAt = moments++
    const headers = new Headers(init.headers)
    const path = url.slice(baseUrl.length)
    const note = (response: Response | null) =>
      exchanges.push({
        startedAt,
        endedAt: moments++,
        process: name,
        method: init.method ?? "GET",
        path,
        key: headers.get("api-key") ?? "",
        idempotencyKey: headers.get("idempotency-key"),
        body: typeof init.body === "string" ? parse(init.body) : null,
        response,
      })
    try {
      const response = await fetch(`${at}${path}`, init)
      const text = await response.text()
      note({ status: response.status, body: parse(text) })
      return new globalThis.Response(text === "" ? null : text, {
        status: response.status,
        headers: response.headers,
      })
    } catch (error) {
      note(null)
      throw error
    }
  }
  /** Calls some process. */
  const call = (url: string, init: RequestInit) =>
    callAt(apis[draw(apis.length)] ?? first, url, init)
  const connection = { baseUrl, fetch: call, timeoutInMs }

  const issued = yield* Effect.promise(() =>
    operate(
      Effect.gen(function* () {
        const ledger = yield* LedgerStore
        for (const token of Object.values(tokens)) {
          for (const { address } of relayers) {
            const quantity = Money.Quantity.make(added)
            const once = Idempotency.IdempotencyKey.make(`float ${token.address} ${address}`)
            yield* ledger.post(
              "test",
              once,
              Ledger.funding({ token, collecting: address, quantity }),
            )
          }
        }
        const keyFor = (owner: Parameters<typeof Keys.issue>[0]["owner"]) =>
          Keys.issue({
            mode: "test",
            owner,
            name: "chaos",
            expiresAt: null,
            ...(owner._tag === "Partner" && { scopes: ApiKey.PartnerScope.literals }),
          })
        const partners = yield* Effect.forEach(
          policies,
          Effect.fnUntraced(function* (policy, index) {
            const { id } = yield* Keys.createPartner({
              name: `Partner ${index}`,
              feeTerms: {
                ...Fees.none,
                percentage: yield* Effect.fromResult(Fees.parsePercentage("1.25")),
              },
            })
            yield* Merchants.changePartner(id, { payouts: policy })
            yield* Merchants.changePartner(id, { credit: { test: Credit.unlimited } })
            return yield* keyFor({ _tag: "Partner", partnerId: id })
          }),
        )
        const wallet = yield* keyFor({
          _tag: "Wallet",
          name: "Wallet",
          iconUrl: null,
          versionPin: "2026-02-18",
        })
        return { keys: partners.map(({ text }) => text), walletKey: wallet.text }
      }),
    ),
  )
  const shops = yield* Effect.promise(async () => {
    const made: Array<Shop> = []
    for (const [index, apiKey] of issued.keys.entries()) {
      const partner = makePartner({ ...connection, apiKey })
      const hook = `/hooks/${index}`
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      const { webhook } = await partner.webhooks.create({ url: `${receiver.url}${hook}` })
      for (const which of [0, 1]) {
        // oxlint-disable-next-line no-await-in-loop
        const { merchant } = await partner.merchants.create({
          merchantName: `Shop ${index}${which}`,
          merchantEmail: "shop@example.com",
        })
        const { address } = Wallet.make(3_200_000 + 2 * index + which)
        // oxlint-disable-next-line no-await-in-loop
        await partner.settlements.create(merchant.id, {
          settlements: Object.values(tokens).map((token) => ({
            asset: Eip155.formatToken(token),
            destination: Eip155.formatAccount({ chainId, address }),
          })),
        })
        made.push({ partner, key: apiKey, hook, webhookId: webhook.id, merchantId: merchant.id })
      }
    }
    return made
  })

  /** Runs a command of the operator's; returns what it prints. */
  const florin = (...words: ReadonlyArray<string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const given = { env: { PATH: env["PATH"], ...variables }, timeout: 120_000 }
      execFile(execPath, [program, ...words], given, (error, out, err) =>
        error === null
          ? resolve(out)
          : reject(new Error(`florin ${words.join(" ")}: ${out}${err}`)),
      )
    })

  return {
    /** Asks the chain itself; a machine with much else to do takes its time. */
    ask: (method: string, params: ReadonlyArray<unknown> = []) =>
      run(Effect.retry(chain.request(method, params), { times: 10 })),
    apis,
    callAt,
    chain,
    connection,
    exchanges,
    florin,
    members,
    mishaps,
    nodes,
    operate,
    receiver,
    /** The signed transactions of wallets, which they send again after a reorganisation. */
    sent: Array.of<string>(),
    /** How far each partner's feed is known to be delivered. */
    heard: new Map<string, string>(),
    relayers: relayers.map(({ address }) => address),
    shops,
    /** Everything that waits for somebody or something, with the reason, and the command that decides. */
    stuck: async () => decodeStuck(await florin("stuck", "--json")).stuck,
    walletKey: issued.walletKey,
  }
})

export type Cluster = Effect.Success<ReturnType<typeof make>>
