import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Packing from "@florin/core/domain/chain/Packing"
import * as Counts from "@florin/testing/Counts"
import * as Schema from "effect/Schema"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const runs = { arbitrary: { runs: Counts.of({ usual: 300, full: 20_000 }) } }

const written = {
  number: (value: number, bytes: number) => new Packing.Writer().number(value, bytes).written(),
  text: (value: string) => new Packing.Writer().text(value).written(),
  account: (value: Caip.Account) => new Packing.Writer().account(value).written(),
}

/** What a text is read as, if that takes all of the bytes. */
const readText = (bytes: Uint8Array): string => {
  const read = Packing.reader(bytes)
  const text = read.text()
  assert.isTrue(read.ended())
  assert.strictEqual(read.left(), 0)
  return text
}

const ascii = Schema.String.check(Schema.isPattern(/^[ -~]{0,300}$/u))

describe("Packing.Writer.number", () => {
  it("writes a number in a fixed count of bytes, most significant first", () => {
    assert.deepStrictEqual([...written.number(0, 1)], [0])
    assert.deepStrictEqual([...written.number(1, 3)], [0, 0, 1])
    assert.deepStrictEqual([...written.number(0x0102, 2)], [1, 2])
    assert.deepStrictEqual([...written.number(2 ** 40 - 1, 5)], [255, 255, 255, 255, 255])
  })

  it.prop(
    "reads back every number",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 48 - 1 }))],
    ([value]) => {
      const read = Packing.reader(written.number(value, 6))
      assert.strictEqual(read.int(6), value)
      assert.isTrue(read.ended())
    },
    runs,
  )
})

describe("Packing.Writer.text", () => {
  it("writes the length and the text", () => {
    assert.deepStrictEqual([...written.text("")], [0, 0])
    assert.deepStrictEqual([...written.text("ab")], [0, 2, 0x61, 0x62])
    assert.deepStrictEqual([...written.text("a".repeat(300))].slice(0, 2), [1, 44])
  })

  it("writes lower-case hex in half the bytes, with a flag", () => {
    assert.deepStrictEqual([...written.text("0xab")], [0x80, 1, 0xab])
    assert.lengthOf(written.text(Samples.payer), 22)
    assert.lengthOf(written.text(Samples.payer.toUpperCase()), 44)
  })

  it.each(["0x", "0xa", "0xab", "0xabc", "0xAB", "0xaB", "0Xab", "x0ab", " 0xab", "0xab ", "0xgg"])(
    "reads back %j in the same spelling",
    (text) => {
      assert.strictEqual(readText(written.text(text)), text)
    },
  )

  it("reads back hex and text up to the longest length of two bytes", () => {
    for (const length of [1, 127, 128, 255, 256, 0x7fff]) {
      assert.strictEqual(readText(written.text("a".repeat(length))), "a".repeat(length))
      const hex = `0x${"ab".repeat(length)}`
      assert.strictEqual(readText(written.text(hex)), hex)
    }
  })

  it.prop(
    "reads back every text, and writes different texts differently",
    [ascii, ascii],
    ([one, other]) => {
      assert.strictEqual(readText(written.text(one)), one)
      const [left, right] = [one, other].map((each) => written.text(each).join())
      assert.strictEqual(left === right, one === other)
    },
    runs,
  )
})

describe("Packing.Writer.account", () => {
  it("writes the chain and the address, and distinguishes namespaces", () => {
    const { address } = Harbour.option().account
    const [harbour, eip155] = ["harbour:8453", "eip155:8453"].map((chain) =>
      written.account({ chainId: Caip.ChainId.make(chain), address }).join(),
    )
    assert.notStrictEqual(harbour, eip155)
  })

  it.prop(
    "reads back several accounts in a row",
    [Schema.Array(Caip.Account)],
    ([accounts]) => {
      const read = Packing.reader(
        Uint8Array.from(accounts.flatMap((each) => [...written.account(each)])),
      )
      for (const account of accounts) assert.deepStrictEqual(read.account(), account)
      assert.isTrue(read.ended())
    },
    runs,
  )
})

describe("Packing.reader", () => {
  it("returns zeros after the end, and reports that it read past the end", () => {
    const read = Packing.reader(Uint8Array.of(1))
    assert.isFalse(read.ended())
    assert.strictEqual(read.left(), 1)
    assert.strictEqual(read.int(1), 1)
    assert.isTrue(read.ended())
    assert.strictEqual(read.int(2), 0)
    assert.isFalse(read.ended())
    assert.isBelow(read.left(), 0)
    assert.strictEqual(read.text(), "")
    assert.strictEqual(read.quantity(), 0n)
    assert.deepStrictEqual([...read.take(3)], [])
    assert.isFalse(read.ended())
  })

  it("reports a text that is cut off", () => {
    for (const text of ["abc", "0xabcdef", "a".repeat(200)]) {
      const bytes = written.text(text)
      for (let length = 0; length < bytes.length; length++) {
        const read = Packing.reader(bytes.subarray(0, length))
        read.text()
        assert.isFalse(read.ended(), `${length} bytes of ${text}`)
      }
    }
  })

  it("reads a quantity after its length, most significant byte first", () => {
    const read = Packing.reader(Uint8Array.of(2, 1, 0, 0, 1, 0))
    assert.strictEqual(read.quantity(), 256n)
    assert.strictEqual(read.quantity(), 0n)
    assert.strictEqual(read.quantity(), 0n)
    assert.isTrue(read.ended())
  })
})
