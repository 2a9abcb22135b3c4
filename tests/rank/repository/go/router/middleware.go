package router

import (
	"net/http"
	"time"
)

// RateLimiter lets so many requests of a client through in a second: a token bucket.
type RateLimiter struct {
	tokens float64
	rate   float64
	last   time.Time
}

// Allow takes a token if there is one.
func (l *RateLimiter) Allow(now time.Time) bool {
	l.refill(now)
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}

func (l *RateLimiter) refill(now time.Time) {
	l.tokens += now.Sub(l.last).Seconds() * l.rate
	l.last = now
}

// Recover turns a panic of a handler into status 500.
func Recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if recover() != nil {
				http.Error(w, "internal server error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
