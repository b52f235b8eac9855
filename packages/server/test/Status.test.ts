import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Balances from "@florin/core/engine/books/Balances"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Events from "@florin/core/engine/notify/Events"
import * as Findings from "@florin/core/engine/status/Findings"
import * as Status from "@florin/core/engine/status/Status"
import { Chain, Chains } from "@florin/core/ports/Chain"
import { DueWork } from "@florin/core/ports/DueWork"
import * as JoinedChain from "@florin/core/ports/JoinedChain"
import { Outbox } from "@florin/core/ports/Outbox"
import * as StorageError from "@florin/core/ports/StorageError"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Drains from "./drains.ts"
import * as Scene from "./scene.ts"

const base = Eip155.chainId(Scene.chains.eip3009)
const usdc = Caip.Address.make("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")

const rich: Partial<Chain["Service"]> = { coins: () => Effect.succeed(10n ** 20n) }

/** Accounts that have gas, on chains of which one part is another in test mode. */
const withChains = (part: Partial<Chain["Service"]>) =>
  Effect.provide(
    Layer.provideMerge(
      Layer.effect(
        Chains,
        Effect.map(Chain, (chain) =>
          Chains.of({
            of: (mode: Mode.Mode) => ({ ...chain, ...rich, ...(mode === "test" && part) }),
          }),
        ),
      ),
      Scene.layer(),
    ),
  )

const looking = <E>(
  rule: string,
  play: (scene: Scene.Scene) => Effect.Effect<void, E, Scene.Ports>,
  part: Partial<Chain["Service"]> = {},
): void => {
  it.effect(rule, () => Effect.flatMap(Scene.make, play).pipe(withChains(part)))
}

const withoutChains = Layer.provide(Chains.layerShared, JoinedChain.layer<never, never>([]))

const redTags = ({ findings }: Status.Status): ReadonlyArray<string> => [
  ...new Set(findings.filter(({ isRed }) => isRed).map(({ _tag }) => _tag)),
]

const markOf = (digit: string) => ({ number: 7, hash: `0x${digit.repeat(64)}` })

