/**
 * The hosted pages: the checkout that a payment link opens, the form that collects the payer's data, the files and
 * pictures of both, and what they call.
 *
 * A document comes with a token that reaches its one payment. What a page calls is on its own origin, under paths that
 * take such tokens and nothing else; the interface under `/v1` takes none.
 *
 * @module
 */
import * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Catalog from "@florin/core/domain/Catalog"
import * as CollectData from "@florin/core/domain/CollectData"
import * as PageToken from "@florin/core/domain/PageToken"
import * as PayerSession from "@florin/core/domain/PayerSession"
import * as PaymentId from "@florin/core/domain/PaymentId"
import * as PaymentLink from "@florin/core/domain/PaymentLink"
import * as Gateway from "@florin/core/engine/Gateway"
import * as Offers from "@florin/core/engine/Offers"
import * as PayerData from "@florin/core/engine/PayerData"
import type * as PayersPayment from "@florin/core/engine/PayersPayment"
import { Assets } from "@florin/core/ports/Assets"
import { Settings } from "@florin/core/ports/Settings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Authentication from "./Authentication.ts"
import * as Body from "./Body.ts"
import type { EdgeSettings } from "./EdgeSettings.ts"
import type * as Exchange from "./Exchange.ts"
import * as GatewayOperations from "./groups/GatewayOperations.ts"
import * as Logos from "./Logos.ts"
import * as Operation from "./Operation.ts"
import * as Page from "./Page.ts"
import * as Query from "./Query.ts"
import * as Site from "./Site.ts"
import * as AmountView from "./views/AmountView.ts"
import * as PaymentView from "./views/PaymentView.ts"

type Pages = HostedPage.Pages

type Edge = Pick<EdgeSettings["Service"], "publicUrl">

const yearInS = 365 * 24 * 60 * 60

/** Files change their names with their content. */
const filesKept = `public, max-age=${yearInS}, immutable`

const isTaken = (accepted: string, coding: string): boolean =>
  accepted
    .toLowerCase()
    .split(",")
    .some((each) => {
      const [name = "", ...parameters] = each.split(";").map((part) => part.trim())
      return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/u.test(parameter))
    })

/** The bytes of a file in the best encoding that the caller takes. */
const encoded = (
  { body, brotli, gzip }: HostedPage.SiteFile,
  accepted: string,
): { readonly body: Uint8Array; readonly coding: string | null } => {
  if (isTaken(accepted, "br")) return { body: brotli, coding: "br" }
  return isTaken(accepted, "gzip") ? { body: gzip, coding: "gzip" } : { body, coding: null }
}

const filePage = (path: string, file: HostedPage.SiteFile): Page.Page =>
  Page.make(path, ({ header }) => {
    const { body, coding } = encoded(file, header("accept-encoding") ?? "")
    return Effect.succeed({
      status: 200,
      headers: {
        "content-type": file.contentType,
        "cache-control": filesKept,
        "x-content-type-options": "nosniff",
        vary: "Accept-Encoding",
        ...(coding !== null && { "content-encoding": coding }),
      },
      body,
    })
  })

/** Prints a document with what it is told. */
const documents = ({ frameAncestors = [], site }: Pages) => {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  }
  const isAlone = frameAncestors.length === 0
  const checkout = (status: number, data: HostedPage.Checkout | HostedPage.Absent) => ({
    status,
    headers: {
      ...headers,
      "content-security-policy": Site.policy({
        // The form is shown in a frame of the checkout.
        "frame-src": "'self'",
        "frame-ancestors": isAlone ? "'none'" : frameAncestors.join(" "),
      }),
      ...(isAlone && { "x-frame-options": "DENY" }),
      "cross-origin-opener-policy": "same-origin",
    },
    body: Site.fill(site.checkout, data),
  })
  return {
    checkout: (data: HostedPage.Checkout): Exchange.Outgoing => checkout(200, data),
    absent: (): Exchange.Outgoing => checkout(404, { page: "absent" }),
    /** A wallet may open the form in a window of its own, which tells its opener when it is done. */
    collect: (data: HostedPage.Collect): Exchange.Outgoing => ({
      status: 200,
      headers: {
        ...headers,
        "content-security-policy": Site.policy({
          "frame-ancestors": ["'self'", ...frameAncestors].join(" "),
        }),
        ...(isAlone && { "x-frame-options": "SAMEORIGIN" }),
      },
      body: Site.fill(site.collect, data),
    }),
  }
}

const issueToken = (pass: PageToken.Pass) =>
  Effect.map(Settings, ({ sealKey }) => PageToken.issue(pass, sealKey))

/** Where transactions of test mode are, no explorer looks. */
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

/** What the checkout of a payment is told. */
const checkoutOf = Effect.fn("Pages.checkout")(function* (
  id: PaymentId.PaymentId,
  { explorers, privacyUrl, termsUrl }: Pages,
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
    returnTo: payment.checkout,
    accepted: prices.map((amount) => AmountView.of(amount, display)),
    explorers: explorersOf(info, explorers, display.catalog),
    termsUrl,
    privacyUrl,
  }
  return data
})

/**
 * What the form of a payment and some accounts is told; null where there is nobody to ask, or the address names no session
 * that we gave out: what was told there would count for nobody.
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
    collectData:
      needsData === "needed" ? { fields: CollectData.fields, schema: CollectData.schema } : null,
    closed: isOpen ? null : info.status,
    termsUrl,
    privacyUrl,
  }
  return data
})

/** The one value of a name in a query; a link that says two things says nothing. */
const named = ({ query }: Exchange.Incoming, name: string): string | undefined =>
  Result.getOrElse(Query.one(Query.parse(query), name), () => undefined)

