import { assert, describe, it } from "@effect/vitest"
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Version from "@florin/core/domain/Version"
import * as DocsPage from "../src/docs/DocsPage.ts"
import * as Search from "../src/docs/Search.ts"
import * as Stylesheet from "../src/docs/Stylesheet.ts"

const documents = Version.all.map((version) => OpenApiDocument.make(version))
const document = OpenApiDocument.make(Version.newestStable)

const stranger: DocsPage.Reader = { url: "https://pay.example.com", keys: null }
const search = (of: OpenApiDocument.Document, asked: string): DocsPage.Found => ({
  asked,
  entries: Search.find(Search.indexOf(of), asked),
})
const draw = (of: OpenApiDocument.Document, reader = stranger, found?: DocsPage.Found) =>
  DocsPage.page(of, reader, found)

const attributes = (page: string, name: string): ReadonlyArray<string> =>
  Array.from(
    page.matchAll(new RegExp(`<[^>]*\\s${name}="([^"]*)"`, "gu")),
    ([, value = ""]) => value,
  )

const empty = new Set(["meta", "link", "input"])

/** Tags that are open at the end, or undefined where one is closed that was not open. */
const unclosed = (page: string): ReadonlyArray<string> | undefined => {
  const open: Array<string> = []
  for (const [, close = "", tag = ""] of page.matchAll(/<(?<close>\/?)(?<tag>[a-z][a-z0-9]*)/gu)) {
    if (close === "" && !empty.has(tag)) open.push(tag)
    if (close !== "" && open.pop() !== tag) return undefined
  }
  return open
}

