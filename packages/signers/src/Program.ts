/**
 * An account whose key is behind a program of the operator, such as one that calls a cloud's key service.
 *
 * The program is started for each signature, without a shell. It reads one line of JSON from its standard input, writes
 * one to its standard output, and exits. So signatures of several accounts are made at the same time, and a program
 * that hangs or crashes affects one signature only. It gets only the named variables of our environment.
 *
 * @example
 * const account = Program.account({
 *   address: "0x…",
 *   command: ["/opt/signers/aws.ts", "alias/relayer"],
 *   environment: ["AWS_PROFILE"],
 * })
 *
 * @module
 */
import { spawn, type ChildProcess } from "node:child_process"
import process from "node:process"
import type { RelayerAccount, Unsigned } from "@florin/evm/Signer"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { serializeTransaction } from "viem/utils"
import * as Call from "./Call.ts"
import * as Unavailable from "./Unavailable.ts"

export interface Options extends Omit<RelayerAccount, "signTransaction"> {
  /** The program's file, and its arguments. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** The variables of our environment that it gets, in addition to `PATH`, `HOME` and `TMPDIR`. */
  readonly environment?: ReadonlyArray<string>
}

const Hex = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]*$/u))

/** The program may return either form. */
const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Union([
      Schema.Struct({ signedTransaction: Hex }),
      Schema.Struct({ signature: Schema.String }),
    ]),
  ),
)

/** r, s and v, which is the parity of y, with or without 27 added. */
const signaturePattern = /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})(00|01|1b|1c)$/iu

const outputCharsMax = 1_000_000
const errorCharsMax = 1000

/** The variables that programs need to find other programs and their settings. */
const usual = ["PATH", "HOME", "TMPDIR"]

const environmentOf = (names: ReadonlyArray<string>) =>
  Object.fromEntries(
    [...usual, ...names].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

const isGrouped = process.platform !== "win32"

/**
 * Kills it with all processes that it started: a script's own child would continue to run, and keep its output open.
 */
const kill = (child: ChildProcess): void => {
  try {
    if (isGrouped && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    else child.kill("SIGKILL")
  } catch {
    // It exited meanwhile.
  }
}

/** The program's output, if its exit code is 0. */
const run = (
  { command: [file, ...args], environment = [] }: Options,
  input: string,
  signal: AbortSignal,
) =>
  new Promise<string>((resolve, reject) => {
    const child = spawn(file, args, {
      shell: false,
      detached: isGrouped,
      windowsHide: true,
      env: environmentOf(environment),
      stdio: ["pipe", "pipe", "pipe"],
    })
    let [out, err] = ["", ""]
    const stop = () => kill(child)
    // First, because without a free file descriptor the child has no streams.
    child.on("error", () => {
      signal.removeEventListener("abort", stop)
      reject(Unavailable.because(`the program ${file} cannot be started`))
    })
    signal.addEventListener("abort", stop)
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      if (out.length > outputCharsMax) stop()
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (err.length < errorCharsMax) err += text
    })
    // It may exit without reading its input: its exit code shows the reason.
    child.stdin.on("error", () => {})
    child.stdin.end(`${input}\n`)
    child.on("close", (code, killedBy) => {
      signal.removeEventListener("abort", stop)
      if (code === 0) return resolve(out)
      const end = code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`
      return reject(Unavailable.because(`the program ${end}: ${Unavailable.scrub(err)}`))
    })
  })

const request = (address: string, transaction: Unsigned): string => {
  const unsigned = serializeTransaction(transaction)
  return JSON.stringify({
    version: 1,
    method: "eth_signTransaction",
    address,
    chainId: transaction.chainId,
    transaction: Call.of(address, transaction),
    unsigned,
    digest: `0x${bytesToHex(keccak_256(hexToBytes(unsigned.slice(2))))}`,
  })
}

/** Converts the output to one form. It is compared with the request later. */
const transactionOf = (asked: Unsigned, output: string): `0x${string}` => {
  const response = Option.getOrUndefined(decode(output))
  if (response === undefined) {
    throw Unavailable.because("the program wrote no JSON with a signedTransaction or a signature")
  }
  if ("signedTransaction" in response) return `0x${response.signedTransaction.slice(2)}`
  const [, r, s, v] = signaturePattern.exec(response.signature) ?? []
  if (v === undefined) {
    throw Unavailable.because("the program wrote a signature that is not r, s and v in 65 bytes")
  }
  const yParity = v === "00" || v.toLowerCase() === "1b" ? 0 : 1
  return serializeTransaction(asked, { r: `0x${r}`, s: `0x${s}`, yParity })
}

export const account = (options: Options): RelayerAccount => ({
  ...options,
  signTransaction: async (transaction, { signal }) =>
    transactionOf(transaction, await run(options, request(options.address, transaction), signal)),
})
