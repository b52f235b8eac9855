/**
 * Every setting of `florin serve`.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Alert from "@florin/core/domain/notify/Alert"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import type * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import type { PegGuard } from "@florin/core/ports/QuoteSource"
import type { FixedRate } from "@florin/core/ports/RateSource"
import type { RateLimit } from "@florin/server/EdgeSettings"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as ChainTunings from "./ChainTunings.ts"
import * as Collection from "./Collection.ts"
import * as FailureBudgets from "./FailureBudgets.ts"
import * as FixedRates from "./FixedRates.ts"
import * as PriceSettings from "./PriceSettings.ts"
import * as Relayers from "./Relayers.ts"
import * as Setting from "./Setting.ts"
import * as Signers from "./Signers.ts"
import * as TokenFlows from "./TokenFlows.ts"
import * as TreasurySettings from "./TreasurySettings.ts"
import * as VaultKey from "./VaultKey.ts"

const when = <A>(holds: boolean, value: A): Option.Option<A> =>
  holds ? Option.some(value) : Option.none()

const text = (given: string) => when(given !== "", given)

const choice =
  <const A extends string>(choices: ReadonlyArray<A>) =>
  (given: string): Option.Option<A> =>
    Option.fromUndefinedOr(choices.find((each) => each === given))

const whole =
  (least: number, most: number) =>
  (given: string): Option.Option<number> =>
    when(/^[0-9]{1,9}$/u.test(given), Number(given)).pipe(
      Option.filter((number) => number >= least && number <= most),
    )

/** A host as in a link: no scheme, port or path. */
const host = (given: string): Option.Option<string> =>
  when(
    URL.canParse(`https://${given}/`) &&
      new URL(`https://${given}/`).href === `https://${given}/` &&
      !/[:@/]/u.test(given),
    given,
  )

const page = (given: string): Option.Option<string> =>
  when(/^https?:/u.test(given) && URL.canParse(given), given)

/** A browser opens it from a page that uses https, so a relay needs a certificate unless it is on this machine. */
const relay = (given: string): Option.Option<string> =>
  when(
    /^(?:wss:|ws:\/\/(?:localhost|127\.0\.0\.1)(?:[:/]|$))/u.test(given) && URL.canParse(given),
    given,
  )

/** Only scheme, host and port. */
const origin = (given: string): Option.Option<string> =>
  when(/^https?:/u.test(given) && URL.parse(given)?.origin === given, given)

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

const node = (given: string): Option.Option<Node> =>
  Option.map(ofChain(given), ({ chainId, url }) => ({ chainId, url: Redacted.make(url) }))

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
const explorers = (texts: ReadonlyArray<string>): Option.Option<Explorers> =>
  Option.flatMap(Option.all(texts.map(ofChain)), (given) =>
    when(
      given.every(({ url }) => isExplorer(url)) &&
        new Set(given.map(({ chainId }) => chainId)).size === given.length,
      Object.fromEntries(given.map(({ chainId, url }) => [chainId, url])),
    ),
  )

const keyBytes = 32

const key = (given: string): Option.Option<Uint8Array> =>
  Option.filter(Result.getSuccess(Base64.decode(given)), ({ length }) => length === keyBytes)

const headerName = "a header's name: letters, digits and -"

const header = (given: string): Option.Option<string> => when(/^[A-Za-z0-9-]+$/u.test(given), given)

/** The format of OTEL_EXPORTER_OTLP_HEADERS in other programs: values are percent-encoded. */
const otlpHeader = (
  given: string,
): Option.Option<Redacted.Redacted<readonly [name: string, value: string]>> => {
  const [, name = "", value = ""] = /^([A-Za-z0-9-]+)=([!-~]+)$/u.exec(given) ?? []
  const decoded = Option.liftThrowable(decodeURIComponent)(value)
  return Option.flatMap(decoded, (sent) =>
    when(name !== "", Redacted.make([name.toLowerCase(), sent] as const)),
  )
}

const secondsLimit = (given: string): Option.Option<RateLimit | null> =>
  Option.map(whole(0, 1_000_000)(given), (perSecond) =>
    perSecond === 0 ? null : { burst: perSecond * 2, perSecond },
  )

/** A wallet that identifies itself with an id instead of a key, and the mode of its payments. */
interface App {
  readonly mode: Mode.Mode
  readonly id: string
  readonly profile?: ApiKey.Profile
}

