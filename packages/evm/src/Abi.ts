/**
 * The functions and events of tokens and of Permit2 that we use.
 *
 * @module
 */
import { parseAbi } from "viem/utils"

export const erc20 = parseAbi([
  "function balanceOf(address owner) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function transfer(address to, uint256 value)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
])

/**
 * EIP-3009. Every token takes the signature in parts (v, r, s); the form with bytes is for accounts that are contracts.
 */
export const eip3009 = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
])
export const eip3009Bytes = parseAbi([
  "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
])

/**
 * EIP-2612: permits with the signature in parts and as bytes, the owner's nonce in two spellings, and the type hash of
 * a permit.
 */
export const permit = parseAbi([
  "function nonces(address owner) view returns (uint256)",
  "function getNonce(address owner) view returns (uint256)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function transferFrom(address from, address to, uint256 value)",
])
export const permitBytes = parseAbi([
  "function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)",
])

export const permit2 = parseAbi([
  "function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)",
  "function nonceBitmap(address owner, uint256 word) view returns (uint256)",
  "event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)",
])

/** The call that asks an account that is a contract whether a signature is its own (ERC-1271). */
export const erc1271 = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
])

/** The fee that the owner of Ethereum's USDT may switch on. */
export const feeSwitch = parseAbi(["function basisPointsRate() view returns (uint256)"])

/** Functions that must return 0 or false for a token to move normally. */
export const switches = [
  ...feeSwitch,
  ...parseAbi([
    "function paused() view returns (bool)",
    "function deprecated() view returns (bool)",
  ]),
] as const

/** Functions that return whether a token bars an account. Each issuer uses another name. */
export const blocklists = parseAbi([
  "function isBlacklisted(address account) view returns (bool)",
  "function isFrozen(address account) view returns (bool)",
  "function isBlocked(address account) view returns (bool)",
  "function isBlackListed(address account) view returns (bool)",
])

/** The errors with which tokens and proxies refuse a call. A plain text arrives as `Error`. */
export const refusals = parseAbi([
  "error Error(string reason)",
  "error EnforcedPause()",
  "error ContractPaused()",
  "error AddressFrozen()",
  "error InvalidSignature()",
  "error FunctionNotFound(bytes4 selector)",
  "error FunctionDoesNotExist(bytes4 selector)",
])

/** The domain separators that a contract's signatures are bound to. Polygon's USDT uses its own spelling. */
export const separators = parseAbi([
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function getDomainSeperator() view returns (bytes32)",
])

/**
 * The fees that OP stack chains charge on top of gas: the most for a transaction of a given size in bytes, and for a
 * given amount of gas.
 */
export const feeOracle = parseAbi([
  "function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)",
  "function getOperatorFee(uint256 gasUsed) view returns (uint256)",
])

/** Price feeds with Chainlink's interface, and the feed that reports whether a chain's sequencer runs. */
export const priceFeed = parseAbi([
  "function decimals() view returns (uint8)",
  "function description() view returns (string)",
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
])

/** Multicall3, which has the same address on nearly every chain. */
export const multicall = parseAbi([
  "function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])",
])
