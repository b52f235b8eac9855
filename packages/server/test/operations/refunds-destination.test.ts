import { assert, describe, it } from "@effect/vitest"
import * as Sender from "@florin/core/workers/Sender"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import * as Refunds from "./refunds.ts"
import { assets, deadEnds, gained } from "./settlements.ts"

const { play } = Laws

const stranger = Scene.accountOf(Scene.stranger, 8453)
const treasury = Scene.accountOf(Scene.treasury, 8453)

interface Part {
  readonly unit: string
  readonly value: string
}

const usd = (value: string): Part => ({ unit: "iso4217/USD", value })

/** Asks for the statement of a refund. */
const asking = (key: string, paymentId: string, destination: string, amount?: Part) => ({
  path: "/v1/refunds/destination",
  key,
  body: { paymentId, destination, ...(amount && { amount: { ...amount } }) },
})

const statementOf = Effect.fnUntraced(function* (...of: Parameters<typeof asking>) {
  const answer = yield* Scene.send(asking(...of))
  assert.strictEqual(answer.status, 200, answer.text)
  return Scene.text(answer.body, "statement")
})

interface Signed {
  readonly destination?: string
  readonly amount?: Part
  readonly signer?: Wallet.Wallet
  readonly proof?: string
  readonly idempotencyKey?: string
}

/** A refund to the stranger's account, for which the payer signed, unless something of it differs. */
const refunding = (
  key: string,
  paymentId: string,
  statement: string,
  { amount, destination = stranger, idempotencyKey, proof, signer = Scene.payer }: Signed = {},
) => ({
  path: "/v1/refunds",
  key,
  headers: { "Idempotency-Key": idempotencyKey ?? Scene.fresh("elsewhere") },
  body: {
    paymentId,
    destination,
    statement,
    proof: proof ?? signer.signMessage(statement),
    ...(amount && { amount: { ...amount } }),
  },
})

describe("POST /v1/refunds/destination", () => {
  play("returns a statement of everything that the payer allows, and writes nothing", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const before = yield* Laws.world(scene)
      const answer = yield* Scene.send(asking(own.key, id, stranger, usd("250")))
      assert.strictEqual(answer.status, 200, answer.text)
      const expiresAt = Number(Scene.at(answer.body, "expiresAt"))
      assert.deepStrictEqual(Scene.text(answer.body, "statement").split("\n"), [
        "I paid with this account. The refund is to go to another account, and not to this one.",
        `Refund to: ${stranger}`,
        "Amount: 2.50 USD, which is 2.50 USDC",
        `Token: ${assets.usdcOnBase}`,
        `Paid by: ${Gateway.payerOn(8453)}`,
        `Payment: ${id}`,
        "Earlier refunds: 0",
        "Mode: test",
        "Service: https://pay.example.com",
        `Valid until: ${new Date(expiresAt * 1000).toISOString()}`,
      ])
      assert.deepStrictEqual(yield* Laws.world(scene), before)
    }),
  )

  play("S15: refuses what is no refund, and accounts at which the money would be lost", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const open = yield* Scene.createPayment(own.key, own.merchantId)
      const early = asking(own.key, open, stranger)
      yield* Laws.refused(scene, early, 400, "payment_not_succeeded")
      const id = yield* Refunds.succeeded(scene)
      for (const [address, words] of deadEnds) {
        const answer = yield* Laws.invalid(scene, asking(own.key, id, `eip155:8453:${address}`), [
          "destination",
        ])
        assert.include(answer.text, words)
      }
      for (const wrong of [
        Gateway.payerOn(8453),
        Gateway.payerOn(8453).toLowerCase(),
        Scene.accountOf(Scene.stranger, 137),
        Scene.stranger.address,
        "eip155:8453:0x22",
        // The checksum of another address.
        stranger.replace(/[a-f]/u, (letter) => letter.toUpperCase()).replace(/0X/u, "0x"),
      ]) {
        yield* Laws.invalid(scene, asking(own.key, id, wrong), ["destination"])
      }
      yield* Laws.invalid(scene, asking(own.key, id, stranger, usd("0")), ["amount.value"])
      const more = asking(own.key, id, stranger, usd("1235"))
      yield* Laws.refused(scene, more, 409, "already_refunded")
      yield* Scene.send(Refunds.refunding(own.key, id))
      const again = asking(own.key, id, stranger)
      yield* Laws.refused(scene, again, 409, "already_refunded")
    }),
  )

  it.effect(
    "S14: refuses an account that screening refuses, and holds a refund to one that it refuses later",
    Gateway.play((scene) =>
      Effect.gen(function* () {
        const { denied, own } = scene
        const id = yield* Refunds.succeeded(scene)
        const statement = yield* statementOf(own.key, id, stranger)
        denied.add(Scene.stranger.address)
        for (const sent of [asking(own.key, id, stranger), refunding(own.key, id, statement)]) {
          const answer = yield* Gateway.writesNothing(id, Scene.send(sent))
          Scene.isProblem(answer, 400, "params_validation")
          assert.deepStrictEqual(Scene.fieldsOf(answer), ["destination"])
        }
        denied.clear()
        const asked = yield* Scene.send(refunding(own.key, id, statement))
        assert.strictEqual(asked.status, 200, asked.text)
        denied.add(Scene.stranger.address)
        yield* Sender.drain
        const details = yield* Refunds.detailsOf(own, id)
        assert.strictEqual(Scene.text(details, "refund", "status"), "held")
        assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.stranger), 0n)
      }),
    ),
  )
})

