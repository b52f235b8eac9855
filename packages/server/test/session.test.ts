/**
 * Sessions of the console: every write, in every way in which somebody else may try it, is refused, recorded, and
 * changes nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Passkeys from "@florin/core/engine/partner/Passkeys"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Signature from "../src/edge/Signature.ts"
import * as Handler from "../src/Handler.ts"
import * as Groups from "../src/operations/Groups.ts"
import * as Authenticator from "../test-support/authenticator.ts"
import * as Kept from "./kept.ts"
import * as Calls from "./operator/calls.ts"
import * as Money from "./operator/money.ts"
import * as Rows from "./operator/rows.ts"
import * as Requests from "./requests.ts"
import * as Scene from "./scene.ts"
import * as Sessions from "./sessions.ts"
import * as Subjects from "./subjects.ts"

type Face = "partner" | "operator"

interface Cell {
  readonly what: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: 401 | 403
  readonly code: string
  /** The key that the audit log names; null if nobody is known. */
  readonly refused: ApiKey.ApiKeyId | null
  /** How it is recorded, if not as the other refusals of its side. */
  readonly action?: Refusal
}

type Refusal = "operator.refused" | "session.refused"

interface People {
  /** Its person has a passkey, and used none for longer than a session may move money without. */
  readonly stale: WithPasskey
  /** Another person, with another passkey. */
  readonly other: WithPasskey
  readonly admin: Sessions.Session
  readonly second: Sessions.Session
  readonly viewer: Sessions.Session
  readonly expired: Sessions.Session
  readonly revoked: Sessions.Session
  readonly link: Sessions.Session
  /** Signed in to the other side. */
  readonly stranger: Sessions.Session
  readonly program: Sessions.Session
}

interface WithPasskey extends Sessions.Session {
  readonly passkey: Authenticator.Authenticator
  readonly passkeyId: string
}

const sites = {
  partner: { host: "pay.example.com", origin: "https://pay.example.com" },
  operator: { host: "ops.example", origin: "http://ops.example" },
} as const
const edge = { operatorUrl: () => sites.operator.origin }
const listOf = { partner: "/v1/session/passkeys", operator: "/operator/v1/session/passkeys" }

const register = (session: Sessions.Session) =>
  Passkeys.challenge({ use: "register", session: session.id })

/** Adds a passkey to the person of a session, which may then move no money without it. */
const withPasskey = Effect.fnUntraced(function* <E, R>(
  face: Face,
  session: Sessions.Session,
  send: (sent: Scene.Sent) => Effect.Effect<Scene.Reply, E, R>,
) {
  const passkey = Authenticator.at(sites[face])
  const added = yield* send({
    path: listOf[face],
    headers: Sessions.headersOf(face, session),
    body: passkey.make(yield* register(session)),
  })
  assert.strictEqual(added.status, 201, added.text)
  yield* Sessions.setFresh(session.id, 0)
  return { ...session, passkey, passkeyId: Scene.text(added.body, "id") }
})

/** A use of a passkey that a service asked for. */
const confirmation = (by: WithPasskey, session: Sessions.Session, use: "step_up" | "sign_in") =>
  Effect.map(
    Passkeys.challenge({ use, session: use === "sign_in" ? "" : session.id }),
    (challenge) => by.passkey.use(challenge),
  )

/** The ways in which a write that moves money is not allowed to a session that is not fresh. */
const stalesOf = Effect.fnUntraced(function* (face: Face, { other, second, stale }: People) {
  const site = { ...sites[face], isSigned: Signature.isSigned, isUsable: Signature.isUsable }
  const used = yield* confirmation(stale, stale, "step_up")
  yield* Passkeys.answer(used, site, { use: "step_up", session: stale.id }, stale.id)
  yield* TestClock.adjust(1)
  const passkeys: ReadonlyArray<readonly [what: string, header: string]> = [
    ["a session without its passkey", ""],
    ["a passkey's response that was used", used],
    ["a passkey's response for another session", yield* confirmation(stale, second, "step_up")],
    ["a passkey's response to sign in", yield* confirmation(stale, stale, "sign_in")],
    ["another person's passkey", yield* confirmation(other, stale, "step_up")],
    ["no response of a passkey", "AAAA"],
  ]
  return passkeys.map(([what, response]): Cell => ({
    what,
    headers: Sessions.headersOf(face, stale, { "Passkey-Response": response }),
    status: 403,
    code: "step_up_required",
    refused: stale.id,
  }))
})

