/**
 * The token that a session's page sends with each write: the session's key, sealed. Another page can make a browser send
 * the cookie, but it cannot read this token.
 *
 * @module
 */
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Seal from "../ground/Seal.ts"
import type * as ApiKey from "./ApiKey.ts"

export const issue = (session: ApiKey.ApiKeyId, key: Seal.SealKeys): string =>
  Seal.seal(key, "csrf", utf8ToBytes(session))

/** Whether a token is of this session, and no other. */
export const isOf = (session: ApiKey.ApiKeyId, token: string, key: Seal.SealKeys): boolean =>
  Result.match(Seal.open(key, "csrf", token), {
    onFailure: () => false,
    onSuccess: (payload) => bytesToHex(payload) === bytesToHex(utf8ToBytes(session)),
  })
