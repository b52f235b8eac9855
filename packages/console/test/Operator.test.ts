/**
 * What the screens of the operator take from its contract.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { api } from "@florin/api/operator/Api"
import * as Endpoint from "@florin/api/operator/Endpoint"
import * as Findings from "@florin/core/engine/status/Findings"
import english from "../src/messages/operator.en.json" with { type: "json" }
import * as Operations from "../src/operator/Operations.ts"
import * as PartnerChanges from "../src/operator/PartnerChanges.ts"
import * as Path from "../src/shell/Path.ts"

const endpoints = Object.entries(api.groups).flatMap(([group, { endpoints: all }]) =>
  Object.entries(all).map(([name, each]) => ({ operation: `${group}.${name}`, each })),
)

const endpoint = (wanted: string) =>
  endpoints.find(({ operation }) => operation === wanted)?.each ?? assert.fail(wanted)

describe("a remedy that the console runs", () => {
  it("calls an endpoint of the contract that writes, with its path and scope", () => {
    for (const [operation, [scope, path]] of Object.entries(Operations.deeds)) {
      const of = endpoint(operation)
      assert.strictEqual(of.method, "POST", operation)
      assert.strictEqual(Endpoint.accessOf(of).scope, scope, operation)
      assert.strictEqual(`/operator/v1${path}`, of.path, operation)
    }
  })

  it("opens a screen if it only reads", () => {
    for (const [operation, to] of Object.entries(Operations.places)) {
      assert.strictEqual(endpoint(operation).method, "GET", operation)
      assert.match(to, /^\/[a-z]+/u)
    }
  })

  it("has its ids in the path, and its other parameters in the body", () => {
    assert.deepStrictEqual(
      Path.fill("/chains/:chainId/resume", { chainId: "eip155:8453", token: "erc20:0x1" }),
      { path: "/chains/eip155%3A8453/resume", rest: { token: "erc20:0x1" } },
    )
  })
})

describe("a finding", () => {
  it("of every kind has a title", () => {
    assert.deepStrictEqual(Object.keys(english.now.kinds), Findings.tags.map(Findings.nameOf))
  })
})

describe("a change of a partner", () => {
  const before = {
    name: "Ada",
    payouts: "15m",
    "credit.live": "",
    "limits.live.reserve": "10% 30d",
  }

  it("sends only what changed, nested as the API has it", () => {
    assert.deepStrictEqual(PartnerChanges.of(before, before), {})
    assert.deepStrictEqual(
      PartnerChanges.of(before, {
        ...before,
        "credit.live": "1000 USD",
        "limits.live.netsMerchants": "true",
      }),
      { credit: { live: "1000 USD" }, limits: { live: { netsMerchants: true } } },
    )
  })

  it("removes with null what was emptied", () => {
    assert.deepStrictEqual(
      PartnerChanges.of(before, { ...before, payouts: "", "limits.live.reserve": "" }),
      { payouts: null, limits: { live: { reserve: null } } },
    )
  })
})

describe("a search of the operator", () => {
  it("leads by the beginning of an id, and otherwise to partners by name", () => {
    assert.strictEqual(Path.search("operator", "pay_1"), "/payments/pay_1")
    assert.strictEqual(Path.search("operator", "out_1"), "/outflows/out_1")
    assert.strictEqual(
      Path.search("operator", `0x${"a".repeat(64)}`),
      `/unclaimed?tx=0x${"a".repeat(64)}`,
    )
    assert.strictEqual(Path.search("operator", "Blue & Co"), "/partners?name=Blue%20%26%20Co")
  })
})
