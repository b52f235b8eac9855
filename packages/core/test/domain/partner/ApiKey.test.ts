import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Session from "@florin/core/domain/partner/Session"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const day = 24 * 60 * 60 * 1000
const bytes = (seed: number) =>
  Uint8Array.from({ length: 32 }, (_, index) => (seed + index * 7) % 256)
const id = (name: string) => ApiKey.ApiKeyId.make(`key_${name}`)

const partner = ApiKey.Owner.cases.Partner.make({ partnerId: PartnerId.PartnerId.make("prtn_1") })
const wallet = ApiKey.Owner.cases.Wallet.make({
  name: "Good Wallet",
  iconUrl: "https://wallet.example/i.png",
  versionPin: "2026-02-18",
})
const request = {
  id: id("1"),
  random: bytes(1),
  mode: "live",
  owner: partner,
  name: "Backend",
  expiresAt: null,
} as const
const issued = value(ApiKey.issue(request, 1000))

describe("the scopes of an API key", () => {
  it("S11: default to all scopes of its kind, also for keys of earlier releases", () => {
    assert.deepStrictEqual(ApiKey.scopesOf(issued.record), [
      "read",
      "pay",
      "refund",
      "manage",
      "webhooks",
    ])
    assert.deepStrictEqual(ApiKey.scopesOf({ owner: wallet }), ["read", "pay"])
  })

  it("S11: are kept when the key is rotated", () => {
    const { record } = value(ApiKey.issue({ ...request, scopes: ["read"] }, 1000))
    const { next } = value(ApiKey.rotate(record, request, 2000))
    assert.deepStrictEqual(ApiKey.scopesOf(next.record), ["read"])
  })

  it("S11: are at least one, and only scopes of the key's kind", () => {
    assert.isTrue(Result.isFailure(ApiKey.issue({ ...request, scopes: [] }, 1000)))
    const beyond = { ...request, owner: wallet, scopes: ["read", "manage"] } as const
    assert.isTrue(Result.isFailure(ApiKey.issue(beyond, 1000)))
  })
})

describe("the pin of a wallet's key", () => {
  const previewed = { ...wallet, versionPin: "2026-02-19.preview" } as const

  it("cannot be a preview version", () => {
    const error = refusal(ApiKey.issue({ ...request, owner: previewed }, 1000))
    assert.deepStrictEqual("issues" in error ? error.issues : [], [
      {
        field: "owner.versionPin",
        message:
          "must not be a preview: pin 2026-02-18, and ask for a preview in the header of a request",
      },
    ])
  })
})

describe("the profile of a wallet's key", () => {
  it("is kept when the key is rotated, and is absent by default", () => {
    const owner = { ...wallet, profile: "field" } as const
    const { record } = value(ApiKey.issue({ ...request, owner }, 1000))
    const { next } = value(ApiKey.rotate(record, { ...request, id: id("2") }, 2000))
    assert.deepStrictEqual(next.record.owner, owner)
    const { record: plain } = value(ApiKey.issue({ ...request, owner: wallet }, 1000))
    assert.notProperty(plain.owner, "profile")
  })
})

describe("the address blocks of an API key", () => {
  const from = ["203.0.113.0/24", "2001:db8::/32"]
  const limited = value(ApiKey.issue({ ...request, from }, 1000)).record

  it("S11: limit where the key and its successor may be used from", () => {
    const { next } = value(ApiKey.rotate(limited, request, 2000))
    for (const each of [limited, next.record]) {
      assert.deepStrictEqual(each.from, from)
      assert.isTrue(ApiKey.mayCallFrom(each, "203.0.113.9"))
      assert.isTrue(ApiKey.mayCallFrom(each, "2001:db8:0:1"))
      assert.isFalse(ApiKey.mayCallFrom(each, "203.0.114.9"))
      assert.isFalse(ApiKey.mayCallFrom(each, null))
    }
  })

  it("S11: allow every caller by default, also one whose address is unknown", () => {
    assert.notProperty(issued.record, "from")
    assert.isTrue(ApiKey.mayCallFrom(issued.record, "203.0.114.9"))
    assert.isTrue(ApiKey.mayCallFrom(issued.record, null))
  })

  it("S11: are 1 to 50 blocks", () => {
    const issuesOf = (blocks: ReadonlyArray<string>) => {
      const error = refusal(ApiKey.issue({ ...request, from: blocks }, 1000))
      return error._tag === "InvalidInput" ? error.issues.map(({ field }) => field) : [error._tag]
    }
    assert.deepStrictEqual(issuesOf([]), ["from"])
    assert.deepStrictEqual(issuesOf(Array.from({ length: 51 }, () => "203.0.113.9")), ["from"])
    assert.deepStrictEqual(issuesOf(["203.0.113.9", "nowhere", "::1"]), ["from[1]", "from[2]"])
  })
})
const key = issued.record

