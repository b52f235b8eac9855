// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Signatures} from "./Signatures.sol";
import {Token} from "./Token.sol";

/// EIP-3009 and EIP-2612 as all tokens that have them share it: each function with v, r, s and with bytes. What a token
/// answers to a used nonce, a wrong time or a wrong signer is its own.
abstract contract SignedToken is Token {
    mapping(address => mapping(bytes32 => bool)) public authorizationState; // slot 8
    mapping(address => uint256) public nonces; // slot 9

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    bytes32 private constant domainTypehash =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    struct Authorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    /// Read anew each time: of the chain it is on, and of the name it has now.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                domainTypehash, keccak256(bytes(name_)), keccak256(bytes(version_)), block.chainid, address(this)
            )
        );
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        requireMayMove(from, to);
        execute(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH,
            Authorization(from, to, value, validAfter, validBefore, nonce),
            signature
        );
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        requireMayMove(from, to);
        requirePayee(to);
        execute(
            RECEIVE_WITH_AUTHORIZATION_TYPEHASH,
            Authorization(from, to, value, validAfter, validBefore, nonce),
            signature
        );
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        receiveWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) public {
        requireMayCancel(authorizer);
        if (isUsed(authorizer, nonce)) return;
        requireSigned(authorizer, keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)), signature);
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) public {
        requireMayPermit(owner, spender, deadline);
        bytes32 structHash = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
        requireSigned(owner, structHash, signature);
        setAllowance(owner, spender, value);
    }

    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    function execute(bytes32 typehash, Authorization memory authorization, bytes memory signature) private {
        (address from, bytes32 nonce) = (authorization.from, authorization.nonce);
        requireInTime(authorization.validAfter, authorization.validBefore);
        if (isUsed(from, nonce)) return;
        requireSigned(from, keccak256(abi.encode(typehash, authorization)), signature);
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, authorization.to, authorization.value);
    }

    function isSigned(address signer, bytes32 structHash, bytes memory signature) internal view returns (bool) {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), structHash));
        return Signatures.isValid(signer, digest, signature);
    }

    /// Whether a call with this nonce does nothing; a token that refuses used nonces reverts here.
    function isUsed(address authorizer, bytes32 nonce) internal virtual returns (bool);

    function requireInTime(uint256 validAfter, uint256 validBefore) internal view virtual;
    function requireMayCancel(address authorizer) internal view virtual;
    function requireMayMove(address from, address to) internal view virtual;
    function requireMayPermit(address owner, address spender, uint256 deadline) internal view virtual;
    function requirePayee(address to) internal view virtual;
    function requireSigned(address signer, bytes32 structHash, bytes memory signature) internal view virtual;
}
