/**
 * The hosted pages: the checkout that a payment link opens, the form that collects the payer's data, the files and
 * pictures of both, and the calls that they make.
 *
 * Each document comes with a token that is valid for one payment. A page calls its own origin only, under paths that
 * accept only such tokens. The API under `/v1` accepts none of them.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Option from "@florin/api/wire/Option"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import * as PageToken from "@florin/core/domain/payment/PageToken"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Offers from "@florin/core/engine/payment/Offers"
import * as PayerData from "@florin/core/engine/payment/PayerData"
import type * as PayersPayment from "@florin/core/engine/payment/PayersPayment"
import * as StatusStream from "@florin/core/engine/payment/StatusStream"
import { Assets } from "@florin/core/ports/Assets"
import { Settings } from "@florin/core/ports/Settings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Authentication from "../edge/Authentication.ts"
import * as Body from "../edge/Body.ts"
import type { EdgeSettings } from "../edge/EdgeSettings.ts"
import * as ServerSentEvents from "../edge/ServerSentEvents.ts"
import type * as Exchange from "../http/Exchange.ts"
import * as Query from "../http/Query.ts"
import * as GatewayOperations from "../operations/GatewayOperations.ts"
import type * as Operation from "../operations/Operation.ts"
import * as Path from "../operations/Path.ts"
import * as AmountView from "../views/AmountView.ts"
import * as PaymentView from "../views/PaymentView.ts"
import * as Logos from "./Logos.ts"
import * as NotFound from "./NotFound.ts"
import * as Page from "./Page.ts"
import * as Site from "./Site.ts"
import * as SiteFile from "./SiteFile.ts"

type Pages = HostedPage.Pages
type WalletConnect = HostedPage.WalletConnect

type Edge = Pick<EdgeSettings["Service"], "publicUrl">

/** A document that its own origin and these may frame. */
const inFrame = (
  body: string,
  origins: ReadonlyArray<string>,
  rest?: Readonly<Record<string, string>>,
): Exchange.Outgoing =>
  Site.response(
    body,
    ["'self'", ...origins],
    rest,
    origins.length === 0 ? { "x-frame-options": "SAMEORIGIN" } : {},
  )

const issueToken = (pass: PageToken.Pass) =>
  Effect.map(Settings, ({ sealKey }) => PageToken.issue(pass, sealKey))

/** No explorer shows transactions of test mode. */
const explorersOf = (
  { payment }: PayersPayment.Info,
  own: Pages["explorers"],
  { networks }: Catalog.Catalog,
): HostedPage.Checkout["explorers"] =>
  payment.mode === "test"
    ? {}
    : {
        ...Object.fromEntries(
          networks.flatMap(({ chainId, explorerUrl }) =>
            explorerUrl === null ? [] : [[chainId, explorerUrl]],
          ),
        ),
        ...own,
      }

/** The data of a payment's checkout page. */
const checkoutOf = Effect.fn("Pages.checkout")(function* (
  id: PaymentId.PaymentId,
  { explorers, frameAncestors = [], privacyUrl, termsUrl, walletConnect }: Pages,
  display: AmountView.Display,
) {
  const info = yield* Gateway.infoOfLink(id)
  const { payment } = info
  const prices = yield* Offers.prices(payment)
  const now = yield* Clock.currentTimeMillis
  const data: HostedPage.Checkout = {
    page: "checkout",
    pageToken: yield* issueToken({
      use: "checkout",
      mode: payment.mode,
      paymentId: id,
      accounts: [],
      endsAt: PageToken.checkoutEndsAt(payment, now),
    }),
    paymentId: id,
    mode: payment.mode,
    link: PaymentLink.format(yield* Settings, id),
    now,
    info: PaymentView.info(info, display),
    status: PaymentView.status(payment, now, display),
    referenceId: payment.referenceId,
    refunds: PaymentView.payersRefunds(payment, display),
    returnTo: payment.checkout,
    accepted: prices.map((amount) => AmountView.of(amount, display)),
    explorers: explorersOf(info, explorers, display.catalog),
    walletConnect: walletConnect !== undefined,
    frameOrigins: [...new Set([...frameAncestors, ...(info.merchant.checkoutOrigins ?? [])])],
    termsUrl,
    privacyUrl,
  }
  return data
})

