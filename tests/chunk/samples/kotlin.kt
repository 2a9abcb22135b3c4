package shop.cart

import shop.Line
import kotlin.math.max

/** How many lines fit. */
const val LIMIT = 10

typealias Lines = List<Line>

/**
 * Holds lines.
 */
data class Cart<T : Line>(val shop: Shop, private val lines: MutableList<T>) : Base(), Priced {
    var note: String? = null
        set(value) {
            field = value?.trim()
        }

    init {
        require(lines.size < LIMIT)
    }

    constructor(shop: Shop) : this(shop, mutableListOf())

    /** Adds a line. */
    @Synchronized
    suspend fun add(line: T, count: Int = 1): Boolean {
        if (lines.size >= max(LIMIT, 1)) throw IllegalStateException("full")
        return lines.add(line)
    }

    override fun price() = lines.sumOf { it.price() }

    companion object {
        fun empty(): Cart<Line> = Cart(Shop.main)
    }
}

interface Priced {
    fun price(): Long
}

object Registry {
    private val carts = mutableMapOf<String, Cart<*>>()

    fun find(name: String) = carts[name]
}

enum class State { OPEN, CLOSED }

fun String.isSku(): Boolean = length == 8

fun main(args: Array<String>) {
    println(Registry.find(args.first()))
}