const unusable = "the Api-Key is unknown, expired or revoked: use a current one"

const sum = (body: string) => {
  const hash = createHash("sha256").update(`florin/key/1\n${body}`).digest()
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  let rest = hash.readBigUInt64BE(0)
  let text = ""
  for (let index = 0; index < 6; index++) {
    text = alphabet.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

const digits = (last: Uint8Array) => value(ApiKey.make("live", "partner", last)).slice(12, 44)

const lowest = (...low: ReadonlyArray<number>) =>
  Uint8Array.from([...Array.from({ length: 32 - low.length }, () => 0), ...low])

const long = (last: number) =>
  value(ApiKey.make("live", "partner", Uint8Array.from([...bytes(1), last])))

describe("ApiKey.make", () => {
  it("prints 256 bits in base62, most significant digit first, with a checksum", () => {
    const one = Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? 1 : 0))
    const bodies = [
      ["live", "partner", `flr_live_pk_${"0".repeat(31)}1`],
      ["test", "partner", `flr_test_pk_${"0".repeat(31)}1`],
      ["live", "wallet", `flr_live_wk_${"0".repeat(31)}1`],
      ["test", "wallet", `flr_test_wk_${"0".repeat(31)}1`],
    ] as const
    for (const [mode, kind, body] of bodies) {
      assert.strictEqual(value(ApiKey.make(mode, kind, one)), body + sum(body))
    }
    assert.strictEqual(digits(lowest(61)), `${"0".repeat(31)}z`)
    assert.strictEqual(digits(lowest(62)), `${"0".repeat(30)}10`)
    assert.strictEqual(digits(lowest(10)), `${"0".repeat(31)}A`)
    assert.strictEqual(digits(lowest(36)), `${"0".repeat(31)}a`)
    assert.strictEqual(digits(lowest(1, 0)), `${"0".repeat(30)}48`)
  })

  it("requires 32 random bytes, and uses all bytes that it gets", () => {
    const error = refusal(ApiKey.make("live", "partner", new Uint8Array(31)))
    assert.strictEqual(error._tag, "TooLittleRandomness")
    assert.strictEqual(error.message, "a key needs at least 32 random bytes")
    assert.strictEqual(ApiKey.randomBytesMin, 32)
    assert.notStrictEqual(long(1), long(2))
  })
})

