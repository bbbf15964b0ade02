//! What a library can do with the files of users, without the command.

mod mjcf;
mod solve;
