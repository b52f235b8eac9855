import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Signer from "@florin/evm/Signer"
import { Effect } from "effect"
import * as Certificate from "../../server/test-support/certificate.ts"
import * as SignerSuite from "../src/SignerSuite.ts"
import * as Web3Signer from "../src/Web3Signer.ts"
import { address, key, some as asked } from "../test-support/asked.ts"
import * as FakeWeb3Signer from "../test-support/fakeWeb3Signer.ts"

SignerSuite.suite(
  "Web3Signer",
  SignerSuite.allLies,
  Effect.map(FakeWeb3Signer.start(), ({ url }) => {
    const at = (path: string) => Web3Signer.account({ address, url: `${url}/${path}` })
    return {
      honest: at(""),
      lying: (lie) => at(encodeURIComponent(lie)),
      slow: at("hang"),
      down: Web3Signer.account({ address, url: "http://127.0.0.1:1/secret" }),
      secrets: [key, "secret", "127.0.0.1"],
    }
  }),
)

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "florin-web3signer-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true })),
)

describe("Web3Signer.account", () => {
  it.live("S16: sends a certificate and a token, and trusts only the configured server", () =>
    Effect.gen(function* () {
      const place = yield* directory
      const [server, client] = [
        Certificate.selfSigned("localhost"),
        Certificate.selfSigned("client.example"),
      ]
      const file = (name: string, text: string) => {
        const path = join(place, name)
        writeFileSync(path, text, { mode: 0o600 })
        return path
      }
      const { seen, url } = yield* FakeWeb3Signer.start({
        ...server,
        ca: client.cert,
        requestCert: true,
        rejectUnauthorized: true,
      })
      const known = { address, url, caFile: file("ca.pem", server.cert) }
      const certFile = file("client.pem", client.cert)
      const [certKeyFile, tokenFile] = [file("client.key", client.key), file("token", "letmein\n")]
      const whole = { ...known, certFile, certKeyFile, tokenFile }
      yield* Signer.sign(Web3Signer.account(whole), asked)
      assert.strictEqual(seen[0]?.authorization, "Bearer letmein")
      for (const lacking of [
        known,
        { address, url, certFile, certKeyFile },
        { ...whole, caFile: certFile },
      ]) {
        const { message } = yield* Effect.flip(Signer.sign(Web3Signer.account(lacking), asked))
        assert.include(message, "could not sign: Web3Signer cannot be reached")
      }
      assert.lengthOf(seen, 1)
      const broken = { ...whole, certFile: file("broken.pem", "no certificate") }
      const { message: unusable } = yield* Effect.flip(
        Signer.sign(Web3Signer.account(broken), asked),
      )
      assert.include(unusable, "a certificate or the token of Web3Signer cannot be used")
      for (const path of [certKeyFile, tokenFile]) {
        chmodSync(path, 0o644)
        const { message } = yield* Effect.flip(Signer.sign(Web3Signer.account(whole), asked))
        assert.include(message, `chmod 600 ${path}`)
        chmodSync(path, 0o600)
      }
    }).pipe(Effect.scoped),
  )

  it.live("S16: passes on the server's error message, without keys", () =>
    Effect.gen(function* () {
      const { url } = yield* FakeWeb3Signer.start()
      const failing = (path: string) =>
        Effect.flip(Signer.sign(Web3Signer.account({ address, url: `${url}/${path}` }), asked))
      const unknown = yield* failing("unknown")
      assert.include(unknown.message, "Web3Signer says: Signer not found for …")
      assert.notInclude(unknown.message, key)
      assert.include((yield* failing("broken")).message, "Web3Signer responded with HTTP 502")
    }).pipe(Effect.scoped),
  )
})
