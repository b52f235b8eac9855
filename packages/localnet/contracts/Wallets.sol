// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271, Signatures} from "./Signatures.sol";

/// Stands for a smart account that one key owns: it answers for its signatures itself (ERC-1271).
contract SmartAccount is IERC1271 {
    address public owner; // slot 0

    /// For tests: anybody may, so that a signature can be valid in one block and not in the next.
    function setOwner(address newOwner) external {
        owner = newOwner;
    }

    /// For tests: anybody may have it call, as to approve.
    function execute(address to, bytes calldata data) external returns (bytes memory answer) {
        bool succeeded;
        (succeeded, answer) = to.call(data);
        require(succeeded, "SmartAccount: the call failed");
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return isKeys(owner, hash, signature) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Makes a smart account where it was foretold: until then its signatures are wrapped (ERC-6492).
contract SmartAccountFactory {
    function createAccount(address owner, uint256 salt) external returns (address account) {
        account = accountOf(owner, salt);
        if (account.code.length > 0) return account;
        SmartAccount made = new SmartAccount{salt: keccak256(abi.encode(owner, salt))}();
        made.setOwner(owner);
    }

    function accountOf(address owner, uint256 salt) public view returns (address) {
        bytes32 code = keccak256(type(SmartAccount).creationCode);
        bytes32 place = keccak256(abi.encodePacked(hex"ff", this, keccak256(abi.encode(owner, salt)), code));
        return address(uint160(uint256(place)));
    }
}

/// Stands for what a key's own account delegates to (EIP-7702): it runs as that account, and answers for that key only.
contract Delegate is IERC1271 {
    uint256 public refusesPlain; // slot 0 of the account

    receive() external payable {}

    /// For tests: anybody may. Some delegates take only signatures of a form of their own, so that what ecrecover
    /// agrees with is still refused on the chain.
    function setRefusesPlain(bool value) external {
        refusesPlain = value ? 1 : 0;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool valid = refusesPlain == 0 && isKeys(address(this), hash, signature);
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

function isKeys(address key, bytes32 hash, bytes calldata signature) pure returns (bool) {
    if (signature.length != 65) return false;
    (bytes32 r, bytes32 s, uint8 v) = Signatures.split(signature);
    address recovered = ecrecover(hash, v, r, s);
    return recovered != address(0) && recovered == key;
}