const app = (given: string): Option.Option<App> => {
  const [, mode, id = "", own] =
    /^(live|test):([\w.-]{1,128})(?:=(interface|field))?$/u.exec(given) ?? []
  const profile = choice(["interface", "field"])(own ?? "")
  return Option.map(choice(["live", "test"])(mode ?? ""), (known) => ({
    mode: known,
    id,
    ...(Option.isSome(profile) && { profile: profile.value }),
  }))
}

const rpcExpected = "a chain's id and a node's address, such as 8453=https://node.example/key"
const delayHoursMax = 30 * 24
const delayExpected = `a whole number of hours, at most ${delayHoursMax}`
const hoursMax = 8760
const hoursExpected = `a whole number of hours from 1 to ${hoursMax}`
const base64Expected = `${keyBytes} random bytes in base64: make them with openssl rand -base64 ${keyBytes}`
const pageExpected = "the address of a page, such as https://example.com/terms"
const fileExpected = "the name of a file"
const file = (name: string, help: string) =>
  Setting.one<string | null>(
    name,
    { metavar: "FILE", help, usually: "none", expected: fileExpected },
    null,
    text,
  )

/** A path may contain a token. */
const alertUrl = (given: string): Option.Option<Redacted.Redacted> =>
  Option.as(Result.getSuccess(Alert.parseUrl(given)), Redacted.make(given))

const signers = (name: string, help: string) =>
  Setting.one<ReadonlyArray<Signers.Signer>>(
    name,
    { metavar: "JSON", help, usually: "none", expected: Signers.expected, mayHoldPassword: true },
    [],
    Signers.parse,
  )

