//! Tool names: what an agent's name for a tool means, and which class it belongs to. Owns the alias table and the
//! class table; it does not look at arguments.
