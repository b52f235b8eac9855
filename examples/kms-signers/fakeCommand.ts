/**
 * Stands in for `aws` and `gcloud`. It rejects every call that the real command would not understand.
 *
 * @module
 */
import { argv, env, exit, stderr, stdout } from "node:process"
import * as FakeKms from "./fakeKms.ts"

const [, , command = "", ...words] = argv

const valueOf = (name: string): string => words[words.indexOf(name) + 1] ?? ""

const wanted = {
  "--key-id": "alias/relayer",
  "--signing-algorithm": "ECDSA_SHA_256",
  "--message-type": "DIGEST",
  "--cli-binary-format": "base64",
  "--output": "text",
  "--query": "Signature",
}

const refuse = (message: string): never => {
  stderr.write(message)
  return exit(254)
}

if (command === "gcloud") {
  if (words.join(" ") !== "auth print-access-token") refuse("gcloud: not understood")
  stdout.write("token-of-gcloud\n")
} else {
  if (env["AWS_PROFILE"] !== "florin") refuse("Unable to locate credentials")
  const isRight = Object.entries(wanted).every(([name, value]) => valueOf(name) === value)
  if (words.slice(0, 2).join(" ") !== "kms sign" || !isRight) refuse("aws: not understood")
  stdout.write(`${FakeKms.sign(Buffer.from(valueOf("--message"), "base64"))}\n`)
}
