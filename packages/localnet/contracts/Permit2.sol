// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271, Signatures} from "./Signatures.sol";

interface ITransferFrom {
    function transferFrom(address from, address to, uint256 value) external;
}

/// Stands for the half of Uniswap's Permit2 that moves tokens once by signature: a nonce is a bit and may be used in any
/// order, the recipient is the caller's choice, and a signature's s may be in either half.
contract Permit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    mapping(address => mapping(uint256 => uint256)) public nonceBitmap;

    event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask);

    error InvalidAmount(uint256 maxAmount);
    error InvalidContractSignature();
    error InvalidNonce();
    error InvalidSignature();
    error InvalidSignatureLength();
    error InvalidSigner();
    error SignatureExpired(uint256 signatureDeadline);

    bytes32 private constant domainTypehash =
        keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    bytes32 private constant permissionsTypehash = keccak256("TokenPermissions(address token,uint256 amount)");
    bytes32 private constant permitTypehash = keccak256(
        "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)TokenPermissions(address token,uint256 amount)"
    );

    /// Without a version.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(domainTypehash, keccak256("Permit2"), block.chainid, address(this)));
    }

    function permitTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
        if (transferDetails.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
        useNonce(owner, permit.nonce);
        requireSigned(owner, digestOf(permit), signature);
        transfer(permit.permitted.token, owner, transferDetails.to, transferDetails.requestedAmount);
    }

    function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external {
        nonceBitmap[msg.sender][wordPos] |= mask;
        emit UnorderedNonceInvalidation(msg.sender, wordPos, mask);
    }

    function useNonce(address owner, uint256 nonce) private {
        uint256 bit = 1 << uint8(nonce);
        uint256 used = nonceBitmap[owner][nonce >> 8];
        if (used & bit != 0) revert InvalidNonce();
        nonceBitmap[owner][nonce >> 8] = used | bit;
    }

    function digestOf(PermitTransferFrom calldata permit) private view returns (bytes32) {
        bytes32 permissions = keccak256(abi.encode(permissionsTypehash, permit.permitted));
        bytes32 structHash =
            keccak256(abi.encode(permitTypehash, permissions, msg.sender, permit.nonce, permit.deadline));
        return keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), structHash));
    }

    function requireSigned(address owner, bytes32 digest, bytes calldata signature) private view {
        if (owner.code.length > 0) {
            bytes4 answer = IERC1271(owner).isValidSignature(digest, signature);
            if (answer != IERC1271.isValidSignature.selector) revert InvalidContractSignature();
            return;
        }
        address recovered = recover(digest, signature);
        if (recovered == address(0)) revert InvalidSignature();
        if (recovered != owner) revert InvalidSigner();
    }

    function recover(bytes32 digest, bytes calldata signature) private pure returns (address) {
        if (signature.length == 65) {
            (bytes32 r, bytes32 s, uint8 v) = Signatures.split(signature);
            return ecrecover(digest, v, r, s);
        }
        if (signature.length == 64) {
            (bytes32 r, uint256 vs) = abi.decode(signature, (bytes32, uint256));
            return ecrecover(digest, uint8(27 + (vs >> 255)), r, bytes32((vs << 1) >> 1));
        }
        revert InvalidSignatureLength();
    }

    /// Takes an answer of nothing for a yes, as some tokens return nothing.
    function transfer(address token, address from, address to, uint256 value) private {
        (bool succeeded, bytes memory answer) =
            token.call(abi.encodeCall(ITransferFrom.transferFrom, (from, to, value)));
        bool agreed = answer.length == 0 || (answer.length >= 32 && abi.decode(answer, (uint256)) == 1);
        require(succeeded && agreed, "TRANSFER_FROM_FAILED");
    }
}
