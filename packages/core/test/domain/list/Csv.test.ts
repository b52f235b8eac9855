import { assert, describe, it } from "@effect/vitest"
import * as Csv from "@florin/core/domain/list/Csv"
import * as StatementCsv from "@florin/core/domain/list/StatementCsv"

describe("Csv", () => {
  it("quotes characters that would end a value, and prevents formulas", () => {
    assert.strictEqual(Csv.line(["a", "b,c", 'd"e', "f\ng"]), 'a,"b,c","d""e",f\\u000ag\r\n')
    for (const start of ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]) {
      assert.match(Csv.line([`${start}A1`]), /^'/u)
    }
    assert.strictEqual(Csv.line(["1=1", ""]), "1=1,\r\n")
  })

  it("leaves numbers unquoted, so that they can be added up", () => {
    for (const value of ["-1", "-12.50", "0", "7"])
      assert.strictEqual(Csv.line([value]), `${value}\r\n`)
    for (const value of ["-1+1", "--1", "-", "-1e5", "-.5"]) {
      assert.strictEqual(Csv.line([value]), `'${value}\r\n`)
    }
  })
})

describe("StatementCsv", () => {
  it("has a row for each token, with exact amounts, and without formulas", () => {
    const balance = { owed: "1230000", kept: "0", debt: "5" }
    const token = {
      unit: "caip19/eip155:8453/erc20:0x1",
      display: { assetSymbol: "USDC", decimals: 6, networkName: "Base" },
      opening: balance,
      paidIn: "12345678",
      fees: "-1",
      refunds: "0",
      debt: "0",
      kept: "0",
      paidOut: "-12345677",
      transferred: "0",
      closing: balance,
    }
    const written = StatementCsv.write({
      merchantId: "mrch_1",
      merchantName: "=HYPERLINK(1),x",
      from: "2026-09-01",
      to: "2026-09-30",
      tokens: [token, { ...token, display: { assetSymbol: "?", decimals: 0 }, fees: "none" }],
    })
    assert.deepStrictEqual(written.split("\r\n"), [
      "merchant_id,merchant,from,to,token,network,asset,opening_owed,paid_in,fees,refunds,debt,kept,paid_out,transferred,closing_owed,opening_debt,closing_debt,opening_kept,closing_kept",
      `mrch_1,"'=HYPERLINK(1),x",2026-09-01,2026-09-30,USDC,Base,caip19/eip155:8453/erc20:0x1,1.23,12.345678,-0.000001,0,0,0,-12.345677,0,1.23,0.000005,0.000005,0,0`,
      `mrch_1,"'=HYPERLINK(1),x",2026-09-01,2026-09-30,?,,caip19/eip155:8453/erc20:0x1,1230000,12345678,?,0,0,0,-12345677,0,1230000,5,5,0,0`,
      "",
    ])
  })
})
