import { assert, describe, it } from "@effect/vitest"
import * as Conflict from "@florin/core/domain/ground/Conflict"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const partnerId = PartnerId.PartnerId.make("prtn_1")
const as = {
  id: MerchantId.MerchantId.make("mrch_Ab1"),
  partnerId,
  mode: "live",
  now: 1000,
} as const
const input = { name: "Corner Shop", email: "shop@example.com" }
const shop = value(Merchant.create(input, as))

const issuesOf = (result: Result.Result<unknown, { readonly issues: ReadonlyArray<unknown> }>) =>
  Result.match(result, { onFailure: (error) => [...error.issues], onSuccess: () => [] })

const nameIssue = { field: "merchantName", message: "must have 1 to 256 characters" }
const emailForm = {
  field: "merchantEmail",
  message: "must be an email address, such as shop@example.com",
}
const emailLength = { field: "merchantEmail", message: "must have at most 254 characters" }
const iconIssue = { field: "iconUrl", message: "a URL must begin with https://" }

describe("Merchant ids", () => {
  it.each([
    ["prtn_", Schema.is(PartnerId.PartnerId)],
    ["mrch_", Schema.is(MerchantId.MerchantId)],
  ] as const)("are %s and 1 to 64 letters or digits", (prefix, isId) => {
    for (const tail of ["0", "aZ9", "a".repeat(64)]) {
      assert.isTrue(isId(prefix + tail), tail)
    }
    for (const bad of ["", "a".repeat(65), "a_b", "a-", "a\n", "\uff11"]) {
      assert.isFalse(isId(prefix + bad), bad)
    }
    for (const bad of [`x${prefix}a`, "pay_a", prefix.toUpperCase() + "a"]) {
      assert.isFalse(isId(bad), bad)
    }
  })
})

const partnerNamed = (name: string) =>
  issuesOf(Merchant.createPartner({ id: partnerId, name, feeTerms: Fees.none }))

describe("Merchant.createPartner", () => {
  it("pins the newest stable version by default, and refuses previews", () => {
    const partner = { id: partnerId, name: "Acme", feeTerms: Fees.none }
    assert.deepEqual(value(Merchant.createPartner(partner)), {
      ...partner,
      versionPin: "2026-02-18",
    })
    const versionPin = "2026-02-18"
    assert.deepEqual(value(Merchant.createPartner({ ...partner, versionPin })), {
      ...partner,
      versionPin,
    })
    assert.deepEqual(
      issuesOf(Merchant.createPartner({ ...partner, versionPin: "2026-02-19.preview" })),
      [
        {
          field: "versionPin",
          message:
            "must not be a preview: pin 2026-02-18, and ask for a preview in the header of a request",
        },
      ],
    )
  })

  it("refuses an invalid name", () => {
    assert.deepEqual(partnerNamed(""), [
      { field: "name", message: "must have 1 to 256 characters" },
    ])
    assert.deepEqual(partnerNamed("a".repeat(256)), [])
    assert.strictEqual(partnerNamed("a".repeat(257)).length, 1)
  })
})

const merchantNamed = (name: string) => issuesOf(Merchant.create({ ...input, name }, as))

const local64 = "l".repeat(64)
const label63 = "d".repeat(63)
/** An email of so many characters, whose parts are as long as they may be. */
const emailOf = (length: number) =>
  `${[`${local64}@${label63}`, label63].join(".")}.${"e".repeat(length - 195)}.f`

