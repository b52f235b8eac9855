// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// Stands for USDC and USDT on BNB Smart Chain: 18 decimals and ERC-20, no signatures, no blocklist, no pause.
contract PlainToken is Token {
    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        spendAllowance(from, msg.sender, value);
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        setAllowance(msg.sender, spender, value);
        return true;
    }
}