describe("POST /v1/refunds to another account", () => {
  play("pays the account that the payer signed for, and names it everywhere", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const statement = yield* statementOf(own.key, id, stranger.toLowerCase(), usd("250"))
      const sent = refunding(own.key, id, statement, {
        amount: usd("250"),
        idempotencyKey: "a part",
      })
      for (const replayed of [null, "true"]) {
        const answer = yield* Scene.send(sent)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.headers.get("idempotency-replayed"), replayed)
        assert.strictEqual(Scene.text(answer.body, "destination"), stranger)
      }
      yield* Gateway.finish(8453)
      const rest = yield* Scene.send(Refunds.refundingPart(own.key, id, "984"))
      assert.strictEqual(rest.status, 200, rest.text)
      yield* Gateway.finish(8453)
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.stranger), 2_500_000n)
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.payer), -2_500_000n)
      const details = yield* Refunds.detailsOf(own, id)
      const shown = Scene.list(details, "refunds")
      assert.deepStrictEqual(
        shown.map((each) => [Scene.at(each, "status"), Scene.at(each, "destination")]),
        [
          ["succeeded", stranger],
          ["succeeded", undefined],
        ],
      )
      const events = yield* Scene.send({ path: "/v1/events?limit=200", key: own.key })
      const named = Scene.list(events.body, "data")
        .filter((each) => Scene.text(each, "type").startsWith("refund."))
        .map((each) => Scene.at(each, "data", "refund", "destination"))
      assert.deepStrictEqual(named, [stranger, stranger, stranger, undefined, undefined, undefined])
      const audit = yield* Scene.send({ path: "/v1/audit-log", key: own.key })
      const entry = Scene.list(audit.body, "data").find(
        (each) =>
          Scene.text(each, "action") === "refund.requested" &&
          JSON.stringify(each).includes(stranger),
      )
      const kept = Scene.list(entry, "changes").map((each) => [
        Scene.text(each, "field"),
        Scene.text(each, "to"),
      ])
      assert.deepStrictEqual(kept.slice(1), [
        ["value", "250"],
        ["destination", stranger],
        ["statement", statement],
      ])
    }),
  )

  play(
    "S11, M18: refuses a destination without the payer's signature of exactly this refund",
    (scene) =>
      Effect.gen(function* () {
        const { own } = scene
        const id = yield* Refunds.succeeded(scene)
        const other = yield* Refunds.succeeded(scene)
        const statement = yield* statementOf(own.key, id, stranger)
        const { body, ...bare } = refunding(own.key, id, statement)
        const { destination, paymentId, proof } = body
        for (const [left, fields] of [
          [{ paymentId, destination }, ["statement"]],
          [{ paymentId, destination, statement }, ["proof"]],
          [{ paymentId, destination, proof }, ["statement"]],
          // A client that forgets the destination must not refund to the payer.
          [{ paymentId, statement, proof }, ["statement", "proof"]],
        ] as const) {
          yield* Laws.invalid(scene, { ...bare, body: left }, fields)
        }
        // Somebody else signs it, the merchant for example, or nobody does.
        for (const wrong of [
          { signer: Scene.stranger },
          { signer: Scene.treasury },
          { proof: Scene.payer.signMessage(`${statement}\n`) },
          { proof: Scene.payer.signDigest(new Uint8Array(32)) },
          { proof: "0x" },
          { proof: `0x${"00".repeat(65)}` },
          { proof: "signed" },
        ]) {
          yield* Laws.invalid(scene, refunding(own.key, id, statement, wrong), ["proof"])
        }
        // The payer signed another one.
        const part = yield* statementOf(own.key, id, stranger, usd("250"))
        const elsewhere = yield* statementOf(own.key, id, treasury)
        for (const [what, more] of [
          [refunding(own.key, other, statement), ["statement"]],
          [refunding(own.key, id, part), ["statement"]],
          [refunding(own.key, id, statement, { amount: usd("250") }), ["statement"]],
          [refunding(own.key, id, part, { amount: usd("251") }), ["statement"]],
          [refunding(own.key, id, elsewhere), ["statement"]],
          [refunding(own.key, id, statement, { destination: treasury }), ["statement"]],
        ] as const) {
          yield* Laws.invalid(scene, what, more)
        }
        // Another service, mode, chain or token, and what no service says: each line counts.
        const lines = statement.split("\n")
        for (const [index, line] of lines.entries()) {
          for (const changed of [
            line.replace("pay.example.com", "pay.example.org"),
            line.replace("test", "live"),
            line.replaceAll("8453", "137"),
            line.replace("0x833589", "0x833580"),
            line.replace("12.34", "12.35"),
            line.replace("refunds: 0", "refunds: 1"),
            line.replace("2026", "2027"),
            line.replace("2026", "2025"),
            line.replace(/Z$/u, "+00:00"),
            `${line} `,
            line.toLowerCase(),
          ]) {
            if (changed === line) continue
            const forged = lines.with(index, changed).join("\n")
            yield* Laws.invalid(scene, refunding(own.key, id, forged), ["statement"])
          }
        }
        for (const forged of [
          "",
          "Valid until: ",
          `${statement}\n`,
          ` ${statement}`,
          "x".repeat(8000),
        ]) {
          yield* Laws.invalid(scene, refunding(own.key, id, forged), ["statement"])
        }
        const long = refunding(own.key, id, "x".repeat(9000))
        yield* Laws.invalid(scene, long, ["statement"])
        const good = yield* Scene.send(refunding(own.key, id, statement))
        assert.strictEqual(good.status, 200, good.text)
      }),
  )

  play("M18: accepts a statement for a day, and for one refund", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const amount = usd("250")
      const statement = yield* statementOf(own.key, id, stranger, amount)
      yield* TestClock.adjust("24 hours")
      yield* Laws.invalid(scene, refunding(own.key, id, statement, { amount }), ["statement"])
      const fresh = yield* statementOf(own.key, id, stranger, amount)
      yield* TestClock.adjust("23 hours")
      const first = yield* Scene.send(refunding(own.key, id, fresh, { amount }))
      assert.strictEqual(first.status, 200, first.text)
      yield* Laws.invalid(scene, refunding(own.key, id, fresh, { amount }), ["statement"])
      const later = yield* statementOf(own.key, id, stranger, amount)
      assert.include(later, "Earlier refunds: 1")
      // A refund to the payer uses it up, too.
      yield* Scene.send(Refunds.refundingPart(own.key, id, "1"))
      yield* Laws.invalid(scene, refunding(own.key, id, later, { amount }), ["statement"])
    }),
  )

  play("M18: makes one refund from 20 calls with one statement at the same time", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const amount = usd("250")
      const statement = yield* statementOf(own.key, id, stranger, amount)
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => Scene.send(refunding(own.key, id, statement, { amount }))),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1,
      )
      yield* Gateway.finish(8453)
      assert.strictEqual(yield* gained(assets.usdcOnBase, Scene.stranger), 2_500_000n)
    }),
  )

  play("M18: takes another form of the same signature for the same refund only", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const id = yield* Refunds.succeeded(scene)
      const amount = usd("250")
      const statement = yield* statementOf(own.key, id, stranger, amount)
      const proof = Scene.payer.signMessage(statement)
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const s = (order - BigInt(`0x${proof.slice(66, 130)}`)).toString(16).padStart(64, "0")
      const twin = `${proof.slice(0, 66)}${s}${proof.endsWith("1b") ? "1c" : "1b"}`
      const first = yield* Scene.send(refunding(own.key, id, statement, { amount }))
      assert.strictEqual(first.status, 200, first.text)
      const second = refunding(own.key, id, statement, { amount, proof: twin })
      yield* Laws.invalid(scene, second, ["statement"])
    }),
  )
})
