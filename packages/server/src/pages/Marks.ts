/**
 * Drawings of well-known tokens and networks, so that payers recognise them by colour and shape. They are our own: no
 * logo is copied. Each is simple enough to be read at 16 pixels, in light and in dark.
 *
 * @module
 */

/** One drawing, in a square of 64 units. */
export interface Mark {
  /** The colour behind the drawing. */
  readonly ground: string
  /** The colour of the drawing itself, by default white. */
  readonly ink?: string
  /** A path that is drawn as a line. */
  readonly line?: string
  /** The width of the line, by default 5. */
  readonly width?: number
  /** A path that is filled. */
  readonly solid?: string
}

const dollar =
  "M40 25.500c-1-3.2-4-5-8-5-4.5 0-8 2-8 5.7 0 8 16 4 16 12 0 3.7-3.5 5.8-8 5.8-4.3 0-7.5-2-8.3-5.300M32 15.500v5M32 44v5"
const arcs = "M23.5 11.500a22.2 22.2 0 0 0 0 41M40.5 11.500a22.2 22.2 0 0 1 0 41"
const barredT = "M19 20h26M32 20v27M23 33l18-4"

/** A wallet that has no icon of its own. */
export const wallet: Mark = {
  ground: "#4a5568",
  line: "M45 24v-7H21a4 4 0 0 0 0 8h28v22H21a4 4 0 0 1-4-4V21",
  solid: "M37 36a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
}

/** By symbol, in lower case. */
export const tokens: { readonly [symbol: string]: Mark } = {
  usdc: { ground: "#2268c4", line: dollar + arcs, width: 4.5 },
  eurc: {
    ground: "#4149b8",
    line: `M41 24.500a11.5 11.5 0 1 0 0 15M19.5 29.500h14M19.5 34.500h14${arcs}`,
    width: 4.5,
  },
  usdt: { ground: "#188264", line: barredT, width: 6 },
  usdt0: {
    ground: "#0f4d45",
    line: `${barredT}M9 32a23 23 0 1 0 46 0a23 23 0 1 0-46 0`,
    width: 4.5,
  },
  pyusd: {
    ground: "#0f3f94",
    line: "M27 47V17.500h8.500a8.5 8.5 0 0 1 0 17H27M19 41h15",
    width: 6,
  },
  usdg: {
    ground: "#14532d",
    ink: "#b5ec5b",
    line: "M42.5 23.500a13 13 0 1 0 2.5 9.500H34",
    width: 6,
  },
}

/** By the name of the network's icon. */
export const networks: { readonly [icon: string]: Mark } = {
  ethereum: { ground: "#5163ad", solid: "M32 9l15 24-15 9-15-9zM17 38l15 17 15-17-15 9z" },
  optimism: {
    ground: "#d3202e",
    line: "M13 32a8 8 0 1 0 16 0a8 8 0 1 0-16 0M38 42V23h6a6 6 0 0 1 0 12h-6",
    width: 6,
  },
  bsc: {
    ground: "#f0b90b",
    ink: "#1f1a05",
    line: "M32 12l20 20-20 20-20-20z",
    solid: "M32 24l8 8-8 8-8-8z",
  },
  polygon: { ground: "#7a3fe0", line: "M32 12l17.5 10v20L32 52 14.5 42V22z", width: 7 },
  monad: {
    ground: "#6a50f0",
    line: "M32 13c6 0 19 13 19 19S38 51 32 51 13 38 13 32s13-19 19-19z",
    width: 8,
  },
  base: { ground: "#1652f0", solid: "M32 13a19 19 0 1 1-18.8 22H37v-6H13.200A19 19 0 0 1 32 13z" },
  arbitrum: { ground: "#213a56", ink: "#63b8ff", line: "M16 48L32 15l16 33M35 48l-6-12", width: 6 },
  celo: { ground: "#f6f85a", ink: "#26280a", line: "M44.5 22a16 16 0 1 0 0 20", width: 7 },
  xdc: { ground: "#20539f", line: "M18 20l28 24M46 20L18 44", width: 7 },
  unichain: { ground: "#d9129f", line: "M19 15v16a13 13 0 0 0 26 0V15", width: 8 },
  sonic: {
    ground: "#16324f",
    ink: "#ffab5e",
    line: "M12 36c16 0 22-16 40-16M12 48c16 0 22-16 40-16",
    width: 6,
  },
  xlayer: {
    ground: "#2b2b2f",
    solid: "M14 14h12v12H14zM38 14h12v12H38zM26 26h12v12H26zM14 38h12v12H14zM38 38h12v12H38z",
  },
  worldchain: {
    ground: "#3b4048",
    line: "M13 32a19 19 0 1 0 38 0a19 19 0 1 0-38 0M14 32h36",
    width: 6,
  },
  hyperevm: {
    ground: "#0c3b35",
    ink: "#97fce4",
    solid: "M32 32c9-16 20-15 20 0s-11 16-20 0c-9 16-20 15-20 0s11-16 20 0z",
  },
  sei: {
    ground: "#9b1c2e",
    line: "M12 22c8-6 12 6 20 0s12-6 20 0M12 33c8-6 12 6 20 0s12-6 20 0M12 44c8-6 12 6 20 0s12-6 20 0",
  },
  robinhood: {
    ground: "#c6f135",
    ink: "#1d3008",
    line: "M18 52l26-38c3 16-4 25-19 27M27 39l9-1",
  },
  plasma: {
    ground: "#17423a",
    ink: "#86efc6",
    line: "M44 18a18 18 0 1 0 6 14M32 22v10h10",
    width: 6,
  },
  avalanche: { ground: "#dc3a3b", solid: "M10 48l17-30 10 18 4-6 13 18z" },
  ink: {
    ground: "#7132f5",
    solid: "M32 10c11 14 15 20 15 27a15 15 0 0 1-30 0c0-7 4-13 15-27z",
  },
  linea: { ground: "#1f2a2e", ink: "#61dfff", line: "M20 16v32h26M45 17v.1", width: 8 },
}

/** Test networks, by the name of their icon: drawn as the network that they stand for, in a dashed frame. */
export const testNetworks: { readonly [icon: string]: string } = {
  avalanchefuji: "avalanche",
  polygonamoy: "polygon",
  basesepolia: "base",
  arbitrumsepolia: "arbitrum",
  sepolia: "ethereum",
  optimismsepolia: "optimism",
}
