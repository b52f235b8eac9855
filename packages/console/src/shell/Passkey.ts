/**
 * Passkeys in this browser: making one, and answering with one.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Session"

const encode = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const decode = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
    each.charCodeAt(0),
  )

const timeoutInMs = 120_000

/** Whether this browser has passkeys. It has none over plain HTTP, but on the own machine. */
export const isSupported = "PublicKeyCredential" in globalThis

/** Asks the person for a passkey, and returns the header with its answer; undefined if the person gives none. */
export const answer = async (challenge: string): Promise<string | undefined> => {
  if (!isSupported) return undefined
  const found = await navigator.credentials
    .get({
      publicKey: {
        challenge: decode(challenge),
        userVerification: "required",
        timeout: timeoutInMs,
      },
    })
    .catch(() => null)
  if (!(found instanceof PublicKeyCredential)) return undefined
  const { rawId, response } = found
  if (!(response instanceof AuthenticatorAssertionResponse)) return undefined
  const { authenticatorData, clientDataJSON, signature, userHandle } = response
  return [rawId, clientDataJSON, authenticatorData, signature, userHandle ?? new ArrayBuffer()]
    .map(encode)
    .join(".")
}

type Next = NonNullable<Wire.Passkeys["next"]>

/** Makes a passkey for this person; undefined if the person or the device does not want to. */
export const make = async (
  { challenge, userHandle }: Next,
  name: string,
): Promise<Omit<Wire.AddPasskeyRequest, "name"> | undefined> => {
  const made = await navigator.credentials
    .create({
      publicKey: {
        challenge: decode(challenge),
        rp: { name: "Florin" },
        user: { id: new TextEncoder().encode(userHandle), name, displayName: name },
        pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        attestation: "none",
        timeout: timeoutInMs,
      },
    })
    .catch(() => null)
  if (!(made instanceof PublicKeyCredential)) return undefined
  const { rawId, response } = made
  if (!(response instanceof AuthenticatorAttestationResponse)) return undefined
  const publicKey = response.getPublicKey()
  return publicKey === null
    ? undefined
    : {
        credentialId: encode(rawId),
        clientData: encode(response.clientDataJSON),
        authenticatorData: encode(response.getAuthenticatorData()),
        publicKey: encode(publicKey),
        algorithm: response.getPublicKeyAlgorithm(),
      }
}
