// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignedToken} from "./SignedToken.sol";

/// Stands for Circle's USDC and EURC (FiatToken 2.2): used nonces, times and signers are refused with text; who is on
/// the blocklist can neither send nor receive, but may still approve.
contract FiatToken is SignedToken {
    bool public takesGas; // slot 10

    address public constant feeRecipient = address(0xFEE1);
    address public constant communityFund = address(0xFEE2);

    modifier whenNotPaused() {
        require(!paused_, "Pausable: paused");
        _;
    }

    modifier notBlocked(address account) {
        require(!blocked[account], "Blacklistable: account is blacklisted");
        _;
    }

    /// Celo's USDC can pay for gas: then each transaction has more Transfer logs of the same token.
    function setTakesGas(bool value) external {
        takesGas = value;
    }

    function version() external view returns (string memory) {
        return version_;
    }

    function isBlacklisted(address account) external view returns (bool) {
        return blocked[account];
    }

    function paused() external view returns (bool) {
        return paused_;
    }

    function transfer(address to, uint256 value)
        external
        whenNotPaused
        notBlocked(msg.sender)
        notBlocked(to)
        returns (bool)
    {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value)
        external
        whenNotPaused
        notBlocked(msg.sender)
        notBlocked(from)
        notBlocked(to)
        returns (bool)
    {
        spendAllowance(from, msg.sender, value);
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external whenNotPaused returns (bool) {
        setAllowance(msg.sender, spender, value);
        return true;
    }

    /// On Celo the node debits gas before the call and credits what is left after it: here a fixed sum of whoever sends
    /// the transaction, around each movement.
    function move(address from, address to, uint256 value) internal override {
        if (!takesGas) return super.move(from, to, value);
        (uint256 refund, uint256 tip, uint256 base) = (700, 100, 200);
        shift(tx.origin, address(0), refund + tip + base);
        super.move(from, to, value);
        shift(address(0), tx.origin, refund + tip + base);
        super.move(tx.origin, feeRecipient, tip);
        super.move(tx.origin, communityFund, base);
    }

    /// As `move`, but for the zero address, which holds the gas meanwhile.
    function shift(address from, address to, uint256 value) private {
        require(value <= balanceOf[from], "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function isUsed(address authorizer, bytes32 nonce) internal view override returns (bool) {
        require(!authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
        return false;
    }

    function requireInTime(uint256 validAfter, uint256 validBefore) internal view override {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
    }

    function requireMayCancel(address) internal view override whenNotPaused {}

    function requireMayMove(address from, address to)
        internal
        view
        override
        whenNotPaused
        notBlocked(from)
        notBlocked(to)
    {}

    function requireMayPermit(address, address, uint256 deadline) internal view override whenNotPaused {
        require(deadline >= block.timestamp, "FiatTokenV2: permit is expired");
    }

    function requirePayee(address to) internal view override {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
    }

    function requireSigned(address signer, bytes32 structHash, bytes memory signature) internal view override {
        require(isSigned(signer, structHash, signature), "FiatTokenV2: invalid signature");
    }
}
