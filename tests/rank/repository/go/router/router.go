// Package router finds the handler of a request.
package router

import (
	"errors"
	"net/http"
)

// ErrNoRoute says that no pattern fits a path.
var ErrNoRoute = errors.New("router: no route matches the request path")

// Router keeps patterns in a radix tree.
type Router struct {
	root     *node
	notFound http.Handler
}

type node struct {
	prefix   string
	children []*node
	handler  http.Handler
}

// AddRoute registers a handler for a pattern.
func (r *Router) AddRoute(pattern string, handler http.Handler) {
	r.root.insert(pattern, handler)
}

// ServeHTTP dispatches a request to the handler of its path.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	found, err := r.root.find(req.URL.Path)
	if err != nil {
		r.notFound.ServeHTTP(w, req)
		return
	}
	found.ServeHTTP(w, req)
}

func (n *node) insert(pattern string, handler http.Handler) {
	n.children = append(n.children, &node{prefix: pattern, handler: handler})
}

func (n *node) find(path string) (http.Handler, error) {
	for _, child := range n.children {
		if child.prefix == path {
			return child.handler, nil
		}
	}
	return nil, ErrNoRoute
}
