/**
 * Certificates for tests over TLS: made on the spot, so that no key lies in the repository and none runs out.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { generateKeyPairSync, sign } from "node:crypto"
import * as Tls from "node:tls"
import { Effect } from "effect"

/** A DER value: its tag, its length, and what it holds. */
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : [0x82, Math.floor(length / 256), length % 256]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"))
const commonName = identifier("550403")
const subjectAltName = identifier("551d11")

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A certificate that a host signed for itself. */
export const selfSigned = (host: string): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(host)))))
  const names = sequence(der(0x82, Buffer.from(host)))
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(der(0x17, Buffer.from("000101000000Z")), der(0x17, Buffer.from("491231235959Z"))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, names)))),
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", toSign, privateKey))
  const base64 = sequence(toSign, ecdsaWithSha256, signature).toString("base64")
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/gu, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  }
}

/** Lets this process believe a certificate. */
export const trust = ({ cert }: Certificate) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = Tls.getCACertificates("default")
      Tls.setDefaultCACertificates([...before, cert])
      return before
    }),
    (before) => Effect.sync(() => Tls.setDefaultCACertificates(before)),
  )
