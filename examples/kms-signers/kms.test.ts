/**
 * Runs both programs as a worker would, with commands and a server that stand in for the key services.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath } from "node:process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Signer from "@florin/evm/Signer"
import * as Program from "@florin/signers/Program"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as FakeKms from "./fakeKms.ts"

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const address = `0x${bytesToHex(keccak_256(FakeKms.publicKey.subarray(1)).subarray(12))}`

/** A directory with the commands. The programs find no other commands. */
const commands = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = mkdtempSync(join(tmpdir(), "florin-kms-"))
    for (const name of ["aws", "gcloud"]) {
      const path = join(directory, name)
      writeFileSync(
        path,
        `#!/bin/sh\nexec "${execPath}" "${file("fakeCommand.ts")}" ${name} "$@"\n`,
      )
      chmodSync(path, 0o700)
    }
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true })),
)

const version = "projects/p/locations/l/keyRings/r/cryptoKeys/relayer/cryptoKeyVersions/1"

/** A stand-in for Cloud KMS that only supports the call to sign. */
const cloudKms = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
        const server = createServer((request, response) => {
          void text(request).then((body) => {
            const isRight =
              request.url === `/v1/${version}:asymmetricSign` &&
              request.headers.authorization === "Bearer token-of-gcloud"
            if (!isRight) return response.writeHead(403).end()
            const digest = Buffer.from(JSON.parse(body).digest.sha256, "base64")
            return response.end(JSON.stringify({ signature: FakeKms.sign(digest) }))
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const at = server.address()
          const port = typeof at === "object" && at !== null ? at.port : 0
          resolve({ url: `http://127.0.0.1:${port}/`, close: () => server.close() })
        })
      }),
  ),
  ({ close }) => Effect.sync(close),
)

/** Starts a program with its own environment variables, as a worker would with those that are configured for it. */
const account = (
  variables: { readonly [name: string]: string },
  program: string,
  argument: string,
  of = address,
) =>
  Program.account({
    address: of,
    signWithinInMs: 60_000,
    command: [
      "/usr/bin/env",
      "-i",
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      execPath,
      file(program),
      argument,
    ],
  })

const transaction = (nonce: number): Signer.Unsigned => ({
  type: "eip1559",
  chainId: 8453,
  nonce,
  to: `0x${"5".repeat(40)}`,
  value: 0n,
  data: "0xa9059cbb",
  gas: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
})

/** Different digests, so that the key service returns a high s for some of them. */
const signAll = (by: Signer.RelayerAccount) =>
  Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (nonce) => Signer.sign(by, transaction(nonce)), {
    concurrency: 2,
  })

describe("the programs for key services", () => {
  it.live("S16: sign with AWS KMS what a worker asks for, whichever s and key it returns", () =>
    Effect.gen(function* () {
      const PATH = yield* commands
      const by = account({ PATH, AWS_PROFILE: "florin" }, "aws.ts", "alias/relayer")
      assert.lengthOf(yield* signAll(by), 8)
    }).pipe(Effect.scoped),
  )

  it.live("S16: sign with Google Cloud KMS, too", () =>
    Effect.gen(function* () {
      const PATH = yield* commands
      const { url } = yield* cloudKms
      const variables = { PATH, CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS: url }
      assert.lengthOf(yield* signAll(account(variables, "gcp.ts", version)), 8)
      const { message } = yield* Effect.flip(
        Signer.sign(account(variables, "gcp.ts", "projects/other"), transaction(0)),
      )
      assert.include(message, "Cloud KMS responded with HTTP 403")
      assert.notInclude(message, "token-of-gcloud")
    }).pipe(Effect.scoped),
  )

  it.live("S16: wait for a request that a busy worker writes late", () =>
    Effect.gen(function* () {
      const PATH = yield* commands
      const late = ["-c", `/bin/sleep 2 | "${execPath}" "${file("aws.ts")}" alias/relayer`]
      const { stderr } = yield* Effect.promise(() =>
        promisify(execFile)("/bin/sh", late, { env: { PATH } }).catch((error) => error),
      )
      // It read its input, which ended after two seconds and was empty.
      assert.include(stderr, "JSON")
    }).pipe(Effect.scoped),
  )

  it.live("S16: fail, and say why, without rights and with the key of another account", () =>
    Effect.gen(function* () {
      const PATH = yield* commands
      const failure = (by: Signer.RelayerAccount) =>
        Effect.map(Effect.flip(Signer.sign(by, transaction(0))), ({ message }) => message)
      assert.include(
        yield* failure(account({ PATH }, "aws.ts", "alias/relayer")),
        "Unable to locate credentials",
      )
      const other = `0x${"1".repeat(40)}`
      assert.include(
        yield* failure(account({ PATH, AWS_PROFILE: "florin" }, "aws.ts", "alias/relayer", other)),
        "the key service signed with the key of another account",
      )
    }).pipe(Effect.scoped),
  )
})
