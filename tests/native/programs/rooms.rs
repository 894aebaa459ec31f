// SPDX-License-Identifier: BSD-2-Clause
//
// Vectors, queues and strings with more room than they use. Prints what: "waste KIND BLOCKS EMPTY BYTES
// FUNCTION TYPE" lines.
use std::collections::VecDeque;

struct Session {
    numbers: Vec<u64>,
    queue: VecDeque<u32>,
    text: String,
}

#[derive(Default)]
struct Sum {
    blocks: usize,
    empty: usize,
    bytes: usize,
}

impl Sum {
    fn count(&mut self, used: usize, room: usize) {
        if 2 * used < room {
            self.blocks += 1;
            self.empty += (used == 0) as usize;
            self.bytes += room - used;
        }
    }
}

#[inline(never)]
fn make(all: &mut Vec<Session>, sum: &mut Sum, text_sum: &mut Sum, queue_sum: &mut Sum) {
    for i in 0..200usize {
        let mut s = Session {
            numbers: Vec::with_capacity(10 + i),
            queue: VecDeque::with_capacity(40 + i),
            text: String::with_capacity(100),
        };
        s.queue.resize(i % 40, i as u32);
        for _ in 0..i % 30 {
            s.queue.pop_front();
        }
        s.numbers.resize(i * 3 % (11 + i), i as u64);
        s.text.extend(std::iter::repeat('x').take(i % 100));
        sum.count(s.numbers.len() * 8, s.numbers.capacity() * 8);
        text_sum.count(s.text.len(), s.text.capacity());
        queue_sum.count(s.queue.len() * 4, s.queue.capacity() * 4);
        all.push(s);
    }
}

fn main() {
    let mut all = Vec::with_capacity(200);
    let (mut sum, mut text_sum, mut queue_sum) = (Sum::default(), Sum::default(), Sum::default());
    make(&mut all, &mut sum, &mut text_sum, &mut queue_sum);
    println!("waste room {} {} {} rooms::make array of Vec<u64>", sum.blocks, sum.empty, sum.bytes);
    println!("waste room {} {} {} rooms::make array of VecDeque<u32>", queue_sum.blocks, queue_sum.empty, queue_sum.bytes);
    println!("waste room {} {} {} rooms::make text of String", text_sum.blocks, text_sum.empty, text_sum.bytes);
    std::process::exit(all.len() as i32 - 200); // with all of them
}
