import { assert, describe, it } from "@effect/vitest"
import * as Action from "@florin/core/domain/chain/Action"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as HostileText from "@florin/testing/HostileText"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { chosen, option } = Samples

const permit2 = option({ flow: "permit2", token: Samples.usdtOnEthereum.token })
const offered = Actions.offeredActions(chosen(permit2))
const [build] = offered
const data = build?._tag === "Build" ? build.data : ""

describe("Action.isBuildData", () => {
  it("accepts the option's own build data, and no data as a request for all actions", () => {
    assert.isTrue(Action.isBuildData(offered, data))
    assert.isTrue(Action.isBuildData(offered, ""))
    assert.isTrue(Action.isBuildData(Actions.offeredActions(chosen(option())), ""))
  })

  it("refuses build data of another option", () => {
    const other = Actions.offeredActions(
      chosen(option({ ...permit2, expiresAt: permit2.expiresAt + 1 })),
    )[0]
    for (const foreign of [other?._tag === "Build" ? other.data : "", `${data}00`, "0x", "{}"]) {
      assert.isFalse(Action.isBuildData(offered, foreign))
    }
    assert.isFalse(Action.isBuildData(Actions.offeredActions(chosen(option())), data))
  })

  it("returns the actions that the family offered as build data, and a wallet step's parameters without data", () => {
    const [pledge, hand] = (["pledge", "hand"] as const).map((flow) =>
      Harbour.family.offered({ option: Harbour.option({ flow }), asset: Harbour.coin }),
    )
    assert(pledge !== undefined && hand !== undefined)
    const [built] = pledge
    const [step] = hand
    assert(built?._tag === "Build" && step?._tag === "WalletRpc")
    assert.isTrue(Action.isBuildData(pledge, built.data))
    assert.isTrue(Action.isBuildData(hand, ""))
    assert.isFalse(Action.isBuildData(hand, built.data))
    assert.isFalse(Action.isBuildData(hand, step.params[0] ?? ""))
  })

  it.prop(
    "accepts or refuses any hostile text without crashing",
    [HostileText.near([data])],
    ([text]) => Action.isBuildData(offered, text) === (text === data || text === ""),
    { arbitrary: { runs: 2000 } },
  )
})