/** They are listed in this order, and documented in docs/command-line.md. */
const settings = {
  config: file("config", "JSON file with settings; flags and environment variables override it"),
  host: Setting.one(
    "host",
    {
      metavar: "ADDRESS",
      help: "Address of the server; 0.0.0.0 accepts connections from everywhere",
      usually: "127.0.0.1",
      expected: "an address of this machine, such as 0.0.0.0",
    },
    "127.0.0.1",
    text,
  ),
  port: Setting.one(
    "port",
    {
      metavar: "PORT",
      help: "Port of the server; 0 takes any free port",
      usually: "3000",
      expected: `a number from 0 to ${Flags.lastPort}`,
    },
    3000,
    whole(0, Flags.lastPort),
  ),
  operatorPort: Setting.one<number | null>(
    "operatorPort",
    {
      metavar: "PORT",
      help: "Port for you only, with /metrics for Prometheus, /healthz and /readyz; 0 takes any free port",
      usually: "none",
      expected: `a number from 0 to ${Flags.lastPort}`,
    },
    null,
    whole(0, Flags.lastPort),
  ),
  operatorHost: Setting.one(
    "operatorHost",
    {
      metavar: "ADDRESS",
      help: "Address of the operator's port; it has no key, so do not expose it",
      usually: "127.0.0.1",
      expected: "an address of this machine, such as 10.0.0.5",
    },
    "127.0.0.1",
    text,
  ),
  otlp: Setting.one<Redacted.Redacted | null>(
    "otlp",
    {
      metavar: "URL",
      help: "URL of the collector that gets traces, metrics and logs by OTLP over HTTP, as JSON",
      usually: "none",
      expected: "the address of a collector, without /v1/traces, such as http://127.0.0.1:4318",
      mayHoldPassword: true,
    },
    null,
    (given) => Option.map(page(given), Redacted.make),
  ),
  otlpHeaders: Setting.secret(
    Setting.many(
      "otlpHeaders",
      {
        metavar: "NAME=VALUE",
        help: "Headers for the collector, such as authorization=Bearer%20…",
        usually: "none",
        expected: "a header's name, =, and its value, with %20 for a space",
      },
      otlpHeader,
    ),
  ),
  otlpHeadersFile: file("otlpHeadersFile", "File with headers for the collector, one in each line"),
  alertUrl: Setting.one<Redacted.Redacted | null>(
    "alertUrl",
    {
      metavar: "URL",
      help: "Your webhook for alerts: workers send each problem that `florin status` shows in red, and its end",
      usually: "none",
      expected:
        "an https address, or an address of a private network, such as http://10.0.0.5:8080/florin",
      mayHoldPassword: true,
    },
    null,
    alertUrl,
  ),
  alertSecret: Setting.secret(
    Setting.many(
      "alertSecret",
      {
        metavar: "SECRETS",
        help: "Secrets that sign alerts by Standard Webhooks; all of them sign, so that you can rotate them",
        usually: "none; required with alertUrl",
        expected:
          'whsec_ and the base64 of 24 to 64 random bytes: make it with echo "whsec_$(openssl rand -base64 32)"',
      },
      (given) => Result.getSuccess(Webhook.parseSecret(given)),
    ),
  ),
  alertSecretFile: file(
    "alertSecretFile",
    "File with the secrets that sign alerts, one in each line",
  ),
  alertSeconds: Setting.one(
    "alertSeconds",
    {
      metavar: "SECONDS",
      help: "Seconds between checks for alerts: 2 in a row raise an alert, 5 without it clear it",
      usually: "60",
      expected: "a whole number of seconds from 1 to 3600",
    },
    60,
    whole(1, 3600),
  ),
  publicUrl: Setting.one<string | null>(
    "publicUrl",
    {
      metavar: "URL",
      help: "URL at which clients reach the service",
      usually: "https:// and the pay-link host",
      expected: "scheme and host, such as https://pay.example.com, without a slash at the end",
    },
    null,
    origin,
  ),
  payLinkHost: Setting.one<string | null>(
    "payLinkHost",
    {
      metavar: "HOST",
      help: "Host of payment links; wallets trust it and its subdomains",
      usually: "localhost and the port",
      expected: "a host in lower case, such as pay.example.com, without scheme, port or path",
    },
    null,
    host,
  ),
  storage: Setting.one(
    "storage",
    {
      metavar: "memory|embedded|URL",
      help: "Storage of the service: memory, embedded, or postgres://…; also read from DATABASE_URL",
      usually: "embedded",
      expected: "memory, embedded, or postgres://user:password@host:port/database",
      mayHoldPassword: true,
    },
    "embedded",
    (given) => when(/^(?:memory$|embedded$|postgres(?:ql)?:\/\/.)/u.test(given), given),
  ),
  schema: Setting.one(
    "schema",
    {
      metavar: "NAME",
      help: "Schema of the tables in a PostgreSQL database; created if necessary",
      usually: "florin",
      expected: "a name of lower-case letters, digits and underscores",
    },
    "florin",
    (given) => when(/^[a-z][a-z0-9_]*$/u.test(given), given),
  ),
  directory: Setting.one(
    "directory",
    {
      metavar: "DIR",
      help: "Directory of embedded data, local chains and their keys",
      usually: ".florin",
      expected: "the name of a directory",
    },
    ".florin",
    text,
  ),
  role: Setting.one<"api" | "worker" | "all">(
    "role",
    {
      metavar: "api|worker|all",
      help: "Role of this process: api serves calls, worker does background work, all does both",
      usually: "all",
      expected: "api, worker or all",
    },
    "all",
    choice(["api", "worker", "all"]),
  ),
  rpc: Setting.many(
    "rpc",
    {
      metavar: "CHAIN=URL",
      help: "Node of a chain for live payments; repeat for more chains, or for more nodes of a chain, which are asked in turn",
      usually: "none",
      expected: rpcExpected,
      mayHoldPassword: true,
    },
    node,
  ),
  testRpc: Setting.many(
    "testRpc",
    {
      metavar: "CHAIN=URL",
      help: "Node of a chain for test payments, which never use a live chain",
      usually: "none",
      expected: rpcExpected,
      mayHoldPassword: true,
    },
    node,
  ),
  chains: Setting.table<ChainTunings.ChainTunings>(
    "chains",
    {
      metavar: "CHAIN.NAME=VALUE",
      help: `Settings of one chain, such as 8453.finality=safe: ${ChainTunings.names}; gas is in wei`,
      usually: "none",
      expected: `a chain's id and one of its settings, each once, such as 8453.finality=safe or 8453.spendPerHour=20000000000000000: ${ChainTunings.names}; gas is in wei`,
    },
    {},
    ChainTunings.subject,
    ChainTunings.parse,
  ),
  assets: file("assets", "JSON file with your own tokens and networks; see docs/assets.md"),
  flow: Setting.table<TokenFlows.TokenFlows>(
    "flow",
    {
      metavar: "TOKEN=FLOWS",
      help: `How payers can pay in a token, preferred way first: ${TokenFlows.names}; such as eip155:1/erc20:0x…=permit2,transfer`,
      usually: "as listed in docs/assets.md",
      expected: TokenFlows.expected,
    },
    new Map(),
    TokenFlows.subject,
    TokenFlows.parse,
  ),
  localChains: Setting.one(
    "localChains",
    {
      metavar: "IDS",
      help: "Local chains to run if no node is configured",
      usually: Flags.usualChainsText,
      expected: Flags.chainsFormat,
    },
    Flags.usualChains,
    Flags.chainIdsOf,
  ),
  relayers: Setting.many(
    "relayers",
    {
      metavar: "ADDRESS",
      help: "Addresses of the accounts that collect live payments; 8453=0x… is for one chain. --role api needs no keys",
      usually: "the addresses of relayerKeys",
      expected: Relayers.addressesFormat,
      // Somebody may pass a key by mistake.
      mayHoldPassword: true,
    },
    Relayers.address,
  ),
  relayerKeys: Setting.secret(
    Setting.many(
      "relayerKeys",
      {
        metavar: "KEYS",
        help: "Private keys of the accounts that collect, settle and refund live payments; they need gas on their chains",
        usually: "none",
        expected: Relayers.keysFormat,
      },
      Relayers.key,
    ),
  ),
  relayerKeysFile: file(
    "relayerKeysFile",
    "File with the relayers' keys, one in each line; 8453=0x… is for one chain",
  ),
  signers: signers("signers", "Sign live transactions with key files, Web3Signer or programs"),
  testRelayers: Setting.many(
    "testRelayers",
    {
      metavar: "ADDRESS",
      help: "Addresses of the accounts that collect test payments; never the same accounts as for live payments",
      usually: "the addresses of testRelayerKeys",
      expected: Relayers.addressesFormat,
      mayHoldPassword: true,
    },
    Relayers.address,
  ),
  testRelayerKeys: Setting.secret(
    Setting.many(
      "testRelayerKeys",
      {
        metavar: "KEYS",
        help: "Private keys of the accounts for test payments; never the same accounts as for live payments",
        usually: "none",
        expected: Relayers.keysFormat,
      },
      Relayers.key,
    ),
  ),
  testRelayerKeysFile: file(
    "testRelayerKeysFile",
    "File with the keys of test relayers, one in each line",
  ),
  testSigners: signers(
    "testSigners",
    "Sign test transactions with key files, Web3Signer or programs",
  ),
  sealKey: Setting.secret(
    Setting.many(
      "sealKey",
      {
        metavar: "KEYS",
        help: "Keys that authenticate options and cursors, the same in every process; the first seals, all open",
        usually: "generated in the directory; required with PostgreSQL",
        expected: `keys of ${base64Expected}`,
      },
      key,
    ),
  ),
  sealKeyFile: file("sealKeyFile", "File with the seal keys, one in each line"),
  vaultKey: Setting.secret(
    Setting.many(
      "vaultKey",
      {
        metavar: "KEYS",
        help: "Keys that encrypt webhook secrets and payers' data; the first encrypts, all decrypt",
        usually:
          "generated in the directory; required with PostgreSQL, and if payers' data is collected",
        expected: `keys of ${base64Expected}`,
      },
      (given) => Option.map(key(given), VaultKey.make),
    ),
  ),
  vaultKeyFile: file("vaultKeyFile", "File with the vault keys, one in each line"),
  fieldHeader: Setting.many(
    "fieldHeader",
    {
      metavar: "NAME",
      help: "Clients that send their API version in this header get the field profile",
      usually: "none",
      expected: headerName,
    },
    header,
  ),
  app: Setting.many(
    "app",
    {
      metavar: "MODE:ID[=PROFILE]",
      help: "App-Id with which wallets call the gateway without a key, for live or test payments; =field gives them the field profile",
      usually: "none",
      expected:
        "live: or test: and an id, such as live:pocket-wallet, of letters, digits, -, . and _; then =field or =interface, if it has a profile of its own",
    },
    app,
  ),
  legacyList: Setting.toggle(
    "legacyList",
    "Accept a key in X-Api-Key on GET /v1/merchants/{id}/payments, and respond in the legacy shape",
  ),
  corsOrigin: Setting.many(
    "corsOrigin",
    {
      metavar: "ORIGIN",
      help: "Browser origin that may call the gateway; repeat for several",
      usually: "all",
      expected: "scheme, host and port, such as https://shop.example",
    },
    origin,
  ),
  rateLimit: Setting.one<RateLimit | null>(
    "rateLimit",
    {
      metavar: "CALLS",
      help: "Calls of one caller per second in each process, with bursts of twice as many; 0 is no limit",
      usually: "100",
      expected: "a whole number, at least 0",
    },
    { burst: 200, perSecond: 100 },
    secondsLimit,
  ),
  proxyHeader: Setting.one<string | null>(
    "proxyHeader",
    {
      metavar: "NAME",
      help: "Header in which your proxy sends the caller's address, such as x-forwarded-for",
      usually: "the address of the connection",
      expected: headerName,
    },
    null,
    header,
  ),
  collect: Setting.table(
    "collect",
    {
      metavar: "RULE",
      help: "When payers must give personal data: never, always, or above:1000.00USD; mrch_…=RULE for one merchant",
      usually: "never",
      expected: Collection.expected,
    },
    Collection.never,
    Collection.subject,
    Collection.parse,
  ),
  failureBudgets: Setting.table<Partial<FailureBudget.Limits>>(
    "failureBudgets",
    {
      metavar: "SUBJECT=COUNT",
      help: "Failed collects that the service pays for in an hour, for each account, merchant, partner or key, such as merchant=10; for refund, the gas of a partner's refunds, in multiples of gasAllowance",
      usually: "account=2, refund=20, and 10 for each of the others",
      expected: FailureBudgets.expected,
    },
    {},
    FailureBudgets.subject,
    FailureBudgets.parse,
  ),
  rate: Setting.table<ReadonlyArray<FixedRate>>(
    "rate",
    {
      metavar: "PAIR=RATE[@TIME]",
      help: "Fixed rate of a currency in a token that is not pegged to it, such as GBP.USDC=1.27, with the time it was set if you like",
      usually: "none",
      expected: FixedRates.expected,
    },
    [],
    FixedRates.subject,
    FixedRates.parse,
  ),
  rateMaxAgeHours: Setting.one<number | null>(
    "rateMaxAgeHours",
    {
      metavar: "HOURS",
      help: "Maximum age of a fixed rate; a rate without a time counts from the start of the process",
      usually: "unlimited",
      expected: hoursExpected,
    },
    null,
    whole(1, hoursMax),
  ),
  rateFile: Setting.one<string | null>(
    "rateFile",
    {
      metavar: "FILE|URL",
      help: "Table of exchange rates, read again regularly: the ECB's daily XML, or JSON",
      usually: "none",
      expected: PriceSettings.fileFormat,
      mayHoldPassword: true,
    },
    null,
    PriceSettings.file,
  ),
  rateFileMaxAgeHours: Setting.one(
    "rateFileMaxAgeHours",
    {
      metavar: "HOURS",
      help: "Maximum age of that table",
      usually: "144, enough for the ECB's longest holidays",
      expected: hoursExpected,
    },
    144,
    whole(1, hoursMax),
  ),
  rateFeed: Setting.many(
    "rateFeed",
    {
      metavar: "FEED",
      help: "Price feed on chain and the maximum age of its price, such as EUR.USD=1:0x…/25h; all feeds of one pair must agree",
      usually: "none",
      expected: PriceSettings.feedFormat,
    },
    PriceSettings.feed,
  ),
  rateFeedRpc: Setting.many(
    "rateFeedRpc",
    {
      metavar: "CHAIN=URL",
      help: "Node to read price feeds from, before those of rpc",
      usually: "the nodes of rpc",
      expected: rpcExpected,
      mayHoldPassword: true,
    },
    node,
  ),
  rateFeedDeviation: Setting.one(
    "rateFeedDeviation",
    {
      metavar: "BPS",
      help: "Maximum difference of two feeds of one pair in basis points; beyond it there is no rate",
      usually: "100, which is 1 %",
      expected: "a whole number of basis points from 1 to 5000",
    },
    100,
    whole(1, 5000),
  ),
  sequencerFeed: Setting.many(
    "sequencerFeed",
    {
      metavar: "CHAIN=ADDRESS",
      help: "Feed that reports whether a chain's sequencer runs; without it, the service does not check",
      usually: "none",
      expected: PriceSettings.sequencerFormat,
    },
    PriceSettings.sequencer,
  ),
  pegGuard: Setting.table<PegGuard>(
    "pegGuard",
    {
      metavar: "TOKEN=BPS",
      help: "Stop pricing a token that is more than this many basis points off its peg, or that no source prices",
      usually: "none, a token is at par with its peg",
      expected: PriceSettings.guardFormat,
    },
    new Map(),
    PriceSettings.subject,
    PriceSettings.guard,
  ),
  payouts: Setting.one<PayoutPolicy.PayoutPolicy | null>(
    "payouts",
    {
      metavar: "POLICY",
      help: "Payout policy of live payments: immediate, 15m, or 15m/500 for after 15 minutes or at 500 units of a token; partners and merchants can have their own policies",
      usually: `${PayoutPolicy.format(PayoutPolicy.defaults.live)}; immediate on local chains`,
      expected: Flags.payoutsFormat,
    },
    null,
    Flags.payoutPolicy,
  ),
  testPayouts: Setting.one<PayoutPolicy.PayoutPolicy | null>(
    "testPayouts",
    {
      metavar: "POLICY",
      help: "Payout policy of test payments",
      usually: PayoutPolicy.format(PayoutPolicy.defaults.test),
      expected: Flags.payoutsFormat,
    },
    null,
    Flags.payoutPolicy,
  ),
  destinationDelayHours: Setting.one(
    "destinationDelayHours",
    {
      metavar: "HOURS",
      help: "Hours before a change of a live merchant's settlement destination takes effect; payouts to it wait meanwhile",
      usually: "24",
      expected: delayExpected,
    },
    24,
    whole(0, delayHoursMax),
  ),
  testDestinationDelayHours: Setting.one(
    "testDestinationDelayHours",
    {
      metavar: "HOURS",
      help: "The same hours for test merchants",
      usually: "0",
      expected: delayExpected,
    },
    0,
    whole(0, delayHoursMax),
  ),
  treasury: Setting.many(
    "treasury",
    {
      metavar: "ACCOUNT",
      help: "Your account that `florin float withdraw --help` may send your own money to",
      usually: "none",
      expected: TreasurySettings.expected,
    },
    TreasurySettings.account,
  ),
  sweep: Setting.many(
    "sweep",
    {
      metavar: "ACCOUNT",
      help: "Cold account, one for each chain, that gets your own money beyond hotMax from the service's accounts",
      usually: "none",
      expected: TreasurySettings.expected,
    },
    TreasurySettings.account,
  ),
  hotMax: Setting.one<number | null>(
    "hotMax",
    {
      metavar: "UNITS",
      help: "Units of each token of your own that an account keeps for refunds if it is swept",
      usually: "none; required with sweep",
      expected: "a whole number of the token's units, such as 5000, at most 1000000000",
    },
    null,
    whole(0, 1_000_000_000),
  ),
  sweepHours: Setting.one(
    "sweepHours",
    {
      metavar: "HOURS",
      help: "Hours between sweeps of accounts",
      usually: "24",
      expected: hoursExpected,
    },
    24,
    whole(1, hoursMax),
  ),
  retentionDays: Setting.one(
    "retentionDays",
    {
      metavar: "DAYS",
      help: "Days after which payers' data is deleted",
      usually: "30",
      expected: "a whole number from 1 to 3650",
    },
    30,
    whole(1, 3650),
  ),
  auditDays: Setting.one<number | null>(
    "auditDays",
    {
      metavar: "DAYS",
      help: "Days after which entries of the audit log are deleted",
      usually: "never",
      expected: "a whole number from 30 to 36500",
    },
    null,
    whole(30, 36_500),
  ),
  termsUrl: Setting.one<string | null>(
    "termsUrl",
    {
      metavar: "URL",
      help: "URL of the terms that payers accept before they give personal data",
      usually: "none; required if payers' data is collected",
      expected: pageExpected,
    },
    null,
    page,
  ),
  privacyUrl: Setting.one<string | null>(
    "privacyUrl",
    {
      metavar: "URL",
      help: "URL of the privacy policy that payers accept",
      usually: "none; required if payers' data is collected",
      expected: pageExpected,
    },
    null,
    page,
  ),
  walletConnectProject: Setting.one<string | null>(
    "walletConnectProject",
    {
      metavar: "ID",
      help: "Your WalletConnect project: payers may connect a wallet on another device",
      usually: "none",
      expected: "the id of a project, 32 characters of 0-9 and a-f",
    },
    null,
    (given) => (/^[0-9a-f]{32}$/u.test(given) ? Option.some(given) : Option.none()),
  ),
  walletConnectRelay: Setting.one<string | null>(
    "walletConnectRelay",
    {
      metavar: "URL",
      help: "Relay between the checkout and such wallets",
      usually: "WalletConnect's own",
      expected: "the address of a relay, such as wss://relay.walletconnect.org",
    },
    null,
    relay,
  ),
  frameAncestor: Setting.many(
    "frameAncestor",
    {
      metavar: "ORIGIN",
      help: "Origin whose pages may show the checkout in a frame",
      usually: "none",
      expected: "scheme, host and port, such as https://wallet.example",
    },
    origin,
  ),
  explorer: Setting.table<Explorers>(
    "explorer",
    {
      metavar: "CHAIN=URL",
      help: "Explorer that payers open for their live transactions on a chain; the hash is appended",
      usually: "the chain's own",
      expected:
        "a chain's id, once, and an https address that a hash is appended to, which ends with / or = and names no user, such as 8453=https://scan.example/tx/",
      mayHoldPassword: true,
    },
    {},
    (given) => given.split("=", 1).join(),
    explorers,
  ),
  denyList: file(
    "denyList",
    "File of addresses that may neither pay nor be paid, one in each line; it is read again while the service runs",
  ),
  reconcileMinutes: Setting.one(
    "reconcileMinutes",
    {
      metavar: "MINUTES",
      help: "Minutes between comparisons of the ledger with on-chain balances; 0 is never",
      usually: "60",
      expected: "a whole number of minutes, at most 1440",
    },
    60,
    whole(0, 1440),
  ),
  approveMerchants: Setting.one<Merchant.Approval>(
    "approveMerchants",
    {
      metavar: "MODE",
      help: "Which live merchants you approve before payers see them: never is none, alike is those whose name looks like another partner's, always is each merchant, name, icon and support contact",
      usually: "never",
      expected: "never, alike or always",
    },
    "never",
    choice(["never", "alike", "always"]),
  ),
  proveDestinations: Setting.toggle(
    "proveDestinations",
    "Pay a new settlement destination only after its account has signed a proof of control",
  ),
  privateWebhooks: Setting.toggle(
    "privateWebhooks",
    "Allow webhooks to private addresses, for development only",
  ),
  privateLogos: Setting.toggle(
    "privateLogos",
    "Allow merchants' logos from private addresses, for a network of your own",
  ),
  logFormat: Setting.one<"text" | "json" | null>(
    "logFormat",
    {
      metavar: "text|json",
      help: "Format of the request log on standard output",
      usually: "text on a terminal, otherwise json",
      expected: "text or json",
    },
    null,
    choice(["text", "json"]),
  ),
  iKnow: Setting.toggle(
    "iKnow",
    "Allow real money with a storage that is not safe for it: memory or embedded",
  ),
}

