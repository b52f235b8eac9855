/**
 * Options that several commands know.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import * as Network from "@florin/core/domain/Network"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

export const directory = Flag.String("directory").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription("Where data, chains and keys are kept (.florin)"),
  Flag.withDefault(".florin"),
)

/** The storage of a service that ran before. */
export const storage = Flag.String("storage").pipe(
  Flag.withMetavar("embedded|URL"),
  Flag.withDescription("The storage that the service had (embedded); a URL is postgres://…"),
  Flag.withDefault("embedded"),
)

export const json = Flag.Boolean("json").pipe(
  Flag.withoutNegation,
  Flag.withDescription("Print JSON, for programs"),
  Flag.withDefault(false),
)

const lastPort = 65_535

export const port = Flag.Int("port").pipe(
  Flag.withMetavar("PORT"),
  Flag.withDescription("Where the server listens (3000; with --once any that is free)"),
  Flag.filter(
    (value) => value >= 0 && value <= lastPort,
    () => `a number from 0 to ${lastPort}`,
  ),
  Flag.optional,
)

const served = Network.all.map(({ chainId }) => chainId)

const chainIdsOf = (text: string): Option.Option<ReadonlyArray<Caip.ChainId>> => {
  const named = text.split(",").map((each) => each.trim())
  const chainIds = served.filter((chainId) => named.includes(`${chainId}`))
  return chainIds.length === named.length ? Option.some(chainIds) : Option.none()
}

const usual = [8453, 137, 1, 56].map((chainId) => Caip.ChainId.make(chainId))

export const chains = Flag.String("chains").pipe(
  Flag.withMetavar("IDS"),
  Flag.withDescription(`Which chains run here (${usual.join()})`),
  Flag.filterMap(chainIdsOf, () => `ids of chains that are served, each once: ${served.join()}`),
  Flag.withDefault(usual),
)
