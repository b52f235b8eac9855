import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import { Effect, Result } from "effect"
import * as PayerData from "../src/pay/PayerData.ts"
import * as Prompt from "../src/terminal/Prompt.ts"
import * as Directory from "./directory.ts"

const needed = CollectData.make(
  { payLinkHost: "pay.example.com" },
  PaymentId.PaymentId.make("pay_1"),
  [],
  "sealed",
)

/** What came of asking somebody who types these lines, and all that was said. */
const asked = async (...lines: ReadonlyArray<string>) => {
  const input = new PassThrough()
  const output = new PassThrough()
  input.end(lines.map((line) => `${line}\n`).join(""))
  const prompt = Prompt.make({ input, output }, new AbortController().signal)
  const collected = await PayerData.ask(needed, prompt)
  return { collected, said: String(output.read()) }
}

/** What the service makes of it. */
const taken = (collected: Awaited<ReturnType<typeof PayerData.ask>>) =>
  typeof collected === "object"
    ? Result.getOrThrow(CollectData.fromFields(collected.fields))
    : assert.fail("nothing was collected")

const person = { fullName: "Ada Lovelace", dob: "1990-12-10", tosConfirmed: true as const }

describe("PayerData.ask", () => {
  it("asks for each field of the schema, and for either birth date or residence", async () => {
    const { collected, said } = await asked("Ada Lovelace", "1990-12-10", "2", "GB", "London", "y")
    assert.deepStrictEqual(taken(collected), { ...person, porCountry: "GB", porAddress: "London" })
    const birth = await asked("Ada Lovelace", "1990-12-10", "1", "gb", " London ", "yes")
    assert.deepStrictEqual(taken(birth.collected), {
      ...person,
      pobCountry: "GB",
      pobAddress: "London",
    })
    assert.include(said, "2  Country of residence and Address of residence")
    assert.isBelow(said.indexOf(needed.url), said.indexOf("I accept the terms"))
    assert.notInclude(said, "Ada")
  })

  it("prints what is wrong with a field, asks again, and repeats nothing that was typed", async () => {
    const { collected, said } = await asked(
      "",
      "Ada\u001b[D",
      "Ada Lovelace",
      "10.12.1990",
      "1990-02-30",
      "1990-12-10",
      "3",
      "1",
      "Atlantis",
      "united kingdom",
      "",
      "London",
      "yes",
    )
    assert.strictEqual(taken(collected).pobCountry, "GB")
    const wrong = [...said.matchAll(/ {4}(\S.*)\.\n/gu)].map(([, text]) => text)
    assert.deepStrictEqual(wrong, [
      "Full name is needed",
      "Full name has keys that are not text",
      "Date of birth must be a date, written YYYY-MM-DD",
      "Date of birth must be a date, written YYYY-MM-DD",
      "Country of birth must be a country, as two capital letters such as DE",
      "Place of birth is needed",
    ])
    assert.notMatch(said, /Ada|1990|Atlantis|London/u)
  })

  it("stops at the end of the input, or without a choice or acceptance", async () => {
    const before = ["Ada Lovelace", "1990-12-10"]
    for (const lines of [
      [],
      ["Ada Lovelace"],
      [...before, ""],
      [...before, "1", "GB", "London"],
      [...before, "1", "GB", "London", "no"],
      [...before, "1", "GB", "London", ""],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- Each is an answer of its own.
      assert.isUndefined((await asked(...lines)).collected, lines.join())
    }
  })
})

const inFile = async (text: string) => {
  const directory = Directory.make()
  const path = join(directory, "payer.json")
  writeFileSync(path, text)
  try {
    return await Effect.runPromise(
      PayerData.read(path).pipe(
        Effect.flatMap((values) => PayerData.fit(needed, values)),
        Effect.result,
      ),
    )
  } finally {
    Directory.remove(directory)
  }
}

describe("PayerData of a file", () => {
  it("accepts what the schema describes", async () => {
    const data = { ...person, porCountry: "GB", porAddress: "London" }
    const fitting = await inFile(JSON.stringify(data))
    assert.deepStrictEqual(taken(Result.getOrThrow(fitting)), data)
  })

  it("is refused with one line for each wrong field, without its contents", async () => {
    const wrong = { dob: "1990-02-30", pobCountry: "Utopia", pobAddress: "London", age: "36" }
    const refused = await inFile(JSON.stringify(wrong))
    const message = Result.isFailure(refused) ? refused.failure.message : "it fits"
    assert.deepStrictEqual(message.split("\n  ").slice(1), [
      "fullName: Full name is needed",
      "dob: Date of birth must be a date, written YYYY-MM-DD",
      "pobCountry: Country of birth must be a country, as two capital letters such as DE",
      "tosConfirmed: I accept the terms and the privacy policy must be accepted before data is sent",
      "the file has an unknown field: use only fullName, dob, pobCountry, pobAddress, porCountry, porAddress, tosConfirmed",
    ])
    assert.notMatch(message, /1990|Utopia|London|36|age/u)
  })

  it("is refused if it is not JSON with texts", async () => {
    for (const text of ["", "Ada", "[]", '{"fullName": 7}', '{"tosConfirmed": false}']) {
      // oxlint-disable-next-line no-await-in-loop -- Each is a file of its own.
      assert.isTrue(Result.isFailure(await inFile(text)), text)
    }
  })
})