/** Who may do it: a session that is not fresh, with the passkey, if it needs that. */
const allowed = (face: Face, { admin, stale }: People, needsStepUp: boolean) =>
  needsStepUp
    ? Effect.map(confirmation(stale, stale, "step_up"), (response) => ({
        by: stale.id,
        headers: Sessions.headersOf(face, stale, { "Passkey-Response": response }),
      }))
    : Effect.succeed({ by: admin.id, headers: Sessions.headersOf(face, admin) })

/** The ways in which a write is not allowed, besides those of another partner. */
const cellsOf = (face: Face, people: People, isRead: boolean): ReadonlyArray<Cell> => {
  const { admin, expired, link, program, revoked, second, stranger, viewer } = people
  const other = face === "partner" ? "operator" : "partner"
  const forbidden = (
    what: string,
    by: { readonly id: ApiKey.ApiKeyId },
    headers: Readonly<Record<string, string>>,
  ): Cell => ({ what, headers, status: 403, code: "forbidden", refused: by.id })
  const unknown = (
    what: string,
    code: "invalid_api_key" | "missing_api_key",
    headers: Readonly<Record<string, string>>,
  ): Cell => ({ what, headers, status: 401, code, refused: null })
  const as = (session: Sessions.Session, more: Readonly<Record<string, string>> = {}) =>
    Sessions.headersOf(face, session, more)
  const inCookie = (text: string) => as({ ...admin, text })
  const ended = (what: string, session: Sessions.Session): Cell => ({
    ...unknown(what, "invalid_api_key", as(session)),
    refused: session.id,
    action: "session.refused",
  })
  const cookie = Sessions.cookieOf[face]
  return [
    unknown("no session", "missing_api_key", {}),
    unknown("the cookie of the other side", "missing_api_key", Sessions.headersOf(other, stranger)),
    ended("an expired session", expired),
    ended("a revoked session", revoked),
    unknown("a cookie that is no key", "invalid_api_key", inCookie("none")),
    unknown("two cookies", "missing_api_key", {
      ...as(admin),
      Cookie: `${cookie}=${admin.text}; ${cookie}=${second.text}`,
    }),
    forbidden("a session of the other side", stranger, as(stranger)),
    ...(isRead ? [] : [forbidden("the role viewer", viewer, as(viewer))]),
    forbidden("no token", admin, as(admin, { "Csrf-Token": "" })),
    forbidden("a wrong token", admin, as(admin, { "Csrf-Token": `${admin.csrfToken}A` })),
    forbidden("another session's token", admin, as(admin, { "Csrf-Token": second.csrfToken })),
    ...["cross-site", "same-site", "none"].map((site) =>
      forbidden(`a page that is ${site}`, admin, as(admin, { "Sec-Fetch-Site": site })),
    ),
    forbidden("the session's key in a header", admin, { "Api-Key": admin.text }),
    forbidden("a program's key in the cookie", program, as(program)),
    forbidden("a sign-in key in a header", link, { "Api-Key": link.text }),
    forbidden("a sign-in key in the cookie", link, as(link)),
  ]
}

