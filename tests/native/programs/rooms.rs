// SPDX-License-Identifier: BSD-2-Clause
//
// Vectors, queues, strings, maps and sets with more room than they use. Prints what: "waste KIND BLOCKS EMPTY BYTES
// FUNCTION TYPE" lines.
use std::collections::{HashMap, HashSet, VecDeque};

struct Session {
    numbers: Vec<u64>,
    queue: VecDeque<u32>,
    text: String,
    map: HashMap<u64, [u32; 3]>,
    set: HashSet<u32>,
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
fn make_maps(map: &mut HashMap<u64, [u32; 3]>, set: &mut HashSet<u32>, i: usize, sums: &mut [Sum; 2]) {
    map.reserve(i * 2);
    for k in 0..i * 7 % (2 * i + 1) {
        map.insert(k as u64, [i as u32; 3]);
    }
    set.reserve(i);
    set.extend(0..(i * 5 % (i + 1)) as u32);
    for k in 0..i % 9 {
        set.remove(&(k as u32));
        map.remove(&(k as u64));
    }
    if map.capacity() > 0 {
        sums[0].count(map.len() * 24, map_room(map.capacity(), map.len()) * 24);
        sums[1].count(set.len() * 4, map_room(set.capacity(), set.len()) * 4);
    }
}

// What may come is less where an element was removed and its place is not free yet.
fn map_room(capacity: usize, n: usize) -> usize {
    let least = capacity.max(n);
    if least < 4 {
        3
    } else if least < 8 {
        7
    } else {
        ((least * 8 + 6) / 7).next_power_of_two() / 8 * 7
    }
}

#[inline(never)]
fn make(all: &mut Vec<Session>, sum: &mut Sum, text_sum: &mut Sum, queue_sum: &mut Sum, map_sums: &mut [Sum; 2]) {
    for i in 0..200usize {
        let mut s = Session {
            numbers: Vec::with_capacity(10 + i),
            queue: VecDeque::with_capacity(40 + i),
            text: String::with_capacity(100),
            map: HashMap::new(),
            set: HashSet::new(),
        };
        make_maps(&mut s.map, &mut s.set, i, map_sums);
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
    let mut map_sums = [Sum::default(), Sum::default()];
    make(&mut all, &mut sum, &mut text_sum, &mut queue_sum, &mut map_sums);
    println!("waste room {} {} {} rooms::make array of Vec<u64>", sum.blocks, sum.empty, sum.bytes);
    println!("waste room {} {} {} rooms::make array of VecDeque<u32>", queue_sum.blocks, queue_sum.empty, queue_sum.bytes);
    println!("waste room {} {} {} rooms::make text of String", text_sum.blocks, text_sum.empty, text_sum.bytes);
    for (sum, name) in map_sums.iter().zip(["HashMap<u64,[u32;3]>", "HashSet<u32>"]) {
        println!("waste room {} {} {} rooms::make_maps table of {}", sum.blocks, sum.empty, sum.bytes, name);
    }
    std::process::exit(all.len() as i32 - 200); // with all of them
}
