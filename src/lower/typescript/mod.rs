//! The TypeScript and JavaScript front end.