/** Sends each cell, and fails unless it is refused, recorded if somebody is known, and nothing else is written. */
const refusing = Effect.fnUntraced(function* <E, R>(
  cells: ReadonlyArray<Cell>,
  operation: string,
  send: (headers: Cell["headers"]) => Effect.Effect<Scene.Reply, E, R>,
  refusal: Refusal,
) {
  for (const { action = refusal, code, headers, refused, status, what } of cells) {
    const recorded = (yield* Calls.entries).length
    const reply = yield* send(headers)
    assert.strictEqual(reply.status, status, `${what}: ${reply.text}`)
    Scene.isProblem(reply, status, code)
    assert.isNull(reply.headers.get("set-cookie"), what)
    Scene.isKeptByNobody(reply.headers)
    const now = yield* Calls.entries
    assert.deepStrictEqual(
      now.slice(0, now.length - recorded).map((entry) => ({
        action: entry.action,
        subject: entry.subject,
        requestId: entry.requestId,
        changes: entry.changes,
      })),
      refused === null
        ? []
        : [
            {
              action,
              subject: refused,
              requestId: reply.headers.get("request-id"),
              changes: [{ field: "operation", to: operation }],
            },
          ],
      what,
    )
  }
})

const withoutAudit = (scene: Scene.Scene) =>
  Effect.map(Kept.of(scene), (all) => all.map((each) => ({ ...each, audit: null })))

const signingOut: Pick<Requests.Row, "names" | "payment" | "request" | "success"> = {
  payment: "open",
  request: () => ({ method: "DELETE", path: "/v1/session" }),
  success: 200,
  names: [],
}

/** What these ask for depends on the session: `withPasskey` has it. */
const ofPasskeys = {
  "session.addPasskey": { ...signingOut, success: 201 },
  "session.removePasskey": signingOut,
}

const partnerRows = { ...Requests.rows, "session.signOut": signingOut, ...ofPasskeys }
const partnerWrites = Handler.operations.flatMap(({ face, method, name, needsStepUp, scope }) => {
  if (face !== "partner" || method === "GET" || name === "session.signIn") return []
  const row = Object.entries(partnerRows).find(([key]) => key === name)?.[1]
  return [{ name, needsStepUp, scope, row: row ?? assert.fail(`${name} has no row`) }]
})

describe("a write of a partner with a session", () => {
  for (const { name, needsStepUp, row, scope } of partnerWrites) {
    it.effect(`S40: ${name} is refused unless the person's own page sends it`, () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const { other, own } = scene
        const subject = yield* Subjects.make(own.key, row.payment)
        const revoked = yield* Sessions.ofPartner(own)
        yield* Keys.revoke(revoked.id)
        const people: People = {
          admin: yield* Sessions.ofPartner(own),
          second: yield* Sessions.ofPartner(own),
          viewer: yield* Sessions.ofPartner(own, { scopes: ["read"] }),
          expired: yield* Sessions.ofPartner(own, { lastsInMs: 1000 }),
          revoked,
          link: yield* Sessions.ofPartner(own, { use: "sign_in" }),
          stranger: yield* Sessions.ofOperator(),
          program: yield* Sessions.ofKey(own.keyId, own.key),
          stale: yield* withPasskey("partner", yield* Sessions.ofPartner(own), Scene.send),
          other: yield* withPasskey("partner", yield* Sessions.ofPartner(own), Scene.send),
        }
        const elsewhere = yield* Sessions.ofPartner(other)
        yield* TestClock.adjust(1000)
        const { passkeyId } = people.stale
        const requests: { readonly [name: string]: Scene.Sent } = {
          "session.addPasskey": {
            path: listOf.partner,
            body: Authenticator.at(sites.partner).make(yield* register(people.stale)),
          },
          "session.removePasskey": { method: "DELETE", path: `${listOf.partner}/${passkeyId}` },
        }
        const request = requests[name] ?? row.request(subject)
        const send = (headers: Cell["headers"]) =>
          Scene.send({ ...request, headers: { ...request.headers, ...headers } })
        const stales = needsStepUp ? yield* stalesOf("partner", people) : []
        const before = yield* withoutAudit(scene)
        const cells = [...cellsOf("partner", people, scope === "read"), ...stales]
        yield* refusing(cells, name, send, "session.refused")
        if (row.names.length > 0) {
          const theirs = yield* send(Sessions.headersOf("partner", elsewhere))
          assert.strictEqual(theirs.status, 404, theirs.text)
        }
        assert.deepStrictEqual(yield* withoutAudit(scene), before)
        const recorded = (yield* Calls.entries).length
        const { by, headers } = yield* allowed("partner", people, needsStepUp)
        const done = yield* send(headers)
        assert.strictEqual(done.status, row.success, done.text)
        const entries = yield* Calls.entries
        const [entry, ...more] = entries.slice(0, entries.length - recorded)
        assert.deepStrictEqual(
          more.map(({ action }) => action),
          needsStepUp ? ["session.confirmed"] : [],
        )
        // It returns a text for the payer, and writes nothing.
        if (name === "refunds.destination") return assert.isUndefined(entry)
        assert.deepStrictEqual(entry?.actor, { _tag: "Key", keyId: by })
      }).pipe(Effect.provide(Scene.layer())),
    )
  }

  it.effect("S40: takes nothing on the gateway, which has no cookie", () =>
    Effect.gen(function* () {
      const { own } = yield* Scene.make
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
      const session = yield* Sessions.ofPartner(own)
      const reply = yield* Scene.send({
        method: "POST",
        path: `/v1/gateway/payment/${paymentId}/cancel`,
        headers: Sessions.headersOf("partner", session),
      })
      Scene.isProblem(reply, 401, "missing_api_key")
    }).pipe(Effect.provide(Scene.layer())),
  )
})

