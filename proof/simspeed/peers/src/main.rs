//! What `make bench-sim` measures of simulators in Rust: M/M/1, where customers come at rate 0.9 and are served at
//! rate 1 in the order of their coming, and processes that do nothing but sleep for exponential times of mean 1.
//!
//! Called with the engine, the model, its size, how many customers or wake-ups there are, and a seed, it prints the
//! versions, the seconds that the simulation took, how many there were, and their mean time in the system or asleep.
//! Of desru's styles this is the fastest: no event is logged.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

use rand::RngCore;
use rand_distr::{Distribution, Exp1};
use serde::{Deserialize, Serialize};

mod actors;

/// SplitMix64.
#[derive(Clone, Serialize, Deserialize)]
pub struct Draws(u64);

impl RngCore for Draws {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    }
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for b in bytes {
            *b = self.next_u64() as u8
        }
    }
}

impl Draws {
    pub fn exponential(&mut self) -> f64 {
        Exp1.sample(self)
    }
}

/// What a model has come to.
#[derive(Default)]
pub struct Outcome {
    pub number: u64,
    pub total: f64,
}

mod closures {
    use super::*;
    use desru::{Event, EventScheduler};

    struct Queue {
        draws: Draws,
        line: VecDeque<f64>,
        busy: bool,
        coming: u64,
        outcome: Outcome,
    }

    fn at(s: &mut EventScheduler, delay: f64, mut f: impl FnMut(&mut EventScheduler) + 'static) {
        let time = s.current_time + delay;
        let action = Box::new(move |s: &mut EventScheduler| {
            f(s);
            None
        });
        s.schedule(Event::new(time, Some(action), None));
    }

    fn next(s: &mut EventScheduler, queue: &Rc<RefCell<Queue>>) {
        let mut q = queue.borrow_mut();
        if q.coming == 0 {
            return;
        }
        q.coming -= 1;
        let delay = q.draws.exponential() / 0.9;
        let queue = queue.clone();
        at(s, delay, move |s| {
            queue.borrow_mut().line.push_back(s.current_time);
            next(s, &queue);
            if !queue.borrow().busy {
                serve(s, &queue);
            }
        });
    }

    fn serve(s: &mut EventScheduler, queue: &Rc<RefCell<Queue>>) {
        let mut q = queue.borrow_mut();
        let Some(came) = q.line.pop_front() else {
            q.busy = false;
            return;
        };
        q.busy = true;
        let delay = q.draws.exponential();
        let queue = queue.clone();
        at(s, delay, move |s| {
            {
                let o = &mut queue.borrow_mut().outcome;
                o.number += 1;
                o.total += s.current_time - came;
            }
            serve(s, &queue);
        });
    }

    fn run(mut s: EventScheduler) {
        s.run(Box::new(|_| false), Some(Box::new(|_, _| false)));
    }

    pub fn queue(number: u64, draws: Draws) -> Outcome {
        let queue = Rc::new(RefCell::new(Queue { draws, line: VecDeque::new(), busy: false, coming: number, outcome: Outcome::default() }));
        let mut s = EventScheduler::new();
        next(&mut s, &queue);
        run(s);
        queue.take_outcome()
    }

    trait TakeOutcome {
        fn take_outcome(&self) -> Outcome;
    }

    impl TakeOutcome for Rc<RefCell<Queue>> {
        fn take_outcome(&self) -> Outcome {
            std::mem::take(&mut self.borrow_mut().outcome)
        }
    }

    fn sleep(s: &mut EventScheduler, state: &Rc<RefCell<(Draws, u64, Outcome)>>) {
        let delay = {
            let (draws, left, o) = &mut *state.borrow_mut();
            if *left == 0 {
                return;
            }
            *left -= 1;
            let d = draws.exponential();
            o.number += 1;
            o.total += d;
            d
        };
        let state = state.clone();
        at(s, delay, move |s| sleep(s, &state));
    }

    pub fn sleepers(n: u64, number: u64, draws: Draws) -> Outcome {
        let state = Rc::new(RefCell::new((draws, number, Outcome::default())));
        let mut s = EventScheduler::new();
        for _ in 0..n {
            sleep(&mut s, &state);
        }
        run(s);
        let o = std::mem::take(&mut state.borrow_mut().2);
        o
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [engine, model, size, number, seed] = &args[1..] else {
        eprintln!("usage: peers desru|nexosim mm1|sleep SIZE NUMBER SEED");
        std::process::exit(2);
    };
    let number_of = |text: &String| text.parse::<u64>().expect("a number");
    let (size, number, draws) = (number_of(size), number_of(number), Draws(number_of(seed)));
    let began = Instant::now();
    let (version, o) = match (engine.as_str(), model.as_str()) {
        ("desru", "mm1") => ("0.1.13", closures::queue(number, draws)),
        ("desru", "sleep") => ("0.1.13", closures::sleepers(size, number, draws)),
        ("nexosim", "mm1") => ("1.0.0", actors::queue(number, draws)),
        ("nexosim", "sleep") => ("1.0.0", actors::sleepers(size, number, draws)),
        _ => panic!("no model {model} of {engine}"),
    };
    let took = began.elapsed().as_secs_f64();
    println!("{version} Rust {took} {} {}", o.number, o.total / o.number as f64);
}
