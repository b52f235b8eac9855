/**
 * A second person's approval over HTTP, for every operation that needs one: who may give it, and that it lets exactly one
 * call pass.
 */
import { assert, describe, it } from "@effect/vitest"
import { api } from "@florin/api/Api"
import { api as operatorApi } from "@florin/api/operator/Api"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { Settings } from "@florin/core/ports/Settings"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Handler from "../src/Handler.ts"
import * as Groups from "../src/operations/Groups.ts"
import type * as Operation from "../src/operations/Operation.ts"
import * as Settlements from "./operations/settlements.ts"
import * as Calls from "./operator/calls.ts"
import * as Money from "./operator/money.ts"
import * as Rows from "./operator/rows.ts"
import * as Scene from "./scene.ts"
import * as Sessions from "./sessions.ts"

interface Call extends Scene.Sent {
  readonly method: string
}

/** One side of the service: how people get keys and sessions there, and where they decide. */
interface Side {
  readonly path: string
  readonly send: (sent: Scene.Sent) => Effect.Effect<Scene.Reply, never, Scene.Ports>
  readonly key: (
    name: string,
    more?: { readonly madeBy?: ReadonlyArray<ApiKey.ApiKeyId>; readonly isViewer?: true },
  ) => Effect.Effect<ApiKey.Issued, never, Scene.Ports>
  readonly session: Effect.Effect<Sessions.Session, never, Scene.Ports>
  readonly call: Call
  /** The same operation about something else. */
  readonly other: Call
}

const changed: { readonly [member: string]: Scene.Json } = {
  name: "Other",
  operator: "Rob",
  amount: { ...Money.putting.amount, value: "1" },
  txId: `0x${"ab".repeat(32)}`,
  destination: Scene.accountOf(Scene.treasury, Scene.chains.eip3009),
  settlements: [Settlements.entry(Settlements.assets.usdcOnEthereum)],
  secondPerson: false,
}

/** The same operation about something else: with another body, or at another path. */
const otherOf = (call: Call): Call => {
  const { body, path } = call
  const asked = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {}
  const member = Object.keys(asked).find((each) => each in changed)
  return member === undefined
    ? { ...call, path: path.replace(/(?<=_\w+)\w(?=\/[a-z]+$|$)/u, "0") }
    : { ...call, body: { ...asked, [member]: changed[member] ?? null } }
}

const partnerCalls: {
  readonly [name: string]: (ids: {
    readonly merchantId: string
    readonly destinationId: string
    readonly keyId: string
  }) => Call
} = {
  "settlements.create": ({ merchantId }) => ({
    method: "POST",
    path: `/v1/merchants/${merchantId}/settlements/crypto`,
    body: { settlements: [Settlements.entry(Settlements.assets.usdcOnArbitrum)] },
  }),
  "settlements.change": ({ destinationId, merchantId }) => ({
    method: "PUT",
    path: `/v1/merchants/${merchantId}/settlements/crypto/${destinationId}`,
    body: { destination: Scene.accountOf(Scene.stranger, Scene.chains.eip3009) },
  }),
  "settlements.remove": ({ destinationId, merchantId }) => ({
    method: "DELETE",
    path: `/v1/merchants/${merchantId}/settlements/crypto/${destinationId}`,
  }),
  "keys.create": () => ({ method: "POST", path: "/v1/keys", body: { name: "New" } }),
  "keys.rotate": ({ keyId }) => ({ method: "POST", path: `/v1/keys/${keyId}/rotate`, body: {} }),
}

const ofPartner = (name: string) =>
  Effect.gen(function* () {
    const { own } = yield* Scene.make
    const destinationId = yield* Calls.waitingDestination(own)
    const owner = { _tag: "Partner", partnerId: own.partner.id } as const
    const key: Side["key"] = (person, { isViewer, ...more } = {}) =>
      Effect.orDie(
        Keys.issue({
          mode: "test",
          owner,
          name: person,
          expiresAt: null,
          scopes: isViewer === true ? ["read"] : ApiKey.PartnerScope.literals,
          ...more,
        }),
      )
    const { record } = yield* key("Till")
    const make = partnerCalls[name] ?? assert.fail(`${name} has no call`)
    const call = make({ merchantId: own.merchantId, destinationId, keyId: record.id })
    yield* Effect.orDie(Merchants.changePartner(own.partner.id, { secondPerson: true }))
    const side: Side = {
      path: "/v1/approvals",
      send: Scene.send,
      key,
      session: Sessions.ofPartner(own, { isFresh: false }),
      call,
      other: otherOf(call),
    }
    return side
  })

