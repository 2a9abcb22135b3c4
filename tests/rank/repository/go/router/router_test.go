package router

import "testing"

func TestAddRoute(t *testing.T) {
	r := &Router{root: &node{}}
	r.AddRoute("/orders", nil)
	if len(r.root.children) != 1 {
		t.Fatal("the route was not added")
	}
}
