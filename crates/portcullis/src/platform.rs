//! What differs by system.
