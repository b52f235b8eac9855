import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect, Schema } from "effect"
import * as ReadyFile from "../src/access/ReadyFile.ts"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Payer from "../src/dev/Payer.ts"
import * as Configured from "../src/serve/Configured.ts"
import * as Program from "./program.ts"
import * as Held from "./serve/held.ts"
import * as Serving from "./serving.ts"

const maxPollMs = 25_000

const apiKeys = /flr_test_[pw]k_[0-9A-Za-z]+/gu
const readReady = Schema.decodeSync(Schema.fromJsonString(ReadyFile.Ready))
const relayerKey = `0x${"11".repeat(32)}`
const sealKey = Buffer.alloc(32, 1).toString("base64")

const decodeStatus = Schema.decodeUnknownSync(Schema.Struct({ status: Schema.String }))
const readStatus = (answer: unknown): string => decodeStatus(answer).status

type Send = (url: string, init: RequestInit) => Promise<Response>

/** What somebody does with the service that runs in a directory. */
const callers = (url: string, ready: ReadyFile.Ready) => {
  const partner = makePartner({
    baseUrl: url,
    apiKey: ready.partnerKey,
    merchantId: ready.merchantId,
  })
  const reach = async (paymentId: string, ...wanted: ReadonlyArray<string>): Promise<void> => {
    if (wanted.includes((await partner.payments.get(paymentId)).status)) return undefined
    await new Promise((resolve) => setTimeout(resolve, 50))
    return reach(paymentId, ...wanted)
  }
  return {
    reach,
    order: (referenceId: string) =>
      partner.payments.create({ referenceId, amount: { unit: "iso4217/USD", value: "1250" } }),
    pay: (link: string, by: Wallet.Wallet, send: Send = fetch, signal?: AbortSignal) =>
      pay(link, {
        baseUrl: url,
        payLinkHost: ready.payLinkHost,
        apiKey: ready.walletKey,
        accounts: [Eip155.formatAccount(by.account(8453))],
        signer: Payer.signer(by, ready.chains),
        maxPollMs,
        fetch: send,
        signal,
      }),
    poll: async (paymentId: string) => {
      const path = `/v1/gateway/payment/${paymentId}/status?maxPollMs=${maxPollMs}`
      return (await fetch(`${url}${path}`, { headers: { "Api-Key": ready.walletKey } })).json()
    },
  }
}

const headersOf = (headers: RequestInit["headers"]) => Object.fromEntries(new Headers(headers))

/** It starts a service thrice: a machine with much else to do takes minutes. */
const timeout = 480_000

describe("florin serve without any setting", () => {
  it(
    "warns that it is not for real money, shows keys once, accepts payments, and loses none when it stops",
    { timeout },
    () =>
      Program.inDirectory(async (directory) => {
        const args = ["--port", "0", "--directory", directory, "--local-chains", "8453"]
        const readyFile = () =>
          readReady(readFileSync(join(directory, "embedded", "ready.json"), "utf8"))
        const first = await Serving.serve({}, ...args)
        assert.include(first.said.out, "No real money moves")
        assert.include(first.said.out, "Do not use this for real money")
        const ready = readyFile()
        assert.deepStrictEqual(first.said.out.match(apiKeys), [ready.partnerKey, ready.walletKey])
        const [alice, bob, carol] = LocalChains.wallets
        if (alice === undefined || bob === undefined || carol === undefined) assert.fail()
        const at = callers(first.url, ready)
        const paid = await at.pay((await at.order("paid")).gatewayUrl, alice)
        assert.strictEqual(paid._tag, "Succeeded", JSON.stringify(paid))

        // It ends while a poll is parked, a confirm is on its way, and a payment is being collected.
        const [watched, worked, held] = await Promise.all(["a", "b", "c"].map(at.order))
        if (watched === undefined || worked === undefined || held === undefined) assert.fail()
        const polled = at.poll(watched.paymentId)
        const gaveUp = new AbortController()
        const told: { worked?: unknown; held?: unknown } = {}
        /** Lets everything pass but the confirm, whose answer is kept. */
        const watching =
          (name: keyof typeof told, confirm: Send): Send =>
          async (url, init) => {
            if (!url.includes("/confirm")) return fetch(url, init)
            const response = await confirm(url, init)
            told[name] = await response.clone().json()
            return response
          }
        const isHeld = Promise.withResolvers<void>()
        const isReleased = Promise.withResolvers<void>()
        const holding: Send = async (url, { body, headers }) => {
          const call = await Held.hold(url, headersOf(headers), String(body))
          isHeld.resolve()
          await isReleased.promise
          return call.finish()
        }
        const paying = [
          at.pay(held.gatewayUrl, bob, watching("held", holding), gaveUp.signal),
          at.pay(worked.gatewayUrl, carol, watching("worked", fetch), gaveUp.signal),
        ]
        await Promise.all([isHeld.promise, at.reach(worked.paymentId, "processing", "succeeded")])
        first.child.kill("SIGTERM")
        await Held.ending(first.url)
        isReleased.resolve()
        const end = await first.ended
        assert.strictEqual(end.code, 0, end.err)
        assert.strictEqual(readStatus(await polled), "requires_action")
        gaveUp.abort()
        await Promise.all(paying)
        assert.include(["processing", "succeeded"], readStatus(told.worked))
        assert.strictEqual(readStatus(told.held), "processing")

        const second = await Serving.serve({}, ...args)
        assert.deepStrictEqual(second.said.out.match(apiKeys), null)
        assert.include(second.said.out, `are kept in ${join(directory, "embedded", "keys.json")}`)
        const busy = await Program.start(["serve", ...args], {}).ended
        assert.strictEqual(busy.code, 1)
        assert.include(busy.err, "a service runs in this directory already")
        const then = callers(second.url, readyFile())
        await Promise.all([worked, held].map(({ paymentId }) => then.reach(paymentId, "succeeded")))

        // What is asked and not sent is waited for, unless it is asked to end again.
        await Held.hold(`${second.url}/v1/payments`, { "Api-Key": ready.partnerKey }, "{}")
        second.child.kill("SIGTERM")
        await Held.ending(second.url)
        second.child.kill("SIGTERM")
        assert.strictEqual((await second.ended).code, null)
        await Promise.all(ready.chains.map(({ rpcUrl }) => Held.ending(rpcUrl)))
      }),
  )
})

