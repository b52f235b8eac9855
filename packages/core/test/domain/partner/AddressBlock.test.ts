import { assert, describe, it } from "@effect/vitest"
import * as AddressBlock from "@florin/core/domain/partner/AddressBlock"
import * as HostileText from "@florin/testing/HostileText"

describe("AddressBlock", () => {
  it.each([
    ["203.0.113.7", ["203.0.113.7"], ["203.0.113.8", "2001:db8:0:1"]],
    ["203.0.113.0/24", ["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]],
    ["203.0.113.77/24", ["203.0.113.0"], ["203.0.114.0"]],
    ["10.0.0.0/8", ["10.255.255.255"], ["11.0.0.0"]],
    ["0.0.0.0/0", ["1.2.3.4"], ["2001:db8:0:1"]],
    ["2001:db8::/32", ["2001:db8:0:1", "2001:db8:ffff:ffff"], ["2001:db9:0:0", "1.2.3.4"]],
    ["2001:db8:1:2::/64", ["2001:db8:1:2"], ["2001:db8:1:3"]],
    ["::/0", ["2001:db8:0:1"], ["1.2.3.4"]],
  ])("S11: %s covers the addresses in it, and no others", (block, inside, outside) => {
    assert.isTrue(AddressBlock.isBlock(block))
    for (const each of inside) assert.isTrue(AddressBlock.covers(block, each), each)
    for (const each of outside) assert.isFalse(AddressBlock.covers(block, each), each)
    assert.isFalse(AddressBlock.covers(block, "nowhere"))
  })

  it.each([
    ["203.0.113.0/24", ["203.0.113.0/24", "203.0.113.128/25", "203.0.113.7"]],
    ["0.0.0.0/0", ["0.0.0.0/0", "10.0.0.0/8"]],
    ["2001:db8::/32", ["2001:db8::/32", "2001:db8:1:2::/64"]],
  ])("S11: %s contains smaller blocks inside it", (outer, inner) => {
    for (const each of inner) assert.isTrue(AddressBlock.contains(outer, each), each)
  })

  it.each([
    ["203.0.113.0/24", ["203.0.112.0/23", "203.0.112.255", "0.0.0.0/0", "2001:db8::/64", "x"]],
    ["203.0.113.7", ["203.0.113.0/24", "203.0.113.8"]],
    ["2001:db8::/32", ["2001::/16", "2001:db9::/32", "203.0.113.7"]],
    ["x", ["203.0.113.7", "x"]],
  ])("S11: %s does not contain blocks that are outside, even in part", (outer, inner) => {
    for (const each of inner) assert.isFalse(AddressBlock.contains(outer, each), each)
  })

  const wrong =
    "/24 203.0.113.0/ 203.0.113.0/33 203.0.113.0/024 203.0.113.0/-1 203.0.113/24 203.0.113.0/24/8"
  const others = "2001:db8::1 2001:db8::/65 2001:db8::/128 example.com"
  it.each(["", ...`${wrong} ${others}`.split(" ")])("S11: refuses %j as a block", (text) => {
    assert.isFalse(AddressBlock.isBlock(text))
    assert.isFalse(AddressBlock.covers(text, "203.0.113.0"))
  })

  it.prop(
    "accepts or refuses any hostile text",
    [HostileText.near(["203.0.113.0/24", "2001:db8::/64"])],
    ([text]) => assert.isBoolean(AddressBlock.covers(text, "203.0.113.7")),
  )
})
