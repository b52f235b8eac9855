/**
 * Who is signed in, and the calls in that session: to the same origin, with its cookie and its token.
 *
 * @module
 */
import * as Local from "@florin/api/wire/Local"
import type * as Wire from "@florin/api/wire/Session"
import { Refused, Unreadable } from "@florin/client"
import * as Connection from "@florin/client/Connection"
import type { Page } from "./Page.ts"
import * as Passkey from "./Passkey.ts"
import * as Shared from "./Shared.ts"

/** A session, and what can be asked in it. */
export interface Signed {
  readonly session: Wire.Session
  /** Any call: `call({ method: "GET", path: "/operator/v1/findings", responseMembers: ["findings"] })`. */
  readonly call: Connection.Call
  /** The same for a call whose response is a stream. */
  readonly prepare: ReturnType<typeof Connection.makePrepare>
  /** Where the API begins, for a link to a file of it. */
  readonly baseUrl: string
}

/** Where the API of each face begins. */
export const bases = { partner: "/v1", operator: "/operator/v1" } as const
const members = ["face", "scopes", "csrfToken"] as const

/** Whether the service could be reached by the last call. */
export const isConnected = Shared.make(true)

/** Whether the service has said that the session is over, and no other has begun. */
export const hasEnded = Shared.make(false)

/**
 * A call that a passkey lets through if it is refused without one: the person is asked, and the same call is sent again,
 * so that nothing that was typed is lost.
 */
const confirmed = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  const challenge = response.headers.get("passkey-challenge")
  const passkey = challenge === null ? undefined : await Passkey.answer(challenge)
  return passkey === undefined
    ? response
    : fetch(url, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init.headers)), "passkey-response": passkey },
      })
}

/** Long enough for a person to find the passkey. */
const timeoutInMs = 150_000

/** On a developer's machine a new session is one press away, so it is asked for in place of a passkey, too. */
const needsSession = async ({ isLocal }: Page, response: Response): Promise<boolean> =>
  response.status === 401 ||
  (isLocal === true &&
    response.status === 403 &&
    (await response.clone().text()).includes('"step_up_required"'))

/** The token of the session that began last. A late refusal of an earlier one says nothing about it. */
let newest = ""

const watched =
  (page: Page, csrfToken: string) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await confirmed(url, init)
      isConnected.set(true)
      if ((await needsSession(page, response)) && csrfToken === newest) hasEnded.set(true)
      return response
    } catch (error) {
      if (init.signal?.aborted !== true) isConnected.set(false)
      throw error
    }
  }

const options = ({ basePath }: Page, csrfToken: string | undefined) => ({
  baseUrl: `${location.origin}${basePath.replace(/\/console$/u, "")}`,
  apiKey: { csrfToken },
})

const signed = (page: Page, session: Wire.Session): Signed => {
  const { csrfToken } = session
  newest = csrfToken
  const own = { ...options(page, csrfToken), fetch: watched(page, csrfToken), timeoutInMs }
  return {
    session,
    baseUrl: own.baseUrl,
    call: Connection.make(own),
    prepare: Connection.makePrepare(own),
  }
}

const path = ({ face }: Page) => `${bases[face]}/session`

/** A link that works once and not for long, which a service on a developer's machine gives its own pages. */
export const linkTo = (call: Connection.Call, open: Local.Open["open"]) => {
  const body: Local.Open = { open }
  return call<Local.Opened>({ method: "POST", path: Local.path, body, responseMembers: ["link"] })
}

/** A new session on a developer's machine; undefined through a proxy or tunnel. */
export const signInHere = async (page: Page): Promise<Signed | undefined> => {
  try {
    const { link } = await linkTo(Connection.make(options(page, undefined)), "test")
    return await signIn(page, keyOf(link))
  } catch (error) {
    if (error instanceof Unreadable && error.status === 403) return undefined
    throw error
  }
}

/** The session of this browser; undefined if nobody is signed in. */
export const current = async (page: Page): Promise<Signed | undefined> => {
  try {
    const session = await Connection.make(options(page, undefined))<Wire.Session>({
      method: "GET",
      path: path(page),
      responseMembers: members,
    })
    return signed(page, session)
  } catch (error) {
    if (!(error instanceof Refused && error.status === 401)) throw error
    return page.isLocal === true ? signInHere(page) : undefined
  }
}

/** Exchanges the key of a one-time link, or the use of a passkey, for a session, whose cookie the browser keeps. */
export const signIn = async (page: Page, key: string | undefined): Promise<Signed> => {
  const session = await Connection.make({
    ...options(page, undefined),
    ...(key !== undefined && { apiKey: key }),
    timeoutInMs,
    fetch: (url, init) => confirmed(url, { ...init, credentials: "same-origin" }),
  })<Wire.Session>({ method: "POST", path: path(page), responseMembers: members })
  return signed(page, session)
}

export const signOut = async (page: Page, { call }: Signed): Promise<void> => {
  await call({ method: "DELETE", path: path(page), responseMembers: [] })
}

/** The key in a sign-in link, or in what a person pasted. */
export const keyOf = (text: string): string | undefined =>
  /^(?:.*#sign-in=)?([\w.~-]{8,512})$/u.exec(text.trim())?.[1]

/** Takes the key out of the address before anything else can read it, or a history keeps it. */
export const takeKey = (): string | undefined => {
  const { hash, pathname, search } = location
  if (!hash.startsWith("#sign-in=")) return undefined
  history.replaceState(null, "", `${pathname}${search}`)
  return keyOf(hash)
}
