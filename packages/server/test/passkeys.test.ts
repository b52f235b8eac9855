import { Buffer } from "node:buffer"
/**
 * Passkeys over HTTP, on both sides: adding, signing in, confirming, removing, and every way in which somebody may try
 * to pass for a person.
 */
import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Passkeys from "@florin/core/engine/partner/Passkeys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Authenticator from "../test-support/authenticator.ts"
import * as Calls from "./operator/calls.ts"
import * as Money from "./operator/money.ts"
import * as Scene from "./scene.ts"
import * as Sessions from "./sessions.ts"

const sites = {
  partner: { host: "pay.example.com", origin: "https://pay.example.com" },
  operator: { host: "ops.example", origin: "http://ops.example:8080" },
} as const

const edge = { operatorUrl: () => sites.operator.origin }

const sides = [
  {
    face: "partner",
    path: "/v1/session",
    send: Scene.send,
    link: (scene: Scene.Scene) => Sessions.ofPartner(scene.own, { use: "sign_in" }),
    layer: Scene.layer({ edge }),
    // A write that needs a passkey, and changes nothing: it names a key that does not exist.
    write: { method: "DELETE", path: "/v1/keys/key_0" },
    scopes: ApiKey.PartnerScope.literals,
  },
  {
    face: "operator",
    path: "/operator/v1/session",
    send: Calls.send,
    link: () => Sessions.ofOperator({ use: "sign_in" }),
    layer: Scene.layer({ edge, chain: { blocks: "manual" }, settings: Calls.settings }).pipe(
      Layer.provideMerge(Money.treasury),
    ),
    write: { method: "DELETE", path: "/operator/v1/keys/key_0" },
    scopes: ApiKey.OperatorScope.literals,
  },
] as const

