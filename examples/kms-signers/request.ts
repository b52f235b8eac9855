/**
 * The protocol of a signing program: it reads one line of JSON and writes one line of JSON.
 *
 * @module
 */
import { execFile } from "node:child_process"
import process, { stderr, stdin, stdout } from "node:process"
import { text } from "node:stream/consumers"
import * as Signature from "./signature.ts"

/** Returns the output of a command. If the command fails, its error output is passed on, and its arguments are not. */
export const run = (command: string, ...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(command, args, (error, out, err) => {
      if (error === null) resolve(out.trim())
      else reject(new Error(`${command} failed: ${err.trim()}`))
    })
  })

interface Request {
  readonly address: string
  readonly digest: string
}

/**
 * Responds to the request on standard input. `sign` gets the 32 bytes to sign, and returns a signature in DER. To
 * refuse transactions by rules of your own, also read `transaction` of the request here.
 */
export const answer = async (sign: (digest: Uint8Array) => Promise<Uint8Array>): Promise<void> => {
  try {
    const { address, digest }: Request = JSON.parse(await text(stdin))
    const der = await sign(Buffer.from(digest.slice(2), "hex"))
    stdout.write(`${JSON.stringify({ signature: Signature.fromDer(der, digest, address) })}\n`)
  } catch (error) {
    stderr.write(error instanceof Error ? error.message : "it could not sign")
    process.exitCode = 1
  }
}