describe("operator status", () => {
  looking("is green if nothing waits, and names every part that it read", () =>
    Effect.gen(function* () {
      const status = yield* Status.look()
      assert.deepStrictEqual(status.findings, [])
      assert.isFalse(status.isRed)
      assert.deepStrictEqual(status.fine, [...Findings.storageParts, ...Findings.chainParts])
      assert.deepStrictEqual(status.skipped, [])
    }),
  )

  looking("skips the chains if they cannot be called, and reports that", () =>
    Effect.gen(function* () {
      const status = yield* Effect.provide(Status.look(), withoutChains)
      assert.deepStrictEqual(status.fine, Findings.storageParts)
      assert.deepStrictEqual(status.skipped, Findings.chainParts)
    }),
  )

  looking("is red while a chain or a token is stopped, and clears once it is resumed", () =>
    Effect.gen(function* () {
      const token = { chainId: base, address: usdc }
      yield* Lanes.stop("test", base, "an account sent what is not in its lane")
      yield* Lanes.stopToken("live", token, "a transfer moved something else")
      const status = yield* Status.look()
      assert.isTrue(status.isRed)
      assert.notInclude(status.fine, "halts")
      const [first, second] = status.findings
      assert.include(second, { _tag: "ChainHalted", mode: "test", chainId: base })
      assert.include(first, { _tag: "TokenStopped", mode: "live" })
      yield* Lanes.resume("test", base)
      yield* Lanes.resumeToken("live", token)
      assert.isFalse((yield* Status.look()).isRed)
    }),
  )

  looking("is red if due work is not done", ({ own }) =>
    Effect.gen(function* () {
      yield* Scene.createPayment(own.key, own.merchantId, {
        expiresAt: Math.floor(Scene.now / 1000) + 60,
      })
      yield* TestClock.adjust("10 minutes")
      const { findings } = yield* Status.look()
      const found = findings.find(({ _tag }) => _tag === "WorkWaits")
      assert.include(found, { kind: "expire", count: 1 })
      yield* Drains.all.expirer
      assert.notInclude(redTags(yield* Status.look()), "WorkWaits")
    }),
  )

  looking("is red if an endpoint is a quarter of an hour behind", ({ own }) =>
    Effect.gen(function* () {
      const tenant = { partnerId: own.partner.id, mode: "test" } as const
      const { endpoint } = yield* Events.createEndpoint(tenant, {
        url: "https://hooks.example.com/",
      })
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* (yield* Outbox).fanOut(10, Webhook.deliveryOf)
      yield* TestClock.adjust("2 minutes")
      assert.notInclude(redTags(yield* Status.look()), "WebhookLags")
      yield* TestClock.adjust("14 minutes")
      const { findings } = yield* Status.look()
      assert.include(
        findings.find(({ _tag }) => _tag === "WebhookLags"),
        { endpointId: endpoint.id, count: 1 },
      )
    }),
  )

  looking("is red if no node responds", () =>
    Effect.gen(function* () {
      const chain = yield* SimulatedChain
      yield* chain.fail({ kinds: ["nodes"], chainId: base, calls: 2 })
      const { findings } = yield* Status.look()
      for (const mode of ["live", "test"] as const) {
        assert.deepInclude([...findings], {
          _tag: "ChainStalled",
          mode,
          chainId: base,
          headAgeInMs: null,
          isRed: true,
        })
      }
    }),
  )

  looking(
    "is red if one of several nodes is down or behind, or a token is left out",
    () =>
      Effect.gen(function* () {
        const { findings, isRed } = yield* Status.look()
        assert.isTrue(isRed)
        const node = { mode: "test", chainId: base, of: 3, isRed: true } as const
        assert.sameDeepMembers(
          [...findings],
          [
            { _tag: "NodeDown", ...node, node: 2 },
            { _tag: "NodeBehind", ...node, node: 3, behindInMs: 90_000 },
            {
              _tag: "TokenLeftOut",
              mode: "test",
              token: { chainId: base, address: usdc },
              message: "it is paused",
              isRed: true,
            },
          ],
        )
      }),
    {
      chainIds: [base],
      nodes: () =>
        Effect.succeed([
          { newestBlockAt: Scene.now },
          { newestBlockAt: null },
          { newestBlockAt: Scene.now - 90_000 },
        ]),
      faults: Effect.succeed([
        { token: { chainId: base, address: usdc }, message: "it is paused" },
      ]),
    },
  )

  looking(
    "is red if nodes have different blocks at a final height",
    () =>
      Effect.gen(function* () {
        const { findings } = yield* Status.look()
        const [one, another] = [markOf("1"), markOf("2")]
        assert.deepStrictEqual(findings, [
          {
            _tag: "NodesDiffer",
            mode: "test",
            chainId: base,
            blocks: [one, null, another, one],
            isRed: true,
          },
        ])
      }),
    {
      chainIds: [base],
      nodes: () =>
        Effect.succeed([
          { newestBlockAt: Scene.now, finalBlock: markOf("1") },
          { newestBlockAt: Scene.now },
          { newestBlockAt: Scene.now, finalBlock: markOf("2") },
          { newestBlockAt: Scene.now, finalBlock: markOf("1") },
        ]),
    },
  )

  looking(
    "is red if an account has no coin for gas, or has spent its budget",
    () =>
      Effect.gen(function* () {
        const status = yield* Status.look()
        assert.sameMembers([...redTags(status)], ["GasLow", "BudgetSpent"])
      }),
    { coins: () => Effect.succeed(0n), spendPerHour: () => 0n },
  )

  looking(
    "does not wait for a chain that hangs, and is red for values that it could not read",
    () =>
      Effect.gen(function* () {
        yield* Lanes.stop("test", base, "an account sent what is not in its lane")
        const looked = yield* Effect.forkChild(Status.look())
        yield* TestClock.adjust("5 seconds")
        const status = yield* Fiber.join(looked)
        assert.isTrue(status.isRed)
        assert.includeMembers([...redTags(status)], ["ChainHalted"])
        const unread = status.findings.flatMap((each) =>
          each._tag === "Unread" ? [`${each.part} ${each.chainId}`] : [],
        )
        assert.sameMembers(unread, ["tokens null", `nodes ${base}`, `gas ${base}`])
      }),
    {
      chainIds: [base],
      coins: () => Effect.never,
      nodes: () => Effect.never,
      faults: Effect.never,
    },
  )

  looking("names a storage that is silent once, and not all that is in it", () =>
    Effect.gen(function* () {
      const down = Effect.fail(new StorageError.StorageUnavailable({ message: "it is silent" }))
      const status = yield* Status.look().pipe(
        Effect.provideService(DueWork, { ...(yield* DueWork), time: down, backlog: () => down }),
      )
      assert.deepStrictEqual(status.findings, [
        { _tag: "Unread", part: "storage", chainId: null, isRed: true },
      ])
      assert.notInclude(status.fine, "work")
    }),
  )

  looking("is red if the storage does not accept writes", () =>
    Effect.gen(function* () {
      const message = "its disk is full"
      const requireRoom = Effect.fail(new StorageError.StorageUnavailable({ message }))
      const status = yield* Status.look().pipe(
        Effect.provideService(DueWork, { ...(yield* DueWork), requireRoom }),
      )
      assert.deepStrictEqual(status.findings, [{ _tag: "StorageFull", message, isRed: true }])
    }),
  )

  looking("is red if the clock is half a second off", () =>
    Effect.gen(function* () {
      const work = yield* DueWork
      const status = yield* Status.look().pipe(
        Effect.provideService(DueWork, { ...work, time: Effect.map(work.time, (at) => at - 600) }),
      )
      assert.deepStrictEqual(status.findings, [{ _tag: "ClockOff", driftInMs: 600, isRed: true }])
    }),
  )
})

describe("operator balances", () => {
  looking("list the balance and the owners of each account", ({ own, walletKey }) =>
    Effect.gen(function* () {
      yield* Scene.pay(walletKey, yield* Scene.createPayment(own.key, own.merchantId))
      const { accounts, tokens } = yield* Balances.look("test")
      const [found, ...others] = accounts
      assert.deepStrictEqual(others, [])
      assert.deepInclude(found, {
        onChain: 12_340_000n,
        holds: 12_340_000n,
        owed: 12_340_000n,
        kept: 0n,
        suspense: 0n,
        float: 0n,
      })
      assert.deepStrictEqual(tokens, [])
    }),
  )
})
