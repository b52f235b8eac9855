/**
 * Signatures that were made for something else, that are encoded differently, or that contain calls. M22: the ledger is
 * compared with the chain after each test.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Money from "@florin/core/domain/ground/Money"
import * as Version from "@florin/core/domain/ground/Version"
import * as Counts from "@florin/testing/Counts"
import type * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import { serializeErc6492Signature } from "viem/utils"
import * as Drawing from "../../../server/test-support/drawing.ts"
import * as Queries from "../../src/read/Queries.ts"
import { hex } from "../../src/read/Queries.ts"
import * as Accounts from "../../test-support/accounts.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Seed from "../../test-support/seed.ts"
import * as Spellings from "../spellings.ts"
import * as Scene from "./scene.ts"

const { areRefused, play, price, tokens, unused } = Scene

const replays = Counts.of({ usual: 200, full: 10_000 })
/** Options live for minutes: after so many replays they are quoted anew. */
const replaysPerRound = 1_000
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

/** A payer, what he is asked for, and what he signed. */
interface Signed {
  readonly payer: Wallet.Wallet
  readonly choice: Scene.Choice
  readonly outputs: ReadonlyArray<string>
}

const signed = Effect.fnUntraced(function* (
  scene: Scene.Scene,
  name: keyof typeof tokens,
  payer: Wallet.Wallet = unused(),
) {
  const choice = yield* scene.offer(tokens[name], payer.address)
  const made: Signed = { payer, choice, outputs: yield* scene.execute(choice, payer) }
  return made
})

