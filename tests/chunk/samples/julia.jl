"""
Shapes and areas.
"""
module Shapes

using LinearAlgebra
export area, Circle

const TAU = 2pi

abstract type Shape end

"A circle."
struct Circle <: Shape
    radius::Float64
end

"""
    area(c)

The area of a circle.
"""
function area(c::Circle)
    return pi * c.radius^2
end

perimeter(c::Circle) = TAU * c.radius

macro twice(ex)
    quote
        $(esc(ex))
        $(esc(ex))
    end
end

end # module