/**
 * The data of the form for a payment and some accounts. Null if no account needs the form, or if the address names no
 * session that the service created: data entered there would count for no payer.
 */
const collectOf = Effect.fn("Pages.collect")(function* (
  id: PaymentId.PaymentId,
  accountTexts: ReadonlyArray<string>,
  sealedSession: string,
  { privacyUrl, termsUrl }: Pages,
) {
  const { sealKey } = yield* Settings
  const session = PayerSession.open(sealedSession, id, sealKey)
  if (session === null) return null
  const { accounts, info, isOpen, needsData } = yield* Gateway.form(id, accountTexts, session)
  if (accounts.length === 0) return null
  const endsAt = PageToken.collectEndsAt(yield* Clock.currentTimeMillis)
  const { mode } = info.payment
  const data: HostedPage.Collect = {
    page: "collect",
    pageToken: yield* issueToken({
      use: "collect",
      mode,
      paymentId: id,
      accounts,
      session,
      endsAt,
    }),
    paymentId: id,
    mode,
    merchantName: info.merchant.name,
    collectData: needsData ? { fields: CollectData.fields, schema: CollectData.schema } : null,
    closed: isOpen ? null : Payment.stored(info.payment),
    termsUrl,
    privacyUrl,
  }
  return { data, origins: info.merchant.checkoutOrigins ?? [] }
})

/** The single value of a name in a query. A name that is sent twice counts as missing. */
const named = ({ query }: Exchange.Incoming, name: string): string | undefined =>
  Result.getOrElse(Query.one(Query.parse(query), name), () => undefined)

const parseId = (text: string | undefined): PaymentId.PaymentId | null =>
  text === undefined ? null : Result.getOrElse(PaymentId.parse(text), () => null)

/** A page of the payment that a path names. There is none if there is no such payment. */
const ofPayment = (
  path: string,
  respond: (
    id: PaymentId.PaymentId,
    incoming: Exchange.Incoming,
  ) => ReturnType<Page.Page["respond"]>,
): Page.Page => ({
  ...Page.make(path, (incoming, params) => {
    const id = parseId(params["paymentId"])
    return id === null
      ? Effect.succeed(null)
      : Effect.catchTag(respond(id, incoming), "NotFound", () => Effect.succeed(null))
  }),
  takes: (params) => parseId(params["paymentId"]) !== null,
})

/**
 * The frame of WalletConnect within the checkout of a payment. Its script is not ours, so the document has an origin of
 * its own: it reaches neither the checkout around it nor what the checkout stores, and calls nobody but its relay. The
 * origins that may frame the checkout may frame it, too.
 */
const walletConnectPage = (
  { document, name, projectId, relayUrl }: WalletConnect,
  frameAncestors: ReadonlyArray<string>,
): Page.Page => {
  const data: HostedPage.WalletConnectFrame = { page: "walletconnect", projectId, relayUrl, name }
  const policy = {
    "style-src": "'none'",
    "img-src": "'none'",
    "connect-src": new URL(relayUrl).origin,
    sandbox: "allow-scripts",
  }
  return ofPayment(`${HostedPage.walletConnectPath}/:paymentId`, (id) =>
    Effect.map(Gateway.infoOfLink(id), ({ merchant }) =>
      inFrame(
        Site.fill(document, data),
        [...frameAncestors, ...(merchant.checkoutOrigins ?? [])],
        policy,
      ),
    ),
  )
}