const ofOperator = (name: string) =>
  Effect.gen(function* () {
    const operation = Rows.operations.find((each) => each.name === name) ?? assert.fail(name)
    const settings = yield* Settings
    const { requestOf } = yield* Rows.scenesOf(operation).pipe(
      Effect.provideService(Settings, { ...settings, secondPerson: false }),
    )
    const { headers: _, ...asked } = requestOf(operation, null)
    const call = {
      ...asked,
      ...(name === "operator.partners.change" && { body: { secondPerson: true } }),
    }
    const side: Side = {
      path: "/operator/v1/approvals",
      send: Calls.send,
      key: (person, { isViewer, ...more } = {}) =>
        Calls.operatorKey(isViewer === true ? ["read"] : ApiKey.OperatorScope.literals, {
          owner: { _tag: "Operator", name: person },
          ...more,
        }),
      session: Sessions.ofOperator({ isFresh: false }),
      call,
      other: otherOf(call),
    }
    return side
  })

const sides = [
  {
    face: "partner",
    operations: Handler.operations,
    layer: Scene.layer({ settings: { destinationDelayInMs: { test: 3_600_000, live: 0 } } }),
    side: ofPartner,
  },
  {
    face: "operator",
    operations: Groups.operator,
    layer: Scene.layer({
      chain: { blocks: "manual" },
      settings: { ...Calls.settings, secondPerson: true },
    }).pipe(Layer.provideMerge(Money.treasury)),
    side: ofOperator,
  },
] as const

/** What the audit log got since a number of entries, oldest first. */
const actionsSince = (count: number) =>
  Effect.map(Calls.entries, (all) =>
    all
      .slice(0, all.length - count)
      .map(({ action }) => action)
      .toReversed(),
  )
const countEntries = Effect.map(Calls.entries, (all) => all.length)

/** What the service has, but for what waits. */
const state = Effect.map(Rows.state, ({ keys, ...others }) => ({
  ...others,
  keys: keys.filter(({ approval }) => approval === undefined),
}))

const waits = (reply: Scene.Reply): string => {
  Scene.isProblem(reply, 403, "approval_required")
  return reply.headers.get("approval") ?? assert.fail("the response names no approval")
}
const passes = (reply: Scene.Reply) => assert.isBelow(reply.status, 300, reply.text)

const needing = (operations: ReadonlyArray<Operation.Operation>) =>
  operations.filter(({ approval }) => approval !== undefined).map(({ name }) => name)

/** The operations whose contract says that they may be refused for want of an approval. */
const documented = (
  prefix: string,
  groups: {
    readonly [group: string]: {
      readonly endpoints: { readonly [name: string]: { readonly error: ReadonlySet<Schema.Top> } }
    }
  },
) =>
  Object.entries(groups).flatMap(([group, { endpoints }]) =>
    Object.entries(endpoints)
      .filter(([, { error }]) =>
        [...error].some((schema) =>
          JSON.stringify(Schema.toJsonSchemaDocument(schema)).includes("approval_required"),
        ),
      )
      .map(([name]) => `${prefix}${group}.${name}`),
  )

describe("the operations that need a second person", () => {
  it("are those whose contract says so", () => {
    assert.deepStrictEqual(
      documented("", api.groups).toSorted(),
      needing(Handler.operations).toSorted(),
    )
    assert.deepStrictEqual(
      documented("operator.", operatorApi.groups).toSorted(),
      needing(Groups.operator).toSorted(),
    )
  })

  it("are those that move the operator's money, change destinations, or make keys", () => {
    assert.deepStrictEqual(needing(Handler.operations).toSorted(), [
      "keys.create",
      "keys.rotate",
      "settlements.change",
      "settlements.create",
      "settlements.remove",
    ])
    const treasury = Rows.operations
      .filter(({ access, name }) => access.scope === "treasury" && name !== "operator.float.cancel")
      .map(({ name }) => name)
    assert.deepStrictEqual(
      needing(Groups.operator).toSorted(),
      [
        ...treasury,
        "operator.keys.issue",
        "operator.keys.rotate",
        "operator.merchants.confirmDestination",
        "operator.partners.change",
      ].toSorted(),
    )
  })
})