describe("DocsPage", () => {
  for (const each of documents) {
    const page = draw(each)

    describe(each.info.version, () => {
      it("every operation and every shape has an anchor, and every link in the page leads to one", () => {
        const ids = attributes(page, "id")
        assert.strictEqual(new Set(ids).size, ids.length)
        for (const item of Object.values(each.paths)) {
          for (const method of OpenApiDocument.methods) {
            const operation = item[method]
            if (operation !== undefined) assert.include(ids, operation.operationId)
          }
        }
        const inside = attributes(page, "href").filter((href) => href.startsWith("#"))
        assert.isNotEmpty(inside)
        assert.includeMembers(
          [...ids],
          inside.map((href) => href.slice(1)),
        )
      })

      it("every operation is in the contents, with its path and its errors", () => {
        const [, contents = ""] = page.split(/<\/?nav\b/u)
        for (const [path, item] of Object.entries(each.paths)) {
          for (const method of OpenApiDocument.methods) {
            const operation = item[method]
            if (operation === undefined) continue
            assert.include(contents, `href="#${operation.operationId}"`)
            const [, article = ""] = page.split(`<article id="${operation.operationId}">`)
            const [own = ""] = article.split("</article>")
            assert.include(own, `<code>${path}</code>`)
            for (const status of Object.keys(operation.responses)) assert.include(own, status)
            assert.include(own, "<code>rate_limited</code>")
          }
        }
      })

      it("loads nothing but our own stylesheet, and runs nothing", () => {
        assert.deepStrictEqual(attributes(page, "src"), [])
        assert.notMatch(page, /<(?:script|style|iframe|object|embed|img|base)\b/u)
        assert.notMatch(page, /<[^>]*\s(?:on\w+|style)=/u)
        const links = attributes(page, "href")
        assert.include(links, "/docs/style.css")
        for (const href of links) assert.match(href, /^(?:#|\/(?!\/))/u)
        for (const [tag] of page.matchAll(/<link\b[^>]*>/gu)) {
          assert.strictEqual(tag, `<link rel="stylesheet" href="/docs/style.css">`)
        }
      })

      it("closes what it opens", () => {
        assert.deepStrictEqual(unclosed(page), [])
      })
    })
  }

  it("every text of the document is escaped", () => {
    const hostile = `</title><script src="https://evil.example/x.js"></script>&'"`
    const page = draw({
      ...document,
      info: {
        ...document.info,
        title: hostile,
        summary: hostile,
        description: `${hostile}\n\n## ${hostile}`,
      },
      tags: [{ name: hostile, description: hostile }],
      paths: {
        [hostile]: {
          post: {
            operationId: hostile,
            tags: [hostile],
            summary: hostile,
            description: hostile,
            "x-codeSamples": [{ lang: "Shell", label: hostile, source: hostile }],
            parameters: [
              {
                name: hostile,
                in: hostile,
                required: true,
                description: hostile,
                schema: { type: hostile, pattern: hostile, format: hostile, default: hostile },
              },
            ],
            requestBody: {
              required: true,
              content: {
                "application/json": {
                  schema: { properties: { [hostile]: { enum: [hostile], examples: [hostile] } } },
                  examples: { [hostile]: { summary: hostile, value: { [hostile]: hostile } } },
                },
              },
            },
            responses: {
              400: {
                description: hostile,
                headers: {},
                content: {
                  "application/json": { schema: { properties: { code: { enum: [hostile] } } } },
                },
              },
            },
          },
        },
      },
    })
    assert.notMatch(page, /<script|evil\.example\/x\.js"|&'/u)
    assert.include(page, "&lt;script src=&quot;https://evil.example/x.js&quot;&gt;")
    assert.deepStrictEqual(unclosed(page), [])
  })

  it("shows what a map holds, and a keyword that it has no words for as it is written", () => {
    const member = (schema: JsonSchema.JsonSchema): string => {
      const page = draw({
        ...document,
        components: {
          ...document.components,
          schemas: { Shelf: { type: "object", properties: { it: schema } } },
        },
      })
      const [, shelf = ""] = page.split(`<article id="schema-Shelf">`)
      const [own = ""] = shelf.split("</article>")
      return own.replaceAll(/<[^>]+>/gu, "")
    }
    const text = { type: "string", maxLength: 5 }
    const map = member({
      type: "object",
      additionalProperties: text,
      propertyNames: { type: "string", minLength: 1, maxLength: 3 },
      maxProperties: 2,
    })
    assert.include(
      map,
      "map of string, at most 5 characters, at most 2 entries, keys of 1 to 3 characters",
    )
    assert.include(
      member({ type: "object", patternProperties: { "^n": { type: "integer", minimum: 0 } } }),
      "map of integer, at least 0 for keys like ^n",
    )
    const nested = member({
      type: "object",
      additionalProperties: { type: "object", properties: { height: { type: "integer" } } },
    })
    assert.include(nested, "it.*.height")
    assert.include(
      member({
        oneOf: [
          { type: "integer", exclusiveMinimum: 0 },
          { enum: ["a"], "x-note": [1] },
        ],
      }),
      "integer, exclusiveMinimum: 0 or a, x-note: [1]",
    )
    assert.include(member({ type: "array", prefixItems: [text, {}] }), "list of string, at most 5")
  })

  it("every call has an example, filled in with what is known of the reader", () => {
    const page = draw(document)
    assert.include(page, "curl &quot;https://pay.example.com/v1/payments&quot;")
    assert.include(page, "Api-Key: $API_KEY")
    assert.include(page, "await florin.payments.create(")
    const keys = { partnerKey: "flr_test_pk_1", walletKey: "flr_test_wk_1", merchantId: "mrch_1" }
    const own = draw(document, { url: "http://127.0.0.1:3000", keys })
    for (const text of [
      "Api-Key: flr_test_pk_1",
      "Api-Key: flr_test_wk_1",
      "Merchant-Id: mrch_1",
    ]) {
      assert.include(own, text)
    }
    assert.notMatch(own, /\$(?:FLORIN_URL|API_KEY|WALLET_KEY|MERCHANT_ID)/u)
    for (const { operationId } of Object.values(document.paths).flatMap((item) =>
      OpenApiDocument.methods.flatMap((method) => item[method] ?? []),
    )) {
      const [, article = ""] = page.split(`<article id="${operationId}">`)
      assert.include(article.split("</article>")[0] ?? "", "<figcaption>curl</figcaption>")
    }
  })

  it("has a chapter on webhooks, with code to verify them, and what each event holds", () => {
    const page = draw(document)
    const [, chapter = ""] = page.split(`<h3 id="webhooks-and-events">`)
    assert.include(chapter, "await verifyWebhook({")
    for (const name of Object.keys(document.webhooks)) {
      assert.include(page, `<span id="webhook-${name}"><code>${name}</code>`)
    }
    assert.include(page, "<code>webhook-signature</code>")
    assert.include(page, "<code>data.payment_state_version</code>")
  })

  it("finds calls, shapes and chapters that have every word, those first that are named so", () => {
    const find = (asked: string) => search(document, asked).entries.map(({ anchor }) => anchor)
    assert.strictEqual(find("refund")[0], "refunds.create")
    assert.strictEqual(find("idempotency")[0], "idempotency")
    assert.strictEqual(find("WEBHOOKS rotate")[0], "webhooks.rotate")
    assert.includeMembers(find("metadata"), ["payments.create", "schema-CreatePaymentRequest"])
    assert.deepStrictEqual(find("metadata zebra"), [])
    assert.include(find("409"), "idempotency")
  })

  it("shows what was found, with links into the reference, and says if it is nothing", () => {
    const page = draw(document, stranger, search(document, "metadata"))
    const links = attributes(page, "href")
    assert.include(links, `/docs?version=${document.info.version}#payments.create`)
    assert.include(attributes(page, "value"), "metadata")
    assert.deepStrictEqual(unclosed(page), [])
    const ids = new Set(attributes(draw(document), "id"))
    for (const href of links.filter((each) => each.includes("#"))) {
      assert.isTrue(ids.has(href.slice(href.indexOf("#") + 1)), href)
    }
    const none = draw(document, stranger, search(document, `"><script>`))
    assert.include(none, "0 results")
    assert.notInclude(none, "<script>")
  })

  it("the stylesheet loads nothing, and knows light and dark", () => {
    assert.notMatch(Stylesheet.text, /url\(|@import|:\/\//u)
    assert.include(Stylesheet.text, "color-scheme: light dark")
    assert.strictEqual(Stylesheet.text.split("{").length, Stylesheet.text.split("}").length)
  })

  it("each version leads to the others and to its own document", () => {
    for (const each of documents) {
      const links = attributes(draw(each), "href")
      assert.include(links, `/openapi.json?version=${each.info.version}`)
      for (const version of Version.all) {
        assert.strictEqual(
          links.includes(`/docs?version=${version}`),
          version !== each.info.version,
        )
      }
    }
  })
})
