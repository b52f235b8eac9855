import { assert, describe, it } from "@effect/vitest"
import { api } from "@florin/api/operator/Api"
import * as Inflow from "@florin/core/domain/chain/InflowId"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Findings from "@florin/core/engine/status/Findings"
import * as Fixtures from "@florin/testing/Fixtures"

const [{ token } = assert.fail("the asset table is empty")] = BuiltIn.catalog.assets
const { chainId } = token
const mode = "live"
const [reason, at] = ["blocks are gone", Fixtures.now]
const address = Fixtures.address("ours")

const stuck: Findings.FoundOf<"Stuck"> = {
  _tag: "Stuck",
  mode,
  chainId,
  code: "payee",
  isHeld: true,
  count: 2,
  quantities: [{ token, quantity: 5n }],
  oldest: {
    mode,
    partnerId: null,
    outflow: null,
    paymentIds: [],
    movement: { token, from: address, to: address, quantity: Fixtures.quantity(5n) },
    isHeld: true,
    code: "payee",
    reason,
    since: at,
    ageInMs: 5,
  },
}

/** Findings that an operation of the operator's API helps with. */
const samples: ReadonlyArray<Findings.Found> = [
  { _tag: "ChainHalted", mode, chainId, reason, haltedAt: at },
  { _tag: "TokenStopped", mode, token, reason, stoppedAt: at },
  { _tag: "Unclaimed", mode, token, count: 1, quantity: 5n },
  { _tag: "FloatShort", mode, token, address, count: 1, missing: 5n },
  {
    _tag: "WebhookLags",
    endpointId: Webhook.EndpointId.make("whk_1"),
    count: 1,
    ageInMs: 5,
  },
  { _tag: "MerchantsWait", count: 1, hasMore: false },
  stuck,
  { ...stuck, code: "float", isHeld: false },
  { ...stuck, code: "paused", isHeld: false },
]

const endpoints = new Map<string, { readonly path: string }>(
  Object.entries(api.groups).flatMap(([group, { endpoints: all }]) =>
    Object.entries(all).map(([name, endpoint]) => [`${group}.${name}`, endpoint] as const),
  ),
)

describe("the remedies of findings", () => {
  it("are operations of the operator's API, with the parameters of their paths", () => {
    const remedies = [
      ...samples.flatMap(
        (each) => Findings.describe({ ...each, isRed: true }, BuiltIn.catalog, at).remedies,
      ),
      Findings.byReturn(Inflow.InflowId.make(`unc_${"0".repeat(32)}`)),
    ]
    const called = remedies.filter(({ operation }) => operation !== null)
    assert.isAbove(called.length, samples.length)
    for (const { operation, request } of called) {
      const { path } = endpoints.get(operation ?? "") ?? assert.fail(`${operation} does not exist`)
      for (const [, name = ""] of path.matchAll(/:(\w+)/gu)) assert.property(request, name)
    }
  })

  it("end with what decides, as data that the API takes", () => {
    const [halted = assert.fail()] = samples
    const { remedies } = Findings.describe({ ...halted, isRed: true }, BuiltIn.catalog, at)
    assert.deepStrictEqual(remedies.at(-1), {
      command: `florin chains resume ${chainId}`,
      operation: "chains.resume",
      request: { chainId },
    })
  })
})

describe("findings", () => {
  it("say what was measured, and from where on a person must act", () => {
    const waits: Findings.Found = {
      _tag: "WorkWaits",
      kind: "collect",
      group: chainId,
      count: 2,
      ageInMs: 300_001,
    }
    const judged = Findings.judge(waits, BuiltIn.catalog) ?? assert.fail("it is fine")
    assert.deepInclude(Findings.describe(judged, BuiltIn.catalog, at), {
      part: "work",
      severity: "page",
      reading: 300.001,
      threshold: 300,
      unit: "seconds",
      details: { kind: "collect", group: chainId, count: 2, ageInMs: 300_001 },
    })
    assert.isNull(Findings.judge({ ...waits, ageInMs: 300_000 }, BuiltIn.catalog))
  })

  it("name what to record before a chain is resumed after a restore", () => {
    const [halted = assert.fail()] = samples
    const { message } = Findings.describe({ ...halted, isRed: true }, BuiltIn.catalog, at)
    assert.include(message, "first record what was sent (`florin payouts record <txHash>`")
  })

  it("show amounts of tokens, accounts and ages as the API has them", () => {
    const [halted, , unclaimed, short] = samples.map(
      (each) => Findings.describe({ ...each, isRed: true }, BuiltIn.catalog, at + 7).details,
    )
    assert.deepStrictEqual(halted, { mode, chain: chainId, reason, ageInMs: 7 })
    assert.deepNestedInclude(unclaimed, { "amount.value": "5", count: 1 })
    assert.deepNestedInclude(short, { "missing.value": "5" })
    assert.match(String(short?.["account"]), /^eip155:/u)
  })
})
