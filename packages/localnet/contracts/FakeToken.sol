// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Stands for a token made to deceive: it logs transfers that never were, of anybody to anybody.
contract FakeToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function pretend(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}
