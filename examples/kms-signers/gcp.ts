#!/usr/bin/env node
/**
 * Signs with a key of Google Cloud KMS (`EC_SIGN_SECP256K1_SHA256`) over its REST interface. `gcloud kms
 * asymmetric-sign` cannot sign a digest, because it hashes its input with SHA-256 itself. `gcloud` is only used to get
 * the access token.
 *
 *   gcp.ts projects/…/locations/…/keyRings/…/cryptoKeys/relayer/cryptoKeyVersions/1
 *
 * @module
 */
import { argv, env } from "node:process"
import * as Request from "./request.ts"

const [, , version = ""] = argv
/** The variable that `gcloud` itself reads for private endpoints. */
const endpoint =
  env["CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS"] ?? "https://cloudkms.googleapis.com/"

await Request.answer(async (digest) => {
  const token = await Request.run("gcloud", "auth", "print-access-token")
  const response = await fetch(`${endpoint}v1/${version}:asymmetricSign`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    // The digest is Keccak-256. KMS signs any 32 bytes that are declared to be a SHA-256 digest.
    body: JSON.stringify({ digest: { sha256: Buffer.from(digest).toString("base64") } }),
  })
  if (!response.ok) throw new Error(`Cloud KMS responded with HTTP ${response.status}`)
  const { signature }: { readonly signature: string } = JSON.parse(await response.text())
  return Buffer.from(signature, "base64")
})