describe("Merchant.create", () => {
  it("makes an active merchant without an icon", () => {
    assert.deepEqual(shop, {
      id: as.id,
      partnerId,
      mode: "live",
      name: "Corner Shop",
      email: "shop@example.com",
      iconUrl: null,
      status: "active",
      createdAt: 1000,
      deletedAt: null,
    })
    assert.deepEqual(value(Schema.decodeUnknownResult(Merchant.Merchant)(shop)), shop)
  })

  it("keeps the texts exactly as they were sent", () => {
    const sent = {
      name: " Café <b> 😀 ",
      email: "Shop+A@Example.COM",
      iconUrl: "https://Example.com/I.png?a=%20",
    }
    const created = value(Merchant.create(sent, { ...as, mode: "test" }))
    assert.deepEqual({ ...created }, { ...shop, ...sent, mode: "test" })
    assert.isNull(value(Merchant.create({ ...input, iconUrl: null }, as)).iconUrl)
  })

  it("reports every issue together, with the field names of the API", () => {
    const bad = { name: "", email: "shop", iconUrl: "http://example.com/i.png" }
    const error = refusal(Merchant.create(bad, as))
    assert.strictEqual(error._tag, "InvalidInput")
    assert.deepEqual([...error.issues], [nameIssue, emailForm, iconIssue])
  })

  it("stores its color in lower case, and its origins as browsers print them, each once", () => {
    const created = value(
      Merchant.create(
        {
          ...input,
          brandColor: "#1F6FEB",
          supportEmail: "Help@shop.example",
          supportUrl: "https://Shop.example/help",
          checkoutOrigins: [
            "https://SHOP.example:443",
            "https://shop.example",
            "https://b.example",
          ],
        },
        as,
      ),
    )
    assert.deepStrictEqual(created, {
      ...shop,
      brandColor: "#1f6feb",
      supportEmail: "Help@shop.example",
      supportUrl: "https://Shop.example/help",
      checkoutOrigins: ["https://shop.example", "https://b.example"],
    })
    const nothing = { brandColor: null, supportEmail: null, supportUrl: null }
    for (const checkoutOrigins of [null, []]) {
      assert.deepStrictEqual(
        value(Merchant.create({ ...input, ...nothing, checkoutOrigins }, as)),
        shop,
      )
    }
  })

  it("accepts an origin on a developer's machine only for test merchants", () => {
    const local = { ...input, checkoutOrigins: ["http://localhost:3000"] }
    assert.deepStrictEqual(
      value(Merchant.create(local, { ...as, mode: "test" })).checkoutOrigins,
      local.checkoutOrigins,
    )
    assert.deepStrictEqual(issuesOf(Merchant.create(local, as)), [
      { field: "checkoutOrigins[0]", message: "a URL must begin with https://" },
    ])
  })

  it("accepts names of 1 to 256 characters", () => {
    assert.deepEqual(merchantNamed("a"), [])
    assert.deepEqual(merchantNamed("😀".repeat(256)), [])
    assert.deepEqual(merchantNamed("😀".repeat(257)), [nameIssue])
    assert.deepEqual(merchantNamed("a\0"), [
      {
        field: "merchantName",
        message: "must not contain control characters, line breaks or text-direction overrides",
      },
    ])
  })

  it.each([
    "a@b.co",
    "a.b-c+d@e-f.gh",
    "!#$%&'*+/=?^_`{|}~@a.b",
    "A@B.C",
    "1@2.3x",
    "a@a.b.c.d.e",
    `${local64}@a.b`,
    `a@${"d".repeat(63)}.e`,
    `${local64}@a.b.c.d.e.f`,
  ])("accepts the email %s", (email) => {
    assert.deepEqual(issuesOf(Merchant.create({ ...input, email }, as)), [])
  })

  const forms = [
    "a @ a@ @a.b a@b a@b. a@.b a@b..c .a@b.c a.@b.c a..b@b.c a@-b.c a@b-.c a@b.-c a@b.c- a@b@c.d",
    `a@b_c.d a@[127.0.0.1] "a"@b.c a,b@c.d a@b,c.d <a@b.c> l${local64}@a.b a@d${label63}.e`,
  ]
  const letters = [
    "",
    "a b@c.d",
    " a@b.c",
    "a@b.c\n",
    "a@b.c\0",
    "ä@b.c",
    "a@b\u3002c",
    "\u212a@b.c",
  ]
  it.each([...forms.flatMap((each) => each.split(" ")), ...letters])(
    "refuses the email %j",
    (email) => {
      assert.deepEqual(issuesOf(Merchant.create({ ...input, email }, as)), [emailForm])
    },
  )

  it("accepts emails of at most 254 characters", () => {
    assert.strictEqual(emailOf(254).length, 254)
    assert.deepEqual(issuesOf(Merchant.create({ ...input, email: emailOf(254) }, as)), [])
    assert.deepEqual(issuesOf(Merchant.create({ ...input, email: emailOf(255) }, as)), [
      emailLength,
    ])
  })

  it.prop(
    "refuses hostile text quickly",
    [HostileText.near(["shop@example.com", "https://example.com/i.png", "Shop"])],
    ([text]) => {
      const created = Merchant.create({ name: text, email: text, iconUrl: text }, as)
      if (Result.isFailure(created)) assert.strictEqual(created.failure._tag, "InvalidInput")
      else assert.fail("no text is an email and a URL")
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("Merchant.update", () => {
  const withIcon = { ...shop, iconUrl: "https://example.com/i.png" }

  it("changes the given fields and keeps the rest", () => {
    assert.deepEqual(value(Merchant.update(withIcon, { name: "B" })), { ...withIcon, name: "B" })
    assert.deepEqual(value(Merchant.update(withIcon, { email: "b@b.b" })), {
      ...withIcon,
      email: "b@b.b",
    })
    assert.deepEqual(value(Merchant.update(shop, { iconUrl: "https://a.b" })), {
      ...shop,
      iconUrl: "https://a.b",
    })
    assert.deepEqual(value(Merchant.update(withIcon, { iconUrl: null })), shop)
  })

  const faced = {
    ...shop,
    brandColor: "#1f6feb",
    supportEmail: "help@shop.example",
    supportUrl: "https://shop.example/help",
    checkoutOrigins: ["https://shop.example"],
  }

  it.each(["brandColor", "supportEmail", "supportUrl", "checkoutOrigins"] as const)(
    "sets %s, keeps it during other changes, and removes it with null",
    (field) => {
      const { [field]: _, ...without } = faced
      assert.deepStrictEqual(value(Merchant.update(without, { [field]: faced[field] })), faced)
      assert.deepStrictEqual(value(Merchant.update(faced, { [field]: null })), without)
      assert.deepStrictEqual(value(Merchant.update(without, { [field]: null })), without)
      assert.deepStrictEqual(value(Merchant.update(faced, { iconUrl: null })), faced)
    },
  )

  it("names the wrong origin, and accepts 10 of them", () => {
    const origins = (count: number) =>
      Array.from({ length: count }, (__, at) => `https://shop${at}.example`)
    const fieldsOf = (checkoutOrigins: ReadonlyArray<string>) =>
      Result.match(Merchant.checkPatch({ checkoutOrigins }, "live"), {
        onFailure: ({ issues }) => issues.map(({ field }) => field),
        onSuccess: () => [],
      })
    assert.deepStrictEqual(fieldsOf(origins(10)), [])
    assert.deepStrictEqual(fieldsOf(origins(11)), ["checkoutOrigins"])
    assert.deepStrictEqual(fieldsOf(["https://shop.example", "*", "https://shop.example/"]), [
      "checkoutOrigins[1]",
      "checkoutOrigins[2]",
    ])
  })

  it("requires at least one field", () => {
    assert.deepEqual(issuesOf(Merchant.update(shop, {})), [
      {
        field: "body",
        message:
          "must hold at least one of merchantName, merchantEmail, iconUrl, brandColor, supportEmail, supportUrl and checkoutOrigins",
      },
    ])
  })

  it("reports issues of the given fields only", () => {
    assert.deepEqual(issuesOf(Merchant.update(shop, { name: "" })), [nameIssue])
    assert.deepEqual(issuesOf(Merchant.update(shop, { email: "" })), [emailForm])
    assert.deepEqual(issuesOf(Merchant.update(shop, { iconUrl: "http://a.b" })), [iconIssue])
    assert.deepEqual(
      issuesOf(Merchant.update(shop, { name: "", email: "", iconUrl: "http://a.b" })),
      [nameIssue, emailForm, iconIssue],
    )
    assert.deepEqual(
      issuesOf(
        Merchant.update(shop, {
          brandColor: "red",
          supportEmail: "help",
          supportUrl: "javascript:alert(1)",
        }),
      ),
      [
        { field: "brandColor", message: "must be a color, such as #1f6feb" },
        { ...emailForm, field: "supportEmail" },
        { field: "supportUrl", message: "a URL begins with https:// in lower case" },
      ],
    )
  })

  it("does not restore a deleted merchant", () => {
    const deleted = Merchant.remove(shop, 5)
    assert.strictEqual(value(Merchant.update(deleted, { name: "B" })).deletedAt, 5)
  })
})

describe("Merchant.review", () => {
  const required = { approval: "always", now: 5 } as const
  const free = { approval: "alike", now: 5 } as const
  const trusting = { approval: "never", now: 5 } as const
  const harmless: Merchant.Compared = { likenesses: ["ours"], isAlike: false }
  const alike: Merchant.Compared = { likenesses: ["theirs"], isAlike: true }
  const look = { name: shop.name, iconUrl: null }
  const { likenesses } = harmless
  const renamed = { ...shop, name: "PayPaI" }

  it.each([
    ["required", required, harmless, { isAlike: false, approved: null }],
    ["required", required, alike, { isAlike: true, approved: null }],
    ["free", free, alike, { isAlike: true, approved: null }],
    ["free", free, harmless, null],
    ["never asked for", trusting, alike, null],
  ] as const)(
    "S21: a new merchant waits for approval or not under the setting %s",
    (_, asked, compared, waits) => {
      const created = Merchant.review(null, shop, compared, asked)
      assert.deepStrictEqual(created, {
        ...shop,
        likenesses: compared.likenesses,
        ...(waits !== null && { waiting: { since: 5, ...waits } }),
      })
      assert.strictEqual(Merchant.mustBeApproved(created), waits !== null)
      assert.deepStrictEqual(Merchant.lookOf(created), look)
    },
  )

  it("S21: a test merchant never waits for approval", () => {
    const test = { ...shop, mode: "test" } as const
    assert.deepStrictEqual(Merchant.review(null, test, null, required), test)
    assert.deepStrictEqual(Merchant.review(test, renamed, alike, required).mode, "live")
  })

  it("S21: a new name that looks like another merchant's waits for approval, unless approval is off", () => {
    for (const asked of [required, free]) {
      const changed = Merchant.review(shop, renamed, alike, asked)
      assert.deepStrictEqual(changed.waiting, { since: 5, isAlike: true, approved: look })
      assert.isTrue(Merchant.mustBeApproved(changed))
      assert.deepStrictEqual(Merchant.lookOf(changed), look)
    }
  })

  it.each([
    ["name", { ...shop, name: "Corner Bar" }, harmless],
    ["icon", { ...shop, iconUrl: "https://a.example/i.png" }, null],
    ["address for help", { ...shop, supportEmail: "help@a.example" }, null],
    ["page for help", { ...shop, supportUrl: "https://a.example/help" }, null],
  ] as const)(
    "S21: an honest new %s is shown once it is approved, and payments continue",
    (_, to, seen) => {
      const waiting = Merchant.review(shop, to, seen, required)
      assert.deepStrictEqual(waiting.waiting, { since: 5, isAlike: false, approved: look })
      assert.isFalse(Merchant.mustBeApproved(waiting))
      assert.deepStrictEqual(Merchant.lookOf(waiting), look)
      const approved = value(Merchant.approve(waiting, to))
      assert.isUndefined(approved.waiting)
      const { iconUrl, name, supportEmail, supportUrl }: Merchant.Merchant = to
      assert.deepStrictEqual(Merchant.lookOf(approved), {
        name,
        iconUrl,
        ...(supportEmail !== undefined && { supportEmail }),
        ...(supportUrl !== undefined && { supportUrl }),
      })
      assert.isUndefined(Merchant.review(shop, to, seen, free).waiting)
    },
  )

  it("S21: a new color and new origins need no approval", () => {
    const approved = { ...shop, supportEmail: "help@shop.example" }
    const own = { brandColor: "#1f6feb", checkoutOrigins: ["https://shop.example"] }
    const colored = Merchant.review(approved, { ...approved, ...own }, null, required)
    assert.isUndefined(colored.waiting)
    const waiting = Merchant.review(
      approved,
      { ...approved, ...own, supportEmail: "thief@a.example" },
      null,
      required,
    )
    assert.deepStrictEqual(Merchant.faceOf(waiting), {
      ...look,
      supportEmail: "help@shop.example",
      ...own,
    })
  })

  it("S21: further changes keep the approved look and the time since when it waits", () => {
    const flagged = Merchant.review(shop, renamed, alike, free)
    const withIcon = { ...flagged, iconUrl: "https://a.example/i.png" }
    const again = Merchant.review(flagged, withIcon, null, { ...free, now: 9 })
    assert.deepStrictEqual(again.waiting, flagged.waiting)
    const created = Merchant.review(null, shop, harmless, required)
    const changed = Merchant.review(created, { ...created, name: "Bar" }, harmless, required)
    assert.deepStrictEqual(changed.waiting, created.waiting)
  })

  it("S21: a merchant stops waiting if it returns to its approved look, or needs no approval any more", () => {
    const flagged = Merchant.review(shop, renamed, alike, required)
    const back = Merchant.review(flagged, { ...flagged, name: shop.name }, alike, required)
    assert.deepStrictEqual(back, { ...shop, likenesses: alike.likenesses })
    const created = Merchant.review(null, shop, alike, free)
    const honest = Merchant.review(created, { ...created, name: "Bar" }, harmless, free)
    assert.deepStrictEqual(honest, { ...shop, name: "Bar", likenesses })
    const same = Merchant.review(created, { ...created, iconUrl: null }, null, free)
    assert.deepStrictEqual(same, created)
  })
})

describe("Merchant.approve", () => {
  it("S21: approves only the look that the operator saw", () => {
    const waiting = Merchant.review(null, shop, null, { approval: "always", now: 5 } as const)
    const look = { name: shop.name, iconUrl: shop.iconUrl }
    for (const other of [
      { ...look, name: "Shop" },
      { ...look, iconUrl: "https://a.example/i.png" },
      { ...look, supportEmail: "help@a.example" },
      { ...look, supportUrl: "https://a.example/help" },
    ]) {
      assert.instanceOf(refusal(Merchant.approve(waiting, other)), Conflict.Conflict)
    }
    assert.deepStrictEqual(value(Merchant.approve(waiting, look)), shop)
    assert.deepStrictEqual(value(Merchant.approve(shop, look)), shop)
  })
})

describe("Merchant.remove", () => {
  it("stores the time of the first deletion", () => {
    const removed = Merchant.remove(shop, 2000)
    assert.deepEqual(removed, { ...shop, deletedAt: 2000 })
    assert.strictEqual(Merchant.remove(removed, 3000), removed)
    assert.strictEqual(Merchant.remove({ ...shop, deletedAt: 0 }, 3000).deletedAt, 0)
  })
})

describe("Merchant.takesPayments", () => {
  it.each([
    [true, "active", null],
    [false, "inactive", null],
    [false, "suspended", null],
    [false, "active", 0],
    [false, "inactive", 5],
  ] as const)(
    "is %s for a merchant that is %s, and was deleted at %s",
    (expected, status, deletedAt) => {
      const merchant = Merchant.setStatus({ ...shop, deletedAt }, status)
      assert.strictEqual(merchant.status, status)
      assert.strictEqual(Merchant.takesPayments(merchant), expected)
    },
  )
})

const partner = value(Merchant.createPartner({ id: partnerId, name: "Acme", feeTerms: Fees.none }))

describe("Merchant.take", () => {
  it.each(["active", "inactive"] as const)(
    "S18: resumes a suspended merchant with the status that it had: %s",
    (status) => {
      const before = Merchant.setStatus(shop, status)
      const suspended = Merchant.take(before, "suspend", 5)
      assert.isFalse(Merchant.takesPayments(suspended))
      assert.deepStrictEqual(Merchant.take(suspended, "resume", 6), before)
    },
  )

  it("accepts no new payments for a suspended merchant", () => {
    const suspended = Merchant.take(shop, "suspend", 2000)
    assert.deepStrictEqual(suspended, { ...shop, status: "suspended" })
    assert.isFalse(Merchant.takesPayments(suspended))
  })

  it("freezes since the first time, and unfreezes without a trace", () => {
    const frozen = Merchant.take(shop, "freeze", 2000)
    assert.deepStrictEqual(frozen, { ...shop, frozenAt: 2000 })
    assert.isTrue(Merchant.takesPayments(frozen), "it still takes payments")
    assert.strictEqual(Merchant.take(frozen, "freeze", 3000), frozen)
    assert.deepStrictEqual(Merchant.take(frozen, "unfreeze", 3000), shop)
    assert.deepStrictEqual(Merchant.take(shop, "unfreeze", 3000), shop)
  })
})

describe("Merchant.takeOfPartner", () => {
  it.each([
    ["suspend", "resume", "suspendedAt"],
    ["freeze", "unfreeze", "frozenAt"],
  ] as const)("%s keeps the first time, and %s reverses it", (measure, back, field) => {
    const measured = Merchant.takeOfPartner(partner, measure, 2000)
    assert.deepStrictEqual(measured, { ...partner, [field]: 2000 })
    assert.strictEqual(Merchant.takeOfPartner(measured, measure, 3000), measured)
    assert.deepStrictEqual(Merchant.takeOfPartner(measured, back, 3000), partner)
    assert.deepStrictEqual(Merchant.takeOfPartner(partner, back, 3000), partner)
  })

  it("keeps the two measures independent", () => {
    const both = ["suspend", "freeze"] as const
    const measured = both.reduce((of, each) => Merchant.takeOfPartner(of, each, 2000), partner)
    assert.deepStrictEqual(Merchant.takeOfPartner(measured, "resume", 3000), {
      ...partner,
      frozenAt: 2000,
    })
    assert.deepStrictEqual(Merchant.takeOfPartner(measured, "unfreeze", 3000), {
      ...partner,
      suspendedAt: 2000,
    })
  })
})

describe("Merchant.creditOf", () => {
  const some = value(Credit.parse("1000 USD"))

  it("is the partner's credit in that mode, or the service's default", () => {
    const defaults: Credit.ByMode = { test: Credit.unlimited, live: Credit.none }
    const granted = { ...partner, credit: { live: some } }
    assert.strictEqual(Merchant.creditOf(granted, "live", defaults), some)
    assert.strictEqual(Merchant.creditOf(granted, "test", defaults), Credit.unlimited)
    assert.strictEqual(Merchant.creditOf(partner, "live", defaults), Credit.none)
    const refused = { ...partner, credit: { test: Credit.none } }
    assert.strictEqual(Merchant.creditOf(refused, "test", defaults), Credit.none)
  })
})

describe("Merchant.matchesSearch", () => {
  const merchant = { ...shop, name: "Über 100%_Shop\\ .*" }

  it.each(["", "über", "ÜBER", "100%", "%_s", "shop\\", ".*", "MRCH_aB1", "b1", " "])(
    "finds %j",
    (text) => {
      assert.isTrue(Merchant.matchesSearch(merchant, text))
    },
  )

  it.each(["1%", "shop_", "a.*", "^", "mrch-", "uber", "100%_shop\\ .*mrch", "\\\\", "%%%"])(
    "does not find %j",
    (text) => {
      assert.isFalse(Merchant.matchesSearch(merchant, text))
    },
  )
})

describe("Merchant.isListed", () => {
  it("leaves out deleted merchants, and merchants that a filter excludes", () => {
    assert.isTrue(Merchant.isListed(shop, {}))
    assert.isFalse(Merchant.isListed(Merchant.remove(shop, 1), {}))
    assert.isTrue(Merchant.isListed(shop, { status: "active" }))
    assert.isFalse(Merchant.isListed(shop, { status: "inactive" }))
    assert.isTrue(Merchant.isListed(shop, { search: "corner" }))
    assert.isFalse(Merchant.isListed(shop, { search: "none" }))
    assert.isFalse(Merchant.isListed(shop, { status: "suspended", search: "corner" }))
    assert.isFalse(Merchant.isListed(shop, { status: "active", search: "none" }))
    assert.isTrue(Merchant.isListed(shop, { status: "active", search: "corner" }))
  })
})

const item = (id: string, createdAt: number) => ({ id: MerchantId.MerchantId.make(id), createdAt })

describe("Merchant.newestFirst", () => {
  it("sorts by time, then by id, both descending", () => {
    const sorted = [
      item("mrch_a", 3),
      item("mrch_b", 2),
      item("mrch_a", 2),
      item("mrch_Z", 2),
      item("mrch_z", 1),
    ]
    assert.deepEqual(sorted.toReversed().toSorted(Merchant.newestFirst), sorted)
    assert.deepEqual(sorted.toSorted(Merchant.newestFirst), sorted)
    assert.strictEqual(Merchant.newestFirst(item("mrch_a", 1), item("mrch_a", 1)), 0)
    assert.strictEqual(Merchant.newestFirst(item("mrch_a", 1), item("mrch_b", 1)), 1)
    assert.strictEqual(Merchant.newestFirst(item("mrch_b", 1), item("mrch_a", 1)), -1)
  })
})
