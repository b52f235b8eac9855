// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// Stands for USDT on Ethereum: nothing is returned, an allowance must be 0 before it is set anew, and its owner may
/// switch on a fee, which leaves the recipient with less than was sent. Its reverts say nothing.
contract Usdt is Token {
    uint256 public basisPointsRate; // slot 8
    uint256 public maximumFee; // slot 9
    bool public deprecated; // slot 10

    uint256 private constant unlimited = type(uint256).max;

    modifier whenNotPaused() {
        require(!paused_);
        _;
    }

    /// For tests: anybody may, and without the real one's upper bounds.
    function setParams(uint256 rate, uint256 maximum) external {
        basisPointsRate = rate;
        maximumFee = maximum;
    }

    function isBlackListed(address account) external view returns (bool) {
        return blocked[account];
    }

    function paused() external view returns (bool) {
        return paused_;
    }

    /// Where the fees go.
    function owner() public view returns (address) {
        return address(uint160(uint256(keccak256(abi.encode(address(this))))));
    }

    function transfer(address to, uint256 value) external whenNotPaused {
        require(!blocked[msg.sender]);
        moveLessFee(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external whenNotPaused {
        require(!blocked[from]);
        if (allowance[from][msg.sender] != unlimited) spendAllowance(from, msg.sender, value);
        moveLessFee(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        setAllowance(msg.sender, spender, value);
    }

    function moveLessFee(address from, address to, uint256 value) private {
        require(value <= balanceOf[from]);
        uint256 fee = (value * basisPointsRate) / 10_000;
        if (fee > maximumFee) fee = maximumFee;
        if (fee > 0) move(from, owner(), fee);
        move(from, to, value - fee);
    }

    function spendAllowance(address from, address spender, uint256 value) internal override {
        require(value <= allowance[from][spender]);
        super.spendAllowance(from, spender, value);
    }
}
