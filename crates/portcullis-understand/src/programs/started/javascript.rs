//! Files of a JavaScript project that its tools load and run: configurations that are programs, what these name to be loaded before tests, tests, and
//! settings of the package managers that start programs or say where packages come from. Owns which tool looks for which names, by each tool's page
//! on configuration.

use super::Starter;

mod managers;
mod runners;
mod tools;
mod workspace;

use managers::manager;
use runners::runner;
use tools::{NAMES, tool};

pub(super) static TOOLS: Starter = Starter { programs: NAMES, start: tool };

pub(super) static MANAGERS: Starter =
    Starter { programs: &["bun", "npm", "pnpm", "yarn"], start: manager };

pub(super) static RUNNERS: Starter = Starter {
    programs: &[
        "concurrently",
        "lerna",
        "nodemon",
        "npm-run-all",
        "nx",
        "run-p",
        "run-s",
        "turbo",
        "wsrun",
        "lint-staged",
    ],
    start: runner,
};
