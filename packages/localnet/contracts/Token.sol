// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What every test token keeps, always in the same slots: the chain is set up by writing them (src/Contracts.ts), so that
/// funding or blocking an account needs no transaction and no block. No token has a constructor: only its code is put
/// on the chain.
///
/// Names and versions are those that the token signs with. A token shows only the getters that the real one has.
abstract contract Token {
    mapping(address => uint256) public balanceOf; // slot 0
    mapping(address => mapping(address => uint256)) public allowance; // slot 1
    mapping(address => bool) internal blocked; // slot 2
    string internal name_; // slot 3
    string internal symbol_; // slot 4
    string internal version_; // slot 5
    uint256 internal decimals_; // slot 6
    bool internal paused_; // slot 7, for it alone: what follows is a whole word

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    // Switches for tests: anybody may. They change nothing where the real token has no blocklist or no pause.

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function setPaused(bool value) external {
        paused_ = value;
    }

    function name() public view returns (string memory) {
        return name_;
    }

    function symbol() public view returns (string memory) {
        return symbol_;
    }

    function decimals() external view returns (uint8) {
        return uint8(decimals_);
    }

    /// Moves tokens without asking anybody.
    function move(address from, address to, uint256 value) internal virtual {
        require(from != address(0), "ERC20: transfer from the zero address");
        require(to != address(0), "ERC20: transfer to the zero address");
        require(value <= balanceOf[from], "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function spendAllowance(address owner, address spender, uint256 value) internal virtual {
        uint256 allowed = allowance[owner][spender];
        require(value <= allowed, "ERC20: transfer amount exceeds allowance");
        allowance[owner][spender] = allowed - value;
    }

    function setAllowance(address owner, address spender, uint256 value) internal {
        require(spender != address(0), "ERC20: approve to the zero address");
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }
}
