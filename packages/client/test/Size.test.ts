/**
 * The size and contents of a wallet's bundle with the kit.
 *
 * @module
 */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { build, type Metafile } from "esbuild"

const gzippedBytesMax = 18_000
const receiverGzippedBytesMax = 2000

const bundle = async (contents: string) => {
  const { metafile, outputFiles } = await build({
    bundle: true,
    format: "esm",
    logLevel: "silent",
    metafile: true,
    minify: true,
    platform: "browser",
    stdin: { contents, resolveDir: dirname(fileURLToPath(import.meta.url)), loader: "ts" },
    target: "es2022",
    write: false,
  })
  return { inputs: kept(metafile), code: outputFiles[0]?.text ?? "" }
}

/** The files of which something is left, with packages named from their root. */
const kept = ({ outputs }: Metafile): ReadonlyArray<string> =>
  Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file.replace(/^.*\/(?=effect\/dist\/)/u, "").replace(/^.*packages\//u, ""))

/** Results, and what they and plain errors need; all of it holds values and runs nothing. */
const small =
  /^effect\/dist\/(?:Data|Equal|Formatter|Function|Hash|Inspectable|Pipeable|Predicate|Redactable|Result|Utils|internal\/(?:core|equal|hash|option|record|result))\.js$/u

describe("the wallet kit", () => {
  let kit = { inputs: kept({ inputs: {}, outputs: {} }), code: "" }
  beforeAll(async () => {
    kit = await bundle(`export { pay, parsePaymentLink } from "../src/Client.ts"`)
  })

  it(`is at most ${gzippedBytesMax} bytes, gzipped`, () => {
    assert.isAtMost(gzipSync(kit.code).length, gzippedBytesMax)
    assert.include(kit.code, "/v1/gateway/payment/")
  })

  it("contains no code of Effect, and no parser of links, in a page that pays by id", async () => {
    const page = await bundle(`export { payById } from "../src/Client.ts"`)
    const others = page.inputs.filter((file) => /^effect\/|Link\.ts$/u.test(file))
    assert.deepStrictEqual(others, [])
    assert.include(page.code, "/v1/gateway/payment/")
  })

  it("needs neither Node nor Effect's runtime", () => {
    const effect = kit.inputs.filter((file) => file.startsWith("effect/"))
    assert.include(effect, "effect/dist/Result.js")
    assert.deepStrictEqual(
      effect.filter((file) => !small.test(file)),
      [],
    )
    assert.notMatch(kit.code, /\bnode:|\brequire\(/u)
  })

  it("contains our client and the parser of links, and no other code of ours", () => {
    const ours = kit.inputs.filter((file) => !file.startsWith("effect/") && file !== "<stdin>")
    assert.include(ours, "client/src/Pay.ts")
    assert.notInclude(ours, "client/src/Partner.ts")
    assert.deepStrictEqual(
      ours.filter(
        (file) =>
          !/^(?:client\/src\/\w+|core\/src\/domain\/(?:ground|payment)\/(?:Limits|PaymentIdForm|PaymentLink))\.ts$/u.test(
            file,
          ),
      ),
      [],
    )
  })

  it("uses no global that a wallet's platform may not have", async () => {
    const names = [
      "process",
      "Buffer",
      "btoa",
      "TextEncoder",
      "structuredClone",
      "document",
      "window",
    ]
    const found = names.filter((name) => new RegExp(`(?<![.\\w"'])${name}\\b`, "u").test(kit.code))
    assert.deepStrictEqual(found, [])
  })

  it("has no regular expression that a phone's engine may not compile", () => {
    assert.notMatch(kit.code, /\\[pP]\{|\(\?<|\/[a-z]*[sdv][a-z]*\.(?:test|exec)\(/u)
    assert.match(String.raw`/\p{L}/u`, /\\[pP]\{/u)
  })

  it("contains no webhook verification, which is small by itself", async () => {
    assert.notInclude(kit.inputs, "client/src/Webhook.ts")
    const { code, inputs } = await bundle(`export { verifyWebhook } from "../src/Client.ts"`)
    assert.include(inputs, "client/src/Webhook.ts")
    assert.notMatch(code, /\bnode:|\brequire\(|\bBuffer\b|\bprocess\b/u)
    assert.isAtMost(gzipSync(code).length, receiverGzippedBytesMax)
  })

  it("would exceed its limit with Effect's schemas", async () => {
    const large = await bundle(
      `export * from "../src/Client.ts"\nexport { PaymentId } from "@florin/core/domain/ground/PaymentId"`,
    )
    assert.isAbove(gzipSync(large.code).length, gzippedBytesMax)
    assert.include(large.inputs, "effect/dist/Schema.js")
  })
})