for (const { face, layer, operations, side: sideOf } of sides) {
  for (const { approval, name, needsIdempotencyKey } of operations) {
    if (approval === undefined) continue
    describe(`${name}, where the ${face} wants a second person`, () => {
      /** The people, and how they call. */
      const begin = Effect.gen(function* () {
        const side = yield* sideOf(name)
        const ann = yield* side.key("Ann")
        const bob = yield* side.key("Bob")
        const by = (key: string, call: Call, once = Scene.fresh("call")) =>
          side.send({ ...call, key, headers: { "Idempotency-Key": once } })
        const decide = (key: string, id: string, verb: "approve" | "decline") =>
          side.send({ method: "POST", path: `${side.path}/${id}/${verb}`, key })
        return { side, ann, bob, by, decide }
      })

      it.effect("S41: refuses it to one person alone, and changes nothing", () =>
        Effect.gen(function* () {
          const { ann, bob, by, decide, side } = yield* begin
          const kin = yield* side.key("Kim", { madeBy: [ann.record.id] })
          const sibling = yield* side.key("Lee", { madeBy: [ann.record.id] })
          const namesake = yield* side.key("Ann")
          const viewer = yield* side.key("Eve", { isViewer: true })
          const session = Sessions.headersOf(face, yield* side.session)
          const before = yield* state
          const count = yield* countEntries

          const id = waits(yield* by(ann.text, side.call))
          assert.strictEqual(waits(yield* by(ann.text, side.call)), id, "asked twice")
          assert.deepStrictEqual(yield* actionsSince(count), ["approval.asked"])

          const ofKin = waits(yield* by(kin.text, side.call))
          for (const [what, key, asked] of [
            ["who asked", ann.text, id],
            ["a key that this person made", kin.text, id],
            ["a key with the same name", namesake.text, id],
            ["a key without the scope", viewer.text, id],
            ["who made the key that asked", ann.text, ofKin],
            ["another key of the same maker", sibling.text, ofKin],
          ] as const) {
            const entries = yield* countEntries
            Scene.isProblem(yield* decide(key, asked, "approve"), 403, "forbidden")
            assert.deepStrictEqual(yield* actionsSince(entries), ["approval.refused"], what)
            waits(yield* by(asked === id ? ann.text : kin.text, side.call))
          }

          const tired = yield* side.send({
            method: "POST",
            path: `${side.path}/${id}/approve`,
            headers: session,
          })
          Scene.isProblem(tired, 403, "step_up_required")
          Scene.isProblem(yield* decide(bob.text, "key_0", "approve"), 404, "not_found")
          waits(yield* by(ann.text, side.call))

          // Declined, it is over; asked again, it is another one, which is over after a day.
          passes(yield* decide(bob.text, id, "decline"))
          const declined = yield* countEntries
          passes(yield* decide(bob.text, id, "decline"))
          assert.deepStrictEqual(yield* actionsSince(declined), [])
          Scene.isProblem(yield* decide(bob.text, id, "approve"), 400, "invalid_state")
          const second = waits(yield* by(ann.text, side.call))
          assert.notStrictEqual(second, id)
          passes(yield* decide(bob.text, second, "approve"))
          yield* TestClock.adjust("24 hours")
          const third = waits(yield* by(ann.text, side.call))
          assert.notInclude([id, second], third)
          assert.deepStrictEqual(yield* state, before)
        }).pipe(Effect.provide(layer)),
      )

      it.effect(
        "S41: lets the same call of the same person pass once, if another one approves it",
        () =>
          Effect.gen(function* () {
            const { ann, bob, by, decide, side } = yield* begin
            const count = yield* countEntries
            const id = waits(yield* by(ann.text, side.call))

            const listed = yield* side.send({ path: side.path, key: bob.text })
            assert.deepInclude(Scene.at(listed.body, "approvals", 0), {
              id,
              operation: name,
              does: approval.does,
              method: side.call.method,
              path: side.call.path,
              askedBy: "Ann",
              isOwn: false,
              mayApprove: true,
              approvedBy: null,
            })
            const body = Scene.at(listed.body, "approvals", 0, "body")
            assert.deepStrictEqual(body ?? {}, side.call.body ?? {})
            const own = yield* side.send({ path: side.path, key: ann.text })
            assert.deepInclude(Scene.at(own.body, "approvals", 0), {
              isOwn: true,
              mayApprove: false,
            })

            passes(yield* decide(bob.text, id, "approve"))
            // A client repeats a call whose response was lost.
            const decided = yield* countEntries
            passes(yield* decide(bob.text, id, "approve"))
            assert.deepStrictEqual(yield* actionsSince(decided), [])
            const cat = yield* side.key("Cat")
            Scene.isProblem(yield* decide(cat.text, id, "approve"), 400, "invalid_state")
            const before = yield* state
            assert.notStrictEqual(waits(yield* by(ann.text, side.other)), id, "another request")
            assert.notStrictEqual(waits(yield* by(bob.text, side.call)), id, "another person")
            assert.deepStrictEqual(yield* state, before)

            const once = Scene.fresh("once")
            const entries = yield* countEntries
            passes(yield* by(ann.text, side.call, once))
            assert.strictEqual((yield* actionsSince(entries))[0], "approval.used")
            assert.deepStrictEqual(
              (yield* actionsSince(count)).filter((each) => each === "approval.used"),
              ["approval.used"],
            )

            const after = yield* state
            assert.notStrictEqual(waits(yield* by(ann.text, side.call)), id, "a second use")
            if (needsIdempotencyKey) {
              const retried = yield* by(ann.text, side.call, once)
              passes(retried)
              assert.strictEqual(retried.headers.get("idempotency-replayed"), "true")
            }
            assert.deepStrictEqual(yield* state, after)
          }).pipe(Effect.provide(layer)),
      )

      it.effect("S41: lets one of two calls at the same time pass", () =>
        Effect.gen(function* () {
          const { ann, bob, by, decide, side } = yield* begin
          passes(yield* decide(bob.text, waits(yield* by(ann.text, side.call)), "approve"))
          const replies = yield* Effect.all([by(ann.text, side.call), by(ann.text, side.call)], {
            concurrency: "unbounded",
          })
          const refused = replies.filter(({ status }) => status === 403)
          assert.lengthOf(refused, 1, JSON.stringify(replies.map(({ text }) => text)))
          const used = (yield* Calls.entries).filter(({ action }) => action === "approval.used")
          assert.lengthOf(used, 1)
        }).pipe(Effect.provide(layer)),
      )
    })
  }
}

