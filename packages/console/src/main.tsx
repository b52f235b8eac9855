/**
 * The console in a browser.
 *
 * @module
 */
import { render } from "preact"
import * as Partner from "./partner/Partner.ts"
import type { Face } from "./shell/Face.ts"
import * as Page from "./shell/Page.ts"
import { ProblemNote } from "./shell/Problem.tsx"
import * as Reader from "./shell/Reader.ts"
import * as Session from "./shell/Session.ts"
import { Shell } from "./shell/Shell.tsx"

/** In this order: the key leaves the address before anything is asked. */
const key = Session.takeKey()
const page = Page.read()

const faces: { readonly [F in Page.Page["face"]]: (of: Page.Page) => Promise<Face> } = {
  partner: (of) => Promise.resolve(Partner.faceOf(of)),
  operator: () => import("./operator/Operator.ts").then(({ face }) => face),
}

const sessionOf = async (of: Page.Page): Promise<Session.Signed | undefined> => {
  if (key === undefined) return Session.current(of)
  try {
    return await Session.signIn(of, key)
  } catch {
    // A link that was opened twice: the first time made a session.
    return Session.current(of)
  }
}

const start = async (of: Page.Page, loading: Promise<Face>): Promise<void> => {
  const root = document.createElement("div")
  document.documentElement.lang = Reader.language
  const [signed, face] = await Promise.all([
    sessionOf(of).catch((error: unknown) => ({ error })),
    loading,
  ])
  await Reader.partsLoaded()
  document.body.replaceChildren(root)
  render(
    signed !== undefined && "error" in signed ? (
      <ProblemNote error={signed.error} retry={() => location.reload()} />
    ) : (
      <Shell page={of} face={face} signed={signed} />
    ),
    root,
  )
}

if (page !== undefined) void start(page, faces[page.face](page))
