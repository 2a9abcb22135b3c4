#' Adds up the totals.
library(stats)

limit <- 10

#' The mean of what is not missing.
#'
#' @param x numbers
safe_mean <- function(x, trim = 0) {
  x <- x[!is.na(x)]
  if (length(x) == 0) {
    return(NA_real_)
  }
  mean(x, trim = trim)
}

total = function(x) sum(x)

setClass("Cart", representation(lines = "list"))

setMethod("show", "Cart", function(object) {
  cat("cart\n")
})

print(safe_mean(c(1, 2, NA)))
