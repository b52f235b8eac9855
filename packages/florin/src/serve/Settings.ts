/**
 * Every setting of `florin serve`.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Alert from "@florin/core/domain/notify/Alert"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as PaymentLink from "@florin/core/domain/payment/PaymentLink"
import type { RateLimit } from "@florin/server/EdgeSettings"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as ChainTunings from "./ChainTunings.ts"
import * as Collection from "./Collection.ts"
import * as FailureBudgets from "./FailureBudgets.ts"
import * as FixedRates from "./FixedRates.ts"
import * as PriceSettings from "./PriceSettings.ts"
import * as Relayers from "./Relayers.ts"
import * as Setting from "./Setting.ts"
import { many, one, optional, secret, table, toggle } from "./Setting.ts"
import * as Signers from "./Signers.ts"
import * as TokenFlows from "./TokenFlows.ts"
import * as TreasurySettings from "./TreasurySettings.ts"
import * as VaultKey from "./VaultKey.ts"

const when = <A>(holds: boolean, value: A): Option.Option<A> =>
  holds ? Option.some(value) : Option.none()

const text = (
  metavar: string,
  expected: string,
  isExpected = (given: string): boolean => given !== "",
) => ({ metavar, expected, read: (given: string) => when(isExpected(given), given) })

const matching = (metavar: string, pattern: RegExp, expected: string) =>
  text(metavar, expected, (given) => pattern.test(given))

const file = (help: string) => optional(text("FILE", "the name of a file"), help)

/** In English. `Intl.ListFormat` would cost every start 5 MB. */
const listOf = (choices: ReadonlyArray<string>): string =>
  choices.join(", ").replace(/, ([^,]*)$/u, " or $1")

const choice = <const A extends string>(...choices: ReadonlyArray<A>) => ({
  metavar: choices.join("|"),
  expected: listOf(choices),
  read: (given: string): Option.Option<A> =>
    Option.fromUndefinedOr(choices.find((each) => each === given)),
})

const whole = (metavar: string, unit: string, least: number, most: number) => ({
  metavar,
  expected: `a whole number${unit}${least === 0 ? ", at most" : ` from ${least} to`} ${most}`,
  read: (given: string): Option.Option<number> =>
    when(/^[0-9]{1,9}$/u.test(given), Number(given)).pipe(
      Option.filter((number) => number >= least && number <= most),
    ),
})

const port = {
  ...whole("PORT", "", 0, Flags.lastPort),
  expected: `a number from 0 to ${Flags.lastPort}`,
}
const hours = whole("HOURS", " of hours", 1, 8760)
const delay = whole("HOURS", " of hours", 0, 30 * 24)
const payoutPolicy = {
  metavar: "POLICY",
  expected: `immediate, minutes such as 15m, or minutes and units of a token such as 15m/500, at most ${Limits.payoutEveryMaxInMs / 60_000}m`,
  read: (given: string) => Result.getSuccess(PayoutPolicy.parse(given)),
}
/** A host as in a link: no scheme, port or path; on this machine, `localhost` and the port, as in an app that embeds. */
const host = text(
  "HOST",
  "a host in lower case, such as pay.example.com, without scheme, port or path; on this machine localhost and the port, such as localhost:3000",
  (given) =>
    (PaymentLink.isLocal(given) && given === given.toLowerCase()) ||
    (URL.parse(`https://${given}/`)?.href === `https://${given}/` && !/[:@/]/u.test(given)),
)

const isWebAddress = (given: string): boolean => /^https?:/u.test(given) && URL.canParse(given)

const page = text("URL", "the address of a page, such as https://example.com/terms", isWebAddress)

const collector = {
  metavar: "URL",
  expected: "the address of a collector, without /v1/traces, such as http://127.0.0.1:4318",
  read: (given: string) => when(isWebAddress(given), Redacted.make(given)),
  mayHoldPassword: true,
} as const