/** Ann and Bob on one side, where another person must approve what they ask for. */
const pair = (side: Side) =>
  Effect.gen(function* () {
    const ann = yield* side.key("Ann")
    const bob = yield* side.key("Bob")
    const by = (key: string, call: Call) =>
      side.send({ ...call, key, headers: { "Idempotency-Key": Scene.fresh("call") } })
    const approve = (key: string, id: string) =>
      side.send({ method: "POST", path: `${side.path}/${id}/approve`, key })
    /** Makes a call of Ann that Bob approved. */
    const agreed = Effect.fnUntraced(function* (call: Call) {
      passes(yield* approve(bob.text, waits(yield* by(ann.text, call))))
      const reply = yield* by(ann.text, call)
      passes(reply)
      return String(Scene.at(reply.body, "secret"))
    })
    return { ann, bob, by, approve, agreed }
  })

const byFace = { partner: sides[0], operator: sides[1] } as const
const ask = { partner: "settlements.change", operator: "operator.float.withdraw" } as const

for (const face of ["partner", "operator"] as const) {
  const { layer } = byFace[face]
  describe(`who counts as another person of the ${face}`, () => {
    const begin = Effect.gen(function* () {
      const side = yield* byFace[face].side(ask[face])
      return { side, ...(yield* pair(side)) }
    })

    it.effect("S41: what a person made with an earlier session counts as that person", () =>
      Effect.gen(function* () {
        const { ann, approve, by, side } = yield* begin
        const earlier = yield* side.key("Ann")
        const made = yield* side.key("Carol", { madeBy: [earlier.record.id] })
        const madeByMade = yield* side.key("Dave", { madeBy: [made.record.id] })
        for (const { text } of [made, madeByMade]) {
          const id = waits(yield* by(ann.text, side.call))
          Scene.isProblem(yield* approve(text, id), 403, "forbidden")
          const theirs = waits(yield* by(text, side.call))
          Scene.isProblem(yield* approve(ann.text, theirs), 403, "forbidden")
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect("S41: what a person made counts as that person after a rotation of its key", () =>
      Effect.gen(function* () {
        const { ann, approve, by, side } = yield* begin
        const made = yield* side.key("Carol", { madeBy: [ann.record.id] })
        const next = yield* Effect.orDie(Keys.rotate(ann.record.id, null))
        const id = waits(yield* by(next.text, side.call))
        Scene.isProblem(yield* approve(made.text, id), 403, "forbidden")
      }).pipe(Effect.provide(layer)),
    )

    it.effect("S41: a key for a program, and one that a person rotated, count as that person", () =>
      Effect.gen(function* () {
        const { agreed, ann, approve, by, side } = yield* begin
        const program = yield* side.key("Program")
        const keys = face === "operator" ? "/operator/v1/keys" : "/v1/keys"
        const scopes = face === "operator" ? ApiKey.OperatorScope.literals : ["read", "manage"]
        const made = yield* agreed({
          method: "POST",
          path: keys,
          body: { scopes, ...(face === "operator" ? { operator: "New" } : { name: "New" }) },
        })
        const rotated = yield* agreed({
          method: "POST",
          path: `${keys}/${program.record.id}/rotate`,
          body: {},
        })
        const id = waits(yield* by(ann.text, side.call))
        for (const key of [made, rotated]) {
          Scene.isProblem(yield* approve(key, id), 403, "forbidden")
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect(
      "S41: sees each member of a request that would be carried out, and nothing else",
      () =>
        Effect.gen(function* () {
          const { ann, bob, by, side } = yield* begin
          const { body } = side.call
          if (typeof body !== "object" || body === null || Array.isArray(body)) {
            return assert.fail("it has no body")
          }
          const id = waits(
            yield* by(ann.text, {
              ...side.call,
              body: {
                ...body,
                "amount.value": "1",
                destination_: "ours",
                note: "The board agreed",
              },
            }),
          )
          const listed = yield* side.send({ path: side.path, key: bob.text })
          assert.deepInclude(Scene.at(listed.body, "approvals", 0), { id, body })
          // They say the same, as what the contract does not know has no effect.
          assert.strictEqual(waits(yield* by(ann.text, side.call)), id)
        }).pipe(Effect.provide(layer)),
    )
  })
}

describe("the body of a request that waits for a second person", () => {
  it.effect("S41: is the same if it is absent, empty or not expected", () =>
    Effect.gen(function* () {
      const side = yield* ofOperator("operator.outflows.accept")
      const { ann, by } = yield* pair(side)
      const { body: _, ...bare } = side.call
      const id = waits(yield* by(ann.text, bare))
      assert.strictEqual(waits(yield* by(ann.text, { ...bare, body: {} })), id)
      assert.strictEqual(waits(yield* by(ann.text, { ...bare, body: { note: "ours" } })), id)
    }).pipe(Effect.provide(byFace.operator.layer)),
  )

  it.effect("S41: is deleted when the request is declined or carried out", () =>
    Effect.gen(function* () {
      const side = yield* ofOperator("operator.float.withdraw")
      const { ann, approve, bob, by } = yield* pair(side)
      const bodyOf = (id: string) =>
        Effect.map(Rows.state, ({ keys }) => keys.find((key) => key.id === id)?.approval?.body)
      const declined = waits(yield* by(ann.text, side.call))
      assert.isString(yield* bodyOf(declined))
      passes(
        yield* side.send({
          method: "POST",
          path: `${side.path}/${declined}/decline`,
          key: bob.text,
        }),
      )
      assert.isNull(yield* bodyOf(declined))
      const used = waits(yield* by(ann.text, side.call))
      passes(yield* approve(bob.text, used))
      assert.isString(yield* bodyOf(used))
      passes(yield* by(ann.text, side.call))
      assert.isNull(yield* bodyOf(used))
    }).pipe(Effect.provide(byFace.operator.layer)),
  )
})