const operatorLayer = Scene.layer({
  edge,
  chain: { blocks: "manual" },
  settings: Calls.settings,
}).pipe(Layer.provideMerge(Money.treasury))
const operatorWrites = Rows.operations.filter(({ method }) => method !== "GET")

describe("a write of the operator with a session", () => {
  for (const operation of operatorWrites) {
    const { access, name, needsStepUp } = operation
    it.effect(`S40: ${name} is refused unless the person's own page sends it`, () =>
      Effect.gen(function* () {
        const { own, requestOf } = yield* Rows.scenesOf(operation)
        const revoked = yield* Sessions.ofOperator()
        yield* Keys.revoke(revoked.id)
        const program = yield* Calls.operatorKey(ApiKey.OperatorScope.literals)
        const people: People = {
          admin: yield* Sessions.ofOperator(),
          second: yield* Sessions.ofOperator(),
          viewer: yield* Sessions.ofOperator({ scopes: ["read"] }),
          expired: yield* Sessions.ofOperator({ lastsInMs: 1000 }),
          revoked,
          link: yield* Sessions.ofOperator({ use: "sign_in" }),
          stranger: yield* Sessions.ofPartner(own),
          program: yield* Sessions.ofKey(program.record.id, program.text),
          stale: yield* withPasskey("operator", yield* Sessions.ofOperator(), Calls.send),
          other: yield* withPasskey("operator", yield* Sessions.ofOperator(), Calls.send),
        }
        yield* TestClock.adjust(1000)
        const request = requestOf(operation, null)
        const send = (headers: Cell["headers"]) =>
          Calls.send({ ...request, headers: { ...request.headers, ...headers } })
        const stales = needsStepUp ? yield* stalesOf("operator", people) : []
        const before = yield* Rows.state
        const cells = [...cellsOf("operator", people, access.scope === "read"), ...stales]
        yield* refusing(cells, name, send, "operator.refused")
        assert.deepStrictEqual(yield* Rows.state, before)
        const { headers } = yield* allowed("operator", people, needsStepUp)
        const done = yield* send(headers)
        assert.include([200, 201], done.status, done.text)
      }).pipe(Effect.provide(operatorLayer)),
    )
  }
})

