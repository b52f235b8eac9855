// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Stands for a price feed as Chainlink's are: it answers whatever was written to its storage.
contract PriceFeed {
    uint256 internal decimalsWord; // slot 0
    uint256 internal roundId; // slot 1
    int256 internal answer; // slot 2
    uint256 internal startedAt; // slot 3
    uint256 internal updatedAt; // slot 4
    uint256 internal answeredInRound; // slot 5
    uint256 internal reverts; // slot 6
    string public description; // slot 7

    function decimals() external view returns (uint8) {
        return uint8(decimalsWord);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        require(reverts == 0, "No data present");
        return (uint80(roundId), answer, startedAt, updatedAt, uint80(answeredInRound));
    }
}
