import Foundation

/// How many lines fit.
let limit = 10

typealias Lines = [Line]

/// Holds lines.
@objc
public final class Cart<T: Line>: Base, Priced {
    private var lines: [T] = []
    static let shared = Cart()

    var size: Int {
        return lines.count
    }

    public init(shop: Shop) {
        self.shop = shop
        super.init()
    }

    deinit {
        shop.close()
    }

    /// Adds a line.
    @discardableResult
    func add(_ line: T, count: Int = 1) throws -> Bool {
        guard lines.count < limit else {
            throw CartError.full
        }
        lines.append(line)
        return true
    }

    subscript(index: Int) -> T {
        return lines[index]
    }
}

struct Point {
    let x: Int
    let y: Int
}

enum CartError: Error {
    case full
    case empty(reason: String)
}

protocol Priced {
    var price: Int { get }
    func taxed(rate: Double) -> Int
}

extension Cart: CustomStringConvertible {
    public var description: String { "cart of \(lines.count)" }
}

func total(_ lines: Lines) -> Int {
    lines.reduce(0) { $0 + $1.price }
}
