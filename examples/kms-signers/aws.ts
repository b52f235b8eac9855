#!/usr/bin/env node
/**
 * Signs with a key of AWS KMS (`ECC_SECG_P256K1`), by the `aws` command, version 2.
 *
 *   aws.ts alias/relayer
 *
 * @module
 */
import { argv } from "node:process"
import * as Request from "./request.ts"

const [, , keyId = ""] = argv

await Request.answer(async (digest) => {
  // The digest is Keccak-256. KMS signs any 32 bytes that are declared to be a digest.
  const message = Buffer.from(digest).toString("base64")
  const what = ["--key-id", keyId, "--message", message, "--message-type", "DIGEST"]
  const how = ["--signing-algorithm", "ECDSA_SHA_256", "--cli-binary-format", "base64"]
  const output = ["--output", "text", "--query", "Signature"]
  const signature = await Request.run("aws", "kms", "sign", ...what, ...how, ...output)
  return Buffer.from(signature, "base64")
})