/** A browser opens it from a page that uses https, so a relay needs a certificate unless it is on this machine. */
const relay = text(
  "URL",
  "the address of a relay, such as wss://relay.walletconnect.org",
  (given) =>
    /^(?:wss:|ws:\/\/(?:localhost|127\.0\.0\.1)(?:[:/]|$))/u.test(given) && URL.canParse(given),
)

const walletConnectProject = matching(
  "ID",
  /^[0-9a-f]{32}$/u,
  "the id of a project, 32 characters of 0-9 and a-f",
)

/** Only scheme, host and port. */
const origin = (metavar: string, expected: string) =>
  text(metavar, expected, (given) => isWebAddress(given) && new URL(given).origin === given)

/** The root of a web server, as a browser reaches it. */
const site = (example: string) =>
  origin("URL", `scheme and host, such as ${example}, without a path or a slash at the end`)

const storage = {
  ...text("memory|embedded|URL", Flags.storageFormat, Flags.isStorage),
  mayHoldPassword: true,
  alsoKnownAs: "DATABASE_URL",
} as const

const schema = matching(
  "NAME",
  /^[a-z][a-z0-9_]*$/u,
  "a name of lower-case letters, digits and underscores",
)

/** A chain, and an address for it: `8453=https://…`. */
const ofChain = (given: string) => {
  const [, id, url = ""] = /^([1-9][0-9]*)=(https?:.+)$/u.exec(given) ?? []
  return Option.map(
    Option.filter(Result.getSuccess(Eip155.parseChain(`eip155:${id}`)), () => URL.canParse(url)),
    (chainId) => ({ chainId, url }),
  )
}

/** A node of a chain. Its address may hold a key. */
export interface Node {
  readonly chainId: Caip.ChainId
  readonly url: Redacted.Redacted
}

const node = {
  metavar: "CHAIN=URL",
  expected: "a chain's id and a node's address, such as 8453=https://node.example/key",
  read: (given: string): Option.Option<Node> =>
    Option.map(ofChain(given), ({ chainId, url }) => ({ chainId, url: Redacted.make(url) })),
  mayHoldPassword: true,
} as const

/** By CAIP-2 chain, the URL to which a transaction's hash is appended. */
interface Explorers {
  readonly [chain: string]: string
}

/** A URL to which the checkout page can link and to which a hash can be appended: `…/tx/`, not `…/tx`. */
const isExplorer = (url: string): boolean => {
  const { password, protocol, username } = new URL(url)
  return protocol === "https:" && username === "" && password === "" && /[/=]$/u.test(url)
}

/** One for each chain. */
const explorers = {
  metavar: "CHAIN=URL",
  expected:
    "a chain's id, once, and an https address that a hash is appended to, which ends with / or = and names no user, such as 8453=https://scan.example/tx/",
  parse: Setting.bySubject(
    (given) => Option.filter(ofChain(given), ({ url }) => isExplorer(url)),
    (all): Explorers => Object.fromEntries(all.map(({ chainId, url }) => [chainId, url])),
  ),
  mayHoldPassword: true,
} as const

const keyBytes = 32

const key = {
  metavar: "KEYS",
  expected: `keys of ${keyBytes} random bytes in base64: make them with openssl rand -base64 ${keyBytes}`,
  read: (given: string): Option.Option<Uint8Array> =>
    Option.filter(Result.getSuccess(Base64.decode(given)), ({ length }) => length === keyBytes),
}

const header = matching("NAME", /^[A-Za-z0-9-]+$/u, "a header's name: letters, digits and -")

/** The format of OTEL_EXPORTER_OTLP_HEADERS in other programs: values are percent-encoded. */
const otlpHeader = {
  metavar: "NAME=VALUE",
  expected: "a header's name, =, and its value, with %20 for a space",
  read: (
    given: string,
  ): Option.Option<Redacted.Redacted<readonly [name: string, value: string]>> => {
    const [, name = "", value = ""] = /^([A-Za-z0-9-]+)=([!-~]+)$/u.exec(given) ?? []
    const decoded = Option.liftThrowable(decodeURIComponent)(value)
    return Option.flatMap(decoded, (sent) =>
      when(name !== "", Redacted.make([name.toLowerCase(), sent] as const)),
    )
  },
}