export const all: ReadonlyArray<Setting.Setting<unknown>> = Object.values(settings)

/** The setting that the commands for webhook endpoints also need. */
export const { privateWebhooks } = settings

/** The settings that commands need to predict when a share is paid out. */
export const { payouts, rpc, testPayouts, testRpc, treasury } = settings

/** The settings that a configuration file may contain: all except its own path. */
export const inConfigFile = all.filter(({ name }) => name !== settings.config.name)

/** The flags: all settings except secrets. */
export const flags = Object.fromEntries(
  all.filter(({ kind }) => kind !== "secret").map((each) => [each.name, Setting.flag(each)]),
)

/** The flags that name nodes. */
export const nodeFlags = {
  rpc: Setting.flag(settings.rpc),
  testRpc: Setting.flag(settings.testRpc),
}

type Resolved = { readonly [K in keyof typeof settings]: Setting.Value<(typeof settings)[K]> }

/** The values of all settings. */
export interface Values extends Omit<
  Resolved,
  | "config"
  | "alertSecretFile"
  | "otlpHeadersFile"
  | "relayerKeysFile"
  | "testRelayerKeysFile"
  | "sealKeyFile"
  | "vaultKeyFile"
> {}

/** The variable in which most platforms name the database. */
export const alsoKnownAs = { storage: "DATABASE_URL" }

