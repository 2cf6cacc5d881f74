//! The models in nexosim, on one thread: more make these slower.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use nexosim::model::{schedulable, Context, Model};
use nexosim::ports::Output;
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};

use crate::{Draws, Outcome};

/// Where models leave what they have come to: models own all else that they use.
static OUTCOME: Mutex<Outcome> = Mutex::new(Outcome { number: 0, total: 0.0 });

/// A unit of time is a second. No event is at once.
fn seconds(s: f64) -> Duration {
    Duration::from_nanos((s * 1e9) as u64 + 1)
}

#[derive(Serialize, Deserialize)]
struct Customers {
    out: Output<()>,
    draws: Draws,
    coming: u64,
}

#[Model]
impl Customers {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        self.next(cx);
    }

    fn next(&mut self, cx: &Context<Self>) {
        if self.coming > 0 {
            self.coming -= 1;
            let delay = seconds(self.draws.exponential() / 0.9);
            cx.schedule_event(delay, schedulable!(Self::come), ()).unwrap();
        }
    }

    #[nexosim(schedulable)]
    async fn come(&mut self, _: (), cx: &Context<Self>) {
        self.out.send(()).await;
        self.next(cx);
    }
}

#[derive(Serialize, Deserialize)]
struct Server {
    draws: Draws,
    line: VecDeque<MonotonicTime>,
    number: u64,
    total: f64,
    last: u64,
}

#[Model]
impl Server {
    async fn arrive(&mut self, _: (), cx: &Context<Self>) {
        self.line.push_back(cx.time());
        if self.line.len() == 1 {
            self.serve(cx);
        }
    }

    fn serve(&mut self, cx: &Context<Self>) {
        let delay = seconds(self.draws.exponential());
        cx.schedule_event(delay, schedulable!(Self::leave), ()).unwrap();
    }

    #[nexosim(schedulable)]
    async fn leave(&mut self, _: (), cx: &Context<Self>) {
        let came = self.line.pop_front().unwrap();
        self.number += 1;
        self.total += cx.time().duration_since(came).as_secs_f64();
        if !self.line.is_empty() {
            self.serve(cx);
        }
        if self.number == self.last {
            *OUTCOME.lock().unwrap() = Outcome { number: self.number, total: self.total };
        }
    }
}

fn run(init: SimInit) -> Outcome {
    init.init(MonotonicTime::EPOCH).unwrap().run().unwrap();
    std::mem::take(&mut OUTCOME.lock().unwrap())
}

pub fn queue(number: u64, draws: Draws) -> Outcome {
    let mut customers = Customers { out: Output::default(), draws: draws.clone(), coming: number };
    let server = Server { draws: Draws(!draws.0), line: VecDeque::new(), number: 0, total: 0.0, last: number };
    let (a, b) = (Mailbox::new(), Mailbox::new());
    customers.out.connect(Server::arrive, &b);
    run(SimInit::with_num_threads(1).add_model(customers, a, "customers").add_model(server, b, "server"))
}

#[derive(Serialize, Deserialize)]
struct Sleeper {
    draws: Draws,
    left: u64,
    number: u64,
    total: f64,
}

#[Model]
impl Sleeper {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        self.wake((), cx).await;
    }

    #[nexosim(schedulable)]
    async fn wake(&mut self, _: (), cx: &Context<Self>) {
        if self.left == 0 {
            let mut o = OUTCOME.lock().unwrap();
            o.number += self.number;
            o.total += self.total;
            return;
        }
        self.left -= 1;
        let d = self.draws.exponential();
        self.number += 1;
        self.total += d;
        cx.schedule_event(seconds(d), schedulable!(Self::wake), ()).unwrap();
    }
}

/// Each process sleeps equally often, as a model owns what it counts.
pub fn sleepers(n: u64, number: u64, draws: Draws) -> Outcome {
    let mut init = SimInit::with_num_threads(1);
    for i in 0..n {
        let left = number / n + u64::from(i < number % n);
        init = init.add_model(Sleeper { draws: Draws(draws.0 ^ i << 32), left, number: 0, total: 0.0 }, Mailbox::new(), "sleeper");
    }
    run(init)
}