/** The documents, each under every path that opens it. */
const documentPages = (pages: Pages, { publicUrl }: Edge): ReadonlyArray<Page.Page> => {
  const { frameAncestors = [], site, walletConnect } = pages
  const absent = () => Effect.succeed("absent" as const)

  const dataOf = (id: PaymentId.PaymentId) =>
    Effect.flatMap(Assets, (catalog) => checkoutOf(id, pages, { publicUrl, catalog }))

  const checkout = (id: PaymentId.PaymentId, incoming: Exchange.Incoming) => {
    const lang = named(incoming, "lang")
    const asked = lang === undefined ? "" : `?lang=${encodeURIComponent(lang)}`
    const document = Site.withoutScript(site.checkout, `${HostedPage.plainPath}/${id}${asked}`)
    return dataOf(id).pipe(
      Effect.map((data) =>
        Site.response(
          Site.fill(document, data),
          data.frameOrigins,
          // The checkout shows the form in a frame, and without a script another document.
          { "frame-src": "'self'" },
          { "cross-origin-opener-policy": "same-origin" },
        ),
      ),
      Effect.catchTag("NotFound", absent),
    )
  }

  /** What the checkout frames where no script runs. The origins that may show the checkout may show this in it. */
  const plain = Effect.fnUntraced(function* (id: PaymentId.PaymentId, incoming: Exchange.Incoming) {
    const data = yield* dataOf(id)
    const body = yield* Effect.promise(() => site.plain(data, NotFound.readerOf(incoming)))
    return inFrame(body, data.frameOrigins, Site.scriptless)
  })

  /**
   * A wallet may open the form in a window of its own. The form then notifies its opener when it is done. The origins
   * that may show the checkout may show the form in it.
   */
  const collect: Page.Page["respond"] = (incoming) => {
    const id = parseId(named(incoming, "pid"))
    if (id === null) return absent()
    const accounts = named(incoming, "accounts")?.split(",") ?? []
    return collectOf(id, accounts, named(incoming, "session") ?? "", pages).pipe(
      Effect.map((form) =>
        form === null
          ? "absent"
          : inFrame(Site.fill(site.collect, form.data), [...frameAncestors, ...form.origins]),
      ),
      Effect.catchTag(["NotFound", "InvalidInput"], absent),
    )
  }

  return [
    Page.make("/", (incoming) => {
      const id = parseId(named(incoming, "pid"))
      // The root path belongs to the embedder's site, unless the whole server is ours.
      return id === null ? Effect.succeed(null) : checkout(id, incoming)
    }),
    ofPayment("/:paymentId", (id, incoming) =>
      Query.parse(incoming.query).has("pid") ? absent() : checkout(id, incoming),
    ),
    ofPayment(`${HostedPage.plainPath}/:paymentId`, plain),
    Page.make("/collect", collect),
    Page.make("/collect/", collect),
    ...(walletConnect === undefined ? [] : [walletConnectPage(walletConnect, frameAncestors)]),
  ]
}

type Picture = Pick<Logos.Logo, "contentType"> & Pick<Exchange.Outgoing, "body">

/** A merchant may change its logo, and payers must see the new one soon. */
const pictureKeptInS = 300

const pictureResponse = ({ body, contentType }: Picture): Exchange.Outgoing => ({
  status: 200,
  headers: {
    "content-type": contentType,
    "cache-control": `private, max-age=${pictureKeptInS}`,
    // Even if a browser misreads the type of a stranger's bytes, they can run no script, load nothing and not be used
    // by another site.
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
  },
  body,
})

/**
 * The logo of a payment's merchant. The path names the payment and not a URL, so that callers cannot make the service
 * fetch other addresses.
 */
const logoPage = (logoAt: Logos.Logos): Page.Page =>
  ofPayment(`${HostedPage.logosPath}/:paymentId`, (id) =>
    Effect.gen(function* () {
      const { merchant } = yield* Gateway.infoOfLink(id)
      const logo = merchant.iconUrl === null ? null : yield* logoAt(merchant.iconUrl)
      return logo === null ? null : pictureResponse(logo)
    }),
  )