/** The path of the configuration file. */
export const configFile = (sources: ReadonlyArray<Setting.Source>) =>
  Setting.read(settings.config, sources)

/** A secret from a source, or from a separate file. */
const secretOf = <A>(
  setting: Setting.Setting<A>,
  inFile: Setting.Setting<string | null>,
  sources: ReadonlyArray<Setting.Source>,
): Result.Result<A, Failure.CommandFailed> =>
  Result.flatMap(Setting.read(inFile, sources), (path) => {
    if (path === null) return Setting.read(setting, sources)
    if (sources.some((source) => source(setting) !== undefined)) {
      return Result.fail(
        new Failure.CommandFailed({
          message: `${setting.name} and ${inFile.name} are both set: keep one of them`,
        }),
      )
    }
    const as = `what ${inFile.name} names`
    return Result.flatMap(PrivateFile.readKeys(path), (content = "") => {
      const texts = content.split(/\s+/u).filter((each) => each !== "")
      return texts.length === 0
        ? Result.fail(
            new Failure.CommandFailed({
              message: `${as} cannot be read, or is empty: check the file`,
            }),
          )
        : Setting.read(setting, [() => ({ as, texts })])
    })
  })

/** The keys of the vault, for commands that encrypt secrets. */
export const vaultKeys = (sources: ReadonlyArray<Setting.Source>) =>
  secretOf(settings.vaultKey, settings.vaultKeyFile, sources)

