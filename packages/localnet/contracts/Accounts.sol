// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "./Signatures.sol";

/// Stands for a Safe: a proxy with its owners, two of whom must sign. The steps of a check are the real ones, so that it
/// takes about as much gas.
contract Safe {
    address internal code; // slot 0
    address internal handler; // slot 1
    address[3] internal owners; // slots 2 to 4

    fallback() external {
        address to = code;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let succeeded := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(succeeded) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/// What runs as each Safe. What it does not know itself it hands on.
contract SafeCode {
    address internal code;
    address internal handler;
    address[3] internal owners;
    mapping(bytes32 => uint256) public signedMessages; // slot 5

    /// Stands for a transaction of the owners that runs SignMessageLib. For tests: anybody may.
    function signMessage(bytes32 message) external {
        signedMessages[message] = 1;
    }

    function domainSeparator() external view returns (bytes32) {
        bytes32 kind = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
        return keccak256(abi.encode(kind, block.chainid, this));
    }

    function checkSignatures(bytes32 hash, bytes memory signatures) external view {
        require(signatures.length >= 130, "GS020");
        address last;
        for (uint256 index = 0; index < 2; index++) {
            bytes32 r;
            bytes32 s;
            uint8 v;
            assembly {
                let start := add(signatures, mul(65, index))
                r := mload(add(start, 32))
                s := mload(add(start, 64))
                v := byte(0, mload(add(start, 96)))
            }
            address signer = ecrecover(hash, v, r, s);
            require(signer > last, "GS026");
            require(signer == owners[0] || signer == owners[1] || signer == owners[2], "GS026");
            last = signer;
        }
    }

    fallback() external {
        (bool succeeded, bytes memory answer) = handler.call(abi.encodePacked(msg.data, msg.sender));
        assembly {
            if iszero(succeeded) { revert(add(answer, 32), mload(answer)) }
            return(add(answer, 32), mload(answer))
        }
    }
}

/// Answers for signatures of Safes: owners sign a message of the Safe that holds the hash, or have it noted on the chain.
/// Then the signature is empty.
contract SafeHandler is IERC1271 {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        SafeCode safe = SafeCode(msg.sender);
        bytes32 message = keccak256(abi.encode(keccak256("SafeMessage(bytes message)"), keccak256(abi.encode(hash))));
        bytes32 signed = keccak256(abi.encodePacked(hex"1901", safe.domainSeparator(), message));
        if (signature.length == 0) require(safe.signedMessages(signed) != 0, "Hash not approved");
        else safe.checkSignatures(signed, signature);
        return IERC1271.isValidSignature.selector;
    }
}

/// Stands for an account that a passkey owns (WebAuthn): it checks P-256 by the precompile of RIP-7212 and EIP-7951.
contract Passkey is IERC1271 {
    uint256 internal x; // slot 0
    uint256 internal y; // slot 1

    bytes internal constant letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (bytes memory authenticator, bytes memory client, uint256 start, bytes32 r, bytes32 s) =
            abi.decode(signature, (bytes, bytes, uint256, bytes32, bytes32));
        bytes memory challenge = encoded(hash);
        for (uint256 index = 0; index < 43; index++) {
            if (client[start + index] != challenge[index]) return 0xffffffff;
        }
        bytes32 signed = sha256(abi.encodePacked(authenticator, sha256(client)));
        (bool succeeded, bytes memory answer) = address(0x100).staticcall(abi.encode(signed, r, s, x, y));
        bool valid = succeeded && answer.length == 32 && uint256(bytes32(answer)) == 1;
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function encoded(bytes32 hash) internal pure returns (bytes memory text) {
        text = new bytes(43);
        for (uint256 index = 0; index < 43; index++) {
            uint256 bits = index < 42 ? uint256(hash) >> (250 - 6 * index) : uint256(hash) << 2;
            text[index] = letters[bits & 63];
        }
    }
}
