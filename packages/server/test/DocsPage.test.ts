import { assert, describe, it } from "@effect/vitest"
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Version from "@florin/core/domain/Version"
import * as DocsPage from "../src/DocsPage.ts"

const documents = Version.all.map((version) => OpenApiDocument.make(version))
const document = OpenApiDocument.make(Version.newestStable)

const attributes = (page: string, name: string): ReadonlyArray<string> =>
  Array.from(
    page.matchAll(new RegExp(`<[^>]*\\s${name}="([^"]*)"`, "gu")),
    ([, value = ""]) => value,
  )

const empty = new Set(["meta", "link"])

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
    const page = DocsPage.page(each)

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
        assert.notMatch(page, /<(?:script|style|iframe|object|embed|img|form|base)\b/u)
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
    const page = DocsPage.page({
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
      const page = DocsPage.page({
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

  it("the stylesheet loads nothing, and knows light and dark", () => {
    assert.notMatch(DocsPage.stylesheet, /url\(|@import|:\/\//u)
    assert.include(DocsPage.stylesheet, "color-scheme: light dark")
    assert.strictEqual(DocsPage.stylesheet.split("{").length, DocsPage.stylesheet.split("}").length)
  })

  it("each version leads to the others and to its own document", () => {
    for (const each of documents) {
      const links = attributes(DocsPage.page(each), "href")
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
