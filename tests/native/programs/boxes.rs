// SPDX-License-Identifier: BSD-2-Clause
//
// Blocks of known types in Rust. Prints what it holds, "type NAME BYTES", and waits for the end of
// its standard input.
use std::collections::{BTreeMap, VecDeque};
use std::hint::black_box;
use std::io::Read;
use std::mem::size_of;
use std::rc::Rc;
use std::sync::Arc;

pub struct Node {
    pub numbers: [u64; 9],
}

fn node(n: u64) -> Node {
    Node { numbers: [n; 9] }
}

const N: usize = 30;

fn main() {
    let boxes: [Box<Node>; N] = std::array::from_fn(|i| Box::new(node(i as u64)));
    let mut vector: Vec<Node> = Vec::new();
    let mut text = String::new();
    let mut deque: VecDeque<u32> = VecDeque::new();
    let mut map: BTreeMap<u64, Node> = BTreeMap::new();
    for i in 0..N {
        vector.push(node(i as u64));
        text.push_str("some more text");
        deque.push_back(i as u32);
    }
    map.insert(1, node(1));
    let shared = (Rc::new(node(1)), Arc::new(node(2)));
    println!("type boxes::Node {}", N * size_of::<Node>());
    println!("type array of Vec<boxes::Node> {}", vector.capacity() * size_of::<Node>());
    println!("type text of String {}", text.capacity());
    println!("type array of VecDeque<u32> {}", deque.capacity() * size_of::<u32>());
    println!("type shared boxes::Node {}", 2 * (2 * size_of::<usize>() + size_of::<Node>()));
    println!("ready");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    black_box((boxes, vector, text, deque, map, shared));
}
