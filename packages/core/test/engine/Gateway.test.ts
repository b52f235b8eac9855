import { assert, describe, it } from "@effect/vitest"
import type * as Action from "@florin/core/domain/chain/Action"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as PayerData from "@florin/core/engine/payment/PayerData"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { Screening, ScreeningUnavailable } from "@florin/core/ports/Screening"
import { Settings } from "@florin/core/ports/Settings"
import { Vault } from "@florin/core/ports/Vault"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import type * as Wallet from "@florin/testing/Wallet"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../workers/scene.ts"

const { failsWith, flows, movementOf, now, payer, play, shuffling, stranger, tokens, traces } =
  Scene

const everywhere = (wallet: Wallet.Wallet) =>
  [8453, 1, 10].map((chainId) => Eip155.formatAccount(wallet.account(chainId)))
const onBase = (wallet: Wallet.Wallet) =>
  Eip155.formatAccount(wallet.account(tokens.eip3009.chainId))

/** An option with its asset. */
const chosenOf = (option: PaymentOption.PaymentOption): Action.Chosen => {
  const asset = BuiltIn.catalog.find(option.token)
  return asset === undefined ? assert.fail("the option's token is not known") : { option, asset }
}

const longLived = { expiresAt: now / 1000 + 3600 }
const unknownId = PaymentId.PaymentId.make("pay_nobody")

const complete = [
  { id: "fullName", value: "Ada Lovelace" },
  { id: "dob", value: "1990-12-10" },
  { id: "porCountry", value: "GB" },
  { id: "porAddress", value: "12 St James's Square" },
  { id: "tosConfirmed", value: "true" },
]
describe("Gateway, for a token that can be paid in several ways", () => {
  const either: PaymentOption.Flows = ["permit2", "transfer"]
  const both = { flow: () => either }
  const token = tokens.permit2

  for (const flow of either) {
    it.effect(
      `accepts a payment by ${flow} if both ways are offered, and the other option then pays nothing`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { caller, chain, choose, confirm, create, execute, finish, statusOf } = world
            const { id } = yield* create()
            const chosen = yield* choose(id, token, payer, flow)
            const other = yield* choose(
              id,
              token,
              payer,
              flow === "permit2" ? "transfer" : "permit2",
            )
            assert.notStrictEqual(chosen.id, other.id)
            const outputs = yield* execute(chosen)
            yield* chain.settle(token.chainId)
            // What was done for one option is not taken for the other.
            yield* failsWith("AttemptRefused", confirm(other, outputs))
            const quoted = yield* Gateway.options(caller, id, {
              accounts: everywhere(payer),
              includePaymentInfo: false,
            })
            assert.strictEqual(
              quoted.options?.filter(({ option }) => Caip.sameToken(option.token, token)).length,
              // The approval for Permit2 is there by now.
              flow === "permit2" ? 1 : 2,
            )
            yield* confirm(chosen, outputs)
            yield* finish
            assert.strictEqual(yield* statusOf(id), "succeeded")
            const { attempt } = yield* world.succeeded(id)
            assert.deepStrictEqual(attempt.option, chosen.option)
            assert.strictEqual(yield* world.transfers(movementOf(chosen.option)), 1)
          }),
        both,
      ),
    )
  }
})

