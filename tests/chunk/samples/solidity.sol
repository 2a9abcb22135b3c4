// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Owned.sol";

/// @title A till
contract Till is Owned {
    uint256 public total;
    mapping(address => uint256) private paid;

    event Paid(address indexed by, uint256 amount);
    error TooLittle(uint256 amount);

    struct Line {
        uint256 price;
    }

    enum State { Open, Closed }

    modifier open() {
        require(!closed, "closed");
        _;
    }

    constructor(address owner) Owned(owner) {
        total = 0;
    }

    /// @notice Pays in.
    function pay(uint256 amount) external payable open returns (bool) {
        if (amount == 0) revert TooLittle(amount);
        paid[msg.sender] += amount;
        total += amount;
        emit Paid(msg.sender, amount);
        return true;
    }

    receive() external payable {}
}

interface Priced {
    function price() external view returns (uint256);
}

library Sums {
    function add(uint256 a, uint256 b) internal pure returns (uint256) {
        return a + b;
    }
}
