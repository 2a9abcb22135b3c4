// Package cart holds lines.
package cart

import (
	"errors"
	"fmt"
)

// ErrFull says that nothing fits.
var ErrFull = errors.New("full")

const (
	Limit = 10
	Other = iota
)

// Line is one line.
type Line struct {
	Sku   string `json:"sku"`
	Count int
}

type (
	Lines []Line
	Priced interface {
		Price() int
	}
)

// Total adds up.
//
// It never fails.
func Total[T Priced](lines []T) int {
	sum := 0
	for _, line := range lines {
		sum += line.Price()
	}
	return sum
}

// Add puts a line in.
func (c *Cart[T]) Add(line Line) error {
	if len(c.lines) >= Limit {
		return fmt.Errorf("adding %s: %w", line.Sku, ErrFull)
	}
	c.lines = append(c.lines, line)
	return nil
}

func (c Cart) Size() int { return len(c.lines) }

func init() { fmt.Println("ready") }