/** A path may contain a token. */
const alertUrl = {
  metavar: "URL",
  expected:
    "an https address, or an address of a private network, such as http://10.0.0.5:8080/florin",
  read: (given: string): Option.Option<Redacted.Redacted> =>
    Option.as(Result.getSuccess(Alert.parseUrl(given)), Redacted.make(given)),
  mayHoldPassword: true,
} as const

const alertSecret = {
  metavar: "SECRETS",
  expected:
    'whsec_ and the base64 of 24 to 64 random bytes: make it with echo "whsec_$(openssl rand -base64 32)"',
  read: (given: string) => Result.getSuccess(Webhook.parseSecret(given)),
}

const calls = whole("CALLS", " of calls", 0, 1_000_000)
const rateLimit = {
  metavar: "CALLS",
  expected: calls.expected,
  read: (given: string): Option.Option<RateLimit | null> =>
    Option.map(calls.read(given), (perSecond) =>
      perSecond === 0 ? null : { burst: perSecond * 2, perSecond },
    ),
}

/** A wallet that identifies itself with an id instead of a key, and the mode of its payments. */
interface App {
  readonly mode: Mode.Mode
  readonly id: string
  readonly profile?: ApiKey.Profile
}

const app = {
  metavar: "MODE:ID[=PROFILE]",
  expected:
    "live: or test: and an id, such as live:pocket-wallet, of letters, digits, -, . and _; then =field or =interface, if it has a profile of its own",
  read: (given: string): Option.Option<App> => {
    const [, mode, id = "", own] =
      /^(live|test):([\w.-]{1,128})(?:=(interface|field))?$/u.exec(given) ?? []
    const profile = choice("interface", "field").read(own ?? "")
    return Option.map(choice("live", "test").read(mode ?? ""), (known) => ({
      mode: known,
      id,
      ...(Option.isSome(profile) && { profile: profile.value }),
    }))
  },
}

