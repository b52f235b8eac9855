// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Stands for what chains of the OP stack have at 0x4200…000F: it tells what a transaction costs beside its gas. The node
/// itself asks for nothing but gas.
contract FeeOracle {
    uint256 internal weiPerByte; // slot 0
    uint256 internal weiPerGas; // slot 1
    uint256 internal weiPerTransaction; // slot 2

    /// The signature is as long as on the real one.
    function getL1FeeUpperBound(uint256 unsignedTxSize) external view returns (uint256) {
        return (unsignedTxSize + 68) * weiPerByte;
    }

    function getOperatorFee(uint256 gasUsed) external view returns (uint256) {
        return gasUsed * weiPerGas + weiPerTransaction;
    }
}
