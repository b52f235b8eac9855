/**
 * What a person does with keys in the console: a sign-in link becomes a session, a passkey starts more of them, and using
 * it lets a session move money for a while.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as ApiKey from "./ApiKey.ts"
import * as Passkey from "./Passkey.ts"

/**
 * Makes a session with a sign-in key, which ends with that: of two that use it at once, one gets in. Or with a passkey
 * that was just used. The session has the rights that the key carries.
 */
export const signIn = (key: ApiKey.ApiKey, fresh: Omit<ApiKey.Fresh, "expiresAt">, now: number) =>
  Result.gen(function* () {
    const { makesUntil = null, use } = key
    yield* ApiKey.check(key, now)
    if (use !== "sign_in" && use !== "passkey") return yield* Result.fail(ApiKey.invalid("unknown"))
    const isByLink = use === "sign_in"
    const { record, text } = yield* ApiKey.issue(
      {
        ...ApiKey.handedDown(key),
        ...fresh,
        makesUntil,
        use: "session",
        expiresAt: ApiKey.earlier(now + Limits.sessionMaxInMs, makesUntil),
      },
      now,
    )
    const freshInMs = isByLink ? Limits.freshByLinkInMs : Limits.freshByPasskeyInMs
    const session: ApiKey.Issued = {
      text,
      record: { ...record, person: ApiKey.personOf(key), freshUntil: now + freshInMs },
    }
    return { used: isByLink ? ApiKey.revoke(key, now) : key, session }
  })

/** Whether a session may move money without using a passkey again. */
export const isFresh = ({ freshUntil = 0 }: ApiKey.ApiKey, now: number): boolean => now < freshUntil

/** The hash by which a passkey is found. Its prefix keeps it apart from those of keys, whatever the id is. */
export const passkeyHash = (credentialId: string): ApiKey.KeyHash =>
  ApiKey.hash(`florin/passkey/1\n${credentialId}`)

const refuseChallenge = Result.fail(Passkey.refuse("challenge"))

/** Adds a passkey to the person of a session. It has the session's rights, and ends with what the session ends with. */
export const addPasskey = (
  session: ApiKey.ApiKey,
  made: {
    readonly id: ApiKey.ApiKeyId
    readonly credentialId: string
    readonly challengedAt: number
    readonly passkey: Passkey.Passkey
  },
  now: number,
) =>
  Result.gen(function* () {
    const { challengedAt, credentialId, id, passkey } = made
    const { makesUntil = null } = session
    const inherited = ApiKey.handedDown(session)
    yield* ApiKey.check(session, now)
    yield* Invalid.check([
      ...Invalid.textIssues("name", passkey.label, Limits.merchantNameMaxLength),
      // It starts sessions, and people create keys in these.
      ...Invalid.unless(
        inherited.madeBy.length <= Limits.keyGenerationsMax - 2,
        "name",
        "is of too long a chain of passkeys: sign in with a link first",
      ),
    ])
    if (session.use !== "session") return yield* Result.fail(ApiKey.invalid("unknown"))
    if (challengedAt <= (session.challengedAt ?? 0)) return yield* refuseChallenge
    const added: ApiKey.ApiKey = {
      ...inherited,
      ...ApiKey.unused(now),
      id,
      hash: passkeyHash(credentialId),
      hint: `${credentialId.slice(0, ApiKey.hintLength * 2)}…`,
      expiresAt: makesUntil,
      use: "passkey",
      makesUntil,
      person: ApiKey.personOf(session),
      passkey,
    }
    const used: ApiKey.ApiKey = { ...session, challengedAt }
    return { session: used, added }
  })

/** Records that a passkey was used, once for each challenge. */
export const usePasskey = (key: ApiKey.ApiKey, said: Passkey.Said, now: number) =>
  Result.gen(function* () {
    const { challengedAt: last = 0, passkey } = key
    const { challengedAt } = said
    yield* ApiKey.check(key, now)
    if (passkey === undefined) return yield* Result.fail(ApiKey.invalid("unknown"))
    if (challengedAt <= last) return yield* refuseChallenge
    const counted = yield* Passkey.use(passkey, said)
    const used: ApiKey.ApiKey = { ...ApiKey.recordUse(key, now), challengedAt, passkey: counted }
    return used
  })

/** Lets a session move money, after its person used a passkey. */
export const confirm = (session: ApiKey.ApiKey, now: number): ApiKey.ApiKey => ({
  ...session,
  freshUntil: now + Limits.freshByPasskeyInMs,
})