/** The QR code of a payment's link. The checkout draws its own, unless it runs no script. */
const qrCodePage = (site: HostedPage.Site): Page.Page =>
  ofPayment(`${HostedPage.qrCodesPath}/:paymentId`, (id) =>
    Effect.gen(function* () {
      yield* Gateway.infoOfLink(id)
      const body = site.qrCode(PaymentLink.format(yield* Settings, id))
      return pictureResponse({ contentType: "image/svg+xml", body })
    }),
  )

/** Loaded with the first logo. On a host without Node's modules, pages show initials instead. */
const fetchByNode =
  (allowPrivate: boolean): Logos.Fetch =>
  (url) =>
    Effect.tryPromise(() => import("./LogoHttp.ts")).pipe(
      Effect.flatMap((logoHttp) => logoHttp.makeFetch({ allowPrivate })(url)),
      Effect.orElseSucceed(() => null),
    )

const readCollected = Body.reader(Schema.Struct({ fields: Schema.Array(Option.CollectedField) }))

/** What the calls have in common that only pages make. */
const pagesOperation = {
  _tag: "Operation",
  group: "gateway",
  status: 200,
  needsMerchantId: false,
  needsIdempotencyKey: false,
  hasLegacyShape: false,
  needsStepUp: false,
} as const

/** Stores the data that a payer entered in the form, for every account of its token. */
const collected: Operation.Operation = {
  ...pagesOperation,
  name: "pages.collected",
  method: "POST",
  path: HostedPage.collectedPath,
  face: "collect",
  scope: "pay",
  takesBody: true,
  respond: Effect.fnUntraced(function* ({ caller }, json) {
    const { fields } = yield* Effect.fromResult(readCollected(json))
    if (caller._tag !== "Page" || caller.session === undefined) {
      return yield* Authentication.otherPage
    }
    for (const account of caller.accounts) {
      yield* PayerData.collect(caller.paymentId, account, caller.session, fields)
    }
    return {}
  }),
}

/** A state of the payment as the page gets it. */
const watchedOf = (
  { at, payment, progress }: StatusStream.Seen,
  display: AmountView.Display,
): HostedPage.Watched => ({
  status: PaymentView.status(payment, at, display),
  progress: progress && { chain: progress.chainId, hash: progress.hash, blocks: progress.blocks },
})

/** Streams the status of a page's payment. */
const watch = Effect.map(StatusStream.make, ({ from }): Operation.Operation => ({
  ...pagesOperation,
  name: "pages.watch",
  method: "GET",
  path: HostedPage.callsPath + HostedPage.watchPath,
  face: "checkout",
  scope: "read",
  takesBody: false,
  respond: Effect.fnUntraced(function* ({ address, caller, display, param }) {
    const id = yield* Effect.fromResult(Path.readPaymentId(param("paymentId")))
    if (caller._tag === "Operator") return yield* Authentication.otherPage
    const states = yield* from(caller, id, address())
    const events = Stream.map(states, (seen) => ({ data: watchedOf(seen, display) }))
    return new ServerSentEvents.ServerSentEvents(events)
  }),
}))

/** Makes an operation of the gateway available to the checkout page. */
const forCheckout = (operation: Operation.Operation): Operation.Operation => ({
  ...operation,
  path: HostedPage.callsPath + operation.path,
  face: "checkout",
})

/** Makes all routes of the hosted pages: documents, files, pictures and calls. */
export const make = Effect.fnUntraced(function* (pages: Pages, edge: Edge) {
  const logoAt = yield* Logos.make(fetchByNode(pages.allowPrivateLogos ?? false))
  const all: ReadonlyArray<Operation.Operation | Page.Page> = [
    ...documentPages(pages, edge),
    ...Array.from(pages.site.files, ([path, file]) => SiteFile.page(path, file)),
    ...Array.from(pages.walletConnect?.files ?? [], ([path, file]) => SiteFile.page(path, file)),
    logoPage(logoAt),
    qrCodePage(pages.site),
    ...GatewayOperations.gateway.map(forCheckout),
    yield* watch,
    collected,
  ]
  return all
})
