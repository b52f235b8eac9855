// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// Stands for USDT on Polygon: the chain id is in the domain's salt, a permit with deadline 0 never ends, and its
/// signature is only recovered: no ERC-1271, and either spelling of s. No EIP-3009. Who is blocked may still receive.
contract PolygonUsdt is Token {
    mapping(address => uint256) public getNonce; // slot 8

    bytes32 private constant domainTypehash =
        keccak256("EIP712Domain(string name,string version,address verifyingContract,bytes32 salt)");
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    function isBlocked(address account) external view returns (bool) {
        return blocked[account];
    }

    /// The real one's spelling.
    function getDomainSeperator() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                domainTypehash,
                keccak256(bytes(name_)),
                keccak256(bytes(version_)),
                address(this),
                bytes32(block.chainid)
            )
        );
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(!blocked[msg.sender], "USDT0: sender is blocked");
        spendAllowance(from, msg.sender, value);
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        setAllowance(msg.sender, spender, value);
        return true;
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
        require(owner != address(0), "USDT0: HOLDER-ZERO");
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, getNonce[owner]++, deadline));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", getDomainSeperator(), structHash));
        require(owner == ecrecover(digest, v, r, s), "USDT0: INVALID-PERMIT");
        require(deadline == 0 || block.timestamp <= deadline, "USDT0: PERMIT-EXPIRED");
        setAllowance(owner, spender, value);
    }

    function move(address from, address to, uint256 value) internal override {
        require(!blocked[from], "USDT0: from is blocked");
        super.move(from, to, value);
    }
}
