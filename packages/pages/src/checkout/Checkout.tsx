/**
 * The checkout page: the state machine, its inputs, and the frame around its screens.
 *
 * @module
 */
import { walletConnectPath, watchPath } from "@florin/api/wire/HostedPage"
import { makeWallet, type PayOptions } from "@florin/client"
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks"
import { isolate } from "../messages/Messages.ts"
import * as AcceptedAmount from "./AcceptedAmount.ts"
import { Embedded } from "./Embedded.tsx"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as Machine from "./Machine.ts"
import * as SafeUrl from "./SafeUrl.ts"
import { ScreenView } from "./screens/ScreenView.tsx"
import { screenText } from "./ScreenText.ts"
import * as Session from "./Session.ts"
import { Summary } from "./Summary.tsx"
import * as TabStore from "./TabStore.ts"
import type { View } from "./View.ts"
import type { WalletConnect } from "./WalletConnect.ts"
import { watch } from "./Watch.ts"

interface Props {
  readonly view: View
  readonly connection: Pick<PayOptions, "apiKey" | "baseUrl">
}

const maxPollMs = 20_000

const sleep = (forMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", wake)
      resolve()
    }
    const timer = setTimeout(wake, forMs)
    signal.addEventListener("abort", wake)
  })

/** Identifies a screen: when it changes, the new title is read out. */
const keyOf = (screen: Machine.Screen): string =>
  screen._tag === "Asking" ? `${screen._tag} ${screen.step}` : screen._tag

/** Keeps the payment's status up to date, as long as the page must know it. */
const useStatus = (
  { view: { page }, connection }: Props,
  session: Session.Session,
  dispatch: (event: Machine.Event) => void,
  isWatching: boolean,
  isTimeUp: boolean,
): void => {
  useEffect(() => {
    if (!isWatching) return
    const controller = new AbortController()
    const wallet = makeWallet(connection)
    void watch({
      open: (signal) =>
        fetch(connection.baseUrl + watchPath.replace(":paymentId", page.paymentId), {
          headers: { "Page-Token": page.pageToken },
          cache: "no-store",
          credentials: "omit",
          redirect: "error",
          signal,
        }),
      // Once the time is up, the response is due, so the call must not be held.
      ask: (signal) =>
        wallet.status(page.paymentId, { signal, ...(isTimeUp ? {} : { maxPollMs }) }),
      heard: (status, progress) => {
        // The payment was made elsewhere, or is over: there is nothing left to do here.
        if (status.status !== "requires_action") session.stop()
        dispatch({ _tag: "Heard", status, progress })
      },
      stale: () =>
        dispatch({
          _tag: "Went",
          to: { _tag: "Halted", notice: { _tag: "Stale" }, mayLeave: false },
        }),
      sleep,
      signal: controller.signal,
    })
    return () => controller.abort()
  }, [isWatching, isTimeUp])
}

export const Checkout = ({ view, connection }: Props) => {
  const { page, messages, origin, frame } = view
  const store = useMemo(() => TabStore.make(() => sessionStorage), [])
  const [state, dispatch] = useReducer(Machine.reduce, undefined, () =>
    Machine.initial(
      page.status,
      Session.moneyKept(store, page.paymentId),
      page.status.status === "processing" ? AcceptedAmount.load(store, page.paymentId) : undefined,
    ),
  )
  const [announced, say] = useState("")
  const [isTimeUp, setTimeUp] = useState(false)

  const session = useMemo(
    () =>
      Session.make({
        page,
        connection,
        store,
        now: view.now,
        formOf: (url) => SafeUrl.ownForm(url, origin),
        dispatch,
      }),
    [],
  )

  const walletConnect = useRef<WalletConnect>(null)
  const isIdle = state.step._tag === "Idle"
  useEffect(() => {
    if (isIdle) walletConnect.current?.leave()
  }, [isIdle])

  const offerWalletConnect = async () => {
    const code = await import("./WalletConnect.ts").catch(() => undefined)
    // Without it, the payer has the other ways to pay.
    if (code === undefined) return
    walletConnect.current = code.make({
      lent: {
        chainOf: InjectedWallet.chainOf,
        hexOf: InjectedWallet.hexOf,
        shownName: InjectedWallet.shownName,
        walletIcon: SafeUrl.walletIcon,
        read: TabStore.read,
      },
      path: `${walletConnectPath}/${page.paymentId}`,
      paymentId: page.paymentId,
      store,
      chains: () => Session.chains({ page, store }),
    })
    await session.announced(walletConnect.current)
  }

  useEffect(() => {
    // Also after the end: the service must learn what a wallet sent too late.
    void session.resume()
    // After the end nothing is left to do, unless a wallet has not yet signed for money that it sent.
    const isUnsigned = state.money.transfers.some(({ stage }) => stage === "sent")
    if (page.status.isFinal && !isUnsigned) return
    if (page.walletConnect) void offerWalletConnect()
    return InjectedWallet.discover(
      window,
      messages.namelessWallet,
      (wallet) => void session.announced(wallet),
    )
  }, [])

  useStatus({ view, connection }, session, dispatch, Machine.isWatching(state), isTimeUp)

  const screen = Machine.screenOf(state)
  const said = screenText(view, screen, state.chosen)
  const { title, text } = said
  const key = keyOf(screen)
  const firstKey = useRef(key)
  const isFirst = firstKey.current === key
  useEffect(() => {
    // The first screen is read out with the page. If it comes back later, that is a change.
    if (!isFirst) firstKey.current = ""
    document.title = `${title} · ${isolate(page.info.merchant.name)}`
    if (!isFirst) say(text)
  }, [key, text])

  return (
    <>
      <div class="card">
        {page.mode === "test" && <p class="test">{messages.test}</p>}
        <Summary
          view={view}
          chosen={state.chosen}
          isOpen={state.status.status === "requires_action"}
          onMinuteLeft={() => say(messages.minuteLeft)}
          onTimeUp={() => setTimeUp(true)}
        />
        <div class="panel">
          <ScreenView
            key={key}
            view={view}
            screen={screen}
            chosen={state.chosen}
            wallets={state.wallets}
            money={{
              transfers: Machine.otherTransfers(state),
              mayBeSent: state.money.mayBeSent,
            }}
            session={session}
            say={say}
            said={said}
            isFirst={isFirst}
          />
        </div>
      </div>
      <p class="unseen" role="status">
        {announced}
      </p>
      {frame !== undefined && <Embedded view={view} frame={frame} state={state} />}
      <Legal view={view} />
    </>
  )
}

const Legal = ({ view: { page, messages, origin } }: Pick<Props, "view">) => {
  const links = [
    { label: messages.terms, url: SafeUrl.web(page.termsUrl, origin) },
    { label: messages.privacy, url: SafeUrl.web(page.privacyUrl, origin) },
  ]
  return (
    <p class="legal">
      {links.map(
        ({ label, url }) =>
          url !== undefined && (
            <a key={label} href={url} target="_blank" rel="noopener noreferrer">
              {label}
              <span class="unseen"> ({messages.newWindow})</span>
            </a>
          ),
      )}
    </p>
  )
}