/** Every write that may be done at any time in a session. A write that is not here needs the person's passkey. */
const withoutStepUp = {
  partner: [
    "payments.create",
    "payments.cancel",
    "payments.createAlias",
    "refunds.destination",
    "webhooks.create",
    "webhooks.change",
    "webhooks.remove",
    "webhooks.rotate",
    "webhooks.test",
    "webhooks.redeliver",
    "webhooks.replay",
    "session.signIn",
    "session.signOut",
    "approvals.decline",
  ],
  operator: [
    "operator.partners.suspend",
    "operator.partners.freeze",
    "operator.merchants.suspend",
    "operator.merchants.freeze",
    "operator.webhooks.test",
    "operator.webhooks.redeliver",
    "operator.webhooks.replay",
    "operator.session.signIn",
    "operator.session.signOut",
    "operator.approvals.decline",
  ],
}

describe("a passkey", () => {
  for (const face of ["partner", "operator"] as const) {
    it(`S40: is needed for every write of the ${face} that moves money, or says where it goes`, () => {
      const all = face === "partner" ? Handler.operations : Groups.operator
      assert.deepStrictEqual(
        all.flatMap((operation) =>
          operation.face === face && operation.method !== "GET" && !operation.needsStepUp
            ? [operation.name]
            : [],
        ),
        withoutStepUp[face],
      )
    })
  }
})

const sides = [
  {
    face: "partner",
    path: "/v1/session",
    send: Scene.send,
    link: (scene: Scene.Scene) => Sessions.ofPartner(scene.own, { use: "sign_in" }),
    plain: (scene: Scene.Scene) => Effect.succeed(scene.own.key),
    lists: "/v1/keys",
  },
  {
    face: "operator",
    path: "/operator/v1/session",
    send: Calls.send,
    link: () => Sessions.ofOperator({ use: "sign_in" }),
    plain: () => Effect.map(Calls.operatorKey(["read", "admin"]), ({ text }) => text),
    lists: "/operator/v1/keys",
  },
] as const

const cookieIn = (reply: Scene.Reply): string => {
  const [pair = ""] = (reply.headers.get("set-cookie") ?? "").split(";")
  return pair
}