describe("Gateway.options", () => {
  it.effect(
    "offers each token that an account can pay, under ids that contain the whole option",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const answer = yield* world.options(id, everywhere(payer), true)
        const offered = answer.options ?? []
        const usd = BuiltIn.catalog.assets.filter(
          ({ peg, token }) =>
            peg === "USD" && [8453, 1, 10].includes(Eip155.numberOf(token.chainId)),
        )
        assert.deepStrictEqual(
          offered.map(({ option }) => Eip155.formatToken(option.token)).toSorted(),
          usd.map(({ token }) => Eip155.formatToken(token)).toSorted(),
        )
        const { sealKey } = yield* Settings
        for (const each of offered) {
          assert.isBelow(each.id.length, 1000)
          assert.deepStrictEqual(
            Result.getOrThrow(PaymentOption.read(each.id, id, sealKey)),
            each.option,
          )
          assert.strictEqual(each.option.quantity, 10_000_000n)
          assert.deepStrictEqual(each.actions, Actions.offeredActions(chosenOf(each.option)))
          assert.isFalse(each.needsData)
        }
        assert.strictEqual(answer.info?.buyer?.accountText, everywhere(payer)[0])
        assert.isNull((yield* world.options(id, everywhere(payer))).info)
      }),
    ),
  )

  it.effect(
    "is empty without accounts, for foreign accounts, unsupported chains, and too high amounts",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const much = yield* world.create({ amount: { unit: "iso4217/USD", value: "100000001" } })
        const rows: ReadonlyArray<readonly [PaymentId.PaymentId, ReadonlyArray<string>]> = [
          [id, []],
          [
            id,
            [
              "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
            ],
          ],
          [id, [Eip155.formatAccount(payer.account(99_999))]],
          [much.id, everywhere(payer)],
        ]
        for (const [of, accounts] of rows) {
          const answer = yield* world.options(of, accounts, true)
          assert.deepStrictEqual(answer.options, [])
        }
        assert.isNull((yield* world.options(id, [], true)).info?.buyer)
        const enough = yield* world.create({ amount: { unit: "iso4217/USD", value: "100000000" } })
        assert.isNotEmpty((yield* world.options(enough.id, everywhere(payer))).options)
      }),
    ),
  )

  it.effect(
    "S15: offers nothing to one of our own accounts, alone or next to a payer's",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const [ours = assert.fail("there is none")] = collectingWallets
        yield* world.chain.mint(tokens.eip3009, ours.address, 10n ** 12n)
        assert.deepStrictEqual((yield* world.options(id, everywhere(ours))).options, [])
        const both = yield* world.options(id, [...everywhere(ours), ...everywhere(payer)])
        assert.deepStrictEqual(
          new Set(both.options?.map(({ option }) => option.account.address)),
          new Set([payer.address]),
        )
      }),
    ),
  )

  it.effect(
    "accepts at most 1,000 accounts",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const accounts = Array.from({ length: Limits.accountsPerCallMax }, (_, index) =>
          Eip155.formatAccount(Fixtures.account(`${index}`, Eip155.chainId(8453))),
        )
        const answer = yield* world.options(id, accounts)
        assert.strictEqual(answer.options?.length, 1000)
        const refused = yield* failsWith(
          "InvalidInput",
          world.options(id, [...accounts, onBase(payer)]),
        )
        assert.isTrue(refused.message.startsWith("accounts:"))
      }),
    ),
  )

  it.effect(
    "accepts nothing while screening does not respond",
    play((world) =>
      Effect.gen(function* () {
        const { chosen, id, outputs } = yield* world.sign(tokens.eip3009)
        const before = yield* traces(id)
        const unavailable = new ScreeningUnavailable({ message: "no answer" })
        const silent = Effect.provideService(Screening, { refused: () => unavailable })
        yield* failsWith("ScreeningUnavailable", silent(world.options(id, everywhere(payer))))
        yield* failsWith("ScreeningUnavailable", silent(world.confirm(chosen, outputs)))
        assert.deepStrictEqual(yield* traces(id), before)
        assert.strictEqual((yield* world.confirm(chosen, outputs)).state._tag, "Processing")
      }),
    ),
  )

  it.effect(
    "only reads the storage",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const before = yield* traces(id)
        const names = new Set<string>()
        yield* world.options(id, everywhere(payer), true).pipe(
          Scene.tapping((name, call) => {
            names.add(name)
            return call
          }),
        )
        assert.deepStrictEqual([...names].toSorted(), [
          "committed",
          "constraints",
          "findMerchants",
          "holdings",
          "offered",
          "payment",
        ])
        assert.deepStrictEqual(yield* traces(id), before)
      }),
    ),
  )
})

