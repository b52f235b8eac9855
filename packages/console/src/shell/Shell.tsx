/**
 * The frame of every screen: navigation, search, keyboard, messages and questions.
 *
 * @module
 */
import type * as Approval from "@florin/api/wire/Approval"
import { type ComponentChildren, Fragment } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { useRead } from "./Api.ts"
import { Context, type Console, type DialogOf, type Toast } from "./Console.tsx"
import { Shown } from "./Detail.tsx"
import { Dialog } from "./Dialog.tsx"
import type { Face, Tab } from "./Face.ts"
import { loadAgain, useLoad } from "./Load.ts"
import type { Page } from "./Page.ts"
import { passkeys } from "./Passkeys.tsx"
import * as Path from "./Path.ts"
import { Button, Head, Icon, Pill } from "./Pieces.tsx"
import { sentence } from "./Problem.tsx"
import { go, Link, match, usePlace } from "./Route.tsx"
import * as Session from "./Session.ts"
import { SignIn } from "./SignIn.tsx"
import { moveRow } from "./Table.tsx"
import * as Texts from "./Texts.ts"

const toastInMs = 6000

/** Which tab a path belongs to: the one with the longest address that it begins with. */
const tabOf = (tabs: ReadonlyArray<Tab>, path: string): Tab | undefined =>
  tabs
    .filter(({ to }) => path === to || path.startsWith(`${to}/`))
    .toSorted((left, right) => right.to.length - left.to.length)[0]

