// SPDX-License-Identifier: BSD-2-Clause

// Writes three heap profiles, each after more allocations: heaps PREFIX.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"
)

type table struct{ rows [][]byte }

//go:noinline
func (t *table) grow(n int) { t.rows = append(t.rows, make([]byte, n)) }

//go:noinline
func text(n int) []byte { return make([]byte, n) }

func fill(t *table, n int) {
	for i := 0; i < n; i++ {
		t.grow(10000)
		t.rows = append(t.rows, text(3000))
	}
}

var kept table

func main() {
	runtime.MemProfileRate = 1
	for i := 1; i <= 3; i++ {
		fill(&kept, 20*i)
		kept.rows = kept.rows[:len(kept.rows)-10*i]
		runtime.GC()
		runtime.GC()
		file, err := os.Create(os.Args[1] + strconv.Itoa(12-i) + ".pb.gz")
		if err != nil || pprof.WriteHeapProfile(file) != nil || file.Close() != nil {
			os.Exit(1)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