describe("Gateway.fetch", () => {
  /** The calldata of each transaction, and the method of each other step. */
  const stepsOf = (actions: ReadonlyArray<Action.WalletRpc>) =>
    actions.map(
      ({ method, params: [first = ""] }) => /"data":"(0x[0-9a-f]+)"/u.exec(first)?.[1] ?? method,
    )
  const approve = (quantity: bigint) =>
    Actions.approveData(Eip155.permit2Address, Fixtures.quantity(quantity))

  const price = 10_000_000n
  it.effect(
    "asks for no approval of an account that has approved more than the amount",
    play((world) =>
      Effect.gen(function* () {
        const { chain, choose, confirm, create, execute, finish, statusOf } = world
        const first = yield* create()
        const chosen = yield* choose(first.id, tokens.permit2)
        // The payer raises the approval in the wallet, as many do, and changes nothing else.
        const raising: Wallet.Node = {
          send: (call, wallet) =>
            chain.node.send({ ...call, data: approve(Limits.maxQuantity) }, wallet),
        }
        const steps = yield* Gateway.fetch(world.caller, first.id, {
          optionId: chosen.id,
          data: "",
        })
        assert.deepStrictEqual(stepsOf(steps), [approve(price), "eth_signTypedData_v4"])
        const outputs = yield* payer.execute(steps, raising)
        yield* chain.settle(tokens.permit2.chainId)
        yield* confirm(chosen, outputs)
        const second = yield* create()
        const next = yield* choose(second.id, tokens.permit2)
        const signed = yield* execute(next)
        assert.strictEqual(signed.length, 1)
        yield* confirm(next, signed)
        yield* finish
        for (const { id } of [first, second]) {
          assert.strictEqual(yield* statusOf(id), "succeeded")
        }
      }),
    ),
  )
})

