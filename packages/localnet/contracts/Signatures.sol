// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC1271 {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// How tokens read a signature: an account with code answers for itself (ERC-1271), and a key's signature counts in one
/// spelling only: 65 bytes, s in the lower half, v 27 or 28.
library Signatures {
    bytes32 private constant halfOrder =
        0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    function isValid(address signer, bytes32 digest, bytes memory signature) internal view returns (bool) {
        if (signer.code.length > 0) return isValidForContract(signer, digest, signature);
        require(signature.length == 65, "ECRecover: invalid signature length");
        (bytes32 r, bytes32 s, uint8 v) = split(signature);
        require(s <= halfOrder, "ECRecover: invalid signature 's' value");
        require(v == 27 || v == 28, "ECRecover: invalid signature 'v' value");
        address recovered = ecrecover(digest, v, r, s);
        require(recovered != address(0), "ECRecover: invalid signature");
        return recovered == signer;
    }

    function isValidForContract(address signer, bytes32 digest, bytes memory signature) internal view returns (bool) {
        (bool succeeded, bytes memory answer) =
            signer.staticcall(abi.encodeCall(IERC1271.isValidSignature, (digest, signature)));
        return succeeded && answer.length >= 32
            && abi.decode(answer, (bytes32)) == bytes32(IERC1271.isValidSignature.selector);
    }

    /// Of at least 65 bytes.
    function split(bytes memory signature) internal pure returns (bytes32 r, bytes32 s, uint8 v) {
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
    }
}