for (const { face, lists, link, path, plain, send } of sides) {
  const layer = face === "partner" ? Scene.layer() : operatorLayer
  const signIn = (key: string) => send({ method: "POST", path, key })

  describe(`signing in as ${face}`, () => {
    it.effect("S40: accepts a link once, and sets a cookie that no script can read", () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const one = yield* link(scene)
        const signed = yield* signIn(one.text)
        assert.strictEqual(signed.status, 201, signed.text)
        const set = signed.headers.get("set-cookie") ?? ""
        const secure = face === "partner" ? "; Secure" : ""
        assert.match(
          set,
          new RegExp(
            `^${Sessions.cookieOf[face]}=flr_\\w+; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict${secure}$`,
            "u",
          ),
        )
        assert.notInclude(signed.text, cookieIn(signed).split("=")[1] ?? "no cookie")
        assert.deepInclude(signed.body, {
          face,
          person: "Ada",
          role: "admin",
          mode: face === "partner" ? "test" : null,
          partner: face === "partner" ? { id: scene.own.partner.id, name: "Own" } : null,
        })
        assert.strictEqual(
          Scene.text(signed.body, "validUntil"),
          new Date(Scene.now + 12 * 3_600_000).toISOString(),
        )
        const got = yield* send({ path, headers: { Cookie: cookieIn(signed) } })
        assert.deepStrictEqual(got.body, signed.body)
        assert.strictEqual(got.headers.get("cache-control"), "no-store")
        const entry = (yield* Calls.entries).find(({ action }) => action === "session.started")
        assert.strictEqual(entry?.subject, Scene.text(signed.body, "id"))
        assert.deepInclude(entry?.actor, { keyId: one.id })
      }).pipe(Effect.provide(layer)),
    )

    it.effect(
      "S40: signs in one of two people who use a link at the same time, and records the other",
      () =>
        Effect.gen(function* () {
          const one = yield* link(yield* Scene.make)
          const replies = yield* Effect.all(
            Array.from({ length: 5 }, () => signIn(one.text)),
            { concurrency: "unbounded" },
          )
          assert.deepStrictEqual(
            replies.map(({ status }) => status).toSorted(),
            [201, 401, 401, 401, 401],
          )
          const refused = (yield* Calls.entries).filter(
            ({ action }) => action === "session.refused",
          )
          assert.deepStrictEqual(
            refused.map(({ subject }) => subject),
            Array.from({ length: 4 }, () => one.id),
          )
        }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: refuses every other key, and a link that ended", () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const late = yield* link(scene)
        const signed = yield* signIn((yield* link(scene)).text)
        Scene.isProblem(yield* signIn(yield* plain(scene)), 403, "forbidden")
        const again = yield* send({
          method: "POST",
          path,
          headers: {
            Cookie: cookieIn(signed),
            "Csrf-Token": Scene.text(signed.body, "csrfToken"),
          },
        })
        Scene.isProblem(again, 403, "forbidden")
        yield* TestClock.adjust("10 minutes")
        Scene.isProblem(yield* signIn(late.text), 401, "invalid_api_key")
        const [entry] = yield* Calls.entries
        assert.deepInclude(entry, { action: "session.refused", subject: late.id })
      }).pipe(Effect.provide(layer)),
    )

    it.effect(
      "S40: ends when the person signs out, after its time, or when the key that invited the person is revoked",
      () =>
        Effect.gen(function* () {
          const scene = yield* Scene.make
          const open = Effect.gen(function* () {
            const one = yield* link(scene)
            const signed = yield* signIn(one.text)
            return {
              link: one.id,
              csrf: Scene.text(signed.body, "csrfToken"),
              read: send({ path, headers: { Cookie: cookieIn(signed) } }),
              cookie: cookieIn(signed),
            }
          })
          const leaves = yield* open
          const out = yield* send({
            method: "DELETE",
            path,
            headers: { Cookie: leaves.cookie, "Csrf-Token": leaves.csrf },
          })
          assert.strictEqual(out.status, 200, out.text)
          assert.match(out.headers.get("set-cookie") ?? "", /=; Max-Age=0; Path=\/; HttpOnly/u)
          Scene.isProblem(yield* leaves.read, 401, "invalid_api_key")
          const [entry] = yield* Calls.entries
          assert.strictEqual(entry?.action, "session.ended")

          const isRevoked = yield* open
          yield* Keys.revoke(isRevoked.link)
          Scene.isProblem(yield* isRevoked.read, 401, "invalid_api_key")

          const outlived = yield* open
          yield* TestClock.adjust("12 hours")
          Scene.isProblem(yield* outlived.read, 401, "invalid_api_key")
        }).pipe(Effect.provide(layer)),
    )

    it.effect("is listed among the keys, which show what they are for", () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        yield* link(scene)
        const signed = yield* signIn((yield* link(scene)).text)
        const listed = yield* send({ path: lists, headers: { Cookie: cookieIn(signed) } })
        const uses = Scene.list(listed.body, "keys").map((key) => Scene.at(key, "use"))
        assert.includeMembers([...uses], ["sign_in", "session", null])
      }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: refuses reads from other sites, and accepts links that a person opens", () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const signed = yield* signIn((yield* link(scene)).text)
        const from = (site: string, method = "GET") =>
          send({
            method,
            path,
            headers: { Cookie: cookieIn(signed), "Sec-Fetch-Site": site },
          })
        for (const site of ["same-origin", "none"]) {
          assert.strictEqual((yield* from(site)).status, 200)
        }
        for (const site of ["cross-site", "same-site"]) {
          Scene.isProblem(yield* from(site), 403, "forbidden")
        }
      }).pipe(Effect.provide(layer)),
    )
  })
}