/** One row for each setting, with its name, in the order of the help. docs/command-line.md documents them. */
export const rows = Setting.named({
  config: file("JSON file with settings; flags and environment variables override it"),
  host: one(
    text("ADDRESS", "an address of this machine, such as 0.0.0.0"),
    "Address of the server; 0.0.0.0 accepts connections from everywhere",
    "127.0.0.1",
  ),
  port: one(port, "Port of the server; 0 takes any free port", 3000),
  operatorPort: optional(
    port,
    "Port for you only, with the operator's API, /metrics for Prometheus, /healthz and /readyz; 0 takes any free port",
  ),
  operatorHost: one(
    text("ADDRESS", "an address of this machine, such as 10.0.0.5"),
    "Address of the operator's port; /metrics needs no key, so do not expose it",
    "127.0.0.1",
  ),
  operatorUrl: optional(
    site("https://florin.internal"),
    "URL at which you open the operator's port in a browser",
    "http:// and its address",
  ),
  operatorKeyFile: file(
    "File for an operator's key with all scopes: if it does not exist, a key is created and written to it",
  ),
  otlp: optional(
    collector,
    "URL of the collector that gets traces, metrics and logs by OTLP over HTTP, as JSON",
  ),
  otlpHeaders: secret(
    otlpHeader,
    "Headers for the collector, such as authorization=Bearer%20…",
    file("File with headers for the collector, one in each line"),
  ),
  alertUrl: optional(
    alertUrl,
    "Your webhook for alerts: workers send each problem that `florin status` shows in red, and its end",
  ),
  alertSecret: secret(
    alertSecret,
    "Secrets that sign alerts by Standard Webhooks; all of them sign, so that you can rotate them",
    file("File with the secrets that sign alerts, one in each line"),
    "none; required with alertUrl",
  ),
  alertSeconds: one(
    whole("SECONDS", " of seconds", 1, 3600),
    "Seconds between checks for alerts: 2 in a row raise an alert, 5 without it clear it",
    60,
  ),
  publicUrl: optional(
    site("https://pay.example.com"),
    "URL at which clients reach the service",
    "https:// and the pay-link host",
  ),
  payLinkHost: optional(
    host,
    "Host of payment links; wallets trust it and its subdomains",
    "localhost and the port",
  ),
  storage: one(
    storage,
    "Storage of the service: memory, embedded, or postgres://…; also read from DATABASE_URL",
    "embedded",
  ),
  schema: one(
    schema,
    "Schema of the tables in a PostgreSQL database; created if necessary",
    "florin",
  ),
  directory: one(
    text("DIR", "the name of a directory"),
    "Directory of embedded data, local chains and their keys",
    ".florin",
  ),
  role: one<"api" | "worker" | "all">(
    choice("api", "worker", "all"),
    "Role of this process: api serves calls, worker does background work, all does both",
    "all",
  ),
  rpc: many(
    node,
    "Node of a chain for live payments; repeat for more chains, or for more nodes of a chain, which are asked in turn",
  ),
  testRpc: many(node, "Node of a chain for test payments, which never use a live chain"),
  chains: table<ChainTunings.ChainTunings>(
    ChainTunings.kind,
    `Settings of one chain, such as 8453.finality=safe: ${ChainTunings.names}; gas is in wei`,
    {},
  ),
  assets: file("JSON file with your own tokens and networks; see docs/assets.md"),
  flow: table(
    TokenFlows.kind,
    `How payers can pay in a token, preferred way first: ${TokenFlows.names}; such as eip155:1/erc20:0x…=permit2,transfer`,
    new Map(),
    "as listed in docs/assets.md",
  ),
  localChains: one(
    { metavar: "IDS", expected: Flags.chainsFormat, read: Flags.chainIdsOf },
    "Local chains to run if no node is configured",
    Flags.usualChains,
    Flags.usualChainsText,
  ),
  relayers: many(
    Relayers.address,
    "Addresses of the accounts that collect live payments; 8453=0x… is for one chain. --role api needs no keys",
    "the addresses of relayerKeys",
  ),
  relayerKeys: secret(
    Relayers.key,
    "Private keys of the accounts that collect, settle and refund live payments; they need gas on their chains",
    file("File with the relayers' keys, one in each line; 8453=0x… is for one chain"),
  ),
  signers: one(
    Signers.kind,
    "Sign live transactions with key files, Web3Signer or programs",
    [],
    "none",
  ),
  testRelayers: many(
    Relayers.address,
    "Addresses of the accounts that collect test payments; never the same accounts as for live payments",
    "the addresses of testRelayerKeys",
  ),
  testRelayerKeys: secret(
    Relayers.key,
    "Private keys of the accounts for test payments; never the same accounts as for live payments",
    file("File with the keys of test relayers, one in each line"),
  ),
  testSigners: one(
    Signers.kind,
    "Sign test transactions with key files, Web3Signer or programs",
    [],
    "none",
  ),
  sealKey: secret(
    key,
    "Keys that authenticate options and cursors, the same in every process; the first seals, all open",
    file("File with the seal keys, one in each line"),
    "generated in the directory; required with PostgreSQL",
  ),
  vaultKey: secret(
    { ...key, read: (given) => Option.map(key.read(given), VaultKey.make) },
    "Keys that encrypt webhook secrets and payers' data; the first encrypts, all decrypt",
    file("File with the vault keys, one in each line"),
    "generated in the directory; required with PostgreSQL, and if payers' data is collected",
  ),
  fieldHeader: many(
    header,
    "Clients that send their API version in this header get the field profile",
  ),
  app: many(
    app,
    "App-Id with which wallets call the gateway without a key, for live or test payments; =field gives them the field profile",
  ),
  legacyList: toggle(
    "Accept a key in X-Api-Key on GET /v1/merchants/{id}/payments, and respond in the legacy shape",
  ),
  corsOrigin: many(
    origin("ORIGIN", "scheme, host and port, such as https://shop.example"),
    "Browser origin that may call the gateway; repeat for several",
    "all",
  ),
  rateLimit: one<RateLimit | null>(
    rateLimit,
    "Calls of one caller per second in each process, with bursts of twice as many; 0 is no limit",
    { burst: 200, perSecond: 100 },
    "100",
  ),
  proxyHeader: optional(
    header,
    "Header in which your proxy sends the caller's address, such as x-forwarded-for",
    "the address of the connection",
  ),
  collect: table(
    Collection.kind,
    "When payers must give personal data: never, always, or above:1000.00USD; mrch_…=RULE for one merchant",
    Collection.never,
    "never",
  ),
  failureBudgets: table(
    FailureBudgets.kind,
    "Failed collects that the service pays for in an hour, for each account, merchant, partner or key, such as merchant=10; for refund, the gas of a partner's refunds, in multiples of gasAllowance",
    {},
    "account=2, refund=20, and 10 for each of the others",
  ),
  rate: table(
    FixedRates.kind,
    "Fixed rate of a currency in a token that is not pegged to it, such as GBP.USDC=1.27, with the time it was set if you like",
    [],
  ),
  rateMaxAgeHours: optional(
    hours,
    "Maximum age of a fixed rate; a rate without a time counts from the start of the process",
    "unlimited",
  ),
  rateFile: optional(
    PriceSettings.file,
    "Table of exchange rates, read again regularly: the ECB's daily XML, or JSON",
  ),
  rateFileMaxAgeHours: one(
    hours,
    "Maximum age of that table",
    144,
    "144, enough for the ECB's longest holidays",
  ),
  rateFeed: many(
    PriceSettings.feed,
    "Price feed on chain and the maximum age of its price, such as EUR.USD=1:0x…/25h; all feeds of one pair must agree",
  ),
  rateFeedRpc: many(node, "Node to read price feeds from, before those of rpc", "the nodes of rpc"),
  rateFeedDeviation: one(
    whole("BPS", " of basis points", 1, 5000),
    "Maximum difference of two feeds of one pair in basis points; beyond it there is no rate",
    100,
    "100, which is 1 %",
  ),
  sequencerFeed: many(
    PriceSettings.sequencer,
    "Feed that reports whether a chain's sequencer runs; without it, the service does not check",
  ),
  pegGuard: table(
    PriceSettings.guard,
    "Stop pricing a token that is more than this many basis points off its peg, or that no source prices",
    new Map(),
    "none, a token is at par with its peg",
  ),
  payouts: optional(
    payoutPolicy,
    "Payout policy of live payments: immediate, 15m, or 15m/500 for after 15 minutes or at 500 units of a token; partners and merchants can have their own policies",
    `${PayoutPolicy.format(PayoutPolicy.defaults.live)}; immediate on local chains`,
  ),
  testPayouts: optional(
    payoutPolicy,
    "Payout policy of test payments",
    PayoutPolicy.format(PayoutPolicy.defaults.test),
  ),
  destinationDelayHours: one(
    delay,
    "Hours before a change of a live merchant's settlement destination takes effect; payouts to it wait meanwhile",
    24,
  ),
  testDestinationDelayHours: one(delay, "The same hours for test merchants", 0),
  treasury: many(
    TreasurySettings.account,
    "Your account that `florin float withdraw --help` may send your own money to",
  ),
  sweep: many(
    TreasurySettings.account,
    "Cold account, one for each chain, that gets your own money beyond hotMax from the service's accounts",
  ),
  hotMax: optional(
    whole("UNITS", " of the token's units, such as 5000", 0, 1_000_000_000),
    "Units of each token of your own that an account keeps for refunds if it is swept",
    "none; required with sweep",
  ),
  sweepHours: one(hours, "Hours between sweeps of accounts", 24),
  retentionDays: one(whole("DAYS", "", 1, 3650), "Days after which payers' data is deleted", 30),
  auditDays: optional(
    whole("DAYS", "", 30, 36_500),
    "Days after which entries of the audit log are deleted",
    "never",
  ),
  termsUrl: optional(
    page,
    "URL of the terms that payers accept before they give personal data",
    "none; required if payers' data is collected",
  ),
  privacyUrl: optional(
    page,
    "URL of the privacy policy that payers accept",
    "none; required if payers' data is collected",
  ),
  walletConnectProject: optional(
    walletConnectProject,
    "Your WalletConnect project: payers may connect a wallet on another device",
  ),
  walletConnectRelay: optional(
    relay,
    "Relay between the checkout and such wallets",
    "WalletConnect's own",
  ),
  frameAncestor: many(
    origin("ORIGIN", "scheme, host and port, such as https://wallet.example"),
    "Origin whose pages may show the checkout in a frame",
  ),
  explorer: table(
    explorers,
    "Explorer that payers open for their live transactions on a chain; the hash is appended",
    {},
    "the chain's own",
  ),
  denyList: file(
    "File of addresses that may neither pay nor be paid, one in each line; it is read again while the service runs",
  ),
  reconcileMinutes: one(
    whole("MINUTES", " of minutes", 0, 1440),
    "Minutes between comparisons of the ledger with on-chain balances; 0 is never",
    60,
  ),
  approveMerchants: one<Merchant.Approval>(
    { ...choice("never", "alike", "always"), metavar: "MODE" },
    "Which live merchants you approve before payers see them: never is none, alike is those whose name looks like another partner's, always is each merchant, name, icon and support contact",
    "never",
  ),
  proveDestinations: toggle(
    "Pay a new settlement destination only after its account has signed a proof of control",
  ),
  secondPerson: toggle(
    "Let a second person of yours approve what moves your own money, new keys, and an earlier change of a destination",
  ),
  noConsole: toggle("Serve no console, neither to partners nor on the operator's port"),
  privateWebhooks: toggle("Allow webhooks to private addresses, for development only"),
  privateLogos: toggle("Allow merchants' logos from private addresses, for a network of your own"),
  logFormat: optional(
    choice("text", "json"),
    "Format of the request log on standard output",
    "text on a terminal, otherwise json",
  ),
  newKeys: toggle(
    "Accept for one start that the seal key or vault key is not the one that the database was used with: what that one sealed cannot be read any more",
  ),
  iKnow: toggle("Allow real money with a storage that is not safe for it: memory or embedded"),
})

