import { createHash, createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Event from "@florin/core/domain/payment/Event"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as SignedCall from "@florin/testing/SignedCall"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const bytes = (length: number, seed = 1) =>
  Uint8Array.from({ length }, (_, index) => (seed + index * 11) % 256)
const secret = value(Webhook.makeSecret(bytes(32)))
const newSecret = value(Webhook.makeSecret(bytes(32, 2)))
const sealed = Webhook.sealedOf(bytes(80))
const day = 24 * 60 * 60 * 1000

const isPrivateHost = "the host is private, local or reserved: use one that the internet can reach"
const strict = { allowPrivate: false }
const lenient = { allowPrivate: true }

describe("Webhook ids", () => {
  it.each([
    ["whk_", Schema.is(Webhook.EndpointId)],
    ["dlv_", Schema.is(Webhook.DeliveryId)],
  ] as const)("are %s and 1 to 64 letters or digits", (prefix, isId) => {
    for (const tail of ["0", "aZ9", "a".repeat(64)]) {
      assert.isTrue(isId(prefix + tail), tail)
    }
    for (const bad of ["", "a".repeat(65), "a_b", "a-", "a\n"]) {
      assert.isFalse(isId(prefix + bad), bad)
    }
    assert.isFalse(isId(`x${prefix}a`))
  })
})

describe("Webhook.parseUrl", () => {
  it.each([
    "https://example.com/hook",
    "https://hooks.example.com:8443/a?b=c",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://134744072/",
  ])("accepts %s with and without private addresses allowed", (url) => {
    assert.isTrue(Result.isSuccess(Webhook.parseUrl(url, strict)))
    assert.isTrue(Result.isSuccess(Webhook.parseUrl(url, lenient)))
  })

  // The blocks of addresses are tried in WebUrl's own tests.
  const hosts = [
    "localhost:3000 printer.local 127.0.0.1 0x7f.1 2130706433 0177.0.0.1 0 10.0.0.1 192.168.1.1",
    "169.254.169.254 0xa9fea9fe [::] [::1] [::127.0.0.1] [::ffff:7f00:1] [fe80::1] [2001:db8::1]",
  ]
  it.each(hosts.flatMap((each) => each.split(" ")))(
    "refuses the private host %s by default, and allows it over http if private addresses are allowed",
    (host) => {
      for (const scheme of ["https", "http"]) {
        const url = `${scheme}://${host}/hook`
        const error = refusal(Webhook.parseUrl(url, strict))
        assert.strictEqual(error._tag, "Malformed")
        assert.strictEqual(error.message, isPrivateHost)
        assert.strictEqual(value(Webhook.parseUrl(url, lenient)).scheme, scheme)
      }
    },
  )

  it("refuses http to public hosts, always", () => {
    for (const policy of [strict, lenient]) {
      assert.strictEqual(
        refusal(Webhook.parseUrl("http://example.com/hook", policy)).message,
        "a URL must begin with https://",
      )
    }
  })

  it("refuses texts that are not URLs, and URLs with user information", () => {
    for (const policy of [strict, lenient]) {
      assert.strictEqual(
        refusal(Webhook.parseUrl("https://a@example.com", policy)).message,
        "a URL must not contain a user name or password",
      )
      assert.isTrue(Result.isFailure(Webhook.parseUrl("hook", policy)))
    }
  })

  it.prop(
    "accepts no URL that a browser would open on a private host",
    [
      HostileText.near([
        "https://127.0.0.1/",
        "https://0x7f.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://localhost:80/",
        "https://example.com/",
      ]),
    ],
    ([text]) => {
      const parsed = Webhook.parseUrl(text, strict)
      if (Result.isFailure(parsed)) assert.strictEqual(parsed.failure._tag, "Malformed")
      else {
        const { hostname } = new URL(text)
        const isNumeric = /^(?:\[.*\]|[0-9.]+)$/u.test(hostname)
        if (isNumeric) assert.isTrue(Webhook.isPublicAddress(hostname.replace(/[[\]]/gu, "")))
        else assert.notMatch(hostname, /(?:^|\.)localhost$/u)
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("Webhook.isPublicAddress", () => {
  it.each(["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])("accepts %s", (text) => {
    assert.isTrue(Webhook.isPublicAddress(text))
  })

  it.each([
    "127.0.0.1",
    "::ffff:10.1.2.3",
    "fe80::1%eth0",
    "",
    "example.com",
    "134744072",
    "[::1]",
  ])("refuses %j", (text) => {
    assert.isFalse(Webhook.isPublicAddress(text))
  })
})

describe("Webhook secrets", () => {
  it("have 24 to 64 bytes", () => {
    for (const length of [24, 25, 26, 32, 64]) {
      const made = value(Webhook.makeSecret(bytes(length)))
      assert.strictEqual(made, `whsec_${Buffer.from(bytes(length)).toString("base64")}`)
      assert.strictEqual(value(Webhook.parseSecret(made)), made)
      assert.strictEqual(value(Schema.decodeUnknownResult(Webhook.Secret)(made)), made)
    }
    for (const length of [0, 23, 65]) {
      const text = `whsec_${Buffer.from(bytes(length)).toString("base64")}`
      for (const made of [Webhook.makeSecret(bytes(length)), Webhook.parseSecret(text)]) {
        const { _tag, message } = refusal(made)
        assert.strictEqual(_tag, "Malformed")
        assert.strictEqual(message, "a webhook secret is whsec_ and the base64 of 24 to 64 bytes")
      }
    }
  })

  const encoded = Buffer.from(bytes(32)).toString("base64")
  it.prop(
    "are whsec_ and canonical base64 of 24 to 64 bytes, and no hostile text",
    [HostileText.near([secret, `whsec_${encoded.slice(0, -2)}9=`, `whsec_${"A".repeat(32)}`])],
    ([text]) => {
      const decoded = Buffer.from(text.slice(6), "base64")
      const isSecret =
        text === `whsec_${decoded.toString("base64")}` &&
        decoded.length >= 24 &&
        decoded.length <= 64
      assert.strictEqual(Result.isSuccess(Webhook.parseSecret(text)), isSecret)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("Webhook stored secrets", () => {
  it("S30: are sealed by the vault", () => {
    for (const length of [1, 31, 32, 33, 200]) {
      const stored = Webhook.sealedOf(bytes(length))
      assert.match(stored, /^sealed_[0-9A-Za-z+/]+={0,2}$/u)
      assert.deepStrictEqual(value(Webhook.sealedBytes(stored)), Uint8Array.from(bytes(length)))
    }
    const decode = Schema.decodeUnknownResult(Webhook.Endpoint.fields.secrets)
    const { current } = value(decode({ current: "sealed_A", previous: null }))
    assert.strictEqual(refusal(Webhook.sealedBytes(current))._tag, "Malformed")
    for (const other of ["", "sealed_", "sealed_-", "secret", "Sealed_AAAA", secret]) {
      assert.isTrue(Result.isFailure(decode({ current: other, previous: null })), other)
    }
  })
})

const endpointInput = {
  id: Webhook.EndpointId.make("whk_1"),
  partnerId: PartnerId.PartnerId.make("prtn_1"),
  mode: "live",
  url: "https://example.com/hook",
  secret: sealed,
} as const
const endpoint = value(Webhook.createEndpoint(endpointInput, strict, 1000))

const issuesOf = (changes: object, policy = strict) =>
  Result.match(Webhook.createEndpoint({ ...endpointInput, ...changes }, policy, 1000), {
    onFailure: (error) => [...error.issues],
    onSuccess: () => [],
  })

const notice = (type: Event.EventType = "payment.created", createdAt = 5000): Event.Notice => ({
  id: "evt_1",
  type,
  stateVersion: 0,
  createdAt,
})

describe("Webhook.createEndpoint", () => {
  it("subscribes to all event types, including future ones, unless some are chosen", () => {
    assert.deepEqual(endpoint, {
      id: endpointInput.id,
      partnerId: endpointInput.partnerId,
      mode: "live",
      url: endpointInput.url,
      types: "all",
      secrets: { current: sealed, previous: null },
      createdAt: 1000,
      disabledAt: null,
    })
    assert.deepEqual(value(Schema.decodeUnknownResult(Webhook.Endpoint)(endpoint)), endpoint)
  })

  it("keeps each chosen type once", () => {
    const types = ["refund.held", "payment.created", "refund.held"]
    const chosen = value(Webhook.createEndpoint({ ...endpointInput, types }, strict, 1000))
    assert.deepEqual(chosen.types, ["payment.created", "refund.held"])
    assert.isTrue(Webhook.wants(chosen, notice("payment.created")))
    assert.isFalse(Webhook.wants(chosen, notice("payment.failed")))
  })

  it("keeps a list of all types as a list", () => {
    const types = Event.eventTypes
    const chosen = value(Webhook.createEndpoint({ ...endpointInput, types }, strict, 1000))
    assert.deepEqual(chosen.types, types)
  })

  it("keeps the chosen API version, and refuses other texts", () => {
    const version = "2026-02-18"
    const named = value(Webhook.createEndpoint({ ...endpointInput, version }, strict, 1000))
    assert.deepEqual(named, { ...endpoint, version })
    assert.deepEqual(value(Schema.decodeUnknownResult(Webhook.Endpoint)(named)), named)
    assert.strictEqual(Webhook.withoutSecrets(named).version, version)
    // Of an earlier release, which kept previews.
    const previewed = { ...endpoint, version: "2026-02-19.preview" } as const
    assert.deepEqual(value(Schema.decodeUnknownResult(Webhook.Endpoint)(previewed)), previewed)
    for (const bad of ["", "2026-02-17", "newest", "2026-02-19.preview"]) {
      assert.deepEqual(
        issuesOf({ version: bad }).map(({ field }) => field),
        ["version"],
      )
    }
  })

  it("reports every issue together", () => {
    const known = `must be one of ${Event.eventTypes.join(", ")}`
    assert.deepEqual(
      issuesOf({ url: "https://10.0.0.1/", types: ["payment.created", "x", "__proto__"] }),
      [
        { field: "url", message: isPrivateHost },
        { field: "types[1]", message: known },
        { field: "types[2]", message: known },
      ],
    )
    assert.deepEqual(issuesOf({ types: [] }), [
      { field: "types", message: "must name at least one event type" },
    ])
    assert.deepEqual(issuesOf({ url: "https://10.0.0.1/" }, lenient), [])
  })
})

describe("Webhook.changeEndpoint", () => {
  it("changes only the given fields", () => {
    const change = (wanted: Webhook.Wanted, from = endpoint) =>
      value(Webhook.changeEndpoint(from, wanted, strict))
    const url = "https://other.example.com/"
    assert.deepEqual(change({ url }), { ...endpoint, url })
    const chosen = change({ types: ["refund.held"], version: "2026-02-18" })
    assert.deepEqual(chosen, { ...endpoint, types: ["refund.held"], version: "2026-02-18" })
    assert.deepEqual(change({ types: null }, chosen), { ...chosen, types: "all" })
    assert.deepEqual(change({ version: null }, chosen), { ...endpoint, types: ["refund.held"] })
  })

  it("keeps a preview version of an earlier release, and a URL that is private now", () => {
    const old = { ...endpoint, url: "https://10.0.0.1/", version: "2026-02-19.preview" } as const
    const changed = value(Webhook.changeEndpoint(old, { types: null }, strict))
    assert.deepEqual(changed, { ...old, types: "all" })
  })

  it("refuses what a new endpoint refuses, and a change without fields", () => {
    const fields = (wanted: Webhook.Wanted) =>
      refusal(Webhook.changeEndpoint(endpoint, wanted, strict)).issues.map(({ field }) => field)
    const wrong = { url: "https://10.0.0.1/", types: ["payment.created", "x"], version: "soon" }
    assert.deepEqual(fields(wrong), ["url", "types[1]", "version"])
    assert.deepEqual(fields({ version: "2026-02-19.preview" }), ["version"])
    assert.deepEqual(fields({ types: [] }), ["types"])
    assert.deepEqual(fields({}), ["body"])
  })
})

describe("Webhook.readRange", () => {
  const begin = "2026-02-18T00:00:00Z"
  const at = Date.UTC(2026, 1, 18)
  const read = (from: string, to?: string) => Webhook.readRange({ from, to }, at + day)

  it("is from one time to another, or until now", () => {
    assert.deepEqual(value(read(begin, "2026-02-18T00:00:01Z")), { from: at, before: at + 1000 })
    assert.deepEqual(value(read(begin)), { from: at, before: at + day })
  })

  it("is longer than 0, and at most 31 days", () => {
    const field = (from: string, to?: string) =>
      refusal(read(from, to)).issues.map((each) => each.field)
    assert.deepEqual(value(read(begin, "2026-03-21T00:00:00Z")).before - at, 31 * day)
    assert.deepEqual(field(begin, "2026-03-21T00:00:00.001Z"), ["to"])
    assert.deepEqual(field(begin, begin), ["to"])
    assert.deepEqual(field("2026-02-19T00:00:00Z"), ["to"])
    assert.deepEqual(field("soon"), ["from"])
    assert.deepEqual(field(begin, "soon"), ["to"])
  })
})

describe("Webhook.withoutSecrets", () => {
  it("lists an endpoint without its secrets", () => {
    const { secrets, ...listed } = endpoint
    assert.strictEqual(secrets.current, sealed)
    assert.deepEqual<object>(Webhook.withoutSecrets(endpoint), listed)
    assert.notInclude(JSON.stringify(Webhook.withoutSecrets(endpoint)), "whsec_")
  })
})

const many = (count: number) => Array.from({ length: count }, () => endpoint)

describe("Webhook.mayAdd", () => {
  it("limits how many endpoints of a partner are enabled", () => {
    const max = Limits.webhookEndpointsMax
    assert.isTrue(Result.isSuccess(Webhook.mayAdd([])))
    assert.isTrue(Result.isSuccess(Webhook.mayAdd(many(max - 1))))
    assert.deepEqual(
      [...refusal(Webhook.mayAdd(many(max))).issues],
      [{ field: "url", message: `there are ${max} endpoints already: disable one first` }],
    )
    const disabled = Webhook.disable(endpoint, 2000)
    assert.isTrue(Result.isSuccess(Webhook.mayAdd([...many(max - 1), disabled, disabled])))
  })
})

describe("Webhook.disable", () => {
  it("stops all events, once", () => {
    const disabled = Webhook.disable(endpoint, 2000)
    assert.deepEqual(disabled, { ...endpoint, disabledAt: 2000 })
    assert.strictEqual(Webhook.disable(disabled, 3000), disabled)
    assert.strictEqual(Webhook.disable({ ...endpoint, disabledAt: 0 }, 3000).disabledAt, 0)
    assert.isTrue(Webhook.wants(endpoint, notice()))
    assert.isFalse(Webhook.wants(disabled, notice()))
    assert.isFalse(Webhook.wants({ ...endpoint, disabledAt: 0 }, notice()))
  })
})

describe("Webhook.wants", () => {
  it("is true for every type if the endpoint subscribes to all", () => {
    for (const type of Event.eventTypes) {
      assert.isTrue(Webhook.wants(endpoint, notice(type)))
      assert.isFalse(Webhook.wants({ ...endpoint, types: [] }, notice(type)))
    }
  })

  it("is false for events before the endpoint was created, except for clock drift", () => {
    const later = { ...endpoint, createdAt: 10_000 }
    for (const [createdAt, isWanted] of [
      [20_000, true],
      [10_000, true],
      [10_000 - Limits.clockDriftMaxInMs, true],
      [10_000 - Limits.clockDriftMaxInMs - 1, false],
      [0, false],
    ] as const) {
      assert.strictEqual(Webhook.wants(later, notice("payment.failed", createdAt)), isWanted)
    }
  })
})

const signature = (seed: number, signed: string) =>
  `v1,${createHmac("sha256", bytes(32, seed)).update(signed).digest("base64")}`

describe("Webhook.sign", () => {
  it("A7: equals the vector of the Standard Webhooks libraries", () => {
    const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64")
    assert.strictEqual(
      Webhook.sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, `{"test": 2432232314}`),
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    )
  })

  it.prop(
    "equals what node's HMAC computes",
    [Schema.String, Schema.Int, Schema.String],
    ([id, timestampInS, body]) => {
      assert.strictEqual(
        Webhook.sign(bytes(32), id, timestampInS, body),
        signature(1, `${id}.${timestampInS}.${body}`),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 10_000 }) } },
  )
})

describe("Webhook.headers", () => {
  it("contain the id, whole seconds and a signature", () => {
    assert.deepEqual(value(Webhook.headers([secret], "evt_1", "{}", 1_700_000_000_999)), {
      "webhook-id": "evt_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": signature(1, "evt_1.1700000000.{}"),
    })
  })

  it("sign with both secrets for a day after a rotation", () => {
    const next = Webhook.sealedOf(bytes(80, 2))
    const rotated = Webhook.rotateSecret(endpoint, next, 5000)
    assert.deepEqual(rotated, {
      ...endpoint,
      secrets: { current: next, previous: { secret: sealed, endsAt: 5000 + day } },
    })
    const signatures = (now: number) =>
      value(
        Webhook.headers(
          Webhook.signingSecrets(rotated.secrets, now).map((each) =>
            each === next ? newSecret : secret,
          ),
          "evt_1",
          "{}",
          now,
        ),
      )["webhook-signature"]
    const last = Math.floor((5000 + day - 1) / 1000)
    assert.strictEqual(
      signatures(5000 + day - 1),
      `${signature(2, `evt_1.${last}.{}`)} ${signature(1, `evt_1.${last}.{}`)}`,
    )
    assert.strictEqual(signatures(5000 + day), signature(2, `evt_1.${(5000 + day) / 1000}.{}`))
  })

  it("return an error if a stored secret is damaged", () => {
    const damaged = Webhook.Secret.make(`whsec_${"A".repeat(33)}`)
    const error = refusal(Webhook.headers([damaged], "e", "{}", 0))
    assert.strictEqual(error._tag, "Malformed")
    assert.strictEqual(error.message, "the endpoint's secret is damaged: rotate it")
  })
})

describe("a signed call", () => {
  const now = 1_700_000_000_000
  const body = `{"a":1}`
  const headers = value(Webhook.headers([secret], "evt_1", body, now))
  const isValid = (changes: Partial<Webhook.Headers>, text = body, key = secret) =>
    SignedCall.isValid(key, { headers: { ...headers, ...changes }, body: text }, now)

  it("is accepted by a receiver that has its secret", () => {
    assert.isTrue(isValid({}))
    const first = value(Webhook.headers([secret], "e", "", 0))
    assert.isTrue(SignedCall.isValid(secret, { headers: first, body: "" }, 0))
  })

  it("is accepted with either secret of a rotation", () => {
    const both = value(Webhook.headers([newSecret, secret], "evt_1", body, now))
    assert.isTrue(isValid(both))
    assert.isTrue(isValid(both, body, newSecret))
  })

  it("A7: is refused if anything was changed", () => {
    assert.isFalse(isValid({}, `${body} `))
    assert.isFalse(isValid({ "webhook-id": "evt_2" }))
    assert.isFalse(isValid({ "webhook-timestamp": "1700000001" }))
    assert.isFalse(isValid({}, body, newSecret))
  })
})

const failed = (at: number) => ({ at, status: 500, error: null })

describe("Webhook.deliveryId", () => {
  it("is derived from endpoint and event", () => {
    const one = Webhook.deliveryId(endpoint.id, "evt_1")
    const hash = createHash("sha256").update("whk_1\nevt_1").digest("hex")
    assert.strictEqual(one, `dlv_${hash.slice(0, 40)}`)
    assert.isTrue(Schema.is(Webhook.DeliveryId)(one))
  })

  it("differs if the endpoint or the event differs", () => {
    const ids = [
      Webhook.deliveryId(Webhook.EndpointId.make("whk_1"), "evt_1"),
      Webhook.deliveryId(Webhook.EndpointId.make("whk_1"), "evt_11"),
      Webhook.deliveryId(Webhook.EndpointId.make("whk_11"), "evt_1"),
    ]
    assert.strictEqual(new Set(ids).size, 3)
  })
})

describe("Webhook deliveries", () => {
  const partner: Merchant.Partner = {
    id: endpoint.partnerId,
    name: "Partner",
    versionPin: "2026-02-18",
    feeTerms: Fees.none,
  }
  const deliver = (...asked: Parameters<typeof Webhook.deliveryOf>) =>
    Webhook.deliveryOf(...asked) ?? assert.fail("it is not wanted")
  const delivery = deliver(notice("payment.created", 1000), endpoint, partner)

  it("are created only for events that the endpoint subscribes to", () => {
    assert.isNotNull(Webhook.deliveryOf(notice(), endpoint, partner))
    assert.isNull(Webhook.deliveryOf(notice(), { ...endpoint, disabledAt: 1000 }, partner))
  })

  const preview = "2026-02-19.preview"
  it.each([
    ["2026-02-18", "no version", "2026-02-18"],
    [preview, preview, "2026-02-18"],
    ["2026-02-18", "2026-02-18", preview],
  ] as const)(
    "use %s for an endpoint with %s and a partner pinned to %s",
    (expected, version, pin) => {
      const target = { ...endpoint, ...(version !== "no version" && { version }) }
      const made = deliver(notice(), target, { versionPin: pin })
      assert.strictEqual(made.version, expected)
    },
  )

  it("are retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, and then given up", () => {
    const seconds = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]
    assert.deepEqual(
      [...Webhook.retryDelaysInMs],
      seconds.map((each) => each * 1000),
    )
    let tried = delivery
    for (const each of seconds.slice(1)) {
      tried = Webhook.recordAttempt(tried, failed(7))
      assert.deepInclude(tried, { dueAt: 7 + each * 1000, state: "pending" })
    }
    assert.deepInclude(Webhook.recordAttempt(tried, failed(7)), { dueAt: null, state: "givenUp" })
  })

  it("are due immediately", () => {
    assert.deepEqual(delivery, {
      id: Webhook.deliveryId(endpoint.id, "evt_1"),
      endpointId: endpoint.id,
      eventId: "evt_1",
      version: "2026-02-18",
      attempts: [],
      dueAt: 1000,
      state: "pending",
    })
    assert.deepEqual(value(Schema.decodeUnknownResult(Webhook.Delivery)(delivery)), delivery)
  })

  it.each([
    [200, true],
    [204, true],
    [299, true],
    [199, false],
    [300, false],
    [301, false],
    [400, false],
    [410, false],
    [500, false],
    [null, false],
  ])(
    "are delivered with a response from 200 to 299, else retried: %s is %s",
    (status, expected) => {
      const attempt = { at: 2000, status, error: status === null ? "timeout" : null }
      assert.strictEqual(Webhook.isReceived(attempt), expected)
      assert.deepEqual(
        Webhook.recordAttempt(delivery, attempt),
        expected
          ? { ...delivery, attempts: [attempt], dueAt: null, state: "delivered" }
          : { ...delivery, attempts: [attempt], dueAt: 7000, state: "pending" },
      )
    },
  )

  it("are given up after eight attempts", () => {
    let current = delivery
    const waits: Array<number> = []
    while (current.dueAt !== null) {
      const at = current.dueAt
      current = Webhook.recordAttempt(current, failed(at))
      waits.push((current.dueAt ?? at) - at)
    }
    assert.strictEqual(current.state, "givenUp")
    assert.strictEqual(current.attempts.length, 8)
    assert.deepEqual(
      waits.map((each) => each / 1000),
      [5, 300, 1800, 7200, 18_000, 36_000, 36_000, 0],
    )
    const replayed = Webhook.replay(current, 9000)
    assert.deepEqual(replayed, { ...current, dueAt: 9000, state: "pending" })
    assert.strictEqual(Webhook.recordAttempt(replayed, failed(9000)).state, "givenUp")
    const received = Webhook.recordAttempt(replayed, { at: 9000, status: 200, error: null })
    assert.strictEqual(received.state, "delivered")
    assert.strictEqual(received.attempts.length, 9)
  })

  it("keep their attempts when they are abandoned", () => {
    const tried = Webhook.recordAttempt(delivery, failed(1000))
    assert.deepEqual(Webhook.abandon(tried), { ...tried, dueAt: null, state: "givenUp" })
  })
})
