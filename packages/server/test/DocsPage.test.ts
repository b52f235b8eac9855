import { assert, describe, it } from "@effect/vitest"
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Version from "@florin/core/domain/ground/Version"
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
const draw = (of: OpenApiDocument.Document, name = "", reader = stranger): string =>
  DocsPage.page(of, reader, name) ?? assert.fail(`there is no page ${name}`)

const attributes = (page: string, name: string): ReadonlyArray<string> =>
  Array.from(
    page.matchAll(new RegExp(`<[^>]*\\s${name}="([^"]*)"`, "gu")),
    ([, value = ""]) => value,
  )

/** The names of a document's pages, as the contents list them. */
const namesOf = (of: OpenApiDocument.Document): ReadonlyArray<string> => {
  const [, contents = ""] = draw(of).split(/<\/?nav\b/u)
  return attributes(contents, "href").map((href) => href.replace(/^\/docs\/?|\?.*$/gu, ""))
}

const pagesOf = (of: OpenApiDocument.Document, reader = stranger): ReadonlyMap<string, string> =>
  new Map(namesOf(of).map((name) => [name, draw(of, name, reader)]))

/** Everything in a document, whatever its page. */
const drawAll = (of: OpenApiDocument.Document, reader = stranger): string =>
  [...pagesOf(of, reader).values()].join("")

