import { assert, describe, it } from "@effect/vitest"
import type * as Wire from "@florin/api/wire/Status"
import * as Incoming from "@florin/core/domain/books/Incoming"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { OutflowStore, findOutflow } from "@florin/core/ports/OutflowStore"
import * as Postgres from "@florin/postgres/Postgres"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Scene from "@florin/testing/storage/Scene"
import * as Stores from "@florin/testing/Stores"
import { DateTime, Effect, Layer, Redacted, Result } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Time from "../src/terminal/Time.ts"
import * as Commands from "./commands.ts"

/** A machine with much else to do still gets there. */
const timeout = 300_000

interface Entries {
  readonly data: ReadonlyArray<{ readonly action: string }>
}

const commandsOn = Effect.fnUntraced(function* (url: string) {
  yield* Commands.serve(url)
  const run = (command: string) => Effect.promise(() => Commands.run(url, ...command.split(" ")))
  const json = (command: string) =>
    Effect.map(run(`${command} --json`), ({ code, err, out }) => {
      assert.strictEqual(code, 0, `${command}: ${err}`)
      return JSON.parse(out)
    })
  /** How each of several ended, where a process for each would take long. */
  const several = (commands: ReadonlyArray<string>) =>
    Effect.promise(() => Commands.several(url, commands))
  /** What the story of a payment says at its end. */
  const verdictOn = ({ id }: Payment.Payment) =>
    Effect.map(json(`explain ${id}`), ({ verdict }): string => verdict.text)
  return { run, json, several, verdictOn }
})

/** A scene whose payments have a merchant, as `explain` tells of it. */
const begin = Effect.gen(function* () {
  const scene = yield* Scene.begin
  const { accounts, world } = scene
  const merchant = world.merchant({ id: world.merchantId })
  yield* accounts.addMerchant(merchant)
  return scene
})

/** Writes a decision on the outflow of a payment. */
const decide = Effect.fnUntraced(function* (
  outflowId: OutflowId.OutflowId,
  paymentId: PaymentId.PaymentId,
  decision: (current: Outgoing.Current) => Change.Write | null,
) {
  yield* (yield* OutflowStore).modify(
    { outflows: [outflowId], payments: [paymentId] },
    Fixtures.decideOn(decision),
    null,
  )
})

/** The last command that a verdict names, without the program's name. */
const toldIn = (verdict: string): string =>
  /.*florin (.+)`\.$/u.exec(verdict)?.[1] ?? assert.fail(verdict)

describe("florin payments settle and florin refunds retry", () => {
  it.live(
    "retry the held share and the held refund of a payment",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, run, verdictOn } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { reach, accounts, payments, world } = yield* begin
          const [held, owed] = [yield* reach("settlementHeld"), yield* reach("owed")]

          const settle = toldIn(yield* verdictOn(held))
          assert.strictEqual(settle, `payments settle ${held.id}`)
          const nowhere = yield* run(settle)
          assert.strictEqual(nowhere.code, 1)
          assert.include(nowhere.err, `\`npx florin explain ${held.id}\` shows the state`)

          const destination = world.destination()
          const added = () => Result.succeed({ added: [destination] })
          yield* accounts.addDestinations(world.merchantId, added, Fixtures.now)
          const account = Eip155.formatAccount(destination.destination)
          const settled = yield* run(settle)
          assert.strictEqual(settled.code, 0, settled.err)
          assert.include(settled.out, `The payout of ${held.id} is due again, to ${account}`)
          assert.deepInclude(yield* json(`payments settle ${owed.id}`), {
            paymentId: owed.id,
            destination: account,
          })
          assert.include(yield* verdictOn(owed), "waits for its payout to be sent")

          const refused = yield* reach("refundHeld")
          const retry = toldIn(yield* verdictOn(refused))
          assert.strictEqual(retry, `refunds retry ${refused.id}`)
          const retried = yield* json(retry)
          assert.strictEqual(retried.paymentId, refused.id)
          assert.deepInclude(retried.refunds[0], {
            refundId: Payment.refundOf(refused)?.id,
            status: "pending",
          })
          const again = yield* run(retry)
          assert.strictEqual(again.code, 1)
          assert.include(again.err, `\`npx florin explain ${refused.id}\` shows its state`)
          assert.strictEqual(
            Payment.refundOf(yield* payments.payment(refused.id))?.state._tag,
            "Pending",
          )
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