for (const { face, layer, link, path, scopes, send: sendTo, write } of sides) {
  const send = (sent: Scene.Sent): Effect.Effect<Scene.Reply, never, Scene.Ports> => sendTo(sent)
  const site = sites[face]
  const list = `${path}/passkeys`

  /** The session that a response starts, as its browser has it. */
  const opened = (reply: Scene.Reply) => {
    assert.strictEqual(reply.status, 201, reply.text)
    const [cookie = ""] = (reply.headers.get("set-cookie") ?? "").split(";")
    const headers = { Cookie: cookie, "Csrf-Token": Scene.text(reply.body, "csrfToken") }
    return { id: Scene.text(reply.body, "id"), body: reply.body, headers }
  }
  type Opened = ReturnType<typeof opened>

  const byLink = Effect.gen(function* () {
    const scene = yield* Scene.make
    return opened(yield* send({ method: "POST", path, key: (yield* link(scene)).text }))
  })
  const challengeToAdd = ({ headers }: Opened) =>
    Effect.map(send({ path: list, headers }), ({ body }) => Scene.text(body, "next", "challenge"))
  const addTo = Effect.fnUntraced(function* (session: Opened, algorithm = -7) {
    const passkey = Authenticator.at(site, algorithm)
    // Of two challenges of the same millisecond, a session answers one.
    yield* TestClock.adjust(1)
    const body = passkey.make(yield* challengeToAdd(session))
    const added = yield* send({ path: list, headers: session.headers, body })
    assert.strictEqual(added.status, 201, added.text)
    return { ...passkey, key: Scene.text(added.body, "id") }
  })
  const challengeOf = (reply: Scene.Reply): string =>
    reply.headers.get("passkey-challenge") ?? assert.fail(`no challenge: ${reply.text}`)
  const challengeToSignIn = Effect.map(send({ method: "POST", path }), (reply) => {
    Scene.isProblem(reply, 401, "missing_api_key")
    return challengeOf(reply)
  })
  const signIn = (response: string) =>
    send({ method: "POST", path, headers: { "Passkey-Response": response } })
  const writeIn = ({ headers }: Opened, response?: string) =>
    send({
      ...write,
      headers: { ...headers, ...(response !== undefined && { "Passkey-Response": response }) },
    })
  const challengeToConfirm = (session: Opened) =>
    Effect.map(writeIn(session), (reply) => {
      Scene.isProblem(reply, 403, "step_up_required")
      return challengeOf(reply)
    })

  describe(`a passkey of the ${face}'s person`, () => {
    it.effect("S40: signs in alone, with the rights of the session that added it", () =>
      Effect.gen(function* () {
        const first = yield* byLink
        const passkey = yield* addTo(first)
        const listed = yield* send({ path: list, headers: first.headers })
        assert.deepInclude(Scene.at(listed.body, "passkeys", 0), {
          id: passkey.key,
          name: "Laptop",
          isShared: false,
          lastUsedAt: null,
        })
        yield* send({ method: "DELETE", path, headers: first.headers })
        // What the browser would say of who it is: the person's handle.
        const handle = Buffer.from(Scene.text(listed.body, "next", "userHandle")).toString(
          "base64url",
        )
        yield* TestClock.adjust("13 hours")
        const again = opened(yield* signIn(passkey.use(yield* challengeToSignIn, { handle })))
        assert.deepInclude(again.body, { face, person: "Ada", scopes: [...scopes], role: "admin" })
        const [started] = yield* Calls.entries
        assert.deepInclude(started, { action: "session.started", subject: again.id })
        assert.include(JSON.stringify(started?.actor), passkey.key)
        const made = (yield* Calls.entries).find(({ subject }) => subject === passkey.key)
        assert.deepInclude(made, { action: "key.created" })
        assert.include(JSON.stringify(made?.changes), `"field":"passkey","from":null,"to":"Laptop"`)
        assert.include(JSON.stringify(made?.actor), first.id)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("is not refused for good while the storage does not respond", () =>
      Effect.gen(function* () {
        const session = yield* byLink
        const made = Authenticator.at(site).make(yield* challengeToAdd(session))
        const accounts = yield* AccountStore
        const usable = { ...site, isUsable: () => true, isSigned: () => true }
        const error = yield* Passkeys.add(ApiKey.ApiKeyId.make(session.id), usable, made).pipe(
          Effect.provideService(AccountStore, {
            ...accounts,
            keyByHash: () => new StorageUnavailable({ message: "not now" }),
          }),
          Effect.flip,
        )
        assert.strictEqual(error._tag, "StorageUnavailable")
        const added = yield* send({ path: list, headers: session.headers, body: made })
        assert.strictEqual(added.status, 201, added.text)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("works with each algorithm of the standard, and with no other key", () =>
      Effect.gen(function* () {
        const session = yield* byLink
        for (const algorithm of [-7, -8, -257]) {
          const passkey = yield* addTo(session, algorithm)
          opened(yield* signIn(passkey.use(yield* challengeToSignIn)))
        }
        for (const [algorithm, claimed] of [
          [-35, -35],
          [-35, -7],
          [-1, -257],
          [-8, -7],
          [-7, -8],
        ] as const) {
          const body = Authenticator.at(site, algorithm, claimed).make(
            yield* challengeToAdd(session),
          )
          const refused = yield* send({ path: list, headers: session.headers, body })
          assert.deepStrictEqual(Scene.fieldsOf(refused), ["passkey"])
          assert.include(refused.text, "not supported")
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect(
      "S40: signs nobody in with a response that is not this passkey's, new and whole",
      () =>
        Effect.gen(function* () {
          const session = yield* byLink
          const passkey = yield* addTo(session)
          const other = yield* addTo(session)
          const elsewhere = Object.values(sites).find(({ host }) => host !== site.host)
          const toSignIn = yield* challengeToSignIn
          const toAdd = yield* challengeToAdd(session)
          const honest = passkey.use(toSignIn)
          const change = (part: number, with_: (text: string) => string) =>
            honest
              .split(".")
              .map((text, index) => (index === part ? with_(text) : text))
              .join(".")
          const flip = (at: number) => (text: string) => {
            const bytes = Buffer.from(text, "base64url")
            bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
            return bytes.toString("base64url")
          }
          const wrong: { readonly [what: string]: readonly [header: string, message: string] } = {
            "another origin": [
              passkey.use(toSignIn, { origin: "https://evil.example" }),
              "another address",
            ],
            "another port": [
              passkey.use(toSignIn, { origin: `${site.origin}:444` }),
              "another address",
            ],
            "a frame of another site": [
              passkey.use(toSignIn, { crossOrigin: true }),
              "another address",
            ],
            "another host": [
              passkey.use(toSignIn, { host: elsewhere?.host ?? "" }),
              "another address",
            ],
            "a challenge that is none": [passkey.use("AAAA"), "too old, or was used"],
            "a challenge to add a passkey": [passkey.use(toAdd), "too old, or was used"],
            "a changed challenge": [
              passkey.use(`${toSignIn.slice(0, -2)}AA`),
              "too old, or was used",
            ],
            "a new passkey's response": [
              passkey.use(toSignIn, { type: "webauthn.create" }),
              "cannot be read",
            ],
            "no verification of the person": [passkey.use(toSignIn, { flags: 1 }), "did not check"],
            "nobody present": [passkey.use(toSignIn, { flags: 4 }), "did not check"],
            "a backup that cannot be": [passkey.use(toSignIn, { flags: 21 }), "cannot be read"],
            "a passkey that became shared": [passkey.use(toSignIn, { flags: 13 }), "a copy"],
            "a bit of the signature": [change(3, flip(12)), "signature is wrong"],
            "no signature": [change(3, () => ""), "signature is wrong"],
            "a bit of the authenticator's data": [change(2, flip(36)), "signature is wrong"],
            "a bit of the client's data": [change(1, (text) => `${text.slice(0, -2)}gf`), ""],
            "the id of another passkey": [change(0, () => other.id), "signature is wrong"],
            "an unknown id": [change(0, () => "AAAA"), "unknown"],
            "another person's handle": [
              passkey.use(toSignIn, { handle: "a2V5XzA" }),
              "somebody else",
            ],
            "four parts": [honest.split(".").slice(0, 4).join("."), "cannot be read"],
            "no base64url": [change(1, () => "?"), "cannot be read"],
            "no JSON": [change(1, () => "AAAA"), "cannot be read"],
            "too little data": [change(2, () => "AAAA"), "cannot be read"],
          }
          for (const [what, [header, message]] of Object.entries(wrong)) {
            const reply = yield* signIn(header)
            Scene.isProblem(reply, 401, "invalid_api_key")
            assert.include(reply.text, message, what)
            assert.isNull(reply.headers.get("set-cookie"), what)
          }
          const refused = (yield* Calls.entries).filter(
            ({ action }) => action === "session.refused",
          )
          assert.includeMembers(
            refused.map(({ subject }) => subject),
            [passkey.key, other.key],
          )
          opened(yield* signIn(honest))
          Scene.isProblem(yield* signIn(honest), 401, "invalid_api_key")
        }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: accepts one of five calls that use a response at the same time", () =>
      Effect.gen(function* () {
        const passkey = yield* addTo(yield* byLink)
        const header = passkey.use(yield* challengeToSignIn)
        const replies = yield* Effect.all(
          Array.from({ length: 5 }, () => signIn(header)),
          { concurrency: "unbounded" },
        )
        assert.deepStrictEqual(
          replies.map(({ status }) => status).toSorted(),
          [201, 401, 401, 401, 401],
        )
      }).pipe(Effect.provide(layer)),
    )

    it.effect(
      "S40: answers a challenge within 5 minutes, and never an older one after a newer",
      () =>
        Effect.gen(function* () {
          const passkey = yield* addTo(yield* byLink)
          const first = yield* challengeToSignIn
          yield* TestClock.adjust(1)
          const second = yield* challengeToSignIn
          opened(yield* signIn(passkey.use(second)))
          Scene.isProblem(yield* signIn(passkey.use(first)), 401, "invalid_api_key")
          const late = yield* challengeToSignIn
          yield* TestClock.adjust("5 minutes")
          Scene.isProblem(yield* signIn(passkey.use(late)), 401, "invalid_api_key")
        }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: is refused if its counter does not increase, as that of a copy", () =>
      Effect.gen(function* () {
        const passkey = yield* addTo(yield* byLink)
        const use = Effect.fnUntraced(function* (counter: number) {
          yield* TestClock.adjust(1)
          return yield* signIn(passkey.use(yield* challengeToSignIn, { counter }))
        })
        for (const [counter, status] of [
          [0, 201],
          [0, 201],
          [7, 201],
          [7, 401],
          [6, 401],
          [0, 401],
          [8, 201],
        ] as const) {
          assert.strictEqual((yield* use(counter)).status, status, `${counter}`)
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: is added only with a response that this session asked for, once", () =>
      Effect.gen(function* () {
        const session = yield* byLink
        const second = yield* byLink
        const passkey = Authenticator.at(site)
        const challenge = yield* challengeToAdd(session)
        const add = (body: ReturnType<typeof passkey.make>, to = session) =>
          send({ path: list, headers: to.headers, body })
        const honest = passkey.make(challenge)
        const wrong = {
          "another origin": passkey.make(challenge, { origin: "https://evil.example" }),
          "another host": passkey.make(challenge, { host: "evil.example" }),
          "a challenge that is none": passkey.make("AAAA"),
          "a challenge to sign in": passkey.make(yield* challengeToSignIn),
          "the challenge of another session": passkey.make(yield* challengeToAdd(second)),
          "a use of a passkey": passkey.make(challenge, { type: "webauthn.get" }),
          "no verification of the person": passkey.make(challenge, { flags: 65 }),
          "no credential": passkey.make(challenge, { flags: 5 }),
          "the id of another credential": { ...honest, credentialId: Authenticator.at(site).id },
          "an id that is none": { ...honest, credentialId: "?" },
          "no key": { ...honest, publicKey: "AAAA" },
        }
        for (const [what, body] of Object.entries(wrong)) {
          assert.deepStrictEqual(Scene.fieldsOf(yield* add(body)), ["passkey"], what)
        }
        assert.deepStrictEqual(Scene.fieldsOf(yield* add({ ...honest, name: "" })), ["name"])
        assert.strictEqual((yield* add(honest)).status, 201)
        // Neither the response again, nor the challenge for another passkey, nor the passkey for another person.
        assert.deepStrictEqual(Scene.fieldsOf(yield* add(honest)), ["passkey"])
        const next = Authenticator.at(site).make(challenge)
        assert.deepStrictEqual(Scene.fieldsOf(yield* add(next)), ["passkey"])
        const stolen = passkey.make(yield* challengeToAdd(second))
        assert.deepStrictEqual(Scene.fieldsOf(yield* add(stolen, second)), ["passkey"])
      }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: confirms a session of its person for 5 minutes, and no other session", () =>
      Effect.gen(function* () {
        const session = yield* byLink
        const passkey = yield* addTo(session)
        // Another person, with another passkey.
        const other = yield* byLink
        const others = yield* addTo(other)
        Scene.isProblem(yield* writeIn(session), 404, "not_found")
        yield* TestClock.adjust("15 minutes")
        const challenge = yield* challengeToConfirm(session)
        const second = opened(yield* signIn(passkey.use(yield* challengeToSignIn)))
        yield* TestClock.adjust("5 minutes")
        const refused: { readonly [what: string]: string } = {
          "too late": passkey.use(challenge),
          "for another session of the person": passkey.use(yield* challengeToConfirm(second)),
          "to sign in": passkey.use(yield* challengeToSignIn),
          "of another person": others.use(yield* challengeToConfirm(session)),
        }
        for (const [what, header] of Object.entries(refused)) {
          const reply = yield* writeIn(session, header)
          Scene.isProblem(reply, 403, "step_up_required")
          assert.isNull(reply.headers.get("passkey-challenge"), what)
          const [entry] = yield* Calls.entries
          assert.strictEqual(entry?.subject, session.id, what)
        }
        const header = passkey.use(yield* challengeToConfirm(session))
        Scene.isProblem(yield* writeIn(session, header), 404, "not_found")
        const confirmed = (yield* Calls.entries).find(
          ({ action }) => action === "session.confirmed",
        )
        assert.deepInclude(confirmed, { subject: session.id })
        Scene.isProblem(yield* writeIn(session), 404, "not_found")
        yield* TestClock.adjust("5 minutes")
        Scene.isProblem(yield* writeIn(session, header), 403, "step_up_required")
        // Reading needs no passkey.
        assert.strictEqual((yield* send({ path, headers: session.headers })).status, 200)
      }).pipe(Effect.provide(layer)),
    )

    it.effect(
      "S40: is required 15 minutes after another sign-in, and cannot be added after that",
      () =>
        Effect.gen(function* () {
          const session = yield* byLink
          const challenge = yield* challengeToAdd(session)
          yield* TestClock.adjust("15 minutes")
          for (const reply of [
            yield* writeIn(session),
            yield* send({
              path: list,
              headers: session.headers,
              body: Authenticator.at(site).make(challenge),
            }),
          ]) {
            Scene.isProblem(reply, 403, "step_up_required")
            assert.include(reply.text, "sign in again with a new link")
            assert.isNull(reply.headers.get("passkey-challenge"))
          }
        }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: is removed by its person alone, with the sessions that it started", () =>
      Effect.gen(function* () {
        const session = yield* byLink
        const passkey = yield* addTo(session)
        const other = yield* byLink
        const started = opened(yield* signIn(passkey.use(yield* challengeToSignIn)))
        const remove = ({ headers }: Opened) =>
          send({ method: "DELETE", path: `${list}/${passkey.key}`, headers })
        Scene.isProblem(yield* remove(other), 404, "not_found")
        assert.strictEqual((yield* remove(session)).status, 200)
        Scene.isProblem(
          yield* signIn(passkey.use(yield* challengeToSignIn)),
          401,
          "invalid_api_key",
        )
        const read = ({ headers }: Opened) => send({ path, headers })
        Scene.isProblem(yield* read(started), 401, "invalid_api_key")
        assert.strictEqual((yield* read(session)).status, 200)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("S40: ends when the link is revoked with which its person first signed in", () =>
      Effect.gen(function* () {
        const one = yield* link(yield* Scene.make)
        const session = opened(yield* send({ method: "POST", path, key: one.text }))
        const passkey = yield* addTo(session)
        yield* Keys.revoke(one.id)
        Scene.isProblem(
          yield* signIn(passkey.use(yield* challengeToSignIn)),
          401,
          "invalid_api_key",
        )
      }).pipe(Effect.provide(layer)),
    )
  })
}

describe("a console at an address without a host name", () => {
  const layer = Scene.layer({ edge: { publicUrl: "http://127.0.0.1:3000" } })

  it.effect("has no passkeys, as browsers bind them to a name", () =>
    Effect.gen(function* () {
      const { own } = yield* Scene.make
      const { csrfToken, text } = yield* Sessions.ofPartner(own)
      const headers = { Cookie: `florin-partner=${text}`, "Csrf-Token": csrfToken }
      const listed = yield* Scene.send({ path: "/v1/session/passkeys", headers })
      assert.deepStrictEqual(listed.body, { passkeys: [], next: null })
      const body = Authenticator.at(sites.partner).make("AAAA")
      const added = yield* Scene.send({ path: "/v1/session/passkeys", headers, body })
      Scene.isProblem(added, 403, "forbidden")
      const asked = yield* Scene.send({ method: "POST", path: "/v1/session" })
      assert.isNull(asked.headers.get("passkey-challenge"))
    }).pipe(Effect.provide(layer)),
  )
})
