/**
 * Built-in tokens that are off by default: on further networks, and on test networks.
 *
 * Each address and each signing domain comes from two independent public sources, which docs/assets.md names. A test
 * recomputes every pin offline, and the chain is asked when a token is switched on.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as Issuer from "@florin/core/domain/eip155/Issuer"

/** What the tokens of an issuer have in common, wherever they are. Some of the older ones sign with another name. */
const usdc = { ...Assets.usdc, signs: { name: "USDC", version: "2" } } as const
const usdg = {
  symbol: "USDG",
  name: "Global Dollar",
  flow: "eip3009",
  issuer: Issuer.paxos,
  signs: { name: "Global Dollar", version: "1" },
} as const

export const rows: ReadonlyArray<Assets.Row> = [
  {
    chainId: 43114,
    address: "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
    ...usdc,
    signs: { name: "USD Coin", version: "2" },
    pin: "0xbbea200329a938bc3438984a49cb0732e66d66d7bd59c127abacc1710e77f7b3",
  },
  {
    chainId: 43114,
    address: "0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD",
    ...Assets.eurc,
    signs: { name: "Euro Coin", version: "2" },
    pin: "0x094e957ad84a5711a2d13ea2ddcfe3947fe1704472f07bf8a49718f55a65f4b1",
  },
  {
    chainId: 59144,
    address: "0x176211869cA2b568f2A7D4EE941E073a821EE1ff",
    ...usdc,
    pin: "0x175b79ed2b358e1a27efa17563a81216a922ec7265bbb33e190840dc9e09c633",
  },
  {
    chainId: 130,
    address: "0x078D782b760474a361dDA0AF3839290b0EF57AD6",
    ...usdc,
    pin: "0x565b4c4095d739dada6adeb9a89bc6dc4d102500ebd4a88bef1ec1d0f69d83b8",
  },
  {
    chainId: 480,
    address: "0x79A02482A880bCE3F13e09Da970dC34db4CD24d1",
    ...usdc,
    pin: "0x936533d5f85622a8261854e20bb87f4e849dde486f429bc1fb66202b7cde09ec",
  },
  {
    chainId: 146,
    address: "0x29219dd400f2Bf60E5a23d13Be72B486D4038894",
    ...usdc,
    // Its domain name was "Bridged USDC (Sonic Labs)" until Circle took over the bridge's token.
    signs: { name: "USDC", version: "2" },
    pin: "0x47ff53f4cb866f027068ac56dedd98f6818c3ea4f1f60a1850d746944543ac12",
  },
  {
    chainId: 1329,
    address: "0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392",
    ...usdc,
    pin: "0x0a19136106ae98d2c245cbbd451f3cb2bbbb1670e1ee191abacb5a5e255c0255",
  },
  {
    chainId: 999,
    address: "0xb88339CB7199b77E23DB6E890353E22632Ba630f",
    ...usdc,
    pin: "0x70a72998ad787d1a9152a8f88ccfe0766b1cb293b6b4011b34523035da10b0a3",
  },
  {
    chainId: 50,
    address: "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1",
    ...usdc,
    pin: "0xe3bb44ae105af7e23bb39b117e22bbcbf435066554f45b3a9bbcba42c80fe56d",
  },
  {
    chainId: 57073,
    address: "0x2D270e6886d130D724215A266106e6832161EAEd",
    ...usdc,
    pin: "0xf519297f2d44354cc4501c0409de6f010d00751a8bae0722beac00aeb58b0217",
  },
  {
    chainId: 57073,
    address: "0xe343167631d89B6Ffc58B88d6b7fB0228795491D",
    ...usdg,
    pin: "0x5de3d26cd3d40e25dbd43fcc9a155714520eb0b6dd7c084be8943e793cadf0e3",
  },
  {
    chainId: 196,
    address: "0x779Ded0c9e1022225f8E0630b35a9b54bE713736",
    symbol: "USDT0",
    name: "USD₮0",
    flow: "eip3009",
    issuer: Issuer.usdt0,
    signs: { name: "USD₮0", version: "1" },
    pin: "0xd591d9baf744328d9400b923cb02c9474d367d591ca1ab24d8c4068be527599d",
  },
  {
    chainId: 196,
    address: "0x4ae46a509F6b1D9056937BA4500cb143933D2dc8",
    ...usdg,
    pin: "0x415f0706e345fcaf25d5be24c4fd7830d0054fc5742c51a0db9319c759bd3743",
  },
  {
    chainId: 9745,
    address: "0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb",
    symbol: "USDT0",
    name: "USD₮0",
    flow: "eip3009",
    issuer: Issuer.usdt0,
    // Unlike on Arbitrum, the domain uses plain letters.
    signs: { name: "USDT0", version: "1" },
    pin: "0x9b623ce5cf92b52a645d79ae1a57a50aa3d0506ebc752db1847ef4f21c7f8461",
  },
  {
    chainId: 4663,
    address: "0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168",
    ...usdg,
    pin: "0x7a3d7400b27830f4f91c2c16a082486d67c1befecaec2f53b33f1f35d5b62036",
  },
  {
    chainId: 42220,
    address: "0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e",
    symbol: "USDT",
    name: "Tether USD",
    flow: "eip3009",
    issuer: Issuer.usdt0,
    // Tether's own token, with the code that USDT0 has on other chains.
    signs: { name: "Tether USD", version: "1" },
    pin: "0xbcb4d62e4834b598d0eacecd84c0b397a0254e077c41cf2143e394d5701d1088",
  },
  {
    chainId: 84532,
    address: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    ...usdc,
    pin: "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818",
  },
  {
    chainId: 84532,
    address: "0x808456652fdb597867f38412077A9182bf77359F",
    ...Assets.eurc,
    signs: { name: "EURC", version: "2" },
    pin: "0x0f014fc929bd4eb3577a01319a281f49da27c70057520f1e1debc8272d1ac57e",
  },
  {
    chainId: 11155111,
    address: "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
    ...usdc,
    pin: "0xb90e5057db141a932946e64d09ccb7ffc9b00bd79fec26f698d29af0c83320a6",
  },
  {
    chainId: 11155420,
    address: "0x5fd84259d66Cd46123540766Be93DFE6D43130D7",
    ...usdc,
    pin: "0x09d038a3e46040fc37eb01174dbbcdb7981fbd8eafd9e1a857b1c67805dfb29e",
  },
  {
    chainId: 421614,
    address: "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d",
    ...usdc,
    signs: { name: "USD Coin", version: "2" },
    pin: "0x85944e1292d007732838d6eadfa67589b78ffcededbd4df60488d0af251308bb",
  },
  {
    chainId: 80002,
    address: "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582",
    ...usdc,
    pin: "0x5cddc98319864e897e4469bd1d13c2288c677047b54b8cca12bd342adb6be9eb",
  },
  {
    chainId: 43113,
    address: "0x5425890298aed601595a70AB815c96711a31Bc65",
    ...usdc,
    signs: { name: "USD Coin", version: "2" },
    pin: "0xfe9fa105a0e9629446730e544caa6b8d05d8d4fc93451750dc50e2ddd6d374b3",
  },
]

export const all: ReadonlyArray<Asset.Asset> = rows.map(Assets.asset)
