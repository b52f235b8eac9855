/**
 * The functions and events of tokens and of Permit2 that we use.
 *
 * @module
 */
import { parseAbi, parseAbiItem } from "viem/utils"
import { of } from "./Calldata.ts"

/** Permit2's function that takes the money, which a search for a used permit decodes. */
export const permitTransferFrom = parseAbiItem(
  "function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)",
)

/**
 * The data with which each function is called.
 *
 * Every token with EIP-3009 or EIP-2612 takes the signature in parts (v, r, s); the form with bytes is for accounts
 * that are contracts. An owner's nonce and the domain separator have two spellings: Polygon's USDT uses its own.
 */
export const calls = {
  balanceOf: of(parseAbiItem("function balanceOf(address owner)")),
  allowance: of(parseAbiItem("function allowance(address owner, address spender)")),
  decimals: of(parseAbiItem("function decimals()")),
  transferFrom: of(parseAbiItem("function transferFrom(address from, address to, uint256 value)")),

  authorizationState: of(
    parseAbiItem("function authorizationState(address authorizer, bytes32 nonce)"),
  ),
  receiveWithAuthorization: of(
    parseAbiItem(
      "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
    ),
  ),
  receiveWithAuthorizationByBytes: of(
    parseAbiItem(
      "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
    ),
  ),

  nonces: of(parseAbiItem("function nonces(address owner)")),
  getNonce: of(parseAbiItem("function getNonce(address owner)")),
  permit: of(
    parseAbiItem(
      "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
    ),
  ),
  permitByBytes: of(
    parseAbiItem(
      "function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)",
    ),
  ),
  DOMAIN_SEPARATOR: of(parseAbiItem("function DOMAIN_SEPARATOR()")),
  getDomainSeperator: of(parseAbiItem("function getDomainSeperator()")),

  permitTransferFrom: of(permitTransferFrom),
  nonceBitmap: of(parseAbiItem("function nonceBitmap(address owner, uint256 word)")),

  /** Asks an account that is a contract whether a signature is its own (ERC-1271). */
  isValidSignature: of(parseAbiItem("function isValidSignature(bytes32 hash, bytes signature)")),

  /**
   * The fees that OP stack chains charge on top of gas: the most for a transaction of a given size in bytes, and for a
   * given amount of gas.
   */
  getL1FeeUpperBound: of(parseAbiItem("function getL1FeeUpperBound(uint256 unsignedTxSize)")),
  getOperatorFee: of(parseAbiItem("function getOperatorFee(uint256 gasUsed)")),
}

/** Functions that must return 0 or false for a token to move normally. Ethereum's USDT may switch on a fee. */
export const switches = {
  paused: of(parseAbiItem("function paused()")),
  deprecated: of(parseAbiItem("function deprecated()")),
  basisPointsRate: of(parseAbiItem("function basisPointsRate()")),
}

/** Functions that return whether a token bars an account. Each issuer uses another name. */
export const blocklists = {
  isBlacklisted: of(parseAbiItem("function isBlacklisted(address account)")),
  isFrozen: of(parseAbiItem("function isFrozen(address account)")),
  isBlocked: of(parseAbiItem("function isBlocked(address account)")),
  isBlackListed: of(parseAbiItem("function isBlackListed(address account)")),
}

export const events = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  "event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)",
])