layer(Scene.World.layer(), { excludeTestServices: true, timeout })("a signature", (it) => {
  it.effect(
    "M1: is valid for the signed option, and for no other payment, option, account, token, quantity or version",
    () => {
      const draw = Drawing.make(Seed.ofRun)
      const round = play((scene) =>
        Effect.gen(function* () {
          const payer = unused()
          const all: Array<Signed> = []
          const add = (choice: Scene.Choice, by: Wallet.Wallet) =>
            all.push({ payer: by, choice, outputs: [Payers.sign(choice.option, by)] })
          for (const name of ["eip3009", "paxos", "permit2"] as const) {
            const token = tokens[name]
            const other = unused()
            for (const each of [payer, other]) {
              yield* scene.sendAs(each, token.address, Payers.call.approve(10n * price))
            }
            yield* scene.local.mine(1)
            for (const quantity of [price, price, price + 1n]) {
              add(yield* scene.offer(token, payer.address, quantity), payer)
            }
            const theirs = yield* scene.offer(token, other.address)
            add(theirs, other)
            // Another option of the same payment, of a later second.
            yield* Effect.sleep(1_000)
            add(yield* scene.choose(theirs.paymentId, other.address), other)
          }
          const before = yield* scene.sent
          const seen = new Set<string>()
          for (let replay = 0; replay < Math.min(replays, replaysPerRound); replay++) {
            const [from, to] = [all[draw(all.length)], all[draw(all.length)]]
            if (from === undefined || to === undefined || from === to) continue
            const headers = { "Svc-Version": Drawing.oneOf(draw, Version.all) }
            const replayed = yield* scene.attempt(to.choice, [from.outputs], { headers })
            assert.strictEqual(replayed.status, 422)
            const { paymentId } = from.choice
            if (paymentId !== to.choice.paymentId) {
              // The option of one payment is not another's, whatever was signed.
              const crossed = { paymentId, optionId: to.choice.optionId }
              const results = [Drawing.oneOf(draw, [from, to]).outputs]
              const { status } = yield* scene.attempt(crossed, results, { headers })
              assert.strictEqual(status, 400)
            }
            seen.add(`${all.indexOf(from)} ${all.indexOf(to)}`)
          }
          assert.isAbove(seen.size, all.length, "there were too few pairs")
          yield* scene.finish
          assert.strictEqual(yield* scene.sent, before)
          // Each was good for what it was signed for.
          const paid = new Set<string>()
          for (const { choice, outputs } of all) {
            const isPaid = paid.has(choice.paymentId)
            const { status } = yield* scene.attemptWith(choice, outputs)
            assert.strictEqual(status, isPaid ? 400 : 200)
            paid.add(choice.paymentId)
            // Few payments of an account may be on their way at the same time (S31).
            yield* scene.round
            yield* scene.local.mine(1)
          }
        }),
      )
      return Effect.repeat(round, { times: Math.ceil(replays / replaysPerRound) - 1 })
    },
    timeout,
  )

  for (const name of ["eip3009", "paxos", "permit2"] as const) {
    it.effect(`M2: in another form moves ${name} money once, whichever came first`, () =>
      play((scene) =>
        Effect.gen(function* () {
          const before = yield* scene.sent
          const { choice, outputs } = yield* signed(scene, name)
          const others = outputs.slice(0, -1)
          const signature = outputs.at(-1) ?? ""
          const spelled = Spellings.mutated.map(({ of }) => [...others, of(signature)])
          const trySpellings = Effect.forEach(spelled, (each) => scene.attemptWith(choice, each), {
            concurrency: "unbounded",
          })
          areRefused(yield* trySpellings, 422)
          const capitals = [...others, `0x${signature.slice(2).toUpperCase()}`]
          const [plain, upper] = yield* Effect.all(
            [scene.attemptWith(choice, outputs), scene.attemptWith(choice, capitals)],
            { concurrency: "unbounded" },
          )
          assert.deepStrictEqual([plain.status, upper.status], [200, 200])
          areRefused(yield* trySpellings, 400)
          yield* scene.finish
          areRefused(yield* trySpellings, 400)
          assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Succeeded")
          // One to collect, and one to settle where the merchant wants this token.
          const settles = name === "paxos" ? 0 : 1
          yield* scene.finish
          assert.strictEqual(yield* scene.sent, before + 1 + settles)
        }),
      ),
    )
  }

  it.effect("M2: of a contract that accepts several forms moves its money once", () =>
    play((scene) =>
      Effect.gen(function* () {
        const owner = unused()
        const account = yield* scene.local.deploy("SmartAccount", owner.address)
        const choice = yield* scene.offer(tokens.eip3009, account, 10n * price)
        const before = yield* scene.sent
        const signature = Payers.sign(choice.option, owner)
        const [highS] = Spellings.mutated
        assert.isDefined(highS)
        const answers = yield* Effect.all(
          [
            scene.attemptWith(choice, [highS.of(signature)]),
            scene.attemptWith(choice, [signature]),
          ],
          { concurrency: "unbounded" },
        )
        assert.sameMembers(
          answers.map(({ status }) => status),
          [200, 400],
        )
        yield* scene.finish
        assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Succeeded")
        assert.strictEqual(yield* scene.sent, before + 2)
      }),
    ),
  )

  it.effect("M1 M2: that is empty pays for a Safe that approved this option's digest, once", () =>
    play((scene) =>
      Effect.gen(function* () {
        const safe = yield* Accounts.safe(scene.local, [unused(), unused(), unused()])
        const choice = yield* scene.offer(tokens.eip3009, safe.address, 10n * price)
        const other = yield* scene.offer(tokens.eip3009, safe.address, 10n * price)
        const before = yield* scene.sent
        const pay = (to: Scene.Choice) => scene.attemptWith(to, ["0x"])
        assert.strictEqual((yield* pay(choice)).status, 422)
        const noting = safe.noting(Payers.digestOf(choice.option))
        yield* scene.sendAs(unused(), safe.address, noting)
        yield* scene.local.mine(1)
        assert.strictEqual((yield* pay(other)).status, 422)
        const answers = yield* Effect.all([pay(choice), pay(choice)], { concurrency: "unbounded" })
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200],
        )
        yield* scene.finish
        assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Succeeded")
        yield* scene.finish
        assert.strictEqual(yield* scene.sent, before + 2)
        assert.strictEqual((yield* pay(other)).status, 422)
      }),
    ),
  )

  it.effect("M3: never makes the service call what its wrapper contains", () =>
    play((scene) =>
      Effect.gen(function* () {
        const { choice, outputs, payer } = yield* signed(scene, "eip3009")
        const { token } = choice.option
        const loot = 7n * price
        yield* scene.putFloat(choice.option, loot)
        const theft = Payers.call.transfer(payer.address, Money.Quantity.make(loot))
        const wrap = (signature: string) =>
          serializeErc6492Signature({
            address: hex(token.address),
            data: theft,
            signature: hex(signature),
          })
        // An account that is not made yet, and one that has a key.
        const unmade = yield* scene.local.deploy("SmartAccountFactory")
        const owner = unused()
        const data = Payers.call.accountOf(owner.address)
        const answer = yield* scene.ask(Queries.call({ to: unmade, data }, "latest"))
        const foretold = Caip.Address.make(`0x${answer.slice(-40)}`)
        const theirs = yield* scene.offer(token, foretold)
        const before = yield* scene.sent
        const forged = wrap(Payers.sign(theirs.option, owner))
        assert.strictEqual((yield* scene.attemptWith(theirs, [forged])).status, 422)
        const stranger = wrap(Payers.sign(choice.option, owner))
        assert.strictEqual((yield* scene.attemptWith(choice, [stranger])).status, 422)
        yield* scene.finish
        assert.strictEqual(yield* scene.sent, before)
        const [signature = ""] = outputs
        assert.strictEqual((yield* scene.attemptWith(choice, [wrap(signature)])).status, 200)
        yield* scene.finish
        assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Succeeded")
        // One to collect, one to settle: nothing that the wrapper asked for.
        assert.strictEqual(yield* scene.sent, before + 2)
        assert.strictEqual(yield* scene.held(token, payer.address), 0n)
      }),
    ),
  )
})