const Screen = ({ face, path }: { readonly face: Face; readonly path: string }) => {
  const texts = Texts.texts.notFound
  const [found] = face.screens.flatMap((screen) => {
    const params = match(screen.path, path)
    return params === undefined ? [] : [{ ...screen, params }]
  })
  const code = useLoad(found?.path ?? "", async () => ({ of: found, View: await found?.load() }))
  if (found === undefined) {
    return (
      <Head title={texts.title} note={texts.text}>
        <Link to="/">{texts.back}</Link>
      </Head>
    )
  }
  const { of, View } = code.value ?? {}
  return (
    <Shown of={{ ...code, value: of?.path === found.path ? View : undefined }}>
      {(Loaded) => <Loaded key={path} {...found.params} />}
    </Shown>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest("input, textarea, select, [contenteditable]") !== null

const shortcuts = (tabs: ReadonlyArray<Tab>): DialogOf => {
  const { keys, search } = Texts.texts
  const rows = [
    ["/", search],
    ["j  k", keys.move],
    ["Enter", keys.open],
    ...tabs.map(({ key, name }) => [`g  ${key}`, keys.goTo(name())]),
    ["Esc", keys.close],
    ["?", keys.help],
  ]
  const body = (
    <dl class="shortcuts">
      {rows.map(([key, what]) => (
        <Fragment key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </Fragment>
      ))}
    </dl>
  )
  return { title: keys.title, body }
}

const approvalsEveryInMs = 30_000

/** How many requests the person who looks can approve, or carry out as they were approved. */
const Waiting = () => {
  const read = useRead<Approval.List>("/approvals", {}, { everyInMs: approvalsEveryInMs })
  const { approvals = [] } = read.value ?? {}
  const count = approvals.filter(
    ({ approvedBy, isOwn, mayApprove }) => mayApprove || (isOwn && approvedBy !== null),
  ).length
  return count > 0 ? (
    <Pill tone="caution">
      <span aria-hidden="true">{count}</span>
      <span class="unseen">{Texts.texts.waiting(count)}</span>
    </Pill>
  ) : null
}

const Frame = ({
  page,
  face,
  signed,
  signOut,
}: {
  readonly page: Page
  readonly face: Face
  readonly signed: Session.Signed
  readonly signOut: () => Promise<void>
}) => {
  const texts = Texts.texts
  const { session } = signed
  const place = usePlace()
  const isConnected = Session.isConnected.use()
  const [toasts, setToasts] = useState<ReadonlyArray<Toast & { readonly id: number }>>([])
  const toastCount = useRef(0)
  const [dialog, open] = useState<DialogOf | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const awaitsTab = useRef(false)
  const may = (scope: string | undefined) =>
    scope === undefined || session.scopes.some((each) => each === scope)
  const tabs = useMemo(
    () => face.screens.flatMap(({ tab: each }) => (each && may(each.scope) ? each : [])),
    [face, signed],
  )
  const help = () => open(shortcuts(tabs))
  const leave = () =>
    signOut().catch((error: unknown) => console.toast({ text: sentence(error), kind: "bad" }))
  const tab = tabOf(tabs, place.path)

  const console = useMemo<Console>(
    () => ({
      ...signed,
      may,
      toast: (toast) => {
        const id = ++toastCount.current
        setToasts((was) => [...was.slice(-2), { ...toast, id }])
        setTimeout(() => setToasts((was) => was.filter((each) => each.id !== id)), toastInMs)
      },
      open,
    }),
    [signed],
  )
  useEffect(() => open(null), [place.path])
  useEffect(() => {
    document.title = tab === undefined ? "Florin" : `${tab.name()} · Florin`
    // On a phone the navigation is one line that scrolls.
    document
      .querySelector("nav [aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [tab])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, key, metaKey, target } = event
      const isBusy = isTyping(target) || document.querySelector("dialog[open]") !== null
      if (altKey || ctrlKey || metaKey || isBusy) return
      if (awaitsTab.current) {
        awaitsTab.current = false
        const wanted = tabs.find((each) => each.key === key)
        if (wanted !== undefined) go(wanted.to)
        return
      }
      const actions: { readonly [key: string]: () => void } = {
        "/": () => field.current?.focus(),
        "?": help,
        g: () => {
          awaitsTab.current = true
        },
        j: () => moveRow(1),
        k: () => moveRow(-1),
      }
      const action = actions[key]
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [tabs])

  return (
    <Context.Provider value={console}>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <div class="frame">
        <header class="top">
          <p class="owner">
            <bdi>{session.partner?.name ?? "Florin"}</bdi>
            {session.mode === "test" && <Pill tone="caution">{texts.test}</Pill>}
          </p>
          <form
            class="search"
            role="search"
            onSubmit={(event) => {
              event.preventDefault()
              const text = field.current?.value.trim() ?? ""
              if (text !== "") go(Path.search(session.face, text))
            }}
          >
            <input
              ref={field}
              type="search"
              aria-label={face.texts.search}
              placeholder={face.texts.search}
              onKeyDown={({ currentTarget, key }) => {
                if (key === "Escape") currentTarget.blur()
              }}
            />
          </form>
        </header>
        <nav aria-label={texts.navigation}>
          <ul>
            {tabs.map((each) => (
              <li key={each.to}>
                <Link to={each.to} aria-current={each === tab ? "page" : undefined}>
                  <Icon path={each.icon} />
                  {each.name()}
                  {each.to === Path.approvals && <Waiting />}
                </Link>
              </li>
            ))}
          </ul>
          <div class="account">
            <p class="note">{texts.signedInAs(session.person)}</p>
            <Button look="small" onClick={() => open(passkeys())}>
              {texts.passkeys.title}
            </Button>
            <Button look="small" onClick={leave}>
              {texts.signOut}
            </Button>
            <p class="note version">Florin {page.version}</p>
            <Button look="small" label={texts.keys.title} onClick={help}>
              ?
            </Button>
          </div>
        </nav>
        <main id="content" tabIndex={-1}>
          {!isConnected && (
            <p class="offline" role="status">
              {texts.offline}
            </p>
          )}
          <Screen face={face} path={place.path} />
        </main>
      </div>
      <div class="toasts" role="status">
        {toasts.map((toast) => (
          <p key={toast.id} class={`toast ${toast.kind ?? "good"}`}>
            {toast.text}
          </p>
        ))}
      </div>
      {dialog !== null && (
        <Dialog
          // Each is an element of its own, which takes the focus.
          key={dialog}
          title={dialog.title}
          onClose={() => {
            open(null)
            dialog.onClose?.()
          }}
        >
          {dialog.body}
        </Dialog>
      )}
    </Context.Provider>
  )
}

/** Shows something above all that is open, as a dialog below it would keep the focus. */
const Above = ({
  isOpen,
  children,
}: {
  readonly isOpen: boolean
  readonly children: ComponentChildren
}) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => element.current?.showModal(), [])
  // Escape would leave a screen that takes no input.
  return isOpen ? (
    <dialog ref={element} class="ended" onClose={() => element.current?.showModal()}>
      {children}
    </dialog>
  ) : (
    <>{children}</>
  )
}

/** The console. If a session ends, the screen stays below the sign-in, with all that was typed. */
export const Shell = ({
  page,
  face,
  signed: first,
}: {
  readonly page: Page
  readonly face: Face
  readonly signed: Session.Signed | undefined
}) => {
  const [signed, setSigned] = useState(first)
  const hasEnded = Session.hasEnded.use()
  const take = (next: Session.Signed | undefined) => {
    setSigned(next)
    Session.hasEnded.set(false)
    loadAgain()
  }
  const signIn = (key: string | undefined) => Session.signIn(page, key).then(take)
  const signInHere = () => Session.signInHere(page).then(take)
  return (
    <>
      {(signed === undefined || hasEnded) && (
        <Above isOpen={signed !== undefined}>
          <SignIn signIn={signIn} signInHere={page.isLocal && signInHere} />
        </Above>
      )}
      {signed !== undefined && (
        <div inert={hasEnded}>
          <Frame
            page={page}
            face={face}
            signed={signed}
            signOut={() => Session.signOut(page, signed).then(() => take(undefined))}
          />
        </div>
      )}
    </>
  )
}