describe("Gateway.confirm", () => {
  for (const flow of flows) {
    it.effect(
      `accepts ${flow} once, and returns the current state to the same confirm whenever it is repeated`,
      play((world) =>
        Effect.gen(function* () {
          const { caller, confirm, finish, sign, typesOf } = world
          const { chosen, id, outputs } = yield* sign(tokens[flow])
          const first = yield* confirm(chosen, outputs)
          assert.strictEqual(first.state._tag, "Processing")
          assert.deepStrictEqual(yield* confirm(chosen, outputs), first)
          // The same outputs, each in a result of its own or in capitals, are the same confirm.
          const split = { results: outputs.map((output) => ({ data: [output] })) }
          assert.deepStrictEqual(yield* confirm(chosen, outputs, split), first)
          const capitals = outputs.map((output) => `0x${output.slice(2).toUpperCase()}`)
          assert.deepStrictEqual(yield* confirm(chosen, capitals), first)
          assert.deepStrictEqual(yield* typesOf(id), ["payment.created", "payment.processing"])
          yield* finish
          yield* TestClock.adjust("1 hour")
          const later = yield* confirm(chosen, outputs)
          assert.strictEqual(later.state._tag, "Succeeded")
          assert.deepStrictEqual(later, (yield* Gateway.info(caller, id)).payment)
          assert.strictEqual(later.reports.length, 0)
        }),
      ),
    )
  }

  for (const [which, denied] of [
    ["", []],
    [", of which screening refuses one,", [stranger.address]],
  ] as const) {
    it.effect(
      `M17: accepts one of different confirms at the same time${which}, and refuses the others for the state`,
      play((world) =>
        Effect.gen(function* () {
          for (let seed = 0; seed < Counts.of({ usual: 5, full: 200 }); seed++) {
            world.denied.clear()
            const { id } = yield* world.create()
            const attempts = yield* Effect.forEach([payer, stranger], (wallet) =>
              Effect.gen(function* () {
                const chosen = yield* world.choose(id, tokens.eip3009, wallet)
                return { chosen, outputs: yield* world.execute(chosen, wallet) }
              }),
            )
            for (const address of denied) world.denied.add(address)
            const results = yield* shuffling(seed)(
              Effect.forEach(
                attempts,
                ({ chosen, outputs }) => Effect.result(world.confirm(chosen, outputs)),
                { concurrency: "unbounded" },
              ),
            )
            assert.strictEqual(results.filter(Result.isSuccess).length, 1)
            const refused = results.filter(Result.isFailure).map(({ failure }) => failure)
            assert.deepInclude(refused[0], { _tag: "StateRefused", refusal: "invalid_state" })
            assert.strictEqual((yield* world.typesOf(id)).length, 2)
          }
        }),
      ),
      Scene.timeout,
    )
  }

  for (const flow of flows) {
    it.effect(
      `M1: refuses ${flow} signatures for anything but this option, and writes nothing`,
      play((world) =>
        Effect.gen(function* () {
          const { choose, confirm, create, execute, get, sign } = world
          const asked = { ...longLived, amount: { unit: "iso4217/USD", value: "1000" } }
          const { chosen, id, option, outputs } = yield* sign(tokens[flow], payer, asked)
          const before = yield* traces(id)
          // The transaction of the option, if it has one, is kept: only the signature is another.
          const signedBy = (signature: string | undefined) => [
            ...outputs.slice(0, -1),
            signature ?? "",
          ]
          const theirs = yield* choose(id, tokens[flow], stranger)
          const otherPayment = yield* create(longLived)
          const ofOtherPayment = yield* choose(otherPayment.id, tokens[flow])
          // A permit does not name its payment: that one of them alone is taken is a test of its own.
          const others = flow === "permit" ? [] : [ofOtherPayment]
          const otherAmount = yield* create({
            ...longLived,
            amount: { unit: "iso4217/USD", value: "1001" },
          })
          const ofOtherAmount = yield* choose(otherAmount.id, tokens[flow])
          yield* TestClock.adjust("1 second")
          const laterOption = yield* choose(id, tokens[flow])
          const otherToken = yield* choose(id, tokens[flow === "eip3009" ? "paxos" : "eip3009"])
          const wrong = [
            signedBy((yield* execute(theirs, stranger)).at(-1)),
            ...(yield* Effect.forEach(others, (each) =>
              Effect.map(execute(each), (signed) => signedBy(signed.at(-1))),
            )),
            signedBy((yield* execute(ofOtherAmount)).at(-1)),
            signedBy((yield* execute(laterOption)).at(-1)),
            signedBy((yield* execute(otherToken)).at(-1)),
            signedBy(payer.signMessage("I pay")),
            signedBy(`0x${"00".repeat(65)}`),
            signedBy(`0x${"ff".repeat(65)}`),
          ]
          for (const each of wrong) {
            const refused = yield* failsWith("AttemptRefused", confirm(chosen, each))
            assert.isFalse(each.some((output) => refused.message.includes(output)))
          }
          assert.deepStrictEqual(yield* traces(id), before)
          // The other way round: this signature is good for no other option.
          for (const each of [theirs, ...others, ofOtherAmount, laterOption]) {
            yield* failsWith("AttemptRefused", confirm(each, outputs))
          }
          assert.strictEqual((yield* get(otherPayment.id)).state._tag, "RequiresAction")
          assert.deepStrictEqual(yield* world.chain.lanes, [])
          assert.strictEqual((yield* confirm(chosen, outputs)).state._tag, "Processing")
          assert.strictEqual(option.flow, flow)
        }),
      ),
    )
  }

  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const parts = (signature: string) => {
    const text = signature.slice(2)
    return {
      r: text.slice(0, 64),
      s: BigInt(`0x${text.slice(64, 128)}`),
      v: Number.parseInt(text.slice(128), 16) - 27,
    }
  }
  const hex = (value: bigint) => value.toString(16).padStart(64, "0")
  const spellings: ReadonlyArray<readonly [string, (signature: string) => string, boolean]> = [
    ["v as 0 or 1", (text) => `${text.slice(0, -2)}0${parts(text).v}`, true],
    [
      "the 64 bytes of EIP-2098",
      (text) => {
        const { r, s, v } = parts(text)
        return `0x${r}${hex(s | (BigInt(v) << 255n))}`
      },
      true,
    ],
    [
      "a high s",
      (text) => {
        const { r, s, v } = parts(text)
        return `0x${r}${hex(order - s)}${(28 - v).toString(16)}`
      },
      false,
    ],
    ["a trailing byte", (text) => `${text}00`, false],
    [
      "M3: an ERC-6492 wrapper",
      (text) => `0x${"00".repeat(96)}${text.slice(2)}${"6492".repeat(16)}`,
      false,
    ],
  ]
  for (const [name, spell, taken] of spellings) {
    it.effect(
      `M2: makes at most one transfer for another spelling of the signature: ${name}`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, confirm, finish, pay, sign, statusOf, transfers } = world
          const paid = yield* pay(tokens.eip3009)
          const respelled = [spell(paid.outputs[0] ?? "")]
          const repeated = confirm(paid.chosen, respelled)
          // The same signature is the same confirm.
          if (taken) assert.strictEqual((yield* repeated).id, paid.id)
          else yield* failsWith("StateRefused", repeated)
          const fresh = yield* sign(tokens.eip3009, stranger)
          const spelled = confirm(fresh.chosen, [spell(fresh.outputs[0] ?? "")])
          if (taken) yield* spelled
          else yield* failsWith("AttemptRefused", spelled)
          yield* finish
          assert.strictEqual(yield* transfers(movementOf(paid.option)), 1)
          assert.strictEqual(yield* statusOf(paid.id), "succeeded")
          assert.strictEqual(yield* statusOf(fresh.id), taken ? "succeeded" : "requires_action")
          assert.strictEqual(yield* transfers(movementOf(fresh.option)), taken ? 1 : 0)
          if (taken) assert.strictEqual((yield* repeated).id, paid.id)
          else yield* failsWith("StateRefused", repeated)
          assert.isTrue((yield* chain.lanes).every(({ reverted }) => reverted === 0))
          yield* world.audit
        }),
      ),
    )
  }

  it.effect(
    "M9: checks outputs against the kind of each action, their number and their order",
    play((world) =>
      Effect.gen(function* () {
        const hash = `0x${"12".repeat(32)}`
        for (const flow of flows) {
          const { chosen, id, outputs } = yield* world.sign(tokens[flow])
          const before = yield* traces(id)
          const signature = outputs.at(-1) ?? ""
          const wrong = [
            [],
            [hash],
            [signature, hash],
            [hash, hash, hash, signature],
            flow === "transfer" ? [signature] : [signature, signature],
            flow === "eip3009" ? [hash, signature] : [hash, ""],
            [...outputs, signature],
          ]
          for (const each of wrong) {
            yield* failsWith("InvalidInput", world.confirm(chosen, each))
          }
          yield* failsWith("InvalidInput", world.confirm(chosen, [], { results: [] }))
          const uneven = { results: [{ data: outputs }, { data: [signature, signature] }] }
          yield* failsWith("InvalidInput", world.confirm(chosen, [], uneven))
          assert.deepStrictEqual(yield* traces(id), before)
        }
      }),
    ),
  )

  it.effect(
    "asks for the payer's data first, names what is wrong, and stores it sealed, only with the confirm",
    play((world) =>
      Effect.gen(function* () {
        const { confirm, sign, payments, outbox } = world
        const { chosen, id, option, outputs } = yield* sign(tokens.eip3009)
        const before = yield* traces(id)
        const missing = yield* failsWith("DataRequired", confirm(chosen, outputs))
        assert.include(missing.message, "IC data required")
        const fields = complete.map((each) =>
          each.id === "tosConfirmed" || each.id === "dob" ? { ...each, value: "True" } : each,
        )
        const invalid = yield* failsWith(
          "InvalidInput",
          confirm(chosen, outputs, { collectedData: { fields } }),
        )
        assert.deepStrictEqual(
          "issues" in invalid ? invalid.issues.map(({ field }) => field).toSorted() : [],
          ["collectedData.dob", "collectedData.tosConfirmed"],
        )
        const collectedData = { fields: complete }
        const wrong = [`0x${"ab".repeat(65)}`]
        yield* failsWith("AttemptRefused", confirm(chosen, wrong, { collectedData }))
        assert.deepStrictEqual(yield* traces(id), before)

        yield* confirm(chosen, outputs, { collectedData })
        const [kept, ...more] = yield* payments.collected(id)
        assert.strictEqual(more.length, 0)
        assert.deepStrictEqual(kept?.account, option.account)
        const { collectedKeptInMs } = yield* Settings
        assert.strictEqual(kept?.deleteAt, now + collectedKeptInMs)
        const sealed = kept?.sealed ?? new Uint8Array()
        assert.isFalse(new TextDecoder().decode(sealed).includes("Ada"))
        const vault = yield* Vault
        const place = `${id}/${Caip.accountKey(option.account)}/collected`
        assert.deepStrictEqual(yield* PayerData.open(id, kept ?? assert.fail()), {
          fullName: "Ada Lovelace",
          dob: "1990-12-10",
          porCountry: "GB",
          porAddress: "12 St James's Square",
          tosConfirmed: true,
        })
        // The vault alone reads nothing: without the record's own key, it is as random as that key.
        const masked = new TextDecoder("latin1").decode(yield* vault.open(place, sealed))
        for (const word of ["Ada", "fullName", "1990", "GB"]) assert.notInclude(masked, word)
        yield* failsWith("VaultRefused", PayerData.open(unknownId, kept ?? assert.fail()))
        const announced = JSON.stringify(yield* outbox.eventsOf(id), (_, value: unknown) =>
          typeof value === "bigint" ? value.toString() : value,
        )
        assert.include(announced, option.accountText)
        assert.notInclude(announced, "Lovelace")
      }).pipe(Effect.provide(CollectDataPolicy.layerAlways)),
    ),
  )

  it.effect(
    "A15: ignores data of another account or payment, and accepts the hosted form's",
    play((world) =>
      Effect.gen(function* () {
        const { choose, confirm, create, execute, sign } = world
        const { chosen, id, option, outputs } = yield* sign(tokens.eip3009)
        const other = yield* create()
        const { session = assert.fail("there is no session") } = option
        const { account } = option
        yield* PayerData.collect(other.id, account, session, complete)
        yield* PayerData.collect(id, stranger.account(8453), session, complete)
        yield* PayerData.collect(id, payer.account(1), session, complete)
        yield* failsWith("DataRequired", confirm(chosen, outputs))
        yield* failsWith("InvalidInput", PayerData.collect(id, account, session, []))
        yield* failsWith("DataRequired", confirm(chosen, outputs))
        const form = Gateway.form(id, [option.accountText], session)
        assert.isTrue((yield* form).needsData)
        yield* PayerData.collect(id, account, session, complete)
        assert.isFalse((yield* form).needsData)
        assert.strictEqual((yield* confirm(chosen, outputs)).state._tag, "Processing")
        yield* failsWith("StateRefused", PayerData.collect(id, account, session, complete))
        const theirs = yield* choose(other.id, tokens.eip3009)
        assert.isTrue(theirs.needsData)
        yield* failsWith("DataRequired", confirm(theirs, yield* execute(theirs)))
      }).pipe(Effect.provide(CollectDataPolicy.layerAlways)),
    ),
  )

  it.effect(
    "S13: uses data that a stranger sent for an account only in the stranger's own confirm",
    play((world) =>
      Effect.gen(function* () {
        const { choose, confirm, payments, sign } = world
        const { chosen, id, option, outputs } = yield* sign(tokens.eip3009)
        const { account, session = assert.fail("there is no session") } = option
        const mouse = complete.map((each) =>
          each.id === "fullName" ? { ...each, value: "Mickey Mouse" } : each,
        )
        // Whoever holds the link gets options for any account, and a form for them.
        const strangers = yield* choose(id, tokens.eip3009)
        const { session: other = assert.fail("there is no session") } = strangers.option
        assert.notStrictEqual(other, session)
        yield* PayerData.collect(id, account, other, mouse)
        const missing = yield* failsWith("DataRequired", confirm(chosen, outputs))
        assert.include(missing.message, "IC data required")
        const again = yield* choose(id, tokens.eip3009)
        assert.isTrue(again.needsData)

        yield* PayerData.collect(id, account, session, complete)
        yield* confirm(chosen, outputs)
        const { collectedKeptInMs } = yield* Settings
        const kept = yield* payments.collected(id)
        const own = kept.find((each) => each.session === session)
        assert.strictEqual(own?.deleteAt, now + collectedKeptInMs)
        // Nobody who did not pay is remembered for long.
        const theirs = kept.find((each) => each.session === other)
        assert.strictEqual(theirs?.deleteAt, now + Limits.collectedUnusedKeptInMs)
        const { fullName } = yield* PayerData.open(id, own ?? assert.fail())
        assert.strictEqual(fullName, "Ada Lovelace")
      }).pipe(Effect.provide(CollectDataPolicy.layerAlways)),
    ),
  )

  it.effect(
    "S13: replaces the form's data of a session with data that is sent with a confirm",
    play((world) =>
      Effect.gen(function* () {
        const { confirm, payments, sign } = world
        const { chosen, id, option, outputs } = yield* sign(tokens.eip3009)
        const { account, session = assert.fail("there is no session") } = option
        yield* PayerData.collect(id, account, session, complete)
        const [before] = yield* payments.collected(id)
        yield* confirm(chosen, outputs, { collectedData: { fields: complete } })
        const [after, ...more] = yield* payments.collected(id)
        assert.deepStrictEqual(more, [])
        assert.strictEqual(after?.session, session)
        assert.notDeepEqual(after?.sealed, before?.sealed)
      }).pipe(Effect.provide(CollectDataPolicy.layerAlways)),
    ),
  )

  it.effect(
    "S13: keeps earlier data if strangers fill all places, and lets the payer send data with the confirm",
    play((world) =>
      Effect.gen(function* () {
        const { choose, confirm, payments, sign } = world
        const { chosen, id, option, outputs } = yield* sign(tokens.eip3009)
        const { account, session = assert.fail("there is no session") } = option
        yield* PayerData.collect(id, account, session, complete)
        const late = yield* choose(id, tokens.eip3009)
        const identifiers = yield* Identifiers
        const fill = Effect.flatMap(identifiers.randomBytes(PayerSession.byteCount), (bytes) =>
          PayerData.collect(id, account, PayerSession.ofBytes(bytes), complete),
        )
        for (let count = 1; count < Limits.collectedPerPaymentMax; count++) yield* fill
        yield* failsWith("TooManyForms", fill)
        assert.strictEqual((yield* payments.collected(id)).length, Limits.collectedPerPaymentMax)
        // What is there already may be told again.
        yield* PayerData.collect(id, account, session, complete)
        const { session: without = assert.fail("there is no session") } = late.option
        yield* failsWith("TooManyForms", PayerData.collect(id, account, without, complete))
        assert.strictEqual((yield* confirm(chosen, outputs)).state._tag, "Processing")
      }).pipe(Effect.provide(CollectDataPolicy.layerAlways)),
    ),
  )

  it.effect(
    "writes nothing if the chain does not respond, and accepts the same confirm later",
    play((world) =>
      Effect.gen(function* () {
        const { chosen, id, outputs } = yield* world.sign(tokens.eip3009)
        const before = yield* traces(id)
        for (const when of ["before", "after"] as const) {
          yield* world.chain.fail({ calls: 1, kinds: ["verify"], when })
          yield* failsWith("ChainUnavailable", world.confirm(chosen, outputs))
          assert.deepStrictEqual(yield* traces(id), before)
        }
        assert.strictEqual((yield* world.confirm(chosen, outputs)).state._tag, "Processing")
      }),
    ),
  )
})

describe("Gateway, with a leaked seal key", () => {
  for (const flow of flows) {
    it.effect(
      `S30: does not find a correctly sealed ${flow} option that pays to a foreign account`,
      play((world) =>
        Effect.gen(function* () {
          const { id } = yield* world.create()
          const chosen = yield* world.choose(id, tokens[flow])
          const option = { ...chosen.option, payTo: stranger.address }
          const { sealKey } = yield* Settings
          const forged = { ...chosen, id: PaymentOption.id(option, sealKey), option }
          const steps = Actions.executable(chosenOf(option), Money.zero)
          const outputs = yield* payer.execute(steps, world.chain.node)
          yield* world.settleAll
          const before = yield* traces(id)
          yield* failsWith(
            "OptionNotFound",
            Gateway.fetch(world.caller, id, { optionId: forged.id, data: "" }),
          )
          yield* failsWith("OptionNotFound", world.confirm(forged, outputs))
          assert.deepStrictEqual(yield* traces(id), before)
          yield* Gateway.cancel(world.caller, id)
          yield* failsWith("StateRefused", world.confirm(forged, outputs))
          assert.deepStrictEqual((yield* world.get(id)).reports, [])
        }),
      ),
    )
  }
})
