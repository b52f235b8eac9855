// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedToken} from "./SignedToken.sol";

/// Stands for USDT0 on Arbitrum: no version(), no pause, and a name that may change, with the domain following at once.
/// Who is blocked may still receive, but may call nothing that moves tokens; that a signer is blocked stops only
/// transferFrom.
contract Usdt0 is SignedToken {
    modifier callerNotBlocked() {
        require(!blocked[msg.sender], "transfers are blocked for user");
        _;
    }

    /// For tests: anybody may.
    function updateNameAndSymbol(string calldata newName, string calldata newSymbol) external {
        name_ = newName;
        symbol_ = newSymbol;
    }

    function isBlocked(address account) external view returns (bool) {
        return blocked[account];
    }

    function transfer(address to, uint256 value) external callerNotBlocked returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external callerNotBlocked returns (bool) {
        require(!blocked[from]);
        spendAllowance(from, msg.sender, value);
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        setAllowance(msg.sender, spender, value);
        return true;
    }

    function isUsed(address authorizer, bytes32 nonce) internal view override returns (bool) {
        require(!authorizationState[authorizer][nonce], "EIP3009: authorization is used or canceled");
        return false;
    }

    function requireInTime(uint256 validAfter, uint256 validBefore) internal view override {
        require(block.timestamp > validAfter, "EIP3009: authorization is not yet valid");
        require(block.timestamp < validBefore, "EIP3009: authorization is expired");
    }

    function requireMayCancel(address) internal view override {}

    function requireMayMove(address, address) internal view override callerNotBlocked {}

    function requireMayPermit(address, address, uint256 deadline) internal view override {
        require(block.timestamp <= deadline, "ERC20Permit: expired deadline");
    }

    function requirePayee(address to) internal view override {
        require(to == msg.sender, "EIP3009: caller must be the payee");
    }

    function requireSigned(address signer, bytes32 structHash, bytes memory signature) internal view override {
        require(isSigned(signer, structHash, signature), "EIP3009: invalid signature");
    }
}
