/**
 * Compiles the test contracts into `compiled.json`: `pnpm --filter @florin/localnet compile`. A test compiles them again
 * and compares, so the file cannot go stale.
 *
 * @module
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import solc from "solc"

/** What is put on a chain, by name. The rest of the sources is only inherited from. */
const names = [
  "Delegate",
  "FakeToken",
  "FeeOracle",
  "FiatToken",
  "PaxosToken",
  "Passkey",
  "Permit2",
  "PlainToken",
  "PolygonUsdt",
  "PriceFeed",
  "Safe",
  "SafeCode",
  "SafeHandler",
  "SmartAccount",
  "SmartAccountFactory",
  "Usdt",
  "Usdt0",
]

const Output = Schema.fromJsonString(
  Schema.Struct({
    errors: Schema.optionalKey(Schema.Array(Schema.Struct({ formattedMessage: Schema.String }))),
    contracts: Schema.optionalKey(
      Schema.Record(
        Schema.String,
        Schema.Record(
          Schema.String,
          Schema.Struct({
            abi: Schema.Array(Schema.Unknown),
            evm: Schema.Struct({ deployedBytecode: Schema.Struct({ object: Schema.String }) }),
          }),
        ),
      ),
    ),
  }),
)
const decodeOutput = Schema.decodeUnknownSync(Output)

/** The content of `compiled.json`: the same bytes for the same sources. */
export const compile = (): string => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".sol"))
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(
      files.map((file) => [
        file,
        { content: readFileSync(new URL(file, import.meta.url), "utf8") },
      ]),
    ),
    settings: {
      evmVersion: "prague",
      optimizer: { enabled: true, runs: 200 },
      // Without it the code does not depend on comments or on the compiler's platform.
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
    },
  }
  const output = decodeOutput(solc.compile(JSON.stringify(input)))
  if (output.errors !== undefined && output.errors.length > 0) {
    throw new Error(output.errors.map(({ formattedMessage }) => formattedMessage).join("\n"))
  }
  const contracts = new Map(
    Object.values(output.contracts ?? {}).flatMap((file) => Object.entries(file)),
  )
  const lines = names.map((name) => {
    const contract = contracts.get(name)
    if (contract === undefined) throw new Error(`${name} is in none of the sources`)
    const { abi, evm } = contract
    return `"${name}": ${JSON.stringify({ abi, code: `0x${evm.deployedBytecode.object}` })}`
  })
  return `{\n${lines.join(",\n")}\n}\n`
}

if (import.meta.main) writeFileSync(new URL("compiled.json", import.meta.url), compile())
