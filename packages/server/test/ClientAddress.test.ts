import { assert, describe, it } from "@effect/vitest"
import * as ClientAddress from "../src/http/ClientAddress.ts"

const nothing = () => undefined
const connection = (address: string) =>
  ClientAddress.reader(null)({ address, header: () => "198.51.100.7" })
const forwarded = (text: string | undefined) =>
  ClientAddress.reader("X-Forwarded-For")({
    address: "1.1.1.1",
    header: (name) => (name === "x-forwarded-for" ? text : undefined),
  })

describe("the address of a caller", () => {
  it.each([
    ["8.8.8.8", "8.8.8.8"],
    ["::ffff:8.8.8.8", "8.8.8.8"],
    ["2606:4700:1:2:3:4:5:6", "2606:4700:1:2"],
    ["2606:4700:1:2::", "2606:4700:1:2"],
    ["127.0.0.1", null],
    ["10.1.2.3", null],
    ["::ffff:192.168.0.1", null],
    ["::1", null],
    ["fe80::1", null],
    ["", null],
  ])("S20: is the connection's without a proxy, if it is public: %s is %s", (address, expected) => {
    assert.strictEqual(connection(address), expected)
  })

  it("S20: is unknown without a connection", () => {
    assert.isNull(ClientAddress.reader(null)({ header: nothing }))
  })

  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["6.6.6.6, 203.0.113.9", "203.0.113.9"],
    ["6.6.6.6,10.0.0.4", "10.0.0.4"],
    ["203.0.113.9:4711", "203.0.113.9"],
    ["[2001:db8::1]:4711", "2001:db8:0:0"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["unknown", null],
    ["203.0.113.9, ", null],
    [undefined, null],
  ])("S20: is the last one in a trusted proxy's header: %j is %s", (text, expected) => {
    assert.strictEqual(forwarded(text), expected)
  })

  it("S20: uses bounded memory for invented addresses", () => {
    const read = ClientAddress.reader("x-forwarded-for")
    for (let index = 0; index < 30_000; index += 1) {
      const text = `${index % 256}.${index >> 8}.0.1`
      assert.strictEqual(read({ header: () => text }), text)
    }
  })
})
