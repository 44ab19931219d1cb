//! The tasks that are to run, in rounds through the source: what several writes ask for runs once, after all of them.

/// A set of tasks.
pub(super) struct Queue {
    /// One bit for each task.
    waiting: Vec<u64>,
    tasks: u32,
}

impl Queue {
    pub(super) fn new(tasks: usize) -> Self {
        Self { waiting: vec![0; tasks.div_ceil(64)], tasks: tasks as u32 }
    }

    /// How many tasks there are, waiting or not.
    pub(super) fn tasks(&self) -> u32 {
        self.tasks
    }

    pub(super) fn add(&mut self, task: u32) {
        self.waiting[task as usize / 64] |= 1 << (task % 64);
    }

    /// Takes out the first task at or after a place; from the start again where none is left there.
    pub(super) fn take(&mut self, from: u32) -> Option<u32> {
        let start = from as usize / 64;
        let rest = u64::MAX << (from % 64);
        let ahead = self.waiting.get(start).map(|word| word & rest).filter(|word| *word != 0).map(|word| (start, word));
        let first = |(index, word): (usize, &u64)| (*word != 0).then_some((index, *word));
        let found = ahead
            .or_else(|| self.waiting.iter().enumerate().skip(start + 1).find_map(first))
            .or_else(|| self.waiting.iter().enumerate().take(start + 1).find_map(first));
        let (index, word) = found?;
        let bit = word.trailing_zeros();
        self.waiting[index] &= !(1 << bit);
        Some(index as u32 * 64 + bit)
    }

    pub(super) fn clear(&mut self) {
        self.waiting.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn tasks_run_once_in_the_order_of_the_source_and_around() {
        let mut queue = Queue::new(200);
        for task in [150, 3, 70, 3, 199] {
            queue.add(task);
        }
        let mut ran = Vec::new();
        let mut at = 64;
        while let Some(task) = queue.take(at) {
            ran.push(task);
            at = task;
            if task == 199 {
                queue.add(150);
            }
        }
        assert_eq!(ran, [70, 150, 199, 3, 150]);
    }

    #[test]
    fn an_empty_queue_has_nothing() {
        assert_eq!(Queue::new(0).take(0), None);
        let mut queue = Queue::new(10);
        queue.add(9);
        queue.clear();
        assert_eq!(queue.take(0), None);
    }
}