const parseId = (text: string | undefined): PaymentId.PaymentId | null =>
  text === undefined ? null : Result.getOrElse(PaymentId.parse(text), () => null)

/** A page of the payment that a path names; there is none where it cannot name one. */
const ofPayment = (
  path: string,
  answer: (id: PaymentId.PaymentId, incoming: Exchange.Incoming) => ReturnType<Page.Page["answer"]>,
): Page.Page => ({
  ...Page.make(path, (incoming, params) => {
    const id = parseId(params["paymentId"])
    return id === null ? Effect.succeed(null) : answer(id, incoming)
  }),
  takes: (params) => parseId(params["paymentId"]) !== null,
})

/** Both documents, each under every path that opens it. */
const documentPages = (pages: Pages, { publicUrl }: Edge): ReadonlyArray<Page.Page> => {
  const print = documents(pages)
  const absent = () => Effect.succeed(print.absent())

  const checkout = (id: PaymentId.PaymentId) =>
    Assets.pipe(
      Effect.flatMap((catalog) => checkoutOf(id, pages, AmountView.display(publicUrl, catalog))),
      Effect.map(print.checkout),
      Effect.catchTag("NotFound", absent),
    )

  const collect: Page.Page["answer"] = (incoming) => {
    const id = parseId(named(incoming, "pid"))
    if (id === null) return absent()
    const accounts = named(incoming, "accounts")?.split(",") ?? []
    return collectOf(id, accounts, named(incoming, "session") ?? "", pages).pipe(
      Effect.map((data) => (data === null ? print.absent() : print.collect(data))),
      Effect.catchTag(["NotFound", "InvalidInput"], absent),
    )
  }

  return [
    Page.make("/", (incoming) => {
      const id = parseId(named(incoming, "pid"))
      if (id !== null) return checkout(id)
      // The start of somebody's site, unless it is all ours.
      return incoming.mayPassOn === true ? Effect.succeed(null) : absent()
    }),
    ofPayment("/:paymentId", (id, { query }) =>
      Query.parse(query).has("pid") ? absent() : checkout(id),
    ),
    Page.make("/collect", collect),
    Page.make("/collect/", collect),
  ]
}

/** A merchant may change its logo: payers see the new one soon. */
const logoKeptInS = 300

const logoAnswer = ({ body, contentType }: Logos.Logo): Exchange.Outgoing => ({
  status: 200,
  headers: {
    "content-type": contentType,
    "cache-control": `private, max-age=${logoKeptInS}`,
    // Whatever somebody's bytes are taken for, they run nothing, load nothing and are of no use to another site.
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
  },
  body,
})

/** The logo of a payment's merchant. It is asked for by payment: nobody can have any other address fetched. */
const logoPage = (logoAt: Logos.Logos): Page.Page =>
  ofPayment(`${HostedPage.logosPath}/:paymentId`, (id) =>
    Effect.gen(function* () {
      const { merchant } = yield* Gateway.infoOfLink(id)
      const logo = merchant.iconUrl === null ? null : yield* logoAt(merchant.iconUrl)
      return logo === null ? null : logoAnswer(logo)
    }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(null))),
  )

/** Loaded with the first logo: a host without Node's modules shows initials in their place. */
const fetchByNode =
  (allowPrivate: boolean): Logos.Fetch =>
  (url) =>
    Effect.tryPromise(() => import("./LogoHttp.ts")).pipe(
      Effect.flatMap((logoHttp) => logoHttp.fetching({ allowPrivate })(url)),
      Effect.orElseSucceed(() => null),
    )

const Collected = Schema.Struct({
  fields: Schema.Array(Schema.Struct({ id: Schema.String, value: Schema.String })),
})
const readCollected = Body.reader(Collected)

/** Takes what a payer told in the form, for every account of its token. */
const collected: Operation.Operation = {
  _tag: "Operation",
  name: "pages.collected",
  group: "gateway",
  method: "POST",
  path: HostedPage.collectedPath,
  face: "collect",
  scope: "pay",
  needsMerchantId: false,
  needsIdempotencyKey: false,
  hasLegacyShape: false,
  takesBody: true,
  answer: ({ caller }, json) =>
    Effect.gen(function* () {
      const { fields } = yield* Effect.fromResult(readCollected(json))
      if (caller._tag !== "Page" || caller.session === undefined) {
        return yield* Authentication.otherPage
      }
      for (const account of caller.accounts) {
        yield* PayerData.collect(caller.paymentId, account, caller.session, fields)
      }
      return Operation.ok({})
    }),
}

/** An operation of the gateway for the checkout page. */
const forCheckout = (operation: Operation.Operation): Operation.Operation => ({
  ...operation,
  path: HostedPage.callsPath + operation.path,
  face: "checkout",
})

/** Everything that hosted pages are and call. */
export const make = Effect.fnUntraced(function* (pages: Pages, edge: Edge) {
  const logoAt = yield* Logos.make(fetchByNode(pages.allowPrivateLogos ?? false))
  const all: ReadonlyArray<Operation.Operation | Page.Page> = [
    ...documentPages(pages, edge),
    ...Array.from(pages.site.files, ([path, file]) => filePage(path, file)),
    logoPage(logoAt),
    ...GatewayOperations.operations.map(forCheckout),
    collected,
  ]
  return all
})
