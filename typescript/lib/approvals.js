"use strict";
// Whom a gate asks. An approver is any function that is called with a `Verdict` and gives a boolean or an answer, or a promise of
// one; where none is given, what asks does not run.

/** Asks the person at the terminal that controls this process: they read what would run, without anything that could fool them, and type a
 * word that only the question shows. Where an agent started this process, nobody is asked, and it is a no. */
class Terminal {
  constructor({ seconds = 60 } = {}) {
    this.seconds = seconds;
    Object.freeze(this);
  }
}

/** Says no to whatever asks. */
function nobody() {
  return { approves: false, by: "nobody", reason: "nobody can be asked here" };
}

module.exports = { Terminal, nobody };
