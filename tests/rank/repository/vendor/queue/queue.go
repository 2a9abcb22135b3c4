package queue

// Queue is a bounded queue of jobs.
type Queue struct {
	jobs chan func()
}

// Push adds a job; it blocks while the queue is full.
func (q *Queue) Push(job func()) {
	q.jobs <- job
}