describe("ApiKey.parse", () => {
  it.each([
    ["live", "partner"],
    ["test", "partner"],
    ["live", "wallet"],
    ["test", "wallet"],
  ] as const)("reads keys that were made for mode %s and kind %s", (mode, kind) => {
    const text = value(ApiKey.make(mode, kind, bytes(5)))
    const hash = createHash("sha256").update(text).digest("hex")
    assert.deepEqual<object>(value(ApiKey.parse(text)), { mode, kind, hash })
    assert.strictEqual(ApiKey.hash(text), hash)
    assert.strictEqual(value(Schema.decodeUnknownResult(ApiKey.KeyHash)(hash)), hash)
  })

  const { text } = issued
  it.each([
    "",
    `${text}0`,
    `${text}\n`,
    text.replace("live", "test"),
    text.replace("_pk_", "_wk_"),
  ])("refuses %j", (bad) => {
    const error = refusal(ApiKey.parse(bad))
    assert(error._tag === "InvalidApiKey")
    assert.strictEqual(error.reason, "malformed")
    assert.strictEqual(error.message, unusable)
  })

  it.each(["\u0080", "é", "\uff11", "\ud800", `${text}\u00a0`])(
    "says that %j is not ASCII",
    (bad) => {
      const error = refusal(ApiKey.parse(bad))
      assert.strictEqual(error._tag, "HeaderNotAscii")
      assert.strictEqual(
        error.message,
        "the Api-Key header has characters outside ASCII: copy it again",
      )
    },
  )

  it("refuses a key with any one character changed", () => {
    for (let index = 12; index < text.length; index++) {
      const wrong = text.slice(0, index) + (text[index] === "0" ? "1" : "0") + text.slice(index + 1)
      assert.isTrue(Result.isFailure(ApiKey.parse(wrong)), `at ${index}`)
    }
  })

  const walletKey = value(ApiKey.make("test", "wallet", bytes(9)))
  it.prop(
    "reads only keys that were made, and no hostile text",
    [HostileText.near([text, walletKey])],
    ([bad]) => {
      const parsed = ApiKey.parse(bad)
      if (Result.isSuccess(parsed)) return assert.include([text, walletKey], bad)
      const isAscii = [...bad].every((each) => each <= "\u007f")
      assert.strictEqual(parsed.failure._tag, isAscii ? "InvalidApiKey" : "HeaderNotAscii")
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

const issuesOf = (changes: object): ReadonlyArray<unknown> => {
  const result = ApiKey.issue({ ...request, ...changes }, 1000)
  return Result.isFailure(result) && result.failure._tag === "InvalidInput"
    ? [...result.failure.issues]
    : []
}

describe("ApiKey.issue", () => {
  it("A4: stores a hash and a hint, never the key", () => {
    assert.deepEqual(key, {
      id: id("1"),
      hash: ApiKey.hash(issued.text),
      hint: `${issued.text.slice(0, 16)}…`,
      mode: "live",
      owner: partner,
      name: "Backend",
      createdAt: 1000,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      rotation: null,
    })
    assert.match(key.hint, /^flr_live_pk_[0-9A-Za-z]{4}…$/u)
    assert.strictEqual(value(ApiKey.parse(issued.text)).mode, "live")
    assert.strictEqual(value(ApiKey.parse(issued.text)).kind, "partner")
    assert.deepEqual(value(Schema.decodeUnknownResult(ApiKey.ApiKey)(key)), key)
  })

  it("issues wallet keys to wallets", () => {
    const made = value(ApiKey.issue({ ...request, owner: wallet, mode: "test" }, 1000))
    assert.match(made.text, /^flr_test_wk_/u)
    assert.deepEqual(made.record.owner, wallet)
    const bare = { ...wallet, iconUrl: null }
    assert.isTrue(Result.isSuccess(ApiKey.issue({ ...request, owner: bare }, 1000)))
  })

  it("reports every issue together", () => {
    const owner = { ...wallet, name: "", iconUrl: "http://wallet.example/i.png" }
    assert.deepEqual(issuesOf({ name: "", owner, expiresAt: 1000 }), [
      { field: "name", message: "must have 1 to 256 characters" },
      { field: "owner.name", message: "must have 1 to 256 characters" },
      { field: "owner.iconUrl", message: "a URL must begin with https://" },
      { field: "expiresAt", message: "must be in the future" },
    ])
    assert.deepEqual(issuesOf({ expiresAt: 999 }), [
      { field: "expiresAt", message: "must be in the future" },
    ])
    assert.strictEqual(
      value(ApiKey.issue({ ...request, expiresAt: 1001 }, 1000)).record.expiresAt,
      1001,
    )
  })

  it("requires enough randomness", () => {
    const error = refusal(ApiKey.issue({ ...request, random: new Uint8Array(31) }, 1000))
    assert.strictEqual(error._tag, "TooLittleRandomness")
  })
})

/** The reason a key is refused, or "good". */
const judge = (record: ApiKey.ApiKey, now: number): string =>
  Result.match(ApiKey.check(record, now), {
    onFailure: (error) => error.reason,
    onSuccess: () => "good",
  })

describe("ApiKey.changeWallet", () => {
  const { record } = value(ApiKey.issue({ ...request, owner: wallet, mode: "test" }, 1000))

  it("changes the name or icon that merchants see, and nothing else", () => {
    const renamed = { ...record, owner: { ...wallet, name: "Another" } }
    assert.deepEqual(value(ApiKey.changeWallet(record, { name: "Another" })), renamed)
    const plain = { ...record, owner: { ...wallet, iconUrl: null } }
    assert.deepEqual(value(ApiKey.changeWallet(record, { iconUrl: null })), plain)
    assert.deepEqual(value(ApiKey.changeWallet(record, {})), record)
  })

  it("refuses values that a new key could not have, and a partner's key", () => {
    const issues = (of: ApiKey.ApiKey, shown: ApiKey.Shown) => {
      const result = ApiKey.changeWallet(of, shown)
      return Result.isFailure(result) ? result.failure.issues.map(({ field }) => field) : []
    }
    assert.deepEqual(issues(record, { name: "", iconUrl: "http://wallet.example/i.png" }), [
      "owner.name",
      "owner.iconUrl",
    ])
    assert.deepEqual(issues(key, { name: "Another" }), ["keyId"])
  })
})

describe("ApiKey.check", () => {
  const rotation = { to: id("2"), graceEndsAt: 5000 }

  it.each([
    ["good", {}, 1000],
    ["good", {}, Number.MAX_SAFE_INTEGER],
    ["good", { expiresAt: 2000 }, 1999],
    ["expired", { expiresAt: 2000 }, 2000],
    ["expired", { expiresAt: 0 }, 1],
    ["good", { rotation }, 4999],
    ["rotated", { rotation }, 5000],
    ["expired", { rotation, expiresAt: 4000 }, 4000],
    ["expired", { rotation, expiresAt: 6000 }, 6000],
    ["revoked", { revokedAt: 0 }, 1000],
    ["revoked", { revokedAt: 3000, expiresAt: 2000, rotation }, 9000],
  ] as const)("returns %s for %j at %s", (expected, changes, now) => {
    assert.strictEqual(judge({ ...key, ...changes }, now), expected)
  })

  it("returns the same message for every reason", () => {
    const error = refusal(ApiKey.check({ ...key, revokedAt: 1 }, 1000))
    assert.strictEqual(error._tag, "InvalidApiKey")
    assert.strictEqual(error.message, unusable)
    assert.strictEqual(ApiKey.invalid("unknown").message, unusable)
    assert.strictEqual(ApiKey.invalid("unknown").reason, "unknown")
  })
})

const next = { id: id("2"), random: bytes(2), expiresAt: 9 * day }

/** Why a key is not rotated. */
const refused = (record: ApiKey.ApiKey, now: number) => {
  const error = refusal(ApiKey.rotate(record, next, now))
  return error._tag === "InvalidApiKey" ? error.reason : error._tag
}

describe("ApiKey.rotate", () => {
  const rotated = value(ApiKey.rotate(key, next, 5000))

  it("passes owner, mode and name to the new key", () => {
    assert.deepEqual(rotated.previous, {
      ...key,
      rotation: { to: id("2"), graceEndsAt: 5000 + day },
    })
    assert.deepEqual(rotated.next, value(ApiKey.issue({ ...request, ...next }, 5000)))
    assert.notStrictEqual(rotated.next.text, issued.text)
  })

  it("leaves both keys valid for a day", () => {
    assert.strictEqual(judge(rotated.previous, 5000), "good")
    assert.strictEqual(judge(rotated.previous, 5000 + day - 1), "good")
    assert.strictEqual(judge(rotated.previous, 5000 + day), "rotated")
    assert.strictEqual(judge(rotated.next.record, 5000), "good")
    assert.strictEqual(judge(rotated.next.record, 5000 + day), "good")
  })

  it("refuses a key that is not valid, or was rotated before", () => {
    assert.strictEqual(refused(ApiKey.revoke(key, 1), 5000), "revoked")
    assert.strictEqual(refused({ ...key, expiresAt: 5000 }, 5000), "expired")
    assert.strictEqual(refused(rotated.previous, 5001), "rotated")
    assert.strictEqual(refused(rotated.previous, 5000 + day), "rotated")
    assert.strictEqual(refused(key, 9 * day), "InvalidInput")
  })
})

describe("ApiKey.revoke", () => {
  it("revokes a key immediately, and only once", () => {
    const revoked = ApiKey.revoke(key, 2000)
    assert.deepEqual(revoked, { ...key, revokedAt: 2000 })
    assert.strictEqual(judge(revoked, 2000), "revoked")
    assert.strictEqual(ApiKey.revoke(revoked, 3000), revoked)
    assert.strictEqual(ApiKey.revoke({ ...key, revokedAt: 0 }, 3000).revokedAt, 0)
  })
})

describe("ApiKey.used", () => {
  it("keeps the latest use", () => {
    assert.deepEqual(ApiKey.recordUse(key, 2000), { ...key, lastUsedAt: 2000 })
    assert.strictEqual(ApiKey.recordUse({ ...key, lastUsedAt: 3000 }, 2000).lastUsedAt, 3000)
    assert.strictEqual(ApiKey.recordUse({ ...key, lastUsedAt: 1000 }, 2000).lastUsedAt, 2000)
  })
})

describe("ApiKey.mayCall", () => {
  it.each([
    ["partner", "gateway", true],
    ["partner", "partner", true],
    ["wallet", "gateway", true],
    ["wallet", "partner", false],
  ] as const)("allows a %s key to call the %s interface: %s", (kind, face, expected) => {
    assert.strictEqual(ApiKey.mayCall(kind, face), expected)
  })

  it("derives the kind from the owner", () => {
    assert.strictEqual(ApiKey.kindOf(partner), "partner")
    assert.strictEqual(ApiKey.kindOf(wallet), "wallet")
  })
})

describe("a key that manages keys", () => {
  const fresh = (seed: number) => ({ id: id(`m${seed}`), random: bytes(seed), expiresAt: null })
  const maker = value(
    ApiKey.issue(
      { ...request, scopes: ["read", "pay", "keys"], from: ["203.0.113.0/24"], expiresAt: 9000 },
      1000,
    ),
  ).record
  const made = (asked: object, by = maker) =>
    ApiKey.issueBy(by, { ...fresh(3), name: "till", ...asked }, 2000)

  it("S11: makes keys with at most its own rights, and without the right to make keys", () => {
    const { record } = value(made({}))
    assert.deepStrictEqual(ApiKey.scopesOf(record), ["read", "pay"])
    assert.deepInclude(record, { from: ["203.0.113.0/24"], expiresAt: 9000, madeBy: [maker.id] })
    assert.isTrue(ApiKey.isAsStrong(maker, record))
    assert.isFalse(ApiKey.isAsStrong(record, maker))
    for (const beyond of [
      { scopes: ["refund"] },
      { from: ["203.0.0.0/16"] },
      { expiresAt: 9001 },
    ]) {
      assert.strictEqual(refusal(made(beyond))._tag, "InvalidInput")
    }
    assert.strictEqual(value(made({ from: ["203.0.113.7"] })).record.from?.length, 1)
  })

  it("S11: makes no keys after it expired, and only a limited number of generations", () => {
    const ended = ApiKey.issueBy(maker, { ...fresh(4), name: "late" }, 9000)
    assert.strictEqual(refusal(ended)._tag, "InvalidApiKey")
    let last = maker
    for (let count = 0; count < 40; count++) {
      const child = made({ id: id(`g${count}`), scopes: ["read", "keys"] }, last)
      if (Result.isFailure(child)) return assert.strictEqual(child.failure._tag, "InvalidInput")
      last = child.success.record
    }
    return assert.fail("generations have no end")
  })

  it("S11: cannot rotate a key that has more rights or a later expiry", () => {
    const { record } = value(made({}))
    const rotated = value(ApiKey.rotateBy(maker, record, fresh(5), 2000))
    assert.strictEqual(rotated.previous.rotation?.to, rotated.next.record.id)
    assert.strictEqual(
      refusal(ApiKey.rotateBy(maker, issued.record, fresh(6), 2000))._tag,
      "KeyTooStrong",
    )
    const later = { ...fresh(7), expiresAt: 9001 }
    assert.strictEqual(refusal(ApiKey.rotateBy(maker, record, later, 2000))._tag, "KeyTooStrong")
  })

  it("S11: ends together with the keys that it made, and with its own successor", () => {
    const { record: child } = value(made({}))
    const { next: successor, previous } = value(ApiKey.rotateBy(maker, maker, fresh(8), 2000))
    const stranger = { ...issued.record, id: id("stranger") }
    const good = [previous, successor.record, child, stranger]
    assert.sameMembers(
      ApiKey.endingWith(previous, good, 2000).map((each) => each.id),
      [previous.id, successor.record.id, child.id],
    )
  })
})

describe("a passkey", () => {
  const fresh = (seed: number) => ({ id: id(`p${seed}`), random: bytes(seed) })
  const asked = { ...request, scopes: ["read", "keys"], use: "sign_in" } as const
  const link = value(ApiKey.issue(asked, 1000)).record
  const session = value(Session.signIn(link, fresh(9), 2000)).session.record
  const passkey = {
    label: "Laptop",
    publicKey: "AAAA",
    algorithm: -7,
    counter: 0,
    isShared: false,
  } as const
  const made = { id: id("own"), credentialId: "credential", challengedAt: 2500, passkey }
  const added = value(Session.addPasskey(session, made, 3000))

  it("S40: has the rights of the session that added it, and ends with the key that invited the person", () => {
    assert.deepInclude(added.added, {
      use: "passkey",
      scopes: ["read", "keys"],
      person: link.id,
      madeBy: [link.id, session.id],
      expiresAt: null,
    })
    assert.strictEqual(added.session.challengedAt, 2500)
  })

  it("S40: is added by a session only, once for each challenge, and with a name", () => {
    const again = refusal(Session.addPasskey(added.session, made, 3000))
    assert.strictEqual(again._tag, "PasskeyRefused")
    const program = refusal(Session.addPasskey(issued.record, made, 3000))
    assert.strictEqual(program._tag, "InvalidApiKey")
    const late = Session.addPasskey(session, made, session.expiresAt ?? assert.fail())
    assert.strictEqual(refusal(late)._tag, "InvalidApiKey")
    const nameless = { ...made, passkey: { ...passkey, label: "" } }
    assert.strictEqual(refusal(Session.addPasskey(session, nameless, 3000))._tag, "InvalidInput")
  })

  it("S40: is accepted once for each challenge, and confirms a session", () => {
    const said = { challengedAt: 4000, counter: 0, isShared: false }
    const used = value(Session.usePasskey(added.added, said, 4500))
    assert.strictEqual(used.challengedAt, 4000)
    assert.strictEqual(refusal(Session.usePasskey(used, said, 4500))._tag, "PasskeyRefused")
    assert.strictEqual(refusal(Session.usePasskey(session, said, 4500))._tag, "InvalidApiKey")
    const revoked = ApiKey.revoke(added.added, 4200)
    assert.strictEqual(refusal(Session.usePasskey(revoked, said, 4500))._tag, "InvalidApiKey")
    const stale = { ...session, freshUntil: 0 }
    assert.isFalse(Session.isFresh(stale, 5000))
    assert.isTrue(Session.isFresh(Session.confirm(stale, 5000), 5000))
  })
})

describe("a key that signs a person in", () => {
  const fresh = (seed: number) => ({ id: id(`s${seed}`), random: bytes(seed) })
  const hour = 60 * 60 * 1000
  const asked = { ...request, scopes: ["read", "keys"], use: "sign_in" } as const
  const link = value(ApiKey.issue(asked, 1000)).record
  const session = (used: ApiKey.ApiKey, now = 2000) => value(Session.signIn(used, fresh(9), now))

  it("S40: ends after 15 minutes, and never later than after a day", () => {
    assert.strictEqual(link.expiresAt, 1000 + hour / 4)
    assert.isTrue(Result.isSuccess(ApiKey.issue({ ...asked, expiresAt: 1000 + day }, 1000)))
    const tooLong = refusal(ApiKey.issue({ ...asked, expiresAt: 1001 + day }, 1000))
    assert.strictEqual(tooLong._tag, "InvalidInput")
    const forever = refusal(ApiKey.issue({ ...asked, use: "session" }, 1000))
    assert.strictEqual(forever._tag, "InvalidInput")
  })

  it("S40: needs the scope read, and cannot be a wallet's", () => {
    const { scopes: _, ...unnamed } = asked
    for (const wrong of [
      { ...asked, scopes: ["pay"] } as const,
      unnamed,
      { ...asked, owner: wallet },
    ]) {
      assert.strictEqual(refusal(ApiKey.issue(wrong, 1000))._tag, "InvalidInput")
    }
  })

  it("S40: makes one session of at most 12 hours with the same rights, and ends with it", () => {
    const { session: made, used } = session(link)
    assert.strictEqual(used.revokedAt, 2000)
    assert.deepInclude(made.record, {
      use: "session",
      scopes: ["read", "keys"],
      owner: partner,
      name: "Backend",
      madeBy: [link.id],
      expiresAt: 2000 + 12 * hour,
    })
    assert.strictEqual(refusal(Session.signIn(used, fresh(8), 2001))._tag, "InvalidApiKey")
    const late = Session.signIn(link, fresh(8), 1000 + hour / 4)
    assert.strictEqual(refusal(late)._tag, "InvalidApiKey")
    for (const other of [issued.record, made.record]) {
      assert.strictEqual(refusal(Session.signIn(other, fresh(8), 2000))._tag, "InvalidApiKey")
    }
  })

  it("S40: cannot be rotated, and neither can a session", () => {
    for (const each of [link, session(link).session.record]) {
      const rotated = ApiKey.rotate(each, { ...fresh(7), expiresAt: null }, 2000)
      assert.strictEqual(refusal(rotated)._tag, "InvalidInput")
    }
  })

  it("S40: makes keys that outlive the session, but not the key that invited the person", () => {
    const lasting = session(link).session.record
    const made = (by: ApiKey.ApiKey, expiresAt: number | null) =>
      ApiKey.issueBy(by, { ...fresh(6), name: "till", scopes: ["read"], expiresAt }, 3000)
    const till = value(made(lasting, null)).record
    assert.isNull(till.expiresAt)
    assert.deepStrictEqual(till.madeBy, [link.id, lasting.id])

    const inviter = value(
      ApiKey.issue({ ...request, scopes: asked.scopes, expiresAt: 2 * hour }, 1000),
    )
    const invited = value(
      ApiKey.issueBy(
        inviter.record,
        { ...fresh(5), name: "Ada", scopes: ["read", "keys"], use: "sign_in", expiresAt: null },
        2000,
      ),
    )
    assert.strictEqual(invited.record.expiresAt, 2000 + hour / 4)
    const guest = session(invited.record, 3000).session.record
    assert.strictEqual(guest.expiresAt, 2 * hour)
    assert.strictEqual(value(made(guest, null)).record.expiresAt, 2 * hour)
    assert.strictEqual(refusal(made(guest, 2 * hour + 1))._tag, "InvalidInput")
    assert.sameMembers(
      ApiKey.endingWith(inviter.record, [inviter.record, guest], 3000).map((each) => each.id),
      [inviter.record.id, guest.id],
    )
  })
})