describe("florin serve", () => {
  const shared = {
    DATABASE_URL: "postgres://user:secret@127.0.0.1:1/none",
    FLORIN_PAY_LINK_HOST: "pay.example.com",
    FLORIN_SEAL_KEY: sealKey,
    FLORIN_VAULT_KEY: sealKey,
    FLORIN_RELAYER_KEYS: relayerKey,
  }

  it("says in one line what prevents its start, and leaves nothing behind", () =>
    Program.inDirectory(async (directory) => {
      const node = createServer((_, response) =>
        response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x1" })),
      )
      const rpc = `8453=${await Held.listening(node)}/secret`
      const failing = (variables: { readonly [name: string]: string }, ...args: Array<string>) =>
        Program.start(["serve", ...args], { FLORIN_DIRECTORY: directory, ...variables }).ended
      const [flag, database] = await Promise.all([failing({}, "--port", "65536"), failing(shared)])
      // By itself, as a start waits only 3 s for a node's answer.
      const chain = await failing({ ...shared, FLORIN_RPC: rpc })
      node.close()
      assert.strictEqual(flag.code, 2)
      assert.include(flag.err, "Expected: a number from 0 to 65535")
      assert.deepStrictEqual(database, {
        code: 1,
        out: "",
        err: "\n✗ The database server at 127.0.0.1:1 cannot be used: check that it runs and that the address is right (ECONNREFUSED)\n",
      })
      assert.deepStrictEqual(chain, {
        code: 1,
        out: "",
        err: "\n✗ node 1 of chain eip155:8453 in rpc serves chain eip155:1: correct its address, or its chain\n",
      })
      assert.deepStrictEqual(readdirSync(directory), [])
    }))

  it("P4: refuses a remote chain on a storage that may be lost, unless a flag allows it", () =>
    Program.inDirectory(async (directory) => {
      const rpc = "8453=http://node.invalid/k"
      const flags = { port: ["0"], directory: [directory], rpc: [rpc] }
      const environment = { FLORIN_RELAYER_KEYS: relayerKey }
      const refused = await Promise.all(
        ["memory", "embedded"].map((storage) =>
          Configured.settle({ ...flags, storage: [storage] }, environment).pipe(
            Effect.flatMap(Configured.start),
            Effect.scoped,
            Effect.flip,
            Effect.runPromise,
          ),
        ),
      )
      for (const { message } of refused) {
        assert.include(message, "chain eip155:8453 is not a local chain")
        assert.include(
          message,
          "set DATABASE_URL to a PostgreSQL server, or accept the risk with --i-know",
        )
      }
      assert.deepStrictEqual(readdirSync(directory), [])

      const risky = ["--rpc", rpc, "--storage", "memory", "--i-know", "--port"]
      // S2: that risk is another one.
      const oneNode = await Program.start(["serve", ...risky, "0"], environment).ended
      assert.strictEqual(oneNode.code, 1)
      assert.include(oneNode.err, "✗ chain 8453 has nodes of one host only, and two nodes")
      assert.include(oneNode.err, "florin serve --chains 8453.trustOneNode=true")

      const args = ["--chains", "8453.trustOneNode=true", ...risky]
      const told = await Serving.serve(environment, ...args, "0")
      assert.include(told.said.err, "no chain is configured for test payments")
      assert.strictEqual((await fetch(`${told.url}/healthz`)).status, 200)
      const { port } = new URL(told.url)
      const taken = await Program.start(["serve", ...args, port], environment).ended
      assert.strictEqual(taken.code, 1)
      assert.include(
        taken.err,
        `✗ port ${port} is in use: choose another, or 0 for any free port\n`,
      )
      assert.strictEqual((await Serving.end(told, "SIGTERM")).code, 0)
    }))
})