describe("florin merchants settlements confirm and history", () => {
  it.live(
    "S11: confirm the change that was shown, and list who asked for which change",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, run } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { accounts, world } = yield* begin
          yield* Stores.putPartner(accounts, world.partner())
          const own = world.destination()
          const at = Date.now()
          const waiting = SettlementDestination.change(
            own,
            {
              destination: { ...own.destination, address: Fixtures.address("elsewhere") },
              destinationText: "as it was sent",
            },
            { delayInMs: 86_400_000, now: at },
          )
          const acting = {
            actor: { _tag: "Key", keyId: ApiKey.ApiKeyId.make("key_leaked") },
            requestId: "req_1",
          } as const
          const event = Event.ofDestination(own, waiting, { ...world.tenant, acting, now: at })
          yield* accounts.addDestinations(
            world.merchantId,
            () =>
              Result.succeed({
                added: [waiting],
                events: event === null ? [] : [event],
              }),
            at,
          )
          const command = `merchants settlements confirm ${world.merchantId} ${own.id}`
          const other = yield* run(`${command} ${own.destinationText}`)
          assert.strictEqual(other.code, 1)
          assert.include(other.err, "the pending change has another account")
          const account = Eip155.formatAccount(waiting.destination)
          const confirmed = yield* run(`${command} ${account}`)
          assert.strictEqual(confirmed.code, 0, confirmed.err)
          assert.include(confirmed.out, `${own.id} is in effect`)
          const again = yield* run(`${command} ${account}`)
          assert.strictEqual(again.code, 1)
          assert.include(again.err, "there is nothing to confirm")
          const { changes: history } = yield* json(
            `merchants settlements history ${world.merchantId}`,
          )
          assert.strictEqual(history.length, 2)
          assert.deepInclude(history[0], {
            settlementId: own.id,
            from: own.destinationText,
            to: "as it was sent",
            keyId: "key_leaked",
            requestId: "req_1",
          })
          assert.deepInclude(history[1], { takesEffectAt: null, keyId: null })
          const table = yield* run(`merchants settlements history ${world.merchantId}`)
          assert.include(table.out, "the operator")
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

describe("florin payouts", () => {
  it.live(
    "lists outgoing money, shows one payout with its shares, and retries a held one that moved nothing",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, several, verdictOn } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { reach } = yield* begin
          const outflows = yield* OutflowStore
          const outflowOf = (payment: Payment.Payment) =>
            Payment.outflowIds(payment)[0] ?? assert.fail(`${payment.id} has no outflow`)
          const gathered = yield* reach("gathered")
          const sent = yield* reach("settling")
          const { state } = yield* findOutflow(outflows, outflowOf(sent))
          if (state._tag !== "Sent") return assert.fail(`it is ${state._tag}`)
          const lanes = yield* LaneStore
          const { lane, nonce } = state.slot
          const transaction = Fixtures.laneTransaction(lane, nonce)
          const signed = { transaction, state: yield* lanes.laneState("test", lane) }
          assert.isTrue(yield* lanes.placeInLane(signed, null))
          const held = yield* reach("settlementHeld")
          const refunding = yield* reach("refundHeld")
          const moving = yield* reach("settling")
          const [id, heldId, movedId] = [gathered, held, moving].map(outflowOf)
          if (id === undefined || heldId === undefined || movedId === undefined) {
            return assert.fail("nothing goes out")
          }
          const failure = {
            reason: "it moved something else (0x1)",
            code: "moved",
            movedOtherwise: true,
          } as const
          yield* decide(movedId, moving.id, (current) =>
            Outgoing.hold(current, failure, Fixtures.now),
          )

          const all: ReadonlyArray<{ readonly id: string; readonly state: string }> = (yield* json(
            "payouts list --state open",
          )).data
          assert.sameDeepMembers(
            all.map((each) => [each.id, each.state]),
            [
              [id, "waiting"],
              [outflowOf(sent), "sent"],
              [heldId, "held"],
              [outflowOf(refunding), "held"],
              [movedId, "held"],
            ],
          )
          const [onlySent, table, shown, shares] = yield* several([
            "payouts list --state sent --json",
            "payouts list --state open",
            `payouts show ${heldId}`,
            `payouts show ${id} --json`,
          ])
          const [inLane, ...others] = JSON.parse(onlySent?.out ?? "").data
          assert.deepStrictEqual(others, [])
          assert.strictEqual(inLane.lastTxId, transaction.hash)
          assert.include(table?.out, "Payouts: 5")
          assert.include(table?.out, inLane.lastTxId)
          assert.include(shown?.out, "blocklisted")
          assert.include(shown?.out, held.id)
          assert.include(shown?.out, `florin payouts retry ${heldId}`)
          assert.deepStrictEqual(
            JSON.parse(shares?.out ?? "").payments.map(
              (each: { paymentId: string }) => each.paymentId,
            ),
            [gathered.id],
          )

          const [done, again, waiting, moved, refund, none] = yield* several([
            `payouts retry ${heldId} --json`,
            `payouts retry ${heldId}`,
            `payouts retry ${id}`,
            `payouts retry ${movedId}`,
            `payouts retry ${outflowOf(refunding)}`,
            `payouts show out_nobody`,
          ])
          assert.deepInclude(JSON.parse(done?.out ?? ""), {
            id: heldId,
            state: "cancelled",
            paymentCount: 1,
          })
          assert.include(
            again?.err,
            `${heldId}: it is cancelled, and only held money can be retried`,
          )
          assert.include(waiting?.err, `${id}: it is waiting, and only held money can be retried`)
          assert.include(moved?.err, Transfer.whyNotRetried(failure.reason).replaceAll("`", "'"))
          assert.include(refund?.out, "is due again. A worker sends it.")
          assert.include(none?.err, "there is no such payout: check the id")
          assert.include(yield* verdictOn(held), "waits for its payout to be sent")
          assert.include(yield* verdictOn(refunding), "waits for its refund to be sent")
          assert.include(yield* verdictOn(moving), "waits for you to look into its payout")
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

describe("florin payouts accept, florin payouts release, florin assets resume", () => {
  it.live(
    "S24: shows what moved instead, records the operator's decision on it, and resumes the token",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, run, several } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { reach, world } = yield* begin
          const outflows = yield* OutflowStore
          /** A payout of which half arrived. */
          const astray = Effect.gen(function* () {
            const payment = yield* reach("settling")
            const [id = assert.fail()] = Payment.outflowIds(payment)
            const { movement } = yield* findOutflow(outflows, id)
            const half = Fixtures.quantity(movement.quantity / 2n)
            const transfer = world.evidenceOf({ ...movement, quantity: half })
            const transfers = [{ to: movement.to, quantity: half }]
            const failure = {
              reason: "it moved something else (0x1)",
              code: "moved",
              movedOtherwise: true,
              moved: { transfer, left: half, transfers },
            } as const
            yield* decide(id, payment.id, (current) =>
              Outgoing.hold(current, failure, Fixtures.now),
            )
            return { id, payment, transfer }
          })
          const [one, other] = [yield* astray, yield* astray]
          yield* Lanes.stopToken("test", world.token, `${one.id}: it moved something else`)

          const shown = yield* run(`payouts show ${one.id}`)
          assert.match(shown.out, /arrived, and .* left the account/u)
          assert.include(shown.out, `florin payouts accept ${one.id}`)
          assert.include(shown.out, `florin payouts release ${one.id}`)
          assert.notInclude(shown.out, "payouts retry")
          const { data: listed } = yield* json("payouts list")
          const { moved } = listed.find(({ id }: { readonly id: string }) => id === one.id).problem
          assert.strictEqual(moved.txId, one.transfer.txHash)
          assert.strictEqual(moved.transfers.length, 1)
          const stuck = yield* run("stuck")
          assert.match(stuck.out, /arrived, and/u)
          const [{ asset, ...stop }] = (yield* json("assets stopped")).tokens
          assert.deepInclude(stop, { mode: "test", reason: `${one.id}: it moved something else` })

          const [accepted, again, released, gone, resumed, notStopped] = yield* several([
            `payouts accept ${one.id} --json`,
            `payouts accept ${one.id}`,
            `payouts release ${other.id} --json`,
            `payouts release ${other.id}`,
            `assets resume ${asset}`,
            `assets resume ${asset}`,
          ])
          assert.deepInclude(JSON.parse(accepted?.out ?? ""), { id: one.id, state: "paid" })
          assert.deepInclude(JSON.parse(released?.out ?? ""), { id: other.id, state: "cancelled" })
          for (const each of [again, gone]) {
            assert.strictEqual(each?.code, 1)
            assert.include(each?.err, "it is not held because its transaction moved something else")
          }
          assert.include(resumed?.out, "is resumed in test mode")
          assert.include(notStopped?.out, "The token is not stopped")
          const { data: entries }: Entries = yield* json("audit")
          assert.includeMembers(
            entries.map(({ action }) => action),
            ["payout.accepted", "payout.released", "asset.resumed"],
          )
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

describe("florin stuck", () => {
  it.live(
    "S7: lists what is held or waits, with reason and start, and retries all held money",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, several } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { reach, world } = yield* begin
          const decideOn = Effect.fnUntraced(function* (
            payment: Payment.Payment,
            decision: (current: Outgoing.Current) => Change.Write | null,
          ) {
            const [id = assert.fail()] = Payment.outflowIds(payment)
            yield* decide(id, payment.id, decision)
            return id
          })
          const obstacle = { code: "paused", reason: "USDC is paused" } as const
          const waiting = yield* decideOn(yield* reach("gathered"), (current) =>
            Outgoing.wait(current, obstacle, Fixtures.now, Fixtures.now),
          )
          const failure = { code: "payee", reason: "the payee is on the blocklist" } as const
          const hold = (current: Outgoing.Current) => Outgoing.hold(current, failure, Fixtures.now)
          const held = yield* decideOn(yield* reach("settling"), hold)
          const refund = yield* decideOn(yield* reach("refunding"), hold)
          const late = yield* reach("lateSuspended")
          const { stuck: all }: Wire.Stuck = yield* json("stuck")
          assert.sameDeepMembers(
            all.map(({ id, kind, message, reason, since, state }) => [
              kind,
              kind === "unclaimed" ? "" : id,
              state,
              reason,
              kind === "unclaimed" ? "" : message,
              since,
            ]),
            [
              ["payout", waiting, "waiting", "paused", obstacle.reason, iso(Fixtures.now)],
              ["payout", held, "held", "payee", failure.reason, iso(Fixtures.now)],
              ["refund", refund, "held", "payee", failure.reason, iso(Fixtures.now)],
              ["unclaimed", "", "held", null, "", iso(Fixtures.now)],
            ],
          )
          const [table, shown, unread] = yield* several([
            "stuck",
            `payouts show ${waiting}`,
            "payouts retry-all --asset paper",
          ])
          assert.include(table?.out, "Stuck: 4")
          assert.include(table?.out, late.id)
          assert.include(shown?.out, obstacle.reason)
          assert.strictEqual(unread?.code, 2)

          const { merchantId, partnerId } = { ...world.tenant, merchantId: world.merchantId }
          const others = [
            "--held-for screening",
            "--mode live",
            "--partner prtn_another",
            "--merchant mrch_another",
          ]
          for (const other of others) {
            assert.deepStrictEqual(
              yield* json(`payouts retry-all ${other}`),
              { outflows: [] },
              other,
            )
          }
          const filter = `--mode test --partner ${partnerId} --merchant ${merchantId} --held-for payee --asset ${Eip155.formatToken(world.token)}`
          const { outflows }: { readonly outflows: ReadonlyArray<Record<string, unknown>> } =
            yield* json(`payouts retry-all ${filter}`)
          assert.sameDeepMembers(
            outflows.map(({ isRetried, outflowId }) => [outflowId, isRetried]),
            [
              [held, true],
              [refund, true],
            ],
          )
          assert.deepStrictEqual(yield* json("payouts retry-all"), { outflows: [] })

          const asAsked = (current: Outgoing.Current) =>
            Outgoing.hold(current, { code: "payee", reason: Obstacle.requested }, Fixtures.now)
          const settling = yield* reach("settling")
          const payout = yield* decideOn(settling, asAsked)
          yield* decideOn(yield* reach("refunding"), asAsked)
          const [listed, next] = yield* several(["stuck", `payouts show ${payout}`])
          assert.include(listed?.out, `npx florin refunds create ${settling.id}`)
          assert.include(listed?.out, "nothing: it stays held")
          assert.notInclude(listed?.out, "payouts retry")
          assert.include(next?.out, "a retry is held again")
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

describe("florin status", () => {
  it.live(
    "shows each problem with the command that helps, has the exit code 1, and is clear once all are solved",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, run, several } = yield* commandsOn(url)
        const [quiet] = yield* several(["status"])
        assert.strictEqual(quiet?.code, 0, quiet?.err)
        assert.include(quiet?.out, "Nothing needs attention")
        assert.include(quiet?.out, "Not checked: gas, gas budgets, nodes, tokens\n")
        yield* Effect.gen(function* () {
          const { lanes, reach, world } = yield* begin
          const outflows = yield* OutflowStore
          const [id = assert.fail()] = Payment.outflowIds(yield* reach("settling"))
          const { purpose } = yield* findOutflow(outflows, id)
          const [share = assert.fail()] = purpose._tag === "Settle" ? purpose.shares : []
          const failure = { code: "payee", reason: "the payee is on the blocklist" } as const
          yield* decide(id, share.paymentId, (current) =>
            Outgoing.hold(current, failure, Date.now() - 7_200_000),
          )
          const late = yield* reach("lateSuspended")
          const inflows = yield* InflowStore
          const [inflow = assert.fail()] = yield* inflows.inflows({
            _tag: "Payment",
            paymentId: late.id,
          })
          const chainId = Eip155.chainId(137)
          yield* lanes.modifyChainState("live", chainId, (current) =>
            ChainState.halt(current, "blocks are gone", Date.now() - 60_000),
          )
          yield* Lanes.stopToken("test", world.token, "a transfer moved something else")
          const asset = Eip155.formatToken(world.token)

          const shown = yield* run("status")
          assert.strictEqual(shown.code, 1)
          assert.include(shown.err, "needs you")
          const lines = shown.out.split("\n")
          const commands = lines.filter((line) => line.startsWith("    npx florin"))
          assert.includeMembers(
            commands.map((line) => line.trim()),
            [
              "npx florin reconcile",
              `npx florin chains resume ${chainId}`,
              `npx florin assets resume ${asset}`,
              `npx florin payouts retry ${id}`,
              "npx florin unclaimed list",
            ],
          )
          for (const line of lines) {
            if (!commands.includes(line)) assert.isAtMost(line.length, 80, line)
          }

          const [asJson, stuck] = yield* several(["status --json", "stuck --json"])
          assert.strictEqual(asJson?.code, 1)
          const status: Wire.Status = JSON.parse(asJson?.out ?? "")
          assert.isTrue(status.needsAttention)
          const decisions: Wire.Stuck = JSON.parse(stuck?.out ?? "")
          assert.includeMembers(
            decisions.stuck.map(({ remedy }) => remedy?.command),
            [
              `florin chains resume ${chainId}`,
              `florin assets resume ${asset}`,
              `florin payouts retry ${id}`,
              `florin unclaimed return ${inflow.id}`,
            ],
          )
          yield* json(`chains resume ${chainId}`)
          yield* json(`assets resume ${asset}`)
          yield* json(`payouts retry ${id}`)
          const { findings }: Wire.Status = JSON.parse((yield* run("status --json")).out)
          assert.deepStrictEqual(
            findings.filter(({ severity }) => severity !== "note").map(({ finding }) => finding),
            ["unclaimed"],
          )

          const { accounts } = yield* json("balances")
          assert.isAbove(accounts.length, 0)
          const { out } = yield* run("balances")
          assert.match(out, /^\s+Totals, (?:live|test)\s+token +on chain +ledger /u)
          assert.isBelow(out.indexOf("Totals, test"), out.search(/^eip155:/mu))
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

describe("florin unclaimed", () => {
  it.live(
    "S17: lists large inflows, sums up the rest, shows what a transaction brought, and returns it",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, run } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { put, world } = yield* begin
          assert.include((yield* run("unclaimed list")).out, "No money is unclaimed.")
          const token: Caip.Token = {
            chainId: Eip155.chainId(8453),
            address: Caip.Address.make("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
          }
          const arrive = (quantity: bigint): Transfer.Log => {
            const name = world.next()
            return {
              movement: {
                token,
                from: Fixtures.address(name),
                to: world.payTo,
                quantity: Fixtures.quantity(quantity),
              },
              txHash: Fixtures.hash(name),
              logIndex: 0,
              blockNumber: 5,
              blockHash: Fixtures.hash("block"),
            }
          }
          const [large, small, dust] = [arrive(7_500_000n), arrive(20_000n), arrive(1n)]
          for (const log of [large, small, dust]) {
            yield* put(Incoming.suspend("test", log, Fixtures.now))
          }
          const { inflows, others } = yield* json("unclaimed list")
          assert.strictEqual(inflows.length, 1)
          const [{ id, txId }] = inflows
          assert.strictEqual(txId, large.txHash)
          assert.deepInclude(others[0], { count: 2, mode: "test" })
          assert.strictEqual(others[0].amount.value, "20001")
          const listed = yield* run("unclaimed list")
          assert.include(listed.out, "7.50 USDC")
          assert.match(listed.out, /2 smaller of test money: 0\.020001 \S+ on Base in all/u)
          assert.include(listed.out, "florin unclaimed return <id>")
          const warning = "After a restore of a backup, first read docs/operations.md#7-back-up"
          assert.include(listed.out, warning)
          assert.include((yield* run("stuck")).out, warning)

          const shown = yield* run(`unclaimed show ${small.txHash}`)
          assert.include(shown.out, "it waits in suspense")
          assert.deepStrictEqual(yield* json(`unclaimed show ${Fixtures.hash("nothing")}`), {
            inflows: [],
          })

          const returned = yield* run(`unclaimed return ${id}`)
          assert.strictEqual(returned.code, 0, returned.err)
          const [next] = /payouts show out_\w+/u.exec(returned.out) ?? []
          const payout = yield* run(next ?? "")
          assert.include(payout.out, id)
          assert.match(payout.out, /unclaimed +unc_/u)
          const again = yield* run(`unclaimed return ${id}`)
          assert.strictEqual(again.code, 1)
          assert.include(again.err, "it was returned already, by out_")
          assert.strictEqual((yield* run("unclaimed return unc_1")).code, 1)
          const [entry] = (yield* json("audit")).data
          assert.deepInclude(entry, { action: "unclaimed_transfer.returned", subject: id })
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

describe("florin chains", () => {
  it.live(
    "shows which chains are halted, and resumes the named one in each mode",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, several, verdictOn } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { reach, lanes } = yield* begin
          const waiting = yield* reach("confirmed")
          const [own, other] = [Fixtures.chainId, Eip155.chainId(137)]
          const stopped = [
            { mode: "live", chainId: own, reason: "blocks are gone", haltedAt: Fixtures.now },
            { mode: "test", chainId: own, reason: "so are others", haltedAt: Fixtures.now + 1 },
            { mode: "test", chainId: other, reason: "and these", haltedAt: Fixtures.now + 2 },
          ] as const
          for (const { chainId, haltedAt, mode, reason } of stopped) {
            yield* lanes.modifyChainState(mode, chainId, (current) =>
              ChainState.halt(current, reason, haltedAt),
            )
          }
          const resume = toldIn(yield* verdictOn(waiting))
          assert.strictEqual(resume, `chains resume ${own}`)

          const before = yield* several(["chains halted", "chains halted --json"])
          const shown = stopped.map(({ chainId, haltedAt, mode, reason }) => ({
            mode,
            chainId,
            networkName: chainId === other ? "Polygon" : null,
            haltedAt: iso(haltedAt),
            reason,
          }))
          assert.sameDeepMembers(JSON.parse(before[1]?.out ?? "").chains, shown)
          const since = Time.second(iso(Fixtures.now + 2))
          assert.include(
            before[0]?.out,
            `Polygon (eip155:137) for test payments, since ${since}: and`,
          )

          assert.sameDeepMembers((yield* json(resume)).chains, shown.slice(0, 2))
          assert.include(
            yield* verdictOn(waiting),
            "to be collected: make sure that a worker runs.",
          )
          const after = yield* several([
            "chains halted --json",
            "chains resume 8453",
            "chains resume 0",
            "chains resume eip155:9999",
            `chains resume ${other.replace("eip155:", "")}`,
            "chains halted",
          ])
          assert.deepStrictEqual(
            after.map(({ code }) => code),
            [0, 0, 2, 2, 0, 0],
          )
          const [left, again, unnamed, unknown, last, none] = after
          assert.deepStrictEqual(JSON.parse(left?.out ?? "").chains, shown.slice(2))
          assert.include(again?.out, "It is not stopped: `npx florin chains halted` lists")
          for (const each of [unnamed, unknown]) {
            assert.include(each?.err, "must be a chain that the service knows")
          }
          assert.include(last?.out, `Polygon (eip155:137) is resumed for test payments`)
          assert.include(none?.out, "No chain is stopped.")
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
      }),
    timeout,
  )
})

describe("florin webhooks", () => {
  it.live(
    "shows the deliveries of a payment's webhooks, and sends failed or named ones again",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, several, verdictOn } = yield* commandsOn(url)
        yield* Effect.gen(function* () {
          const { create, fanOut, outbox, world } = yield* begin
          const endpoints = [world.endpoint(), world.endpoint(), world.endpoint()]
          for (const each of endpoints) yield* outbox.putEndpoint(each)
          const payment = yield* create()
          const [event] = yield* outbox.eventsOf(payment.id)
          const eventId = event?.id ?? assert.fail("nothing was announced")
          const [lost, received, unwanted] = endpoints.map(({ id }) =>
            Webhook.deliveryId(id, eventId),
          )
          // No worker made them yet: they are shown as they will be, and are due already.
          const [coming, story, due] = yield* several([
            `webhooks list ${payment.id} --json`,
            `explain ${payment.id}`,
            `webhooks replay ${payment.id} ${lost}`,
          ])
          assert.include(story?.out, "waits for 3 webhooks to be received")
          assert.include(due?.out, `${lost} is due again. A worker sends it.`)
          yield* fanOut
          assert.deepStrictEqual(
            yield* json(`webhooks list ${payment.id}`),
            JSON.parse(coming?.out ?? ""),
          )
          const claimed = yield* outbox.claimDeliveries({
            limit: 10,
            leaseInMs: 1000,
            now: Scene.farFuture,
          })
          for (const { delivery, fence } of claimed) {
            const status = delivery.id === received ? 200 : 500
            let tried = delivery
            do {
              tried = Webhook.recordAttempt(tried, { at: Fixtures.now, status, error: null })
            } while (tried.dueAt !== null)
            yield* outbox.finishDelivery(tried, fence)
          }
          const [, , disabled = assert.fail()] = endpoints
          yield* outbox.putEndpoint(Webhook.disable(disabled, Fixtures.now))

          const verdict = yield* verdictOn(payment)
          assert.include(verdict, "waits for 1 webhooks that were given up")
          const replay = toldIn(verdict)
          assert.strictEqual(replay, `webhooks replay ${payment.id}`)
          assert.deepStrictEqual(yield* json(replay), {
            paymentId: payment.id,
            deliveryIds: [lost],
          })
          assert.include(yield* verdictOn(payment), "waits for 1 webhooks to be received")

          const list = `webhooks list ${payment.id}`
          const ends = yield* several([
            replay,
            `${replay} ${unwanted}`,
            `${replay} dlv_nobody`,
            `${replay} ${eventId}`,
            list,
            `${replay} ${received}`,
            `${list} --json`,
            "webhooks list pay_nobody",
          ])
          assert.deepStrictEqual(
            ends.map(({ code }) => code),
            [1, 1, 1, 1, 0, 0, 0, 1],
          )
          const [nothing, closed, unknown, , shown, named, told] = ends
          assert.include(
            nothing?.err,
            `no webhook of this payment was given up: \`npx florin ${list}\` lists`,
          )
          assert.include(closed?.err, "the endpoint is disabled")
          assert.include(unknown?.err, "the payment has no such webhook")
          assert.match(
            shown?.out ?? "",
            new RegExp(
              `${received} +payment\\.created +hooks\\.example\\.com +delivered +1 +200\n`,
              "u",
            ),
          )
          assert.match(
            shown?.out ?? "",
            new RegExp(`${unwanted} .*\\(disabled\\) +given up +8 +500\n`, "u"),
          )
          assert.include(named?.out, `${received} is due again. A worker sends it.`)
          const states = JSON.parse(told?.out ?? "").deliveries.map(
            (each: { id: string; state: string }) => [each.id, each.state],
          )
          assert.deepStrictEqual(states, [
            [lost, "pending"],
            [received, "pending"],
            [unwanted, "given_up"],
          ])
          assert.notInclude(told?.out, disabled.url)
        }).pipe(
          Effect.provide(
            // It claims what is due at another time than now.
            Layer.provide(Postgres.layer({ url: Redacted.make(url) }), Postgres.layerUncheckedTime),
          ),
        )
      }),
    timeout,
  )
})

/** The hash of a transaction. */
const hashOf = (digit: string) => `0x${digit.repeat(64)}`

const usdc = Caip.Address.make("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")

describe("florin float", () => {
  it.live(
    "books once what the operator moved to an account or from it",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { json, run } = yield* commandsOn(url)
        const account = "eip155:8453:0x2222222222222222222222222222222222222222"
        const moved = (amount: string, transaction: string) =>
          `eip155:8453/erc20:${usdc} ${account} ${amount} --mode test --transaction ${transaction}`
        const first = yield* json(`float put ${moved("12.5", hashOf("a"))}`)
        assert.deepInclude(first, { mode: "test", account, key: hashOf("a") })
        assert.deepInclude(first.amount, { value: "12500000" })
        for (const written of [hashOf("a"), hashOf("A")]) {
          assert.deepStrictEqual(yield* json(`float put ${moved("12.5", written)}`), first)
        }
        const other = yield* run(`float put ${moved("13", hashOf("a"))}`)
        assert.strictEqual(other.code, 1)
        assert.include(other.err, "is recorded with another movement: check both")

        const taken = yield* run(`float take ${moved("2.5", hashOf("b"))}`)
        assert.include(taken.out, `Recorded: 2.50 USDC on Base left ${account}.`)
        const tooMuch = yield* run(`float take ${moved("10.000001", hashOf("c"))}`)
        assert.strictEqual(tooMuch.code, 1)
        assert.include(tooMuch.err, "`npx florin reconcile` shows the balances")
        const balances = yield* Effect.gen(function* () {
          const ledger = yield* LedgerStore
          const token = { chainId: Eip155.chainId(8453), address: usdc }
          return Scene.nonZero(yield* ledger.balances("test", token))
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
        assert.deepStrictEqual(
          [...balances.values()].toSorted((left, right) => Number(left - right)),
          [-10_000_000n, 10_000_000n],
        )
      }),
    timeout,
  )

  it.live(
    "refuses a movement whose token, account, amount or transaction is invalid",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("migrated")
        const { several } = yield* commandsOn(url)
        const asset = `eip155:8453/erc20:${usdc}`
        const account = `eip155:8453:${usdc}`
        const a = hashOf("a")
        const refused: ReadonlyArray<
          readonly [args: string, transaction: string, message: string]
        > = [
          [`eip155:8453/erc20:0x12 ${account} 1`, a, "the service never accepted this token"],
          [`${asset.slice(0, -1)}4 ${account} 1`, a, "the service never accepted this token"],
          [`${asset} ${usdc} 1`, a, "account: an account is <namespace>:<chain id>:<address>"],
          [`${asset} eip155:1:${usdc} 1`, a, "account: must be on the chain of the token"],
          [`${asset} ${account} 1.0000001`, a, "USDC has 6 decimals, not 7"],
          [`${asset} ${account} 0`, a, "amount: must be more than 0"],
          [`${asset} ${account} 1`, "0xaa", "0x and 64 hex digits"],
        ]
        const ends = yield* several(
          refused.map(
            ([args, transaction]) => `float put ${args} --mode test --transaction ${transaction}`,
          ),
        )
        for (const [index, { code, err }] of ends.entries()) {
          assert.strictEqual(code, 2, err)
          assert.include(err, refused[index]?.[2] ?? "")
        }
        const balances = yield* Effect.gen(function* () {
          const token = { chainId: Eip155.chainId(8453), address: usdc }
          return yield* (yield* LedgerStore).balances("test", token)
        }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
        assert.strictEqual(Scene.nonZero(balances).size, 0)
      }),
    timeout,
  )
})