type Rows = Omit<typeof rows, "config">

/** The values of all settings. */
export interface Values extends Readonly<{ [Name in keyof Rows]: Setting.Value<Rows[Name]> }> {}

export const all: ReadonlyArray<Setting.Setting<unknown>> = Object.values(rows).flatMap(
  (row: Setting.Setting<unknown>) => (row.inFile === undefined ? [row] : [row, row.inFile]),
)

/** The settings that a configuration file may contain: all except its own path. */
export const inConfigFile = all.filter((setting) => setting !== rows.config)

/** The flags: all settings except secrets. */
export const flags = Object.fromEntries(
  all.filter(({ kind }) => kind !== "secret").map((each) => [each.name, Setting.flag(each)]),
)

interface Read extends Struct.Lambda {
  (setting: Setting.Setting<unknown>): Result.Result<unknown, Failure.CommandFailed>
  readonly "~lambda.out": Result.Result<Setting.Value<this["~lambda.in"]>, Failure.CommandFailed>
}

/** All settings together, or the first invalid one. */
export const resolve = (
  sources: ReadonlyArray<Setting.Source>,
): Result.Result<Values, Failure.CommandFailed> =>
  Result.all(
    Struct.map(
      Struct.omit(rows, ["config"]),
      Struct.lambda<Read>((setting) => Setting.read(setting, sources)),
    ),
  )
