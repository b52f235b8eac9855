#!/usr/bin/env node
/**
 * A program that signs, or does what its arguments say.
 *
 * @module
 */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { argv, env, exit, stderr, stdin, stdout } from "node:process"
import { text } from "node:stream/consumers"
import * as Schema from "effect/Schema"
import { parseTransaction } from "viem/utils"
import { allLies } from "../src/SignerSuite.ts"
import { answer } from "./asked.ts"

const [, , what = "sign", value = ""] = argv
const Request = Schema.fromJsonString(
  Schema.Struct({ transaction: Schema.Record(Schema.String, Schema.String) }),
)
const { transaction } = Schema.decodeSync(Request)(await text(stdin))

const meet = async (directory: string, name: string): Promise<void> => {
  writeFileSync(join(directory, name), "")
  const others = ["1", "2"].map((each) => join(directory, each))
  while (!others.every((each) => existsSync(each))) {
    // oxlint-disable-next-line no-await-in-loop -- It waits for the other.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

if (what === "hang") await new Promise((resolve) => setTimeout(resolve, 1_000_000))
if (what === "fail") {
  stderr.write(`no access to 0x${"31".repeat(32)} at https://user:secret@kms.example\n`)
  exit(3)
}
if (what === "environment") {
  stderr.write(Object.keys(env).toSorted().join(" "))
  exit(1)
}
if (what === "meet") await meet(value, String(Number(transaction["nonce"])))

const lie = allLies.find((each) => each === what)
const digits = env["FAKE_KEY"]
const signedTransaction = await answer(
  transaction,
  lie,
  digits === undefined ? undefined : `0x${digits}`,
)
if (what === "signature") {
  const { r = "", s = "", yParity = 0 } = parseTransaction(`0x02${signedTransaction.slice(4)}`)
  const v = (value === "27" ? 27 + yParity : yParity).toString(16).padStart(2, "0")
  stdout.write(JSON.stringify({ signature: `${r}${s.slice(2)}${v}` }))
} else stdout.write(`${JSON.stringify({ signedTransaction })}\n`)