/** Fails unless a link of the documentation leads to something on one of its pages. */
const leads = (href: string, version: Version.Version, pages: ReadonlyMap<string, string>) => {
  const url = new URL(href, "https://pay.example.com/docs")
  const asked = url.searchParams.get("version") ?? Version.newestStable
  if (url.pathname !== "/docs" && !url.pathname.startsWith("/docs/")) return
  if (url.pathname === "/docs/style.css" || asked !== version) return
  const page = pages.get(url.pathname.replace(/^\/docs\/?/u, "")) ?? assert.fail(`no page: ${href}`)
  if (url.hash !== "") {
    assert.include(attributes(page, "id"), decodeURIComponent(url.hash.slice(1)), href)
  }
}

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
    const pages = pagesOf(each)
    const { version } = each.info

    describe(version, () => {
      it("has a page for each group and chapter, and one for all schemas", () => {
        assert.deepStrictEqual(
          [...pages.keys()],
          [
            "",
            "webhooks-and-events",
            ...each.tags.map(({ name }) => (name === "auditLog" ? "audit-log" : name)),
            "schemas",
          ],
        )
        assert.isNull(DocsPage.page(each, stranger, "nothing"))
        for (const [name, page] of pages) {
          const [main = ""] = page.split(/<main/u).slice(1)
          assert.lengthOf(main.match(/<h1>/gu) ?? [], 1, name)
        }
      })

      it("has no broken link", () => {
        for (const page of pages.values()) {
          const ids = attributes(page, "id")
          assert.strictEqual(new Set(ids).size, ids.length)
          const links = attributes(page, "href")
          for (const href of links.filter((one) => !one.startsWith("#"))) {
            leads(href, version, pages)
          }
          for (const href of links.filter((one) => one.startsWith("#"))) {
            assert.include(ids, href.slice(1))
          }
        }
      })

      it("shows every operation on its group's page and in the contents, with its path and errors", () => {
        for (const [path, item] of Object.entries(each.paths)) {
          for (const method of OpenApiDocument.methods) {
            const operation = item[method]
            if (operation === undefined) continue
            const page = pages.get(Search.pageOf(operation.tags[0] ?? "")) ?? ""
            const [, contents = ""] = page.split(/<\/?nav\b/u)
            assert.isTrue(
              attributes(contents, "href").some((href) =>
                href.endsWith(`#${operation.operationId}`),
              ),
            )
            const [, article = ""] = page.split(`<article id="${operation.operationId}">`)
            const [own = ""] = article.split("</article>")
            assert.include(own, `<code>${path}</code>`)
            for (const status of Object.keys(operation.responses)) assert.include(own, status)
            assert.include(own, "<code>rate_limited</code>")
          }
        }
      })

      it("has a title, the search, and links to the next and previous page on each page", () => {
        const names = [...pages.keys()]
        for (const [index, [name, page]] of [...pages].entries()) {
          const current = /<a href="([^"]*)" aria-current="page">/u.exec(page)?.[1] ?? ""
          assert.strictEqual(current.replace(/^\/docs\/?|\?.*$/gu, ""), name)
          assert.lengthOf(page.match(/aria-current/gu) ?? [], 1)
          assert.include(page, `<form role="search" action="/docs" method="get">`)
          const way = (rel: string) =>
            new RegExp(`<a rel="${rel}" href="([^"]*)">`, "u")
              .exec(page)?.[1]
              ?.replace(/^\/docs\/?|\?.*$/gu, "")
          assert.strictEqual(way("prev"), names[index - 1])
          assert.strictEqual(way("next"), names[index + 1])
        }
      })

      it("loads only our stylesheet, and runs no script", () => {
        for (const page of pages.values()) {
          assert.deepStrictEqual(attributes(page, "src"), [])
          assert.notMatch(page, /<(?:script|style|iframe|object|embed|img|base)\b/u)
          assert.notMatch(page, /<[^>]*\s(?:on\w+|style)=/u)
          const links = attributes(page, "href")
          assert.include(links, "/docs/style.css")
          for (const href of links) assert.match(href, /^(?:#|\/(?!\/))/u)
          for (const [tag] of page.matchAll(/<link\b[^>]*>/gu)) {
            assert.strictEqual(tag, `<link rel="stylesheet" href="/docs/style.css">`)
          }
        }
      })

      it("has a closing tag for every opening tag", () => {
        for (const page of pages.values()) assert.deepStrictEqual(unclosed(page), [])
      })

      it("has at most 120 kB on a page", () => {
        for (const [name, page] of pages) assert.isAtMost(Buffer.byteLength(page), 120_000, name)
      })
    })
  }

  it("escapes every text of the document", () => {
    const hostile = `</title><script src="https://evil.example/x.js"></script>&'"`
    const page = drawAll({
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
    assert.include(page, "<h1>&lt;/title&gt;")
    assert.deepStrictEqual(unclosed(page), [])
  })

  it("shows the values of a map, and an unknown keyword as it is written", () => {
    const member = (schema: JsonSchema.JsonSchema): string => {
      const page = draw(
        {
          ...document,
          components: {
            ...document.components,
            schemas: { Shelf: { type: "object", properties: { it: schema } } },
          },
        },
        "schemas",
      )
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

  it("links below the path of the service's address", () => {
    const page = draw(document, "gateway", { url: "https://shop.example/pay", keys: null })
    const links = [...attributes(page, "href"), ...attributes(page, "action")]
    for (const link of links) assert.match(link, /^(?:#|\/pay\/)/u)
    assert.include(links, "/pay/docs/style.css")
    assert.include(links, "/pay/docs")
  })

  it("has an example for every call, with the reader's own key and ids", () => {
    const page = drawAll(document)
    assert.include(page, "curl &quot;https://pay.example.com/v1/payments&quot;")
    assert.include(page, "Api-Key: $API_KEY")
    assert.include(page, "await florin.payments.create(")
    const keys = { partnerKey: "flr_test_pk_1", walletKey: "flr_test_wk_1", merchantId: "mrch_1" }
    const own = drawAll(document, { url: "http://127.0.0.1:3000", keys })
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

  it("has a chapter on webhooks, with code to verify them, and the members of each event", () => {
    const page = draw(document, "webhooks-and-events")
    assert.include(page, "await verifyWebhook({")
    for (const name of Object.keys(document.webhooks)) {
      assert.include(page, `<span id="webhook-${name}"><code>${name}</code>`)
    }
    assert.include(page, "<code>webhook-signature</code>")
    assert.include(page, "<code>data.payment_state_version</code>")
  })

  it("finds calls, schemas and chapters with every word, matching titles first", () => {
    const find = (asked: string) => search(document, asked).entries.map(({ anchor }) => anchor)
    assert.strictEqual(find("refund")[0], "refunds.create")
    assert.strictEqual(find("idempotency")[0], "idempotency")
    assert.strictEqual(find("WEBHOOKS rotate")[0], "webhooks.rotate")
    assert.includeMembers(find("metadata"), ["payments.create", "schema-CreatePaymentRequest"])
    assert.deepStrictEqual(find("metadata zebra"), [])
    assert.include(find("409"), "idempotency")
    assert.strictEqual(find("refund.held")[0], "webhook-refund.held")
  })

  for (const each of documents) {
    it(`finds only what exists, in ${each.info.version}`, () => {
      const pages = pagesOf(each)
      const rows = Search.indexOf(each)
      assert.isAbove(rows.length, 150)
      for (const { entry } of rows) {
        assert.include(attributes(pages.get(entry.page) ?? "", "id"), entry.anchor)
      }
    })
  }

  it("lists the results with links, and says if there are none", () => {
    for (const each of documents) {
      const page = DocsPage.results(each, stranger, search(each, "metadata"))
      const pages = pagesOf(each)
      const links = attributes(page, "href")
      assert.isTrue(links.some((href) => /^\/docs\/payments.*#payments\.create$/u.test(href)))
      for (const href of links.filter((one) => one !== "#main")) {
        leads(href, each.info.version, pages)
      }
      assert.include(attributes(page, "value"), "metadata")
      assert.deepStrictEqual(unclosed(page), [])
      const none = DocsPage.results(each, stranger, search(each, `"><script>`))
      assert.include(none, "0 results")
      assert.notInclude(none, "<script>")
    }
  })

  it("has a stylesheet that loads nothing, with a light and a dark theme", () => {
    assert.notMatch(Stylesheet.text, /url\(|@import|:\/\//u)
    assert.include(Stylesheet.text, "color-scheme: light dark")
    assert.strictEqual(Stylesheet.text.split("{").length, Stylesheet.text.split("}").length)
  })

  it("links to the same page of other versions, and to its own document", () => {
    for (const each of documents) {
      const { version } = each.info
      const links = attributes(draw(each, "payments"), "href")
      assert.include(links, `/openapi.json?version=${version}`)
      for (const other of Version.all.filter((one) => one !== version)) {
        const query = other === Version.newestStable ? "" : `?version=${other}`
        assert.include(links, `/docs/payments${query}`)
      }
    }
  })
})
