import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect, Logger } from "effect"
import * as Lacks from "../src/Lacks.ts"
import * as Link from "../test-support/link.ts"
import * as Node from "../test-support/node.ts"

const chainId = Eip155.chainId(8453)
const newest = "0x10000"

/** A node that refuses some calls. */
const refusing = (refuses: (call: Node.Call) => boolean) =>
  Node.make((calls) =>
    Node.json(
      Node.answersOf(chainId, calls, (call) => {
        if (refuses(call)) return { error: { code: -32000, message: "not on your plan" } }
        if (call.method === "eth_chainId") return undefined
        if (call.method === "eth_getLogs") return { result: [] }
        if (call.method === "eth_getTransactionCount") return { result: "0x0" }
        return { result: { number: newest, hash: `0x${"1".repeat(64)}`, timestamp: "0x1" } }
      }),
    ),
  )

const rangeOf = ({ method, params }: Node.Call): number => {
  if (method !== "eth_getLogs") return 0
  const [from = 0, to = 0] = ["fromBlock", "toBlock"].map((name) =>
    Number(new RegExp(`"${name}":"(0x[0-9a-f]+)"`, "u").exec(JSON.stringify(params))?.[1]),
  )
  return to - from + 1
}

const isOldState = ({ method }: Node.Call): boolean => method === "eth_getTransactionCount"

const found = Effect.fnUntraced(function* (refuses: (call: Node.Call) => boolean) {
  const node = yield* refusing(refuses)
  const log: Array<string> = []
  const link = Link.make(chainId, node.url)
  yield* Lacks.look(link).pipe(
    Effect.provide(
      Logger.layer([Logger.make(({ message }) => void log.push(JSON.stringify(message)))]),
    ),
  )
  const messages = Lacks.of(link).map(({ message }) => message)
  for (const message of messages) assert.isTrue(log.some((line) => line.includes(message)))
  return messages.join()
})

describe("what the nodes of a chain lack", () => {
  it.effect("S19: are reported at the start: few log blocks, no logs, no old states", () =>
    Effect.gen(function* () {
      assert.match(
        yield* found((call) => rangeOf(call) > 100 || isOldState(call)),
        /^Base: eth_getLogs takes 31 blocks at most.*,Base: no node keeps old states/u,
      )
      assert.match(yield* found((call) => rangeOf(call) > 0), /^Base: no node has eth_getLogs/u)
      assert.strictEqual(yield* found(() => false), "")
    }),
  )

  it.effect("S19: are empty if one of two nodes has everything", () =>
    Effect.gen(function* () {
      const poor = yield* refusing((call) => rangeOf(call) > 0 || isOldState(call))
      const rich = yield* refusing(() => false)
      const link = Link.make(chainId, poor.url, { rpcUrls: [poor.url, rich.url] })
      yield* Lacks.look(link)
      assert.deepStrictEqual(Lacks.of(link), [])
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("S19: are empty if one of two nodes is a block behind", () =>
    Effect.gen(function* () {
      const rich = yield* refusing(() => false)
      const behind = yield* Node.make((calls) =>
        Node.json(
          Node.answersOf(chainId, calls, ({ method, params }) => {
            if (method === "eth_chainId") return undefined
            if (method === "eth_getTransactionCount") return { result: "0x0" }
            if (JSON.stringify(params).includes(newest)) {
              const message = "block range extends beyond current head block"
              return { error: { code: -32602, message } }
            }
            if (method === "eth_getLogs") return { result: [] }
            return { result: { number: "0xffff", hash: `0x${"1".repeat(64)}`, timestamp: "0x1" } }
          }),
        ),
      )
      const link = Link.make(chainId, rich.url, { rpcUrls: [rich.url, behind.url] })
      yield* Lacks.look(link)
      assert.strictEqual(link.rpc.learnt.logBlocks.size, 0)
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("S2: report that two hosts must agree while one does not respond or is behind", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* refusing(() => false), yield* refusing(() => false)]
      const link = Link.make(chainId, first.url, { rpcUrls: [first.url, second.url] })
      const says = Effect.fnUntraced(function* (pattern: RegExp) {
        yield* Lacks.lookAtHosts(link)
        assert.match(
          Lacks.of(link)
            .map(({ message }) => message)
            .join(),
          pattern,
        )
      })
      second.answer(() => "cut")
      yield* says(
        /^Base: two nodes of different hosts must show the same, and 1 of 2 hosts do not/u,
      )
      const head = (timestamp: string) =>
        second.answer((calls) =>
          Node.json(
            Node.answersOf(chainId, calls, ({ method }) =>
              method === "eth_chainId"
                ? undefined
                : { result: { number: newest, hash: `0x${"1".repeat(64)}`, timestamp } },
            ),
          ),
        )
      head("0x1")
      yield* says(/^$/u)
      // Now the other one is behind.
      head("0x40")
      yield* says(/1 of 2 hosts/u)
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("S2: show each node's block at the same final height, if it responds", () =>
    Effect.gen(function* () {
      const showing =
        (digit: string): Node.Responder =>
        (calls) =>
          Node.json(
            Node.answersOf(chainId, calls, ({ method, params: [asked] }) => {
              const number = typeof asked === "string" && asked.startsWith("0x") ? asked : newest
              const result = { number, hash: `0x${digit.repeat(64)}`, timestamp: "0x1" }
              return method === "eth_chainId" ? undefined : { result }
            }),
          )
      const nodes = yield* Effect.forEach([1, 2, 3], () => Node.make(showing("1")))
      const [first = assert.fail(), second, third] = nodes
      const link = Link.make(chainId, first.url, { rpcUrls: nodes.map(({ url }) => url) })
      const shown = Effect.map(Lacks.nodes(link), (all) =>
        all.map(({ finalBlock }) => finalBlock?.hash.slice(0, 3)),
      )
      assert.deepStrictEqual(yield* shown, ["0x1", "0x1", "0x1"])
      second?.answer(showing("2"))
      third?.answer(() => "cut")
      assert.deepStrictEqual(yield* shown, ["0x1", "0x2", undefined])
      // Nothing is compared with a single node.
      const alone = Link.make(chainId, first.url)
      const [only, ...others] = yield* Lacks.nodes(alone)
      assert.strictEqual(only?.newestBlockAt, 1000)
      assert.isUndefined(only?.finalBlock)
      assert.lengthOf(others, 0)
    }).pipe(Effect.provide(Logger.layer([]))),
  )
})