/** The operator's own webhook, for a command that tests it. */
export const alerts = (sources: ReadonlyArray<Setting.Source>) =>
  Result.all({
    alertUrl: Setting.read(settings.alertUrl, sources),
    alertSecret: secretOf(settings.alertSecret, settings.alertSecretFile, sources),
    alertSeconds: Setting.read(settings.alertSeconds, sources),
  })

/** The flags that set it. */
export const alertFlags = {
  alertUrl: Setting.flag(settings.alertUrl),
  alertSecretFile: Setting.flag(settings.alertSecretFile),
}

/** All settings together, or the first invalid one. */
export const resolve = (
  sources: ReadonlyArray<Setting.Source>,
): Result.Result<Values, Failure.CommandFailed> => {
  const one = <A>(setting: Setting.Setting<A>) => Setting.read(setting, sources)
  return Result.all({
    host: one(settings.host),
    port: one(settings.port),
    operatorPort: one(settings.operatorPort),
    operatorHost: one(settings.operatorHost),
    otlp: one(settings.otlp),
    otlpHeaders: secretOf(settings.otlpHeaders, settings.otlpHeadersFile, sources),
    alertUrl: one(settings.alertUrl),
    alertSecret: secretOf(settings.alertSecret, settings.alertSecretFile, sources),
    alertSeconds: one(settings.alertSeconds),
    publicUrl: one(settings.publicUrl),
    payLinkHost: one(settings.payLinkHost),
    storage: one(settings.storage),
    schema: one(settings.schema),
    directory: one(settings.directory),
    role: one(settings.role),
    rpc: one(settings.rpc),
    testRpc: one(settings.testRpc),
    chains: one(settings.chains),
    assets: one(settings.assets),
    flow: one(settings.flow),
    localChains: one(settings.localChains),
    relayers: one(settings.relayers),
    relayerKeys: secretOf(settings.relayerKeys, settings.relayerKeysFile, sources),
    signers: one(settings.signers),
    testRelayers: one(settings.testRelayers),
    testRelayerKeys: secretOf(settings.testRelayerKeys, settings.testRelayerKeysFile, sources),
    testSigners: one(settings.testSigners),
    sealKey: secretOf(settings.sealKey, settings.sealKeyFile, sources),
    vaultKey: vaultKeys(sources),
    fieldHeader: one(settings.fieldHeader),
    app: one(settings.app),
    legacyList: one(settings.legacyList),
    corsOrigin: one(settings.corsOrigin),
    rateLimit: one(settings.rateLimit),
    proxyHeader: one(settings.proxyHeader),
    collect: one(settings.collect),
    failureBudgets: one(settings.failureBudgets),
    rate: one(settings.rate),
    rateMaxAgeHours: one(settings.rateMaxAgeHours),
    rateFile: one(settings.rateFile),
    rateFileMaxAgeHours: one(settings.rateFileMaxAgeHours),
    rateFeed: one(settings.rateFeed),
    rateFeedRpc: one(settings.rateFeedRpc),
    rateFeedDeviation: one(settings.rateFeedDeviation),
    sequencerFeed: one(settings.sequencerFeed),
    pegGuard: one(settings.pegGuard),
    payouts: one(settings.payouts),
    testPayouts: one(settings.testPayouts),
    destinationDelayHours: one(settings.destinationDelayHours),
    testDestinationDelayHours: one(settings.testDestinationDelayHours),
    treasury: one(settings.treasury),
    sweep: one(settings.sweep),
    hotMax: one(settings.hotMax),
    sweepHours: one(settings.sweepHours),
    retentionDays: one(settings.retentionDays),
    auditDays: one(settings.auditDays),
    termsUrl: one(settings.termsUrl),
    privacyUrl: one(settings.privacyUrl),
    walletConnectProject: one(settings.walletConnectProject),
    walletConnectRelay: one(settings.walletConnectRelay),
    frameAncestor: one(settings.frameAncestor),
    explorer: one(settings.explorer),
    denyList: one(settings.denyList),
    reconcileMinutes: one(settings.reconcileMinutes),
    approveMerchants: one(settings.approveMerchants),
    proveDestinations: one(settings.proveDestinations),
    privateWebhooks: one(settings.privateWebhooks),
    privateLogos: one(settings.privateLogos),
    logFormat: one(settings.logFormat),
    iKnow: one(settings.iKnow),
  })
}
