// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedToken} from "./SignedToken.sol";

/// Stands for Paxos's PYUSD and USDG: a used nonce is no error. The call succeeds, says so in an event, and moves
/// nothing, so only the Transfer log proves a payment.
contract PaxosToken is SignedToken {
    event AuthorizationAlreadyUsed(address indexed authorizer, bytes32 indexed nonce);

    error AddressFrozen();
    error AuthorizationExpired();
    error AuthorizationInvalid();
    error CallerMustBePayee();
    error ContractPaused();
    error InsufficientAllowance();
    error InsufficientFunds();
    error InvalidSignature();
    error PermitExpired();

    modifier whenNotPaused() {
        if (paused_) revert ContractPaused();
        _;
    }

    modifier notFrozen(address account) {
        if (blocked[account]) revert AddressFrozen();
        _;
    }

    function isFrozen(address account) external view returns (bool) {
        return blocked[account];
    }

    function paused() external view returns (bool) {
        return paused_;
    }

    function transfer(address to, uint256 value) external whenNotPaused returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value)
        external
        whenNotPaused
        notFrozen(msg.sender)
        returns (bool)
    {
        if (value > allowance[from][msg.sender]) revert InsufficientAllowance();
        spendAllowance(from, msg.sender, value);
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value)
        external
        whenNotPaused
        notFrozen(msg.sender)
        notFrozen(spender)
        returns (bool)
    {
        setAllowance(msg.sender, spender, value);
        return true;
    }

    function move(address from, address to, uint256 value) internal override notFrozen(from) notFrozen(to) {
        if (value > balanceOf[from]) revert InsufficientFunds();
        super.move(from, to, value);
    }

    function isUsed(address authorizer, bytes32 nonce) internal override returns (bool used) {
        used = authorizationState[authorizer][nonce];
        if (used) emit AuthorizationAlreadyUsed(authorizer, nonce);
    }

    function requireInTime(uint256 validAfter, uint256 validBefore) internal view override {
        if (block.timestamp <= validAfter) revert AuthorizationInvalid();
        if (block.timestamp >= validBefore) revert AuthorizationExpired();
    }

    function requireMayCancel(address authorizer) internal view override whenNotPaused notFrozen(authorizer) {}

    /// Only `move` looks whether somebody is frozen: a used nonce is told first.
    function requireMayMove(address, address) internal view override whenNotPaused {}

    function requireMayPermit(address owner, address spender, uint256 deadline)
        internal
        view
        override
        whenNotPaused
        notFrozen(owner)
        notFrozen(spender)
    {
        if (deadline < block.timestamp) revert PermitExpired();
    }

    function requirePayee(address to) internal view override {
        if (to != msg.sender) revert CallerMustBePayee();
    }

    function requireSigned(address signer, bytes32 structHash, bytes memory signature) internal view override {
        if (!isSigned(signer, structHash, signature)) revert InvalidSignature();
    }
}
